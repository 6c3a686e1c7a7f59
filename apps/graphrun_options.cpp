#include "graphrun_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

#include "graphrun/core/split_list.hpp"
#include "graphrun/io/convert.hpp"
#include "graphrun/io/generate.hpp"
#include "program.hpp"

namespace graphrun::program {
namespace {

constexpr int kMostThreads = 1024;
constexpr std::uint64_t kMostQueues = 4096;
constexpr std::uint64_t kMostQueueDepth = 32768;
constexpr std::uint64_t kMostCommands = 1 << 20;  // in all queues of a fabric: 100 MiB
constexpr std::uint64_t kMostBamDepth = 4096;
constexpr std::uint64_t kMostEndpoints = 64;
constexpr std::uint64_t kMostDeadlineMs = 3'600'000;
constexpr int kMostRepetitions = 1'000'000;
constexpr auto kAny = std::numeric_limits<std::uint64_t>::max();

constexpr OptionText kOptions[] = {
    {"Run", "graph", "FILE",
     "graph in any format that is read (below; text may be .gz, .zst, .xz or .bz2), - for standard input, or a generator "
     "(below); "
     "--graph may be left out"},
    {"Run", "algo", "NAME", "bfs, sssp, cc or pagerank"},
    {"Run", "variant", "NAME",
     "how: bfs direction-optimizing|push, sssp delta-stepping, cc afforest|hooking, pagerank pull|push"},
    {"Run", "source", "WHICH",
     "bfs, sssp: a vertex by its name in the input, max-degree (default), random:SEED, or index:N, a vertex by its number from "
     "0"},
    {"Run", "sources", "K", "bfs, sssp: how many random sources to run from, one after another (default 1)"},
    {"Run", "trials", "N", "runs of each source (default 1)"},
    {"Run", "delta", "D", "sssp: width of a bucket of distances (default: chosen from the weights)"},
    {"Run", "damping", "F", "pagerank: damping factor (default 0.85)"},
    {"Run", "tolerance", "F", "pagerank: stop when ranks change by less in sum (default 1e-4)"},
    {"Run", "max-iterations", "N", "pagerank: stop after this many sweeps (default 1000)"},
    {"Graph", "format", "NAME", "what the file is, instead of looking at it"},
    {"Graph", "ids", "POLICY",
     "edge lists: auto (default), keep or compact ids that no line mentions, or names: strings (graphconv --help)"},
    {"Graph", "columns", "LIST", "edge lists, CSV: source, target and weight, by name or number (graphconv --help)"},
    {"Graph", "float-weights", nullptr,
     "formats that do not say: weights are f32 instead of u32, those of text also when all are whole"},
    {"Graph", "raw-offset-in", "BYTES", ".bel: .dst and .val have no header, their payload begins here"},
    {"Graph", "undirected", nullptr, "add the opposite of every edge"},
    {"Graph", "trust-file", nullptr,
     "open a .grf container, and what --stripe names, without reading it all first: of a damaged one only header and offsets are "
     "known to be sound, and a run gives a wrong answer, or ends when an id leads out of the graph"},
    {"Graph", "bipartite", nullptr, "accept a rectangular matrix: columns become vertices of their own"},
    {"Graph", "drop-self-loops", nullptr, "leave out edges from a vertex to itself"},
    {"Graph", "drop-duplicates", nullptr, "keep one of several parallel edges, the lightest"},
    {"Graph", "weights", "WHICH", "sssp: file, unit, truth, random:SEED[:LOW:HIGH] (default: the file's, else random:1)"},
    {"Placement", "backend", "NAME", "incore, emogi, uvm, bam, gpuvm or subway (default incore)"},
    {"Placement", "device", "NAME", "auto (default), cpu, cuda or cuda:N"},
    {"Placement", "threads", "N", "host threads (default: all processors)"},
    {"Placement", "memory", "SIZE",
     "refuse a run that is estimated to take more memory of this machine (default: more than is free, also in the control groups "
     "around it)"},
    {"Placement", "cache", "SIZE",
     "most edge bytes the backend may keep in the fast tier, such as 8GiB (default of bam and gpuvm: 1GiB)"},
    {"Placement", "layout", "NAME", "balanced (default of every backend: long neighbour lists are cut into chunks) or csr"},
    {"Placement", "chunk", "EDGES", "balanced: edges in a chunk (default: what a .grf stores a table for, else the device's)"},
    {"Placement", "access", "NAME", "emogi: naive, merged or aligned (default)"},
    {"Placement", "count-requests", nullptr,
     "emogi on a GPU: count what loads ask of the link, by size and alignment, with kernels whose times mean nothing else"},
    {"Placement", "uvm-advise", "NAME",
     "uvm on a GPU: none, read-mostly (default), accessed-by, or prefetch: all edges are asked for when a run begins"},
    {"Placement", "uvm-fault", "SIZE", "uvm on a CPU: what a page fault brings in at least, a power of two (default 4KiB)"},
    {"Placement", "uvm-prefetch", "SIZE", "uvm on a CPU: and at most, with what lies around it (default 64KiB)"},
    {"Placement", "uvm-block", "SIZE", "uvm on a CPU: what is evicted at a time (default 2MiB)"},
    {"Placement", "storage", "WHICH",
     "bam: file (default), read by io_uring; ram:PROFILE, a model of a device: optane-p5800x, pm1735, 980pro, unlimited; cpu: "
     "nvme:ADDRESS, a device that holds the .grf, driven through VFIO (docs/nvme.md)"},
    {"Placement", "stripe", "FILES",
     "bam, storage file: copies of the .grf on other disks, or its parts (graphconv stripe), with commas between; reads go to "
     "all in turn; sssp then needs weights in the .grf"},
    {"Placement", "bam-queues", "N", "bam: queue pairs (default: one a thread; on a GPU 128)"},
    {"Placement", "bam-depth", "N",
     "bam: commands out at a time in each queue pair (default 512; on a GPU 64), rounded up to a power of two"},
    {"Placement", "bam-coalesce", "on|off", "bam on a GPU: lanes of a warp that want one page ask for it once (default on)"},
    {"Placement", "bam-reuse", "on|off", "bam on a GPU: a warp keeps the page it used last (default on)"},
    {"Placement", "bam-cache", "on|none", "bam on a GPU: none fetches a page anew for every use (default on)"},
    {"Placement", "bam-delivery", "HOW",
     "bam on a GPU: how pages get into the cache: landing (warps copy from pinned memory), copies (in batches), cufile "
     "(GPUDirect Storage), or auto (default: tries and takes the fastest)"},
    {"Placement", "fabric", "WHICH",
     "gpuvm: memory (default on a CPU), where whoever needs a page copies it from host memory; sm (default on a GPU), the same "
     "by warps over the link; proxy, host threads that copy for them in batches; ofi:PROVIDER, one-sided reads by libfabric: "
     "tcp, "
     "shm, verbs"},
    {"Placement", "remote", "SERVERS",
     "gpuvm, fabric ofi: read the edges from graphmemd, host1:port,host2 for the shards of a graph, host1|host2 for replicas and "
     "address1+address2 for what shares the reads, such as interfaces of one server; of the .grf that --graph names only the "
     "vertices are read (docs/remote.md)"},
    {"Placement", "token-file", "FILE",
     "remote: what the servers want to know (default: the environment variable GRAPHMEMD_TOKEN)"},
    {"Placement", "fabric-addresses", "ADDRS",
     "fabric ofi without --remote: addresses of this machine at which it reads its own memory, with + between, one for each "
     "interface that is to share the reads (default: loopback; with verbs what is there)"},
    {"Placement", "fabric-endpoints", "N", "fabric ofi: endpoints to each server, over which reads are spread (default 1)"},
    {"Placement", "fabric-deadline", "MS", "fabric ofi: milliseconds in which a server must go on answering (default 5000)"},
    {"Placement", "queues", "N", "gpuvm: queue pairs of a fabric that needs any (default 84)"},
    {"Placement", "queue-depth", "N", "gpuvm: commands out at a time in each (default 64; 1048576 in all of them at most)"},
    {"Placement", "page", "SIZE", "bam, gpuvm: size of a page, 512 to 64KiB (default: bam 4KiB, gpuvm 8KiB)"},
    {"Placement", "subway-variant", "NAME",
     "subway: async (default), a subgraph is worked on until nothing in it changes, or sync, once"},
    {"Placement", "warm", nullptr, "leave caches as the last trial left them, instead of cold before each"},
    {"Placement", "preload", nullptr,
     "bam, gpuvm, and uvm on a CPU, with a --cache for all edges: fill it before each trial, outside the clock"},
    {"Results", "verify", nullptr,
     "check every answer against a serial oracle, outside the clock; a wrong one ends with exit code 1"},
    {"Results", "json", "FILE", "write everything as JSON; '-' writes it to standard output instead of the table"},
    {"Results", "output", "FILE",
     "write the values: .csv name,value a line, .txt a value a line, .bin little-endian words; '-' writes CSV to standard output "
     "and "
     "the table to standard error"},
    {"Results", "parents", nullptr, "bfs: --output writes parents instead of levels"},
    {"Results", "quiet", nullptr, "no log but warnings, no progress"},
    {"Results", "verbose", nullptr, "log more"},
    {"Other", "list", nullptr, "what this machine and build can run"},
    {"Other", "version", nullptr, "print the version", 'V'},
    {"Other", "help", nullptr, "print this", 'h'},
};

/// Says which options were given but mean nothing to what is run.
void warn_of_unused(const CommandLine& given, const RunOptions& options) {
  const auto unused = [&](const char* option, bool used, const std::string& by) {
    if (given.has(option) && !used) log::warn(fmt::format("--{} has no effect on {}", option, by));
  };
  const std::string algorithm = name_of(options.algorithm);
  const std::string backend = std::string("backend ") + name_of(options.backend.kind);
  const std::string on_device = backend + " with --device " + options.device;
  const bool traversal = options.algorithm == Algorithm::bfs || options.algorithm == Algorithm::sssp;
  const bool pagerank = options.algorithm == Algorithm::pagerank;
  for (const char* option : {"source", "sources"}) unused(option, traversal, algorithm);
  for (const char* option : {"delta", "weights"}) unused(option, options.algorithm == Algorithm::sssp, algorithm);
  for (const char* option : {"damping", "tolerance", "max-iterations"}) unused(option, pagerank, algorithm);
  if (options.algorithm == Algorithm::sssp) unused("delta", orders_by_distance(options), backend);
  unused("access", options.backend.kind == BackendKind::emogi, backend);
  const bool gpuvm = options.backend.kind == BackendKind::gpuvm;
  for (const char* option : {"storage", "stripe", "bam-queues", "bam-depth"}) {
    unused(option, options.backend.kind == BackendKind::bam, backend);
  }
  unused("page", options.backend.kind == BackendKind::bam || gpuvm, backend);
  unused("fabric", gpuvm, backend);
  const std::string& fabric = options.backend.fabric.name;
  for (const char* option : {"queues", "queue-depth", "fabric-endpoints", "fabric-deadline"}) {
    unused(option, gpuvm && fabric != "auto" && fabric != "memory" && fabric != "sm", gpuvm ? "fabric " + fabric : backend);
  }
  unused("token-file", !options.backend.fabric.remote.empty(), "a run without --remote");
  const bool ofi = gpuvm && fabric.starts_with("ofi:");
  unused("fabric-addresses", ofi && options.backend.fabric.remote.empty(),
         !gpuvm ? backend
         : ofi  ? "a run with --remote"
                : "fabric " + fabric);
  for (const char* option : {"bam-coalesce", "bam-reuse", "bam-cache", "bam-delivery"}) {
    unused(option, options.backend.kind == BackendKind::bam && options.device != "cpu", on_device);
  }
  const bool uvm = options.backend.kind == BackendKind::uvm;
  unused("uvm-advise", uvm && options.device != "cpu", on_device);
  for (const char* option : {"uvm-fault", "uvm-prefetch", "uvm-block"}) {
    unused(option, uvm && !options.device.starts_with("cuda"), on_device);
  }
  unused("chunk", options.backend.layout == Layout::balanced, std::string("layout ") + name_of(options.backend.layout));
}

void set_run(const CommandLine& given, RunOptions& options) {
  with(given, "algo", [&](const std::string& text) { options.algorithm = parse_algorithm(text); });
  with(given, "variant", [&](const std::string& text) { set_variant(options, text); });
  with(given, "source", [&](const std::string& text) { options.source = parse_source(text); });
  read_whole(given, "sources", 1, kMostRepetitions, options.num_sources);
  read_whole(given, "trials", 1, kMostRepetitions, options.trials);
  read_real(given, "delta", options.sssp.delta);
  if (given.has("delta") && options.sssp.delta <= 0)
    throw UsageError("--delta must be a positive number; leave it out to have it chosen");
  read_real(given, "damping", options.pagerank.damping);
  read_real(given, "tolerance", options.pagerank.tolerance);
  read_whole(given, "max-iterations", 1, kAny, options.pagerank.max_iterations);
}

void set_fabric(const CommandLine& given, FabricOptions& fabric) {
  with(given, "fabric", [&](const std::string& text) { fabric.name = canonical_fabric(text); });
  read_name(given, "fabric-addresses", fabric.addresses);
  read_name(given, "remote", fabric.remote);
  read_name(given, "token-file", fabric.token_file);
  read_whole(given, "fabric-endpoints", 1, kMostEndpoints, fabric.endpoints);
  auto deadline_ms = static_cast<std::uint64_t>(fabric.deadline.count());
  read_whole(given, "fabric-deadline", 1, kMostDeadlineMs, deadline_ms);
  fabric.deadline = std::chrono::milliseconds(deadline_ms);
  read_whole(given, "queues", 1, kMostQueues, fabric.queues);
  read_whole(given, "queue-depth", 2, kMostQueueDepth, fabric.queue_depth);
  if (const std::uint64_t commands = std::uint64_t{fabric.queues} * fabric.queue_depth; commands > kMostCommands) {
    throw UsageError(fmt::format("--queues {} with --queue-depth {} are {} commands out at a time, and {} are the most",
                                 fabric.queues, fabric.queue_depth, commands, kMostCommands));
  }
}

void set_bam(const CommandLine& given, BackendOptions& backend) {
  read_word(given, "storage", backend.storage);
  with(given, "stripe", [&](const std::string& text) { backend.stripe = split_list(text, ',', "--stripe"); });
  read_whole(given, "bam-queues", 1, kMostQueues, backend.bam_queues);
  read_whole(given, "bam-depth", 1, kMostBamDepth, backend.bam_depth);
  with(given, "bam-delivery", [&](const std::string& text) {
    backend.bam_delivery = choose<const char*>(
        text, "delivery", {{"auto", "auto"}, {"landing", "landing"}, {"copies", "copies"}, {"cufile", "cufile"}});
  });
  const auto choice = [&](const char* option, const char* off, bool& into) {
    with(given, option, [&](const std::string& text) { into = choose<bool>(text, "choice", {{"on", true}, {off, false}}); });
  };
  choice("bam-coalesce", "off", backend.bam_coalesce);
  choice("bam-reuse", "off", backend.bam_reuse);
  choice("bam-cache", "none", backend.bam_cached);
}

void set_uvm(const CommandLine& given, BackendOptions& backend) {
  read_size(given, "uvm-fault", backend.uvm_fault_bytes);
  read_size(given, "uvm-prefetch", backend.uvm_prefetch_bytes);
  read_size(given, "uvm-block", backend.uvm_block_bytes);
  with(given, "uvm-advise", [&](const std::string& text) { backend.uvm_advise = parse_uvm_advise(text); });
}

void set_placement(const CommandLine& given, RunOptions& options) {
  BackendOptions& backend = options.backend;
  with(given, "backend", [&](const std::string& text) { backend = default_options(parse_backend(text)); });
  with(given, "device", [&](const std::string& text) { options.device = canonical_device(text); });
  read_whole(given, "threads", 1, kMostThreads, options.threads);
  read_size(given, "memory", options.memory_bytes);
  read_size(given, "cache", backend.cache_bytes);
  with(given, "layout", [&](const std::string& text) { backend.layout = parse_layout(text); });
  read_whole(given, "chunk", 1, kAny, backend.chunk_edges);
  with(given, "access", [&](const std::string& text) { backend.access = parse_access(text); });
  backend.count_requests = given.has("count-requests");
  std::uint64_t page_bytes = backend.page_bytes;
  read_size(given, "page", page_bytes);
  backend.page_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(page_bytes, 1u << 31));
  set_bam(given, backend);
  set_fabric(given, backend.fabric);
  set_uvm(given, backend);
  with(given, "subway-variant", [&](const std::string& text) {
    backend.subway_variant = parse_subway_variant(text);
    if (backend.kind != BackendKind::subway)
      throw UsageError(fmt::format("--subway-variant goes with --backend subway, not {}", name_of(backend.kind)));
  });
  options.warm = given.has("warm");
  options.preload = given.has("preload");
}

}  // namespace

