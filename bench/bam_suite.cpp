// SPDX-License-Identifier: Apache-2.0
// Times the parts of bam on the CPU, over files that stand for storage devices: lines moved through the pager's cache, beside
// transfers by io_uring and page faults of mappings. docs/performance.md names the command of each figure.
//
//   bam_suite --files graph.grf --threads 1,2 --depths 1,8,64,256 --seconds 2
//   bam_suite --measures writes --scratch /disk1,/disk2 --size 1GiB
//   bam_suite --scratch /tmp --ways queues --measures iops,writes --line 512 --storage ram:980pro,ram:980pro:4
//
// One JSON object a line. `iops` and `write_iops` count transfers of storage; `lines_per_second` lines that a thread asked for,
// some from a cache. Files are read with O_DIRECT, mappings from a dropped page cache.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/bam_storage.hpp"
#include "core/raise.hpp"
#include "frame.hpp"
#include "graphrun/cache/host_pager.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/graph/scratch.hpp"
#include "plain_io.hpp"

namespace {

using namespace graphrun;
using namespace graphrun::bench;

constexpr std::uint64_t kLeastBytes = 8 << 20;
constexpr std::uint32_t kGoodDepth = 128;

/// A file that stands for a storage device.
struct Device {
  std::string name;
  File file;
  std::uint64_t bytes;
};

struct Plan {
  std::vector<Device> devices;
  bool writable = false;
  std::uint64_t cache_bytes = 0;
  double seconds = 0;
};

/// A variant of moving data, and its parameters.
struct Setting {
  std::string measure;
  std::string way;
  int threads = 1;
  std::uint32_t depth = 1;  ///< transfers out at a time, of all threads together
  std::uint32_t line_bytes = 4096;
  std::size_t devices = 1;  ///< that are used, from the first on
  bool writes = false;
  std::string storage = "file";  ///< of the pager, as for graphrun
  bool in_order = false;         ///< else lines are drawn

  /// Returns the depth of each thread.
  std::uint32_t own_depth() const { return std::max(1u, depth / static_cast<std::uint32_t>(threads)); }
};

constexpr std::uint64_t kLinesBetweenLooks = 64;  // at the clock

/// Prints lines that threads asked for; commands that read, or major faults; commands that write; and bytes they moved.
void print(const Setting& setting, const Plan& plan, double seconds, std::uint64_t lines, std::uint64_t reads,
           std::uint64_t writes, std::uint64_t bytes) {
  const auto rate = [&](std::uint64_t count) { return static_cast<std::uint64_t>(static_cast<double>(count) / seconds); };
  print_json("measure", setting.measure, "way", setting.way, "storage", setting.storage, "emulated", setting.storage != "file",
             "threads", setting.threads, "depth", setting.depth, "devices", setting.devices, "line_bytes", setting.line_bytes,
             "cache_bytes", plan.cache_bytes, "seconds", seconds, "lines_per_second", rate(lines), "iops", rate(reads),
             "write_iops", rate(writes), "storage_bytes_per_second", rate(bytes), "bytes_per_second",
             rate(lines * setting.line_bytes));
}

/// Runs worker(rank, timer) on every thread; returns the sum of the results, and the time in seconds.
template <class Worker>
std::pair<std::uint64_t, double> run_all(ThreadPool& pool, const Worker& worker) {
  std::atomic<std::uint64_t> lines{0};
  const Timer timer;
  pool.run([&](int rank) { lines += worker(rank, timer); });
  return {lines, timer.elapsed_ms() / 1e3};
}

bool is_over(const Timer& timer, const Plan& plan) { return timer.elapsed_ms() > plan.seconds * 1e3; }

/// Lines of the first devices of a plan: the i-th of a thread is on device(i), line(i).
class Lines {
 public:
  Lines(const Setting& setting, const Plan& plan) : devices_(setting.devices), in_order_(setting.in_order) {
    for (std::size_t i = 0; i < devices_; ++i) lines_.push_back(plan.devices[i].bytes / setting.line_bytes);
  }
  std::size_t device(std::uint64_t i) const { return static_cast<std::size_t>(i % devices_); }
  std::uint64_t line(int rank, std::uint64_t i) {
    const std::uint64_t number =
        in_order_ ? next_.fetch_add(1, std::memory_order_relaxed) : splitmix64(static_cast<std::uint64_t>(rank), i, 0);
    return number % lines_[device(i)];
  }

