// SPDX-License-Identifier: Apache-2.0
// The real graphs that the regression suite runs, from three sources: the shared folder, the project's own small ones, and a
// folder that the environment names.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "io/native_layout.hpp"
#include "support/expected.hpp"
#include "support/shared.hpp"

namespace graphrun::test {

struct FoundGraph {
  std::string name;  ///< of its test: letters, digits and '_'
  std::filesystem::path file;
  std::optional<Expected> expected;  ///< nothing when nobody wrote down what comes out
  std::string problem;               ///< why a source could not be looked through; there is no file then
};

inline void PrintTo(const FoundGraph& graph, std::ostream* stream) {
  *stream << (graph.problem.empty() ? graph.file.string() : graph.problem);
}

inline std::filesystem::path datasets_folder() { return std::filesystem::path(GRAPHRUN_SOURCE_DIR) / "datasets"; }

namespace detail {

/// What datasets/fetch.sh leaves, and the other formats that one file holds and that are known by their suffix.
inline constexpr std::array kGraphSuffixes = {".grf",   ".mtx",   ".mtx.gz", ".el",  ".el.gz", ".wel",  ".gr",
                                              ".gr.gz", ".graph", ".sg",     ".wsg", ".bcsr",  ".bwcsr"};

inline bool is_graph(const std::string& file_name) {
  return file_name.front() != '.' && std::any_of(kGraphSuffixes.begin(), kGraphSuffixes.end(),
                                                 [&](const std::string suffix) { return file_name.ends_with(suffix); });
}

/// A container says how wide its ids are: the tests of that width run it. A damaged one is run, and fails.
inline bool is_of_the_other_width(const std::filesystem::path& file) {
  constexpr std::uint32_t kOtherBytes = sizeof(VertexId) == 4 ? 8 : 4;
  std::uint32_t vertex_bytes = 0;
  std::ifstream stream(file, std::ios::binary);
  stream.seekg(offsetof(io::FileHeader, vertex_bytes));
  stream.read(reinterpret_cast<char*>(&vertex_bytes), sizeof(vertex_bytes));
  return file.extension() == ".grf" && vertex_bytes == kOtherBytes;
}

inline std::string test_name(const std::string& source, std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return source + "_" + name;
}

/// What `collect` found, or the reason why it found nothing as a graph that cannot be run.
template <class Collect>
std::vector<FoundGraph> graphs_or_problem(const std::string& source, const Collect& collect) {
  try {
    return collect();
  } catch (const std::exception& error) {
    return {{source, {}, std::nullopt, error.what()}};
  }
}

}  // namespace detail

/// Every graph of `folder`, not of folders in it. What comes out is looked up under the file's name up to its first point, in
/// the manifest.tsv of the folder, else in `manifest`. Throws when the folder or a manifest cannot be read.
inline std::vector<FoundGraph> graphs_in(const std::string& source, const std::filesystem::path& folder,
                                         const std::filesystem::path& manifest) {
  auto known = read_manifest(manifest);
  if (const auto own = folder / "manifest.tsv"; std::filesystem::exists(own)) {
    for (auto& [name, expected] : read_manifest(own)) known.insert_or_assign(name, std::move(expected));
  }
  std::vector<FoundGraph> graphs;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!detail::is_graph(name) || entry.is_directory() || detail::is_of_the_other_width(entry.path())) continue;
    const auto found = known.find(name.substr(0, name.find('.')));
    const auto expected = found == known.end() ? std::nullopt : std::optional(found->second);
    graphs.push_back({detail::test_name(source, name), entry.path(), expected, ""});
  }
  return graphs;
}

/// Throws when a file of truth/ cannot be read or lacks a field.
inline std::vector<FoundGraph> graphs_of_shared_folder(const std::filesystem::path& folder) {
  std::vector<FoundGraph> graphs;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "truth")) {
    if (entry.path().extension() != ".json") continue;
    const std::string name = entry.path().stem().string();
    const Truth truth = read_truth(folder, name);
    graphs.push_back({detail::test_name("shared", name), folder / "suitesparse" / truth.file, expected_from(truth), ""});
  }
  return graphs;
}

/// The folder that the environment variable GRAPHRUN_DATASETS names or, when it is not set, where fetch.sh puts graphs, if that
/// is there.
inline std::optional<std::filesystem::path> fetched_folder() {
  if (const char* named = std::getenv("GRAPHRUN_DATASETS"); named != nullptr && *named != '\0') return named;
  const auto usual = datasets_folder() / "data";
  return std::filesystem::is_directory(usual) ? std::optional(usual) : std::nullopt;
}

/// Of all three sources, ordered by name. Never throws: a source that is there but cannot be looked through is a graph with a
/// problem.
inline std::vector<FoundGraph> find_graphs() {
  const auto manifest = datasets_folder() / "manifest.tsv";
  std::vector<FoundGraph> graphs;
  const auto add = [&](const std::string& source, const auto& collect) {
    auto more = detail::graphs_or_problem(source, collect);
    std::move(more.begin(), more.end(), std::back_inserter(graphs));
  };
  add("own", [&] { return graphs_in("own", datasets_folder() / "small", manifest); });
  add("shared", [] {
    const auto folder = shared_datasets();
    return folder ? graphs_of_shared_folder(*folder) : std::vector<FoundGraph>{};
  });
  add("fetched", [&] {
    const auto folder = fetched_folder();
    return folder ? graphs_in("fetched", *folder, manifest) : std::vector<FoundGraph>{};
  });
  // The collection's matrix that was fetched beside the shared one is the same file; as a container it is not.
  std::set<std::string> shared;
  for (const FoundGraph& graph : graphs) {
    if (graph.name.starts_with("shared_")) shared.insert("fetched" + graph.name.substr(6) + "_mtx");
  }
  std::erase_if(graphs, [&](const FoundGraph& graph) { return shared.contains(graph.name); });
  std::sort(graphs.begin(), graphs.end(), [](const auto& a, const auto& b) { return a.file < b.file; });
  // Names that differ in signs alone would be one test.
  std::set<std::string> taken;
  for (FoundGraph& graph : graphs) {
    while (!taken.insert(graph.name).second) graph.name += '_';
  }
  return graphs;
}

}  // namespace graphrun::test
