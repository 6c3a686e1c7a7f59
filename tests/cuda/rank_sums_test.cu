// SPDX-License-Identifier: Apache-2.0
// Arrays that ranks on GPUs add up: as lists of what is not zero, as long as these are short, or whole, and in pieces.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "graphrun/core/random.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/ops/cuda_operators.cuh"

namespace graphrun::test {
namespace {

/// `count` of `n` elements are not zero, others for each rank. `n` is no multiple of 7919, a prime.
template <class T>
std::vector<T> share_of(int rank, std::size_t n, std::size_t count) {
  std::vector<T> share(n);
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint64_t random = splitmix64(static_cast<std::uint64_t>(rank), k, 0);
    share[(k * 7919 + static_cast<std::size_t>(rank) * 13) % n] = static_cast<T>(static_cast<double>(random % 1'000'000 + 3) / 3);
  }
  return share;
}

constexpr int kRanks = 3;

/// Ranks of one GPU have `counts` nonzero elements. Their messages have room for some 16,000 floats.
template <class T>
void expect_sums(std::size_t n, const std::array<std::size_t, kRanks>& counts) {
  const std::size_t count = counts[0];
  const bool alike = counts[1] == count && counts[2] == count;
  SCOPED_TRACE(std::to_string(count) + ", " + std::to_string(counts[1]) + " and " + std::to_string(counts[2]) + " of " +
               std::to_string(n));
  std::vector<T> expected(n);
  for (int rank = 0; rank < kRanks; ++rank) {
    const std::vector<T> share = share_of<T>(rank, n, counts[static_cast<std::size_t>(rank)]);
    for (std::size_t i = 0; i < n; ++i) expected[i] += share[i];
  }
  auto exchanges = exchange_of_threads(kRanks, 60e3);
  std::vector<std::vector<T>> sums(kRanks);
  std::vector<std::uint64_t> received(kRanks);
  {
    std::vector<std::jthread> threads;
    for (auto& exchange : exchanges) {
      threads.emplace_back([&, &mine = *exchange] {
        const auto rank = static_cast<std::size_t>(mine.rank());
        CudaExecutor exec(0, RankPart{&mine, rank, rank + 1}, std::vector<int>(kRanks, 0), kRanks);
        const std::vector<T> share = share_of<T>(mine.rank(), n, counts[rank]);
        DeviceArray<T> array(n);
        exec.copy_to_device(array.data(), share.data(), array.bytes());
        const std::uint64_t before = mine.counts().bytes();
        add_over_ranks(exec, array.data(), n);
        received[rank] = mine.counts().bytes() - before;
        sums[rank] = exec.download(array);
        gather_values(mine, 0);  // all have read what this one published
      });
    }
  }
  for (int rank = 0; rank < kRanks; ++rank) EXPECT_EQ(sums[static_cast<std::size_t>(rank)], expected) << "rank " << rank;
  if (!alike) return;
  const std::size_t whole = n * (kRanks - 1) * sizeof(T);
  if (n < 512 || count >= n / 2) EXPECT_GE(received[0], whole);
  if (n >= 512 && n <= 1000) EXPECT_EQ(received[0] < whole, count <= n / 8);  // one piece
  if (n >= 512 && count <= n / 100) EXPECT_LT(received[0], whole / 10);
}

TEST(RankSums, AreThoseInTheOrderOfRanks) {
  if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
  for (const std::size_t n : {1u, 31u, 511u, 512u, 1000u, 100'003u}) {
    for (const std::size_t count : {std::size_t{0}, n / 100, n / 8 - 1, n / 8, n / 8 + 1, n / 2, n}) {
      if (count > n) continue;  // n / 8 is 0
      expect_sums<float>(n, {count, count, count});
      expect_sums<double>(n, {count, count, count});
      expect_sums<std::uint32_t>(n, {count, count, count});
    }
    expect_sums<float>(n, {n / 100, n, 0});
    expect_sums<double>(n, {0, n / 2, n / 100});
  }
}

}  // namespace
}  // namespace graphrun::test
