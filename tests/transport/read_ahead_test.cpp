// SPDX-License-Identifier: Apache-2.0
// Read-ahead of reads in order, over an engine of this file that completes reads when a test says so.
#include "transport/read_ahead.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graphrun/core/random.hpp"
#include "graphrun/transport/controller.hpp"
#include "support/sanitized.hpp"

namespace graphrun::test {
namespace {

constexpr std::uint32_t kPage = 4096;
constexpr std::uint64_t kFileBytes = 32 << 20;
constexpr ReadAheadLimits kUsual;
constexpr std::int64_t kLongAgo = 1'000'000'000;

/// A file that tests change and damage, and what was read of it.
struct Disk {
  std::uint8_t edition = 0;  ///< of all bytes
  std::int64_t changed = kLongAgo;
  std::uint64_t bad_from = ~std::uint64_t{0};  ///< reads of these bytes fail
  std::uint64_t bad_to = ~std::uint64_t{0};
  bool is_slow = false;      ///< nothing completes
  bool is_shuffled = false;  ///< completes the latest first
  std::vector<BlockRequest> reads;
  std::size_t out = 0;
  std::size_t most_out = 0;

  std::uint8_t byte_at(std::uint64_t at) const { return static_cast<std::uint8_t>(splitmix64(at / 8) + edition); }
};

class DiskEngine final : public BlockEngine {
 public:
  explicit DiskEngine(Disk& disk) : disk_(disk) {}
  std::string description() const override { return "a disk of a test"; }
  bool start(const BlockRequest& request) override {
    disk_.reads.push_back(request);
    disk_.most_out = std::max(disk_.most_out, ++disk_.out);
    out_.push_back(request);
    return true;
  }
  std::size_t poll(Done* outcomes, std::size_t most) override {
    std::size_t count = 0;
    for (; count < most && !out_.empty() && !disk_.is_slow; ++count, --disk_.out) {
      const BlockRequest request = disk_.is_shuffled ? out_.back() : out_.front();
      disk_.is_shuffled ? out_.pop_back() : out_.pop_front();
      outcomes[count] = {request.tag, complete(request)};
    }
    return count;
  }

 private:
  nvme::Status complete(const BlockRequest& request) {
    const std::uint64_t end = std::min(request.offset + request.bytes, kFileBytes);
    if (request.offset >= kFileBytes) return nvme::Status::out_of_range;
    if (request.offset < disk_.bad_to && end > disk_.bad_from) return nvme::Status::unrecovered_read_error;
    auto* const to = static_cast<std::uint8_t*>(request.data);
    for (std::uint64_t at = request.offset; at < end; ++at) to[at - request.offset] = disk_.byte_at(at);
    return nvme::Status::success;
  }

  Disk& disk_;
  std::deque<BlockRequest> out_;
};

class ReadAheadTest : public ::testing::Test {
 protected:
  std::unique_ptr<BlockEngine> open(const ReadAheadLimits& limits = {}) {
    return read_streams_ahead(
        std::make_unique<DiskEngine>(disk_), [this](std::uint64_t) { return disk_.changed; }, limits);
  }
  nvme::Status read(BlockEngine& engine, std::uint64_t at, std::uint32_t bytes = kPage) {
    memory_.assign(bytes, 0);
    EXPECT_TRUE(engine.start({nvme::Opcode::read, at, bytes, memory_.data(), 7}));
    BlockEngine::Done done{};
    for (int tries = 0; tries < 100; ++tries) {
      if (engine.poll(&done, 1) != 0) return done.status;
    }
    ADD_FAILURE() << "no outcome of the read at " << at;
    return done.status;
  }
  void expect_right(BlockEngine& engine, std::uint64_t at, std::uint32_t bytes = kPage) {
    ASSERT_EQ(read(engine, at, bytes), nvme::Status::success) << at;
    for (std::uint32_t i = 0; i < bytes && at + i < kFileBytes; ++i) ASSERT_EQ(memory_[i], disk_.byte_at(at + i)) << at + i;
  }

