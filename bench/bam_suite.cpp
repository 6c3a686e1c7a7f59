// Times what bam on the CPU is made of, over files that stand for storage devices: lines moved through the pager's cache, beside
// the same issued by host threads with io_uring, and by page faults of mappings. docs/benchmarks.md says what repeats which
// figure.
//
//   bam_suite --files graph.grf --threads 1,2 --depths 1,8,64,256 --seconds 2
//   bam_suite --measures writes --scratch /disk1,/disk2 --size 1GiB
//
// One JSON object a line. `iops` and `write_iops` count transfers of storage; `lines_per_second` those that a thread asked for,
// of which a cache answers some. Files are read with O_DIRECT, mappings from a dropped page cache.
#include <fcntl.h>
#include <sys/stat.h>

#include <map>

#include "bam_plan.hpp"
#include "frame.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/graph/scratch.hpp"

namespace {

using namespace graphrun;
using namespace graphrun::bench;

constexpr std::uint64_t kLeastBytes = 8 << 20;
constexpr std::uint32_t kGoodDepth = 128;

/// What was asked for.
struct Request {
  Plan plan;
  Texts ways;
  std::vector<int> threads;
  std::vector<std::uint32_t> depths;
  int most_threads() const { return *std::max_element(threads.begin(), threads.end()); }
};

Device open_device(const std::string& name) {
  File file(name, O_RDONLY);
  struct stat status {};
  if (::fstat(file.fd(), &status) != 0) throw DataError(fmt::format("cannot examine {}: {}", name, std::strerror(errno)));
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  if (bytes < kLeastBytes) throw DataError(fmt::format("{} is smaller than 8 MiB, too small to time", name));
  return {name, std::move(file), bytes, false};
}

/// A file without a name, full of numbers, so that every read goes to the disk.
Device make_scratch(const std::string& directory, std::uint64_t bytes) {
  ScratchFile scratch(directory);
  std::vector<std::uint64_t> words(kLeastBytes / sizeof(std::uint64_t));
  while (scratch.size() + kLeastBytes <= bytes) {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = scratch.size() + i;
    scratch.append(words.data(), kLeastBytes);
  }
  scratch.flush();
  return {"a scratch file in " + directory, File(scratch.descriptor(), O_RDWR), scratch.size(), true};
}

void run_way(const Setting& setting, const Plan& plan) {
  if (setting.way == "pager") {
    move_by_pager(setting, plan);
  } else if (setting.way == "io_uring") {
    move_by_io_uring(setting, plan);
  } else {
    throw UsageError(fmt::format("there is no way '{}': pager, io_uring, mmap", setting.way));
  }
}

/// Figure 4: against depth, threads and devices.
void measure_iops(const Request& request, bool writes) {
  const std::string measure = writes ? "writes" : "iops";
  const auto& all = request.plan.devices;
  if (writes && !std::all_of(all.begin(), all.end(), [](const Device& device) { return device.writable; })) {
    throw UsageError("writes go to scratch files only: name folders with --scratch instead of --files");
  }
  for (const std::string& way : request.ways) {
    for (std::size_t devices = 1; devices <= all.size(); ++devices) {
      for (const int threads : request.threads) {
        if (way == "mmap") {
          for (const bool random : {false, true}) {
            const Setting setting{measure, random ? "mmap, random" : "mmap", threads, 1, 4096, devices};
            if (!writes) read_by_mapping(setting, request.plan, random);
          }
          continue;
        }
        for (const std::uint32_t depth : request.depths) {
          run_way({measure, way, threads, depth, 4096, devices, writes}, request.plan);
        }
      }
    }
  }
}

/// Figure 5: against the size of a request.
void measure_sizes(const Request& request) {
  constexpr std::uint32_t kLargestPage = 64 << 10;
  for (std::uint32_t line = 512; line <= 1 << 20; line *= 2) {
    for (const std::string& way : request.ways) {
      if (way == "mmap") {
        read_by_mapping({"sizes", "mmap, random", request.most_threads(), 1, line}, request.plan, true);
      } else if (way != "pager" || line <= kLargestPage) {
        run_way({"sizes", way, request.most_threads(), kGoodDepth, line}, request.plan);
      }
    }
  }
}

/// What passes over all edges could reach.
void measure_in_order(const Request& request) {
  for (std::uint32_t line = 64 << 10; line <= 1 << 20; line *= 4) {
    for (const std::uint32_t depth : {4u, 16u, 64u}) {
      Setting setting{"in_order", "io_uring", request.most_threads(), depth, line};
      setting.in_order = true;
      move_by_io_uring(setting, request.plan);
    }
  }
}

/// Figure 6: cold and hot cache.
void measure_lines(const Request& request) {
  for (const std::uint32_t line : {512u, 4096u, 8192u}) {
    read_cold_and_hot({"lines", "", request.most_threads(), kGoodDepth, line}, request.plan);
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
    if (!measures.contains(measure)) throw UsageError(fmt::format("there is no measure '{}': see bam_suite --help", measure));
  }
  Request request;
  request.plan.seconds = given["seconds"].as<double>();
  request.ways = given["ways"].as<Texts>();
  request.threads = given["threads"].as<std::vector<int>>();
  request.depths = given["depths"].as<std::vector<std::uint32_t>>();
  for (const int count : request.threads) {
    if (count < 1) throw UsageError("--threads must be at least 1");
  }
  for (const std::uint32_t depth : request.depths) {
    if (depth < 1 || depth > 4096) throw UsageError("--depths lie between 1 and 4096");
  }
  const std::uint64_t bytes = parse_bytes(given["size"].as<std::string>());
  if (bytes < kLeastBytes) throw UsageError("--size must be at least 8MiB");
  if (given.count("files") == given.count("scratch"))
    throw UsageError("what is read? Name files with --files, or folders with --scratch");
  auto& devices = request.plan.devices;
  for (const std::string& name : given[given.count("files") != 0 ? "files" : "scratch"].as<Texts>()) {
    devices.push_back(given.count("files") != 0 ? open_device(name) : make_scratch(name, bytes));
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
  add("ways", "for iops, writes and sizes: pager, io_uring, mmap", with_default<Texts>("pager,io_uring,mmap"));
  add("threads", "", with_default<std::vector<int>>("1,2"));
  add("depths", "transfers out at a time", with_default<std::vector<std::uint32_t>>("1,4,16,64,128,256,512"));
  add("cache", "(default: an eighth of a file)", cxxopts::value<std::string>());
  add("seconds", "of each row of iops, writes, sizes and in_order", with_default<double>("2"));
  return run_program(options, argc, argv, run);
}
