// Bandwidth of bam's cache on a GPU: warps read whole pages of a column, in random or ascending order, and check every word.
//
//   bam_gpu --column 4GiB --cache 8GiB --storage ram:unlimited      (fits: the second pass is the hot cache)
//   bam_gpu --column 16GiB --cache 1GiB --pages 2000000             (does not fit: misses)
//
// One JSON object a pass: the first pass finds the cache empty, the others as it was left.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cxxopts.hpp>
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
    const PassResult result = time_page_reads(exec, pager, {column_pages, reads, random, static_cast<std::uint64_t>(pass) + 1});
    pager.throw_if_failed();
    const PagerCounters moved = pager.counters();
    const double read_bytes = static_cast<double>(reads) * options.page_bytes;
    fmt::print(

        "{{\"pass\": {}, \"order\": \"{}\", \"page_bytes\": {}, \"frames\": {}, \"column_pages\": {}, \"storage\": \"{}\", "
        "\"emulated\": {}, \"controllers\": {}, \"queues\": {}, \"depth\": {}, \"ms\": {:.3f}, \"read_gb_s\": {:.2f}, "
        "\"misses\": {}, \"miss_gb_s\": {:.2f}, \"miss_iops\": {:.0f}, \"wrong_words\": {}}}\n",
        pass, random ? "random" : "ascending", options.page_bytes, pager.frames(), column_pages, storage,
        pager.engine().emulated(), pager.controllers(), options.queues, options.queue_depth, result.ms,
        read_bytes / result.ms / 1e6, moved.misses, static_cast<double>(moved.bytes_read) / result.ms / 1e6,
        static_cast<double>(moved.misses) / result.ms * 1e3, result.wrong_words);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace graphrun

int main(int argc, char** argv) {
  cxxopts::Options parser("bam_gpu", "Bandwidth of bam's page cache on a GPU");
  parser.add_options()("column", "size of what is read", cxxopts::value<std::string>()->default_value("1GiB"))(
      "cache", "device memory for frames", cxxopts::value<std::string>()->default_value("256MiB"))(
      "page", "bytes of a page", cxxopts::value<std::uint32_t>()->default_value("4096"))(
      "pages", "pages read in a pass; 0: as many as there are", cxxopts::value<std::uint64_t>()->default_value("0"))(
      "passes", "", cxxopts::value<int>()->default_value("3"))("order", "random or ascending",
                                                               cxxopts::value<std::string>()->default_value("random"))(
      "storage", "as for graphrun", cxxopts::value<std::string>()->default_value("ram:unlimited"))(
      "dir", "where the column's file is made", cxxopts::value<std::string>()->default_value("/tmp"))(
      "queues", "queue pairs", cxxopts::value<std::uint32_t>()->default_value("128"))(
      "depth", "of each queue", cxxopts::value<std::uint32_t>()->default_value("64"))(
      "controllers", "host threads; 0: half of all", cxxopts::value<int>()->default_value("0"));
  return graphrun::bench::run_program(parser, argc, argv, graphrun::run);
}
