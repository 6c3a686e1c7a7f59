// SPDX-License-Identifier: Apache-2.0

#include "graphrun/io/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

#include "core/raise.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/graph/statistics.hpp"
#include "graphrun/io/generate.hpp"
#include "graphrun/io/parts.hpp"
#include "graphrun/io/readers.hpp"
#include "io/archive.hpp"
#include "io/assumptions.hpp"
#include "io/formats.hpp"
#include "io/generate_internal.hpp"
#include "io/graphalytics.hpp"
#include "io/head_comments.hpp"
#include "io/pipe_input.hpp"
#include "io/text_source.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// Returns a file name without its directory and the suffixes of formats and compression.
std::string graph_name(const std::string& path) {
  const io::InputName input = io::split_member(path);
  std::string name = std::filesystem::path(input.member.empty() ? input.file : input.member).filename().string();
  for (const char* suffix :
       {".gz",    ".zst",   ".xz",         ".bz2", ".mtx", ".grf", ".txt", ".el", ".wel", ".edges", ".csv",   ".tsv", ".gr",
        ".graph", ".metis", ".properties", ".col", ".dst", ".val", ".bel", ".sg", ".wsg", ".bcsr",  ".bwcsr", ".csr"}) {
    const std::string text = suffix;
    if (name.size() > text.size() && name.ends_with(text)) name.resize(name.size() - text.size());
  }
  return name;
}

/// Returns whether the user meant a generator: "word:..." without a slash or the suffix of a format, or the name of one.
bool reads_like_generator(const std::string& spec) {
  if (is_generator(spec + ":")) return true;
  if (graph_name(spec) != spec) return false;
  std::size_t letters = 0;
  while (letters < spec.size() && std::isalpha(static_cast<unsigned char>(spec[letters])) != 0) ++letters;
  return letters > 0 && letters < spec.size() && spec[letters] == ':' && spec.find('/') == std::string::npos;
}

/// Returns the weights of the arcs from `u` to `v`, which follow each other: lists ascend.
std::span<const std::uint32_t> weights_between(const Csr& csr, VertexId u, VertexId v) {
  const auto list = csr.neighbours.span().subspan(csr.offsets[u], csr.degree(u));
  const auto [first, last] = std::equal_range(list.begin(), list.end(), v);
  return csr.weights.span().subspan(csr.offsets[u] + static_cast<std::size_t>(first - list.begin()),
                                    static_cast<std::size_t>(last - first));
}

/// Names an edge of METIS with two weights. All arcs have opposites, but some weigh otherwise.
[[noreturn, gnu::cold]] void refuse_weights(const Graph& graph, const std::string& path) {
  const Csr& csr = graph.out;
  for (VertexId u = 0; u < csr.num_vertices(); ++u) {
    for (EdgeId e = csr.offsets[u]; e < csr.offsets[u + 1]; ++e) {
      const VertexId v = csr.neighbours[e];
      const auto there = weights_between(csr, u, v);
      const auto back = weights_between(csr, v, u);
      if (std::ranges::equal(there, back)) continue;
      const auto [one, other] = std::ranges::mismatch(there, back);
      raise<DataError>("{}: the edge between vertices {} and {} weighs {} in the list of the one and {} in that of the other",
                       path, graph.names.text(u), graph.names.text(v), graph.weight_text(*one), graph.weight_text(*other));
    }
  }
  raise<DataError>("{}: some edge has two weights", path);
}

/// Finds out whether the graph is symmetric where the format does not say, and proves it where it does. Only arcs that were
/// mirrored here need no proof.
void settle_symmetry(Graph& graph, const io::Format& format, const std::string& path, const Workspace& space, ThreadPool& pool) {
  const bool claimed = format.id == FileFormat::metis || format.id == FileFormat::gapbs;
  if (graph.symmetric && !claimed) return;
  Progress progress("looking for opposites");
  const bool symmetric = has_all_opposites(graph.out, pool, space);
  if (graph.symmetric && !symmetric) {
    raise<DataError>("{}: the graph is called undirected, but some edge is listed in one direction only", path);
  }
  graph.symmetric = symmetric;
  if (symmetric) graph.in.reset();
  if (format.id == FileFormat::metis && !is_balanced(graph, pool, space)) refuse_weights(graph, path);
}

