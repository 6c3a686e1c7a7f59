// SPDX-License-Identifier: Apache-2.0

#include "graphrun/io/convert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/raise.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/memory.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/core/output_file.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/io/estimate.hpp"
#include "graphrun/io/generate.hpp"
#include "io/formats.hpp"
#include "io/line_parser.hpp"
#include "io/native_layout.hpp"
#include "io/pipe_input.hpp"
#include "io/text_source.hpp"

namespace graphrun::inline GR_IDS {
namespace {

namespace fs = std::filesystem;

/// What a workspace does not get of a limit: the program, and room for fragmentation.
constexpr std::uint64_t kWithheldBytes = kProgramBytes + (std::uint64_t{24} << 20);

const io::OutputFormat& choose_output_format(const std::string& output, const std::string& asked) {
  const auto formats = io::output_formats();
  if (!asked.empty()) return formats[choose_name(asked, "output format", names_in(formats))];
  const std::string suffix = fs::path(output).extension().string();
  if (suffix == ".gr") raise<UsageError>("{}: of the formats called .gr only that of Galois is written: say --to galois", output);
  for (const io::OutputFormat& format : formats) {
    if (suffix == ".bin" && format.name == "gbbs") return format;
    if (!suffix.empty() && spells(std::string_view(suffix).substr(1), format.name)) return format;
  }
  raise<UsageError>("the suffix of {} names no format that can be written: end it in one of {} (after a dot), or say --to",
                    output, joined(names_in(formats)));
}

std::string scratch_directory(const std::string& output, const ConvertOptions& options) {
  if (!options.scratch_directory.empty()) return options.scratch_directory;
  if (output == kStandardOutputPath) return temporary_folder();
  const fs::path directory = fs::path(output).parent_path();
  return directory.empty() ? "." : directory.string();
}

/// Sections that are made from lists and weights, and made anew when these change on their way to another container.
struct Derived {
  bool records = false;
  bool both_ways = false;      ///< also of in-lists
  EdgeId hub_chunk_edges = 0;  ///< 0: no table
};

Derived derived_in(const std::string& input, const LoadOptions& load) {
  if (files_of(input, load).empty()) return {};
  const std::string path = io::input_path(input);
  if (io::is_pipe(path) || (load.format ? *load.format : sniff_format(path, !load.columns.empty())) != FileFormat::native)
    return {};
  const io::ContainerHead head = io::read_container_head(path);
  const auto has = [&](io::SectionKind kind) { return io::find_section(head.sections, kind) != nullptr; };
  return {has(io::SectionKind::out_records), has(io::SectionKind::in_records), head.header.hub_chunk_edges};
}

Workspace choose_workspace(const std::string& input, const std::string& output, const io::OutputFormat& format,
                           const Derived& derived, const ConvertOptions& options, const LoadOptions& load) {
  if (options.memory_bytes) {
    if (options.sorter != nullptr)
      throw UsageError("a limit of memory goes through scratch files, where no GPU puts graphs in order: leave --device out");
    if (*options.memory_bytes < kLeastConvertMemory) {
      raise<UsageError>("{} of memory is too little to convert in: the least is {}", format_bytes(*options.memory_bytes),
                        format_bytes(kLeastConvertMemory));
    }
    return Workspace::on_disk(scratch_directory(output, options), *options.memory_bytes - kWithheldBytes);
  }
  const auto available = available_memory();
  const std::string directory = scratch_directory(output, options);
  const std::string path = io::input_path(input);
  if (io::is_pipe(path)) io::read_pipe(path, directory);  // before it is estimated, which knows no directory
  const LoadEstimate graph = estimate_load(input, load);
  const bool makes_weights = options.weights && options.weights->kind != WeightSource::Kind::file;
  const std::uint64_t weights = makes_weights ? graph.arcs * sizeof(std::uint32_t) : 0;
  const bool made_anew = derived.records && format.name == "grf" && (makes_weights || !graph.mapped);
  const std::uint64_t sorting = options.store_records || made_anew
                                    ? records_peak_bytes(graph.vertices, graph.arcs, graph.directed || derived.both_ways)
                                    : 0;
  const std::uint64_t needed = std::max(graph.peak_bytes + weights, sorting == 0 ? 0 : graph.held_bytes + weights + sorting);
  if (!available || needed <= *available / 4 * 3) return Workspace::with_gpu(options.sorter);
  if (options.sorter != nullptr && options.sorter->is_required()) {
    raise<UnavailableError>(
        "{} would take about {} of memory, of {}, and a GPU puts in order what fits into memory: leave --device cuda out", input,
        format_bytes(needed), format_bytes(*available));
  }
  const std::uint64_t limit = std::max(kLeastConvertMemory, *available / 2);
  log::info(fmt::format("{} would take about {} of memory: converting within {} instead, through scratch files in {}", input,
                        format_bytes(needed), format_bytes(limit), directory));
  return Workspace::on_disk(directory, limit - kWithheldBytes);
}

/// Throws before a long conversion, where the number of edges is known and half of their ids do not fit.
void require_disk(const std::string& input, const std::string& output, const LoadOptions& load) {
  if (merge_rule(load) != MergeRule::keep || io::is_pipe(io::input_path(input))) return;
  const LoadEstimate graph = estimate_load(input, load);
  if (!graph.mapped && !is_generator(input)) return;
  std::error_code unknown;
  const fs::space_info disk = fs::space(real_path(output).parent_path(), unknown);
  const std::uint64_t ids = graph.arcs * sizeof(VertexId);
  if (unknown || disk.capacity == 0 || ids / 2 <= disk.available) return;
  raise<DataError>("{} does not fit on its disk: the edges of {} take about {}, and {} are free", output, input,
                   format_bytes(ids), format_bytes(disk.available));
}

HubTable make_hub_table(const Csr& csr, EdgeId chunk_edges, ThreadPool& pool) {
  const auto chunks = cut_hubs(csr, chunk_edges, pool);
  HubTable table{chunk_edges, Column<HubChunk>::allocate(chunks.size())};
  std::copy(chunks.begin(), chunks.end(), table.chunks.data());
  return table;
}

/// Returns the function that fills in records; none where the graph has them.
std::function<void()> store_records(Graph& graph, const std::string& output, ThreadPool& pool, const Workspace& space) {
  if (graph.weight_kind == WeightKind::none) {
    raise<UsageError>(
        "{} is to hold lists in the order of their weights, and the input has no weights: make some with "
        "--weights",
        output);
  }
  if (graph.transpose() == nullptr) {
    throw UsageError("--sort weight stores both directions of a directed graph: leave --no-transpose out");
  }
  check_weights_nonnegative(graph, pool, space);
  if (graph.has_records()) return {};
  return begin_records(graph, pool, space);
}

/// Packs the lists that become smaller by it, and logs the sizes.
void pack_graph(Graph& graph, const std::string& output, ThreadPool& pool, const Workspace& space) {
  const Timer timer;
  const auto pack = [&](Csr& csr, const char* which) {
    csr.packed = pack_lists(csr, graph.weight_kind, pool, space);
    if (csr.packed.list_bytes() >= csr.neighbours.bytes()) {
      csr.packed = {};
      log::info(fmt::format("{}: packed, the {} lists would take no less: they stay as they are", output, which));
      return;
    }
    log::info(fmt::format("{}: packed the {} lists into {:.2f} bits an edge, of {}, in {:.1f} s", output, which,
                          csr.packed.bits_an_edge(), 8 * sizeof(VertexId), timer.elapsed_ms() / 1000));
  };
  pack(graph.out, "out");
  if (graph.in) pack(*graph.in, "in");
}

/// Throws UsageError for names that no reader gives back.
void refuse_lost_names(const Graph& graph, const io::OutputFormat& format, const std::string& output) {
  if (format.naming != io::Naming::as_in_input || !graph.names.are_strings()) return;
  for (VertexId v = 0; v < graph.num_vertices(); ++v) {
    const std::string_view name = graph.names.string(v);
    const char* fault = io::fault_of_name(name);
    if (fault == nullptr && format.name != "grf" && name.size() > io::kLongestName) fault = "is longer than 65535 bytes";
    if (fault != nullptr) raise<UsageError>("{} cannot hold the name of vertex index:{}: it {}", output, v, fault);
  }
}

/// Tells of losses: numbers or names of vertices, weights, or their kind.
void warn_of_losses(const Graph& graph, const Derived& derived, const io::OutputFormat& format, const std::string& output) {
  const std::uint64_t first = format.naming == io::Naming::from_1 ? 1 : 0;
  const VertexNames& names = graph.names;
  const bool kept = format.naming == io::Naming::as_in_input || names == VertexNames::consecutive(first);
  if (!kept && names.are_consecutive()) {
    log::info(fmt::format("{} numbers vertices from {} on, the input from {}", output, first, names.first()));
  } else if (!kept) {
    log::warn(fmt::format(
        "{} cannot hold what the input calls its vertices: they are numbered {} to {} in it (.grf, .el and .csv keep the names)",
        output, first, first + graph.num_vertices() - 1));
  }
  if (graph.weight_kind != WeightKind::none && format.weights == io::Weights::never) {
    log::warn(fmt::format("{} cannot hold the weights of the input: they are left out", output));
  }
  if (format.name != "grf" && (derived.records || derived.hub_chunk_edges != 0)) {
    log::info(fmt::format("{} cannot hold {}, which the input has: .grf does", output,
                          derived.records ? "lists in the order of their weights" : "a table of hub chunks"));
  } else if (derived.records && graph.transpose() == nullptr) {
    log::info(fmt::format("{} has no transpose, and so no lists in the order of their weights, which the input has", output));
  }
  if (graph.weight_kind == WeightKind::f32 && format.bare_weights) {
    log::warn(fmt::format("{} does not say that its weights are f32: without --float-weights they are read as u32", output));
  }
}

/// Throws where the output is the input: options leave out edges, weights and names, and a format may hold less.
void refuse_to_replace(const std::string& input, const LoadOptions& load, const std::string& output,
                       const io::OutputFormat& format) {
  const std::vector<std::string> read = files_of(input, load);
  const std::vector<std::string> written = format.name == "bel" ? io::bel_files(output) : std::vector{output};
  for (const std::string& target : written) {
    if (std::ranges::any_of(read, [&](const std::string& name) { return real_path(name) == real_path(target); }))
      raise<UsageError>("{} is the graph that is read: name another output", target);
  }
}

/// Writes a graph whose lists are in their order; `shown` where a line of progress disturbs nothing.
void write_graph(const Graph& graph, const Derived& derived, const std::string& output, const io::OutputFormat& format,
                 io::WriteOptions how, bool shown, const Workspace& space, ThreadPool& pool) {
  refuse_lost_names(graph, format, output);
  warn_of_losses(graph, derived, format, output);
  how.weighted = format.weights == io::Weights::always ||
                 (format.weights == io::Weights::if_present && graph.weight_kind != WeightKind::none);
  std::optional<Progress> progress;
  if (shown) progress.emplace("writing");
  format.write(graph, output, how, space, pool);
}

template <class Formats>
std::string help_of(const Formats& formats) {
  std::string help;
  for (const auto& format : formats) help += fmt::format("  {:<13}{}\n", format.name, format.content);
  return help;
}

}  // namespace

void convert_graph(const std::string& input, const std::string& name, const ConvertOptions& options, ThreadPool& pool) {
  if (name.empty()) throw UsageError("the name of the output is empty");
  const bool standard = name == "-" || name == kStandardOutputPath;
  if (standard && options.to.empty()) throw UsageError("standard output has no suffix: say --to el, wel, csv or mtx");
  const io::OutputFormat& format = choose_output_format(name, options.to);
  if (standard && !format.is_text) {
    raise<UsageError>("{} is binary and goes to a file: standard output takes el, wel, csv or mtx", format.name);
  }
  const std::string output = standard ? kStandardOutputPath : name;
  const bool native = format.name == "grf";
  if (!native && options.pack) throw UsageError("only .grf holds packed lists");
  if (!native && options.hub_chunk_edges != 0) throw UsageError("only .grf holds a table of hub chunks");
  if (!native && options.store_records) throw UsageError("only .grf holds records in the order of their weights");
  if (!native && !options.store_transpose) throw UsageError("only .grf holds a transpose that can be left out");
  if (format.name != "bel" && options.raw_offset) throw UsageError("only .bel has a raw form");
  if (!standard) refuse_to_replace(input, options.load, output, format);
  // Errors that a long conversion would find late.
  if (!options.scratch_directory.empty() && !fs::is_directory(options.scratch_directory))
    raise<DataError>("scratch files cannot go to {}: it is no directory", options.scratch_directory);
  if (!standard) check_writable(format.name == "bel" ? output + ".col" : output, SpecialTarget::refuse);
  LoadOptions load = options.load;
  load.check = true;  // or damage would go on under new checksums
  load.need_transpose = native && options.store_transpose;
  if (!standard) require_disk(input, output, load);
  const Derived derived = derived_in(input, load);
  const Workspace space = choose_workspace(input, output, format, derived, options, load);

  load.need_transpose = false;          // not before lists are in their order
  load.relabel = VertexOrder::as_read;  // weights belong to the ids of the input
  load.hubs_first = false;
  Loaded loaded = load_graph(input, load, pool, space);
  Graph graph = std::move(loaded.graph);
  if (options.weights) assign_weights(graph, *options.weights, pool, space);
  LoadOptions order;
  order.relabel = options.load.relabel;
  order.hubs_first = options.load.hubs_first;
  order.need_transpose = native && options.store_transpose;
  graph = arrange(std::move(graph), order, pool, space);
  if (native && !options.store_transpose) graph.in.reset();
  io::WriteOptions how{.raw_offset = options.raw_offset};
  if (options.store_records || (native && derived.records && graph.transpose() != nullptr))
    how.fill_records = store_records(graph, output, pool, space);
  const EdgeId chunk_edges = options.hub_chunk_edges != 0 ? options.hub_chunk_edges : derived.hub_chunk_edges;
  if (native && chunk_edges != 0) graph.hub_table = make_hub_table(graph.out, chunk_edges, pool);
  if (options.pack) pack_graph(graph, output, pool, space);
  // Where standard output and the log are one terminal, a line of progress would stand among the edges.
  write_graph(graph, derived, output, format, std::move(how), !standard, space, pool);
}

void save_graph(Graph graph, const std::string& output, ThreadPool& pool) {
  const io::OutputFormat& format = choose_output_format(output, "");
  check_writable(format.name == "bel" ? output + ".col" : output, SpecialTarget::refuse);
  LoadOptions order;
  order.need_transpose = format.name == "grf";
  graph = arrange(std::move(graph), order, pool);
  const Derived derived{.records = graph.has_records(), .hub_chunk_edges = graph.hub_table.chunk_edges};
  write_graph(graph, derived, output, format, {}, true, {}, pool);
}

FileFormat parse_file_format(const std::string& name) {
  constexpr ShortForm kAlsoRead[] = {{"wsg", "sg"},       {"bwcsr", "bcsr"}, {"wel", "el"},           {"tsv", "csv"},
                                     {"edge-list", "el"}, {"snap", "el"},    {"matrix-market", "mtx"}};
  return io::formats()[choose_name(name, "format", names_in(io::formats()), kAlsoRead)].id;
}

std::string to_string(FileFormat format) { return std::string(io::format_of(format).name); }

std::string input_format_help() { return help_of(io::formats()); }

std::string output_format_help() { return help_of(io::output_formats()); }

}  // namespace graphrun::inline GR_IDS
