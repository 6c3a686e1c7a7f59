// graphrun: one algorithm over one graph through one backend; prints what it cost and what came out.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <sstream>
#include <string>

#include "graphrun/core/bytes.hpp"
#include "graphrun/io/convert.hpp"
#include "graphrun/io/generate.hpp"
#include "program.hpp"

namespace {

using namespace graphrun;
using program::OptionText;

constexpr int kMostThreads = 1024;
constexpr int kMostRepetitions = 1'000'000;

/// Where the answers go, beside standard output.
struct Destinations {
  std::string json;
  std::string values;
  bool parents = false;
};

constexpr OptionText kOptions[] = {
    {"Run", "graph", "FILE", "graph in any format that is read (below; text may be .gz), or a generator (below)"},
    {"Run", "algo", "NAME", "bfs, sssp, cc or pagerank"},
    {"Run", "variant", "NAME",
     "how: bfs direction-optimizing|push, sssp delta-stepping, cc afforest|hooking, pagerank pull|push"},
    {"Run", "source", "WHICH", "bfs, sssp: vertex (as the input calls it), max-degree (default) or random:SEED"},
    {"Run", "sources", "K", "bfs, sssp: how many random sources to run from, one after another (default 1)"},
    {"Run", "trials", "N", "runs of each source (default 1)"},
    {"Run", "delta", "D", "sssp: width of a bucket of distances (default: chosen from the weights)"},
    {"Run", "damping", "F", "pagerank: damping factor (default 0.85)"},
    {"Run", "tolerance", "F", "pagerank: stop when ranks change by less in sum (default 1e-4)"},
    {"Run", "max-iterations", "N", "pagerank: stop after this many sweeps (default 1000)"},
    {"Graph", "format", "NAME", "what the file is, instead of looking at it"},
    {"Graph", "ids", "POLICY", "edge lists: auto (default), keep or compact ids that no line mentions (graphconv --help)"},
    {"Graph", "float-weights", nullptr, "formats that do not say: take 4-byte weights as f32 instead of u32"},
    {"Graph", "raw-offset-in", "BYTES", ".bel: .dst and .val have no header, their payload begins here"},
    {"Graph", "undirected", nullptr, "add the opposite of every edge"},
    {"Graph", "trust-file", nullptr, "open a .grf container without reading it all first to see that it is undamaged"},
    {"Graph", "bipartite", nullptr, "accept a rectangular matrix: columns become vertices of their own"},
    {"Graph", "drop-self-loops", nullptr, "leave out edges from a vertex to itself"},
    {"Graph", "drop-duplicates", nullptr, "keep one of several parallel edges, the lightest"},
    {"Graph", "weights", "WHICH", "sssp: file, unit, truth, random:SEED[:LOW:HIGH] (default: the file's, else random:1)"},
    {"Placement", "backend", "NAME", "incore, emogi, uvm, bam or subway (default incore)"},
    {"Placement", "device", "NAME", "auto (default), cpu, cuda or cuda:N"},
    {"Placement", "threads", "N", "host threads (default: all processors)"},
    {"Placement", "cache", "SIZE", "most edge bytes the backend may keep in the fast tier, such as 8GiB"},
    {"Placement", "layout", "NAME", "balanced (default: long neighbour lists are cut into chunks) or csr"},
    {"Placement", "chunk", "EDGES", "balanced: edges in a chunk (default: what a .grf stores a table for, else the device's)"},
    {"Placement", "access", "NAME", "emogi: naive, merged or aligned (default)"},
    {"Placement", "uvm-advise", "NAME", "uvm: none, read-mostly (default) or accessed-by"},
    {"Placement", "storage", "WHICH",
     "bam: file (default), read by io_uring; ram:PROFILE, a model of a device: optane-p5800x, pm1735, 980pro, unlimited; cpu: "
     "nvme:ADDRESS, a device that holds the .grf, driven through VFIO (docs/nvme.md)"},
    {"Placement", "stripe", "FILES",
     "bam, storage file: copies of the .grf on other disks, with commas between; reads go to all in turn"},
    {"Placement", "bam-coalesce", "on|off", "bam on a GPU: lanes of a warp that want one page ask for it once (default on)"},
    {"Placement", "bam-reuse", "on|off", "bam on a GPU: a warp keeps the page it used last (default on)"},
    {"Placement", "bam-cache", "on|none", "bam on a GPU: none fetches a page anew for every use (default on)"},
    {"Placement", "page", "SIZE", "bam: size of a page, 512 to 64KiB (default 4KiB)"},
    {"Placement", "subway-variant", "NAME",
     "subway: async (default), a subgraph is worked on until nothing in it changes, or sync, once"},
    {"Placement", "warm", nullptr, "leave caches as the last trial left them, instead of cold before each"},
    {"Placement", "preload", nullptr, "bam with a --cache for all edges: fill it before each trial, outside the clock"},
    {"Results", "verify", nullptr,
     "check every answer against a serial oracle, outside the clock; a wrong one ends with exit code 1"},
    {"Results", "json", "FILE", "write everything as JSON; '-' writes it to standard output instead of the table"},
    {"Results", "output", "FILE", "write the values in vertex order: .txt a value a line, .bin little-endian words"},
    {"Results", "parents", nullptr, "bfs: --output writes parents instead of levels"},
    {"Results", "quiet", nullptr, "no log but warnings"},
    {"Results", "verbose", nullptr, "log more"},
    {"Other", "list", nullptr, "what this machine and build can run"},
    {"Other", "version", nullptr, "print the version"},
    {"Other", "help", nullptr, "print this"},
};

std::string help_text(const cxxopts::Options& parser) {
  return parser.help({"Run", "Graph", "Placement", "Results", "Other"}) + "\nFormats:\n" + input_format_help() +
         "\nGenerators:\n" + generator_help() +
         "\nExamples:\n"
         "  graphrun --graph kron:20:16 --algo bfs --verify\n"
         "  graphrun --graph road.mtx.gz --algo sssp --weights file --source 0 --output distances.txt\n"
         "  graphrun --graph web.grf --algo cc --backend emogi --device cpu --trials 16 --json cc.json\n"
         "  graphrun --graph web.grf --algo pagerank --backend emogi --access aligned --device cuda --tolerance 1e-9\n"
         "  graphrun --graph urand:22:16 --algo bfs --source random:27491095 --sources 64 --json - --quiet\n"
         "  graphrun --graph arcs.txt --undirected --algo bfs --output parents.bin --parents\n"
         "\nExit codes: 0 done (and right, with --verify), 1 failed or wrong, 2 usage, 77 not available on this machine.\n";
}

/// Says which options were given but mean nothing to what is run.
void warn_of_unused(const cxxopts::ParseResult& given, const RunOptions& options) {
  const auto unused = [&](const char* option, bool used, const std::string& by) {
    if (given.count(option) != 0 && !used) log::warn(fmt::format("--{} has no effect on {}", option, by));
  };
  const std::string algorithm = name_of(options.algorithm);
  const std::string backend = std::string("backend ") + name_of(options.backend.kind);
  const bool traversal = options.algorithm == Algorithm::bfs || options.algorithm == Algorithm::sssp;
  const bool pagerank = options.algorithm == Algorithm::pagerank;
  for (const char* option : {"source", "sources"}) unused(option, traversal, algorithm);
  for (const char* option : {"delta", "weights"}) unused(option, options.algorithm == Algorithm::sssp, algorithm);
  for (const char* option : {"damping", "tolerance", "max-iterations"}) unused(option, pagerank, algorithm);
  if (options.algorithm == Algorithm::sssp) unused("delta", orders_by_distance(options), backend);
  unused("access", options.backend.kind == BackendKind::emogi, backend);
  for (const char* option : {"storage", "page", "stripe"}) unused(option, options.backend.kind == BackendKind::bam, backend);
  for (const char* option : {"bam-coalesce", "bam-reuse", "bam-cache"}) {
    unused(option, options.backend.kind == BackendKind::bam && options.device != "cpu",
           backend + " with --device " + options.device);
  }
  unused("uvm-advise", options.backend.kind == BackendKind::uvm, backend);
  unused("chunk", options.backend.layout == Layout::balanced, std::string("layout ") + name_of(options.backend.layout));
}

/// Names with commas between them.
std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream stream(text);
  for (std::string name; std::getline(stream, name, ',');) names.push_back(name);
  return names;
}