/// Returns the options that remain for a graph whose entries were built as asked.
LoadOptions after_building(LoadOptions options) {
  options.undirected = options.drop_self_loops = options.drop_duplicates = options.sort_lists = false;
  options.merge = MergeRule::keep;
  return options;
}

/// Tells the number of edges with the same source and target as another.
void tell_of_parallel(const Graph& graph, const std::string& path, const LoadOptions& options, io::Assumptions& assumptions,
                      ThreadPool& pool, const Workspace& space) {
  if (merge_rule(options) != MergeRule::keep) return;
  const std::uint64_t parallel = examine_lists(graph.out, pool, space).duplicates;
  if (parallel == 0) return;
  const char* why = options.undirected ? " (with --undirected also those that are listed in both directions)" : "";
  assumptions.add(
      fmt::format("{}: {} of {} edges are parallel to another, of the same source and target{}: --merge min, max, sum or "
                  "first makes one of them",
                  path, grouped(parallel), grouped(graph.num_edges()), why));
}

/// Tells of a comment of SNAP or KONECT that each edge is listed once for both directions.
void tell_of_undirected(const std::string& path, const Graph& graph, const LoadOptions& options, io::Assumptions& assumptions) {
  if (options.undirected || graph.symmetric) return;
  assumptions.add(fmt::format(
      "{} says of itself that it is undirected, and its lines are taken as arcs: --undirected adds the opposite of every edge",
      path));
}

/// Refuses a bipartite file of KONECT: vertices of both columns count from 1.
[[noreturn]] void refuse_two_sides(const std::string& path) {
  raise<DataError>(
      "{} is a bipartite file of KONECT, where equal numbers in both columns are two vertices: say --bipartite, or --format el "
      "if they are one",
      path);
}

/// Warns of options for other formats.
void warn_of_unused(const std::string& title, std::optional<FileFormat> id, const LoadOptions& options, bool two_sides,
                    io::Assumptions& assumptions) {
  const auto unused = [&](const char* option, bool given, bool used) {
    if (given && !used) assumptions.add(fmt::format("{} has no effect on a graph of format {}", option, title));
  };
  const bool edges = id == FileFormat::edge_list || id == FileFormat::csv;
  unused("--vertices", options.ids != IdPolicy::automatic, edges);
  unused("--columns", !options.columns.empty(), edges);
  unused("--num-vertices", options.num_vertices.has_value(), edges);
  unused("--bipartite", options.bipartite, id == FileFormat::matrix_market || two_sides);
  unused("--raw-offset-in", options.raw_offset.has_value(), id == FileFormat::bel);
  const bool reads_weights = id && (io::format_of(*id).open_entries != nullptr || io::format_of(*id).read_rows != nullptr);
  unused("--float-weights", options.float_weights, reads_weights);
}

/// Refuses a part of a container, which is of no format.
void refuse_part(const std::string& path) {
  if (!is_part_file(path)) return;
  const PartInfo info = read_part_file(path);
  raise<DataError>("{} is part {} of {} of a container: name the container here, and its parts with --stripe", path,
                   info.index + 1, info.count);
}

/// Refuses a pipe of binary data: such files are mapped.
void refuse_binary_pipe(const std::string& path, const io::Format& format) {
  if (format.open_entries != nullptr || !io::is_pipe(path)) return;
  raise<DataError>("{} is a pipe, through which only text is read, and {} is binary: save it to a file first", path,
                   format.title);
}

bool lacks_transpose(const Graph& graph, const LoadOptions& options) {
  return options.need_transpose && graph.transpose() == nullptr;
}

