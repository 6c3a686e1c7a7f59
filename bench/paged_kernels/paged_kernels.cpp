// Times kernels that do little but read: over paged arrays, over memory that the driver or the kernel of the system pages, and
// after bulk copies (Nazaraliyev et al., GPUVM, sections 5.1 and 5.3).
//
//   paged_kernels --kernels mvt,atax,bicg,va --size 4GiB                     (figure 13)
//   paged_kernels --kernels va --size 4GiB --cache 12GiB,6GiB --ways sm      (less near memory than arrays)
//   paged_kernels --kernels sum --ways sm,proxy,chunks --pages 4KiB,16KiB    (figure 8)
//   paged_kernels --kernels sum --ways proxy --queues 1,8,48,84              (queues)
//
// Every run begins with nothing in near memory and ends when what was written is back. All results are checked, outside the
// clock, against ones computed apart. One JSON object a line, for a kernel and a way, with the median of the trials.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cxxopts.hpp>
#include <string>
#include <vector>

#include "../frame.hpp"
#include "graphrun/cache/paged_column.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "ways.hpp"

namespace graphrun::bench {
namespace {

using Names = std::vector<std::string>;

struct Request {
  Names kernels;
  Names ways;
  bool on_gpu = false;
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> caches;  ///< none: room for everything
  std::vector<std::uint32_t> pages;
  std::vector<std::uint32_t> queues;
  WayPlan plan;
  int trials = 1;
};

/// What came out so far.
struct Tally {
  int rows = 0;
  std::uint64_t wrong = 0;
};

const std::vector<WayKind>& known_ways(bool on_gpu) { return on_gpu ? gpu_ways() : cpu_ways(); }

WayKind find_way(const std::string& name, bool on_gpu) {
  std::string names;
  for (const WayKind& kind : known_ways(on_gpu)) {
    if (kind.name == name) return kind;
    names += (names.empty() ? "" : ", ") + kind.name;
  }
  throw UsageError(fmt::format("there is no way '{}' on a {}: {}", name, on_gpu ? "GPU" : "CPU", names));
}

void print_row(const Request& request, const Problem& problem, const WayKind& kind, const WayPlan& plan, std::vector<double> ms,
               const PagerCounters& moved, std::uint64_t wrong) {
  std::sort(ms.begin(), ms.end());
  const double median = ms[ms.size() / 2];
  const auto number = [](bool means, std::uint64_t value) { return means ? fmt::format("{}", value) : std::string("null"); };
  fmt::print(
      "{{\"kernel\": \"{}\", \"way\": \"{}\", \"device\": \"{}\", \"rows\": {}, \"array_bytes\": {}, \"page_bytes\": {}, "
      "\"cache_bytes\": {}, \"queues\": {}, \"depth\": {}, \"trials\": {}, \"ms\": {:.3f}, \"least_ms\": {:.3f}, \"most_ms\": "
      "{:.3f}, \"needed_bytes\": {}, \"gb_s\": {:.2f}, \"bytes_read\": {}, \"bytes_written\": {}, \"wrong\": {}}}\n",
      problem.kernel, kind.name, request.on_gpu ? "cuda" : "cpu", number(problem.is_matrix(), problem.rows),
      problem.array_bytes(), number(kind.has_pages, plan.page_bytes), number(kind.has_cache, plan.cache_bytes),
      number(kind.has_queues, plan.queues), number(kind.has_queues, plan.queue_depth), ms.size(), median, ms.front(), ms.back(),
      problem.needed_bytes(), static_cast<double>(problem.needed_bytes()) / median / 1e6,
      number(kind.has_cache, moved.bytes_read), number(kind.has_cache, moved.bytes_written), wrong);
  std::fflush(stdout);
}

/// The first run of a way is not timed: drivers load kernels then, and pages of its memory come to be. Throws UnavailableError
/// when this machine has no such way.
void measure(const Request& request, Problem& problem, const Reference& expected, const WayKind& kind, const WayPlan& plan,
             ThreadPool& pool, Tally& tally) {
  const auto way = request.on_gpu ? open_gpu_way(kind, problem, plan, pool) : open_cpu_way(kind, problem, plan, pool);
  std::uint64_t wrong = 0;
  run_cold(*way, problem, expected, pool, wrong);
  std::vector<double> ms;
  for (int trial = 0; trial < request.trials; ++trial) ms.push_back(run_cold(*way, problem, expected, pool, wrong));
  print_row(request, problem, kind, plan, ms, way->moved(), wrong);
  ++tally.rows;
  tally.wrong += wrong;
}

/// use(plan) with the caches, pages and queues that mean something to this way.
template <class Use>
void for_each_plan(const Request& request, const WayKind& kind, const std::vector<std::uint64_t>& caches, const Use& use) {
  const auto as_many_as_mean = [](std::size_t count, bool means) { return means ? count : std::min<std::size_t>(count, 1); };
  WayPlan plan = request.plan;
  for (std::size_t c = 0; c < as_many_as_mean(caches.size(), kind.has_cache); ++c) {
    plan.cache_bytes = caches[c];
    for (std::size_t p = 0; p < as_many_as_mean(request.pages.size(), kind.has_pages); ++p) {
      plan.page_bytes = request.pages[p];
      for (std::size_t q = 0; q < as_many_as_mean(request.queues.size(), kind.has_queues); ++q) {
        plan.queues = request.queues[q];
        use(plan);
      }
    }
  }
}

void measure_kernel(const Request& request, const std::string& name, ThreadPool& pool, Tally& tally) {
  Problem problem = make_problem(name, request.bytes, pool);
  const Reference expected(problem, pool);
  const std::uint64_t all_bytes = problem.arrays() * problem.array_bytes();
  const std::vector<std::uint64_t> caches = request.caches.empty() ? std::vector{all_bytes} : request.caches;
  for (const std::string& way : request.ways) {
    const WayKind kind = find_way(way, request.on_gpu);
    if (kind.holds_all && *std::max_element(caches.begin(), caches.end()) < all_bytes) {
      log::warn(fmt::format("{} is left out: it holds all of the arrays, {}, in near memory", way, format_bytes(all_bytes)));
      continue;
    }
    try {
      for_each_plan(request, kind, caches,
                    [&](const WayPlan& plan) { measure(request, problem, expected, kind, plan, pool, tally); });
    } catch (const UnavailableError& why) {
      log::warn(fmt::format("{} is left out: {}", way, why.what()));
    }
  }
}

bool choose_gpu(const std::string& device) {
  const std::string missing = why_no_cuda(0);
  if (device == "cpu") return false;
  if (device == "cuda" && !missing.empty()) throw UnavailableError(missing);
  if (device != "cuda" && device != "auto") throw UsageError(fmt::format("there is no device '{}': auto, cuda, cpu", device));
  if (!missing.empty()) log::info(fmt::format("device cpu: {}", missing));
  return missing.empty();
}

Request read_request(const cxxopts::ParseResult& given) {
  Request request;
  request.kernels = given["kernels"].as<Names>();
  request.on_gpu = choose_gpu(given["device"].as<std::string>());
  request.bytes = parse_bytes(given["size"].as<std::string>());
  if (given.count("cache") != 0) {
    for (const std::string& cache : given["cache"].as<Names>()) request.caches.push_back(parse_bytes(cache));
  }
  for (const std::string& page : given["pages"].as<Names>()) {
    request.pages.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(parse_bytes(page), 1u << 31)));
    check_page_bytes(request.pages.back());
  }
  request.queues = given["queues"].as<std::vector<std::uint32_t>>();
  request.plan.queue_depth = given["depth"].as<std::uint32_t>();
  request.plan.copy_threads = given["copy-threads"].as<int>();
  request.plan.directory = given["dir"].as<std::string>();
  request.trials = given["trials"].as<int>();
  const auto is_between = [](std::uint32_t value, std::uint32_t least, std::uint32_t most) {
    return value >= least && value <= most;
  };
  if (std::any_of(request.queues.begin(), request.queues.end(),
                  [&](std::uint32_t count) { return !is_between(count, 1, 4096); })) {
    throw UsageError("--queues lie between 1 and 4096");
  }
  if (!is_between(request.plan.queue_depth, 2, 4096)) throw UsageError("--depth lies between 2 and 4096");
  if (request.plan.copy_threads < 1 || request.trials < 1) throw UsageError("--copy-threads and --trials are at least 1");
  if (given.count("ways") != 0) {
    request.ways = given["ways"].as<Names>();
    for (const std::string& way : request.ways) find_way(way, request.on_gpu);
  } else {
    for (const WayKind& kind : known_ways(request.on_gpu)) request.ways.push_back(kind.name);
  }
  return request;
}

