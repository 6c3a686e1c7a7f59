// SPDX-License-Identifier: Apache-2.0
// Rows of features that GPUs gather: by every delivery and width of loads, from replicated and interleaved rows, in the order of
// a stream.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "graphrun/backend/feature_table.hpp"
#include "graphrun/backend/row_tiers.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/exec/cuda_check.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/exec/cuda_executor.hpp"
#include "support/refusal.hpp"

namespace graphrun::test {
namespace {

constexpr std::size_t kRows = 700;
constexpr std::size_t kIds = 300;

class GpuFeaturesOf : public ::testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
    rows_.resize(kRows * bytes_);
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i] = static_cast<std::byte>(splitmix64(i));
    for (std::size_t i = 0; i < kIds; ++i) ids_.push_back(static_cast<VertexId>(splitmix64(i) % kRows));
    gathered_.resize(kIds * bytes_);
  }

  /// The last rows are hot, the very last hottest.
  FeatureOptions options_with(std::size_t hot, const std::vector<int>& peers = {}) const {
    FeatureOptions options{.row_bytes = bytes_, .threads = 2, .gpu = 0, .peers = peers};
    for (std::size_t i = 0; i < hot; ++i) options.hot.push_back(static_cast<VertexId>(kRows - 1 - i));
    return options;
  }
  std::uint64_t bytes_where(const auto& chosen) const {
    return static_cast<std::uint64_t>(std::count_if(ids_.begin(), ids_.end(), chosen)) * bytes_;
  }
  void expect_rows(const std::vector<std::byte>& gathered, const std::vector<VertexId>& ids) const {
    for (std::size_t i = 0; i < ids.size(); ++i)
      ASSERT_EQ(std::memcmp(&rows_[ids[i] * bytes_], &gathered[i * bytes_], bytes_), 0) << "row " << ids[i] << ", place " << i;
  }
  Gathered gather(FeatureTable& table) {
    std::fill(gathered_.begin(), gathered_.end(), std::byte{});
    const Gathered gathered = table.gather(ids_, gathered_.data());
    expect_rows(gathered_, ids_);
    EXPECT_EQ(gathered.device_bytes + gathered.peer_bytes + gathered.host_bytes, kIds * bytes_);
    return gathered;
  }
  /// A second GPU, or the first one again.
  static int other() { return why_no_cuda(1).empty() ? 1 : 0; }

  const std::size_t bytes_ = GetParam();
  std::vector<std::byte> rows_;
  std::vector<VertexId> ids_;
  std::vector<std::byte> gathered_;
};

TEST_P(GpuFeaturesOf, ComeFromTheTierThatHasThem) {
  const std::vector<std::vector<int>> all_peers = {{}, {other()}, {other(), other()}};
  for (const bool aligned : {false, true}) {
    for (const std::size_t hot : {std::size_t{0}, kRows / 10, kRows}) {
      for (const std::vector<int>& peers : all_peers) {
        for (const std::uint64_t replicated : {std::uint64_t{0}, std::uint64_t{hot / 2}}) {
          SCOPED_TRACE(std::to_string(hot) + " hot, " + std::to_string(replicated) + " replicated, " +
                       std::to_string(peers.size()) + " peers" + (aligned ? ", aligned" : ""));
          FeatureOptions options = options_with(hot, peers);
          options.replicated = replicated;
          options.aligned = aligned;
          options.multiprocessors = hot == 0 ? 3 : 0;
          const auto table = open_features(rows_, options);
          const Gathered gathered = gather(*table);
          const unsigned gpus = static_cast<unsigned>(1 + peers.size());
          const RowTiers tiers{replicated, hot, gpus};
          std::uint64_t here = 0;
          for (std::size_t i = 0; i < kIds; ++i) {
            const std::uint64_t position = kRows - 1 - ids_[i];
            unsigned mine = 0;  // each GPU gathers a part
            while (i >= kIds * (mine + 1) / gpus) ++mine;
            if (position < hot && tiers.of(position, mine).gpu == mine) here += bytes_;
          }
          EXPECT_EQ(gathered.device_bytes, here);
          EXPECT_EQ(gathered.host_bytes, bytes_where([&](VertexId id) { return id < kRows - hot; }));
        }
      }
    }
  }
}

