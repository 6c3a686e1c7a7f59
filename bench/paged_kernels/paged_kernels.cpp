// SPDX-License-Identifier: Apache-2.0
// Times kernels that do little but read: over paged arrays, over memory that the driver or the kernel of the system pages, and
// after bulk copies (Nazaraliyev et al., GPUVM, sections 5.1 and 5.3).
//
//   paged_kernels --kernels mvt,atax,bicg,va --size 4GiB                     (figure 13)
//   paged_kernels --kernels va --size 4GiB --cache 12GiB,6GiB --ways sm      (less near memory than arrays)
//   paged_kernels --kernels sum --ways sm,proxy,chunks --pages 4KiB,16KiB    (figure 8)
//   paged_kernels --kernels sum --ways proxy --queues 1,8,48,84              (queues)
//   paged_kernels --kernels va --ways files,tiles --cache 192MiB --dir /disk (files, as in BaM's section 5.4)
//   paged_kernels --kernels q0,q1,q2,q3,q4,q5 --selected 0.0003              (queries, as in BaM's figure 12)
//
// Every run begins with nothing in the fast tier and ends when written pages are back. All results are checked, outside the
// clock, against independent ones. One JSON object a line, for a kernel and a variant, with the median of the trials.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../frame.hpp"
#include "core/raise.hpp"
#include "graphrun/cache/paged_column.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/median.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "ways.hpp"

namespace graphrun::bench {
namespace {

struct Request {
  Texts kernels;
  std::vector<WayKind> ways;
  bool on_gpu = false;
  std::uint64_t bytes = 0;
  double selected = 0;
  std::vector<std::uint64_t> caches;  ///< none: room for everything
  std::vector<std::uint32_t> pages;
  std::vector<std::uint32_t> queues;
  WayPlan plan;
  int trials = 1;
};

/// What came out so far: lines, and elements that are wrong.
using Tally = std::pair<int, std::uint64_t>;

const std::vector<WayKind>& known_ways(bool on_gpu) { return on_gpu ? gpu_ways() : cpu_ways(); }

WayKind find_way(const std::string& name, bool on_gpu) {
  std::string names;
  for (const WayKind& kind : known_ways(on_gpu)) {
    if (kind.name == name) return kind;
    names += (names.empty() ? "" : ", ") + kind.name;
  }
  raise<UsageError>("there is no way '{}' on a {}: {}", name, on_gpu ? "GPU" : "CPU", names);
}

/// Measures a variant. Its first run is not timed: drivers load kernels then, and its memory gets its pages. Throws
/// UnavailableError when this machine has no such variant.
void measure(const Request& request, Problem& problem, const Reference& expected, const WayKind& kind, const WayPlan& plan,
             ThreadPool& pool, Tally& tally) {
  const auto way = request.on_gpu ? open_gpu_way(kind, problem, plan, pool) : open_cpu_way(kind, problem, plan, pool);
  std::uint64_t wrong = 0;
  run_cold(*way, problem, expected, pool, wrong);
  std::vector<double> ms;
  for (int trial = 0; trial < request.trials; ++trial) ms.push_back(run_cold(*way, problem, expected, pool, wrong));
  const std::optional<PagerCounters> moved = way->moved();
  const std::uint64_t needed = problem.needed_bytes(plan.page_bytes);
  const auto [least, most] = std::ranges::minmax(ms);
  const auto if_any = [](bool means, std::uint64_t value) { return means ? std::optional(value) : std::nullopt; };
  print_json("kernel", problem.kernel, "way", kind.name, "device", request.on_gpu ? "cuda" : "cpu", "rows",
             if_any(problem.is_matrix(), problem.rows), "selected", if_any(problem.is_query(), problem.selected.size()),
             "array_bytes", problem.array_bytes(), "page_bytes", if_any(kind.has_pages, plan.page_bytes), "tile_bytes",
             if_any(kind.has_tiles, plan.tile_bytes), "cache_bytes", if_any(kind.has_cache, plan.cache_bytes), "queues",
             if_any(kind.has_queues, plan.queues), "depth", if_any(kind.has_queues, plan.queue_depth), "trials", ms.size(), "ms",
             median(ms), "least_ms", least, "most_ms", most, "needed_bytes", needed, "gb_s",
             static_cast<double>(needed) / median(ms) / 1e6, "bytes_read",
             if_any(moved.has_value(), moved.value_or(PagerCounters{}).bytes_read), "bytes_written",
             if_any(moved.has_value(), moved.value_or(PagerCounters{}).bytes_written), "wrong", wrong);
  ++tally.first;
  tally.second += wrong;
}

void measure_kernel(const Request& request, const std::string& name, ThreadPool& pool, Tally& tally) {
  Problem problem = make_problem(name, request.bytes, request.selected, pool);
  const Reference expected(problem, pool);
  const std::uint64_t all_bytes = problem.all_bytes();
  constexpr std::uint32_t kMostMatrixPage = 64 << 10;  // tiles of rows are whole pages
  if (problem.is_matrix() && std::ranges::max(request.pages) > kMostMatrixPage)
    raise<UsageError>("{} takes --pages of at most {}", name, format_bytes(kMostMatrixPage));
  const std::vector<std::uint64_t> caches = request.caches.empty() ? std::vector{all_bytes} : request.caches;
  for (const WayKind& kind : request.ways) {
    const auto some = [](const auto& all, bool means) { return std::span(all).first(means ? all.size() : 1); };
    WayPlan plan = request.plan;
    try {
      if (kind.has_tiles && name != "va") throw UnavailableError("it knows va alone");
      if (kind.holds_all && *std::max_element(caches.begin(), caches.end()) < all_bytes) {
        raise<UnavailableError>("it holds all of the arrays, {}, in near memory", format_bytes(all_bytes));
      }
      for (const std::uint64_t cache : some(caches, kind.has_cache)) {
        for (const std::uint32_t page : some(request.pages, kind.has_pages)) {
          for (const std::uint32_t queues : some(request.queues, kind.has_queues)) {
            plan.cache_bytes = cache, plan.page_bytes = page, plan.queues = queues;
            measure(request, problem, expected, kind, plan, pool, tally);
          }
        }
      }
    } catch (const UnavailableError& why) {
      log::warn(fmt::format("{} is left out: {}", kind.name, why.what()));
    }
  }
}

bool choose_gpu(const std::string& device) {
  const std::string missing = why_no_cuda(0);
  if (device == "cpu") return false;
  if (device == "cuda" && !missing.empty()) throw UnavailableError(missing);
  if (device != "cuda" && device != "auto") raise<UsageError>("there is no device '{}': auto, cuda, cpu", device);
  if (!missing.empty()) log::info(fmt::format("device cpu: {}", missing));
  return missing.empty();
}

Request read_request(const cxxopts::ParseResult& given) {
  Request request;
  request.kernels = given["kernels"].as<Texts>();
  request.on_gpu = choose_gpu(given["device"].as<std::string>());
  request.bytes = parse_bytes(given["size"].as<std::string>());
  if (given.count("cache") != 0) {
    for (const std::string& cache : given["cache"].as<Texts>()) request.caches.push_back(parse_bytes(cache));
  }
  for (const std::string& page : given["pages"].as<Texts>()) {
    request.pages.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(parse_bytes(page), 1u << 31)));
    check_page_bytes(request.pages.back());
  }
  request.queues = given["queues"].as<std::vector<std::uint32_t>>();
  request.plan.queue_depth = given["depth"].as<std::uint32_t>();
  request.plan.copy_threads = given["copy-threads"].as<int>();
  request.plan.directory = given["dir"].as<std::string>();
  request.plan.tile_bytes = parse_bytes(given["tile"].as<std::string>());
  request.trials = given["trials"].as<int>();
  request.selected = given["selected"].as<double>();
  if (!(request.selected >= 0 && request.selected <= 1)) throw UsageError("--selected is a share of the rows, from 0 to 1");
  const auto [least, most] = std::ranges::minmax(request.queues);
  if (least < 1 || most > 4096) throw UsageError("--queues lie between 1 and 4096");
  if (request.plan.queue_depth < 2 || request.plan.queue_depth > 4096) throw UsageError("--depth lies between 2 and 4096");
  if (request.plan.copy_threads < 1 || request.trials < 1) throw UsageError("--copy-threads and --trials are at least 1");
  if (given.count("ways") != 0) {
    for (const std::string& way : given["ways"].as<Texts>()) request.ways.push_back(find_way(way, request.on_gpu));
  } else {
    const auto& known = known_ways(request.on_gpu);
    std::copy_if(known.begin(), known.end(), std::back_inserter(request.ways), [](const auto& kind) { return !kind.in_files; });
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
  if (tally.second != 0) raise<RunError>("{} elements of results are wrong", tally.second);
  if (tally.first == 0) throw UnavailableError("none of these ways can run here");
}

}  // namespace

