// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>

#include "graphrun/graph/build.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/io/readers.hpp"
#include "io/io_fixture.hpp"
#include "io/native_layout.hpp"
#include "support/file_size_limit.hpp"

namespace graphrun::test {
namespace {

template <class T>
Column<T> column_of(const std::vector<T>& values) {
  auto column = Column<T>::allocate(values.size());
  std::copy(values.begin(), values.end(), column.data());
  return column;
}

template <class T>
std::vector<T> values_of(const Column<T>& column) {
  return {column.span().begin(), column.span().end()};
}

/// 0 -> 1, 0 -> 2, 1 -> 2, 2 -> 2 with weights and transpose.
Graph small_directed() {
  Graph graph;
  graph.out.offsets = column_of<EdgeId>({0, 2, 3, 4});
  graph.out.neighbours = column_of<VertexId>({1, 2, 2, 2});
  graph.out.weights = column_of<std::uint32_t>({10, 20, 30, 40});
  graph.weight_kind = WeightKind::u32;
  graph.in.emplace();
  graph.in->offsets = column_of<EdgeId>({0, 0, 1, 4});
  graph.in->neighbours = column_of<VertexId>({0, 0, 1, 2});
  return graph;
}

Graph ring(std::size_t n) {
  Graph graph;
  graph.out.offsets = Column<EdgeId>::allocate(n + 1);
  graph.out.neighbours = Column<VertexId>::allocate(2 * n);
  for (std::size_t v = 0; v < n; ++v) {
    graph.out.offsets[v + 1] = 2 * (v + 1);
    graph.out.neighbours[2 * v] = static_cast<VertexId>((v + n - 1) % n);
    graph.out.neighbours[2 * v + 1] = static_cast<VertexId>((v + 1) % n);
  }
  graph.symmetric = true;
  return graph;
}

void expect_same(const Graph& a, const Graph& b) {
  EXPECT_EQ(values_of(a.out.offsets), values_of(b.out.offsets));
  EXPECT_EQ(values_of(a.out.neighbours), values_of(b.out.neighbours));
  EXPECT_EQ(values_of(a.out.weights), values_of(b.out.weights));
  EXPECT_EQ(a.symmetric, b.symmetric);
  EXPECT_EQ(a.weight_kind, b.weight_kind);
  ASSERT_EQ(a.in.has_value(), b.in.has_value());
  if (!a.in) return;
  EXPECT_EQ(values_of(a.in->offsets), values_of(b.in->offsets));
  EXPECT_EQ(values_of(a.in->neighbours), values_of(b.in->neighbours));
}

class NativeTest : public IoTest {
 protected:
  /// What a program could write that computes no checksums.
  static void drop_checksums(std::string& bytes) {
    poke(offsetof(io::FileHeader, checksum), std::uint64_t{0})(bytes);
    std::uint32_t sections = 0;
    std::memcpy(&sections, bytes.data() + offsetof(io::FileHeader, num_sections), sizeof(sections));
    for (std::uint32_t i = 0; i < sections; ++i) {
      poke(table_field(i, offsetof(io::SectionEntry, checksum_kind)), std::uint32_t{0})(bytes);
    }
  }
  /// Writes the small graph without checksums, lets `damage` loose on its bytes and returns the error of reading it.
  template <class E = DataError>
  std::string fault_after(const std::function<void(std::string&)>& damage, bool check = false) {
    write_native(small_directed(), path("g.grf"), pool);
    std::string bytes = read("g.grf");
    drop_checksums(bytes);
    damage(bytes);
    write("g.grf", bytes);
    return error_of<E>([&] { read_native(path("g.grf"), check, pool); });
  }
  template <class T>
  static std::function<void(std::string&)> poke(std::size_t offset, T value) {
    return [=](std::string& bytes) { std::memcpy(bytes.data() + offset, &value, sizeof(value)); };
  }
  static std::size_t table_field(std::size_t section, std::size_t field) {
    return sizeof(io::FileHeader) + section * sizeof(io::SectionEntry) + field;
  }
};

TEST_F(NativeTest, RoundTripKeepsEverythingAndCopiesNothing) {
  const Graph graph = small_directed();
  write_native(graph, path("g.grf"), pool);
  const Graph back = read_native(path("g.grf"), true, pool);
  expect_same(graph, back);
  EXPECT_TRUE(back.out.neighbours.in_mapped_file());
  EXPECT_TRUE(back.in->neighbours.in_mapped_file());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(back.out.neighbours.data()) % io::kSectionAlignment, 0u);
  EXPECT_EQ(std::filesystem::file_size(path("g.grf")) % io::kSectionAlignment, 0u);
  EXPECT_EQ(files(), 1u);
}

TEST_F(NativeTest, RoundTripOfOddGraphs) {
  Graph none;
  none.out.offsets = column_of<EdgeId>({0});
  Graph isolated;
  isolated.out.offsets = column_of<EdgeId>({0, 0, 0});
  isolated.weight_kind = WeightKind::f32;  // no edge, so no weight, but a kind
  Graph page = ring(512);                  // its neighbours end where a page does (4-byte ids)
  for (const Graph* graph : {&none, &isolated, &page}) {
    write_native(*graph, path("g.grf"), pool);
    expect_same(*graph, read_native(path("g.grf"), true, pool));
  }
}

TEST_F(NativeTest, OverwritesAndSurvivesItsOwnInput) {
  write_native(small_directed(), path("g.grf"), pool);
  Graph mapped = read_native(path("g.grf"), true, pool);
  mapped.in.reset();
  write_native(mapped, path("g.grf"), pool);
  expect_same(mapped, read_native(path("g.grf"), true, pool));
}

TEST_F(NativeTest, DamagedHeaders) {
  EXPECT_CONTAINS(fault_after([](std::string& b) { b.resize(100); }), "100 bytes are too short");
  EXPECT_CONTAINS(fault_after([](std::string& b) { b.resize(b.size() - 1); }), "truncated: the header says");
  EXPECT_CONTAINS(fault_after([](std::string& b) { b += "x"; }), "damaged: the header says");
  EXPECT_CONTAINS(fault_after(poke(0, 'x')), "wrong magic");
  EXPECT_CONTAINS(fault_after(poke(offsetof(io::FileHeader, version), std::uint32_t{3})), "version 3");
  EXPECT_CONTAINS(fault_after(poke(offsetof(io::FileHeader, header_bytes), std::uint32_t{64})), "claims 64 bytes");
  EXPECT_CONTAINS(fault_after(poke(offsetof(io::FileHeader, vertex_bytes), std::uint32_t{3})), "vertex ids of 3 bytes");
  EXPECT_CONTAINS(fault_after(poke(offsetof(io::FileHeader, weight_kind), std::uint32_t{7})), "unknown weight kind 7");
  EXPECT_CONTAINS(fault_after(poke(offsetof(io::FileHeader, weight_kind), std::uint32_t{0})), "does not announce");
  EXPECT_CONTAINS(fault_after(poke(offsetof(io::FileHeader, flags), std::uint32_t{io::kSymmetric})), "transpose of its own");
  EXPECT_CONTAINS(fault_after(poke(offsetof(io::FileHeader, num_sections), std::uint32_t{1000})), "claims 1000 sections");
  EXPECT_CONTAINS(fault_after(poke(offsetof(io::FileHeader, num_sections), std::uint32_t{1})),
                  "section of the out neighbours is missing");
  for (const std::uint64_t lie : {~std::uint64_t{0}, ~std::uint64_t{0} >> 3, std::uint64_t{1} << 32, std::uint64_t{5}}) {
    EXPECT_CONTAINS(fault_after(poke(offsetof(io::FileHeader, num_vertices), lie)), std::to_string(lie < 6 ? lie + 1 : lie));
    EXPECT_CONTAINS(fault_after(poke(offsetof(io::FileHeader, num_edges), lie)), std::to_string(lie));
  }
}

TEST_F(NativeTest, IdsOfTheOtherWidthAreRefusedOrWidened) {
  if (kVertexBits == 32) {
    EXPECT_CONTAINS(fault_after<WideIdsError>(poke(offsetof(io::FileHeader, vertex_bytes), std::uint32_t{8})),
                    "64-bit vertex ids");
  } else {
    EXPECT_CONTAINS(fault_after(poke(offsetof(io::FileHeader, vertex_bytes), std::uint32_t{4})), "of 8 bytes instead of 4");
  }
}

TEST_F(NativeTest, DamagedSectionTables) {
  const std::size_t offset = offsetof(io::SectionEntry, offset);
  const std::size_t bytes = offsetof(io::SectionEntry, bytes);
  EXPECT_CONTAINS(fault_after(poke(table_field(1, offset), std::uint64_t{1})), "invalid offset 1");
  EXPECT_CONTAINS(fault_after(poke(table_field(1, offset), std::uint64_t{0})), "invalid offset 0");
  EXPECT_CONTAINS(fault_after(poke(table_field(1, offset), std::uint64_t{1} << 40)), "past the end");
  EXPECT_CONTAINS(fault_after(poke(table_field(1, offset), ~std::uint64_t{4095})), "past the end");
  EXPECT_CONTAINS(fault_after(poke(table_field(1, bytes), ~std::uint64_t{0})), "past the end");
  EXPECT_CONTAINS(fault_after(poke(table_field(1, bytes), std::uint64_t{4})), "out neighbours take 4 bytes");
  EXPECT_CONTAINS(fault_after(poke(table_field(2, offsetof(io::SectionEntry, element_bytes)), std::uint32_t{2})),
                  "elements of 2 bytes");
  EXPECT_CONTAINS(fault_after(poke(table_field(2, offsetof(io::SectionEntry, checksum_kind)), std::uint32_t{9})),
                  "checksum of the unknown kind 9");
  EXPECT_CONTAINS(fault_after(poke(table_field(3, 0), std::uint32_t{1})), "both of kind 1");
  EXPECT_CONTAINS(fault_after(poke(table_field(3, 0), std::uint32_t{77})), "section of the in offsets is missing");
}

TEST_F(NativeTest, UnknownSectionsAreSkipped) {
  Graph graph = small_directed();
  graph.in.reset();
  write_native(graph, path("plain.grf"), pool);
  write_native(small_directed(), path("g.grf"), pool);
  std::string bytes = read("g.grf");
  drop_checksums(bytes);
  poke(table_field(3, 0), std::uint32_t{77})(bytes);
  poke(table_field(4, 0), std::uint32_t{78})(bytes);
  write("g.grf", bytes);
  expect_same(graph, read_native(path("g.grf"), true, pool));
}

TEST_F(NativeTest, DamagedContents) {
  const std::size_t offsets = io::kSectionAlignment;
  const std::size_t neighbours = 2 * io::kSectionAlignment;
  EXPECT_CONTAINS(fault_after(poke(offsets, EdgeId{1})), "offsets run from 1 to 4");
  EXPECT_CONTAINS(fault_after(poke(offsets + 24, EdgeId{5})), "offsets run from 0 to 5");
  EXPECT_CONTAINS(fault_after(poke(offsets + 8, EdgeId{4}), true), "offsets decrease");
  EXPECT_CONTAINS(fault_after(poke(neighbours, VertexId{3}), true), "leads to vertex 3");
  EXPECT_CONTAINS(fault_after(poke(neighbours + sizeof(VertexId), VertexId{1}), true),
                  "what the header says of parallel edges is not so");
  EXPECT_CONTAINS(fault_after(poke(neighbours + 2 * sizeof(VertexId), VertexId{0}), true), "not the transpose");
  EXPECT_CONTAINS(fault_after(poke(offsetof(io::FileHeader, max_degree), EdgeId{9}), true), "largest degree of 9, it is 2");
}

// Any byte of the file may be flipped: of the header and the table, of a section, but not of the padding between them.
TEST_F(NativeTest, ChecksumsFindEveryFlippedByte) {
  Graph graph = small_directed();
  graph.names = VertexNames::numbers(column_of<std::uint64_t>({7, 8, 9}));
  write_native(graph, path("g.grf"), pool);
  const std::string whole = read("g.grf");
  std::vector<std::size_t> places(sizeof(io::FileHeader) + 6 * sizeof(io::SectionEntry));
  std::iota(places.begin(), places.end(), 0);
  for (std::size_t section = 1; section <= 6; ++section) places.push_back(section * io::kSectionAlignment + 3);
  for (const std::size_t place : places) {
    std::string bytes = whole;
    bytes[place] = static_cast<char>(bytes[place] ^ 0x10);
    write("g.grf", bytes);
    EXPECT_THROW(read_native(path("g.grf"), true, pool), Error) << "byte " << place;
  }
}

TEST_F(NativeTest, PackedListsAreMappedAndCheckedAsOthersAre) {
  Graph graph = small_directed();
  graph.out.packed = pack_lists(graph.out, graph.weight_kind, pool);
  graph.in->packed = pack_lists(*graph.in, graph.weight_kind, pool);
  write_native(graph, path("g.grf"), pool);
  expect_same(small_directed(), read_native(path("g.grf"), true, pool));
  Graph kept = read_native(path("g.grf"), true, pool, {}, true);
  EXPECT_TRUE(kept.out.packed.lines.in_mapped_file());
  EXPECT_TRUE(kept.out.neighbours.empty());
  EXPECT_EQ(kept.out.weights.size(), 4u);  // a line of packed ones would be longer
  EXPECT_EQ(kept.num_edges(), 4u);
  unpack_lists(kept, "test", pool);
  expect_same(small_directed(), kept);

  const std::string whole = read("g.grf");
  for (std::size_t place = io::kSectionAlignment; place < whole.size(); place += 37) {
    std::string bytes = whole;
    bytes[place] = static_cast<char>(bytes[place] ^ 0x55);
    write("g.grf", bytes);
    const auto fault_of = [&](bool check) -> std::string {
      try {
        read_native(path("g.grf"), check, pool);
      } catch (const Error& error) {
        return error.what();
      }
      return "";
    };
    const std::string fault = fault_of(true);
    const std::string trusted = fault_of(false);
    EXPECT_TRUE(!fault.empty() || trusted.empty()) << "byte " << place;  // gaps of sections hold nothing
  }
}

TEST_F(NativeTest, SectionsAreFoundDamagedByPlace) {
  write_native(small_directed(), path("g.grf"), pool);
  std::string bytes = read("g.grf");
  bytes[2 * io::kSectionAlignment] ^= 1;
  write("g.grf", bytes);
  EXPECT_CONTAINS(error_of<DataError>([&] { read_native(path("g.grf"), true, pool); }), "checksum of the section at offset 8192");
  EXPECT_NO_THROW(read_native(path("g.grf"), false, pool));  // opening does not read it
}

VertexNames letters() {
  return VertexNames::strings(column_of<std::uint64_t>({0, 1, 3, 6}), column_of<char>({'a', 'b', 'b', 'c', 'c', 'c'}));
}

TEST_F(NativeTest, KeepsNamesOfEveryForm) {
  for (const VertexNames& names :
       {VertexNames::consecutive(1), VertexNames::numbers(column_of<std::uint64_t>({5, 4, 6})), letters()}) {
    Graph graph = small_directed();
    graph.names = names;
    write_native(graph, path("g.grf"), pool);
    EXPECT_EQ(read_native(path("g.grf"), true, pool).names, names);
  }
}

// The number of the first vertex stands where 0 was reserved, and strings are sections of new kinds.
TEST_F(NativeTest, FilesFromBeforeNamesHadABaseStillOpen) {
  write_native(small_directed(), path("g.grf"), pool);
  const std::string bytes = read("g.grf");
  EXPECT_EQ(bytes.substr(80, 48), std::string(48, '\0'));
  EXPECT_TRUE(read_native(path("g.grf"), true, pool).names.are_indices());
}

TEST_F(NativeTest, DamagedNamesAreFound) {
  EXPECT_CONTAINS(fault_after(poke(offsetof(io::FileHeader, first_name), ~std::uint64_t{1})), "beyond 64 bits");
  Graph graph = small_directed();
  graph.names = letters();
  write_native(graph, path("s.grf"), pool);
  std::string whole = read("s.grf");
  drop_checksums(whole);
  const std::size_t first_section = 5;  // out offsets, neighbours, weights, in offsets, neighbours
  const std::size_t offsets = (first_section + 1) * io::kSectionAlignment;
  const std::size_t characters = (first_section + 2) * io::kSectionAlignment;
  const auto fault = [&](const std::function<void(std::string&)>& damage, bool check) {
    std::string bytes = whole;
    damage(bytes);
    write("s.grf", bytes);
    return error_of<DataError>([&] { read_native(path("s.grf"), check, pool); });
  };
  const auto call = [&](std::size_t section, std::uint32_t kind) {
    return poke(table_field(section, offsetof(io::SectionEntry, kind)), kind);
  };
  EXPECT_CONTAINS(fault(call(first_section, 99), false), "one of the two is missing");
  EXPECT_CONTAINS(fault(poke(offsets, std::uint64_t{1}), false), "offsets of names run from 1 to 6");
  EXPECT_CONTAINS(fault(poke(offsets + 24, std::uint64_t{7}), false), "offsets of names run from 0 to 7");
  EXPECT_CONTAINS(fault(poke(offsets + 8, std::uint64_t{3}), true), "vertex index:1 has no name");
  EXPECT_CONTAINS(fault(poke(offsets + 16, ~std::uint64_t{0}), true), "vertex index:1 has no name");
  EXPECT_CONTAINS(fault(poke(characters + 1, '\n'), true), "name of vertex index:1 holds a control character");
}

TEST_F(NativeTest, KeepsRecordsOfBothDirections) {
  Graph graph = small_directed();
  add_records(graph, pool);
  write_native(graph, path("g.grf"), pool);
  const Graph back = read_native(path("g.grf"), true, pool);
  expect_same(graph, back);
  EXPECT_EQ(values_of(back.out.records), (std::vector<VertexId>{1, 10, 2, 20, 2, 30, 2, 40}));
  ASSERT_TRUE(back.by_target.has_value());
  EXPECT_EQ(values_of(back.by_target->records), (std::vector<VertexId>{0, 10, 0, 20, 1, 30, 2, 40}));
  EXPECT_EQ(values_of(back.by_target->offsets), values_of(back.in->offsets));
  EXPECT_TRUE(back.out.records.in_mapped_file());
  EXPECT_EQ(back.weight_stats, graph.weight_stats);

  Graph symmetric = ring(5);
  assign_weights(symmetric, parse_weight_source("random:1"), pool);
  add_records(symmetric, pool);
  write_native(symmetric, path("g.grf"), pool);
  EXPECT_FALSE(read_native(path("g.grf"), true, pool).by_target.has_value());
  assign_weights(symmetric, parse_weight_source("truth"), pool);
  EXPECT_FALSE(symmetric.has_records());
  add_records(symmetric, pool);
  write_native(symmetric, path("g.grf"), pool);
  EXPECT_TRUE(read_native(path("g.grf"), true, pool).by_target.has_value());
}

TEST_F(NativeTest, DamagedRecordsAreFound) {
  Graph graph = small_directed();
  add_records(graph, pool);
  write_native(graph, path("r.grf"), pool);
  std::string whole = read("r.grf");
  drop_checksums(whole);
  const auto section = [&](io::SectionKind kind) {
    for (std::size_t i = 0;; ++i) {
      io::SectionEntry entry;
      std::memcpy(&entry, whole.data() + table_field(i, 0), sizeof(entry));
      if (entry.kind == static_cast<std::uint32_t>(kind)) return std::pair{i, entry.offset};
    }
  };
  const auto fault = [&](const std::function<void(std::string&)>& damage, bool check) {
    std::string bytes = whole;
    damage(bytes);
    write("r.grf", bytes);
    return error_of<DataError>([&] { read_native(path("r.grf"), check, pool); });
  };
  const auto hide = [&](io::SectionKind kind) { return poke(table_field(section(kind).first, 0), std::uint32_t{99}); };
  const std::size_t out = section(io::SectionKind::out_records).second;
  const std::size_t in = section(io::SectionKind::in_records).second;
  const std::size_t stats = section(io::SectionKind::weight_stats).second;
  EXPECT_CONTAINS(fault(hide(io::SectionKind::out_records), false), "section of the records is missing");
  EXPECT_CONTAINS(fault(hide(io::SectionKind::in_records), false), "holds records, which need weights and");
  EXPECT_CONTAINS(fault(hide(io::SectionKind::weight_stats), false), "statistics of weights is missing");
  EXPECT_CONTAINS(fault(hide(io::SectionKind::in_neighbours), false), "in neighbours is missing");
  EXPECT_CONTAINS(fault(poke(stats, -1.0), false), "statistics of its weights are damaged");
  EXPECT_CONTAINS(fault(poke(stats + 2 * sizeof(double), std::numeric_limits<double>::quiet_NaN()), false), "damaged");
  EXPECT_CONTAINS(fault(poke(stats + 2 * sizeof(double), 26.0), true), "are not those of the weights");
  EXPECT_CONTAINS(fault(poke(out, VertexId{2}), true), "records of lists are not those");
  EXPECT_CONTAINS(fault(poke(out + sizeof(VertexId), VertexId{21}), true), "vertex index:0 are not in the order");
  EXPECT_CONTAINS(fault(poke(in, VertexId{1}), true), "records of in-lists are not those");

  // Weights of one edge that differ by direction need both.
  Graph symmetric = ring(5);
  assign_weights(symmetric, parse_weight_source("truth"), pool);
  add_records(symmetric, pool);
  symmetric.by_target.reset();
  write_native(symmetric, path("g.grf"), pool);
  EXPECT_CONTAINS(error_of<DataError>([&] { read_native(path("g.grf"), true, pool); }), "records of in-lists are missing");
}

TEST_F(NativeTest, KeepsLabelsHubChunksAndTheOrderOfLists) {
  Graph graph = ring(100);
  auto names = Column<std::uint64_t>::allocate(100);
  for (std::size_t v = 0; v < 100; ++v) names[v] = (std::uint64_t{1} << 40) + v;
  graph.names = VertexNames::numbers(names);
  graph.hub_table = {1, column_of<HubChunk>(cut_hubs(graph.out, 1, pool))};
  put_hubs_first(graph, pool);
  write_native(graph, path("g.grf"), pool);
  const Graph back = read_native(path("g.grf"), true, pool);
  expect_same(graph, back);
  EXPECT_TRUE(back.hub_first);
  EXPECT_EQ(back.names, graph.names);
  EXPECT_EQ(back.hub_table.chunk_edges, 1u);
  EXPECT_EQ(values_of(back.hub_table.chunks), values_of(graph.hub_table.chunks));
  EXPECT_EQ(back.hub_table.chunks.size(), 200u);
}

TEST_F(NativeTest, CheckComparesHubChunksAndOrderWithTheLists) {
  Graph graph = ring(10);
  graph.hub_table = {1, column_of<HubChunk>(cut_hubs(graph.out, 1, pool))};
  graph.hub_table.chunks[3].vertex = 0;
  write_native(graph, path("g.grf"), pool);
  EXPECT_CONTAINS(error_of<DataError>([&] { read_native(path("g.grf"), true, pool); }), "hub chunks are not those");
  graph = small_directed();  // 0 -> 1, 2 of degrees 1, 1; 1 -> 2; 2 -> 2
  graph.out.neighbours[0] = 2;
  graph.out.neighbours[1] = 1;
  graph.hub_first = true;
  write_native(graph, path("g.grf"), pool);
  EXPECT_CONTAINS(error_of<DataError>([&] { read_native(path("g.grf"), true, pool); }), "not in the order the header claims");
}

TEST_F(NativeTest, UnknownFlagsAreOfALaterVersion) {
  EXPECT_CONTAINS(fault_after(poke(offsetof(io::FileHeader, flags), std::uint32_t{1u << 20})), "unknown flags (offset 20)");
}

TEST_F(NativeTest, CheckFindsArcsWithoutOpposite) {
  write_native(ring(5), path("g.grf"), pool);
  std::string bytes = read("g.grf");
  drop_checksums(bytes);
  poke(2 * io::kSectionAlignment, VertexId{2})(bytes);
  poke(offsetof(io::FileHeader, flags), std::uint32_t{io::kSymmetric})(bytes);
  write("g.grf", bytes);
  EXPECT_CONTAINS(error_of<DataError>([&] { read_native(path("g.grf"), true, pool); }), "some arc has no opposite");
}

TEST_F(NativeTest, RefusesToWriteNonsense) {
  Graph graph = small_directed();
  graph.out.neighbours[0] = 9;
  EXPECT_CONTAINS(error_of<DataError>([&] { write_native(graph, path("g.grf"), pool); }), "leads to vertex 9");
  graph = small_directed();
  graph.weight_kind = WeightKind::none;
  EXPECT_CONTAINS(error_of<DataError>([&] { write_native(graph, path("g.grf"), pool); }), "4 weights where 0 belong");
  EXPECT_EQ(files(), 0u);
}

TEST_F(NativeTest, UnwritableTargets) {
  const Graph graph = small_directed();
  EXPECT_CONTAINS(error_of<DataError>([&] { write_native(graph, path("no/such/g.grf"), pool); }), "cannot write");
  std::filesystem::create_directory(path("folder"));
  EXPECT_CONTAINS(error_of<DataError>([&] { write_native(graph, path("folder"), pool); }), "not a regular file");
  EXPECT_CONTAINS(error_of<DataError>([&] { write_native(graph, "/dev/null", pool); }), "not a regular file");
  EXPECT_EQ(files(), 1u);
}

TEST_F(NativeTest, AFullDiskLeavesTheOldFileAndNothingElse) {
  write_native(small_directed(), path("g.grf"), pool);
  const std::string before = read("g.grf");
  std::string message;
  {
    const FileSizeLimit limit(3 * io::kSectionAlignment);
    message = error_of<DataError>([&] { write_native(ring(10000), path("g.grf"), pool); });
  }
  EXPECT_CONTAINS(message, "cannot write");
  EXPECT_EQ(read("g.grf"), before);
  EXPECT_EQ(files(), 1u);
}

}  // namespace
}  // namespace graphrun::test
