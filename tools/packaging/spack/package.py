# SPDX-License-Identifier: Apache-2.0
# In a folder packages/graphrun of a Spack repository; `spack dev-build graphrun@0.2.0` in a checkout then builds that.

from spack.package import *


class Graphrun(CMakePackage, CudaPackage):
    """Out-of-core graph analytics on GPUs and CPUs: BFS, SSSP, connected components, PageRank, betweenness centrality and triangle
    counting over graphs whose edges stay in host memory, in files or in the memory of other machines."""

    license("Apache-2.0")

    version("0.2.0")

    variant("wide", default=True, description="Graphs of 64-bit vertex ids")
    variant("mpi", default=False, description="Let mpirun start graphrun")
    variant("fabric", default=False, description="One-sided reads of other machines' memory by libfabric")
    variant("counted", default=False, when="+cuda", description="Kernels of --count-requests")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("cxxopts")
    depends_on("fmt@9:")
    depends_on("spdlog@1.10: +fmt_external")
    depends_on("nlohmann-json@3.11:")
    depends_on("xxhash")
    depends_on("liburing@2.3:")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("xz")
    depends_on("bzip2")
    depends_on("libarchive")
    depends_on("openssl@3:")
    depends_on("libfabric", when="+fabric")
    depends_on("mpi", when="+mpi")
    depends_on("cuda@12.4:", when="+cuda")
    depends_on("googletest", type="test")
    depends_on("python@3.10:", type=("build", "run"))  # graphbench
    depends_on("py-jsonschema", type="run")
    depends_on("py-jinja2", type="run")
    depends_on("py-matplotlib", type="run")

    generator("ninja")
    conflicts("%gcc@:11", msg="graphrun is C++20 and needs GCC 12")
    conflicts("cuda_arch=none", when="+cuda", msg="name the GPUs: cuda_arch=90")

    def cmake_args(self):
        arguments = [
            self.define_from_variant("GRAPHRUN_BUILD_WIDE", "wide"),
            self.define_from_variant("GRAPHRUN_MPI", "mpi"),
            self.define_from_variant("GRAPHRUN_FABRIC", "fabric"),
            self.define("GRAPHRUN_CUDA", "ON" if self.spec.satisfies("+cuda") else "OFF"),
            self.define("GRAPHRUN_BUILD_TESTS", self.run_tests),
            self.define("GRAPHRUN_INTERPRETER", self.spec["python"].command.path),
            self.define("GRAPHRUN_BUILD_BENCH", False),
            self.define("CMAKE_UNITY_BUILD", True),
        ]
        if self.spec.satisfies("+cuda"):
            arguments.append(self.define_from_variant("GRAPHRUN_COUNTED_KERNELS", "counted"))
            arguments.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return arguments

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_search(self):
        Executable(join_path(self.prefix.bin, "graphrun"))("kron:10", "--algo", "bfs", "--verify")