#if !defined(GRAPHRUN_BENCH_ON_GPU)
const std::vector<WayKind>& gpu_ways() {
  static const std::vector<WayKind> none;
  return none;
}
std::unique_ptr<Way> open_gpu_way(const WayKind&, Problem&, const WayPlan&, ThreadPool&) {
  throw UnavailableError(why_no_cuda(0));
}
#endif

}  // namespace graphrun::bench

int main(int argc, char** argv) {
  using namespace graphrun::bench;
  cxxopts::Options options("paged_kernels",
                           "Times transfer-bound kernels over paged arrays and other ways of reaching far memory");
  auto add = options.add_options();
  add("kernels", "mvt, atax, bicg, va, sum, q0 to q5", with_default<Texts>("mvt,atax,bicg,va"));
  add("ways",
      "on a GPU: sm, proxy (paged arrays), uvm, uvm-read-mostly, uvm-prefetch (managed memory), bulk, chunks (copies before the "
      "kernel), files, tiles; on a CPU: incore, memory (paged arrays), mmap, bulk, files, elements, tiles, tiles-overlapped "
      "(default: all but files, elements, tiles, tiles-overlapped, and bulk of a CPU, which write files first)",
      cxxopts::value<Texts>());
  add("device", "auto, cuda, cpu", with_default("auto"));
  add("size", "of the matrix, and of each array of va and sum", with_default("256MiB"));
  add("cache", "sizes of near memory for pages, of all arrays together (default: room for everything)", cxxopts::value<Texts>());
  add("pages", "sizes of pages, and of chunks", with_default<Texts>("8KiB"));
  add("tile", "size of a tile, of whole 64KiB; on a CPU a power of two that divides arrays, or less", with_default("4MiB"));
  add("queues", "numbers of queue pairs, of proxy and files", with_default<std::vector<std::uint32_t>>("84"));
  add("depth", "of each queue", with_default<std::uint32_t>("64"));
  add("copy-threads", "host threads that copy chunks", with_default<int>("16"));
  add("threads", "of the host otherwise; 0: one a processor", with_default<int>("0"));
  add("selected", "share of the rows that q0 to q5 find", with_default<double>("0.0003"));
  add("trials", "", with_default<int>("3"));
  add("dir", "where files are made that ways read and write", with_default("/tmp"));
  return run_program(options, argc, argv, run);
}
