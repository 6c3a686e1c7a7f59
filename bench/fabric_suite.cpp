// Times gpuvm's fabrics on the CPU.
//
//   fabric_suite --measures reads --providers tcp,shm --pages 4096,8192,65536 --depth 64 --seconds 2
//   fabric_suite --measures memory --graphs kron:20:16 --rounds 7
//
// reads: random pages of another process on this machine, by one thread that asks libfabric itself and keeps so many reads out
// (what fi_rma_bw does, way "plain"), and through the pager with as many asked for ahead. The ways take turns; each line has the
// pager's rate and its ratio to the plain one's. memory: fabric memory beside backend incore, with everything in the cache:
// trials take turns, and each line has the medians of both and the median of the ratios of neighbours. "warm" has all pages in
// their frames before, "cold" none.
//
// One JSON object a line.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <cxxopts.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fabric_exporter.hpp"
#include "frame.hpp"
#include "graphrun/cache/host_pager.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/io/load.hpp"
#include "graphrun/run/trials.hpp"
#include "graphrun/transport/fabric.hpp"
#include "plain_fabric_reader.hpp"

namespace {

using namespace graphrun;

// Reads.

struct ReadPlan {
  std::string provider;
  std::uint64_t bytes = 0;
  std::uint32_t page_bytes = 0;
  std::uint32_t depth = 0;
  int threads = 1;
  int endpoints = 1;
  double seconds = 0;
};

std::uint64_t random_page(int rank, std::uint64_t i, std::uint64_t pages) {
  return splitmix64(static_cast<std::uint64_t>(rank), i, 0) % pages;
}

void expect_first_word(const std::byte* page, std::uint64_t number, const ReadPlan& plan) {
  std::uint64_t word = 0;
  std::memcpy(&word, page, sizeof(word));
  if (word != number * (plan.page_bytes / sizeof(word))) throw RunError(fmt::format("page {} has the bytes of another", number));
}

/// Bytes a second by a thread that does nothing else.
double read_plainly(const ReadPlan& plan, const FabricServer& server) {
  PlainFabricReader reader(plan.provider, server, plan.endpoints, plan.page_bytes, plan.depth);
  const std::uint64_t pages = plan.bytes / plan.page_bytes;
  std::vector<std::uint64_t> page_of(plan.depth);
  std::uint64_t asked = 0;
  std::uint64_t came = 0;
  const Timer timer;
  const auto ask = [&](std::size_t slot) {
    page_of[slot] = random_page(0, asked++, pages);
    reader.ask(slot, page_of[slot] * plan.page_bytes);
  };
  for (std::size_t slot = 0; slot < plan.depth; ++slot) ask(slot);
  while (timer.elapsed_ms() < plan.seconds * 1e3) {
    reader.for_each_arrival([&](std::size_t slot) {
      expect_first_word(reader.data(slot), page_of[slot], plan);
      ++came;
      ask(slot);
    });
  }
  const double seconds = timer.elapsed_ms() / 1e3;
  for (std::uint64_t arrived = came; arrived < asked;) reader.for_each_arrival([&](std::size_t) { ++arrived; });
  return static_cast<double>(came * plan.page_bytes) / seconds;
}

/// The same through a cache of an eighth of the bytes; every miss is a page.
double read_by_pager(const ReadPlan& plan, const FabricServer& server) {
  ThreadPool pool(plan.threads);
  PagerOptions options{.page_bytes = plan.page_bytes, .cache_bytes = plan.bytes / 8, .workers = plan.threads};
  options.queue_depth = 2 * plan.depth;  // of which prefetching fills half
  std::vector<PagedColumn> columns{{0, plan.bytes, 0}};
  HostPager pager(options, columns, [&](std::uint32_t depth) {
    return open_fabric_engine({plan.provider, {{server}}, plan.endpoints}, depth);
  });
  const std::uint64_t pages = plan.bytes / plan.page_bytes;
  const std::uint64_t ahead = std::max<std::uint64_t>(1, plan.depth / static_cast<std::uint32_t>(plan.threads));
  const auto work = [&](int rank, double seconds) {
    const Timer timer;
    for (std::uint64_t i = 0; i + 1 < ahead; ++i) pager.prefetch(random_page(rank, i, pages));
    for (std::uint64_t i = 0; i % 64 != 0 || timer.elapsed_ms() < seconds * 1e3; ++i) {
      pager.prefetch(random_page(rank, i + ahead - 1, pages));
      const PageId page = random_page(rank, i, pages);
      expect_first_word(pager.acquire(page), page, plan);
      pager.release(page);
    }
  };
  pool.run([&](int rank) { work(rank, 0.2); });  // frames get their memory, and endpoints their connections
  pager.reset_counters();
  const Timer timer;
  pool.run([&](int rank) { work(rank, plan.seconds); });
  return static_cast<double>(pager.counters().bytes_read) / (timer.elapsed_ms() / 1e3);
}

void measure_reads(ReadPlan plan, const std::vector<std::uint32_t>& pages, int rounds) {
  const FabricExporter exporter(plan.provider, plan.bytes, plan.endpoints);
  for (const std::uint32_t page_bytes : pages) {
    plan.page_bytes = page_bytes;
    std::vector<double> plain;
    std::vector<double> paged;
    std::vector<double> ratios;
    for (int round = 0; round < rounds; ++round) {
      plain.push_back(read_plainly(plan, exporter.about()));
      paged.push_back(read_by_pager(plan, exporter.about()));
      ratios.push_back(paged.back() / plain.back());
    }
    fmt::print(
        "{{\"measure\": \"reads\", \"provider\": \"{}\", \"page_bytes\": {}, \"depth\": {}, \"threads\": {}, \"endpoints\": {}, "
        "\"rounds\": {}, \"plain_bytes_per_second\": {:.0f}, \"pager_bytes_per_second\": {:.0f}, \"ratio\": {:.3f}}}\n",
        plan.provider, page_bytes, plan.depth, plan.threads, plan.endpoints, rounds, bench::median(plain), bench::median(paged),
        bench::median(ratios));
    std::fflush(stdout);
  }
}

// Memory beside incore.

using RunOne = std::function<double(Session&)>;

std::vector<std::pair<std::string, RunOne>> algorithms(VertexId source) {
  return {{"bfs", [source](Session& session) { return run_bfs(session, source, {}, nullptr).elapsed_ms; }},
          {"sssp", [source](Session& session) { return run_sssp(session, source, {}, nullptr, nullptr).elapsed_ms; }},
          {"cc", [](Session& session) { return run_cc(session, {}, nullptr).elapsed_ms; }},
          {"pagerank", [](Session& session) {
             const Trial trial = run_pagerank(session, {.tolerance = 1e-30, .max_iterations = 10}, nullptr, nullptr);
             return trial.elapsed_ms;
           }}};
}

void measure_memory(const std::string& spec, int rounds, int threads) {
  ThreadPool pool(threads);
  Graph graph = load_graph(spec, {}, pool).graph;
  assign_weights(graph, parse_weight_source("random:1"), pool);
  const VertexId source = max_degree_vertex(graph.out, pool);
  for (const bool warm : {true, false}) {
    const auto open = [&](BackendKind kind) {
      SessionOptions options;
      options.threads = threads;
      options.warm = warm;
      options.backend.kind = kind;
      options.backend.needs_weights = true;
      return open_session(graph, options);
    };
    const auto incore = open(BackendKind::incore);
    const auto memory = open(BackendKind::gpuvm);
    for (const auto& [name, run] : algorithms(source)) {
      run(*incore), run(*memory);
      std::vector<double> base;
      std::vector<double> paged;
      std::vector<double> ratios;
      for (int round = 0; round < rounds; ++round) {
        base.push_back(run(*incore));
        paged.push_back(run(*memory));
        ratios.push_back(paged.back() / base.back());
      }
      fmt::print(
          "{{\"measure\": \"memory\", \"graph\": \"{}\", \"algo\": \"{}\", \"state\": \"{}\", \"threads\": {}, \"rounds\": {}, "
          "\"incore_ms\": {:.3f}, \"gpuvm_ms\": {:.3f}, \"least_incore_ms\": {:.3f}, \"least_gpuvm_ms\": {:.3f}, \"ratio\": "
          "{:.3f}}}\n",
          spec, name, warm ? "warm" : "cold", threads, rounds, bench::median(base), bench::median(paged),
          *std::min_element(base.begin(), base.end()), *std::min_element(paged.begin(), paged.end()), bench::median(ratios));
      std::fflush(stdout);
    }
  }
}

void run(const cxxopts::ParseResult& given) {
  log::set_level(log::Level::quiet);
  const int threads = given["threads"].as<int>();
  const int rounds = std::max(1, given["rounds"].as<int>());
  for (const std::string& measure : given["measures"].as<std::vector<std::string>>()) {
    if (measure == "reads") {
      for (const std::string& provider : given["providers"].as<std::vector<std::string>>()) {
        ReadPlan plan;
        plan.provider = provider;
        plan.bytes = given["megabytes"].as<std::uint64_t>() << 20;
        plan.depth = given["depth"].as<std::uint32_t>();
        plan.threads = threads;
        plan.endpoints = given["endpoints"].as<int>();
        plan.seconds = given["seconds"].as<double>();
        measure_reads(plan, given["pages"].as<std::vector<std::uint32_t>>(), rounds);
      }
    } else if (measure == "memory") {
      for (const std::string& graph : given["graphs"].as<std::vector<std::string>>()) measure_memory(graph, rounds, threads);
    } else {
      throw UsageError(fmt::format("there is no measure '{}': reads, memory", measure));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  cxxopts::Options options("fabric_suite", "Times gpuvm's fabrics on the CPU");
  options.add_options()("measures", "reads, memory", cxxopts::value<std::vector<std::string>>()->default_value("reads,memory"))(
      "providers", "", cxxopts::value<std::vector<std::string>>()->default_value("tcp"))(
      "pages", "bytes", cxxopts::value<std::vector<std::uint32_t>>()->default_value("4096,8192,16384,65536"))(
      "depth", "reads out at a time", cxxopts::value<std::uint32_t>()->default_value("64"))(
      "endpoints", "", cxxopts::value<int>()->default_value("1"))("threads", "", cxxopts::value<int>()->default_value("1"))(
      "megabytes", "that are exported", cxxopts::value<std::uint64_t>()->default_value("512"))(
      "seconds", "of each way and round", cxxopts::value<double>()->default_value("1"))(
      "graphs", "", cxxopts::value<std::vector<std::string>>()->default_value("kron:18:16"))(
      "rounds", "", cxxopts::value<int>()->default_value("5"));
  return graphrun::bench::run_program(options, argc, argv, run);
}