 private:
  std::size_t devices_;
  bool in_order_;
  std::atomic<std::uint64_t> next_{0};
  std::vector<std::uint64_t> lines_;
};

/// Returns the devices' files, as the store that a pager or queue pairs read.
std::vector<StoreFile> store_of(const Setting& setting, const Plan& plan) {
  std::vector<StoreFile> files;
  for (std::size_t i = 0; i < setting.devices; ++i)
    files.push_back({plan.devices[i].name, plan.devices[i].file.get(), setting.writes});
  return files;
}

/// A pager over the devices, whose pages of device i begin at the i-th column's first.
struct PagedDevices {
  PagedDevices(const Setting& setting, const Plan& plan) {
    PagerOptions options{.page_bytes = setting.line_bytes, .cache_bytes = plan.cache_bytes, .workers = setting.threads};
    options.queue_depth = std::max(256u, 2 * setting.depth);  // of which prefetching fills half
    const std::vector<StoreFile> files = store_of(setting, plan);
    for (std::size_t i = 0; i < setting.devices; ++i)
      columns.push_back({i * kFileStride, plan.devices[i].bytes / setting.line_bytes * setting.line_bytes, 0});
    const EngineOpener open = parse_storage(setting.storage);
    pager = std::make_unique<HostPager>(options, columns, [&](std::uint32_t depth) { return open(files, depth); });
  }
  PageId page(Lines& lines, int rank, std::uint64_t i) const { return columns[lines.device(i)].first_page + lines.line(rank, i); }
  /// Touches frames before the clock: they get their memory when they are first used.
  void touch_frames() const {
    constexpr PageId kPagesAhead = 256;
    const PageId pages = columns.back().first_page + columns.back().bytes / pager->page_bytes();
    for (PageId page = 0; page < std::min<PageId>(pages, pager->frames()); ++page) {
      if (page % kPagesAhead == 0) pager->prefetch(page, std::min(page + kPagesAhead, pages) - 1);
      pager->acquire(page);
      pager->release(page);
    }
    pager->reset_counters();
  }

