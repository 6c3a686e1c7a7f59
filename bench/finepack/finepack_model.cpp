// SPDX-License-Identifier: Apache-2.0
// A model of FinePack (HPCA 2023): the stores of programs on several ranks go through modelled links as plain stores, bulk copies
// and FinePack's packets. It runs on any machine. What it prints is MODELLED: stores, packets and memory come from real runs;
// times come from bytes (Machine in methods.hpp).
//
//   finepack_model kron:18:16 --ranks 4 --links pcie4 --table
//
// Every packet is taken apart again, and what it leaves in memory is compared with plain stores: a difference ends the program
// with exit code 1.
#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "core/raise.hpp"
#include "finepack/figures.hpp"
#include "finepack/work.hpp"
#include "frame.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/io/load.hpp"

namespace graphrun::bench::finepack {
namespace {

struct Request {
  Texts figures;
  std::vector<Link> links;
  QueueOptions queue;
  Machine machine;
  WorkOptions work;

  bool shows(const std::string& figure) const { return std::ranges::find(figures, figure) != figures.end(); }
};

std::vector<Entrant> entrants_of(const Request& request) {
  std::vector<Entrant> entrants;
  for (const Link& link : request.links) {
    for (std::size_t method = 0; method < kMethodNames.size(); ++method) {
      entrants.push_back({Contender(static_cast<Method>(method), link, request.queue, request.machine)});
    }
  }
  for (const Sweep& sweep : sweeps()) {
    if (!request.shows(sweep.figure)) continue;
    for (const std::uint64_t value : sweep.values) {
      QueueOptions queue = request.queue;
      sweep.set(queue, value);
      entrants.push_back({Contender(Method::finepack, request.links.front(), queue, request.machine), &sweep, value});
    }
  }
  return entrants;
}

/// Runs a program to its end. Throws RunError where packets left other memory than plain stores.
Outcome run_work(const std::string& name, const std::optional<Graph>& graph, const Request& request, ThreadPool& pool) {
  std::unique_ptr<Work> work = grid_work(name, request.work);
  if (work == nullptr) work = graph_work(name, *graph, request.work);
  Outcome outcome{name, request.work.ranks, 0, work->element_bytes(), 0, {}, entrants_of(request)};
  const Traffic& traffic = work->traffic();
  std::vector<std::vector<std::uint8_t>> before;
  for (const Channel& channel : traffic.channels) before.push_back(channel.memory);
  std::vector<std::uint64_t> useful(traffic.channels.size());
  while (work->step()) {
    ++outcome.steps;
    outcome.one_gpu_ms += one_gpu_ms(traffic, request.machine);
    for (std::size_t at = 0; at < useful.size(); ++at) {
      outcome.locality.add(traffic.channels[at]);
      useful[at] = distinct_bytes(traffic.channels[at]);
    }
    std::atomic<std::size_t> next = 0;
    pool.run([&](int) {
      for (std::size_t at = next++; at < outcome.entrants.size(); at = next++)
        outcome.entrants[at].contender.add(traffic, before, useful);
    });
    for (std::size_t at = 0; at < before.size(); ++at) before[at] = traffic.channels[at].memory;
  }
  std::uint64_t wrong = 0;
  for (const Entrant& entrant : outcome.entrants) wrong += entrant.contender.totals().wrong_bytes;
  if (wrong != 0) raise<RunError>("{}: packets left {} bytes of memory wrong", name, wrong);
  return outcome;
}

bool is_grid(const std::string& name) { return name == "jacobi" || name.starts_with("diffusion"); }

void run(const cxxopts::ParseResult& given) {
  if (!given.unmatched().empty()) raise<UsageError>("{} is one argument too many", given.unmatched().front());
  Request request;
  request.figures = given["figures"].as<Texts>();
  if (request.figures == Texts{"all"}) request.figures = all_figures();
  for (const std::string& figure : request.figures) {
    if (std::ranges::find(all_figures(), figure) == all_figures().end()) raise<UsageError>("--figures: {} is not known", figure);
  }
  for (const std::string& name : given["links"].as<Texts>()) request.links.push_back(link_named(name));
  request.queue.sub_header_bytes = given["sub-header"].as<unsigned>();
  request.queue.entries = given["entries"].as<unsigned>();
  request.queue.windows = given["windows"].as<unsigned>();
  request.queue.max_payload = given["max-payload"].as<unsigned>();
  request.queue.timeout = given["timeout"].as<std::uint64_t>();
  request.queue.combines_atomics = given["combine-atomics"].as<bool>();
  request.machine.memory_gb_per_s = given["memory-rate"].as<double>();
  request.machine.launch_us = given["launch-us"].as<double>();
  request.machine.copy_us = given["copy-us"].as<double>();
  request.machine.fence_us = given["fence-us"].as<double>();
  if (!(request.machine.memory_gb_per_s > 0) || !(request.machine.launch_us >= 0) || !(request.machine.copy_us >= 0) ||
      !(request.machine.fence_us >= 0)) {
    throw UsageError("times cannot be negative, and --memory-rate must be positive");
  }
  request.work.steps = given["steps"].as<int>();
  if (request.work.steps < 1) throw UsageError("--steps must be at least 1");
  request.work.resident_warps = given["resident-warps"].as<unsigned>();
  if (request.work.resident_warps < 1) throw UsageError("--resident-warps must be at least 1");
  request.work.grid = given["grid"].as<std::vector<std::uint64_t>>();
  const auto all_ranks = given["ranks"].as<std::vector<int>>();
  for (const int ranks : all_ranks) {
    if (ranks < 2 || ranks > 16) throw UsageError("--ranks takes from 2 to 16");
  }
  const Texts works = given["works"].as<Texts>();
  ThreadPool pool(given["threads"].as<int>());
  std::optional<Graph> graph;
  if (!std::ranges::all_of(works, is_grid)) {
    LoadOptions options;
    options.undirected = given["undirected"].as<bool>();
    graph = std::move(load_graph(given["graph"].as<std::string>(), options, pool).graph);
  }
  Report report(given["table"].as<bool>());
  for (const int ranks : all_ranks) {
    request.work.ranks = ranks;
    std::vector<Outcome> outcomes;
    if (request.figures != Texts{"2"}) {
      for (const std::string& name : works) outcomes.push_back(run_work(name, graph, request, pool));
    }
    for (const std::string& figure : request.figures) print_figure(figure, outcomes, request.links, report);
  }
}

}  // namespace
}  // namespace graphrun::bench::finepack

