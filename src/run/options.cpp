#include "graphrun/run/options.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "backend/bam_nvme.hpp"
#include "backend/bam_storage.hpp"
#include "backend/fabric_edges.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/transport/fabric.hpp"

namespace graphrun {
namespace {

constexpr std::array kAlgorithms = {Algorithm::bfs, Algorithm::sssp, Algorithm::cc, Algorithm::pagerank};
constexpr std::array kBackends = {BackendKind::incore, BackendKind::emogi, BackendKind::uvm,
                                  BackendKind::bam,    BackendKind::gpuvm, BackendKind::subway};
constexpr std::array kAccesses = {Access::naive, Access::merged, Access::aligned};
constexpr std::array kAdvises = {UvmAdvise::none, UvmAdvise::read_mostly, UvmAdvise::accessed_by, UvmAdvise::prefetch};
constexpr std::array kLayouts = {Layout::csr, Layout::balanced};
constexpr std::array kIdPolicies = {IdPolicy::automatic, IdPolicy::keep, IdPolicy::compact, IdPolicy::names};
constexpr std::array kSubwayVariants = {SubwayVariant::sync, SubwayVariant::async};
constexpr std::array kBfsVariants = {BfsVariant::direction_optimizing, BfsVariant::push};
constexpr std::array kCcVariants = {CcVariant::afforest, CcVariant::hooking};
constexpr std::array kPagerankVariants = {PagerankVariant::pull, PagerankVariant::push};
constexpr std::string_view kDeltaStepping = "delta-stepping";
constexpr const char* kBellmanFord = "bellman-ford";  // of subway, without a choice

constexpr ShortForm kShortForms[] = {{"pr", "pagerank"}, {"wcc", "cc"}, {"direction-optimising", "direction-optimizing"}};

template <class Choices>
auto choose(const Choices& choices, const std::string& text, const std::string& what) {
  std::vector<std::string_view> names;
  for (const auto choice : choices) names.emplace_back(name_of(choice));
  return choices[choose_name(text, what, names, kShortForms)];
}

}  // namespace

const char* name_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::bfs:
      return "bfs";
    case Algorithm::sssp:
      return "sssp";
    case Algorithm::cc:
      return "cc";
    case Algorithm::pagerank:
      return "pagerank";
  }
  return "?";
}

const char* name_of(IdPolicy policy) {
  switch (policy) {
    case IdPolicy::automatic:
      return "auto";
    case IdPolicy::keep:
      return "keep";
    case IdPolicy::compact:
      return "compact";
    case IdPolicy::names:
      return "names";
  }
  return "?";
}

const char* name_of(BfsVariant variant) { return variant == BfsVariant::push ? "push" : "direction-optimizing"; }
const char* name_of(CcVariant variant) { return variant == CcVariant::hooking ? "hooking" : "afforest"; }
const char* name_of(PagerankVariant variant) { return variant == PagerankVariant::push ? "push" : "pull"; }

Algorithm parse_algorithm(const std::string& text) { return choose(kAlgorithms, text, "algorithm"); }
BackendKind parse_backend(const std::string& text) { return choose(kBackends, text, "backend"); }
Access parse_access(const std::string& text) { return choose(kAccesses, text, "access"); }
UvmAdvise parse_uvm_advise(const std::string& text) { return choose(kAdvises, text, "UVM advice"); }
Layout parse_layout(const std::string& text) { return choose(kLayouts, text, "layout"); }
IdPolicy parse_id_policy(const std::string& text) { return choose(kIdPolicies, text, "policy for ids"); }
SubwayVariant parse_subway_variant(const std::string& text) { return choose(kSubwayVariants, text, "variant of subway"); }