  Disk disk_;
  std::vector<std::uint8_t> memory_;
};

TEST_F(ReadAheadTest, TheThirdReadInOrderMakesAStream) {
  const auto engine = open();
  for (std::uint64_t i = 0; i < 2; ++i) expect_right(*engine, i * kPage);
  EXPECT_EQ(disk_.reads.size(), 2u);
  expect_right(*engine, 2 * kPage);
  ASSERT_GT(disk_.reads.size(), 3u);
  EXPECT_EQ(disk_.reads[3].offset, 3u * kPage);
}

TEST_F(ReadAheadTest, ReadsInNoOrderReadNothingMore) {
  const auto engine = open();
  for (std::uint64_t i = 0; i < 1000; ++i) expect_right(*engine, i * 2'654'435'761 % (kFileBytes / kPage) * kPage);
  for (std::uint64_t i = 100; i > 0; --i) expect_right(*engine, i * kPage);  // backwards
  EXPECT_EQ(disk_.reads.size(), 1100u);
  EXPECT_EQ(engine->routed().ahead_bytes, 0u);
}

TEST_F(ReadAheadTest, TheWindowDoublesUpToItsBound) {
  const auto engine = open();
  std::vector<std::uint64_t> windows;
  for (std::uint64_t at = 0; at < kFileBytes / 2; at += kPage) {
    expect_right(*engine, at);
    std::uint64_t end = 0;
    for (const BlockRequest& one : disk_.reads) end = std::max(end, one.offset + one.bytes);
    windows.push_back(end - (at + kPage));
  }
  EXPECT_LE(windows[2], 128u << 10);
  EXPECT_LE(*std::ranges::max_element(windows), kUsual.bytes() + kUsual.chunk_bytes);
  EXPECT_GE(*std::ranges::max_element(windows), kUsual.bytes() / 2);
  EXPECT_LE(disk_.most_out, kUsual.chunks + 1);
  EXPECT_LT(disk_.reads.size(), 60u);  // 16 MiB in reads of 512 KiB, after the first
}

TEST_F(ReadAheadTest, ClientsThatKeepStorageBusyReadByThemselves) {
  const auto engine = open();
  std::vector<std::uint8_t> memory(1 << 20);
  BlockEngine::Done done[8];
  std::uint64_t at = 0;
  const auto start = [&] {
    ASSERT_TRUE(engine->start({nvme::Opcode::read, at, 1 << 20, memory.data(), at}));
    at += 1 << 20;
  };
  disk_.is_slow = true;
  for (int i = 0; i < 3; ++i) start();
  disk_.is_slow = false;
  while (at < kFileBytes) {
    const std::size_t ended = engine->poll(done, 1);
    for (std::size_t i = 0; i < ended; ++i) start();
  }
  EXPECT_EQ(disk_.reads.size(), kFileBytes >> 20);
  EXPECT_EQ(engine->routed().ahead_bytes, 0u);
}

TEST_F(ReadAheadTest, ReadsOfAnySizeGetTheirBytes) {
  for (const std::uint32_t bytes : {512u, 4096u, 12288u, 69632u, 524288u, 1048576u}) {
    for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{512} * 77}) {
      const auto engine = open();
      std::uint64_t at = first;
      for (int i = 0; i < 24 && at < kFileBytes; ++i, at += bytes) ASSERT_NO_FATAL_FAILURE(expect_right(*engine, at, bytes));
      const RouteCounters routed = engine->routed();
      EXPECT_GE(routed.ahead_hit_bytes, 20ull * bytes) << bytes;
      EXPECT_GE(routed.ahead_bytes, routed.ahead_hit_bytes) << bytes;
    }
  }
}

TEST_F(ReadAheadTest, TheEndOfTheFileIsNoFailure) {
  const auto engine = open();
  for (std::uint64_t at = kFileBytes - (1 << 20); at < kFileBytes; at += kPage) expect_right(*engine, at);
  EXPECT_NE(read(*engine, kFileBytes), nvme::Status::success);
}

TEST_F(ReadAheadTest, AFileThatChangedIsReadAgain) {
  const auto engine = open();
  for (std::uint64_t i = 0; i < 10; ++i) expect_right(*engine, i * kPage);
  EXPECT_GT(engine->routed().ahead_hit_bytes, 0u);
  disk_.edition = 100;
  disk_.changed += 1;
  for (std::uint64_t i = 10; i < 200; ++i) expect_right(*engine, i * kPage);
}

// Clocks of old kernels do not tell two changes apart that follow closely.
TEST_F(ReadAheadTest, AFileThatIsBeingWrittenIsNotReadAhead) {
  const auto now = [] { return std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); };
  const auto engine = open();
  for (std::uint64_t i = 0; i < 100; ++i) {
    disk_.changed = now();
    ++disk_.edition;
    expect_right(*engine, i * kPage);
  }
  EXPECT_EQ(disk_.reads.size(), 100u);
}

