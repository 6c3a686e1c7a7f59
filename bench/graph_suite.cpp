// Times the algorithms on graphs that are loaded once, over several backends: figures of docs/performance.md.
//
//   graph_suite --graphs kron:25:16,urand:24:16 --backends incore,emogi --algos bfs,cc --sources 3
//
// One line a (graph, backend, algorithm): median, least and most of all trials in milliseconds, and what moved.
#include <fmt/format.h>

#include <algorithm>
#include <cxxopts.hpp>
#include <random>
#include <string>
#include <vector>

#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/io/load.hpp"
#include "graphrun/run/options.hpp"
#include "graphrun/run/session.hpp"
#include "graphrun/verify/verify.hpp"

namespace {

using namespace graphrun;

struct Plan {
  std::vector<std::string> algos;
  SessionOptions session;
  BfsOptions bfs;
  SsspOptions sssp;
  PagerankOptions pagerank;
  int sources = 3;
  int trials = 3;
  bool verify = false;
};

/// Vertices with out-edges, drawn as GAP draws them.
std::vector<VertexId> pick_sources(const Graph& graph, int count) {
  std::mt19937_64 random(27491095);
  std::vector<VertexId> picked;
  for (std::uint64_t tries = 0; static_cast<int>(picked.size()) < count && tries < (1u << 24); ++tries) {
    const auto v = static_cast<VertexId>(random() % graph.num_vertices());
    if (graph.out.degree(v) != 0) picked.push_back(v);
  }
  return picked;
}

struct Row {
  std::vector<Trial> trials;
  std::string verdict = "unverified";

