// Rows of features that a GPU gathers from host memory: aligned against naive, and with some rows kept in device memory (Min,
// dissertation, figures 3.10 and 4.9). Rows of a multiple of 128 bytes show what whole lines at random places reach.
//
//   gather_gpu --row-bytes 256,480,1028,4100 --table 8GiB --hot 0.1
//
// One JSON object for each size, with medians of the rounds in GB/s of rows.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "frame.hpp"
#include "graphrun/backend/feature_table.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/column.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/exec/cuda_executor.hpp"

namespace graphrun {
namespace {

constexpr std::uint64_t kGatheredBytes = std::uint64_t{2} << 30;

void run(const cxxopts::ParseResult& given) {
  const std::uint64_t bytes = parse_bytes(given["table"].as<std::string>());
  const double share = given["hot"].as<double>();
  const int rounds = given["rounds"].as<int>();
  if (rounds < 1) throw UsageError("--rounds must be at least 1");
  if (!(share >= 0 && share <= 1)) throw UsageError("--hot is a share of the rows, from 0 to 1");
  ThreadPool pool;
  auto memory = Column<std::uint64_t>::allocate(bytes / 8);
  parallel_for(pool, memory.size(), [&](std::size_t i) { memory[i] = splitmix64(i); });
  for (const std::string& text : given["row-bytes"].as<bench::Texts>()) {
    FeatureOptions options{.row_bytes = parse_bytes(text), .gpu = given["device"].as<int>()};
    if (options.row_bytes == 0 || options.row_bytes > bytes)
      throw UsageError("--row-bytes: a row is at least a byte, and in the table");
    const std::uint64_t rows = bytes / options.row_bytes;
    options.hot.resize(static_cast<std::size_t>(share * static_cast<double>(rows)));
    std::iota(options.hot.begin(), options.hot.end(), VertexId{0});
    const auto table = open_features(std::as_bytes(memory.span()), options);
    std::vector<VertexId> ids(kGatheredBytes / options.row_bytes);
    const DeviceArray<std::byte> to(ids.size() * options.row_bytes);
    std::vector<double> rates[2];
    Gathered last;
    for (int round = -1; round < rounds; ++round) {  // the first one warms up
      for (std::size_t i = 0; i < ids.size(); ++i)
        ids[i] = static_cast<VertexId>(number_below(rows, splitmix64(static_cast<std::uint64_t>(round), i, 0)));
      for (const bool aligned : {false, true}) {
        table->set_aligned(aligned);
        last = table->gather_on_device(ids, to.data());
        if (round >= 0) rates[aligned].push_back(static_cast<double>(ids.size() * options.row_bytes) / (last.elapsed_ms * 1e6));
      }
    }
    bench::print_json("row_bytes", options.row_bytes, "table_bytes", bytes, "hot_rows", options.hot.size(), "naive_gb_s",
                      bench::median(rates[0]), "aligned_gb_s", bench::median(rates[1]), "device_bytes", last.device_bytes,
                      "host_bytes", last.host_bytes);
  }
}

}  // namespace
}  // namespace graphrun

int main(int argc, char** argv) {
  using namespace graphrun::bench;
  cxxopts::Options parser("gather_gpu", "Rates at which a GPU gathers rows from host memory");
  auto add = parser.add_options();
  add("row-bytes", "sizes of rows", with_default<Texts>("128,256,480,1028,2052,4100"));
  add("table", "bytes of all rows", with_default("8GiB"));
  add("hot", "share of the rows that are kept in device memory", with_default<double>("0"));
  add("rounds", "of 2 GiB each, for each size and way", with_default<int>("5"));
  add("device", "number of the GPU", with_default<int>("0"));
  return run_program(parser, argc, argv, graphrun::run);
}
