// SPDX-License-Identifier: Apache-2.0
// Graphs, bytes and cached prefixes of files for the tests of binary formats.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "graphrun/core/random.hpp"
#include "io/formats.hpp"
#include "io/io_fixture.hpp"

namespace graphrun::test {

/// Whether a file is in a format.
template <const io::RowsFormat& kFormat>
bool is_as(const io::FileHead& head) {
  return io::is_in(kFormat, head);
}

/// The bytes of a file, written down number by number.
class Bytes {
 public:
  Bytes& u8(std::uint8_t value) { return add(value); }
  Bytes& u32(std::initializer_list<std::uint32_t> values) { return add_all(values); }
  Bytes& u64(std::initializer_list<std::uint64_t> values) { return add_all(values); }
  Bytes& f32(std::initializer_list<float> values) { return add_all(values); }
  Bytes& zeros(std::size_t count) {
    bytes_.append(count, '\0');
    return *this;
  }
  operator const std::string&() const { return bytes_; }

 private:
  template <class T>
  Bytes& add(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
    return *this;
  }
  template <class T>
  Bytes& add_all(std::initializer_list<T> values) {
    for (const T value : values) add(value);
    return *this;
  }
  std::string bytes_;
};

/// `bytes` with `value` at `offset`.
template <class T>
std::string poked(std::string bytes, std::size_t offset, T value) {
  const auto* raw = reinterpret_cast<const char*>(&value);
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes.at(offset + i) = raw[i];
  return bytes;
}

/// Lists keep the order of `arcs`, which must be by source. The third of each is its weight, unless `kind` is none.
inline Graph graph_of(std::uint64_t n, const std::vector<Arc>& arcs, WeightKind kind = WeightKind::none, bool symmetric = false) {
  Graph graph;
  graph.symmetric = symmetric;
  graph.weight_kind = kind;
  graph.out.offsets = Column<EdgeId>::allocate(n + 1);
  graph.out.neighbours = Column<VertexId>::allocate(arcs.size());
  if (kind != WeightKind::none) graph.out.weights = Column<std::uint32_t>::allocate(arcs.size());
  for (std::size_t e = 0; e < arcs.size(); ++e) {
    const auto& [source, target, weight] = arcs[e];
    ++graph.out.offsets[source + 1];
    graph.out.neighbours[e] = static_cast<VertexId>(target);
    if (kind != WeightKind::none) graph.out.weights[e] = weight;
  }
  for (std::uint64_t v = 0; v < n; ++v) graph.out.offsets[v + 1] += graph.out.offsets[v];
  return graph;
}

template <class T>
std::vector<T> values_of(const Column<T>& column) {
  return {column.span().begin(), column.span().end()};
}

inline void expect_same_rows(const Csr& a, const Csr& b) {
  EXPECT_EQ(values_of(a.offsets), values_of(b.offsets));
  EXPECT_EQ(values_of(a.neighbours), values_of(b.neighbours));
  EXPECT_EQ(values_of(a.weights), values_of(b.weights));
}

/// Graph::out with its weights; what else there is depends on the format.
inline void expect_same_arcs(const Graph& a, const Graph& b) {
  expect_same_rows(a.out, b.out);
  EXPECT_EQ(a.weight_kind, b.weight_kind);
}

/// 0 -> 1 (7), 0 -> 2 (8), 2 -> 2 (9): an odd number of edges, an empty list, a self loop.
inline Graph three_arcs(WeightKind kind = WeightKind::none) {
  const auto weight = [kind](std::uint32_t value) {
    return kind == WeightKind::f32 ? word(static_cast<float>(value)) : kind == WeightKind::u32 ? value : 0;
  };
  return graph_of(3, {{0, 1, weight(7)}, {0, 2, weight(8)}, {2, 2, weight(9)}}, kind);
}

/// Small graphs at the edges of the code. Weights of `kind` are whole numbers below 2^24, in every format.
inline std::vector<Graph> odd_graphs(WeightKind kind) {
  std::vector<Graph> graphs{graph_of(0, {}, kind), graph_of(1, {}, kind), graph_of(70, {}, kind), three_arcs(kind)};
  const auto weight = [kind](std::uint64_t seed) -> std::uint32_t {
    const auto value = static_cast<std::uint32_t>(splitmix64(seed) >> 40);
    return kind == WeightKind::none ? 0 : kind == WeightKind::f32 ? word(static_cast<float>(value)) : value;
  };
  graphs.push_back(graph_of(1, {{0, 0, weight(1)}}, kind));
  graphs.push_back(graph_of(2, {{1, 0, weight(2)}, {1, 1, weight(3)}, {1, 0, weight(3)}, {1, 0, weight(2)}}, kind));
  graphs.push_back(graph_of(2, {{0, 1, weight(4)}, {1, 0, weight(4)}}, kind, true));
  std::vector<Arc> directed;  // lists that do not ascend, some long and some empty
  for (std::uint64_t i = 0; i < 5000; ++i) directed.emplace_back(i * i / 50000, splitmix64(i) % 1000, weight(i));
  graphs.push_back(graph_of(1000, directed, kind));
  std::vector<Arc> mirrored;
  for (std::uint64_t i = 0; i < 1500; ++i) {
    const std::uint64_t u = splitmix64(7, i, 0) % 300, v = splitmix64(7, i, 1) % 300;
    mirrored.emplace_back(u, v, weight(i));
    if (u != v) mirrored.emplace_back(v, u, weight(i));
  }
  std::sort(mirrored.begin(), mirrored.end());
  graphs.push_back(graph_of(300, mirrored, kind, true));
  return graphs;
}

class BinaryTest : public IoTest {
 protected:
  io::FileHead head(const std::string& name) const {
    const std::string bytes = read(name);
    return {path(name), bytes.substr(0, std::size_t{1} << 16), bytes.size()};
  }
  /// On disk, one or two elements at a time.
  Workspace tiny() const { return Workspace::on_disk(directory.string(), 64); }
  /// On disk, in some pieces.
  Workspace small() const { return Workspace::on_disk(directory.string(), std::uint64_t{1} << 16); }

  const Workspace memory;
  const io::ReadOptions defaults;
  const io::WriteOptions plain;
  const io::WriteOptions weighted{.weighted = true};
};

}  // namespace graphrun::test
