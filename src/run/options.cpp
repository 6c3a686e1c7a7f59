// SPDX-License-Identifier: Apache-2.0

#include "graphrun/run/options.hpp"

#include <fmt/format.h>

#include <bit>
#include <limits>
#include <string_view>
#include <utility>

#include "algorithms/algorithm.hpp"
#include "backend/bam_nvme.hpp"
#include "backend/bam_storage.hpp"
#include "backend/fabric_edges.hpp"
#include "core/raise.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/transport/fabric.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::uint64_t kMostBamDepth = 4096;
constexpr std::uint64_t kMostCommands = 1 << 20;  // in all queues of a fabric: 100 MiB

}  // namespace

SourceSpec parse_source(const std::string& text) {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  SourceSpec spec;
  if (spells(text, "max-degree")) return spec;
  const std::size_t colon = text.find(':');
  const std::string word = text.substr(0, colon);
  const std::string number = colon == std::string::npos ? "" : text.substr(colon + 1);
  const bool several = text.find(',') != std::string::npos;
  if (spells(word, "random") && !several) {
    spec.kind = SourceSpec::Kind::random;
    if (colon != std::string::npos) spec.seed = parse_whole(number, "the seed of random sources", 0, kMost);
  } else if (spells(word, "index") && colon != std::string::npos && !several) {
    spec.kind = SourceSpec::Kind::index;
    spec.index = parse_whole(number, "N in --source index:N", 0, kMost);
  } else {
    spec.kind = SourceSpec::Kind::name;
    spec.name = text;
  }
  return spec;
}

std::string to_string(const SourceSpec& source) {
  switch (source.kind) {
    case SourceSpec::Kind::name:
      return source.name;
    case SourceSpec::Kind::index:
      return fmt::format("index:{}", source.index);
    case SourceSpec::Kind::max_degree:
      return "max-degree";
    case SourceSpec::Kind::random:
      return fmt::format("random:{}", source.seed);
  }
  return "?";
}

std::string to_string(const WeightSource& source) {
  switch (source.kind) {
    case WeightSource::Kind::file:
      return "file";
    case WeightSource::Kind::unit:
      return "unit";
    case WeightSource::Kind::truth:
      return "truth";
    case WeightSource::Kind::random:
      break;
  }
  const WeightSource usual;
  if (source.low == usual.low && source.high == usual.high) return fmt::format("random:{}", source.seed);
  return fmt::format("random:{}:{}:{}", source.seed, source.low, source.high);
}

RunOptions usual_options() {
  RunOptions options;
  options.load.check = true;
  options.auto_backend = true;
  return options;
}

const char* backend_name(const RunOptions& options) { return options.auto_backend ? "auto" : name_of(options.backend.kind); }

std::vector<std::string_view> variants_of(Algorithm algorithm) { return info_of(algorithm).variants(); }

bool has_sources(Algorithm algorithm) { return info_of(algorithm).facts.has_sources; }

std::string why_no_values(Algorithm algorithm) { return info_of(algorithm).facts.why_no_values; }

int ranks_of(const RunOptions& options) { return options.processes == nullptr ? options.ranks : options.processes->size(); }

bool reads_records(const RunOptions& options) { return info_of(options).reads_records(options); }

bool walks_records(const RunOptions& options) {
  return decodes(preset_of(options.backend.kind), false) && options.backend.fabric.remote.empty();
}

void check_options(const RunOptions& options) {
  const auto require = []<class... Args>(bool holds, fmt::format_string<Args...> sentence, Args&&... args) {
    if (!holds) raise<UsageError>(sentence, std::forward<Args>(args)...);
  };
  require(options.threads >= 0, "--threads must not be negative, but is {}", options.threads);
  require(options.trials >= 1, "--trials must be at least 1, not {}", options.trials);
  require(options.num_sources >= 0, "--sources must be at least 1, not {}", options.num_sources);
  require(options.ranks >= 1, "--ranks must be at least 1, not {}", options.ranks);
  merge_rule(options.load);
  const AlgorithmInfo& algorithm = info_of(options);
  require(options.ranks == 1 || options.processes == nullptr, "--ranks divides one process, and these are several: leave it out");
  require(ranks_of(options) == 1 || !corrects_labels(options.backend),
          "several ranks meet after each step, which asynchronous subgraphs do not have: choose --subway-variant sync");
  const bool reads_sources = algorithm.facts.has_sources || algorithm.facts.source_set != nullptr;
  if (options.num_sources > 1 && reads_sources) {
    const bool is_random = options.source && options.source->kind == SourceSpec::Kind::random;
    require(!options.source || is_random, "--sources {} draws at random and goes with --source random:SEED, not with {}",
            options.num_sources, to_string(options.source.value_or(SourceSpec{})));
    require(options.source || algorithm.facts.needs_sources,
            "--sources {} needs --source random:SEED, because without it {} restarts everywhere", options.num_sources,
            algorithm.facts.name);
  }
  require(!reads_records(options) || walks_records(options),
          "variant {} of {} reads lists in the order of their weights, over every backend but subway and without "
          "--remote",
          algorithm.variant(options), algorithm.facts.name);
  for (const auto& [name, each] : ChoicesOf<Algorithm>::kAll) info_of(each).check_options(options);
  reject_unused(options);
  require(!options.batch || (options.top == 0 && !options.path_to),
          "--top and --path-to go with searches one by one: leave out --batch");
  require(options.checkpoint.empty() || (options.trials == 1 && !options.batch),
          "--checkpoint goes with one trial: leave out --trials and --batch");
  require(options.checkpoint.empty() || !algorithm.facts.has_sources || options.num_sources <= 1,
          "--checkpoint goes with one source of {}: leave out --sources", algorithm.facts.name);
  require(options.checkpoint.empty() || !reads_records(options), "--checkpoint saves no state of variant {}: choose another",
          algorithm.variant(options));
  require(!options.path_to || options.num_sources <= 1, "--path-to goes with one source: leave out --sources");
  require(options.backend.fabric.remote.empty() || !(options.load.undirected || options.load.bipartite ||
                                                     options.load.drop_self_loops || merge_rule(options.load) != MergeRule::keep),
          "--remote reads the edges of a .grf as they are: leave out what changes the graph, such as --undirected");
  const BackendOptions backend = with_defaults(options.backend);
  require(std::has_single_bit(backend.doorbell_batch), "--doorbell-batch must be a power of two, not {}", backend.doorbell_batch);
  const EdgeSource source = preset_of(backend.kind).source;
  if (source == EdgeSource::storage) {
    const bool is_nvme = nvme_address(backend.storage).has_value();
    require(!is_nvme || backend.route == Route::direct, "--route is a way to files, and a device of --storage nvme is none");
    if (!is_nvme) parse_storage(backend.storage, backend.route);
    require(backend.queue_depth <= kMostBamDepth, "--queue-depth of bam is at most {}, not {}", kMostBamDepth,
            backend.queue_depth);
  }
  if (source == EdgeSource::fabric) {
    require(backend.queue_depth != 1, "--queue-depth of gpuvm is at least 2");
    const std::uint64_t commands = std::uint64_t{backend.queues} * backend.queue_depth;
    require(commands <= kMostCommands, "--queues {} with --queue-depth {} are {} commands out at a time, and {} are the most",
            backend.queues, backend.queue_depth, commands, kMostCommands);
    check_fabric(backend.fabric);
  }
}

}  // namespace graphrun::inline GR_IDS
