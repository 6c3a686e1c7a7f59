// SPDX-License-Identifier: Apache-2.0

#include "graphrun_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "graphrun/io/convert.hpp"
#include "graphrun/io/generate.hpp"
#include "graphrun/io/load.hpp"
#include "graphrun/io/parameters.hpp"
#include "program.hpp"

namespace graphrun::program::inline GR_IDS {
namespace {

/// Returns help of "backend NAME": the options that only this backend reads.
std::string backend_help(const std::vector<std::string>& topic) {
  if (topic.size() != 2)
    throw UsageError(fmt::format("--help backend needs the name of one backend: {}", joined(names_of<BackendKind>())));
  const auto kind = parse_name<BackendKind>(topic[1]);
  std::vector<OptionText> texts;
  for (const RunOption& option : run_options()) {
    const std::vector<BackendKind>& backends = option.read_by.backends;
    const bool its_own = std::find(backends.begin(), backends.end(), kind) != backends.end();
    const std::string_view name = option.text.name;
    if (its_own || name == "layout" || name == "chunk") texts.push_back(option.text);
  }
  return fmt::format("{}: {}\n", name_of(kind), preset_of(kind).summary) + options_help(texts);
}

std::vector<OptionText> all_texts() {
  std::vector<OptionText> texts = texts_of(run_options());
  for (const OptionText& text : texts_of(gather_options())) texts.push_back(text);
  return texts;
}

/// Returns whether "graphrun gather" reads this one of run_options().
bool is_of_gather(std::string_view name) {
  constexpr std::string_view kRead[] = {"graph",  "backend", "device", "threads", "cache",  "page", "access", "hot",
                                        "source", "sources", "trials", "warm",    "verify", "json", "quiet",  "verbose"};
  return std::ranges::find(kRead, name) != std::end(kRead) ||
         std::ranges::any_of(load_options(), [&](const auto& other) { return name == other.text.name; });
}

Manual gather_manual() {
  std::vector<OptionText> texts = texts_of(gather_options());
  for (const OptionText& text : texts_of(run_options())) {
    if (is_of_gather(text.name)) texts.push_back(text);
  }
  return {"graphrun gather",
          "Measures how fast rows of features are gathered by vertex.",
          "graphrun gather [GRAPH] [options]   GRAPH: rows are those of its vertices; none: --rows of them\n",
          std::move(texts),
          {{"Formats", input_format_help()},
           {"Generators", generator_help()},
           {"Examples",
            "  graphrun gather --rows 1000000 --row-bytes 512 --backend bam --cache 64MiB --verify\n"
            "  graphrun gather web.grf --row-bytes 1028 --device cuda --hot-share 0.1 --access naive --trials 5\n"}}};
}

/// Throws for an unknown word after --verify, which would be taken for a second graph.
void refuse_unknown_verify(const CommandLine& given) {
  if (!given.has("verify") || given.names().size() < 2) return;
  for (const std::string& name : given.names()) {
    if (name.find(':') == std::string::npos && !std::filesystem::exists(name)) parse_name<VerifyBy>(name);
  }
}

/// Sets options that were not given to what the graph's file says, and tells so.
void take_parameters(const CommandLine& given, RunOptions& options) {
  const auto gives_way = [&](const std::string& option) {
    if (given.has(option)) return true;
    if (option == "source") return given.has("sources");
    if (options.algorithm != Algorithm::pagerank || (option != "variant" && option != "max-iterations")) return false;
    const bool is_other = given.has("tolerance") || given.has("stop") || given.has("weights") || given.has("shares");
    return is_other ||  // a number of sweeps is for the synchronous variant
           (given.has("variant") && options.pagerank.variant != PagerankVariant::synchronous);
  };
  for (const FileParameter& parameter : parameters_of(options.graph, options.load, name_of(options.algorithm))) {
    if (gives_way(parameter.option)) continue;
    set_option(options, parameter.option, parameter.text);
    if (parameter.option == "source") options.source->origin = parameter.origin;
    log::info(fmt::format("--{} {}, by {}", parameter.option, parameter.text, parameter.origin));
  }
}

}  // namespace

const Manual& graphrun_manual() {
  static const Manual kManual = {
      "graphrun",
      "Graph analytics over edges that live where they fit: BFS, SSSP, CC, PageRank, betweenness centrality, triangles.",
      fmt::format(
          "graphrun GRAPH --algo {} [options]   GRAPH: a file, or a generator such as kron:20:16\n"
          "       graphrun calibrate [FILE]                              measure this machine, and the disk of FILE, for "
          "--backend auto\n"
          "       graphrun gather [GRAPH] | --help                       measure how fast rows of features are gathered\n"
          "       graphrun validate OUTPUT EXPECTED --algo NAME          compare values by the rules of LDBC Graphalytics\n"
          "       graphrun --list [--json]                               what this machine and build can run\n"
          "       graphrun help [TOPIC]                                  the common options; TOPIC: all, gather, backend NAME, "
          "names, formats, generators, examples, exit\n",
          fmt::join(names_of<Algorithm>(), "|")),
      all_texts(),
      {{"Names and sizes",
        "  Case does not count in what options choose among, nor do '-' and '_'; pr is pagerank, wcc is cc and gpu is cuda.\n"
        "  Sizes are bytes, or have a unit of 1024, 1024^2 and so on: 4096, 4k, 4kb, 4KiB, 1.5GiB, '1 TB'.\n"},
       {"Formats", input_format_help()},
       {"Generators", generator_help()},
       {"Examples",
        "  graphrun kron:20:16 --algo bfs --verify\n"
        "  graphrun road.mtx.gz --algo sssp --weights file --source 1 -o distances.csv\n"
        "  graphrun web.grf --algo cc --backend emogi --device cpu --trials 16 --json cc.json\n"
        "  graphrun web.grf --algo pagerank --backend emogi --access aligned --device cuda --tolerance 1e-9\n"
        "  graphrun kron:20:16 --algo bc --source 3,17 --verify\n"
        "  graphrun friends.txt --undirected --algo tc\n"
        "  graphrun urand:22:16 --algo bfs --source random:27491095 --sources 64 --json - --quiet\n"
        "  graphrun arcs.txt --undirected --algo bfs -o parents.bin --parents\n"
        "  graphrun gather web.grf --row-bytes 1028 --device cuda --hot-share 0.1 --access naive --trials 5\n"},
       {"Exit codes",
        "  0 done (and right, with --verify), 1 failed or wrong, 2 usage, 3 with --strict: not converged or not reached, 77 not "
        "available on this machine.\n"}},
      backend_help,
      {gather_manual()}};
  return kManual;
}

RunOptions options_of(const CommandLine& given) {
  refuse_unknown_verify(given);
  RunOptions options = usual_options();
  const std::string& json = given.value("json");  // takes a name that follows it
  const bool took_name = given.names().empty() && !json.empty() && json != "-";
  options.graph =
      graph_of(given, fmt::format("graphrun GRAPH --algo NAME{}", took_name ? fmt::format(" (--json took '{}')", json) : ""));
  if (!given.has("algo")) throw UsageError(fmt::format("--algo is missing: choose among {}", joined(names_of<Algorithm>())));
  set_given(run_options(), given, options);
  take_parameters(given, options);
  require_width(options.load);
  return options;
}

void warn_of_unused(const CommandLine& given, const RunOptions& options) {
  for (const RunOption& option : run_options()) {
    if (!given.has(option.text.name)) continue;
    if (const std::string by = unused_reason(option, options); !by.empty())
      log::warn(fmt::format("--{} has no effect on {}", option.text.name, by));
  }
}

GatherOptions gather_options_of(const CommandLine& given) {
  for (const RunOption& option : run_options()) {
    const std::string_view name = option.text.name;
    if (given.has(name) && !is_of_gather(name)) throw UsageError(fmt::format("--{} means nothing to graphrun gather", name));
  }
  if (given.names().size() > 2 || (given.names().size() == 2 && given.has("graph")))
    throw UsageError(fmt::format("graphrun gather takes one graph, not also '{}'", given.names().back()));
  RunOptions run = usual_options();
  set_given(run_options(), given, run);
  require_width(run.load);
  GatherOptions options;
  set_given(gather_options(), given, options);
  options.graph = given.names().size() == 2 ? given.names()[1] : run.graph;
  options.load = run.load;
  const Device device = parse_device(run.device);
  const bool on_gpu = device.kind == DeviceKind::cuda;
  const BackendKind kind = run.auto_backend ? (on_gpu ? BackendKind::emogi : BackendKind::incore) : run.backend.kind;
  options.backend = kind;
  options.in_file = kind == BackendKind::bam;
  if (kind != (on_gpu ? BackendKind::emogi : BackendKind::incore) && (on_gpu || !options.in_file))
    throw UsageError(fmt::format(
        "rows are gathered on a {}, not with backend {}",
        on_gpu ? "GPU with backend emogi, from host memory" : "CPU with backend incore, or bam, from a file", name_of(kind)));
  const auto only = [&](const char* name, bool reads, const char* where) {
    if (given.has(name) && !reads) throw UsageError(fmt::format("--{} has no effect on rows {}", name, where));
  };
  for (const char* name : {"cache", "page", "warm"}) only(name, options.in_file, "in memory: they have no cache");
  for (const char* name : {"access", "multiprocessors", "load-bytes"}) only(name, on_gpu, "that host threads gather");
  only("row-delivery", !options.in_file, "in a file: they come by pages");
  only("replicated-share", !device.others.empty(), "that no second GPU gathers");
  only("hot-share", on_gpu || options.in_file, "that host threads gather from memory");
  only("rows", options.graph.empty(), "of a graph: there is one for each vertex");
  for (const char* name : {"hot", "source", "sources", "fanouts"}) only(name, !options.graph.empty(), "without a graph");
  only("hot", options.hot_share > 0, "of which --hot-share keeps none near");
  if (given.has("hot")) options.hot = run.backend.hot;
  const bool begins = !options.fanouts.empty() || options.hot == HotEdges::weighted || options.hot == HotEdges::personalised;
  for (const char* name : {"source", "sources"})
    only(name, begins, "that no search comes to: it goes with --fanouts and with --hot weighted or personalised");
  options.source = run.source;
  options.num_sources = run.num_sources;
  if (run.num_sources > 1 && run.source && run.source->kind != SourceSpec::Kind::random)
    throw UsageError(fmt::format("--sources {} draws at random and goes with --source random:SEED, not with {}", run.num_sources,
                                 to_string(*run.source)));
  if (on_gpu && run.backend.access == Access::merged) throw UsageError("rows are gathered with --access naive or aligned");
  if (options.replicated_share > options.hot_share)
    throw UsageError("--replicated-share is a part of --hot-share, and is larger");
  if (options.features.delivery == RowDelivery::staged && options.hot_share > 0)
    throw UsageError("--row-delivery staged brings all rows from host memory: leave --hot-share out");
  FeatureOptions& features = options.features;
  features.threads = run.threads;
  features.gpu = on_gpu ? device.index : -1;
  features.peers = device.others;
  features.aligned = run.backend.access != Access::naive;
  if (run.backend.cache_bytes) features.cache_bytes = *run.backend.cache_bytes;
  if (given.has("page")) features.page_bytes = run.backend.page_bytes;
  options.trials = run.trials;
  options.warm = run.warm;
  options.verify = run.verify.has_value();
  return options;
}

}  // namespace graphrun::program::inline GR_IDS
