// Times gpuvm's fabrics on the CPU.
//
//   fabric_suite --providers tcp,shm --pages 4096,8192,65536 --depth 64 --seconds 2
//
// Random pages of another process on this machine, by one thread that asks libfabric itself and keeps so many reads out (what
// fi_rma_bw does, way "plain"), and through the pager with as many asked for ahead. The ways take turns; each line, a JSON
// object, has the pager's rate and its ratio to the plain one's.

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "fabric_plain.hpp"
#include "frame.hpp"
#include "graphrun/cache/host_pager.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/transport/fabric.hpp"

namespace {

using namespace graphrun;

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
    std::vector<double> plain, paged, ratios;
    for (int round = 0; round < rounds; ++round) {
      plain.push_back(read_plainly(plan, exporter.about()));
      paged.push_back(read_by_pager(plan, exporter.about()));
      ratios.push_back(paged.back() / plain.back());
    }
    bench::print_json("measure", "reads", "provider", plan.provider, "page_bytes", page_bytes, "depth", plan.depth, "threads",
                      plan.threads, "endpoints", plan.endpoints, "rounds", rounds, "plain_bytes_per_second", bench::median(plain),
                      "pager_bytes_per_second", bench::median(paged), "ratio", bench::median(ratios));
  }
}

void run(const cxxopts::ParseResult& given) {
  log::set_level(log::Level::quiet);
  for (const std::string& provider : given["providers"].as<bench::Texts>()) {
    const ReadPlan plan{.provider = provider,
                        .bytes = given["megabytes"].as<std::uint64_t>() << 20,
                        .depth = given["depth"].as<std::uint32_t>(),
                        .threads = given["threads"].as<int>(),
                        .endpoints = given["endpoints"].as<int>(),
                        .seconds = given["seconds"].as<double>()};
    measure_reads(plan, given["pages"].as<std::vector<std::uint32_t>>(), std::max(1, given["rounds"].as<int>()));
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace graphrun::bench;
  cxxopts::Options options("fabric_suite", "Times gpuvm's fabrics on the CPU");
  auto add = options.add_options();
  add("providers", "", with_default<Texts>("tcp"));
  add("pages", "bytes", with_default<std::vector<std::uint32_t>>("4096,8192,16384,65536"));
  add("depth", "reads out at a time", with_default<std::uint32_t>("64"));
  add("endpoints", "", with_default<int>("1"));
  add("threads", "", with_default<int>("1"));
  add("megabytes", "that are exported", with_default<std::uint64_t>("512"));
  add("seconds", "of each way and round", with_default<double>("1"));
  add("rounds", "", with_default<int>("5"));
  return run_program(options, argc, argv, run);
}
