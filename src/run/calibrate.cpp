// SPDX-License-Identifier: Apache-2.0

#include "graphrun/run/calibrate.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/raise.hpp"
#include "graphrun/cache/host_pager.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/memory.hpp"
#include "graphrun/core/output_file.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/core/watched_file.hpp"
#include "graphrun/graph/scratch.hpp"
#include "graphrun/run/result.hpp"
#include "graphrun/transport/controller.hpp"

namespace graphrun::inline GR_IDS {
namespace {

using CalibrationJson = nlohmann::ordered_json;

constexpr std::uint64_t kSampleBytes = 128 << 20;
constexpr std::uint64_t kCopiedPage = 8192;  // gpuvm's
constexpr std::uint64_t kReadPage = 4096;    // bam's
constexpr std::uint64_t kLongCommand = 1 << 20;
constexpr std::uint32_t kLongDepth = 16;
constexpr double kReadingS = 0.4;                // for each method of reading the disk
constexpr std::uint64_t kMemoryReads = 4 << 20;  // a thread

// Fields of Rates and their names, for writing, reading and printing.
struct RateText {
  const char* name;
  double Rates::*field;
  const char* meaning;
  enum Unit { bytes_s, reads_s, seconds } unit;
};
constexpr RateText kRateTexts[] = {
    {"memory_reads_s", &Rates::memory_reads_s, "memory, read at random", RateText::reads_s},
    {"copied_bytes_s", &Rates::copied_bytes_s, "random pages of 8 KiB of a cached file, through a cache of pages",
     RateText::bytes_s},
    {"mapped_bytes_s", &Rates::mapped_bytes_s, "a mapped file, cold, read in order", RateText::bytes_s},
    {"storage_bytes_s", &Rates::storage_bytes_s, "the disk, commands of 1 MiB", RateText::bytes_s},
    {"storage_latency_s", &Rates::storage_latency_s, "the disk, a read of 4 KiB alone", RateText::seconds},
};

/// Calls body(worker) in each thread of the pool; returns seconds.
template <class Body>
double timed_in_all(ThreadPool& pool, const Body& body) {
  const Timer timer;
  pool.run([&](int worker) { body(static_cast<std::uint64_t>(worker)); });
  return timer.elapsed_ms() / 1000;
}

void keep_value(std::uint64_t value) {
  static std::atomic<std::uint64_t> sink;
  sink.fetch_add(value, std::memory_order_relaxed);
}

/// A piece of `bytes` for each worker.
struct WorkerShare {
  std::uint64_t begin, end;
  WorkerShare(std::uint64_t bytes, std::uint64_t worker, std::uint64_t workers)
      : begin(bytes / workers * worker), end(begin + bytes / workers) {}
};

std::uint64_t sum_of(const std::byte* data, WorkerShare share) {
  std::uint64_t sum = 0;
  for (std::uint64_t at = share.begin; at + 8 <= share.end; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, data + at, sizeof(word));
    sum += word;
  }
  return sum;
}

void measure_memory(ThreadPool& pool, std::uint64_t bytes, Rates& rates) {
  Column<std::byte> memory = Column<std::byte>::allocate(bytes);
  const auto workers = static_cast<std::uint64_t>(pool.size());
  timed_in_all(pool, [&](std::uint64_t worker) {
    const WorkerShare share(bytes, worker, workers);
    std::memset(memory.data() + share.begin, 1, share.end - share.begin);
  });
  const double at_random = timed_in_all(pool, [&](std::uint64_t worker) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < kMemoryReads; ++i)
      sum += static_cast<std::uint64_t>(memory[splitmix64(worker * kMemoryReads + i) % bytes]);
    keep_value(sum);
  });
  rates.memory_reads_s = static_cast<double>(workers * kMemoryReads) / at_random;
}

