// SPDX-License-Identifier: Apache-2.0

#include "graphrun/run/describe_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "graphrun/backend/backend.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/watched_file.hpp"
#include "graphrun/graph/statistics.hpp"
#include "graphrun/io/estimate.hpp"
#include "graphrun/io/generate.hpp"
#include "graphrun/transport/cached_pages.hpp"

namespace graphrun::inline GR_IDS {
namespace {

std::string describe(const VertexNames& names) {
  if (names.are_consecutive()) return fmt::format("numbers from {} on", names.first());
  return names.are_strings() ? "strings of the input" : "numbers of the input";
}

/// The part of a file in the page cache.
struct CachedShare {
  std::optional<std::uint64_t> bytes;  ///< nothing where the kernel does not say
  std::uint64_t of;

  std::string text() const {
    if (!bytes) return fmt::format("not known of {}: the kernel refuses cachestat, or lacks it", format_bytes(of));
    const double percent = of == 0 ? 0 : 100.0 * static_cast<double>(*bytes) / static_cast<double>(of);
    return fmt::format("{} of {} in the page cache ({:.1f} %) before it was read for this", format_bytes(*bytes),
                       format_bytes(of), percent);
  }
};

/// Returns nothing for a spec that is no file.
std::optional<CachedShare> cached_share(const std::string& spec) {
  std::error_code unknown;
  if (is_generator(spec) || !std::filesystem::is_regular_file(spec, unknown)) return std::nullopt;
  const WatchedFile file(spec);
  const auto count = count_cached(file.descriptor(), 0, file.bytes());
  CachedShare share{std::nullopt, file.bytes()};
  if (count) share.bytes = std::min(count->cached * cache_page_bytes(), share.of);
  return share;
}

/// Returns the state of the lists sorted by weight.
const char* records_of(const Graph& graph) {
  if (!graph.has_records()) return "none";
  return graph.by_target ? "both directions" : "stored";
}

/// Facts of a graph after a full read.
struct Facts {
  Facts(const Loaded& loaded, const Workspace& space, ThreadPool& pool)
      : graph(loaded.graph),
        format(loaded.format),
        lists(examine_lists(graph.out, pool, space)),
        isolated(count_isolated(graph, pool, space)),
        order(graph.hub_first ? "hubs first"
              : lists.sorted  ? "ascending"
                              : "as stored") {
    const auto add_packed = [&](const char* direction, const Csr& csr) {
      if (csr.packed.empty()) return;
      const packed::WeightCode& code = csr.packed.weight_code;
      packed.push_back({direction, csr.packed.bits_an_edge(),
                        static_cast<double>(count_plain(csr, pool)) / static_cast<double>(csr.num_edges()),
                        code.is_packed() ? std::optional(code.width) : std::nullopt});
    };
    add_packed("out", graph.out);
    if (graph.in) add_packed("in", *graph.in);
    if (graph.num_vertices() == 0) return;
    hub = max_degree_vertex(graph.out, pool);
    mean_degree = static_cast<double>(graph.num_edges()) / static_cast<double>(graph.num_vertices());
  }

  const Graph& graph;
  const std::string& format;
  ListStatistics lists;
  VertexId isolated;
  const char* order;
  VertexId hub = 0;  ///< the vertex of the largest degree
  double mean_degree = 0;

  struct Packed {
    const char* direction;
    double bits;   ///< bits an edge, without offsets and weights
    double plain;  ///< share of the edges that are stored without gaps
    std::optional<std::uint32_t> weight_bits;
  };
  std::vector<Packed> packed;  ///< directions with packed lists
};

/// The number of vertices with degrees from low to high.
struct DegreeRange {
  std::uint64_t low;
  std::uint64_t high;
  std::uint64_t vertices;
};

/// Returns the ranges up to the last with vertices; each ends at the next power of two.
std::vector<DegreeRange> degree_ranges(const ListStatistics& lists) {
  std::vector<DegreeRange> ranges;
  for (std::size_t b = 0; b < lists.lists_by_degree_bits.size(); ++b) {
    const std::uint64_t low = b == 0 ? 0 : std::uint64_t{1} << (b - 1);
    ranges.push_back({low, b == 0 ? 0 : low + (low - 1), lists.lists_by_degree_bits[b]});
  }
  while (!ranges.empty() && ranges.back().vertices == 0) ranges.pop_back();
  return ranges;
}

/// Returns the largest state a vertex, over all variants with default options.
std::uint64_t most_state_bytes() {
  std::uint64_t most = 0;
  RunOptions options;
  for (const auto& [name, algorithm] : ChoicesOf<Algorithm>::kAll) {
    options.algorithm = algorithm;
    for (const std::string_view variant : variants_of(algorithm)) {
      set_option(options, "variant", std::string(variant));
      most = std::max(most, info_of(algorithm).state(options).run);
    }
  }
  return most;
}

/// The bytes that edge accesses can touch, and where they must fit, by backend.
struct Needs {
  struct OfBackend {
    const Preset& preset;
    std::uint64_t fast;
    std::uint64_t behind;
  };