RunOptions run_options(const cxxopts::ParseResult& given) {
  const auto with = [&](const char* option, const auto& use) { program::with(given, option, use); };
  const auto whole = [&](const char* option, std::uint64_t low, std::uint64_t high, auto& into) {
    with(option, [&](const std::string& text) {
      into = static_cast<std::remove_reference_t<decltype(into)>>(parse_whole(text, std::string("--") + option, low, high));
    });
  };
  const auto real = [&](const char* option, double& into) {
    with(option, [&](const std::string& text) { into = parse_real(text, std::string("--") + option); });
  };
  constexpr auto kAny = std::numeric_limits<std::uint64_t>::max();

  for (const char* needed : {"graph", "algo"}) {
    if (given.count(needed) == 0) throw UsageError(fmt::format("--{} is missing: see graphrun --help", needed));
  }
  RunOptions options;
  options.graph = given["graph"].as<std::string>();
  options.algorithm = parse_algorithm(given["algo"].as<std::string>());
  with("variant", [&](const std::string& text) { set_variant(options, text); });
  with("source", [&](const std::string& text) { options.source = parse_source(text); });
  whole("sources", 1, kMostRepetitions, options.num_sources);
  whole("trials", 1, kMostRepetitions, options.trials);
  real("delta", options.sssp.delta);
  if (given.count("delta") != 0 && options.sssp.delta <= 0)
    throw UsageError("--delta must be a positive number; leave it out to have it chosen");
  real("damping", options.pagerank.damping);
  real("tolerance", options.pagerank.tolerance);
  whole("max-iterations", 1, kAny, options.pagerank.max_iterations);

  options.load = program::reading_options(given);
  options.load.check = !given["trust-file"].as<bool>();
  with("weights", [&](const std::string& text) { options.weights = parse_weight_source(text); });

  with("backend", [&](const std::string& text) { options.backend.kind = parse_backend(text); });
  with("device", [&](const std::string& text) { options.device = text; });
  whole("threads", 1, kMostThreads, options.threads);
  with("storage", [&](const std::string& text) { options.backend.storage = text; });
  with("stripe", [&](const std::string& text) { options.backend.stripe = split_names(text); });
  with("page", [&](const std::string& text) {
    options.backend.page_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(parse_bytes(text), 1u << 31));
  });
  const auto choice = [&](const char* option, const char* off, bool& into) {
    with(option, [&](const std::string& text) { into = program::choose<bool>(text, option, {{"on", true}, {off, false}}); });
  };
  choice("bam-coalesce", "off", options.backend.bam_coalesce);
  choice("bam-reuse", "off", options.backend.bam_reuse);
  choice("bam-cache", "none", options.backend.bam_cached);
  with("cache", [&](const std::string& text) { options.backend.cache_bytes = parse_bytes(text); });
  with("layout", [&](const std::string& text) { options.backend.layout = parse_layout(text); });
  whole("chunk", 1, kAny, options.backend.chunk_edges);
  with("access", [&](const std::string& text) { options.backend.access = parse_access(text); });
  with("subway-variant", [&](const std::string& text) {
    options.backend.subway_variant = parse_subway_variant(text);
    if (options.backend.kind != BackendKind::subway)
      throw UsageError(fmt::format("--subway-variant goes with --backend subway, not {}", name_of(options.backend.kind)));
  });
  with("uvm-advise", [&](const std::string& text) { options.backend.uvm_advise = parse_uvm_advise(text); });
  options.warm = given["warm"].as<bool>();
  options.preload = given["preload"].as<bool>();
  options.verify = given["verify"].as<bool>();
  check_options(options);
  warn_of_unused(given, options);
  return options;
}

