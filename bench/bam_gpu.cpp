// SPDX-License-Identifier: Apache-2.0
// Bandwidth of bam's cache on a GPU: warps read whole pages of a column, in random or ascending order, and check every word.
//
//   bam_gpu --column 4GiB --cache 8GiB --storage ram:unlimited      (fits: the second pass is the hot cache)
//   bam_gpu --column 16GiB --cache 1GiB --pages 2000000             (does not fit: misses)
//   bam_gpu --measures reads,writes --page 512 --depth 1024 --threads 1024,65536 --storage ram:optane-p5800x:4
//
// One JSON object a pass: the first pass finds the cache empty, the others as it was left. `reads` and `writes` have no cache.
#include <algorithm>
#include <string>
#include <vector>

#include "backend/bam_storage.hpp"
#include "bam_gpu_reads.hpp"
#include "core/raise.hpp"
#include "frame.hpp"
#include "graphrun/core/bytes.hpp"

namespace graphrun {
namespace {

ScratchFile make_file(std::uint64_t bytes, const std::string& directory) {
  ScratchFile file(directory);
  std::vector<std::uint32_t> piece(std::size_t{4} << 20);
  for (std::uint64_t word = 0; word < bytes / 4; word += piece.size()) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), bytes / 4 - word));
    for (std::size_t i = 0; i < count; ++i) piece[i] = bam_word(word + i);
    file.append(piece.data(), count * 4);
  }
  file.flush();
  return file;
}

/// The request of the command line, over one storage.
struct Request {
  DevicePagerOptions pager;
  std::uint64_t bytes;  ///< of the column
  std::string storage;
  bool writes;
  bool random;
  std::uint64_t pages;
  int passes;
  std::vector<std::uint64_t> threads;
};

/// Measures figures 5 and 6: warps read whole pages through the cache.
void measure_reads(CudaExecutor& exec, DevicePager& pager, const Request& what) {
  const std::uint64_t column_pages = what.bytes / what.pager.page_bytes;
  for (int pass = 0; pass < what.passes; ++pass) {
    pager.reset_counters();
    const auto [ms, wrong_words] =
        time_page_reads(exec, pager, {column_pages, what.pages, what.random, static_cast<std::uint64_t>(pass) + 1});
    pager.throw_if_failed();
    const PagerCounters moved = pager.counters();
    const double read_bytes = static_cast<double>(what.pages) * what.pager.page_bytes;
    bench::print_json("measure", "pages", "pass", pass, "order", what.random ? "random" : "ascending", "page_bytes",
                      what.pager.page_bytes, "frames", pager.frames(), "column_pages", column_pages, "storage", what.storage,
                      "emulated", pager.engine().emulated(), "controllers", pager.controllers(), "queues", pager.queues(),
                      "depth", pager.queue_depth(), "ms", ms, "read_gb_s", read_bytes / ms / 1e6, "misses", moved.misses,
                      "miss_gb_s", static_cast<double>(moved.bytes_read) / ms / 1e6, "miss_iops",
                      static_cast<double>(moved.misses) / ms * 1e3, "wrong_words", wrong_words);
  }
}

/// Measures figure 4: threads post commands through the queues alone.
void measure_commands(CudaExecutor& exec, DevicePager& pager, const Request& what) {
  for (const std::uint64_t threads : what.threads) {
    for (int pass = 0; pass < what.passes; ++pass) {
      const auto [ms, wrong_pages] = time_page_commands(
          exec, pager,
          {what.bytes / what.pager.page_bytes, what.pages, threads, what.writes, static_cast<std::uint64_t>(pass) + 1});
      pager.throw_if_failed();
      const double iops = static_cast<double>(what.pages) / ms * 1e3;
      bench::print_json("measure", what.writes ? "writes" : "reads", "pass", pass, "threads", threads, "page_bytes",
                        what.pager.page_bytes, "storage", what.storage, "emulated", pager.engine().emulated(), "controllers",
                        pager.controllers(), "queues", pager.queues(), "depth", pager.queue_depth(), "ms", ms, "iops", iops,
                        "gb_s", iops * what.pager.page_bytes / 1e9, "wrong_pages", wrong_pages);
    }
  }
}

void run(const cxxopts::ParseResult& given) {
  CudaExecutor exec(0);
  Request what{.pager = {},
               .bytes = 0,
               .storage = {},
               .writes = false,
               .random = given["order"].as<std::string>() == "random",
               .pages = 0,
               .passes = given["passes"].as<int>(),
               .threads = given["threads"].as<std::vector<std::uint64_t>>()};
  DevicePagerOptions& options = what.pager;
  options.page_bytes = given["page"].as<std::uint32_t>();
  options.cache_bytes = parse_bytes(given["cache"].as<std::string>());
  options.queues = given["queues"].as<std::uint32_t>();
  options.queue_depth = given["depth"].as<std::uint32_t>();
  options.controllers = given["controllers"].as<int>();
  what.bytes = parse_bytes(given["column"].as<std::string>()) / options.page_bytes * options.page_bytes;
  what.pages = given["pages"].as<std::uint64_t>() != 0 ? given["pages"].as<std::uint64_t>() : what.bytes / options.page_bytes;
  const ScratchFile file = make_file(what.bytes, given["dir"].as<std::string>());
  const std::vector<StoreFile> files{{"the column", file.descriptor(), true}};
  const auto measures = given["measures"].as<bench::Texts>();
  for (const std::string& storage : given["storage"].as<bench::Texts>()) {
    what.storage = storage;
    const EngineOpener open = parse_storage(storage);
    std::vector<PagedColumn> columns{{0, what.bytes, 0}};
    DevicePager pager(options, columns, exec, [&](std::uint32_t depth) { return open(files, depth); });
    for (const std::string& measure : measures) {
      what.writes = measure == "writes";
      if (measure == "pages") {
        measure_reads(exec, pager, what);
      } else if (measure == "reads" || what.writes) {
        measure_commands(exec, pager, what);
      } else {
        raise<UsageError>("there is no measure '{}': pages, reads, writes", measure);
      }
    }
  }
}

}  // namespace
}  // namespace graphrun

int main(int argc, char** argv) {
  using namespace graphrun::bench;
  cxxopts::Options parser("bam_gpu", "Bandwidth of bam's page cache on a GPU");
  auto add = parser.add_options();
  add("column", "size of what is read", with_default("1GiB"));
  add("cache", "device memory for frames", with_default("256MiB"));
  add("page", "bytes of a page", with_default<std::uint32_t>("4096"));
  add("pages", "pages or commands of a pass; 0: as many as there are", with_default<std::uint64_t>("0"));
  add("passes", "", with_default<int>("3"));
  add("order", "random or ascending", with_default("random"));
  add("storage", "as for graphrun; several in turn", with_default<Texts>("ram:unlimited"));
  add("measures", "pages, through the cache; reads and writes, by commands of threads", with_default<Texts>("pages"));
  add("threads", "of reads and writes", with_default<std::vector<std::uint64_t>>("65536"));
  add("dir", "where the column's file is made", with_default("/tmp"));
  add("queues", "queue pairs", with_default<std::uint32_t>("128"));
  add("depth", "of each queue", with_default<std::uint32_t>("64"));
  add("controllers", "host threads; 0: half of all", with_default<int>("0"));
  return run_program(parser, argc, argv, graphrun::run);
}
