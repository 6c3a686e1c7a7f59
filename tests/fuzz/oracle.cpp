// SPDX-License-Identifier: Apache-2.0

#include "fuzz/oracle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "fuzz/workplace.hpp"
#include "graphrun/core/checksum.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/io/readers.hpp"
#include "io/formats.hpp"

namespace graphrun::fuzz {
namespace {

namespace fs = std::filesystem;

/// Larger graphs, which a short input can announce, are only loaded: the other checks would take most of the time of a run.
constexpr std::uint64_t kMostVertices = 1024;
constexpr std::uint64_t kMostEdges = 8192;

bool is_small(const Graph& graph) { return graph.num_vertices() <= kMostVertices && graph.num_edges() <= kMostEdges; }

void expect(bool holds, const std::string& otherwise) {
  if (!holds) throw Finding(otherwise);
}

template <class T>
void expect_same_column(const Column<T>& a, const Column<T>& b, const char* what, const std::string& how) {
  expect(std::equal(a.span().begin(), a.span().end(), b.span().begin(), b.span().end()),
         fmt::format("the {} differ from those of the graph loaded {}", what, how));
}

void expect_same_rows(const Csr& a, const Csr& b, const std::string& how) {
  expect_same_column(a.offsets, b.offsets, "offsets", how);
  expect_same_column(a.neighbours, b.neighbours, "neighbours", how);
  expect_same_column(a.weights, b.weights, "weights", how);
  expect_same_column(a.records, b.records, "records", how);
}

/// `name` apart, which follows the file.
void expect_same_graph(const Graph& a, const Graph& b, const std::string& how) {
  expect_same_rows(a.out, b.out, how);
  expect(a.symmetric == b.symmetric, "symmetric in one of two graphs only, loaded " + how);
  expect(a.hub_first == b.hub_first, "hubs first in one of two graphs only, loaded " + how);
  expect(a.weight_kind == b.weight_kind, "other weights in one of two graphs, loaded " + how);
  expect_same_column(a.weight_table, b.weight_table, "tables of weights", how);
  expect(a.in.has_value() == b.in.has_value(), "a transpose in one of two graphs only, loaded " + how);
  if (a.in) expect_same_rows(*a.in, *b.in, how + ", transposed");
  expect(a.weight_stats == b.weight_stats, "records in one of two graphs only, loaded " + how);
  expect(a.by_target.has_value() == b.by_target.has_value(), "records of in-lists in one of two graphs only, loaded " + how);
  if (a.by_target) expect_same_rows(*a.by_target, *b.by_target, how + ", by target");
  expect(a.names == b.names, "the vertices of one of two graphs are called otherwise, loaded " + how);
  expect(a.hub_table.chunk_edges == b.hub_table.chunk_edges, "another size of hub chunks in one of two graphs, loaded " + how);
  expect_same_column(a.hub_table.chunks, b.hub_table.chunks, "hub chunks", how);
}

void check_sentence(const std::string& refusal, const std::string& spec) {
  const std::string stem = directory() + "/input";  // every file of the input begins like this
  if (spec.starts_with(stem)) expect(refusal.find(stem) != std::string::npos, "the file is not named: " + refusal);
  const auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
  expect(std::all_of(refusal.begin(), refusal.end(), is_printable), "not a line of text: " + refusal);
}

void check_graph(const Graph& graph, const std::string& spec) {
  check_csr(graph.out, spec, pool());
  const std::size_t weights = graph.weight_kind == WeightKind::none ? 0 : graph.num_edges();
  expect(graph.out.weights.size() == weights, fmt::format("{} weights, not {}", graph.out.weights.size(), weights));
  check_weight_table(graph, spec, pool());
  const VertexNames& names = graph.names;
  expect(names.number_column().empty() || names.number_column().size() == graph.num_vertices(), "a number a vertex, or none");
  expect(!names.are_strings() || names.string_offsets().size() == std::size_t{graph.num_vertices()} + 1, "a string a vertex");
  for (VertexId v = 0; v < graph.num_vertices(); ++v) expect(!names.text(v).empty(), "a vertex without a name");
  expect(!graph.symmetric || has_all_opposites(graph.out, pool()), "called symmetric, but an arc has no opposite");
  if (!graph.in) return;
  check_csr(*graph.in, spec, pool());
  expect(is_transpose(graph.out, *graph.in, pool()), "the transpose is another graph's");
}

/// Finding this in a refusal means: too little memory, not a bad input.
bool asks_for_memory(const std::string& refusal) { return refusal.find("do not fit in memory") != std::string::npos; }

/// A line, or a few elements, at a time; more only where the reader insists on it.
Outcome load_in_scratch_files(const std::string& spec, const LoadOptions& options) {
  constexpr std::uint64_t kLeastMemory = 64;
  constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 28;
  for (std::uint64_t memory = kLeastMemory; memory <= kMostMemory; memory *= 8) {
    Outcome outcome = load(spec, options, Workspace::on_disk(directory(), memory));
    if (!asks_for_memory(outcome.refusal)) return outcome;
  }
  throw Finding("no memory is enough for scratch files");
}

/// Read at once, a compressed file is decompressed before its text is looked at; read in windows, a fault of the text that comes
/// before the damage is found first.
bool both_refuse_a_damaged_file(const Outcome& at_once, const Outcome& in_windows) {
  const auto says = [&](const char* words) { return at_once.refusal.find(words) != std::string::npos; };
  return (says("data is truncated") || says("data is corrupted") || says("bytes after the end")) && !in_windows.graph;
}

/// "input" is read from; this is written to.
std::string output_path(const std::string& suffix) { return directory() + "/output" + suffix; }

void check_native_round_trip(const Graph& graph) {
  const std::string path = output_path(".grf");
  write_native(graph, path, pool());
  Outcome again{read_native(path, true, pool()), ""};
  fs::remove(path);
  Outcome expected{graph, ""};
  if (graph.symmetric) expected.graph->in.reset();  // its own transpose; never stored
  expect_same(expected, again, "from the container it was written to");
}

void remove_output() {
  for (const fs::directory_entry& entry : fs::directory_iterator(directory())) {
    if (entry.path().filename().string().starts_with("output")) fs::remove(entry.path());
  }
}

/// Edge lists and CSV: lines are all that they have, so that vertices without edges are not in them.
bool lists_only_edges(const io::OutputFormat& format) { return format.naming == io::Naming::as_in_input && format.name != "grf"; }

/// Whether such a list is read as the graph that it is of. Names that a damaged container holds may be the same twice.
bool comes_back_from_a_list(const Graph& graph) { return graph.num_edges() != 0 && graph.names.are_indices(); }

/// Writing may be refused; what is written must be taken.
void check_writer(const Graph& graph, const io::OutputFormat& format) {
  const std::string path = output_path(fmt::format(".{}", format.name));
  const bool weighted = format.weights == io::Weights::always ||
                        (format.weights == io::Weights::if_present && graph.weight_kind != WeightKind::none);
  try {
    format.write(graph, path, {.weighted = weighted}, {}, pool());
  } catch (const UsageError&) {
    return;
  }
  if (lists_only_edges(format) && !comes_back_from_a_list(graph)) return remove_output();
  LoadOptions options;
  if (lists_only_edges(format)) {  // a short one may be taken for METIS
    options.format = format.name == "csv" ? FileFormat::csv : FileFormat::edge_list;
  }
  if (format.name == "gunrock") options.format = FileFormat::gunrock;  // never recognised
  options.check = true;
  const Outcome again = load(path, options);
  remove_output();
  expect(again.graph.has_value(), fmt::format("written as {}, it is refused: {}", format.name, again.refusal));
  const bool all_vertices = again.graph->num_vertices() == graph.num_vertices() || lists_only_edges(format);
  expect(all_vertices && again.graph->num_edges() == graph.num_edges(),
         fmt::format("written as {}, it has another size", format.name));
}

/// One of them all, which depends on the graph: the same again for the same input, and all of them in the course of a run.
const io::OutputFormat& some_format(const Graph& graph) {
  Checksum checksum;
  checksum.add(graph.out.offsets.data(), graph.out.offsets.bytes());
  checksum.add(graph.out.neighbours.data(), graph.out.neighbours.bytes());
  return io::output_formats()[checksum.value() % io::output_formats().size()];
}

LoadOptions options_that_change_nothing() {
  LoadOptions options;
  options.check = true;
  options.need_transpose = true;
  return options;
}

LoadOptions options_that_change_much() {
  LoadOptions options;
  options.check = true;
  options.undirected = true;
  options.bipartite = true;
  options.float_weights = true;
  options.raw_offset = 8;
  options.drop_self_loops = true;
  options.drop_duplicates = true;
  options.sort_lists = true;
  options.relabel = VertexOrder::degree;
  options.hubs_first = true;
  return options;
}

/// True when a graph whose ids were renumbered would be large with its own ids, though not so large that it would be refused.
bool is_large_with_its_ids(const Outcome& outcome) {
  constexpr std::uint64_t kRefused = std::uint64_t{1} << 22;
  if (!outcome.graph || outcome.graph->names.number_column().empty()) return false;
  const std::uint64_t largest = outcome.graph->names.number_column().span().back();
  return largest >= kMostVertices && largest < kRefused;
}

}  // namespace

ThreadPool& pool() {
  static ThreadPool one_thread(1);
  return one_thread;
}

Outcome load(const std::string& spec, const LoadOptions& options, const Workspace& space) {
  try {
    return {load_graph(spec, options, pool(), space).graph, ""};
  } catch (const DataError& error) {
    return {std::nullopt, error.what()};
  } catch (const UsageError& error) {
    return {std::nullopt, error.what()};
  } catch (const UnavailableError& error) {
    return {std::nullopt, error.what()};
  }
}

void expect_same(const Outcome& expected, const Outcome& actual, const std::string& how) {
  expect(expected.graph.has_value() == actual.graph.has_value() && expected.refusal == actual.refusal,
         fmt::format("loaded {}: '{}'; otherwise: '{}'", how, actual.refusal, expected.refusal));
  if (expected.graph) expect_same_graph(*expected.graph, *actual.graph, how);
}

Outcome check_load(const std::string& spec, const LoadOptions& options) {
  Outcome outcome = load(spec, options);
  if (!outcome.graph) check_sentence(outcome.refusal, spec);
  if (outcome.graph) check_graph(*outcome.graph, spec);
  if (outcome.graph && !is_small(*outcome.graph)) return outcome;
  const Outcome in_windows = load_in_scratch_files(spec, options);
  if (!both_refuse_a_damaged_file(outcome, in_windows)) expect_same(outcome, in_windows, "in scratch files");
  if (!outcome.graph) return outcome;
  check_native_round_trip(*outcome.graph);
  check_writer(*outcome.graph, some_format(*outcome.graph));
  return outcome;
}

Verdict check_file(const std::string& path, const std::optional<FileFormat>& format) {
  LoadOptions options = options_that_change_nothing();
  options.format = format;
  const Outcome plain = check_load(path, options);
  options = options_that_change_much();
  options.format = format;
  options.ids = is_large_with_its_ids(plain) ? IdPolicy::compact : IdPolicy::keep;
  const Outcome changed = check_load(path, options);
  return plain.graph ? plain.verdict() : changed.verdict();
}

}  // namespace graphrun::fuzz
