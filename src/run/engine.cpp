#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>

#include "core/raise.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/graphrun.hpp"
#include "graphrun/io/estimate.hpp"
#include "graphrun/run/run.hpp"
#include "graphrun/run/trials.hpp"
#include "run/algorithms/algorithm_info.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// Sets an option of placement, and warns when the backend does not read it.
void set_placement(RunOptions& options, const std::string& name, const std::string& text) {
  set_option(options, name, text);
  const auto& all = run_options();
  const auto option = std::find_if(all.begin(), all.end(), [&](const RunOption& each) { return name == each.text.name; });
  if (option->text.group != std::string_view("Placement") || name == "backend" || name == "device" || name == "memory") {
    raise<UsageError>("EngineOptions::more takes options of placement, and '{}' is none", name);
  }
  if (option->text.argument == nullptr && !text.empty())
    raise<UsageError>("'{}' is a switch: its text is empty, not '{}'", name, text);
  if (const std::string by = why_unread(*option, options); !by.empty())
    log::warn(fmt::format("--{} has no effect on {}", name, by));
}

RunOptions placed_by(const EngineOptions& how) {
  RunOptions options;
  set_option(options, "backend", how.backend);
  set_option(options, "device", how.device);
  if (how.threads != 0) set_option(options, "threads", std::to_string(how.threads));
  for (const auto& [name, text] : how.more) set_placement(options, name, text);
  if (!how.cache.empty()) set_option(options, "cache", how.cache);
  if (!options.auto_backend && preset_of(options.backend.kind).delivery == EdgeDelivery::load)
    options.backend.cache_bytes.reset();
  options.load.check = true;
  check_options(options);
  return options;
}

void start_at(VertexId source, const Graph& graph, RunOptions& options) {
  require_vertex(source, graph);
  options.source = SourceSpec{.kind = SourceSpec::Kind::index, .index = source};
}

}  // namespace

Graph open(const std::string& graph, const LoadOptions& how) {
  ThreadPool pool;
  require_memory(graph, kProgramBytes + estimate_load(graph, how).peak_bytes, std::nullopt,
                 fmt::format("make a container by graphconv {} OUT.grf --memory SIZE, and open that", graph));
  LoadOptions checked = how;
  checked.check = true;
  return load_graph(graph, checked, pool).graph;
}

std::vector<double> SsspAnswer::values() const {
  std::vector<double> all;
  std::visit(
      [&](const auto& distances) {
        constexpr bool kWhole = std::is_integral_v<typename std::decay_t<decltype(distances)>::value_type>;
        all.reserve(distances.size());
        for (const auto distance : distances) {
          const bool unreached = kWhole && static_cast<std::uint64_t>(distance) == kUnreachedDistance;
          all.push_back(unreached ? std::numeric_limits<double>::infinity() : static_cast<double>(distance));
        }
      },
      distances());
  return all;
}

class Engine::Parts {
 public:
  Parts(const Graph& graph, const EngineOptions& how)
      : own_(graph),
        graph_(graph),
        options_(placed_by(how)),
        device_(parse_device(options_.device)),
        cap_(options_.backend.cache_bytes),
        hot_(options_.backend.hot) {
    options_.device = to_string(device_);
    check_gpus(device_, options_.ranks);
    if (device_.gpus() > 1) options_.ranks = device_.gpus();
  }

  /// Options of a run of `algorithm`, which the caller completes.
  RunOptions options_for(Algorithm algorithm, const std::string& variant, int trials, bool verify) const {
    RunOptions options = options_;
    options.algorithm = algorithm;
    if (!variant.empty()) set_option(options, "variant", variant);
    options.trials = trials;
    if (verify) options.verify = VerifyBy::properties;
    return options;
  }
  /// What `what` says of the run, placed as this engine is.
  RunOptions placed(const RunOptions& what) const {
    RunOptions options = options_;
    options.algorithm = what.algorithm;
    options.bfs = what.bfs;
    options.sssp = what.sssp;
    options.cc = what.cc;
    options.pagerank = what.pagerank;
    options.bc = what.bc;
    options.tc = what.tc;
    options.weights = what.weights;
    options.source = what.source;
    options.num_sources = what.num_sources;
    options.starts = what.starts;
    options.keep_answers = what.keep_answers;
    options.batch = what.batch;
    options.trials = what.trials;
    options.verify = what.verify;
    options.top = what.top;
    options.path_to = what.path_to;
    return options;
  }
  const Graph& graph() const { return graph_; }
  /// Of the weights that the graph came with, or else gets.
  WeightKind usual_kind() const { return own_.weight_kind == WeightKind::none ? WeightKind::u32 : own_.weight_kind; }