/// Returns whether arrange() reads lists.
bool changes(const Graph& graph, const LoadOptions& options) {
  return options.undirected || options.drop_self_loops || merge_rule(options) != MergeRule::keep || options.sort_lists ||
         options.relabel != VertexOrder::as_read || options.hubs_first || lacks_transpose(graph, options);
}

/// Arranges a graph, notes whether that made a transpose, and sets name and assumptions.
void arrange_loaded(Loaded& loaded, const std::string& name, const io::Assumptions& assumptions, LoadOptions options,
                    ThreadPool& pool, const Workspace& space) {
  const bool wanted = std::exchange(options.need_transpose, false);
  loaded.graph = arrange(std::move(loaded.graph), options, pool, space);
  loaded.graph.name = name;
  const LoadOptions transpose_alone{.need_transpose = wanted};
  loaded.made_transpose = lacks_transpose(loaded.graph, transpose_alone);
  loaded.graph = arrange(std::move(loaded.graph), transpose_alone, pool, space);
  loaded.graph.assumptions = assumptions.all();
}

Loaded load_file(const std::string& path, const LoadOptions& options, const Workspace& space, ThreadPool& pool) {
  const io::PipeKeeper keeper(path);
  if (io::is_pipe(path)) io::read_pipe(path, space.directory());
  refuse_part(path);
  io::Assumptions assumptions;
  std::string doubt;
  const io::Format& format =
      io::format_of(options.format ? *options.format : sniff_format(path, !options.columns.empty(), &doubt));
  if (!doubt.empty()) assumptions.add(std::move(doubt));
  refuse_binary_pipe(path, format);
  const bool edges = format.id == FileFormat::edge_list || format.id == FileFormat::csv;
  const auto comments = edges ? io::read_head_comments(path) : io::HeadComments{};
  const bool two_sides = comments.bipartite;
  if (two_sides && !options.bipartite && !options.format) refuse_two_sides(path);
  warn_of_unused(std::string(format.title), format.id, options, two_sides, assumptions);
  Loaded loaded;
  loaded.format = format.title;
  LoadOptions rest = options;
  if (format.id == FileFormat::metis) rest.undirected = false;  // it is, or settle_symmetry() refuses it
  if (format.id == FileFormat::graphalytics) {                  // a file lists its vertices
    rest.ids = IdPolicy::compact;
    rest.num_vertices.reset();
  }
  if (format.open_entries != nullptr) {
    const auto open = [&](const io::ReadOptions& how) { return format.open_entries(path, how, pool); };
    loaded.graph = io::assemble(open, path, rest, space, pool, loaded.times, assumptions, comments.announced);
    tell_of_parallel(loaded.graph, path, options, assumptions, pool, space);
    const std::uint64_t first_name = two_sides && options.bipartite ? 1 : format.first_name;
    if (loaded.graph.names.are_indices()) loaded.graph.names = VertexNames::consecutive(first_name);
    rest = after_building(options);
  } else {
    const Timer reading;
    const io::ReadOptions how{
        .float_weights = options.float_weights, .raw_offset = options.raw_offset, .assumptions = &assumptions};
    loaded.graph = format.read_rows != nullptr ? format.read_rows(path, how, space, pool)
                                               : read_native(path, options.check, pool, space, true);
    if (is_packed(loaded.graph) && (!options.keep_packed || changes(loaded.graph, rest))) {
      unpack_lists(loaded.graph, path, pool, space);
      keep_lists(loaded.graph, false);
      loaded.unpacked = true;
      const Graph& graph = loaded.graph;
      log::info(fmt::format("{} holds packed lists: they are unpacked, into {}", path,
                            format_bytes(graph.out.neighbours.bytes() + (graph.in ? graph.in->neighbours.bytes() : 0))));
    }
    loaded.times.read_ms = reading.elapsed_ms();
  }
  const Timer building;
  if (format.id != FileFormat::native) settle_symmetry(loaded.graph, format, path, space, pool);
  if (comments.undirected) tell_of_undirected(path, loaded.graph, options, assumptions);
  const EdgeId edges_before = loaded.graph.num_edges();
  arrange_loaded(loaded, graph_name(path), assumptions, rest, pool, space);
  if (rest.undirected && loaded.graph.num_edges() > edges_before) {
    tell_of_parallel(loaded.graph, path, options, assumptions, pool, space);
    loaded.graph.assumptions = assumptions.all();
  }
  loaded.times.build_ms += building.elapsed_ms();
  return loaded;
}

