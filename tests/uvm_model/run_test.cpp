// SPDX-License-Identifier: Apache-2.0
// Programs of the model over small memories: every warp ends, and counts are those that rules give by hand.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/io/load.hpp"
#include "uvm/works.hpp"

namespace graphrun::bench::uvm {
namespace {

constexpr std::uint64_t kDriverBlock = 2 << 20;

/// Runs a program to its end over a memory.
Totals run(Work& work, Memory& memory, unsigned resident = 64) {
  std::vector<std::uint64_t> addresses;
  for (const Array& array : work.arrays()) addresses.push_back(memory.add(array.elements * array.element_bytes, array.written));
  while (work.step()) {
    if (work.starts_anew()) memory.drop();
    run_step(work, addresses, resident, memory);
  }
  return memory.totals();
}

const Machine& gpuvm() { return machine_named("gpuvm-v100"); }
const Machine& emogi() { return machine_named("emogi-v100"); }

TEST(UvmModel, ReadsOnceWhatFits) {
  const WorkOptions options{.rows = 1024, .columns = 2048, .elements = 4 << 20};
  for (const std::string name : {"sum", "va", "mvt", "bicg"}) {
    SCOPED_TRACE(name);
    const auto bytes = make_work(name, nullptr, options)->bytes();
    const auto managed = managed_memory(gpuvm(), {.memory_bytes = bytes + 3 * kDriverBlock}, true);
    const auto paged = paged_memory(gpuvm(), bytes, 2);
    EXPECT_EQ(run(*make_work(name, nullptr, options), *managed).bytes_in, bytes);
    EXPECT_EQ(run(*make_work(name, nullptr, options), *paged).bytes_in, bytes);
  }
}

TEST(UvmModel, EndsWhereMemoryIsOneBlockOrOnePage) {
  const WorkOptions options{.rows = 256, .columns = 16384, .elements = 1 << 20};
  for (const std::string name : {"sum", "va", "atax"}) {
    SCOPED_TRACE(name);
    const auto bytes = make_work(name, nullptr, options)->bytes();
    const auto managed = managed_memory(gpuvm(), {.memory_bytes = kDriverBlock}, false);
    const auto paged = paged_memory(gpuvm(), kGpuvmPage, 1);
    EXPECT_GE(run(*make_work(name, nullptr, options), *managed).bytes_in, bytes);
    EXPECT_GE(run(*make_work(name, nullptr, options), *paged).bytes_in, bytes);
  }
}

TEST(UvmModel, WritesBackTheSumsOfVectorAddAlone) {
  const WorkOptions options{.elements = 4 << 20};
  const auto paged = paged_memory(gpuvm(), 64 * kGpuvmPage, 2);
  const Totals totals = run(*make_work("va", nullptr, options), *paged);
  EXPECT_GT(totals.bytes_out, 0u);
  EXPECT_LT(totals.bytes_out, totals.bytes_in / 2);
  const auto advised = managed_memory(gpuvm(), {.memory_bytes = 6 * kDriverBlock}, true);
  const Totals managed = run(*make_work("va", nullptr, options), *advised);
  EXPECT_GT(managed.bytes_out, 0u);
  EXPECT_LT(managed.bytes_out, managed.bytes_in / 2);  // a and b are dropped
}

TEST(UvmModel, CountsTheReadsOfAListAsWarpsMakeThem) {
  const auto requests = [](Access access, std::uint64_t first_element) {
    const auto memory = zero_copy(emogi(), access);
    struct OneList final : Work {
      std::uint64_t first = 0;
      bool ran = false;
      std::vector<Array> arrays() const override { return {{1024, 8}}; }
      bool step() override { return !std::exchange(ran, true); }
      std::size_t tasks() const override { return 1; }
      Task task(std::size_t) const override { return {.begin = first, .end = first + 64}; }
      double compute_bytes() const override { return 0; }
    } work;
    work.first = first_element;
    return run(work, *memory).requests;
  };
  // 64 elements of 8 bytes: 4 lines; off by 32 bytes, two instructions of 96, 128 and 32 bytes, or 5 lines.
  EXPECT_EQ(requests(Access::merged, 0), 4u);
  EXPECT_EQ(requests(Access::aligned, 0), 4u);
  EXPECT_EQ(requests(Access::merged, 4), 6u);
  EXPECT_EQ(requests(Access::aligned, 4), 5u);
  EXPECT_EQ(requests(Access::naive, 4), 25u);  // 16 sectors, each read 1 + 3 * (1 - 131072 / 163840) times
}

TEST(UvmModel, SearchesReadEachReachedListOnce) {
  ThreadPool pool(2);
  const Graph graph = std::move(load_graph("kron:10:16", {}, pool).graph);
  const WorkOptions options{.edge_bytes = 8, .sources = 2};
  const auto memory = zero_copy(emogi(), Access::aligned);
  const Totals totals = run(*make_work("bfs", &graph, options), *memory);
  EXPECT_GT(totals.bytes_in, graph.out.num_edges() * 8);  // two searches that reach nearly all
  EXPECT_LT(totals.bytes_in, 3 * graph.out.num_edges() * 8);
  for (const std::string name : {"sssp", "cc", "pagerank"}) {
    const auto managed = managed_memory(emogi(), {.memory_bytes = 4 * kDriverBlock}, true);
    EXPECT_GT(run(*make_work(name, &graph, options), *managed).faults, 0u);
  }
}

}  // namespace
}  // namespace graphrun::bench::uvm