/// Everything that can be known to go wrong with writing is found out here, before a long run.
Destinations destinations(const cxxopts::ParseResult& given, const RunOptions& options) {
  Destinations to;
  if (given.count("json") != 0) to.json = given["json"].as<std::string>();
  if (given.count("output") != 0) to.values = given["output"].as<std::string>();
  to.parents = given["parents"].as<bool>();
  if (to.parents && options.algorithm != Algorithm::bfs)
    throw UsageError(fmt::format("--parents goes with bfs: {} has none", name_of(options.algorithm)));
  if (to.parents && to.values.empty()) throw UsageError("--parents says what --output writes, and there is no --output");
  if (!to.values.empty() && options.num_sources > 1)
    throw UsageError("--output holds the answer of one source: leave out --sources");
  if (!to.values.empty()) check_output_path(to.values);
  if (given.count("json") != 0 && to.json.empty()) throw UsageError("--json needs the name of a file, or '-'");
  for (const std::string& target : {to.json, to.values}) {
    if (!target.empty() && std::filesystem::weakly_canonical(target) == std::filesystem::weakly_canonical(options.graph)) {
      throw UsageError(fmt::format("{} is the graph that is read: results would replace it", target));
    }
  }
  if (!to.json.empty() && to.json != "-") {
    check_json_path(to.json);
    if (std::filesystem::weakly_canonical(to.json) == std::filesystem::weakly_canonical(to.values)) {
      throw UsageError(fmt::format("--json and --output name the same file, {}", to.json));
    }
  }
  return to;
}

