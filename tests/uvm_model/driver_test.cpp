// SPDX-License-Identifier: Apache-2.0
// The driver's model beside a slow one: another reading of its rules, with sets of basic blocks and a list of blocks, which
// counts a node of the tree anew each time, from the root down. It shares no code with the model.
#include "uvm/driver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "graphrun/core/error.hpp"

namespace graphrun::bench::uvm {
namespace {

constexpr std::uint64_t kBasic = 64 << 10;
constexpr std::uint64_t kBlock = 2 << 20;

class SlowDriver {
 public:
  explicit SlowDriver(const DriverOptions& options) : options_(options) {}

  void add(std::uint64_t bytes, bool duplicated) {
    for (std::uint64_t at = 0; at < bytes; at += options_.basic_bytes) {
      exists_.insert(end_ + at);
      if (duplicated) duplicated_.insert((end_ + at) / options_.block_bytes);
    }
    end_ += (bytes + options_.block_bytes - 1) / options_.block_bytes * options_.block_bytes;
  }

  void serve(const std::vector<std::uint64_t>& faults) {
    if (faults.empty()) return;
    counters.batches += 1;
    counters.faults += faults.size();
    std::map<std::uint64_t, std::set<std::uint64_t>> by_block;
    for (const std::uint64_t address : faults)
      by_block[address / options_.block_bytes].insert(address / options_.basic_bytes * options_.basic_bytes);
    for (const auto& [block, leaves] : by_block) {
      counters.served_blocks += 1;
      std::set<std::uint64_t> occupied = leaves;
      for (const std::uint64_t leaf : resident_) {
        if (leaf / options_.block_bytes == block) occupied.insert(leaf);
      }
      std::set<std::uint64_t> wanted;
      for (const std::uint64_t leaf : leaves) bring(block * options_.block_bytes, options_.block_bytes, leaf, occupied, wanted);
      const auto mine = std::ranges::find(order_, block);
      if (mine != order_.end()) {
        order_.erase(mine);
      } else if (order_.size() == options_.memory_bytes / options_.block_bytes) {
        evict(order_.front());
      }
      order_.push_back(block);
      for (const std::uint64_t leaf : wanted) counters.bytes_in += resident_.insert(leaf).second ? options_.basic_bytes : 0;
    }
  }

  bool is_resident(std::uint64_t leaf) const { return resident_.contains(leaf); }
  DriverCounters counters;

 private:
  /// Adds the largest node of [begin, begin + size) around the leaf that is dense enough; the leaf itself always is.
  void bring(std::uint64_t begin, std::uint64_t size, std::uint64_t leaf, const std::set<std::uint64_t>& occupied,
             std::set<std::uint64_t>& wanted) const {
    std::vector<std::uint64_t> node;
    std::uint64_t here = 0;
    for (std::uint64_t at = begin; at < begin + size; at += options_.basic_bytes) {
      if (exists_.contains(at)) node.push_back(at);
      here += occupied.contains(at) ? 1 : 0;
    }
    const double percent = 100.0 * static_cast<double>(here) / static_cast<double>(node.size());
    if (size == options_.basic_bytes || percent > options_.density_percent) {
      wanted.insert(node.begin(), node.end());
      return;
    }
    const std::uint64_t half = begin + size / 2;
    bring(leaf < half ? begin : half, size / 2, leaf, occupied, wanted);
  }
  void evict(std::uint64_t block) {
    order_.pop_front();
    counters.evicted_blocks += 1;
    for (auto leaf = resident_.begin(); leaf != resident_.end();) {
      const bool goes = *leaf / options_.block_bytes == block;
      if (goes && !duplicated_.contains(block)) counters.bytes_out += options_.basic_bytes;
      leaf = goes ? resident_.erase(leaf) : std::next(leaf);
    }
  }