  void judge(const verify::Verdict& verdict_now) {
    if (!verdict_now)
      verdict = "WRONG: " + verdict_now.reason;
    else if (verdict == "unverified")
      verdict = "verified";
  }
};

Row run_algo(Session& session, const Graph& graph, const std::string& algo, const Plan& plan) {
  Row row;
  if (algo == "bfs") {
    for (const VertexId source : pick_sources(graph, plan.sources)) {
      BfsOutput output;
      row.trials.push_back(session.bfs(source, plan.bfs, plan.verify ? &output : nullptr));
      if (plan.verify) row.judge(verify::check_bfs(graph, output));
    }
  } else if (algo == "sssp") {
    for (const VertexId source : pick_sources(graph, plan.sources)) {
      SsspOutput output;
      row.trials.push_back(session.sssp(source, plan.sssp, plan.verify ? &output : nullptr, nullptr));
      if (plan.verify) row.judge(verify::check_sssp(graph, output));
    }
  } else if (algo == "cc") {
    for (int i = 0; i < plan.trials; ++i) {
      CcOutput output;
      row.trials.push_back(session.cc({}, plan.verify ? &output : nullptr));
      if (plan.verify) row.judge(verify::check_cc(graph, output));
    }
  } else if (algo == "pagerank") {
    for (int i = 0; i < plan.trials; ++i) {
      PagerankOutput output;
      int bits = 0;
      row.trials.push_back(session.pagerank(plan.pagerank, plan.verify ? &output : nullptr, &bits));
      if (plan.verify) {
        row.judge(verify::check_pagerank(graph, output, plan.pagerank.damping, plan.pagerank.tolerance, bits == 32,
                                         row.trials.back().converged));
        double change = 0;  // what one more iteration changes at most, unnormalised: EMOGI's measure
        const auto n = static_cast<double>(graph.num_vertices());
        std::vector<double> next(output.ranks.size(), 0);
        double dangling = 0;
        for (std::size_t u = 0; u < next.size(); ++u) {
          const EdgeId degree = graph.out.degree(static_cast<VertexId>(u));
          if (degree == 0) dangling += output.ranks[u];
          for (EdgeId e = graph.out.offsets[u]; e < graph.out.offsets[u + 1]; ++e) {
            next[graph.out.neighbours[e]] += output.ranks[u] / static_cast<double>(degree);
          }
        }
        for (std::size_t v = 0; v < next.size(); ++v) {
          const double updated = (1 - plan.pagerank.damping) / n + plan.pagerank.damping * (next[v] + dangling / n);
          change = std::max(change, n * std::abs(updated - output.ranks[v]));
        }
        row.verdict += fmt::format(", largest change of a rank times n {:.2e}", change);
      }
    }
  } else {
    throw UsageError(fmt::format("there is no algorithm '{}': bfs, sssp, cc, pagerank", algo));
  }
  return row;
}

void print(const std::string& graph, const std::string& backend, const std::string& algo, const Row& row) {
  std::vector<double> times;
  for (const Trial& trial : row.trials) times.push_back(trial.elapsed_ms);
  std::sort(times.begin(), times.end());
  const Trial& last = row.trials.back();
  std::string moved = "-";
  if (last.moved.bytes) {
    const double rate = static_cast<double>(*last.moved.bytes) / (last.elapsed_ms * 1e6);
    moved = fmt::format("{} ({:.1f} GB/s)", format_bytes(*last.moved.bytes), rate);
  }
  fmt::print(
      "{:<16} {:<8} {:<9} median {:>9.2f}  min {:>9.2f}  max {:>9.2f} ms  trials {:>2}  iterations {:>5}  "
      "examined {:>8.1f} M  moved {:<24} {}",
      graph, backend, algo, times[times.size() / 2], times.front(), times.back(), times.size(), last.stats.iterations,
      static_cast<double>(last.stats.edges_examined) / 1e6, moved, row.verdict);
  for (const Phase& phase : last.phases) fmt::print("  {} {:.2f}", phase.name, phase.elapsed_ms);
  fmt::print("\n");
  std::fflush(stdout);
}

int run(int argc, char** argv) {
  cxxopts::Options options("graph_suite", "Times algorithms on graphs that are loaded once");
  options.add_options()("graphs", "files or generators", cxxopts::value<std::vector<std::string>>()->default_value("kron:20:16"))(
      "backends", "", cxxopts::value<std::vector<std::string>>()->default_value("incore,emogi"))(
      "algos", "", cxxopts::value<std::vector<std::string>>()->default_value("bfs,sssp,cc,pagerank"))(
      "device", "", cxxopts::value<std::string>()->default_value("auto"))(
      "threads", "", cxxopts::value<int>()->default_value("0"))("sources", "searches of bfs and sssp",
                                                                cxxopts::value<int>()->default_value("3"))(
      "trials", "runs of cc and pagerank", cxxopts::value<int>()->default_value("3"))(
      "layout", "csr or balanced", cxxopts::value<std::string>()->default_value("balanced"))(
      "access", "naive, merged or aligned", cxxopts::value<std::string>()->default_value("aligned"))(
      "subway-variant", "sync or async", cxxopts::value<std::string>()->default_value("async"))(
      "cache", "most edge bytes in the fast tier", cxxopts::value<std::string>())(
      "chunk", "edges", cxxopts::value<EdgeId>()->default_value("0"))("push", "bfs without pull steps")(
      "weights", "", cxxopts::value<std::string>()->default_value("random:1"))(
      "delta", "", cxxopts::value<double>()->default_value("0"))("tolerance", "",
                                                                 cxxopts::value<double>()->default_value("1e-4"))(
      "max-iterations", "", cxxopts::value<std::uint64_t>()->default_value("1000"))("dedup", "drop duplicates and self loops")(
      "warm", "")("verify", "check every answer")("help", "");
  const auto given = options.parse(argc, argv);
  if (given.count("help")) {
    fmt::print("{}\n", options.help());
    return 0;
  }
  Plan plan;
  plan.algos = given["algos"].as<std::vector<std::string>>();
  plan.sources = given["sources"].as<int>();
  plan.trials = given["trials"].as<int>();
  plan.verify = given.count("verify") != 0;
  plan.session.device = parse_device(given["device"].as<std::string>());
  plan.session.threads = given["threads"].as<int>();
  plan.session.warm = given.count("warm") != 0;
  plan.session.backend.layout = parse_name<Layout>(given["layout"].as<std::string>());
  plan.session.backend.chunk_edges = given["chunk"].as<EdgeId>();
  plan.session.backend.access = parse_name<Access>(given["access"].as<std::string>());
  plan.session.backend.subway_variant = parse_name<SubwayVariant>(given["subway-variant"].as<std::string>());
  if (given.count("cache")) plan.session.backend.cache_bytes = parse_bytes(given["cache"].as<std::string>());
  plan.session.backend.needs_transpose = true;
  if (given.count("push")) plan.bfs.variant = BfsVariant::push;
  plan.sssp.delta = given["delta"].as<double>();
  plan.pagerank.tolerance = given["tolerance"].as<double>();
  plan.pagerank.max_iterations = given["max-iterations"].as<std::uint64_t>();
  const bool weighted = std::find(plan.algos.begin(), plan.algos.end(), "sssp") != plan.algos.end();

  ThreadPool pool;
  for (const std::string& spec : given["graphs"].as<std::vector<std::string>>()) {
    LoadOptions how;
    how.need_transpose = true;
    how.drop_self_loops = how.drop_duplicates = given.count("dedup") != 0;
    Loaded loaded = load_graph(spec, how, pool);
    const Timer timer;
    if (weighted) assign_weights(loaded.graph, parse_weight_source(given["weights"].as<std::string>()), pool);
    log::info(fmt::format("{}: {} vertices, {} edges; read {:.0f} ms, build {:.0f} ms, weights {:.0f} ms", spec,
                          loaded.graph.num_vertices(), loaded.graph.num_edges(), loaded.times.read_ms, loaded.times.build_ms,
                          timer.elapsed_ms()));
    for (const std::string& backend : given["backends"].as<std::vector<std::string>>()) {
      plan.session.backend.kind = parse_name<BackendKind>(backend);
      plan.session.backend.needs_weights = weighted;
      const Timer placing;
      const auto session = open_session(loaded.graph, plan.session);
      log::info(fmt::format("{}: placed in {:.0f} ms", session->description(), placing.elapsed_ms()));
      for (const std::string& algo : plan.algos) print(spec, backend, algo, run_algo(*session, loaded.graph, algo, plan));
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