TEST_F(ReadAheadTest, ReadsOfAChunkThatFailedStandForThemselves) {
  disk_.bad_from = 100 * kPage;
  disk_.bad_to = 101 * kPage;
  const auto engine = open();
  for (std::uint64_t i = 0; i < 200; ++i) {
    if (i == 100)
      EXPECT_EQ(read(*engine, i * kPage), nvme::Status::unrecovered_read_error);
    else
      expect_right(*engine, i * kPage);
  }
}

TEST_F(ReadAheadTest, DroppedFilesAreReadAgain) {
  const auto engine = open();
  for (std::uint64_t i = 0; i < 10; ++i) expect_right(*engine, i * kPage);
  engine->drop_cached();
  const std::size_t before = disk_.reads.size();
  expect_right(*engine, 10 * kPage);
  EXPECT_EQ(disk_.reads.size(), before + 1);
}

// The rows of tiles of an image: each is a stream that ends soon.
TEST_F(ReadAheadTest, StreamsThatEndLeaveTheirMemoryToOthers) {
  const auto engine = open();
  std::uint64_t hits = 0;
  for (std::uint64_t row = 0; row < 30; ++row) {
    for (std::uint64_t tile = 0; tile < 40; ++tile) expect_right(*engine, (row << 20) + tile * kPage);
    const std::uint64_t before = std::exchange(hits, engine->routed().ahead_hit_bytes);
    EXPECT_GE(hits - before, 20u * kPage) << row;
  }
}

TEST_F(ReadAheadTest, StreamsSideBySideAreEachReadAhead) {
  const auto engine = open();
  constexpr std::uint64_t kReads = 200;
  for (std::uint64_t i = 0; i < kReads; ++i) {
    for (std::uint64_t stream = 0; stream < 3; ++stream) expect_right(*engine, (stream << 23) + i * kPage);
  }
  EXPECT_GE(engine->routed().ahead_hit_bytes, 3 * kReads * kPage * 9 / 10);
}

// Streams, jumps, and repeated reads at a time, whose completions come in any order, while the file changes.
TEST_F(ReadAheadTest, RandomMixesGetTheBytesOfTheFile) {
  constexpr std::size_t kDepth = 12;
  constexpr std::uint32_t kMost = 16 * kPage;
  for (std::uint64_t seed = 0; seed < (kSanitized ? 2 : 20); ++seed) {
    disk_ = {};
    const auto engine = open({.chunk_bytes = 128 << 10, .chunks = 4});
    struct Out {
      std::uint64_t at;
      std::uint32_t bytes;
      std::vector<std::uint8_t> memory;
      bool is_out = false;
    };
    std::vector<Out> outs(kDepth);
    std::vector<std::uint64_t> streams(4, 0);
    std::size_t out = 0;
    for (std::uint64_t i = 0; i < 3000; ++i) {
      const std::uint64_t drawn = splitmix64(seed, i, 0);
      disk_.is_slow = drawn % 5 == 0;
      disk_.is_shuffled = drawn % 3 == 0;
      const auto free = std::ranges::find(outs, false, &Out::is_out);
      if (free != outs.end() && drawn % 7 != 0) {
        std::uint64_t& at = streams[drawn / 8 % streams.size()];
        if (drawn / 64 % 32 == 0) at = drawn / 4096 % (kFileBytes / 2 / kPage) * kPage;
        const auto bytes = static_cast<std::uint32_t>((1 + drawn / 1024 % 16) * kPage);
        *free = {at, bytes, std::vector<std::uint8_t>(kMost), true};
        ASSERT_TRUE(
            engine->start({nvme::Opcode::read, at, bytes, free->memory.data(), static_cast<std::uint64_t>(free - outs.begin())}));
        at = (at + bytes) % kFileBytes / kPage * kPage;
        ++out;
      }
      BlockEngine::Done done[4];
      const std::size_t ended = engine->poll(done, 4);
      for (std::size_t k = 0; k < ended; ++k) {
        Out& one = outs[done[k].tag];
        ASSERT_TRUE(one.is_out) << "an outcome came twice";
        ASSERT_EQ(done[k].status, nvme::Status::success);
        for (std::uint32_t b = 0; b < one.bytes && one.at + b < kFileBytes; b += 512) {
          ASSERT_EQ(one.memory[b], disk_.byte_at(one.at + b)) << "seed " << seed << ", byte " << one.at + b;
        }
        one.is_out = false;
        --out;
      }
      if (out == 0 && drawn % 11 == 0) {  // reads that are out may see either edition
        ++disk_.edition;
        ++disk_.changed;
      }
    }
    EXPECT_GT(engine->routed().ahead_hit_bytes, 0u) << seed;
    disk_.is_slow = false;
  }
}

}  // namespace
}  // namespace graphrun::test