  explicit Needs(const Graph& graph)
      : sides(graph.symmetric ? 1 : 2),
        offsets(sides * (std::uint64_t{graph.num_vertices()} + 1) * sizeof(EdgeId)),
        state(graph.num_vertices() * most_state_bytes()),
        edges(list_bytes(graph.out) + (graph.symmetric ? 0 : list_bytes(graph.in ? *graph.in : graph.out))),
        weights(graph.out.packed.weight_code.is_packed() ? graph.out.packed.weights.bytes()
                                                         : graph.num_edges() * sizeof(std::uint32_t)),
        weight_table(graph.weight_table.bytes()) {
    const std::uint64_t always = offsets + state;
    const std::uint64_t subgraphs = graph.num_vertices() * (kSubgraphBitmapBytes + kSubgraphPlanBytes);
    for (const Preset& preset : kPresets) {
      const bool all_near = preset.tier == EdgeTier::all || preset.delivery == EdgeDelivery::fault;
      const bool gathers = preset.delivery == EdgeDelivery::gather;
      backends.push_back(
          {preset, always + (all_near ? edges : 0) + (gathers ? subgraphs : 0), preset.tier == EdgeTier::all ? 0 : edges});
    }
  }

  static std::uint64_t list_bytes(const Csr& csr) {
    return csr.packed.empty() ? csr.num_edges() * sizeof(VertexId) : csr.packed.list_bytes();
  }

