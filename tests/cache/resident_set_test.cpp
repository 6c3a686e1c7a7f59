// SPDX-License-Identifier: Apache-2.0

#include "cache/resident_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <set>

#include "graphrun/core/random.hpp"

namespace graphrun::test {
namespace {

constexpr std::size_t kBlocks = 7;
constexpr std::size_t kPagesPerBlock = 5;

/// The same by sets and lists.
struct Model {
  std::set<std::size_t> pages;
  std::list<std::size_t> blocks;  // from the oldest to the newest

  void touch(std::size_t block) {
    const auto place = std::find(blocks.begin(), blocks.end(), block);
    if (place != blocks.end()) blocks.splice(blocks.end(), blocks, place);
  }
  void add(std::size_t page) {
    pages.insert(page);
    const std::size_t block = page / kPagesPerBlock;
    if (std::find(blocks.begin(), blocks.end(), block) == blocks.end()) blocks.push_back(block);
  }
  std::size_t remove(std::size_t block) {
    blocks.remove(block);
    return std::erase_if(pages, [block](std::size_t page) { return page / kPagesPerBlock == block; });
  }
};

TEST(ResidentSet, AgreesWithSetsAndLists) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ResidentSet set(kBlocks, kPagesPerBlock);
    Model model;
    for (std::uint64_t step = 0; step < 500; ++step) {
      const std::uint64_t random = splitmix64(seed, step, 0);
      const std::size_t page = random / 8 % (kBlocks * kPagesPerBlock);
      const std::size_t block = page / kPagesPerBlock;
      if (random % 8 < 5 && !set.has(page)) {
        set.add(page);
        model.add(page);
      } else if (random % 8 < 7) {
        set.touch(block);
        model.touch(block);
      } else if (set.size() != 0) {
        ASSERT_EQ(set.oldest(), model.blocks.front()) << "seed " << seed << ", step " << step;
        const std::size_t gone = random / 512 % 2 == 0 ? set.oldest() : block;
        ASSERT_EQ(set.remove(gone), model.remove(gone));
      }
      ASSERT_EQ(set.size(), model.pages.size());
      ASSERT_EQ(set.has(page), model.pages.contains(page)) << "seed " << seed << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace graphrun::test