  std::vector<PagedColumn> columns;
  std::unique_ptr<HostPager> pager;
};

void move_by_pager(const Setting& setting, const Plan& plan) {
  ThreadPool pool(setting.threads);
  const PagedDevices devices(setting, plan);
  HostPager& pager = *devices.pager;
  Lines lines(setting, plan);
  const std::uint64_t ahead = setting.own_depth();
  devices.touch_frames();
  const auto [moved, seconds] = run_all(pool, [&](int rank, const Timer& timer) {
    for (std::uint64_t i = 0; i + 1 < ahead; ++i) pager.prefetch(devices.page(lines, rank, i));
    std::uint64_t i = 0;
    for (; i % kLinesBetweenLooks != 0 || !is_over(timer, plan); ++i) {
      pager.prefetch(devices.page(lines, rank, i + ahead - 1));
      const PageId page = devices.page(lines, rank, i);
      if (setting.writes) {
        std::memcpy(pager.acquire_to_write(page), &i, sizeof(i));
        pager.release_written(page);
      } else {
        pager.acquire(page);
        pager.release(page);
      }
    }
    return i;
  });
  const PagerCounters counters = pager.counters();
  const std::uint64_t writes = counters.bytes_written / setting.line_bytes;
  print(setting, plan, seconds, moved, counters.misses, writes, counters.bytes_read + counters.bytes_written);
}

/// Keeps each thread's share of commands out in a queue pair of its own, without a cache, until the time is over.
void move_by_queues(const Setting& setting, const Plan& plan) {
  ThreadPool pool(setting.threads);
  const EngineOpener open = parse_storage(setting.storage);
  const std::vector<StoreFile> files = store_of(setting, plan);
  const auto storage = make_software_storage(static_cast<std::size_t>(setting.threads), setting.own_depth(),
                                             [&](std::uint32_t depth) { return open(files, depth); });
  const std::uint32_t depth = storage->queues()[0].depth;
  const Frames frames = storage->make_frames(static_cast<std::uint64_t>(setting.threads) * depth, setting.line_bytes);
  Lines lines(setting, plan);
  const auto opcode = setting.writes ? nvme::Opcode::write : nvme::Opcode::read;
  const auto [moved, seconds] = run_all(pool, [&](int rank, const Timer& timer) {
    const QueuePair& queue = storage->queues()[static_cast<std::size_t>(rank)];
    std::uint64_t started = 0, ended = 0;
    QueuePair::Ticket next = 0, last = 0;
    for (bool over = false; !over || ended != started; over = is_over(timer, plan)) {
      for (; !over && started - ended < depth && queue.try_draw_ticket(next); ++started) {
        last = next;
        const std::uint64_t frame = static_cast<std::uint64_t>(rank) * depth + queue.slot_of(last);
        const std::uint64_t offset = lines.device(started) * kFileStride + lines.line(rank, started) * setting.line_bytes;
        queue.write(last, storage->name_space().transfer(opcode, frames.address(frame), offset, setting.line_bytes));
      }
      if (started != 0) queue.ring(last);
      storage->poll();
      queue.reap([&](std::uint32_t slot, std::uint32_t status) {
        if (status != 0) raise<RunError>("a command failed: {}", storage->last_error());
        queue.finish(slot);
        ++ended;
      });
    }
    return started;
  });
  const std::uint64_t writes = setting.writes ? moved : 0;
  print(setting, plan, seconds, moved, moved - writes, writes, moved * setting.line_bytes);
}

/// Keeps each thread's share of transfers out until the time is over, and then waits for the last.
void move_by_io_uring(const Setting& setting, const Plan& plan) {
  ThreadPool pool(setting.threads);
  std::vector<File> files;
  for (std::size_t i = 0; i < setting.devices; ++i) {
    files.push_back(plan.devices[i].file.direct(setting.writes ? O_WRONLY : O_RDONLY));
  }
  Lines lines(setting, plan);
  const std::uint32_t depth = setting.own_depth();
  const auto [moved, seconds] = run_all(pool, [&](int rank, const Timer& timer) {
    PlainRing ring(depth, setting.line_bytes);
    std::uint64_t started = 0;
    const auto start = [&](std::uint32_t buffer) {
      const int fd = files[lines.device(started)].get();
      ring.start(setting.writes, fd, buffer, lines.line(rank, started) * setting.line_bytes);
      ++started;
    };
    for (std::uint32_t buffer = 0; buffer < depth; ++buffer) start(buffer);
    for (std::uint64_t out = depth; out != 0;) {
      const bool over = is_over(timer, plan);
      ring.wait([&](std::uint32_t buffer) { over ? static_cast<void>(--out) : start(buffer); });
    }
    return started;
  });
  const std::uint64_t writes = setting.writes ? moved : 0;
  print(setting, plan, seconds, moved, moved - writes, writes, moved * setting.line_bytes);
}

/// Reads by faults of mappings, with the kernel's read-ahead, or without.
void read_by_mapping(const Setting& setting, const Plan& plan, bool random) {
  ThreadPool pool(setting.threads);
  std::vector<std::shared_ptr<Region>> regions;
  for (std::size_t i = 0; i < setting.devices; ++i) {
    regions.push_back(Region::map_file(fmt::format("/proc/self/fd/{}", plan.devices[i].file.get())));
    regions.back()->drop_cached_pages();
    if (random) ::madvise(regions.back()->data(), regions.back()->bytes(), MADV_RANDOM);
  }
  Lines lines(setting, plan);
  std::atomic<unsigned> seen{0};
  rusage before{}, after{};
  ::getrusage(RUSAGE_SELF, &before);
  const auto [read, seconds] = run_all(pool, [&](int rank, const Timer& timer) {
    unsigned sum = 0;
    std::uint64_t i = 0;
    for (; i % kLinesBetweenLooks != 0 || !is_over(timer, plan); ++i) {
      sum += static_cast<unsigned>(regions[lines.device(i)]->data()[lines.line(rank, i) * setting.line_bytes]);
    }
    seen += sum;
    return i;
  });
  ::getrusage(RUSAGE_SELF, &after);
  constexpr std::uint64_t kBlockBytes = 512;
  const auto faults = static_cast<std::uint64_t>(after.ru_majflt - before.ru_majflt);
  print(setting, plan, seconds, read, faults, 0, static_cast<std::uint64_t>(after.ru_inblock - before.ru_inblock) * kBlockBytes);
}

void read_cold_and_hot(const Setting& asked, const Plan& plan) {
  ThreadPool pool(asked.threads);
  const std::uint64_t lines = std::min(plan.devices.front().bytes, plan.cache_bytes / 2) / asked.line_bytes;
  const PagedDevices devices(asked, plan);
  HostPager& pager = *devices.pager;
  for (const char* state : {"cold", "hot"}) {
    Setting setting = asked;
    setting.way = fmt::format("pager, {}", state);
    pager.reset_counters();
    std::atomic<std::uint64_t> sums{0};
    const auto [read, seconds] = run_all(pool, [&](int rank, const Timer&) {
      const std::uint64_t share = lines / static_cast<std::uint64_t>(pool.size());
      const std::uint64_t begin = share * static_cast<std::uint64_t>(rank);
      const std::uint64_t end = rank + 1 == pool.size() ? lines : begin + share;
      const PageId ahead = std::max<PageId>(2, pager.pages_ahead()) / 2;
      std::uint64_t sum = 0;
      for (PageId page = begin; page < end; ++page) {
        if ((page - begin) % ahead == 0) {
          pager.prefetch(page, std::min(page + 2 * ahead, end) - 1);
          pager.send();
        }
        const auto* words = reinterpret_cast<const std::uint64_t*>(pager.acquire(page));
        for (std::uint32_t i = 0; i < setting.line_bytes / sizeof(std::uint64_t); ++i) sum += words[i];
        pager.release(page);
      }
      sums += sum;
      return end - begin;
    });
    const PagerCounters counters = pager.counters();
    print(setting, plan, seconds, read, counters.misses, 0, counters.bytes_read);
  }
}

/// The request of the command line.
struct Request {
  Plan plan;
  Texts ways;
  Texts storages;
  std::uint32_t line_bytes = 4096;  ///< of iops and writes
  std::vector<int> threads;
  std::vector<std::uint32_t> depths;
  int most_threads() const { return *std::max_element(threads.begin(), threads.end()); }
};

Device open_device(const std::string& name) {
  File file(name, O_RDONLY);
  const std::uint64_t bytes = file.bytes();
  if (bytes < kLeastBytes) raise<DataError>("{} is smaller than 8 MiB, too small to time", name);
  return {name, std::move(file), bytes};
}

/// Makes a file without a name, full of numbers, so that every read goes to the disk.
Device make_scratch(const std::string& directory, std::uint64_t bytes) {
  ScratchFile scratch(directory);
  std::vector<std::uint64_t> words(kLeastBytes / sizeof(std::uint64_t));
  while (scratch.size() + kLeastBytes <= bytes) {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = scratch.size() + i;
    scratch.append(words.data(), kLeastBytes);
  }
  scratch.flush();
  return {"a scratch file in " + directory, File(scratch.descriptor(), O_RDWR), scratch.size()};
}

void run_way(const Setting& setting, const Plan& plan) {
  if (setting.way == "pager") {
    move_by_pager(setting, plan);
  } else if (setting.way == "queues") {
    move_by_queues(setting, plan);
  } else if (setting.way == "io_uring") {
    move_by_io_uring(setting, plan);
  } else if (setting.way.starts_with("mmap")) {
    read_by_mapping(setting, plan, setting.way != "mmap");
  } else {
    raise<UsageError>("there is no way '{}': pager, queues, io_uring, mmap", setting.way);
  }
}

/// Returns the storages of a variant: models are for the pager and for queue pairs.
Texts storages_of(const Request& request, const std::string& way) {
  return way == "pager" || way == "queues" ? request.storages : Texts{"file"};
}

/// Measures figure 4: against depth, threads and devices.
void measure_iops(const Request& request, bool writes) {
  const std::string measure = writes ? "writes" : "iops";
  if (writes && !request.plan.writable) {
    throw UsageError("writes go to scratch files only: name folders with --scratch instead of --files");
  }
  const std::vector<std::uint32_t> no_depths(1, 1);
  const std::uint32_t line = request.line_bytes;
  for (const std::string& way : request.ways) {
    if (way == "mmap" && writes) continue;
    for (const std::string& storage : storages_of(request, way)) {
      for (std::size_t devices = 1; devices <= request.plan.devices.size(); ++devices) {
        for (const int threads : request.threads) {
          for (const std::uint32_t depth : way == "mmap" ? no_depths : request.depths) {
            run_way({measure, way, threads, depth, line, devices, writes, storage}, request.plan);
            if (way == "mmap") run_way({measure, "mmap, random", threads, depth, line, devices}, request.plan);
          }
        }
      }
    }
  }
}

/// Measures figure 5: against the size of a request.
void measure_sizes(const Request& request) {
  for (std::uint32_t line = 512; line <= 1 << 20; line *= 2) {
    for (const std::string& way : request.ways) {
      const bool maps = way == "mmap";
      for (const std::string& storage : storages_of(request, way)) {
        run_way({"sizes", maps ? "mmap, random" : way, request.most_threads(), maps ? 1 : kGoodDepth, line, 1, false, storage},
                request.plan);
      }
    }
  }
}

/// Measures the limit of passes over all edges.
void measure_in_order(const Request& request) {
  for (std::uint32_t line = 64 << 10; line <= 1 << 20; line *= 4) {
    for (const std::uint32_t depth : {4u, 16u, 64u}) {
      Setting setting{"in_order", "io_uring", request.most_threads(), depth, line};
      setting.in_order = true;
      move_by_io_uring(setting, request.plan);
    }
  }
}

/// Measures figure 6: cold and hot cache.
void measure_lines(const Request& request) {
  for (const std::string& storage : request.storages) {
    for (const std::uint32_t line : {512u, 4096u, 8192u})
      read_cold_and_hot({"lines", "", request.most_threads(), kGoodDepth, line, 1, false, storage}, request.plan);
  }
}

void run(const cxxopts::ParseResult& given) {
  const std::map<std::string, void (*)(const Request&)> measures = {
      {"iops", [](const Request& request) { measure_iops(request, false); }},
      {"writes", [](const Request& request) { measure_iops(request, true); }},
      {"sizes", measure_sizes},
      {"in_order", measure_in_order},
      {"lines", measure_lines}};
  const Texts asked = given["measures"].as<Texts>();
  for (const std::string& measure : asked) {
    if (!measures.contains(measure)) raise<UsageError>("there is no measure '{}': see bam_suite --help", measure);
  }
  Request request;
  request.plan.seconds = given["seconds"].as<double>();
  request.ways = given["ways"].as<Texts>();
  request.storages = given["storage"].as<Texts>();
  for (const std::string& storage : request.storages) parse_storage(storage);
  request.line_bytes = given["line"].as<std::uint32_t>();
  request.threads = given["threads"].as<std::vector<int>>();
  request.depths = given["depths"].as<std::vector<std::uint32_t>>();
  if (std::ranges::min(request.threads) < 1) throw UsageError("--threads must be at least 1");
  const auto [least, most] = std::ranges::minmax(request.depths);
  if (least < 1 || most > 4096) throw UsageError("--depths lie between 1 and 4096");
  const std::uint64_t bytes = parse_bytes(given["size"].as<std::string>());
  if (bytes < kLeastBytes) throw UsageError("--size must be at least 8MiB");
  if (given.count("files") == given.count("scratch"))
    throw UsageError("what is read? Name files with --files, or folders with --scratch");
  auto& devices = request.plan.devices;
  request.plan.writable = given.count("scratch") != 0;
  for (const std::string& name : given[request.plan.writable ? "scratch" : "files"].as<Texts>()) {
    devices.push_back(request.plan.writable ? make_scratch(name, bytes) : open_device(name));
  }
  const bool is_given = given.count("cache") != 0;
  request.plan.cache_bytes = is_given ? parse_bytes(given["cache"].as<std::string>()) : devices.front().bytes / 8;
  for (const std::string& measure : asked) measures.at(measure)(request);
}

}  // namespace

