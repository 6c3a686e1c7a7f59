// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "algorithms/algorithm.hpp"
#include "backend/bam_storage.hpp"
#include "backend/fabric_edges.hpp"
#include "core/raise.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/io/load.hpp"
#include "graphrun/run/options.hpp"
#include "graphrun/run/resolve.hpp"
#include "graphrun/transport/drive_model.hpp"
#include "graphrun/transport/fabric.hpp"

namespace graphrun::inline GR_IDS {
namespace {

using Make = OptionMaker<RunOptions>;

constexpr std::uint64_t kMostThreads = 1024;
constexpr std::uint64_t kMostRanks = 64;
constexpr std::uint64_t kMostQueues = 4096;
constexpr std::uint64_t kMostQueueDepth = 32768;
constexpr std::uint64_t kMostEndpoints = 64;
constexpr std::uint64_t kMostDeadlineMs = 3'600'000;
constexpr std::uint64_t kMostRepetitions = 1'000'000;
constexpr char kNoLetter = '\0';
constexpr bool kCommon = true;

bool has_queues(const RunOptions& options) {
  const FabricKind fabric = options.backend.fabric.kind;
  return preset_of(options.backend.kind).source == EdgeSource::storage || fabric == FabricKind::proxy ||
         fabric == FabricKind::ofi;
}

std::string fabric_of(const RunOptions& options) {
  const FabricOptions& fabric = options.backend.fabric;
  return fabric.kind == FabricKind::automatic ? "fabric auto, which is memory or sm" : "fabric " + fabric_text(fabric);
}

bool runs_on_gpu(const RunOptions& options) {
  return options.device == "auto" ? why_no_cuda(0).empty() && why_only_on_cpu(options).empty() : options.device != "cpu";
}

// Reasons for which a run does not read an option: see ReadBy::unmet. Both devices cache pages; prefixes are cached in the memory
// of a device with a link.
std::string no_cache(const RunOptions& options) {
  const bool in_place = reads_in_place(preset_of(options.backend.kind));
  return in_place && !runs_on_gpu(options) ? fmt::format("backend {} with --device cpu", name_of(options.backend.kind)) : "";
}
std::string no_hot_edges(const RunOptions& options) {
  const bool pages = preset_of(options.backend.kind).tier == EdgeTier::pages;
  return pages && runs_on_gpu(options) ? fmt::format("backend {} with --device cuda", name_of(options.backend.kind))
                                       : no_cache(options);
}
std::string no_queues(const RunOptions& options) { return has_queues(options) ? "" : fabric_of(options); }
std::string no_chunks(const RunOptions& options) {
  return options.backend.layout == Layout::balanced ? "" : fmt::format("layout {}", name_of(options.backend.layout));
}
std::string no_provider(const RunOptions& options) {
  return options.backend.fabric.kind == FabricKind::ofi ? "" : fabric_of(options);
}
std::string no_servers(const RunOptions& options) {
  return options.backend.fabric.remote.empty() ? "a run without --remote" : "";
}
std::string not_its_own_memory(const RunOptions& options) {
  return options.backend.fabric.remote.empty() ? no_provider(options) : "a run with --remote";
}

/// Joins names with a word.
template <class T>
std::string names_text(const std::vector<T>& some, const char* between = ", ") {
  std::string text;
  for (const T each : some) text += fmt::format("{}{}", text.empty() ? "" : between, name_of(each));
  return text;
}

/// "auto" is no backend: it chooses one.
Option<RunOptions> backend_option() {
  std::vector<std::string_view> names = names_of<BackendKind>();
  const std::string help = "auto (default: by graph and memory, see graphrun --plan), " + joined(names);
  names.insert(names.begin(), "auto");
  OptionText text{"Placement", "backend", "NAME", help, kNoLetter, kCommon};
  text.range = {.kind = ValueRange::Kind::name, .names = names};
  const auto set = [names](RunOptions& options, const std::string& typed) {
    set_named("backend", [&] {
      const std::size_t chosen = choose_name(typed, ChoicesOf<BackendKind>::kWhat, names);
      options.auto_backend = chosen == 0;
      options.backend.kind = chosen == 0 ? BackendKind{} : ChoicesOf<BackendKind>::kAll[chosen - 1].value;
    });
  };
  return {text, set, [](const RunOptions& options) -> OptionValue { return std::string(backend_name(options)); }};
}

/// "ofi:PROVIDER" names a provider of libfabric after the colon.
Option<RunOptions> fabric_option() {
  static constexpr std::string_view kForm = "ofi:PROVIDER";
  OptionText text{
      "Placement", "fabric", "WHICH",
      "gpuvm, what copies pages: memory (default on a CPU), the thread that needs one, from host memory; sm (default on a GPU), "
      "warps, over the link; proxy, host threads for a GPU; ofi:PROVIDER, one-sided reads by libfabric: " +
          joined(kFabricProviders)};
  text.range.names = names_of<FabricKind>();
  std::ranges::replace(text.range.names, std::string_view("ofi"), kForm);
  const auto set = [](RunOptions& options, const std::string& typed) {
    set_named("fabric", [&] {
      const std::size_t colon = typed.find(':');
      const auto kind = parse_name<FabricKind>(typed.substr(0, colon));
      const bool has_provider = colon != std::string::npos;
      if (kind == FabricKind::ofi && !has_provider) raise<UsageError>("'{}' is not complete: write {}", typed, kForm);
      if (kind != FabricKind::ofi && has_provider) raise<UsageError>("'{}': only {} has something behind a colon", typed, kForm);
      options.backend.fabric.kind = kind;
      options.backend.fabric.provider = has_provider ? in_small_letters(typed.substr(colon + 1)) : "";
      if (has_provider) check_provider_name(options.backend.fabric.provider, "--fabric ofi:PROVIDER");
    });
  };
  return {text, set, [](const RunOptions& options) -> OptionValue { return fabric_text(options.backend.fabric); }};
}

/// Naming weights makes some algorithms read them.
Option<RunOptions> weights_option(const std::string& readers) {
  Option<RunOptions> option = Make::text(
      {"Graph", "weights", "WHICH",
       readers + ": file, unit, truth, random[:SEED[:LOW:HIGH]] (default: file, else unit; pagerank, louvain, walks: none)",
       kNoLetter, kCommon},
      GR_FIELD(weights), parse_weight_source, kWeightForms);
  option.set = [set = option.set](RunOptions& options, const std::string& typed) {
    set(options, typed);
    for (const auto& [name, algorithm] : ChoicesOf<Algorithm>::kAll) {
      if (const auto named = info_of(algorithm).facts.weights_named; named != nullptr) named(options) = true;
    }
  };
  return option;
}

std::vector<RunOption> make_run_options() {
  std::vector<std::string> variants;            // "tc hybrid|by-degree|by-id"
  std::vector<std::string_view> variant_names;  // distinct
  for (const auto& [name, algorithm] : ChoicesOf<Algorithm>::kAll) {
    variants.push_back(fmt::format("{} {}", name, fmt::join(variants_of(algorithm), "|")));
    for (const std::string_view variant : variants_of(algorithm)) {
      if (std::ranges::find(variant_names, variant) == variant_names.end()) variant_names.push_back(variant);
    }
  }
  const auto with = [](auto holds) {
    std::vector<Algorithm> some;
    for (const auto& [name, algorithm] : ChoicesOf<Algorithm>::kAll) {
      if (holds(info_of(algorithm).facts)) some.push_back(algorithm);
    }
    return some;
  };
  const std::vector<Algorithm> weighted =
      with([](const AlgorithmFacts& facts) { return facts.needs_weights || facts.weights_named != nullptr; });
  const std::vector<Algorithm> saving = with([](const AlgorithmFacts& facts) { return facts.saves_state; });
  const std::vector<Algorithm> searching = with([](const AlgorithmFacts& facts) { return facts.has_sources; });
  const std::vector<Algorithm> valued = with([](const AlgorithmFacts& facts) { return *facts.why_no_values == '\0'; });
  const auto from = [](EdgeSource what) { return presets_where([=](const Preset& preset) { return preset.source == what; }); };
  const auto by = [](EdgeDelivery how) { return presets_where([=](const Preset& preset) { return preset.delivery == how; }); };
  const ReadBy in_place_on_gpu = {.backends = presets_where(reads_in_place), .device = DeviceKind::cuda};
  const ReadBy stored = {.backends = from(EdgeSource::storage)};
  const ReadBy stored_on_gpu = {.backends = stored.backends, .device = DeviceKind::cuda};
  const ReadBy fabric = {.backends = from(EdgeSource::fabric)};
  const ReadBy paged = {.backends = by(EdgeDelivery::commands)};
  const ReadBy ofi = {.backends = fabric.backends, .when = "fabric ofi", .unmet = no_provider};
  const ReadBy queues = {.backends = paged.backends, .when = "not fabric memory or sm", .unmet = no_queues};
  const ReadBy faults_on_cpu = {.backends = by(EdgeDelivery::fault), .device = DeviceKind::cpu};
  const ReadBy faults_on_gpu = {.backends = faults_on_cpu.backends, .device = DeviceKind::cuda};
  const ReadBy faults_on_gpu_alone = {.backends = faults_on_cpu.backends, .device = DeviceKind::cuda, .required = true};

  std::vector<RunOption> all = {
      {Make::text({"Run", "graph", "FILE",
                   "a file in any format of --help all, - for standard input, or a generator; --graph may be left out", kNoLetter,
                   kCommon},
                  GR_FIELD(graph))},
      {Make::name({"Run", "algo", "NAME", joined(names_of<Algorithm>()), kNoLetter, kCommon}, GR_FIELD(algorithm))},
      {{{"Run", "variant", "NAME", fmt::format("how: {}", fmt::join(variants, ", "))},
        [](RunOptions& options, const std::string& typed) {
          set_named("variant", [&] { info_of(options).set_variant(options, typed); });
        },
        [](const RunOptions& options) -> OptionValue { return info_of(options).variant(options); }}},
      {Make::whole({"Run", "trials", "N", "runs of each source (default 1)", kNoLetter, kCommon}, GR_FIELD(trials), 1,
                   kMostRepetitions)},
      {Make::text({"Run", "checkpoint", "DIR",
                   names_text(saving) + ": save the state of a long run in a folder; the same command goes on from there"},
                  GR_FIELD(checkpoint)),
       {.algorithms = saving, .required = true}},
  };
  for (RunOption& option : algorithm_options()) all.push_back(std::move(option));
  for (Option<RunOptions>& option : options_of_part<RunOptions>(load_options(), GR_FIELD(load)))
    all.push_back({std::move(option)});
  const std::vector<RunOption> placed = {
      {Make::flag({"Graph", "trust-file", nullptr,
                   "do not check a .grf container, and what --stripe names, before the run: a damaged one may give a wrong "
                   "answer, or end the run"},
                  GR_FIELD(load.check), false)},
      {weights_option(names_text(weighted)), {.algorithms = weighted}},
      {backend_option()},
      {Make::text({"Placement", "device", "NAME",
                   "auto (default: a GPU that works and runs the request, else cpu), cpu, cuda, cuda:N, or several GPUs: "
                   "cuda:0-3, cuda:0,2, cuda:all",
                   kNoLetter, kCommon},
                  GR_FIELD(device), canonical_device, kDeviceForms)},
      {Make::whole(
          {"Placement", "threads", "N", "host threads (default: all processors; one on a CPU for a tiny graph)", 'j', kCommon},
          GR_FIELD(threads), 1, kMostThreads)},
      {Make::whole(
          {"Placement", "ranks", "N",
           "divide the graph into parts that share threads and cache, and exchange after each step (default 1, or one for each "
           "GPU that --device names)"},
          GR_FIELD(ranks), 1, kMostRanks)},
      {Make::size({"Placement", "memory", "SIZE",
                   "refuse a run that is estimated to take more memory of this machine (default: more than is free, also in the "
                   "control groups around it)"},
                  GR_FIELD(memory_bytes))},
      {Make::size(
           {"Placement", "cache", "SIZE",
            "most edge bytes in the fast tier, such as 8GiB (default of bam and gpuvm: 1GiB; of emogi on a GPU: none; of auto: "
            "what is free)",
            kNoLetter, kCommon},
           GR_FIELD(backend.cache_bytes)),
       {.backends = presets_where([](const Preset&) { return true; }),
        .when = "not emogi on a CPU",
        .unmet = no_cache,
        .by_auto = true}},
      {Make::name(
           {"Placement", "hot", "WHICH",
            "edges that stay in the fast tier, filled before the clock: prefix, the first edges of every list (emogi on a GPU, "
            "bam and gpuvm on a CPU); none; or auto (default), prefix for sssp by prefixes, and on a GPU wherever --cache names "
            "a size. Rows of features: degree, pagerank, weighted or personalised"},
           GR_FIELD(backend.hot)),
       {.backends = presets_where(
            [](const Preset& preset) { return reads_in_place(preset) || preset.delivery == EdgeDelivery::commands; }),
        .when = "emogi on a GPU, bam and gpuvm on a CPU",
        .unmet = no_hot_edges,
        .by_auto = true}},
      {Make::name(
          {"Placement", "layout", "NAME", "balanced (default of every backend: long neighbour lists are cut into chunks) or csr"},
          GR_FIELD(backend.layout))},
      {Make::whole({"Placement", "chunk", "EDGES",
                    "balanced: edges in a chunk (default: what a .grf stores a table for, else the device's)"},
                   GR_FIELD(backend.chunk_edges), 1),
       {.when = "layout balanced", .unmet = no_chunks}},
      {Make::size({"Placement", "page", "SIZE",
                   "bam, gpuvm: size of a page, a power of two from 512 to 1MiB (default: bam 4KiB, gpuvm 8KiB)"},
                  GR_FIELD(backend.page_bytes), 1),
       paged},
      {Make::whole({"Placement", "queues", "N",
                    "bam, gpuvm where its fabric has any: queue pairs (default: bam one a thread, on a GPU 128; gpuvm 84)"},
                   GR_FIELD(backend.queues), 1, kMostQueues),
       queues},
      {Make::whole({"Placement", "queue-depth", "N",
                    "bam, gpuvm: commands out at a time in each queue pair (default: bam 512, on a GPU 64; gpuvm 64)"},
                   GR_FIELD(backend.queue_depth), 1, kMostQueueDepth),
       queues},
      {Make::whole(
           {"Placement", "doorbell-batch", "N",
            "bam, gpuvm where its fabric has queues: commands that wait for each other, so that one doorbell tells of all, "
            "a power of two (default 1: a doorbell tells of those that are written)"},
           GR_FIELD(backend.doorbell_batch), 1, kMostQueueDepth),
       queues},
      {Make::name({"Placement", "access", "NAME", "emogi on a GPU: naive, merged or aligned (default)"},
                  GR_FIELD(backend.access)),
       in_place_on_gpu},
      {Make::flag({"Placement", "count-requests", nullptr,
                   "emogi on a GPU, in a build with -DGRAPHRUN_COUNTED_KERNELS=ON: count requests over the link, by size and "
                   "alignment, with kernels whose times mean nothing else"},
                  GR_FIELD(backend.count_requests)),
       {.backends = in_place_on_gpu.backends, .device = DeviceKind::cuda, .required = true}},
      {Make::name(
           {"Placement", "uvm-advise", "NAME",
            "uvm on a GPU: none, read-mostly (default), accessed-by, or prefetch: all edges are asked for when a run begins"},
           GR_FIELD(backend.uvm_advise)),
       faults_on_gpu},
      {Make::size({"Placement", "gpu-memory", "SIZE",
                   "uvm on a GPU: device memory for edges; the rest of what is free is held meanwhile, which may starve others"},
                  GR_FIELD(backend.gpu_memory_bytes)),
       faults_on_gpu_alone},
      {Make::flag({"Placement", "oversubscribe", nullptr,
                   "uvm on a GPU: allow more edges than device memory for them; it can hang a GPU that others use"},
                  GR_FIELD(backend.oversubscribe)),
       faults_on_gpu_alone},
      {Make::flag({"Placement", "count-migrations", nullptr,
                   "uvm on a GPU: count the bytes that the driver moves, by CUPTI, which slows the run down"},
                  GR_FIELD(backend.count_migrations)),
       faults_on_gpu_alone},
      {Make::size({"Placement", "uvm-fault", "SIZE",
                   "uvm on a CPU: what a page fault brings in at least, a power of two (default 4KiB)"},
                  GR_FIELD(backend.uvm_fault_bytes)),
       faults_on_cpu},
      {Make::size({"Placement", "uvm-prefetch", "SIZE", "uvm on a CPU: and at most, with what lies around it (default 64KiB)"},
                  GR_FIELD(backend.uvm_prefetch_bytes)),
       faults_on_cpu},
      {Make::size({"Placement", "uvm-block", "SIZE",
                   "uvm on a CPU: what is evicted at a time (default 2MiB, less where --cache is below 8MiB)"},
                  GR_FIELD(backend.uvm_block_bytes), 1),
       faults_on_cpu},
      {Make::text(
           {"Placement", "storage", "WHICH",
            "bam: file (default), read by io_uring; ram:PROFILE[:N], a model of N striped drives: " +
                joined(names_in(kDeviceProfiles)) +
                "; cpu: nvme:ADDRESS, a device that holds the .grf, driven through VFIO (docs/storage.md)"},
           GR_FIELD(backend.storage), [](const std::string& typed) { return in_small_letters(typed); }, kStorageForms),
       stored},
      {Make::name(
           {"Placement", "route", "NAME",
            "bam, storage file: direct (default), past the page cache; page-cache, through it; auto, what it holds comes from "
            "it and the rest past it (docs/storage.md)"},
           GR_FIELD(backend.route)),
       {.backends = stored.backends, .by_auto = true}},
      {Make::text(
           {"Placement", "stripe", "FILES",
            "bam, storage file: copies of the .grf on other disks, or its parts (graphconv stripe), with commas between; sssp "
            "then needs weights in the .grf"},
           GR_FIELD(backend.stripe), [](const std::string& typed) { return split_list(typed, ',', "--stripe"); }),
       stored},
      {Make::name({"Placement", "delivery", "HOW",
                   "bam on a GPU: landing (warps copy pages from pinned memory), copies (in batches), cufile (GPUDirect "
                   "Storage), or auto (default: the fastest)"},
                  GR_FIELD(backend.delivery)),
       stored_on_gpu},
      {Make::on_or("off",
                   {"Placement", "bam-coalesce", "on|off",
                    "bam on a GPU: lanes of a warp that want one page ask for it once (default on)"},
                   GR_FIELD(backend.bam_coalesce)),
       stored_on_gpu},
      {Make::on_or("off", {"Placement", "bam-reuse", "on|off", "bam on a GPU: a warp keeps the page it used last (default on)"},
                   GR_FIELD(backend.bam_reuse)),
       stored_on_gpu},
      {Make::name(
           {"Placement", "bam-cache", "NAME",
            "bam: on (default), always (a full cache is read through its pages, not as an array), or on a GPU none (a page is "
            "fetched anew for every use)"},
           GR_FIELD(backend.bam_cache)),
       stored},
      {fabric_option(), fabric},
      {Make::text({"Placement", "remote", "SERVERS",
                   "gpuvm, fabric ofi: read edges from graphmemd: host1:port,host2 for shards, host1|host2 for replicas, "
                   "address1+address2 to share reads, such as interfaces of one server; of the .grf only the vertices are read "
                   "(docs/many.md)"},
                  GR_FIELD(backend.fabric.remote)),
       {.backends = fabric.backends, .when = "fabric ofi", .unmet = no_provider, .required = true}},
      {Make::text({"Placement", "token-file", "FILE",
                   "remote: what the servers want to know (default: the environment variable GRAPHMEMD_TOKEN)"},
                  GR_FIELD(backend.fabric.token_file)),
       {.backends = fabric.backends, .when = "--remote", .unmet = no_servers}},
      {Make::text(
           {"Placement", "fabric-addresses", "ADDRS",
            "fabric ofi without --remote: addresses of this machine, with + between, at which it reads its own memory (default: "
            "loopback; with verbs what is there)"},
           GR_FIELD(backend.fabric.addresses)),
       {.backends = fabric.backends, .when = "fabric ofi without --remote", .unmet = not_its_own_memory}},
      {Make::whole({"Placement", "fabric-endpoints", "N",
                    "fabric ofi: endpoints to each server, over which reads are spread (default 1)"},
                   GR_FIELD(backend.fabric.endpoints), 1, kMostEndpoints),
       ofi},
      {{Make::text(
           {"Placement", "fabric-deadline", "MS",
            "fabric ofi: milliseconds in which a server must go on answering (default 5000)"},
           GR_FIELD(backend.fabric.deadline),
           [](const std::string&
                  typed) { return std::chrono::milliseconds(parse_whole(typed, "--fabric-deadline", 1, kMostDeadlineMs)); })},
       ofi},
      {Make::name({"Placement", "subway-variant", "NAME",
                   "subway: async (default), a subgraph is worked on until nothing in it changes, or sync, once"},
                  GR_FIELD(backend.subway_variant)),
       {.backends = by(EdgeDelivery::gather)}},
      {Make::flag({"Placement", "warm", nullptr, "leave caches as the last trial left them, instead of cold before each"},
                  GR_FIELD(warm))},
      {Make::flag({"Placement", "preload", nullptr,
                   "bam, gpuvm, and uvm on a CPU, with a --cache for all edges: fill it before each trial, outside the clock"},
                  GR_FIELD(preload)),
       {.backends = presets_where([](const Preset& preset) { return preset.tier == EdgeTier::pages; }), .required = true}},
      {Make::name(
          {.group = "Results",
           .name = "verify",
           .argument = "[HOW]",
           .help = "check every answer, outside the clock; a wrong one ends with exit code 1. HOW: properties (default), by all "
                   "host threads; serial, computed anew by one thread",
           .common = kCommon,
           .implied = "properties"},
          GR_FIELD(verify))},
      {Make::whole(
           {"Results", "top", "K", "list the K vertices with the largest scores, the farthest ones, or the K largest components",
            kNoLetter, kCommon},
           GR_FIELD(top), 1, kMostRepetitions),
       {.algorithms = valued, .required = true}},
      {Make::text(
           {"Results", "path-to", "WHICH",
            names_text(searching) + ": list a shortest path to this vertex, which is named as by --source", kNoLetter, kCommon},
           GR_FIELD(path_to), parse_source),
       {.algorithms = searching, .required = true}},
      {{{"Results", "strict", nullptr,
         "exit code 3 where a run ends before it reaches its tolerance, or the vertex of --path-to was not reached"}}},
      {{{.group = "Results",
         .name = "json",
         .argument = "[FILE]",
         .help = "write everything as JSON; '-', or no name, writes it to standard output instead of the table",
         .common = kCommon,
         .implied = "-"}}},
      {{{"Results", "output", "FILE",
         "write the values: .csv, .tsv, .txt, .jsonl, .graphalytics (each also .gz) or .bin (docs/results.md); '-': CSV to "
         "standard output, the table to standard error",
         'o', kCommon}}},
      {{{"Results", "parents", nullptr, "bfs: --output writes parents instead of levels"}}},
      {{{"Results", "quiet", nullptr, "no log but warnings, no progress", 'q', kCommon}}},
      {{{"Results", "verbose", nullptr, "log more"}}},
      {{{"Other", "list", nullptr, "what this machine and build can run; with --json as JSON", kNoLetter, kCommon}}},
      {{{"Other", "plan", nullptr,
         "print what --backend auto would do, with what lies where and what it expects to move, and run nothing"}}},
      {{{"Other", "assume", "LIST",
         "with --plan: print a model of the run over ranks on other hosts, such as hosts=64,memory=512GiB,link=50GB/s; also "
         "ranks, cores, disk, latency, reads (docs/notes/hosts.md)"}}},
      {{{"Other", "describe", nullptr, "all that can be asked for, as JSON: algorithms, backends, options, formats"}}},
      {{{"Other", "version", nullptr, "print version, commit and parts of the build", 'V'}}},
      {{{"Other", "help", nullptr, "print the common options; --help all prints all, --help backend NAME those of a backend", 'h',
         kCommon}}},
  };
  all.insert(all.end(), placed.begin(), placed.end());
  for (RunOption& option : all) {
    const std::string_view name = option.text.name;
    if (name == "undirected") option.text.common = true;
    if (name == "variant") option.text.range.names = variant_names;
    if (name == "chunk") option.unit = "edges";
    if (name == "fabric-deadline") option.unit = "ms";
  }
  return all;
}

template <class T>
bool includes(const std::vector<T>& some, T one) {
  return some.empty() || std::find(some.begin(), some.end(), one) != some.end();
}

/// Returns one reader's part of unused_reason().
std::string read_instead(const ReadBy& by, const RunOptions& options) {
  if (!includes(by.algorithms, options.algorithm)) return info_of(options).facts.name;
  std::string backend = fmt::format("backend {}", backend_name(options));
  if (options.auto_backend && !by.backends.empty()) return by.by_auto ? "" : backend;
  const bool on_gpu = runs_on_gpu(options);
  if (by.device) backend += on_gpu ? " with --device cuda" : " with --device cpu";
  const bool elsewhere = by.device && on_gpu != (*by.device == DeviceKind::cuda);
  if (elsewhere || !includes(by.backends, options.backend.kind)) return backend;
  return by.unmet == nullptr ? "" : by.unmet(options);
}

/// Returns for example "bfs", "--backend gpuvm, fabric ofi".
std::string readers(const ReadBy& by) {
  std::string text = names_text(by.algorithms, " or ");
  if (!by.backends.empty()) text += "--backend " + names_text(by.backends, " or ");
  if (by.device) text += *by.device == DeviceKind::cuda ? " on a GPU" : " on a CPU";
  return *by.when == '\0' ? text : fmt::format("{}, {}", text, by.when);
}

}  // namespace

const std::vector<RunOption>& run_options() {
  static const std::vector<RunOption> kOptions = make_run_options();
  return kOptions;
}

void set_option(RunOptions& options, const std::string& name, const std::string& text) {
  std::vector<std::string_view> known;
  for (const RunOption& option : run_options()) {
    if (option.set && name == option.text.name) return option.set(options, text);
    if (option.set) known.emplace_back(option.text.name);
  }
  raise<UsageError>("there is no option '{}'{}", name, did_you_mean(name, known));
}

std::string unused_reason(const RunOption& option, const RunOptions& options) {
  return option.read_by.required ? "" : read_instead(option.read_by, options);
}

void reject_unused(const RunOptions& options) {
  const RunOptions usual;
  for (const RunOption& option : run_options()) {
    if (!option.read_by.required || option.get(options) == option.get(usual)) continue;
    ReadBy anywhere = option.read_by;
    anywhere.device.reset();
    if (const std::string instead = read_instead(anywhere, options); !instead.empty())
      raise<UsageError>("--{} goes with {}, and not with {}: leave it out", option.text.name, readers(option.read_by), instead);
  }
}

}  // namespace graphrun::inline GR_IDS
