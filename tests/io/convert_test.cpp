// SPDX-License-Identifier: Apache-2.0
// convert_graph: what goes through a format comes back byte by byte, in memory and through scratch files, with any number of
// threads.
#include "graphrun/io/convert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "graphrun/core/random.hpp"
#include "graphrun/io/estimate.hpp"
#include "io/formats.hpp"
#include "io/io_fixture.hpp"
#include "io/native_layout.hpp"
#include "support/sanitized.hpp"

namespace graphrun::test {
namespace {

namespace fs = std::filesystem;

/// A line of text for each of `count` arcs among `n` vertices: hubs, self loops, parallel arcs, vertices without any.
std::string edge_text(std::uint64_t n, std::uint64_t count, WeightKind kind) {
  std::string text;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t u = splitmix64(1, i, 0) % (splitmix64(1, i, 1) % n + 1);
    const std::uint64_t v = splitmix64(1, i, 2) % n;
    const std::uint64_t weight = splitmix64(1, i, 3) % 1000;
    text += fmt::format("{} {}", u, v);
    if (kind == WeightKind::u32) text += fmt::format(" {}", weight);
    if (kind == WeightKind::f32) text += fmt::format(" {}.125", static_cast<std::int64_t>(weight) - 500);
    text += '\n';
  }
  return text + fmt::format("{} 0{}\n", n - 1, kind == WeightKind::none ? "" : kind == WeightKind::u32 ? " 7" : " -0.0");
}

class ConvertTest : public IoTest {
 protected:
  /// Returns the name of the output.
  std::string convert(const std::string& input, const std::string& name, const ConvertOptions& options = {}) {
    convert_graph(input, path(name), options, pool);
    return path(name);
  }
  static ConvertOptions within_the_least(ConvertOptions options = {}) {
    options.memory_bytes = kLeastConvertMemory;
    return options;
  }

  /// Whole files: an output of format .bel has two or three.
  std::vector<std::string> bytes_of(const std::string& name) const {
    std::vector<std::string> bytes;
    for (const char* suffix : {"", ".col", ".dst", ".val"}) {
      if (fs::exists(path(name + suffix))) bytes.push_back(read(name + suffix));
    }
    EXPECT_FALSE(bytes.empty()) << name;
    return bytes;
  }
  void expect_same_bytes(const std::string& name, const std::string& wanted) const {
    EXPECT_TRUE(bytes_of(name) == bytes_of(wanted)) << name << " differs from " << wanted;
  }