SourceSpec parse_source(const std::string& text) {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  SourceSpec spec;
  if (spells(text, "max-degree")) return spec;
  const std::size_t colon = text.find(':');
  const std::string word = text.substr(0, colon);
  const std::string number = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (spells(word, "random")) {
    spec.kind = SourceSpec::Kind::random;
    if (colon != std::string::npos) spec.seed = parse_whole(number, "the seed of random sources", 0, kMost);
  } else if (spells(word, "index") && colon != std::string::npos) {
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

void set_variant(RunOptions& options, const std::string& name) {
  switch (options.algorithm) {
    case Algorithm::bfs:
      options.bfs.variant = choose(kBfsVariants, name, "variant of bfs");
      return;
    case Algorithm::sssp:
      choose_name(name, "variant of sssp", std::span(&kDeltaStepping, 1));
      return;
    case Algorithm::cc:
      options.cc.variant = choose(kCcVariants, name, "variant of cc");
      return;
    case Algorithm::pagerank:
      options.pagerank.variant = choose(kPagerankVariants, name, "variant of pagerank");
      return;
  }
}

bool orders_by_distance(const RunOptions& options) { return options.backend.kind != BackendKind::subway; }

const char* variant_name(const RunOptions& options) {
  switch (options.algorithm) {
    case Algorithm::bfs:
      return name_of(options.bfs.variant);
    case Algorithm::sssp:
      return orders_by_distance(options) ? kDeltaStepping.data() : kBellmanFord;
    case Algorithm::cc:
      return name_of(options.cc.variant);
    case Algorithm::pagerank:
      return name_of(options.pagerank.variant);
  }
  return "?";
}

bool needs_transpose(const RunOptions& options) {
  switch (options.algorithm) {
    case Algorithm::bfs:
      return options.bfs.variant == BfsVariant::direction_optimizing && !corrects_labels(options.backend);
    case Algorithm::sssp:
      return false;
    case Algorithm::cc:
      return options.cc.variant == CcVariant::afforest;
    case Algorithm::pagerank:
      return options.pagerank.variant == PagerankVariant::pull;
  }
  return false;
}

std::uint64_t parse_whole(const std::string& text, const std::string& what, std::uint64_t low, std::uint64_t high) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, value);
  const bool is_number = status != std::errc::invalid_argument && rest == end;
  if (is_number && status == std::errc{} && value >= low && value <= high) return value;
  const std::string range = high == std::numeric_limits<std::uint64_t>::max()
                                ? fmt::format("a whole number of at least {}", low)
                                : fmt::format("a whole number from {} to {}", low, high);
  throw UsageError(fmt::format("{} must be {}, not '{}'", what, range, text));
}

double parse_real(const std::string& text, const std::string& what) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc{} || rest != end || !std::isfinite(value))
    throw UsageError(fmt::format("{} must be a number, not '{}'", what, text));
  return value;
}

std::string canonical_fabric(const std::string& text) {
  constexpr std::string_view kNames[] = {"auto", "memory", "sm", "proxy", "ofi:PROVIDER"};
  const std::string small = in_small_letters(text);
  const auto provider = fabric_provider(small);
  if (!provider) return std::string(kNames[choose_name(text, "fabric", kNames)]);
  check_provider_name(*provider, "--fabric ofi:PROVIDER");
  return small;
}

void check_options(const RunOptions& options) {
  const auto require = [](bool holds, const std::string& sentence) {
    if (!holds) throw UsageError(sentence);
  };
  const auto& pagerank = options.pagerank;
  require(options.threads >= 0, fmt::format("--threads must not be negative, but is {}", options.threads));
  require(options.trials >= 1, fmt::format("--trials must be at least 1, not {}", options.trials));
  require(options.num_sources >= 1, fmt::format("--sources must be at least 1, not {}", options.num_sources));
  require(options.num_sources == 1 || options.source.kind == SourceSpec::Kind::random,
          fmt::format("--sources {} needs --source random:SEED, because {} names only one", options.num_sources,
                      to_string(options.source)));
  require(options.sssp.delta >= 0 && std::isfinite(options.sssp.delta),
          fmt::format("--delta must be a positive number, or 0 to have it chosen, not {}", options.sssp.delta));
  require(pagerank.damping > 0 && pagerank.damping < 1,
          fmt::format("--damping must lie between 0 and 1, both excluded, but is {}", pagerank.damping));
  require(pagerank.tolerance > 0 && std::isfinite(pagerank.tolerance),
          fmt::format("--tolerance must be a positive number, not {}", pagerank.tolerance));
  require(pagerank.max_iterations >= 1, "--max-iterations must be at least 1");
  require(options.backend.fabric.remote.empty() || !(options.load.undirected || options.load.bipartite ||
                                                     options.load.drop_self_loops || options.load.drop_duplicates),
          "--remote reads the edges of a .grf as they are: leave out what changes the graph, such as --undirected");
  require(options.backend.fabric.remote.empty() || options.backend.kind == BackendKind::gpuvm,
          fmt::format("--remote reads edges for --backend gpuvm, not for {}: choose that backend, or leave --remote out",
                      name_of(options.backend.kind)));
  if (options.backend.kind == BackendKind::bam && !nvme_address(options.backend.storage)) parse_storage(options.backend.storage);
  if (options.backend.kind == BackendKind::gpuvm) {
    canonical_fabric(options.backend.fabric.name);
    check_fabric(options.backend.fabric);
  }
}

}  // namespace graphrun