int main(int argc, char** argv) {
  cxxopts::Options options("bam_suite", "Times transfers through the cache of bam, through io_uring and through mappings");
  auto add = options.add_options();
  add("files", "what is read; several stand for several devices", cxxopts::value<Texts>());
  add("scratch", "folders, on a device each, for files that are made and written to", cxxopts::value<Texts>());
  add("size", "of a scratch file", with_default("1GiB"));
  add("measures",
      "iops (of reads, against depth, threads and devices), writes (the same), sizes (of requests), in_order, lines (cold and "
      "hot "
      "cache)",
      with_default<Texts>("iops,sizes,lines"));
  add("ways", "for iops, writes and sizes: pager; queues (queue pairs without a cache); io_uring; mmap",
      with_default<Texts>("pager,io_uring,mmap"));
  add("storage", "of pager and queues: file, or models of drives over those files, as for graphrun", with_default<Texts>("file"));
  add("line", "bytes of a line of iops and writes", with_default<std::uint32_t>("4096"));
  add("threads", "", with_default<std::vector<int>>("1,2"));
  add("depths", "transfers out at a time", with_default<std::vector<std::uint32_t>>("1,4,16,64,128,256,512"));
  add("cache", "(default: an eighth of a file)", cxxopts::value<std::string>());
  add("seconds", "of each row of iops, writes, sizes and in_order", with_default<double>("2"));
  return run_program(options, argc, argv, run);
}