std::string graphrun_usage() {
  return "Graph analytics over edges that live where they fit: BFS, SSSP, CC and PageRank.\n\n"
         "usage: graphrun GRAPH --algo bfs|sssp|cc|pagerank [options]   GRAPH: a file, or a generator such as kron:20:16\n"
         "       graphrun --list                                        what this machine and build can run\n"
         "       graphrun --help                                        all options, with examples\n";
}

std::string graphrun_help() {
  return graphrun_usage() + options_help(kOptions) +
         "\nCase does not count in names, nor do '-' and '_'; pr is pagerank, wcc is cc and gpu is cuda.\n"
         "Sizes are bytes, or have a unit of 1024, 1024^2 and so on: 4096, 4k, 4kb, 4KiB, 1.5GiB, '1 TB'.\n"
         "\nFormats:\n" +
         input_format_help() + "\nGenerators:\n" + generator_help() +
         "\nExamples:\n"
         "  graphrun kron:20:16 --algo bfs --verify\n"
         "  graphrun road.mtx.gz --algo sssp --weights file --source 1 --output distances.csv\n"
         "  graphrun web.grf --algo cc --backend emogi --device cpu --trials 16 --json cc.json\n"
         "  graphrun web.grf --algo pagerank --backend emogi --access aligned --device cuda --tolerance 1e-9\n"
         "  graphrun urand:22:16 --algo bfs --source random:27491095 --sources 64 --json - --quiet\n"
         "  graphrun arcs.txt --undirected --algo bfs --output parents.bin --parents\n"
         "\nExit codes: 0 done (and right, with --verify), 1 failed or wrong, 2 usage, 77 not available on this machine.\n";
}

CommandLine graphrun_command_line(int argc, char** argv) { return parse("graphrun", kOptions, argc, argv); }

RunOptions run_options(const CommandLine& given) {
  RunOptions options;
  options.graph = graph_of(given, "graphrun GRAPH --algo NAME");
  if (!given.has("algo")) throw UsageError("--algo is missing: choose among bfs, sssp, cc and pagerank");
  set_run(given, options);
  options.load = reading_options(given);
  options.load.check = !given.has("trust-file");
  with(given, "weights", [&](const std::string& text) { options.weights = parse_weight_source(text); });
  set_placement(given, options);
  options.verify = given.has("verify");
  check_options(options);
  warn_of_unused(given, options);
  return options;
}

}  // namespace graphrun::program
