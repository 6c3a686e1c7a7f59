// SPDX-License-Identifier: Apache-2.0
// What this library was built from and with.
#pragma once

#include <string>
#include <string_view>

namespace graphrun {

/// Facts of a build, which CMake finds when it configures (cmake/GraphrunBuildFacts.cmake). Empty where unknown or absent.
struct Build {
  std::string_view version;
  std::string_view commit;  ///< unknown where the sources are no git checkout
  std::string_view type;    ///< "Release"
  std::string_view sanitizers;
  std::string_view cuda;      ///< toolkit and architectures, as CMake names them; empty without CUDA
  std::string_view features;  ///< "io_uring, MPI": the optional parts that it has
  std::string_view missing;   ///< the optional parts that it lacks
  std::string_view id_bits;   ///< "32 and 64": widths of vertex ids
};
const Build& build();

/// Returns the lines that --version of a program prints.
std::string version_text(std::string_view program);

}  // namespace graphrun