int main(int argc, char** argv) {
  using namespace graphrun::bench;
  cxxopts::Options parser("finepack_model", "Models FinePack: stores of programs on several GPUs, as packets of a link");
  auto add = parser.add_options();
  add("graph", "file or generator, as graphrun takes it", with_default("kron:18:16"));
  add("undirected", "symmetrise the graph", with_default<bool>("false"));
  add("works", "pagerank, pagerank-atomics, sssp, bfs, cc, jacobi, diffusion2d, diffusion3d",
      with_default<Texts>("pagerank,sssp,bfs,cc,jacobi,diffusion2d,diffusion3d"));
  add("figures", "of the paper: 2, 4, 5, 9 to 13; entries, windows, timeout", with_default<Texts>("all"));
  add("ranks", "GPUs, 2 to 16", with_default<std::vector<int>>("4"));
  add("links", "pcie3 to pcie6, nvlink1 to nvlink4; sweeps use the first", with_default<Texts>("pcie4,pcie5,pcie6"));
  add("steps", "of pagerank and grids", with_default<int>("3"));
  add("grid", "extents of diffusion3d, the fastest axis first", with_default<std::vector<std::uint64_t>>("256,256,256"));
  add("resident-warps", "of a GPU", with_default<unsigned>("5120"));
  add("sub-header", "bytes, 2 to 6", with_default<unsigned>("5"));
  add("entries", "lines of a peer's write queue", with_default<unsigned>("64"));
  add("windows", "open packets of a peer, which share the entries", with_default<unsigned>("1"));
  add("max-payload", "bytes of a packet, at most what the link has", with_default<unsigned>("4096"));
  add("timeout", "instructions of warps without a store after which a queue is sent; 0: never", with_default<std::uint64_t>("0"));
  add("combine-atomics", "additions meet in the queue", with_default<bool>("false"));
  add("memory-rate", "GB/s of a GPU's own memory", with_default<double>("900"));
  add("launch-us", "of a step's kernel", with_default<double>("5"));
  add("copy-us", "of software before a step's copies", with_default<double>("10"));
  add("fence-us", "at a step's end", with_default<double>("2"));
  add("threads", "of this machine; 0: all", with_default<int>("0"));
  add("table", "tables instead of JSON", with_default<bool>("false"));
  parser.parse_positional({"graph"});
  return run_program(parser, argc, argv, finepack::run);
}
