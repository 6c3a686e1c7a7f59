#include "graphrun_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "graphrun/io/convert.hpp"
#include "graphrun/io/generate.hpp"
#include "graphrun/io/load.hpp"
#include "program.hpp"

namespace graphrun::program::inline GR_IDS {
namespace {

/// The options that a backend reads and others do not.
std::string backend_help(BackendKind kind) {
  std::vector<OptionText> texts;
  for (const RunOption& option : run_options()) {
    const std::vector<BackendKind>& backends = option.read_by.backends;
    const bool its_own = std::find(backends.begin(), backends.end(), kind) != backends.end();
    const std::string_view name = option.text.name;
    if (its_own || name == "layout" || name == "chunk") texts.push_back(option.text);
  }
  return fmt::format("{}: {}\n", name_of(kind), preset_of(kind).summary) + options_help(texts);
}

/// A word behind --verify that is no way of verifying reads like the name of a second graph.
void refuse_unknown_verify(const CommandLine& given) {
  if (!given.has("verify") || given.names().size() < 2) return;
  for (const std::string& name : given.names()) {
    if (name.find(':') == std::string::npos && !std::filesystem::exists(name)) parse_name<VerifyBy>(name);
  }
}

}  // namespace

const Manual& graphrun_manual() {
  static const Manual kManual = {
      "graphrun",
      "Graph analytics over edges that live where they fit: BFS, SSSP, CC, PageRank, betweenness centrality, triangles.",
      "graphrun GRAPH --algo bfs|sssp|cc|pagerank|bc|tc [options]   GRAPH: a file, or a generator such as kron:20:16\n"
      "       graphrun calibrate [FILE]                              measure this machine, and the disk of FILE, for --backend "
      "auto\n"
      "       graphrun --list                                        what this machine and build can run\n"
      "       graphrun --help                                        the common options\n"
      "       graphrun --help all                                    all options, with examples\n",
      texts_of(run_options()),
      {{"Names and sizes",
        "  Case does not count in names, nor do '-' and '_'; pr is pagerank, wcc is cc and gpu is cuda.\n"
        "  Sizes are bytes, or have a unit of 1024, 1024^2 and so on: 4096, 4k, 4kb, 4KiB, 1.5GiB, '1 TB'.\n"},
       {"Formats", input_format_help()},
       {"Generators", generator_help()},
       {"Examples",
        "  graphrun kron:20:16 --algo bfs --verify\n"
        "  graphrun road.mtx.gz --algo sssp --weights file --source 1 --output distances.csv\n"
        "  graphrun web.grf --algo cc --backend emogi --device cpu --trials 16 --json cc.json\n"
        "  graphrun web.grf --algo pagerank --backend emogi --access aligned --device cuda --tolerance 1e-9\n"
        "  graphrun kron:20:16 --algo bc --source 3,17 --verify\n"
        "  graphrun friends.txt --undirected --algo tc\n"
        "  graphrun urand:22:16 --algo bfs --source random:27491095 --sources 64 --json - --quiet\n"
        "  graphrun arcs.txt --undirected --algo bfs --output parents.bin --parents\n"},
       {"Exit codes", "  0 done (and right, with --verify), 1 failed or wrong, 2 usage, 77 not available on this machine.\n"}}};
  return kManual;
}

std::string graphrun_help(const Manual& manual, const std::vector<std::string>& topic) {
  if (topic.empty() || !spells(topic[0], "backend")) return help_on(manual, topic);
  if (topic.size() == 2) return backend_help(parse_name<BackendKind>(topic[1]));
  throw UsageError(fmt::format("--help backend needs the name of one backend: {}", joined(names_of<BackendKind>())));
}

RunOptions options_of(const CommandLine& given) {
  refuse_unknown_verify(given);
  RunOptions options = usual_options();
  options.graph = graph_of(given, "graphrun GRAPH --algo NAME");
  if (!given.has("algo")) throw UsageError("--algo is missing: choose among bfs, sssp, cc, pagerank, bc and tc");
  set_given(run_options(), given, options);
  if (!options.auto_backend) options.backend = with_defaults(options.backend);
  check_options(options);
  require_width(options.load);
  for (const RunOption& option : run_options()) {
    if (!given.has(option.text.name)) continue;
    if (const std::string by = why_unread(option, options); !by.empty()) {
      log::warn(fmt::format("--{} has no effect on {}", option.text.name, by));
    }
  }
  return options;
}

}  // namespace graphrun::program::inline GR_IDS