void measure_mapped(ThreadPool& pool, int fd, const std::byte* data, std::uint64_t bytes, Rates& rates) {
  const auto workers = static_cast<std::uint64_t>(pool.size());
  ::posix_fadvise(fd, 0, static_cast<off_t>(bytes), POSIX_FADV_DONTNEED);
  const double cold = timed_in_all(pool, [&](std::uint64_t worker) { keep_value(sum_of(data, {bytes, worker, workers})); });
  rates.mapped_bytes_s = static_cast<double>(bytes) / cold;
  PagerOptions how;
  how.page_bytes = kCopiedPage;
  how.cache_bytes = bytes / 8;
  how.workers = pool.size();
  std::vector<PagedColumn> columns{{0, bytes, 0}};
  HostPager pager(how, columns, [&](std::size_t, std::uint32_t) { return make_memory_storage({std::span(data, bytes)}); });
  const std::uint64_t pages = bytes / kCopiedPage;
  const double copying = timed_in_all(pool, [&](std::uint64_t worker) {
    for (std::uint64_t i = worker; i < pages; i += workers) {
      const PageId page = splitmix64(i) % pages;
      keep_value(static_cast<std::uint64_t>(pager.acquire(page)[i % kCopiedPage]));
      pager.release(page);
    }
  });
  rates.copied_bytes_s = static_cast<double>(pager.counters().bytes_read) / copying;
}

void measure_storage(const StoreFile& file, std::uint64_t bytes, Rates& rates) {
  Column<std::byte> memory = Column<std::byte>::allocate(kLongDepth * (kLongCommand + kReadPage));  // outlives outstanding reads
  const auto engine = open_uring_engine({file}, kLongDepth);
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  constexpr double kMs = 1000 * kReadingS;
  rates.storage_latency_s = 1 / reads_per_second(*engine, memory, {kReadPage, 1, kAll, kMs}, [&](std::uint64_t i) {
                              return splitmix64(i) % (bytes / kReadPage) * kReadPage;
                            });
  rates.storage_bytes_s = static_cast<double>(kLongCommand) *
                          reads_per_second(*engine, memory, {kLongCommand, kLongDepth, kAll, kMs},
                                           [&](std::uint64_t i) { return i % (bytes / kLongCommand) * kLongCommand; });
}

std::string rate_text(const RateText& text, double value) {
  switch (text.unit) {
    case RateText::bytes_s:
      return fmt::format("{}/s", format_bytes(static_cast<std::uint64_t>(value)));
    case RateText::reads_s:
      return fmt::format("{} reads/s", grouped(static_cast<std::uint64_t>(value)));
    case RateText::seconds:
      break;
  }
  return fmt::format("{:.3g} us", 1e6 * value);
}

/// Returns the calibration's path, and makes its folder.
std::string require_place_of(const Calibration& calibration) {
  std::string path = calibration_path(calibration.machine.disk);
  if (path.empty()) throw DataError("neither XDG_CACHE_HOME nor HOME says where a calibration is kept");
  std::error_code failure;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failure);
  check_writable(path);
  return path;
}

}  // namespace

MachineIdentity identify_machine(const std::string& path) {
  const Environment environment = describe_environment({});
  const auto processors = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));  // also processors that this process may not use
  MachineIdentity machine{environment.cpu_model, processors, environment.memory_bytes, environment.kernel, ""};
  struct stat status {};
  if (!path.empty() && ::stat(path.c_str(), &status) == 0)
    machine.disk = fmt::format("{}-{}", major(status.st_dev), minor(status.st_dev));
  return machine;
}

std::optional<std::uint64_t> read_ahead_of(const std::string& disk) {
  std::string number = disk;
  std::replace(number.begin(), number.end(), '-', ':');
  for (const char* queue : {"/queue", "/../queue"}) {  // a partition has its disk's
    std::ifstream file("/sys/dev/block/" + number + queue + "/read_ahead_kb");
    if (std::uint64_t kib = 0; file >> kib) return kib << 10;
  }
  return std::nullopt;
}