  RunResult run(RunOptions options) {
    check_options(options);
    if (options.batch && !options.keep_answers && options.num_sources > static_cast<int>(kMostSearches)) {
      raise<UsageError>("an answer has the searches of one --batch, at most {}: ask for so many sources at a time, not {}",
                        kMostSearches, options.num_sources);
    }
    const AlgorithmInfo& algorithm = info_of(options.algorithm);
    RunOptions settled = options;
    algorithm.settle(settled, what_is_known_of(graph_));
    const std::string who = fmt::format("{} by {}", name_of(options.algorithm), variant_name(settled));
    RunResult result;
    over(who, needs_transpose(settled), algorithm.needs_weights(), reads_records(settled), settled, [&] {
      options.backend = options_.backend;
      options.auto_backend = false;  // the plan is made
      result = graphrun::run(graph_, options, session_);
    });
    result.options.auto_backend = options_.auto_backend;
    result.plan = plan_;
    if (made_transpose_) result.graph.transpose = "made";
    return result;
  }

  void run_own(const char* name, const Reads& reads, const std::function<void(Session&)>& body) {
    if (reads.undirected && !graph_.symmetric) {
      raise<UsageError>("{} needs an undirected graph, and {} is directed: open it with LoadOptions::undirected", name,
                        graph_.name);
    }
    const bool reads_weights = reads.weights != WeightKind::none;
    const WeightKind kind = usual_kind();
    if (reads_weights && kind != reads.weights) {
      raise<UsageError>("{} reads weights that are {}, and those of {} are {}", name, name_of(reads.weights), graph_.name,
                        name_of(kind));
    }
    if (reads_weights) bring_weights({}, name);
    RunOptions like = options_;
    like.algorithm = reads_weights ? Algorithm::sssp : Algorithm::pagerank;  // as a plan has them
    like.sssp.variant = SsspVariant::delta_stepping;
    over(name, reads.in_edges, reads_weights, false, like, [&] {
      if (!session_) session_ = open_session(graph_, options_, device_);
      body(*session_);
      check_files_unchanged(graph_);
    });
  }

  /// The weights that are asked for, or the graph's own, else 1 an edge, for algorithm `name`.
  void bring_weights(const std::optional<WeightSource>& asked, const char* name) {
    const WeightSource wanted = asked.value_or(usual_weights(own_.weight_kind));
    if (weights_ == wanted) return;
    ThreadPool pool(options_.threads);
    Graph weighted = own_;
    weighted.in = graph_.in;
    assign_weights(weighted, wanted, pool);
    leave_place(name);  // the session may read the old ones in place
    graph_ = std::move(weighted);
    weights_ = wanted;
    // Those of records were, and those that servers have are not read here.
    weights_are_checked_ = graph_.has_records() || !options_.backend.fabric.remote.empty();
    if (!asked) {
      tell_missing_weights(own_, name);
    } else if (wanted.kind != WeightSource::Kind::file) {
      log::info(fmt::format("{} uses weights {}", name, to_string(wanted)));
    }
  }
  /// The usual weights, once found to be shares by which edges can be drawn.
  void bring_shares(const char* name) {
    bring_weights({}, name);
    if (weights_are_checked_) return;
    ThreadPool pool(options_.threads);
    check_weights_nonnegative(graph_, pool);
    weights_are_checked_ = true;
  }
  std::string weights_in_use() const { return to_string(*weights_); }

 private:
  /// run() over a graph that has its transpose and a place that reaches what run() reads: what one algorithm needed stays for the
  /// next ones. `who` names it. With --backend auto a place is planned when it is made, for the algorithm that `asked` has.
  void over(const std::string& who, bool in_edges, bool weights, bool records, RunOptions asked,
            const std::function<void()>& run) {
    const BackendOptions before = options_.backend;
    BackendOptions& placed = options_.backend;
    const bool reads_in_edges = in_edges && !graph_.symmetric;
    if (reads_in_edges && graph_.transpose() == nullptr) make_transpose(who);
    if ((reads_in_edges && !placed.needs_transpose) || (weights && !placed.needs_weights)) leave_place(who);
    if (placed.records != records) leave_place(who);
    if (records && !graph_.has_records()) make_records(who);
    placed.records = records;
    placed.needs_transpose |= reads_in_edges;
    placed.needs_weights |= weights;
    if (options_.auto_backend && !session_) {
      asked.graph = graph_.name;
      asked.backend = placed;
      asked.backend.cache_bytes = cap_;
      asked.backend.hot = hot_;
      plan_ = plan_run(graph_, asked, device_);
      placed = planned(asked.backend, *plan_);
    }
    try {
      run();
    } catch (...) {
      session_.reset();  // a backend that failed once fails from then on
      options_.backend = before;
      check_files_unchanged(graph_);  // then that is the reason
      throw;
    }
  }

  void make_records(const std::string& who) {
    const Timer timer;
    ThreadPool pool(options_.threads);
    require_memory(fmt::format("{} in the order of weights", graph_.name),
                   records_peak_bytes(graph_.num_vertices(), graph_.num_edges(), !is_balanced(graph_, pool)), std::nullopt,
                   "store that: graphconv --sort weight makes a .grf with it, and with --memory SIZE in little memory");
    check_weights_nonnegative(graph_, pool);
    add_records(graph_, pool);
    log::info(fmt::format("{} reads lists in the order of their weights: these were made in {:.1f} ms", who, timer.elapsed_ms()));
  }