// Where the first rows are hot, ids below a boundary tell, without an array of positions.
TEST_P(GpuFeaturesOf, AreHotByTheirIdsWhereTheFirstAreHot) {
  for (const RowDelivery delivery : {RowDelivery::zero_copy, RowDelivery::dma}) {
    for (const std::size_t hot : {std::size_t{1}, kRows / 3, kRows}) {
      SCOPED_TRACE(std::to_string(hot) + " hot, " + name_of(delivery));
      FeatureOptions options = options_with(0, {other()});
      for (std::size_t i = 0; i < hot; ++i) options.hot.push_back(static_cast<VertexId>(i));
      options.replicated = hot / 2;
      options.delivery = delivery;
      const Gathered gathered = gather(*open_features(rows_, options));
      EXPECT_EQ(gathered.device_bytes + gathered.peer_bytes, bytes_where([&](VertexId id) { return id < hot; }));
    }
  }
}

TEST_P(GpuFeaturesOf, AreTheSameByEveryWidthOfLoads) {
  for (const int load : {0, 4, 8, 16}) {
    if (load != 0 && bytes_ % static_cast<std::size_t>(load) != 0) continue;
    for (const bool aligned : {false, true}) {
      SCOPED_TRACE(std::to_string(load) + (aligned ? " aligned" : ""));
      FeatureOptions options = options_with(kRows / 10);
      options.load_bytes = load;
      options.aligned = aligned;
      gather(*open_features(rows_, options));
    }
  }
}

TEST_P(GpuFeaturesOf, AreTheSameByEveryDelivery) {
  for (const RowDelivery delivery : {RowDelivery::zero_copy, RowDelivery::staged, RowDelivery::dma}) {
    for (const std::vector<int>& peers : {std::vector<int>{}, std::vector<int>{other()}}) {
      SCOPED_TRACE(name_of(delivery));
      FeatureOptions options = options_with(delivery == RowDelivery::staged ? 0 : kRows / 10, peers);
      options.delivery = delivery;
      const auto table = open_features(rows_, options);
      EXPECT_EQ(table->delivery(), delivery);
      const Gathered gathered = gather(*table);
      EXPECT_EQ(gathered.host_bytes, bytes_where([&](VertexId id) { return id < kRows - options.hot.size(); }));
      EXPECT_GT(gathered.elapsed_ms, 0);
    }
  }
}

// A wait for the whole device stood before every gather, so that training stood still.
TEST_P(GpuFeaturesOf, AreGatheredInTheOrderOfAStream) {
  for (const RowDelivery delivery : {RowDelivery::zero_copy, RowDelivery::staged, RowDelivery::dma}) {
    SCOPED_TRACE(name_of(delivery));
    FeatureOptions options = options_with(delivery == RowDelivery::staged ? 0 : kRows / 10);
    options.delivery = delivery;
    const auto table = open_features(rows_, options);
    cudaStream_t streams[2];
    for (cudaStream_t& stream : streams) cuda::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "make a stream");
    constexpr std::size_t kGathers = 12;  // more than there are slots
    const std::size_t bytes = kIds * bytes_;
    DeviceArray<std::byte> room(bytes);
    std::vector<std::vector<std::byte>> seen(kGathers, std::vector<std::byte>(bytes));
    std::vector<std::vector<VertexId>> all_ids(kGathers, ids_);
    // One room, which is read before the next gather overwrites it, on two streams that wait for each other.
    cudaEvent_t free_again;
    cuda::check(cudaEventCreate(&free_again), "make an event");
    for (std::size_t g = 0; g < kGathers; ++g) {
      std::rotate(all_ids[g].begin(), all_ids[g].begin() + static_cast<std::ptrdiff_t>(g * 7), all_ids[g].end());
      const cudaStream_t stream = streams[g % 2];
      if (g != 0) cuda::check(cudaStreamWaitEvent(stream, free_again, 0), "wait for an event");
      std::vector<VertexId> once = all_ids[g];
      table->gather_on_stream(once, room.data(), stream);
      std::fill(once.begin(), once.end(), VertexId{0});  // it has read the ids
      cuda::check(cudaMemcpyAsync(seen[g].data(), room.data(), bytes, cudaMemcpyDeviceToHost, stream), "copy rows");
      cuda::check(cudaEventRecord(free_again, stream), "record an event");
    }
    const Gathered gathered = table->finish_on_stream();
    EXPECT_EQ(gathered.host_bytes, bytes_where([&](VertexId id) { return id < kRows - options.hot.size(); }));
    cuda::check(cudaDeviceSynchronize(), "wait for the GPU");
    for (std::size_t g = 0; g < kGathers; ++g) expect_rows(seen[g], all_ids[g]);
    table->gather(ids_, gathered_.data());  // another gather does not change the costs of the one on a stream
    EXPECT_EQ(table->finish_on_stream().host_bytes, gathered.host_bytes);
    cudaEventDestroy(free_again);
    for (const cudaStream_t stream : streams) cudaStreamDestroy(stream);
  }
}