Loaded load_generated(const std::string& spec, const LoadOptions& options, const Workspace& space, ThreadPool& pool) {
  Loaded loaded;
  loaded.format = "generator";
  io::Assumptions assumptions;
  warn_of_unused(loaded.format, std::nullopt, options, false, assumptions);
  const auto open = [&](const io::ReadOptions& how) { return io::open_generator(spec, how, pool); };
  LoadOptions how_built = options;
  how_built.undirected = false;  // all of them are
  loaded.graph = io::assemble(open, spec, how_built, space, pool, loaded.times, assumptions);
  const Timer building;
  arrange_loaded(loaded, in_small_letters(spec), assumptions, after_building(options), pool, space);
  loaded.times.build_ms += building.elapsed_ms();
  return loaded;
}

bool names_file(const std::string& spec, const LoadOptions& options) {
  if (io::path_exists(spec) || options.format) return true;
  return !is_generator(spec) && !reads_like_generator(spec);
}

}  // namespace

Graph arrange(Graph&& graph, const LoadOptions& options, ThreadPool& pool, const Workspace& space) {
  const bool symmetrise = options.undirected && !is_balanced(graph, pool, space);
  if (symmetrise) graph.symmetric = false;  // also where only weights differ, so that every arc gets its opposite
  if (symmetrise || options.drop_self_loops || merge_rule(options) != MergeRule::keep || options.sort_lists) {
    graph = rebuild(std::move(graph), io::build_options(options), pool, space);
  }
  if (options.relabel != VertexOrder::as_read) graph = relabel(std::move(graph), options.relabel, pool, space);
  if (options.hubs_first) put_hubs_first(graph, pool, space);
  if (lacks_transpose(graph, options)) {
    const Timer timer;
    Progress progress("transposing");
    graph.in = transpose(graph.out, pool, space);
    log::info(fmt::format("{} has no in-edges: the transpose was made in {:.1f} ms", graph.name, timer.elapsed_ms()));
  }
  return std::move(graph);
}

void require_width(const LoadOptions& options) {
  if (options.id_width != IdWidth::wide || kVertexBits == 64) return;
  WideIdsError error("--ids 64 asks for 64-bit vertex ids, which this library does not have");
  error.asked_for = true;
  throw error;
}

std::vector<std::string> files_of(const std::string& spec, const LoadOptions& options) {
  if (spec == "-" || !names_file(spec, options)) return {};
  const bool bel = options.format ? options.format == FileFormat::bel : io::is_bel({.path = spec, .bytes = {}});
  if (bel) return io::bel_files(spec);
  std::vector files{io::split_member(spec).file};
  if (io::names_graphalytics(spec, options.format)) {
    const io::GraphalyticsFacts facts = io::read_graphalytics_facts(spec);
    files.insert(files.end(), {facts.vertex_file, facts.edge_file});
  }
  return files;
}

Loaded load_graph(const std::string& spec, const LoadOptions& options, ThreadPool& pool, const Workspace& space) {
  require_width(options);
  if (!names_file(spec, options)) return load_generated(spec, options, space, pool);
  const std::string path = io::input_path(spec);
  if (path != spec && spec != "-")
    log::info(fmt::format("{}: the graph is read from its file {}", spec, io::split_member(path).member));
  try {
    return load_file(path, options, space, pool);
  } catch (const WideIdsError& error) {
    if (!io::is_pipe(path)) throw;
    raise<DataError>("{}: a pipe is read once, so --ids 64 must be said", error.what());
  }
}

}  // namespace graphrun::inline GR_IDS
