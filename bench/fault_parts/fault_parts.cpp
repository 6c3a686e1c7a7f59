// SPDX-License-Identifier: Apache-2.0
// Parts of a page fault (Nazaraliyev et al., GPUVM, figure 2): the transfer of the page, and the rest, which is the host's work.
//
//   fault_parts --pages 4KiB,64KiB --device cpu
//
// One JSON object a line, with medians of the rounds. On a CPU one thread faults in a region that another one fills, as the
// driver fills a GPU's (uvm), or asks a cache of pages (gpuvm). On a GPU one thread faults in managed memory; basic blocks have
// 64 KiB there.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "cache/fault_region.hpp"
#include "core/raise.hpp"
#include "fault_parts/gpu_faults.hpp"
#include "frame.hpp"
#include "graphrun/cache/host_pager.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/median.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/transport/storage.hpp"

namespace graphrun::bench {
namespace {

/// Pages of a region in an order that nothing can foresee.
class Pages {
 public:
  Pages(std::uint64_t bytes, std::uint64_t page_bytes)
      : page_bytes_(page_bytes), source_(Column<std::byte>::allocate(bytes)), order_(bytes / page_bytes) {
    std::memset(source_.data(), 1, bytes);
    std::iota(order_.begin(), order_.end(), std::uint64_t{0});
    std::ranges::shuffle(order_, std::mt19937_64(1));
  }
  const Column<std::byte>& source() const { return source_; }
  std::uint64_t page_bytes() const { return page_bytes_; }

  /// Returns the mean microseconds of touch(page), over all pages.
  template <class Touch>
  double mean_us(Touch&& touch) const {
    const Timer timer;
    for (const std::uint64_t page : order_) touch(page);
    return timer.elapsed_ms() * 1e3 / static_cast<double>(order_.size());
  }
  /// Returns the mean of copying a page into another one's place, in memory that is there.
  double transfer_us() const {
    auto target = Column<std::byte>::allocate(source_.bytes());
    std::memset(target.data(), 0, target.bytes());
    return mean_us([&](std::uint64_t page) {
      std::memcpy(target.data() + page * page_bytes_, source_.data() + page * page_bytes_, page_bytes_);
    });
  }

 private:
  std::uint64_t page_bytes_;
  Column<std::byte> source_;
  std::vector<std::uint64_t> order_;
};

double uvm_us(const Pages& pages) {
  const std::uint64_t page = pages.page_bytes();
  FaultOptions options{.page = page, .prefetch = page, .block = std::max<std::uint64_t>(page, 2 << 20)};
  std::vector<ColumnSource> sources;
  sources.push_back(ColumnSource::in_memory(pages.source().data(), pages.source().bytes()));
  FaultRegion region(options, std::move(sources));
  const std::byte* const memory = region.column(0);
  std::uint64_t sum = 0;
  const double us = pages.mean_us([&](std::uint64_t at) {
    sum += std::to_integer<std::uint64_t>(*const_cast<const volatile std::byte*>(memory + at * page));
  });
  region.throw_if_failed();
  if (sum != region.counters().faults)
    raise<RunError>("{} pages have their bytes, and {} faulted", sum, region.counters().faults);
  return us;
}

double gpuvm_us(const Pages& pages) {
  PagerOptions options{.page_bytes = static_cast<std::uint32_t>(pages.page_bytes()), .cache_bytes = pages.source().bytes()};
  std::vector<PagedColumn> columns{{0, pages.source().bytes(), 0}};
  HostPager pager(options, columns,
                  [&](std::size_t, std::uint32_t) { return make_memory_storage({MemoryStretch(pages.source().span())}); });
  std::uint64_t sum = 0;
  const double us = pages.mean_us([&](std::uint64_t at) {
    sum += std::to_integer<std::uint64_t>(*pager.acquire(at));
    pager.release(at);
  });
  if (sum != pages.source().bytes() / pages.page_bytes()) throw RunError("pages have the bytes of others");
  return us;
}

void print(const char* way, const char* device, std::uint64_t page_bytes, double total_us, double transfer_us) {
  const double host_us = std::max(0.0, total_us - transfer_us);
  print_json("way", way, "device", device, "page_bytes", page_bytes, "fault_us", total_us, "transfer_us", transfer_us, "host_us",
             host_us, "host_over_transfer", host_us / transfer_us);
}

void on_cpu(const std::vector<std::uint64_t>& sizes, std::uint64_t bytes, int rounds) {
  for (const std::uint64_t size : sizes) {
    std::vector<double> transfer, uvm, gpuvm;
    const Pages pages(bytes, size);
    for (int round = 0; round < rounds; ++round) {
      transfer.push_back(pages.transfer_us());
      uvm.push_back(uvm_us(pages));
      gpuvm.push_back(gpuvm_us(pages));
    }
    print("uvm", "cpu", size, median(uvm), median(transfer));
    print("gpuvm", "cpu", size, median(gpuvm), median(transfer));
  }
}

void run(const cxxopts::ParseResult& given) {
  const auto device = given["device"].as<std::string>();
  if (device != "cpu" && device != "cuda") raise<UsageError>("there is no device '{}': cpu, cuda", device);
  const int rounds = given["rounds"].as<int>();
  const std::uint64_t bytes = parse_bytes(given["size"].as<std::string>());
  if (rounds < 1) throw UsageError("--rounds must be at least 1");
  if (device == "cuda") {
    if (const std::string missing = why_no_cuda(0); !missing.empty()) throw UnavailableError(missing);
    std::vector<double> total, transfer;
    for (int round = 0; round < rounds; ++round) {
      const GpuFault fault = time_gpu_faults(std::clamp<std::uint64_t>(bytes >> 21, 1, 4096));
      total.push_back(fault.total_us), transfer.push_back(fault.transfer_us);
    }
    return print("uvm", "cuda", kGpuFaultBytes, median(total), median(transfer));
  }
  std::vector<std::uint64_t> sizes;
  for (const std::string& text : given["pages"].as<Texts>()) {
    sizes.push_back(parse_bytes(text));
    check_page_bytes(static_cast<std::uint32_t>(std::min<std::uint64_t>(sizes.back(), 1u << 31)));
    if (bytes % sizes.back() != 0 || bytes == 0) raise<UsageError>("--size must be a multiple of pages of {}", text);
  }
  on_cpu(sizes, bytes, rounds);
}

}  // namespace

#if !defined(GRAPHRUN_BENCH_ON_GPU)
GpuFault time_gpu_faults(std::uint64_t) { throw UnavailableError(why_no_cuda(0)); }
#endif

}  // namespace graphrun::bench

int main(int argc, char** argv) {
  using namespace graphrun::bench;
  cxxopts::Options parser("fault_parts", "Splits the time of a page fault into the transfer and the host's work");
  auto add = parser.add_options();
  add("device", "cpu, cuda", with_default("cpu"));
  add("pages", "of a CPU", with_default<Texts>("4KiB,16KiB,64KiB,256KiB,1MiB"));
  add("size", "of the region; on a GPU a fault for each 2 MiB of it", with_default("64MiB"));
  add("rounds", "", with_default<int>("5"));
  return run_program(parser, argc, argv, run);
}
