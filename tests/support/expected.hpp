// SPDX-License-Identifier: Apache-2.0
// What the answers on one graph must be, from either place where that is written down: the shared folder's truth/ (truth.hpp),
// or a manifest with the columns of datasets/manifest.tsv (datasets/README.md describes them).
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/truth.hpp"

namespace graphrun::test {

struct ExpectedSearch {
  std::uint64_t source;
  std::uint64_t reached;
  double farthest;  ///< largest level or distance
  std::uint64_t checksum;
  std::optional<double> sum;  ///< of levels or distances
};

/// The highest ranks, descending. No vertex where more than one may have the rank.
struct ExpectedRanks {
  std::vector<std::pair<std::optional<std::uint64_t>, double>> top;
  double tolerance;  ///< absolute, of each rank
};

struct Expected {
  std::uint64_t n;
  std::uint64_t m;
  ExpectedSearch bfs;
  ExpectedSearch sssp;  ///< with WeightSource::Kind::truth
  ComponentsTruth cc;
  ExpectedRanks ranks;                            ///< of a PageRank with tolerance 1e-12
  std::optional<ExpectedSearch> bfs_symmetrised;  ///< from the same source as bfs, with every arc's opposite added
};

inline Expected expected_from(const Truth& truth) {
  const auto search = [&](const auto& of, std::uint64_t farthest, std::uint64_t sum) {
    return ExpectedSearch{truth.source, of.reached, static_cast<double>(farthest), of.checksum, static_cast<double>(sum)};
  };
  const auto bfs = [&](const BfsTruth& of) { return search(of, of.eccentricity, of.sum_levels); };
  const bool order_is_certain = truth.pagerank.min_gap_top11 > 2 * kScoreTolerance;
  ExpectedRanks ranks{{}, kScoreTolerance};
  for (const auto& [vertex, rank] : truth.pagerank.top) {
    ranks.top.emplace_back(order_is_certain ? std::optional<std::uint64_t>(vertex) : std::nullopt, rank);
  }
  const SsspTruth& sssp = truth.sssp_directed;
  return {truth.n,   truth.m, bfs(truth.bfs_directed),   search(sssp, sssp.max_distance, sssp.sum_distances),
          truth.wcc, ranks,   bfs(truth.bfs_symmetrised)};
}

namespace detail {

inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

using ManifestLine = std::map<std::string, std::string>;  ///< column to value

inline ExpectedSearch search(const std::string& digest) {
  const auto parts = split(digest, ':');
  return {std::stoull(parts.at(0)), std::stoull(parts.at(1)), std::stod(parts.at(2)), std::stoull(parts.at(3)), std::nullopt};
}

inline ExpectedRanks ranks(const std::string& digest) {
  const auto parts = split(digest, ':');
  const double rank = std::stod(parts.at(1));
  const double unit_of_sixth_digit = 1e-5 * rank;
  if (parts.at(0) == "*") return {{{std::nullopt, rank}}, unit_of_sixth_digit};
  return {{{std::stoull(parts.at(0)), rank}}, unit_of_sixth_digit};
}

inline Expected expected(const ManifestLine& line) {
  const auto cc = split(line.at("cc"), ':');
  return {std::stoull(line.at("n")),
          std::stoull(line.at("m")),
          search(line.at("bfs")),
          search(line.at("sssp")),
          {std::stoull(cc.at(0)), std::stoull(cc.at(1))},
          ranks(line.at("pagerank")),
          std::nullopt};
}

}  // namespace detail

/// By name, the graphs of a manifest for which it has digests. Throws when the file cannot be read, or naming the line that
/// cannot be understood.
inline std::map<std::string, Expected> read_manifest(const std::filesystem::path& path) {
  std::ifstream stream(path);
  if (!stream) throw std::runtime_error("cannot open " + path.string());
  std::string text;
  std::getline(stream, text);
  const auto columns = detail::split(text, '\t');
  std::map<std::string, Expected> graphs;
  for (int number = 2; std::getline(stream, text); ++number) {
    const auto values = detail::split(text, '\t');
    detail::ManifestLine line;
    for (std::size_t i = 0; i < std::min(columns.size(), values.size()); ++i) line[columns[i]] = values[i];
    try {
      if (line.at("bfs") != "-") graphs.emplace(line.at("name"), detail::expected(line));
    } catch (const std::exception& error) {
      throw std::runtime_error(path.string() + ", line " + std::to_string(number) + ": " + error.what());
    }
  }
  return graphs;
}

}  // namespace graphrun::test
