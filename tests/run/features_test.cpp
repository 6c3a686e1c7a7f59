// SPDX-License-Identifier: Apache-2.0
// Rows of features: the right ones from memory, from files through caches with room for little, and over the link of a GPU.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "graphrun/backend/feature_table.hpp"
#include "graphrun/backend/row_tiers.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "support/quick_folder.hpp"
#include "support/refusal.hpp"

namespace graphrun::test {
namespace {

constexpr std::size_t kRows = 700;

std::vector<std::byte> rows_of(std::size_t row_bytes) {
  std::vector<std::byte> rows(kRows * row_bytes);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::byte>(splitmix64(i));
  return rows;
}

/// Some of them several times.
std::vector<VertexId> some_ids(std::size_t count) {
  std::vector<VertexId> ids(count);
  for (std::size_t i = 0; i < count; ++i) ids[i] = static_cast<VertexId>(splitmix64(i) % kRows);
  return ids;
}

void expect_rows(const std::vector<std::byte>& rows, std::size_t row_bytes, const std::vector<VertexId>& ids,
                 const std::vector<std::byte>& gathered) {
  for (std::size_t i = 0; i < ids.size(); ++i)
    ASSERT_EQ(std::memcmp(&rows[ids[i] * row_bytes], &gathered[i * row_bytes], row_bytes), 0) << "row " << ids[i];
}

class FeaturesOf : public ::testing::TestWithParam<std::size_t> {
 protected:
  FeaturesOf() : path_(quick_folder() / ("graphrun_features_" + std::to_string(::getpid()))) {
    std::ofstream file(path_, std::ios::binary);
    file.write(std::string(kHeader, 'x').data(), kHeader);
    file.write(reinterpret_cast<const char*>(rows_.data()), static_cast<std::streamsize>(rows_.size()));
  }
  ~FeaturesOf() override { std::filesystem::remove(path_); }