  std::uint64_t sides;
  std::uint64_t offsets;
  std::uint64_t state;
  std::uint64_t edges;
  std::uint64_t weights;       ///< of sssp
  std::uint64_t weight_table;  ///< of sssp, beside the offsets
  std::vector<OfBackend> backends;
};

std::string degree_histogram(const Facts& facts) {
  constexpr std::size_t kWidest = 40;
  const std::vector<DegreeRange> ranges = degree_ranges(facts.lists);
  std::uint64_t most = 1;
  for (const DegreeRange& range : ranges) most = std::max(most, range.vertices);
  std::string text = fmt::format("\n{:<24}{:>14}{:>9}\n", "out-degree", "vertices", "share");
  for (const auto& [low, high, count] : ranges) {
    const std::string range = low == high ? fmt::format("{}", low) : fmt::format("{} to {}", low, high);
    const auto bar =
        static_cast<std::size_t>(static_cast<double>(kWidest) * static_cast<double>(count) / static_cast<double>(most));
    text += fmt::format("{:<24}{:>14}{:>7.2f} %  {:#<{}}\n", range, count,
                        100.0 * static_cast<double>(count) / static_cast<double>(facts.graph.num_vertices()), "", bar);
  }
  return text;
}

std::string needs_text(const Needs& needs) {
  std::string text = fmt::format(
      "\nneeds, estimated: offsets {}, state {}, edges {}{}, and {} of weights{} for sssp\n\n{:<10}{:>14}{:>14}  {}\n",
      format_bytes(needs.offsets), format_bytes(needs.state), format_bytes(needs.edges),
      needs.sides == 2 ? " (both directions)" : "", format_bytes(needs.weights),
      needs.weight_table == 0 ? "" : fmt::format(" and {} of their table", format_bytes(needs.weight_table)), "backend",
      "fast memory", "behind it", "where");
  for (const auto& [preset, fast, behind] : needs.backends) {
    text += fmt::format("{:<10}{:>14}{:>14}  {}\n", name_of(preset.kind), format_bytes(fast), format_bytes(behind), preset.room);
  }
  return text;
}

std::string as_text(const Facts& facts, const std::optional<CachedShare>& cached) {
  const Graph& graph = facts.graph;
  const VertexId n = graph.num_vertices();
  const auto line = [](std::string_view what, const auto& value) { return fmt::format("{:<16}{}\n", what, value); };
  std::string text =
      line("name", graph.name) + line("format", facts.format) + line("vertices", n) + line("edges", graph.num_edges());
  text += line("directed", graph.symmetric ? "no (every edge is stored both ways)" : "yes");
  text += line("transpose", transpose_of(graph));
  text += line("weights", name_of(graph.weight_kind));
  text += line("list order", facts.order);
  text += line("records", records_of(graph));
  text += line("self loops", facts.lists.self_loops) + line("duplicates", facts.lists.duplicates);
  text += line("isolated", facts.isolated);
  text += line("names", describe(graph.names));
  if (cached) text += line("cached", cached->text());
  if (graph.hub_table.chunk_edges != 0) {
    text += line("hub chunks", fmt::format("{} of {} edges", graph.hub_table.chunks.size(), graph.hub_table.chunk_edges));
  }
  for (const Facts::Packed& side : facts.packed) {
    text += line(fmt::format("packed {}", side.direction),
                 fmt::format("{:.2f} bits an edge, {:.1f} % of the edges without gaps{}", side.bits, 100 * side.plain,
                             side.weight_bits ? fmt::format(", weights of {} bits", *side.weight_bits) : ""));
  }
  if (n == 0) return text;
  text += line("max degree", fmt::format("{} (vertex {})", facts.lists.max_degree, graph.names.text(facts.hub)));
  text += line("mean degree", fmt::format("{:.2f}", facts.mean_degree));
  return text + degree_histogram(facts) + needs_text(Needs(graph));
}

std::string as_json(const std::string& spec, const Facts& facts, const std::optional<CachedShare>& cached) {
  const Graph& graph = facts.graph;
  Json hub;
  if (graph.num_vertices() != 0) {
    hub = graph.names.are_strings() ? Json(graph.names.string(facts.hub)) : Json(graph.names.number(facts.hub));
  }
  Json all = {{"file", spec},
              {"name", graph.name},
              {"format", facts.format},
              {"n", graph.num_vertices()},
              {"m", graph.num_edges()},
              {"symmetric", graph.symmetric},
              {"transpose", transpose_of(graph)},
              {"weights", name_of(graph.weight_kind)},
              {"list_order", facts.order},
              {"records", records_of(graph)},
              {"self_loops", facts.lists.self_loops},
              {"duplicates", facts.lists.duplicates},
              {"isolated", facts.isolated},
              {"names", describe(graph.names)},
              {"assumptions", graph.assumptions},
              {"file_bytes", cached ? Json(cached->of) : Json(nullptr)},
              {"cached_bytes", cached && cached->bytes ? Json(*cached->bytes) : Json(nullptr)},
              {"hub_chunk_edges", graph.hub_table.chunk_edges},
              {"hub_chunks", graph.hub_table.chunks.size()},
              {"max_degree", facts.lists.max_degree},
              {"max_degree_vertex", hub},
              {"mean_degree", facts.mean_degree},
              {"packed", nullptr},
              {"degrees", Json::array()}};
  for (const Facts::Packed& side : facts.packed) {
    all["packed"][side.direction] = {{"bits_an_edge", side.bits},
                                     {"plain_share", side.plain},
                                     {"weight_bits", side.weight_bits ? Json(*side.weight_bits) : Json()}};
  }
  for (const auto& [low, high, vertices] : degree_ranges(facts.lists)) {
    all["degrees"].push_back({{"from", low}, {"to", high}, {"vertices", vertices}});
  }
  const Needs needs(graph);
  all["needs"] = {{"offset_bytes", needs.offsets},
                  {"state_bytes", needs.state},
                  {"edge_bytes", needs.edges},
                  {"weight_bytes", needs.weights},
                  {"weight_table_bytes", needs.weight_table}};
  for (const auto& [preset, fast, behind] : needs.backends) {
    all["needs"]["backends"][name_of(preset.kind)] = {{"fast_bytes", fast}, {"behind_bytes", behind}};
  }
  return all.dump(2, ' ', false, Json::error_handler_t::replace);  // file names need not be UTF-8
}

/// Returns the whole graph, checked. Throws as load_graph(), and UnavailableError when it is estimated not to fit into memory.
Loaded load_checked(const std::string& spec, LoadOptions options, const Workspace& space, ThreadPool& pool) {
  require_memory(spec, kProgramBytes + estimate_load(spec, options).peak_bytes, std::nullopt,
                 fmt::format("make a container by graphconv {} OUT.grf --memory SIZE, and ask for that", spec));
  options.check = true;  // statistics of damaged lists are meaningless
  return load_graph(spec, options, pool, space);
}

}  // namespace

const char* transpose_of(const Graph& graph) { return graph.symmetric ? "itself" : graph.in ? "stored" : "none"; }

std::string describe_graph(const std::string& spec, const LoadOptions& options, Description form, ThreadPool& pool,
                           std::shared_ptr<ArcSorter> sorter) {
  const Workspace space = Workspace::with_gpu(std::move(sorter));
  const auto cached = cached_share(spec);  // before reading fills the page cache
  LoadOptions how = options;
  how.keep_packed = true;
  Loaded loaded = load_checked(spec, how, space, pool);
  unpack_lists(loaded.graph, spec, pool, space);
  const Facts facts(loaded, space, pool);
  return form == Description::json ? as_json(spec, facts, cached) : as_text(facts, cached);
}

std::string check_graph_file(const std::string& path, const LoadOptions& options, ThreadPool& pool,
                             std::shared_ptr<ArcSorter> sorter) {
  LoadOptions how = options;
  how.keep_packed = true;
  const Loaded loaded = load_checked(path, how, Workspace::with_gpu(std::move(sorter)), pool);
  return fmt::format("{}: sound ({}, {} vertices, {} edges)\n", path, loaded.format, loaded.graph.num_vertices(),
                     loaded.graph.num_edges());
}

}  // namespace graphrun::inline GR_IDS