  /// The container `name`, whose vertices are numbered from 0, with the numbers that `format` gives them instead.
  std::string numbered_by(const io::OutputFormat& format, const std::string& name) const {
    if (format.naming != io::Naming::from_1) return name;
    std::string bytes = read(name);
    io::FileHeader header;
    std::memcpy(&header, bytes.data(), sizeof(header));
    std::vector<io::SectionEntry> table(header.num_sections);
    std::memcpy(table.data(), bytes.data() + sizeof(header), table.size() * sizeof(io::SectionEntry));
    header.first_name = 1;
    header.checksum = io::header_checksum(header, table);
    std::memcpy(bytes.data(), &header, sizeof(header));
    write("numbered.grf", bytes);
    return "numbered.grf";
  }
  /// The same bytes in memory and within the least memory, with one thread and with more.
  void expect_same_bytes_any_way(const std::string& input, const std::string& suffix, const ConvertOptions& options = {}) {
    SCOPED_TRACE(fmt::format("{} to {}", input, suffix));
    ThreadPool one(kFewCases ? 3 : 1);
    ThreadPool three(3);
    convert_graph(input, path("memory" + suffix), options, one);
    if (!kFewCases) {
      convert_graph(input, path("memory3" + suffix), options, three);
      expect_same_bytes("memory3" + suffix, "memory" + suffix);
    }
    convert_graph(input, path("scratch" + suffix), within_the_least(options), one);
    expect_same_bytes("scratch" + suffix, "memory" + suffix);
    if (kFewCases) return;  // it has seen three threads in memory and in scratch files
    convert_graph(input, path("scratch3" + suffix), within_the_least(options), three);
    expect_same_bytes("scratch3" + suffix, "memory" + suffix);
  }
};

/// What --format calls what --to calls `name`.
std::string_view reading_name(std::string_view name) {
  return name == "wsg" ? "sg" : name == "bwcsr" ? "bcsr" : name == "wel" ? "el" : name;
}

bool is_read(const io::OutputFormat& format) {
  return std::ranges::any_of(io::formats(), [&](const io::Format& read) { return read.name == reading_name(format.name); });
}

/// Kinds of weights that come back from a format as they went in.
std::vector<WeightKind> kinds_held_by(const io::OutputFormat& format) {
  if (format.weights == io::Weights::never) return {WeightKind::none};
  if (format.weights == io::Weights::always) return {format.name == "gunrock" ? WeightKind::f32 : WeightKind::u32};
  return {WeightKind::none, WeightKind::u32, WeightKind::f32};
}

TEST_F(ConvertTest, PackedListsAndWeightsComeBack) {
  for (const WeightKind kind : {WeightKind::none, WeightKind::u32, WeightKind::f32}) {
    SCOPED_TRACE(static_cast<int>(kind));
    const std::string direct = convert(write("arcs.el", edge_text(700, 4000, kind)), "direct.grf");
    ConvertOptions pack;
    pack.pack = true;
    convert(direct, "packed.grf", pack);
    convert(direct, "within.grf", within_the_least(pack));
    expect_same_bytes("within.grf", "packed.grf");
    EXPECT_LT(read("packed.grf").size(), read("direct.grf").size());
    convert(path("packed.grf"), "back.grf");
    expect_same_bytes("back.grf", "direct.grf");
  }
}

TEST_F(ConvertTest, EveryFormatGivesBackWhatItTook) {
  for (const io::OutputFormat& format : io::output_formats()) {
    if (!is_read(format)) continue;
    for (const WeightKind kind : kinds_held_by(format)) {
      SCOPED_TRACE(fmt::format("{}, weights {}", format.name, static_cast<int>(kind)));
      for (const bool undirected : {false, true}) {
        if (kFewCases && !undirected) continue;
        ConvertOptions first;
        first.load.undirected = undirected;
        const std::string text = edge_text(700, kThreadSanitized ? 1000 : 4000, kind);
        const std::string direct = convert(write("arcs.el", text), "direct.grf", first);
        ConvertOptions to;
        to.to = format.name;
        ConvertOptions back;
        back.load.format = parse_file_format(std::string(reading_name(format.name)));
        back.load.float_weights = kind == WeightKind::f32;
        for (const ConvertOptions& there : {to, within_the_least(to)}) {
          const std::string other = convert(direct, "other." + std::string(format.name), there);
          const std::string wanted = numbered_by(format, "direct.grf");
          expect_same_bytes(fs::path(convert(other, "back.grf", back)).filename(), wanted);
          expect_same_bytes(fs::path(convert(other, "back.grf", within_the_least(back))).filename(), wanted);
        }
      }
    }
  }
}

TEST_F(ConvertTest, AGraphInMemoryIsWrittenAsAConvertedFileIs) {
  const std::string text = write("arcs.el", edge_text(700, 1000, WeightKind::f32));
  const Graph graph = load_graph(text, {}, pool).graph;
  for (const std::string suffix : {".grf", ".csv", ".mtx"}) {
    save_graph(graph, path("saved" + suffix), pool);
    convert(text, "converted" + suffix);
    EXPECT_EQ(read("saved" + suffix), read("converted" + suffix)) << suffix;
  }
  EXPECT_THROW(save_graph(graph, path("saved"), pool), UsageError);
}

TEST_F(ConvertTest, GeneratedGraphsGoThroughEveryFormat) {
  ConvertOptions plain;
  ConvertOptions weighted;
  weighted.weights = parse_weight_source("random:3");
  for (const io::OutputFormat& format : io::output_formats()) {
    SCOPED_TRACE(format.name);
    if (!is_read(format)) continue;
    const bool floats = format.name == "gunrock";  // turns whole numbers into f32
    for (const bool with_weights : {false, true}) {
      if (with_weights ? format.weights == io::Weights::never || floats : format.weights == io::Weights::always) continue;
      const std::string direct = convert("urand:10:8", "direct.grf", with_weights ? weighted : plain);
      ConvertOptions back;
      back.load.format = parse_file_format(std::string(reading_name(format.name)));
      convert(convert(direct, "other." + std::string(format.name)), "back.grf", back);
      expect_same_bytes("back.grf", numbered_by(format, "direct.grf"));
    }
  }
}

// Several batches of entries, several windows of rows.
TEST_F(ConvertTest, MemoryAndThreadsMakeNoDifferenceInAnyFormat) {
  ConvertOptions weighted;
  weighted.weights = parse_weight_source("random:1");
  for (const io::OutputFormat& format : io::output_formats()) {
    const ConvertOptions& options = format.weights == io::Weights::never ? ConvertOptions{} : weighted;
    expect_same_bytes_any_way(kThreadSanitized ? "kron:10:16"
                              : kFewCases      ? "kron:12:16"
                                               : "kron:14:16",
                              "." + std::string(format.name), options);
  }
}

// The row of the hub is divided by targets.
TEST_F(ConvertTest, MemoryMakesNoDifferenceToAHub) {
  ConvertOptions weighted;
  weighted.weights = parse_weight_source("truth");
  expect_same_bytes_any_way("star:800000", ".grf", weighted);
}

TEST_F(ConvertTest, MemoryAndThreadsMakeNoDifferenceToTexts) {
  constexpr std::uint64_t kSome = kThreadSanitized ? 3'000 : kFewCases ? 10'000 : 50'000;
  expect_same_bytes_any_way(write("plain.el", edge_text(3000, kSome * 4, WeightKind::none)), ".grf");
  expect_same_bytes_any_way(write("floats.el.gz", gzipped(edge_text(3000, kSome, WeightKind::f32))), ".grf");
  // Whole numbers to the last line but one: what was read is read again as f32.
  const std::string late = edge_text(3000, kSome * 6, WeightKind::u32) + "5 6 0.5\n";
  expect_same_bytes_any_way(write("late.el", late), ".grf");
  // Ids with gaps become others, and the container says which.
  std::string sparse;
  for (std::uint64_t i = 0; i < kSome * 4; ++i) sparse += fmt::format("{} {}\n", splitmix64(i) >> 33, splitmix64(i / 3) >> 33);
  expect_same_bytes_any_way(write("sparse.txt", sparse), ".grf");
}

TEST_F(ConvertTest, MemoryAndThreadsMakeNoDifferenceToAnyOption) {
  const std::string arcs = write("arcs.wel", edge_text(5000,
                                                       kThreadSanitized ? 4'000
                                                       : kSanitized     ? 10'000
                                                                        : 30'000,
                                                       WeightKind::u32));
  std::vector<ConvertOptions> all(11);
  all[0].load.undirected = true;
  all[1].load.drop_duplicates = all[1].load.drop_self_loops = true;
  all[2].load.relabel = VertexOrder::degree;
  all[3].load.hubs_first = true;
  all[4].load.relabel = VertexOrder::score;
  all[4].load.hubs_first = all[4].load.undirected = true;
  all[5].hub_chunk_edges = 7;
  all[6].store_transpose = false;
  all[7].weights = parse_weight_source("random:5:0:4294967295");
  all[7].load.ids = IdPolicy::compact;
  all[8].load.ids = IdPolicy::keep;
  all[8].load.sort_lists = true;
  all[9].store_records = true;
  all[10].load.relabel = VertexOrder::degree;
  all[10].store_records = all[10].load.undirected = true;
  for (const ConvertOptions& options : all) expect_same_bytes_any_way(arcs, ".grf", options);
  // The same from rows that are there already, in a file that is mapped.
  const std::string container = convert(arcs, "arcs.grf");
  for (const ConvertOptions& options : all) expect_same_bytes_any_way(container, ".grf", options);
}

TEST_F(ConvertTest, WeightsBelongToTheIdsOfTheInput) {
  ConvertOptions weights;
  weights.weights = parse_weight_source("truth");
  ConvertOptions order;
  order.load.relabel = VertexOrder::degree;
  ConvertOptions both = weights;
  both.load.relabel = VertexOrder::degree;
  convert(convert("kron:9:8", "weighted.grf", weights), "one_by_one.grf", order);
  convert("kron:9:8", "at_once.grf", both);
  expect_same_bytes("at_once.grf", "one_by_one.grf");
}

TEST_F(ConvertTest, ASampleOfListsTellsHowLengthsDiffer) {
  const std::string kron = convert("kron:12:16", "kron.grf");
  const std::string web = convert("web:12:16", "web.grf");
  const auto lengths = [](const std::string& spec, const LoadOptions& load) { return estimate_load(spec, load, true).lengths; };
  EXPECT_GT(lengths(kron, {}).short_share, 0.6);
  EXPECT_LT(lengths(web, {}).short_share, 0.2);
  EXPECT_NEAR(lengths(web, {}).first_edges, 32.0 / sizeof(VertexId), 0.5);
  LoadOptions changed;
  changed.drop_self_loops = true;  // as they are stored
  EXPECT_EQ(lengths(kron, changed).short_share, lengths(kron, {}).short_share);
  EXPECT_EQ(estimate_load(kron, {}).lengths.first_edges, 0) << "nobody asked for a sample";
  EXPECT_EQ(lengths("kron:12:16", {}).first_edges, 0);
}

TEST_F(ConvertTest, RecordsStayAndFollowWeightsAndArcs) {
  ConvertOptions records;
  records.store_records = true;
  records.weights = parse_weight_source("random:1");
  const std::string stored = convert("kron:8:8", "stored.grf", records);
  EXPECT_TRUE(estimate_load(stored, {}).records);
  convert(stored, "again.grf");
  expect_same_bytes("again.grf", "stored.grf");
  ConvertOptions other;
  other.weights = parse_weight_source("random:2");
  ConvertOptions same = other;
  same.store_records = true;
  convert(stored, "other.grf", other);
  convert("kron:8:8", "anew.grf", same);
  expect_same_bytes("other.grf", "anew.grf");
  ConvertOptions fewer;
  fewer.load.drop_self_loops = true;
  EXPECT_TRUE(estimate_load(convert(stored, "fewer.grf", fewer), {}).records);

  const std::string arcs = write("arcs.wel", edge_text(100, 500, WeightKind::u32));
  ConvertOptions one_way;
  one_way.store_transpose = false;
  one_way.store_records = true;
  EXPECT_CONTAINS(error_of<UsageError>([&] { convert(arcs, "one_way.grf", one_way); }), "leave --no-transpose out");
  records.weights.reset();
  const std::string directed = convert(arcs, "directed.grf", records);
  one_way.store_records = false;
  EXPECT_FALSE(estimate_load(convert(directed, "one_way.grf", one_way), {}).records);
  const std::string negative = write("negative.wel", "0 1 -1.5\n1 2 0.5\n");
  EXPECT_CONTAINS(error_of<UsageError>([&] { convert(negative, "negative.grf", records); }), "from 0 to 1 has weight -1.5");
}

TEST_F(ConvertTest, RawColumnsComeBack) {
  ConvertOptions weighted;
  weighted.weights = parse_weight_source("random:1");
  weighted.to = "bel";
  weighted.raw_offset = 4096;
  convert("grid:40:30", "raw.bel", weighted);
  EXPECT_EQ(fs::file_size(path("raw.bel.dst")), 4096 + 2 * (39 * 30 + 40 * 29) * 8u);
  ConvertOptions back;
  back.load.raw_offset = 4096;
  convert(path("raw.bel"), "back.grf", back);
  weighted.to.clear();
  weighted.raw_offset.reset();
  convert("grid:40:30", "direct.grf", weighted);
  expect_same_bytes("back.grf", "direct.grf");
}

TEST_F(ConvertTest, ScratchFilesGoWhereTheyAreTold) {
  ConvertOptions options = within_the_least();
  options.scratch_directory = path("none");
  EXPECT_CONTAINS(error_of<DataError>([&] { convert("path:9", "p.grf", options); }), "none");
  fs::create_directory(path("none"));
  convert("path:9", "p.grf", options);
  EXPECT_TRUE(fs::is_empty(path("none")));
  EXPECT_EQ(files(), 2u);
}

TEST_F(ConvertTest, RequestsThatDoNotFitAreRefusedAndLeaveNothing) {
  const auto refusal = [&](const std::string& name, const ConvertOptions& options = {}) {
    const std::string sentence = error_of<UsageError>([&] { convert("path:9", name, options); });
    EXPECT_EQ(files(), 0u) << name;
    return sentence;
  };
  EXPECT_CONTAINS(refusal("p.xyz"), "p.xyz");
  EXPECT_CONTAINS(refusal("p"), "grf, mtx, el, wel, csv, bel");
  EXPECT_CONTAINS(refusal("p.wsg"), "weights");
  EXPECT_CONTAINS(refusal("p.gunrock"), "weights");
  ConvertOptions options;
  options.to = "xyz";
  EXPECT_CONTAINS(refusal("p.grf", options), "xyz");
  options = {};
  options.hub_chunk_edges = 4;
  EXPECT_CONTAINS(refusal("p.mtx", options), "hub");
  options = {};
  options.raw_offset = 512;
  EXPECT_CONTAINS(refusal("p.grf", options), "raw");
  options = {};
  options.memory_bytes = kLeastConvertMemory - 1;
  EXPECT_CONTAINS(refusal("p.grf", options), "64.0 MiB");
  options = {};
  options.weights = parse_weight_source("file");
  EXPECT_CONTAINS(refusal("p.grf", options), "weights");
  options = {};
  options.store_records = true;
  EXPECT_CONTAINS(refusal("p.grf", options), "the input has no weights");
  options.weights = parse_weight_source("unit");
  EXPECT_CONTAINS(refusal("p.wel", options), "only .grf holds records");
  EXPECT_CONTAINS(error_of<UsageError>([&] { convert_graph("path:9", "", {}, pool); }), "name of the output");
}

TEST_F(ConvertTest, AFailureLeavesTheOldOutput) {
  write("old.grf", "what was here");
  const std::string damaged = write("damaged.el", edge_text(100, 5000, WeightKind::none) + "1 two\n");
  for (const ConvertOptions& options : {ConvertOptions{}, within_the_least()}) {
    EXPECT_CONTAINS(error_of<DataError>([&] { convert(damaged, "old.grf", options); }), "damaged.el:5002");
    EXPECT_EQ(read("old.grf"), "what was here");
    EXPECT_EQ(files(), 2u);
  }
}

TEST_F(ConvertTest, EstimatesFollowWhatIsThere) {
  constexpr std::uint64_t kEntries = 16 * 1024;
  const LoadEstimate generated = estimate_load("kron:10:16", {});
  EXPECT_EQ(generated.arcs, 2 * kEntries);
  EXPECT_EQ(generated.peak_bytes, kEntries * 6 * sizeof(VertexId) + 1025 * sizeof(EdgeId));
  EXPECT_EQ(generated.held_bytes, kEntries * 2 * sizeof(VertexId) + 1025 * sizeof(EdgeId));
  EXPECT_EQ(estimate_load(path("none.mtx"), {}).peak_bytes, 0u);
  const LoadEstimate container = estimate_load(convert("path:9", "p.grf"), {});
  EXPECT_TRUE(container.mapped);
  EXPECT_EQ(container.arcs, 16u);
  EXPECT_EQ(container.peak_bytes, 0u);
  EXPECT_THROW(estimate_load("kron:x", {}), UsageError);
}

// A container was taken for one that costs nothing, also where its transpose or other lists are made in memory.
TEST_F(ConvertTest, EstimatesOfContainersHaveWhatIsMadeOfThem) {
  const std::string arcs = write("arcs.el", edge_text(100, 5000, WeightKind::none));
  ConvertOptions without;
  without.store_transpose = false;
  LoadOptions transposed;
  transposed.need_transpose = true;
  EXPECT_EQ(estimate_load(convert(arcs, "with.grf"), transposed).peak_bytes, 0u);
  const std::string bare = convert(arcs, "without.grf", without);
  EXPECT_GE(estimate_load(bare, transposed).held_bytes, 5000 * sizeof(VertexId));
  EXPECT_EQ(estimate_load(bare, {}).peak_bytes, 0u);
  LoadOptions relabelled;
  relabelled.relabel = VertexOrder::degree;
  EXPECT_GE(estimate_load(bare, relabelled).held_bytes, 5000 * sizeof(VertexId));
}

// They were cut to twice the entries and a million, also where ids that do not occur are vertices.
TEST_F(ConvertTest, EstimatesOfSparseIdsHaveTheVerticesThatReadersAllow) {
  constexpr std::uint64_t kEntries = 80000;
  constexpr std::uint64_t kVertices = 30'000'000;
  std::string lines;
  for (std::uint64_t i = 0; i < kEntries; ++i) lines += "29999999 1\n";
  const std::string header = "%%MatrixMarket matrix coordinate pattern general\n";
  EXPECT_GE(estimate_load(write("m.mtx", header + "30000000 30000000 80000\n" + lines), {}).vertices, kVertices);
  LoadOptions keep;
  keep.ids = IdPolicy::keep;
  EXPECT_EQ(estimate_load(write("m.el", lines), keep).vertices, kVertices);
  EXPECT_LE(estimate_load(path("m.el"), {}).vertices, 2 * kEntries + 100) << "these are renumbered";
}

// Lines that begin with c were taken for comments, and names for free.
TEST_F(ConvertTest, EstimatesOfStringsHaveTheirNames) {
  std::string text;
  for (int i = 0; i < 10000; ++i) text += fmt::format("customer-{},merchant-{},{}\n", i, i % 100, i);
  const LoadEstimate strings = estimate_load(write("s.csv", text), {});
  EXPECT_GT(strings.arcs, 9000u);
  EXPECT_LT(strings.arcs, 11000u);
  EXPECT_TRUE(strings.weighted);
  EXPECT_GT(strings.peak_bytes, 10000 * (2 * sizeof(VertexId) + 4 + 10));
}

TEST_F(ConvertTest, AnEstimateDoesNotBelieveADamagedHeader) {
  EXPECT_LT(estimate_load(write("damaged.graph", "9999999999 99999999999999\n2\n1\n"), {}).peak_bytes, 1u << 20);
}

TEST_F(ConvertTest, EstimatesOfTextComeNearItsEntries) {
  constexpr std::uint64_t kEntries = 100000;
  const auto near = [](std::uint64_t number, std::uint64_t right) { return number > right / 4 * 3 && number < right / 4 * 5; };
  for (const WeightKind kind : {WeightKind::none, WeightKind::u32}) {
    const LoadEstimate text = estimate_load(write("t.el", edge_text(5000, kEntries, kind)), {});
    EXPECT_TRUE(near(text.arcs, kEntries)) << text.arcs;
    EXPECT_TRUE(near(text.vertices, 5000)) << text.vertices;
    EXPECT_EQ(text.weighted, kind != WeightKind::none);
    const std::uint64_t arc_bytes = 2 * sizeof(VertexId) + (text.weighted ? 4 : 0);
    EXPECT_TRUE(near(text.peak_bytes, 2 * arc_bytes * kEntries)) << text.peak_bytes;
  }
  const std::string packed = write("t.el.gz", gzipped(edge_text(5000, kEntries, WeightKind::none)));
  EXPECT_TRUE(near(estimate_load(packed, {}).arcs, kEntries)) << "gzip says how long the text is";
  LoadOptions undirected;
  undirected.undirected = true;
  EXPECT_TRUE(near(estimate_load(path("t.el"), undirected).arcs, 2 * kEntries));
  const std::string metis = write("t.graph", "3 2\n2\n1 3\n2\n");
  EXPECT_EQ(estimate_load(metis, {}).vertices, 3u);
  EXPECT_EQ(estimate_load(metis, {}).arcs, 4u);
}

TEST_F(ConvertTest, HelpNamesEveryFormat) {
  for (const io::Format& format : io::formats()) {
    EXPECT_CONTAINS(input_format_help(), "  " + std::string(format.name) + " ");
    EXPECT_EQ(parse_file_format(std::string(format.name)), format.id);
  }
  for (const io::OutputFormat& format : io::output_formats())
    EXPECT_CONTAINS(output_format_help(), "  " + std::string(format.name) + " ");
  EXPECT_CONTAINS(error_of<UsageError>([] { parse_file_format("xls"); }), "'xls'");
}

TEST_F(ConvertTest, FloatsOfFormatsThatDoNotSaySoWereReadAsWholeNumbersWithoutAWord) {
  const std::string input = write("f.wel", "0 1 0.5\n1 0 1.5\n");
  for (const char* to : {"bel", "galois", "sg", "gunrock"}) {
    ConvertOptions options;
    options.to = to;
    ::testing::internal::CaptureStderr();
    convert(input, "f.out", options);
    const bool warned =
        ::testing::internal::GetCapturedStderr().find("without --float-weights they are read as u32") != std::string::npos;
    EXPECT_EQ(warned, to == std::string_view("bel") || to == std::string_view("galois")) << to;
  }
}

}  // namespace
}  // namespace graphrun::test