  DriverOptions options_;
  std::uint64_t end_ = 0;
  std::set<std::uint64_t> exists_, resident_;  ///< basic blocks, by address
  std::set<std::uint64_t> duplicated_;         ///< blocks
  std::list<std::uint64_t> order_;             ///< blocks with device memory, the one served longest ago first
};

auto fields(const DriverCounters& all) {
  return std::tuple(all.batches, all.faults, all.served_blocks, all.evicted_blocks, all.bytes_in, all.bytes_out);
}

/// Loads at random, in runs, of arrays of odd sizes; compares each basic block after each batch.
void compare(unsigned seed, const DriverOptions& options) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  Driver driver(options);
  SlowDriver slow(options);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> arrays;
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t bytes = 1 + random() % (7 * options.block_bytes);
    const bool duplicated = random() % 2 == 0;
    arrays.emplace_back(driver.add(bytes, duplicated), bytes);
    slow.add(bytes, duplicated);
  }
  std::vector<std::uint64_t> taken;
  for (int step = 0; step < 3000; ++step) {
    const auto [base, bytes] = arrays[random() % arrays.size()];
    std::uint64_t at = random() % bytes;
    const std::uint64_t stride = random() % 3 == 0 ? options.block_bytes : options.basic_bytes / 2;
    for (std::uint64_t count = random() % 30; count != 0 && at < bytes; --count, at += stride) {
      const std::uint64_t leaf = (base + at) / options.basic_bytes * options.basic_bytes;
      ASSERT_EQ(driver.is_resident(base + at), slow.is_resident(leaf)) << "address " << base + at;
      if (driver.is_resident(base + at)) continue;
      const bool is_full = taken.size() == options.batch_faults;
      ASSERT_EQ(driver.fault(base + at), !is_full);
      if (!is_full) taken.push_back(base + at);
    }
    if (random() % 2 == 0) continue;
    driver.serve();
    slow.serve(taken);
    taken.clear();
    ASSERT_EQ(fields(driver.counters()), fields(slow.counters));
    for (std::uint64_t leaf = 0; leaf < driver.num_blocks() * options.block_bytes; leaf += options.basic_bytes)
      ASSERT_EQ(driver.is_resident(leaf), slow.is_resident(leaf)) << "basic block at " << leaf << " after step " << step;
  }
  EXPECT_NE(driver.counters().evicted_blocks, 0u);
}

TEST(Driver, AgreesBlockByBlockWithASlowModelOnRandomAccesses) {
  for (unsigned seed = 0; seed < 6; ++seed) compare(seed, {.memory_bytes = 4 * kBlock});
  compare(6, {.memory_bytes = kBlock});
  compare(7, {.memory_bytes = 5 * kBlock + kBlock / 2, .density_percent = 25});
  compare(8, {.memory_bytes = 3 * kBlock, .density_percent = 100, .batch_faults = 7});
  compare(9, {.memory_bytes = 3 << 20, .block_bytes = 1 << 20, .basic_bytes = 16 << 10});
  compare(10, {.memory_bytes = 64 << 10, .block_bytes = 16 << 10, .basic_bytes = 16 << 10});
}

TEST(Driver, BringsABlockThatIsReadInOrderInSixBatches) {
  Driver driver({.memory_bytes = 8 * kBlock});
  const std::uint64_t base = driver.add(kBlock, true);
  std::vector<std::uint64_t> brought;
  for (std::uint64_t at = base; at < base + kBlock; at += kBasic) {
    if (driver.is_resident(at)) continue;
    const std::uint64_t before = driver.counters().bytes_in;
    driver.fault(at);
    driver.serve();
    brought.push_back((driver.counters().bytes_in - before) / kBasic);
  }
  EXPECT_EQ(brought, (std::vector<std::uint64_t>{1, 1, 2, 4, 8, 16}));
}

TEST(Driver, EvictsTheBlockThatWasServedLongestAgoAndNotTheOneThatWasReadLongestAgo) {
  Driver driver({.memory_bytes = 2 * kBlock});
  const std::uint64_t base = driver.add(3 * kBlock, false);
  const auto touch = [&](std::uint64_t block) {
    if (driver.is_resident(base + block * kBlock)) return;
    driver.fault(base + block * kBlock);
    driver.serve();
  };
  touch(0), touch(1), touch(0), touch(2);
  EXPECT_FALSE(driver.is_resident(base));
  EXPECT_TRUE(driver.is_resident(base + kBlock));
  EXPECT_EQ(driver.counters().bytes_out, kBasic);  // no advice: the page had moved
}

TEST(Driver, WritesNothingBackOfAnArrayThatIsDuplicated) {
  Driver driver({.memory_bytes = kBlock});
  const std::uint64_t base = driver.add(2 * kBlock, true);
  for (const std::uint64_t block : {0, 1, 0}) {
    driver.fault(base + block * kBlock);
    driver.serve();
  }
  EXPECT_EQ(driver.counters().evicted_blocks, 2u);
  EXPECT_EQ(driver.counters().bytes_out, 0u);
}

TEST(Driver, RefusesSizesThatDoNotFit) {
  EXPECT_THROW(Driver({.memory_bytes = kBlock - 1}), UsageError);
  EXPECT_THROW(Driver({.memory_bytes = kBlock, .basic_bytes = 3 << 10}), UsageError);
  EXPECT_THROW(Driver({.memory_bytes = kBlock, .basic_bytes = 2 * kBlock}), UsageError);
  EXPECT_THROW(Driver({.memory_bytes = kBlock, .basic_bytes = 16 << 10}), UsageError);  // 128 leaves
  EXPECT_THROW(Driver({.memory_bytes = kBlock, .density_percent = 101}), UsageError);
  EXPECT_THROW(Driver({.memory_bytes = kBlock, .batch_faults = 0}), UsageError);
}

}  // namespace
}  // namespace graphrun::bench::uvm