void run(const cxxopts::ParseResult& given) {
  const Request request = read_request(given);
  const int threads = given["threads"].as<int>();
  if (threads < 0) throw UsageError("--threads is at least 0");
  ThreadPool pool(threads);
  Tally tally;
  for (const std::string& kernel : request.kernels) measure_kernel(request, kernel, pool, tally);
  if (tally.wrong != 0) throw RunError(fmt::format("{} elements of results are wrong", tally.wrong));
  if (tally.rows == 0) throw UnavailableError("none of these ways can run here");
}

}  // namespace
}  // namespace graphrun::bench

int main(int argc, char** argv) {
  cxxopts::Options options("paged_kernels",
                           "Times transfer-bound kernels over paged arrays and other ways of reaching far memory");
  options.add_options()("kernels", "mvt, atax, bicg, va, sum",
                        cxxopts::value<std::vector<std::string>>()->default_value("mvt,atax,bicg,va"))(
      "ways",
      "on a GPU: sm, proxy (paged arrays), uvm, uvm-read-mostly, uvm-prefetch (managed memory), bulk, chunks (copies before the "
      "kernel); on a CPU: incore, memory (paged arrays), mmap (default: all)",
      cxxopts::value<std::vector<std::string>>())("device", "auto, cuda, cpu",
                                                  cxxopts::value<std::string>()->default_value("auto"))(
      "size", "of the matrix, and of each array of va and sum", cxxopts::value<std::string>()->default_value("256MiB"))(
      "cache", "sizes of near memory for pages, of all arrays together (default: room for everything)",
      cxxopts::value<std::vector<std::string>>())("pages", "sizes of pages, and of chunks",
                                                  cxxopts::value<std::vector<std::string>>()->default_value("8KiB"))(
      "queues", "numbers of queue pairs, of proxy", cxxopts::value<std::vector<std::uint32_t>>()->default_value("84"))(
      "depth", "of each queue", cxxopts::value<std::uint32_t>()->default_value("64"))(
      "copy-threads", "host threads that copy chunks", cxxopts::value<int>()->default_value("16"))(
      "threads", "of the host otherwise; 0: one a processor", cxxopts::value<int>()->default_value("0"))(
      "trials", "", cxxopts::value<int>()->default_value("3"))("dir", "where mapped files are made",
                                                               cxxopts::value<std::string>()->default_value("/tmp"));
  return graphrun::bench::run_program(options, argc, argv, graphrun::bench::run);
}