void print_capabilities() {
  std::string text = fmt::format("{:<8}{:<10}{:<11}{}\n", "device", "backend", "available", "what it uses, or what is missing");
  for (const Capability& row : list_capabilities()) {
    text += fmt::format("{:<8}{:<10}{:<11}{}\n", row.device, row.backend, row.available ? "yes" : "no", row.detail);
  }
  program::print(text);
}

ExitCode run_and_report(const cxxopts::ParseResult& given) {
  const RunOptions options = run_options(given);
  const Destinations to = destinations(given, options);
  const RunResult result = run(options);
  if (result.graph.format != "generator" && result.graph.format != "native container") {
    log::info(fmt::format("{} is read and sorted anew in each run; graphconv {} OUT.grf makes a file that opens at once",
                          result.graph.format, options.graph));
  }
  program::print(to.json == "-" ? json_text(result) : table_text(result));
  if (!to.json.empty() && to.json != "-") write_json(result, to.json);
  if (result.verification == Verification::wrong) {
    if (!to.values.empty()) log::warn(fmt::format("{} was not written, because the answer is wrong", to.values));
    return ExitCode::failed;
  }
  if (!to.values.empty()) write_output(result, to.parents, to.values);
  return ExitCode::done;
}

ExitCode run_command(int argc, char** argv) {
  const cxxopts::Options parser =
      program::make_parser("graphrun", "Graph analytics over edges that live where they fit: BFS, SSSP, CC and PageRank.\n",
                           "--graph FILE --algo NAME [options]", kOptions);
  cxxopts::Options parsing = parser;
  const cxxopts::ParseResult given = parsing.parse(argc, argv);
  if (!given.unmatched().empty())
    throw UsageError(fmt::format("'{}' is not an option: see graphrun --help", given.unmatched().front()));
  program::set_log_level(given);
  if (given["help"].as<bool>()) {
    program::print(help_text(parser));
  } else if (given["version"].as<bool>()) {
    program::print(program::version_text("graphrun"));
  } else if (given["list"].as<bool>()) {
    print_capabilities();
  } else {
    return run_and_report(given);
  }
  return ExitCode::done;
}

}  // namespace

int main(int argc, char** argv) {
  return graphrun::program::run_program("graphrun", [&] { return run_command(argc, argv); });
}