TEST_P(GpuFeaturesOf, AreGatheredByTheGpuThatHasTheRoom) {
  const int peer = other();
  const auto table = open_features(rows_, options_with(kRows / 2, {peer}));
  for (const int gpu : {0, peer}) {
    cuda::check(cudaSetDevice(gpu), "select the GPU");
    DeviceArray<std::byte> room(kIds * bytes_);
    const Gathered gathered = table->gather_on_device(ids_, room.data());
    int current = -1;
    cudaGetDevice(&current);
    EXPECT_EQ(current, gpu) << "the thread's GPU is what it was";
    cuda::check(cudaMemcpy(gathered_.data(), room.data(), gathered_.size(), cudaMemcpyDeviceToHost), "copy rows");
    expect_rows(gathered_, ids_);
    EXPECT_EQ(gathered.device_bytes + gathered.peer_bytes, bytes_where([&](VertexId id) { return id >= kRows - kRows / 2; }));
  }
  cuda::check(cudaSetDevice(0), "select the GPU");
  EXPECT_NE(refusal([&] { table->gather_on_device(ids_, gathered_.data()); }).find("memory of a GPU that gathers"),
            std::string::npos);
}

// Words of each width, less than a line, one, and more, that end within a line.
INSTANTIATE_TEST_SUITE_P(Sizes, GpuFeaturesOf,
                         ::testing::Values(1, 4, 8, 16, 30, 100, 128, 132, 480, 512, 1023, 1028, 1040, 1048, 5000));

TEST(GpuFeatures, RoomThatIsNotAlignedTakesNarrowerLoads) {
  if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
  std::vector<std::byte> rows(64 * 16);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::byte>(splitmix64(i));
  const std::vector<VertexId> ids = {3, 1, 63};
  DeviceArray<std::byte> room(3 * 16 + 16);
  for (const std::size_t shift : {1u, 4u, 8u}) {
    const auto table = open_features(rows, {.row_bytes = 16, .gpu = 0});
    table->gather_on_device(ids, room.data() + shift);
    std::array<std::byte, 48> seen;
    cuda::check(cudaMemcpy(seen.data(), room.data() + shift, seen.size(), cudaMemcpyDeviceToHost), "copy rows");
    for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(std::memcmp(&seen[16 * i], &rows[16 * ids[i]], 16), 0) << shift;
  }
  const auto wide = open_features(rows, {.row_bytes = 16, .gpu = 0, .load_bytes = 16});
  EXPECT_NE(refusal([&] { wide->gather_on_device(ids, room.data() + 8); }).find("begins at a multiple"), std::string::npos);
}

}  // namespace
}  // namespace graphrun::test