  void leave_place(const std::string& who) {
    if (session_) log::info(fmt::format("{} reads what was not placed yet: the edges are placed again", who));
    session_.reset();
  }

  void make_transpose(const std::string& who) {
    const Timer timer;
    ThreadPool pool(options_.threads);
    const std::uint64_t bytes = graph_.num_vertices() * sizeof(EdgeId) + 2 * graph_.num_edges() * sizeof(VertexId);
    require_memory(fmt::format("the transpose of {}", graph_.name), bytes, std::nullopt,
                   "store it: graphconv makes a .grf with it, and with --memory SIZE in little memory");
    leave_place(who);
    graph_.in = transpose(graph_.out, pool);
    made_transpose_ = true;
    log::info(fmt::format("{} reads in-edges: the transpose was made in {:.1f} ms", who, timer.elapsed_ms()));
  }

  const Graph own_;  ///< as it came, with its own weights
  Graph graph_;
  bool made_transpose_ = false;
  RunOptions options_;  ///< of placement, with what the session reaches
  Device device_;
  std::optional<std::uint64_t> cap_;     ///< of the cache, as it was asked for
  HotEdges hot_;                         ///< as it was asked for
  std::optional<RunPlan> plan_;          ///< of the place that there is, or was
  std::optional<WeightSource> weights_;  ///< that the graph has now; none: its own, unless an algorithm asked for others
  bool weights_are_checked_ = false;     ///< finite and not negative
  std::unique_ptr<Session> session_;
};

Engine::Engine(const Graph& graph, const EngineOptions& options) : parts_(std::make_unique<Parts>(graph, options)) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

BfsAnswer Engine::run(const Bfs& what) {
  RunOptions options = parts_->options_for(Algorithm::bfs, what.variant, what.trials, what.verify);
  start_at(what.source, parts_->graph(), options);
  return BfsAnswer(parts_->run(options));
}

SsspAnswer Engine::run(const Sssp& what) {
  RunOptions options = parts_->options_for(Algorithm::sssp, what.variant, what.trials, what.verify);
  start_at(what.source, parts_->graph(), options);
  options.sssp.delta = what.delta;
  options.sssp.distances = what.distances;
  if (!what.weights.empty()) options.weights = parse_weight_source(what.weights);
  return SsspAnswer(run(options));
}

ComponentsAnswer Engine::run(const ConnectedComponents& what) {
  return ComponentsAnswer(parts_->run(parts_->options_for(Algorithm::cc, what.variant, what.trials, what.verify)));
}

PageRankAnswer Engine::run(const PageRank& what) {
  RunOptions options = parts_->options_for(Algorithm::pagerank, what.variant, what.trials, what.verify);
  options.pagerank.damping = what.damping;
  options.pagerank.tolerance = what.tolerance;
  options.pagerank.stop = what.stop;
  options.pagerank.max_iterations = what.max_iterations;
  options.pagerank.restarts.assign(what.restarts.begin(), what.restarts.end());
  options.pagerank.certify = what.certify;
  return PageRankAnswer(parts_->run(options));
}

BetweennessAnswer Engine::run(const Betweenness& what) {
  RunOptions options = parts_->options_for(Algorithm::bc, what.variant, what.trials, what.verify);
  options.bc.sources.assign(what.sources.begin(), what.sources.end());
  options.bc.definition = what.definition;
  return BetweennessAnswer(parts_->run(options));
}

TrianglesAnswer Engine::run(const Triangles& what) {
  return TrianglesAnswer(parts_->run(parts_->options_for(Algorithm::tc, what.variant, what.trials, what.verify)));
}

OwnAnswer<Sampling> Engine::run(const Sampling& what) {
  const Graph& graph = parts_->graph();
  Sampling once = what;
  once.starts.clear();
  std::unordered_set<VertexId> known;
  for (const VertexId v : what.starts) {
    require_vertex(v, graph);
    if (known.insert(v).second) once.starts.push_back(v);
  }
  for (const std::uint32_t fanout : what.fanouts) {
    if (fanout == 0 || fanout > kMostFanout) raise<UsageError>("a fanout is from 1 to {}, not {}", kMostFanout, fanout);
  }
  if (what.weighted) parts_->bring_shares(Sampling::kName);
  Trial trial;
  Sample sample;
  parts_->run_own(Sampling::kName, {.weights = what.weighted ? parts_->usual_kind() : WeightKind::none},
                  [&](Session& session) { trial = run_sample(session, once, &sample); });
  return {{std::move(trial)}, std::move(sample)};
}

RunResult Engine::run(const RunOptions& what) {
  if (!info_of(what.algorithm).needs_weights()) return parts_->run(parts_->placed(what));
  parts_->bring_weights(what.weights, name_of(what.algorithm));
  RunResult result = parts_->run(parts_->placed(what));
  result.graph.weight_source = parts_->weights_in_use();
  return result;
}

void Engine::run_own(const char* name, const Reads& reads, const std::function<void(Session&)>& body) {
  parts_->run_own(name, reads, body);
}

}  // namespace graphrun::inline GR_IDS
