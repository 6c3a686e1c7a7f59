// What the measures of bam_suite have in common: the files that stand for devices, settings, and how rows are printed.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "graphrun/core/parallel.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/core/timer.hpp"
#include "plain_io.hpp"

namespace graphrun::bench {

/// A file that stands for a storage device.
struct Device {
  std::string name;
  File file;
  std::uint64_t bytes;
  bool writable;
};

struct Plan {
  std::vector<Device> devices;
  std::uint64_t cache_bytes = 0;
  double seconds = 0;
};

/// A way to move data, and how.
struct Setting {
  std::string measure;
  std::string way;
  int threads = 1;
  std::uint32_t depth = 1;  ///< transfers out at a time, of all threads together
  std::uint32_t line_bytes = 4096;
  std::size_t devices = 1;  ///< the first so many
  bool writes = false;
};

struct Counts {
  std::uint64_t lines = 0;           ///< that threads asked for
  std::uint64_t storage_reads = 0;   ///< commands, or major faults
  std::uint64_t storage_writes = 0;  ///< commands
  std::uint64_t storage_bytes = 0;
};

inline void print(const Setting& setting, const Plan& plan, const Counts& counts, double seconds) {
  const auto per_second = [&](std::uint64_t count) { return static_cast<double>(count) / seconds; };
  fmt::print(
      "{{\"measure\": \"{}\", \"way\": \"{}\", \"threads\": {}, \"depth\": {}, \"devices\": {}, \"line_bytes\": {}, "
      "\"cache_bytes\": {}, \"seconds\": {:.3f}, \"lines_per_second\": {:.0f}, \"iops\": {:.0f}, \"write_iops\": {:.0f}, "
      "\"storage_bytes_per_second\": {:.0f}, \"bytes_per_second\": {:.0f}}}\n",
      setting.measure, setting.way, setting.threads, setting.depth, setting.devices, setting.line_bytes, plan.cache_bytes,
      seconds, per_second(counts.lines), per_second(counts.storage_reads), per_second(counts.storage_writes),
      per_second(counts.storage_bytes), per_second(counts.lines * setting.line_bytes));
  std::fflush(stdout);
}

/// Runs worker(rank, timer) on every thread; returns the sum of what they return, and the time in seconds.
template <class Worker>
std::pair<std::uint64_t, double> run_all(ThreadPool& pool, const Worker& worker) {
  PerThread<std::uint64_t> lines(pool);
  const Timer timer;
  pool.run([&](int rank) { lines[rank] = worker(rank, timer); });
  const double seconds = timer.elapsed_ms() / 1e3;
  std::uint64_t sum = 0;
  for (auto& slot : lines) sum += slot.value;
  return {sum, seconds};
}

/// Draws lines of the first devices of a plan: the i-th of a thread is on device(i), line(i).
class RandomLines {
 public:
  RandomLines(const Setting& setting, const Plan& plan) : devices_(setting.devices) {
    for (std::size_t i = 0; i < devices_; ++i) lines_.push_back(plan.devices[i].bytes / setting.line_bytes);
  }
  std::size_t device(std::uint64_t i) const { return static_cast<std::size_t>(i % devices_); }
  std::uint64_t line(int rank, std::uint64_t i) const {
    return splitmix64(static_cast<std::uint64_t>(rank), i, 0) % lines_[device(i)];
  }

 private:
  std::size_t devices_;
  std::vector<std::uint64_t> lines_;
};

constexpr std::uint64_t kLinesBetweenLooks = 64;  // at the clock

inline bool is_over(const Timer& timer, const Plan& plan) { return timer.elapsed_ms() > plan.seconds * 1e3; }

/// Keeps `depth` transfers of a ring out until the time is over, and then waits for the last; start(buffer) begins the next one.
/// Returns how many there were.
template <class Start>
std::uint64_t keep_busy(PlainRing& ring, std::uint32_t depth, const Timer& timer, const Plan& plan, Start start) {
  for (std::uint32_t buffer = 0; buffer < depth; ++buffer) start(buffer);
  std::uint64_t started = depth;
  for (std::uint64_t out = depth; out != 0;) {
    const bool over = is_over(timer, plan);
    ring.wait([&](std::uint32_t buffer) {
      if (over) {
        --out;
      } else {
        start(buffer);
        ++started;
      }
    });
  }
  return started;
}

// The measures.
void move_by_pager(const Setting& setting, const Plan& plan);     ///< random lines through the cache
void move_by_io_uring(const Setting& setting, const Plan& plan);  ///< the same, issued by threads
void read_by_mapping(const Setting& setting, const Plan& plan, bool random);
void read_in_order(const Setting& setting, const Plan& plan);      ///< one line after another, issued by threads
void read_cold_and_hot(const Setting& setting, const Plan& plan);  ///< lines of a working set of half the cache
/// c = a + b over arrays of `bytes` each in files of `directory`, with `cache_bytes` for all three.
void add_vectors(int threads, std::uint64_t bytes, std::uint64_t cache_bytes, const std::string& directory, int rounds);

}  // namespace graphrun::bench
