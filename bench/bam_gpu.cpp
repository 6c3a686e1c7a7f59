// SPDX-License-Identifier: Apache-2.0
// Bandwidth of bam's cache on a GPU: warps read whole pages of a column, in random or ascending order, and check every word.
//
//   bam_gpu --column 4GiB --cache 8GiB --storage ram:unlimited      (fits: the second pass is the hot cache)
//   bam_gpu --column 16GiB --cache 1GiB --pages 2000000             (does not fit: misses)
//
// One JSON object a pass: the first pass finds the cache empty, the others as it was left.
#include <algorithm>
#include <string>
#include <vector>

#include "backend/bam_storage.hpp"
#include "bam_gpu_reads.hpp"
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

void run(const cxxopts::ParseResult& given) {
  CudaExecutor exec(0);
  DevicePagerOptions options;
  options.page_bytes = given["page"].as<std::uint32_t>();
  options.cache_bytes = parse_bytes(given["cache"].as<std::string>());
  options.queues = given["queues"].as<std::uint32_t>();
  options.queue_depth = given["depth"].as<std::uint32_t>();
  options.controllers = given["controllers"].as<int>();
  const std::uint64_t bytes = parse_bytes(given["column"].as<std::string>()) / options.page_bytes * options.page_bytes;
  const bool random = given["order"].as<std::string>() == "random";
  const std::string storage = given["storage"].as<std::string>();
  const ScratchFile file = make_file(bytes, given["dir"].as<std::string>());
  const std::vector<StoreFile> files{{"the column", file.descriptor()}};
  std::vector<PagedColumn> columns{{0, bytes, 0}};
  const EngineOpener open = parse_storage(storage);
  DevicePager pager(options, columns, exec, [&](std::uint32_t depth) { return open(files, depth); });
  const std::uint64_t column_pages = bytes / options.page_bytes;
  const std::uint64_t reads = given["pages"].as<std::uint64_t>() != 0 ? given["pages"].as<std::uint64_t>() : column_pages;
  for (int pass = 0; pass < given["passes"].as<int>(); ++pass) {
    pager.reset_counters();
    const auto [ms, wrong_words] =
        time_page_reads(exec, pager, {column_pages, reads, random, static_cast<std::uint64_t>(pass) + 1});
    pager.throw_if_failed();
    const PagerCounters moved = pager.counters();
    const double read_bytes = static_cast<double>(reads) * options.page_bytes;
    bench::print_json("pass", pass, "order", random ? "random" : "ascending", "page_bytes", options.page_bytes, "frames",
                      pager.frames(), "column_pages", column_pages, "storage", storage, "emulated", pager.engine().emulated(),
                      "controllers", pager.controllers(), "queues", options.queues, "depth", options.queue_depth, "ms", ms,
                      "read_gb_s", read_bytes / ms / 1e6, "misses", moved.misses, "miss_gb_s",
                      static_cast<double>(moved.bytes_read) / ms / 1e6, "miss_iops", static_cast<double>(moved.misses) / ms * 1e3,
                      "wrong_words", wrong_words);
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
  add("pages", "pages read in a pass; 0: as many as there are", with_default<std::uint64_t>("0"));
  add("passes", "", with_default<int>("3"));
  add("order", "random or ascending", with_default("random"));
  add("storage", "as for graphrun", with_default("ram:unlimited"));
  add("dir", "where the column's file is made", with_default("/tmp"));
  add("queues", "queue pairs", with_default<std::uint32_t>("128"));
  add("depth", "of each queue", with_default<std::uint32_t>("64"));
  add("controllers", "host threads; 0: half of all", with_default<int>("0"));
  return run_program(parser, argc, argv, graphrun::run);
}