Calibration calibrate(const std::string& file) {
  const bool reads_file = !file.empty();
  if (reads_file) {
    const WatchedFile sample(file);
    if (sample.bytes() < kSampleBytes)
      raise<DataError>("{} has {}, and calibrating takes a file of {} or more, or none named", file, format_bytes(sample.bytes()),
                       format_bytes(kSampleBytes));
    const off_t hole = ::lseek(sample.descriptor(), 0, SEEK_HOLE);
    if (hole >= 0 && static_cast<std::uint64_t>(hole) < kSampleBytes)
      raise<DataError>("{} has holes in its first {}, which are not read from a disk: name another file, or none", file,
                       format_bytes(kSampleBytes));
  }
  Calibration made;
  made.machine = identify_machine(reads_file ? file : temporary_folder());
  require_place_of(made);  // before measuring
  made.day = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
  ThreadPool pool(0);
  const std::uint64_t most = available_memory().value_or(kSampleBytes * 8) / 8;
  measure_memory(pool, std::clamp<std::uint64_t>(most, 1 << 20, kSampleBytes), made.rates);
  if (reads_file) {
    const auto region = Region::map_file(file);
    measure_mapped(pool, region->file().descriptor(), region->data(), kSampleBytes, made.rates);
    measure_storage({file, region->file().descriptor()}, kSampleBytes, made.rates);
    return made;
  }
  ScratchFile scratch(temporary_folder());
  std::vector<std::uint64_t> piece(kLongCommand / sizeof(std::uint64_t));
  for (std::uint64_t at = 0; at < kSampleBytes; at += kLongCommand) {
    for (std::size_t i = 0; i < piece.size(); ++i) piece[i] = splitmix64(at + i);  // some disks do not store zeros
    scratch.append(piece.data(), kLongCommand);
  }
  scratch.flush();
  const Column<std::byte> mapped = scratch.map<std::byte>();
  measure_mapped(pool, scratch.descriptor(), mapped.data(), kSampleBytes, made.rates);
  measure_storage({fmt::format("a scratch file in {}", temporary_folder()), scratch.descriptor()}, kSampleBytes, made.rates);
  return made;
}

std::string calibration_path(const std::string& disk) {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  std::string folder;
  if (cache != nullptr && *cache == '/') {  // the specification ignores others
    folder = cache;
  } else if (home != nullptr && *home != '\0') {
    folder = std::string(home) + "/.cache";
  }
  return folder.empty() ? "" : fmt::format("{}/graphrun/calibration-{}.json", folder, disk);
}

namespace {

/// Returns an indented JSON object with a final newline.
std::string calibration_json(const Calibration& calibration) {
  const MachineIdentity& machine = calibration.machine;
  CalibrationJson all = {{"machine",
                          {{"cpu", machine.cpu},
                           {"cores", machine.cores},
                           {"memory_bytes", machine.memory_bytes},
                           {"kernel", machine.kernel},
                           {"disk", machine.disk}}},
                         {"day", calibration.day},
                         {"rates", CalibrationJson::object()}};
  for (const RateText& text : kRateTexts) all["rates"][text.name] = calibration.rates.*text.field;
  return all.dump(2, ' ', false, CalibrationJson::error_handler_t::replace) + "\n";
}

}  // namespace

void keep_calibration(const Calibration& calibration) {
  OutputFile file(require_place_of(calibration));
  file.write(calibration_json(calibration));
  file.commit();
}

std::optional<Calibration> kept_calibration(const std::string& disk) {
  const std::string path = calibration_path(disk);
  std::error_code unknown;
  if (path.empty() || !std::filesystem::exists(path, unknown)) return std::nullopt;
  const bool is_file = std::filesystem::is_regular_file(path, unknown);
  std::ifstream file(path);
  if (is_file && !file) return std::nullopt;
  const CalibrationJson all = is_file ? CalibrationJson::parse(file, nullptr, false) : CalibrationJson();
  const auto damaged = [&] {
    log::warn(fmt::format("{} is no calibration, and is passed over: graphrun calibrate writes it anew", path));
    return std::nullopt;
  };
  Calibration kept;
  try {
    const CalibrationJson& machine = all.at("machine");
    kept.machine = {machine.at("cpu"), machine.at("cores"), machine.at("memory_bytes"), machine.at("kernel"), machine.at("disk")};
    kept.day = all.at("day");
    for (const RateText& text : kRateTexts) {
      const double value = all.at("rates").at(text.name);
      if (!std::isfinite(value) || value <= 0) return damaged();
      kept.rates.*text.field = value;
    }
  } catch (const CalibrationJson::exception&) {
    return damaged();
  }
  return kept;
}

std::string calibration_text(const Calibration& calibration) {
  std::string text;
  for (const RateText& rate : kRateTexts)
    text += fmt::format("{:>20}  {}\n", rate_text(rate, calibration.rates.*rate.field), rate.meaning);
  return text;
}

}  // namespace graphrun::inline GR_IDS
