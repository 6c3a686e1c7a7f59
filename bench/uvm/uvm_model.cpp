// SPDX-License-Identifier: Apache-2.0
// A model of managed memory (UVM) that may be smaller than what programs read, beside EMOGI's zero-copy reads and GPUVM's pages.
// It runs on any machine. What it prints is MODELLED: accesses come from real runs of the programs, the order of warps, the
// driver's paging and all times from models (run_step.cpp, driver.hpp, memories.hpp).
//
//   uvm_model kron:20:16,urand:20:16 --figures 2.11,14 --table
#include <algorithm>
#include <string>
#include <vector>

#include "core/raise.hpp"
#include "frame.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/io/load.hpp"
#include "uvm/figures.hpp"

namespace graphrun::bench::uvm {
namespace {

void run(const cxxopts::ParseResult& given) {
  if (!given.unmatched().empty()) raise<UsageError>("{} is one argument too many", given.unmatched().front());
  Texts figures = given["figures"].as<Texts>();
  if (figures == Texts{"all"}) figures = all_figures();
  for (const std::string& figure : figures) {
    if (std::ranges::find(all_figures(), figure) == all_figures().end()) raise<UsageError>("--figures: {} is not known", figure);
  }
  WorkOptions options;
  options.sources = given["sources"].as<unsigned>();
  options.steps = given["steps"].as<int>();
  options.rows = given["rows"].as<std::uint64_t>();
  options.columns = given["columns"].as<std::uint64_t>();
  options.elements = parse_bytes(given["size"].as<std::string>()) / 4;
  if (options.sources < 1 || options.steps < 1) throw UsageError("--sources and --steps must be at least 1");
  if (options.rows < 32 || options.columns < 32 || options.rows % 32 != 0 || options.columns % 32 != 0)
    throw UsageError("--rows and --columns are multiples of 32");
  if (options.elements < 1024) throw UsageError("--size must be at least 4KiB");
  DriverOptions driver;
  driver.block_bytes = parse_bytes(given["block"].as<std::string>());
  driver.basic_bytes = parse_bytes(given["basic-block"].as<std::string>());
  driver.density_percent = given["density"].as<unsigned>();
  driver.batch_faults = given["batch"].as<std::size_t>();
  driver.memory_bytes = driver.block_bytes;
  Driver{driver};  // refuses what does not fit
  const int threads = given["threads"].as<int>();
  if (threads < 0) throw UsageError("--threads is at least 0");
  ThreadPool pool(threads);
  std::vector<Input> inputs;
  for (const std::string& name : given["graphs"].as<Texts>()) {
    LoadOptions load;
    load.undirected = given["undirected"].as<bool>();
    inputs.push_back({name, std::move(load_graph(name, load, pool).graph)});
  }
  Bench bench(std::move(inputs), options, driver, !given["no-advice"].as<bool>(), pool);
  Report report(given["table"].as<bool>());
  for (const std::string& figure : figures) print_figure(figure, bench, report);
}

}  // namespace
}  // namespace graphrun::bench::uvm

int main(int argc, char** argv) {
  using namespace graphrun::bench;
  cxxopts::Options parser("uvm_model", "Models managed memory that is smaller than what programs read");
  auto add = parser.add_options();
  add("graphs", "files or generators, as graphrun takes them", with_default<Texts>("kron:20:16,urand:20:16"));
  add("undirected", "symmetrise the graphs", with_default<bool>("false"));
  add("figures", "2.9 to 2.12 and 2.14 of EMOGI; 8, 9, 12 and 14 of GPUVM", with_default<Texts>("all"));
  add("sources", "searches of bfs and sssp", with_default<unsigned>("4"));
  add("steps", "of pagerank", with_default<int>("3"));
  add("rows", "of the matrix of mvt, atax and bicg", with_default<std::uint64_t>("4096"));
  add("columns", "of the same", with_default<std::uint64_t>("32768"));
  add("size", "of each array of va and sum", with_default("256MiB"));
  add("no-advice", "without read-mostly: evictions write pages back", with_default<bool>("false"));
  add("block", "bytes that are evicted at a time", with_default("2MiB"));
  add("basic-block", "bytes that a fault brings in at least", with_default("64KiB"));
  add("density", "percent of a node above which it is brought in whole", with_default<unsigned>("50"));
  add("batch", "faults that the driver takes at a time", with_default<std::size_t>("256"));
  add("threads", "of this machine; 0: all", with_default<int>("0"));
  add("table", "tables instead of JSON", with_default<bool>("false"));
  parser.parse_positional({"graphs"});
  return run_program(parser, argc, argv, uvm::run);
}
