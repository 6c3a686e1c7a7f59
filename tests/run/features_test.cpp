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
#include <vector>

#include "graphrun/backend/feature_table.hpp"
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

TEST_P(FeaturesOf, OtherGpusLendMemoryToHotRowsOfOneThatGathers) {
  FeatureOptions options{.row_bytes = bytes_, .peers = {1}};
  EXPECT_NE(refusal([&] { open_features(rows_, options); }).find("one GPU gathers rows"), std::string::npos);
}

TEST_P(FeaturesOf, ComeOverTheLinkOfAGpu) {
  if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
  for (const bool aligned : {false, true}) {
    for (const std::size_t hot : {std::size_t{0}, kRows / 10, kRows}) {
      SCOPED_TRACE(std::to_string(hot) + (aligned ? " hot, aligned" : " hot"));
      FeatureOptions options{.row_bytes = bytes_, .gpu = 0, .aligned = aligned, .multiprocessors = hot == 0 ? 3 : 0};
      for (std::size_t i = 0; i < hot; ++i) options.hot.push_back(static_cast<VertexId>(kRows - 1 - i));
      const int other = why_no_cuda(1).empty() ? 1 : 0;  // one GPU has both shares
      for (const std::vector<int>& peers : {std::vector<int>{}, {other}, {other, other}}) {
        if (hot == 0 && !peers.empty()) continue;
        options.peers = peers;
        const auto table = open_features(rows_, options);
        std::fill(gathered_.begin(), gathered_.end(), std::byte{});
        const Gathered gathered = table->gather(ids_, gathered_.data());
        expect_rows(rows_, bytes_, ids_, gathered_);
        const auto bytes_of = [&](const auto& chosen) {
          return static_cast<std::uint64_t>(std::count_if(ids_.begin(), ids_.end(), chosen)) * bytes_;
        };
        const auto is_hot = [&](VertexId id) { return id >= kRows - hot; };
        const auto is_here = [&](VertexId id) { return is_hot(id) && (kRows - 1 - id) % (1 + peers.size()) == 0; };
        EXPECT_EQ(gathered.device_bytes, bytes_of(is_here));
        EXPECT_EQ(gathered.device_bytes + gathered.peer_bytes, bytes_of(is_hot));
        EXPECT_EQ(gathered.device_bytes + gathered.peer_bytes + gathered.host_bytes, ids_.size() * bytes_);
      }
    }
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

}  // namespace
}  // namespace graphrun::test