  static constexpr std::streamsize kHeader = 128;
  const std::size_t bytes_ = GetParam();
  const std::vector<std::byte> rows_ = rows_of(bytes_);
  const std::vector<VertexId> ids_ = some_ids(300);
  std::vector<std::byte> gathered_ = std::vector<std::byte>(ids_.size() * bytes_);
  std::filesystem::path path_;
};

TEST_P(FeaturesOf, ComeFromMemory) {
  const auto table = open_features(rows_, {.row_bytes = bytes_, .threads = 3});
  ASSERT_EQ(table->num_rows(), kRows);
  EXPECT_EQ(table->gather(ids_, gathered_.data()).host_bytes, ids_.size() * bytes_);
  expect_rows(rows_, bytes_, ids_, gathered_);
}

TEST_P(FeaturesOf, ComeFromAFile) {
  // With room for a page a thread and one more, for some, and for all of them.
  for (const std::uint64_t pages : {4u, 40u, 4000u}) {
    SCOPED_TRACE(pages);
    const FeatureOptions options{.row_bytes = bytes_, .threads = 3, .cache_bytes = pages * 1024, .page_bytes = 1024};
    const auto table = open_features(path_.string(), kHeader, kRows, options);
    std::fill(gathered_.begin(), gathered_.end(), std::byte{});
    EXPECT_GT(table->gather(ids_, gathered_.data()).storage_bytes, 0u);
    expect_rows(rows_, bytes_, ids_, gathered_);
    const std::uint64_t again = table->gather(ids_, gathered_.data()).storage_bytes;
    const bool all_stay = pages * 1024 >= rows_.size() + kHeader + 1024;
    EXPECT_EQ(again == 0, all_stay) << again;
  }
}

// Two threads of a Python program ended it, or waited for ever.
TEST_P(FeaturesOf, AreGatheredByOneThreadAfterAnother) {
  const FeatureOptions options{.row_bytes = bytes_, .threads = 2, .cache_bytes = 8 * 1024, .page_bytes = 1024};
  for (const bool in_file : {true, false}) {
    const auto table = in_file ? open_features(path_.string(), kHeader, kRows, options)
                               : open_features(rows_, {.row_bytes = bytes_, .threads = 2});
    const auto gather = [&] {
      std::vector<std::byte> gathered(ids_.size() * bytes_);
      for (int i = 0; i < 20; ++i) table->gather(ids_, gathered.data());
      expect_rows(rows_, bytes_, ids_, gathered);
    };
    std::jthread other(gather), one_more(gather);
    gather();
  }
}

TEST_P(FeaturesOf, OfAFileAreInMemoryWhereTheyAreHot) {
  for (const std::size_t hot : {std::size_t{1}, kRows / 10, kRows}) {
    SCOPED_TRACE(hot);
    FeatureOptions options{.row_bytes = bytes_, .threads = 3, .cache_bytes = 4000 * 1024, .page_bytes = 1024};
    for (std::size_t i = 0; i < hot; ++i) options.hot.push_back(static_cast<VertexId>(kRows - 1 - i));
    const auto table = open_features(path_.string(), kHeader, kRows, options);
    std::fill(gathered_.begin(), gathered_.end(), std::byte{});
    const Gathered gathered = table->gather(ids_, gathered_.data());
    expect_rows(rows_, bytes_, ids_, gathered_);
    const auto is_hot = [&](VertexId id) { return id >= kRows - hot; };
    EXPECT_EQ(gathered.host_bytes, static_cast<std::uint64_t>(std::count_if(ids_.begin(), ids_.end(), is_hot)) * bytes_);
    EXPECT_EQ(gathered.storage_bytes == 0, hot == kRows) << "what filled the memory left nothing in the cache";
  }
}

TEST_P(FeaturesOf, AreTheSameByEveryDelivery) {
  for (const RowDelivery delivery : {RowDelivery::zero_copy, RowDelivery::staged, RowDelivery::dma}) {
    SCOPED_TRACE(name_of(delivery));
    const auto table = open_features(rows_, {.row_bytes = bytes_, .threads = 2, .delivery = delivery});
    std::fill(gathered_.begin(), gathered_.end(), std::byte{});
    EXPECT_EQ(table->gather(ids_, gathered_.data()).host_bytes, ids_.size() * bytes_);
    expect_rows(rows_, bytes_, ids_, gathered_);
  }
}

// Words of 4 bytes and of 1, less than a line, one, and more, that end within a line.
INSTANTIATE_TEST_SUITE_P(Sizes, FeaturesOf, ::testing::Values(1, 4, 30, 100, 128, 132, 480, 512, 1023, 1028, 5000));

TEST(Features, WhatCannotBeGatheredIsOneSentence) {
  const std::vector<std::byte> rows(100);
  const auto table = open_features(rows, {.row_bytes = 8});
  EXPECT_EQ(table->num_rows(), 12u);
  std::vector<std::byte> to(8);
  EXPECT_NE(refusal([&] { table->gather(std::vector<VertexId>{12}, to.data()); }).find("no row 12 of features: there are 12"),
            std::string::npos);
  EXPECT_NE(refusal([&] { table->gather_on_device(std::vector<VertexId>{1}, to.data()); }).find("by host threads"),
            std::string::npos);
  EXPECT_NE(refusal([&] { table->gather_on_stream(std::vector<VertexId>{1}, to.data(), nullptr); }).find("not on a stream"),
            std::string::npos);
  const auto refused = [&](const FeatureOptions& options) { return refusal([&] { open_features(rows, options); }); };
  EXPECT_NE(refused({.row_bytes = 8, .peers = {1}}).find("a first one, and none is named"), std::string::npos);
  EXPECT_NE(refused({.row_bytes = 8, .gpu = 0, .hot = {1}, .replicated = 2}).find("2 rows have a copy"), std::string::npos);
  EXPECT_NE(refused({.row_bytes = 8, .gpu = 0, .load_bytes = 16}).find("do not divide rows of 8"), std::string::npos);
  EXPECT_NE(refused({.row_bytes = 8, .gpu = 0, .load_bytes = 3}).find("4, 8 or 16"), std::string::npos);
  EXPECT_NE(refused({.row_bytes = 8, .load_bytes = 4}).find("a GPU that gathers"), std::string::npos);
  EXPECT_NE(refused({.row_bytes = 8, .gpu = 0, .hot = {1}, .delivery = RowDelivery::staged}).find("staged rows"),
            std::string::npos);
  EXPECT_NE(refusal([&] {
              open_features("/proc/self/exe", 0, 9, {.row_bytes = 8, .delivery = RowDelivery::dma});
            }).find("come by pages"),
            std::string::npos);
  EXPECT_NE(refusal([&] { open_features(rows, {}); }).find("at least 1 byte"), std::string::npos);
  EXPECT_NE(refusal([&] { open_features(rows, {.row_bytes = 8, .hot = {1}}); }).find("memory of a GPU"), std::string::npos);
  EXPECT_NE(refusal([&] {
              open_features("/proc/self/exe", 0, 9, {.row_bytes = 8, .hot = {3, 1, 3}});
            }).find("row 3 twice"),
            std::string::npos);
  EXPECT_THROW(open_features("/nowhere/rows", 0, 1, {.row_bytes = 8}), DataError);
  EXPECT_THROW(open_features("/proc/self/exe", 0, std::uint64_t{1} << 31, {.row_bytes = 1 << 20}), DataError);
  EXPECT_EQ(table->gather({}, nullptr).host_bytes, 0u);
}

// The listing of the paper multiplies before it divides, which reads the middle of other rows.
TEST(RowTiers, InterleaveWhatIsNotReplicated) {
  const RowTiers tiers{.replicated = 2, .hot = 9, .gpus = 4};
  const std::vector<std::pair<unsigned, std::uint64_t>> expected = {{3, 0}, {3, 1}, {0, 2}, {1, 2}, {2, 2},
                                                                    {3, 2}, {0, 3}, {1, 3}, {2, 3}};
  for (std::uint64_t position = 0; position < tiers.hot; ++position) {
    const RowTiers::Place place = tiers.of(position, 3);
    EXPECT_EQ(std::pair(place.gpu, place.row), expected[position]) << position;
  }
  EXPECT_EQ(tiers.rows_on(2), 4u);
  EXPECT_EQ(tiers.rows_on(3), 3u);
}

TEST(RowTiers, HoldEveryHotRowOnceAndReplicatedOnesEverywhere) {
  for (const unsigned gpus : {1u, 2u, 3u, 8u}) {
    for (const std::uint64_t hot : {0u, 1u, 7u, 64u}) {
      for (const std::uint64_t replicated : {std::uint64_t{0}, hot / 3, hot}) {
        const RowTiers tiers{replicated, hot, gpus};
        std::vector<unsigned> found(hot);
        for (unsigned gpu = 0; gpu < gpus; ++gpu) {
          for (std::uint64_t row = 0; row < tiers.rows_on(gpu); ++row) {
            const std::uint64_t position = tiers.position_of(gpu, row);
            ASSERT_LT(position, hot);
            ++found[position];
            const RowTiers::Place place = tiers.of(position, gpu);
            EXPECT_EQ(std::pair(place.gpu, place.row), std::pair(gpu, row));
          }
        }
        for (std::uint64_t i = 0; i < hot; ++i) EXPECT_EQ(found[i], i < replicated ? gpus : 1u);
      }
    }
  }
}

TEST(RowDelivery, IsADmaForEachRowAboveTheCrossover) {
  EXPECT_EQ(resolved_delivery(RowDelivery::automatic, 85'500, kDmaRowBytes), RowDelivery::zero_copy);
  EXPECT_EQ(resolved_delivery(RowDelivery::automatic, 85'501, kDmaRowBytes), RowDelivery::dma);
  EXPECT_EQ(resolved_delivery(RowDelivery::automatic, 16'384, 16'000), RowDelivery::dma);
  EXPECT_EQ(resolved_delivery(RowDelivery::staged, 1 << 20, kDmaRowBytes), RowDelivery::staged);
  const std::vector<std::byte> rows(200'000);
  EXPECT_EQ(open_features(rows, {.row_bytes = 100'000})->delivery(), RowDelivery::zero_copy) << "host threads need no DMA";
}

}  // namespace
}  // namespace graphrun::test
