// SPDX-License-Identifier: Apache-2.0
// The regression suite's graphs (support/found_graphs.hpp) are found in all three places, and what it is to notice fails: this
// program runs itself with a folder of its own as GRAPHRUN_DATASETS.
#include "support/found_graphs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "run/cli.hpp"

namespace graphrun::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTriangle = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n2 1\n3 1\n3 2\n";

class FoundGraphs : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    fs::create_directory(path("graphs"));
  }
  /// A file of the folder that GRAPHRUN_DATASETS names.
  void put(const std::string& name, const std::string& text) const { write("graphs/" + name, text); }
  /// The manifest of that folder, with the triangle's digests. Largest level 1 is the right one.
  void put_manifest(int largest_level) const {
    put("manifest.tsv",
        fmt::format("name\tn\tm\tbfs\tsssp\tcc\tpagerank\ntriangle\t3\t6\t0:3:{}:11\t0:3:56:259\t1:3\t*:0.333333\n",
                    largest_level));
  }
  /// Runs the suite over graphs whose test has this name, with that folder alone as GRAPHRUN_DATASETS.
  Said suite(const std::string& name) const {
    return say(
        fmt::format("env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX GRAPHRUN_DATASETS='{}' '{}' "
                    "'--gtest_filter=*SuiteSparse.AgreesOnTheCpu/{}'",
                    path("graphs"), fs::read_symlink("/proc/self/exe").string(), name));
  }
  static void expect_text(const Said& said, const std::string& text) {
    EXPECT_NE(said.out.find(text), std::string::npos) << said.out << said.err;
  }
};

// tools/quickstart.sh leaves a container of 32-bit ids, and tools/test.sh then failed in its tests of 64-bit ids.
TEST_F(FoundGraphs, AContainerOfTheOtherWidthIsLeftToTheTestsOfThatWidth) {
  ASSERT_EQ(graphconv("path:3 '" + path("graphs/path.grf") + "'").code, 0);
  EXPECT_EQ(graphs_in("fetched", path("graphs"), datasets_folder() / "manifest.tsv").size(), 1u);
  const std::uint32_t other_bytes = sizeof(VertexId) == 4 ? 8 : 4;
  std::fstream container(path("graphs/path.grf"), std::ios::binary | std::ios::in | std::ios::out);
  container.seekp(offsetof(io::FileHeader, vertex_bytes));
  container.write(reinterpret_cast<const char*>(&other_bytes), sizeof(other_bytes));
  container.close();
  EXPECT_TRUE(graphs_in("fetched", path("graphs"), datasets_folder() / "manifest.tsv").empty());
}

TEST_F(FoundGraphs, AllOfTheProjectsOwn) {
  const auto known = read_manifest(datasets_folder() / "small" / "manifest.tsv");
  ASSERT_FALSE(known.empty());
  std::set<std::string> found;
  for (const FoundGraph& graph : find_graphs()) {
    if (graph.name.rfind("own_", 0) != 0) continue;
    EXPECT_TRUE(graph.expected) << graph.file << " has no digests in manifest.tsv";
    found.insert(graph.file.stem().string());
  }
  for (const auto& [name, expected] : known) EXPECT_TRUE(found.contains(name)) << name;
  EXPECT_EQ(found.size(), known.size());
}

TEST_F(FoundGraphs, AllOfTheSharedFolder) {
  const auto folder = shared_datasets();
  if (!folder) GTEST_SKIP() << "set GRAPHRUN_SHARED to the folder that holds suitesparse/ and truth/";
  std::set<fs::path> found;
  for (const FoundGraph& graph : find_graphs()) {
    if (graph.name.rfind("shared_", 0) == 0 && graph.expected) found.insert(graph.file);
  }
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(*folder / "suitesparse")) {
    if (!entry.path().string().ends_with(".mtx.gz")) continue;
    ++files;
    EXPECT_TRUE(found.contains(entry.path())) << entry.path();
  }
  EXPECT_EQ(found.size(), files);
}

TEST_F(FoundGraphs, ThoseOfANamedFolder) {
  put("triangle.mtx", kTriangle);
  put("edges.el", "0 1\n1 2\n");
  put(".hidden.mtx", kTriangle);
  put("notes.md", "no graph");
  put_manifest(1);
  const auto graphs = graphs_in("fetched", path("graphs"), datasets_folder() / "manifest.tsv");
  ASSERT_EQ(graphs.size(), 2u);
  for (const FoundGraph& graph : graphs) {
    EXPECT_EQ(graph.name, graph.expected ? "fetched_triangle_mtx" : "fetched_edges_el");
  }
  EXPECT_THROW(graphs_in("fetched", path("nowhere"), datasets_folder() / "manifest.tsv"), std::exception);
  EXPECT_THROW(graphs_in("fetched", path("graphs"), path("nowhere.tsv")), std::exception);
}

TEST_F(FoundGraphs, ManifestsOfTheTreeCanBeRead) {
  EXPECT_GE(read_manifest(datasets_folder() / "manifest.tsv").size(), 61u);
  put("manifest.tsv", "name\tn\tm\tbfs\tsssp\tcc\tpagerank\ntriangle\t3\t6\t0:3\t0:3:56:259\t1:3\t*:0.333333\n");
  EXPECT_THROW(read_manifest(path("graphs/manifest.tsv")), std::exception) << "a digest of two parts instead of four";
}

TEST_F(FoundGraphs, RunAndAgreeWithTheirDigests) {
  put("triangle.mtx", kTriangle);
  put_manifest(1);
  EXPECT_EQ(suite("fetched_triangle_mtx").code, 0);
}

TEST_F(FoundGraphs, OfWhichNothingIsKnownAreCheckedByTheOracles) {
  put("unknown.mtx", kTriangle);
  const Said said = suite("fetched_*");
  EXPECT_EQ(said.code, 0);
  expect_text(said, "unknown.mtx: no digests are known");
  expect_text(said, "[  PASSED  ] 1 test");
}

TEST_F(FoundGraphs, FailWhenAnAnswerDiffers) {
  put("triangle.mtx", kTriangle);
  put_manifest(2);
  const Said said = suite("fetched_*");
  EXPECT_EQ(said.code, 1);
  // Each says so, or is told of as missing on this machine.
  for (const char* backend : {"incore", "emogi", "uvm", "bam", "gpuvm", "subway"})
    expect_text(said, fmt::format(": {}\n", backend));
}

TEST_F(FoundGraphs, FailWhenTheyCannotBeRead) {
  put("cut.mtx", std::string(kTriangle).substr(0, 60));
  EXPECT_EQ(suite("fetched_*").code, 1);
}

TEST_F(FoundGraphs, FailWhenThereIsNoSuchFolder) {
  fs::remove(path("graphs"));
  const Said said = suite("fetched*");
  EXPECT_EQ(said.code, 1);
  expect_text(said, "graphs");
}

}  // namespace
}  // namespace graphrun::test
