// SPDX-License-Identifier: Apache-2.0
// Expected results of real graphs, computed elsewhere: one JSON file a graph; the folder's README has the definitions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "graphrun/core/types.hpp"

namespace graphrun::test {

struct BfsTruth {
  std::uint64_t reached;
  std::uint64_t eccentricity;
  std::uint64_t sum_levels;
  std::uint64_t checksum;
};

struct SsspTruth {
  std::uint64_t reached;
  std::uint64_t max_distance;
  std::uint64_t sum_distances;
  std::uint64_t checksum;
};

struct ComponentsTruth {
  std::uint64_t count;
  std::uint64_t largest;
};

struct PagerankTruth {
  double damping;
  double tolerance;
  std::uint64_t iterations;
  double sum;
  double min_gap_top11;  ///< below about 1e-11 the order of the ids in `top` is decided by rounding
  std::vector<std::pair<VertexId, double>> top;
};

/// Absolute tolerance of each score in PagerankTruth::top for any result converged to 1e-12.
inline constexpr double kScoreTolerance = 2e-11;

struct Truth {
  std::string name;
  std::string file;  ///< in suitesparse/
  bool bipartite;
  std::uint64_t n;
  std::uint64_t m;
  std::uint64_t self_loops;
  std::uint64_t duplicates;
  std::uint64_t isolated;
  std::uint64_t max_out_degree;
  std::uint64_t max_in_degree;
  std::uint64_t zero_out_degree;
  VertexId source;
  BfsTruth bfs_directed;
  BfsTruth bfs_symmetrised;
  SsspTruth sssp_directed;  ///< with WeightSource::Kind::truth
  ComponentsTruth wcc;
  PagerankTruth pagerank;
};

namespace detail {

inline std::uint64_t checksum(const nlohmann::json& result) { return std::stoull(result.at("checksum").get<std::string>()); }

inline BfsTruth bfs(const nlohmann::json& result) {
  return {result.at("reached"), result.at("eccentricity"), result.at("sum_levels"), checksum(result)};
}

inline SsspTruth sssp(const nlohmann::json& result) {
  return {result.at("reached"), result.at("max_distance"), result.at("sum_distances"), checksum(result)};
}

inline PagerankTruth pagerank(const nlohmann::json& result) {
  PagerankTruth truth{result.at("damping"), result.at("tolerance"), result.at("iterations"), result.at("sum"), 0, {}};
  // A graph of fewer than two vertices has no gap.
  if (const auto& gap = result.at("min_gap_top11"); gap.is_number()) truth.min_gap_top11 = gap;
  for (const auto& entry : result.at("top")) truth.top.emplace_back(entry.at("vertex").get<VertexId>(), entry.at("score"));
  return truth;
}

}  // namespace detail

/// `datasets` is what shared_datasets() found. Throws when the file is missing or lacks a field.
inline Truth read_truth(const std::filesystem::path& datasets, const std::string& name) {
  const std::filesystem::path path = datasets / "truth" / (name + ".json");
  std::ifstream stream(path);
  if (!stream) throw std::runtime_error("cannot open " + path.string());
  const nlohmann::json json = nlohmann::json::parse(stream);
  return {json.at("name"),
          json.at("file"),
          json.at("bipartite"),
          json.at("n"),
          json.at("m"),
          json.at("self_loops"),
          json.at("duplicates"),
          json.at("isolated"),
          json.at("max_out_degree"),
          json.at("max_in_degree"),
          json.at("zero_out_degree"),
          json.at("source"),
          detail::bfs(json.at("bfs_directed")),
          detail::bfs(json.at("bfs_symmetrised")),
          detail::sssp(json.at("sssp_directed")),
          {json.at("wcc").at("count"), json.at("wcc").at("largest")},
          detail::pagerank(json.at("pagerank"))};
}

}  // namespace graphrun::test
