// Times what bam on the CPU is made of, over files that stand for storage devices: lines moved through the pager's cache, beside
// the same issued by host threads with io_uring, and by page faults of mappings. docs/benchmarks.md says what repeats which
// figure.
//
//   bam_suite --files graph.grf --threads 1,2 --depths 1,8,64,256 --seconds 2
//   bam_suite --measures writes,vectoradd --scratch /disk1,/disk2 --size 1GiB
//
// One JSON object a line. `iops` and `write_iops` count transfers of storage; `lines_per_second` those that a thread asked for,
// of which a cache answers some. Files are read with O_DIRECT, mappings from a dropped page cache.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <cxxopts.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bam_plan.hpp"
#include "frame.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"

namespace {

using namespace graphrun;
using namespace graphrun::bench;

constexpr std::uint64_t kLeastBytes = 8 << 20;
constexpr std::uint32_t kGoodDepth = 128;

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
  File file(directory, O_TMPFILE | O_RDWR);
  std::vector<std::uint64_t> words(kLeastBytes / sizeof(std::uint64_t));
  bytes = bytes / kLeastBytes * kLeastBytes;
  for (std::uint64_t at = 0; at < bytes; at += kLeastBytes) {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = at + i;
    if (::pwrite(file.fd(), words.data(), kLeastBytes, static_cast<off_t>(at)) != static_cast<ssize_t>(kLeastBytes)) {
      throw DataError(fmt::format("cannot write a file of {} in {}: {}", format_bytes(bytes), directory, std::strerror(errno)));
    }
  }
  if (::fsync(file.fd()) != 0) throw DataError(fmt::format("cannot flush a file in {}: {}", directory, std::strerror(errno)));
  return {"a scratch file in " + directory, std::move(file), bytes, true};
}

/// What was asked for.
struct Request {
  Plan plan;
  std::vector<std::string> ways;
  std::vector<int> threads;
  std::vector<std::uint32_t> depths;
  std::vector<std::string> scratch;
  std::uint64_t scratch_bytes = 0;
  int rounds = 0;
  int most_threads() const { return *std::max_element(threads.begin(), threads.end()); }
};

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
  if (writes &&
      !std::all_of(request.plan.devices.begin(), request.plan.devices.end(), [](const Device& d) { return d.writable; })) {
    throw UsageError("writes go to scratch files only: name folders with --scratch instead of --files");
  }
  for (const std::string& way : request.ways) {
    for (std::size_t devices = 1; devices <= request.plan.devices.size(); ++devices) {
      for (const int threads : request.threads) {
        if (way == "mmap") {
          if (writes) continue;
          read_by_mapping({measure, "mmap", threads, 1, 4096, devices}, request.plan, false);
          read_by_mapping({measure, "mmap, random", threads, 1, 4096, devices}, request.plan, true);
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
      read_in_order({"in_order", "io_uring", request.most_threads(), depth, line}, request.plan);
    }
  }
}

/// Figure 6: cold and hot cache.
void measure_lines(const Request& request) {
  for (const std::uint32_t line : {512u, 4096u, 8192u}) {
    read_cold_and_hot({"lines", "", request.most_threads(), kGoodDepth, line}, request.plan);
  }
}

/// Section 5.4.
void measure_vector_add(const Request& request) {
  if (request.scratch.empty()) throw UsageError("vectoradd writes files: name a folder with --scratch");
  add_vectors(request.most_threads(), request.scratch_bytes, request.plan.cache_bytes, request.scratch.front(), request.rounds);
}

Request read_request(const cxxopts::ParseResult& given) {
  Request request;
  request.plan.seconds = given["seconds"].as<double>();
  request.ways = given["ways"].as<std::vector<std::string>>();
  request.threads = given["threads"].as<std::vector<int>>();
  request.depths = given["depths"].as<std::vector<std::uint32_t>>();
  request.rounds = given["rounds"].as<int>();
  if (std::any_of(request.threads.begin(), request.threads.end(), [](int count) { return count < 1; })) {
    throw UsageError("--threads must be at least 1");
  }
  if (std::any_of(request.depths.begin(), request.depths.end(), [](std::uint32_t depth) { return depth < 1 || depth > 4096; })) {
    throw UsageError("--depths lie between 1 and 4096");
  }
  request.scratch_bytes = parse_bytes(given["size"].as<std::string>());
  if (request.scratch_bytes < kLeastBytes) throw UsageError("--size must be at least 8MiB");
  if (given.count("files") == given.count("scratch"))
    throw UsageError("what is read? Name files with --files, or folders with --scratch");
  if (given.count("files") != 0) {
    for (const std::string& name : given["files"].as<std::vector<std::string>>())
      request.plan.devices.push_back(open_device(name));
  } else {
    request.scratch = given["scratch"].as<std::vector<std::string>>();
  }
  return request;
}

using Names = std::vector<std::string>;

void run(const cxxopts::ParseResult& given) {
  const std::map<std::string, void (*)(const Request&)> measures = {
      {"iops", [](const Request& request) { measure_iops(request, false); }},
      {"writes", [](const Request& request) { measure_iops(request, true); }},
      {"sizes", measure_sizes},
      {"in_order", measure_in_order},
      {"lines", measure_lines},
      {"vectoradd", measure_vector_add}};
  const Names asked = given["measures"].as<Names>();
  for (const std::string& measure : asked) {
    if (!measures.contains(measure)) throw UsageError(fmt::format("there is no measure '{}': see bam_suite --help", measure));
  }
  Request request = read_request(given);
  const bool only_vectors = asked == Names{"vectoradd"};
  if (!only_vectors) {
    for (const std::string& directory : request.scratch)
      request.plan.devices.push_back(make_scratch(directory, request.scratch_bytes));
  }
  const std::uint64_t bytes = only_vectors ? 3 * request.scratch_bytes : request.plan.devices.front().bytes;
  request.plan.cache_bytes = given.count("cache") != 0 ? parse_bytes(given["cache"].as<std::string>()) : bytes / 8;
  for (const std::string& measure : asked) measures.at(measure)(request);
}

}  // namespace

int main(int argc, char** argv) {
  cxxopts::Options options("bam_suite", "Times transfers through the cache of bam, through io_uring and through mappings");
  options.add_options()("files", "what is read; several stand for several devices", cxxopts::value<Names>())(
      "scratch", "folders, on a device each, for files that are made and written to", cxxopts::value<Names>())(
      "size", "of a scratch file, and of each array of vectoradd", cxxopts::value<std::string>()->default_value("1GiB"))(
      "measures",
      "iops (of reads, against depth, threads and devices), writes (the same), sizes (of requests), in_order, lines (cold "
      "and hot cache), vectoradd",
      cxxopts::value<Names>()->default_value("iops,sizes,lines"))("ways", "for iops, writes and sizes: pager, io_uring, mmap",
                                                                  cxxopts::value<Names>()->default_value("pager,io_uring,mmap"))(
      "threads", "", cxxopts::value<std::vector<int>>()->default_value("1,2"))(
      "depths", "transfers out at a time", cxxopts::value<std::vector<std::uint32_t>>()->default_value("1,4,16,64,128,256,512"))(
      "cache", "(default: an eighth of a file, of vectoradd's arrays together)", cxxopts::value<std::string>())(
      "rounds", "of vectoradd", cxxopts::value<int>()->default_value("3"))(
      "seconds", "of each row of iops, writes, sizes and in_order", cxxopts::value<double>()->default_value("2"));
  return run_program(options, argc, argv, run);
}
