// SPDX-License-Identifier: Apache-2.0
// One-sided reads of memory that this process exports to itself.
#include "graphrun/transport/fabric.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/core/random.hpp"
#include "support/sanitized.hpp"

// libfabric loses an address now and then when an endpoint ends while it connects.
extern "C" const char* __lsan_default_suppressions() { return "leak:fi_dupinfo\n"; }

namespace graphrun::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::uint64_t kBase = 1 << 20;  // where the bytes are in the store
constexpr std::uint64_t kBytes = 3 * (64 << 10) + 1000;

/// One byte of the store, wherever a server has it.
std::byte byte_at(std::uint64_t offset) { return static_cast<std::byte>(splitmix64(offset)); }

/// A server of bytes [begin, end) of the store, each changed by `mark`, so that a test sees who answered.
class Exporter {
 public:
  Exporter(const std::string& provider, std::uint64_t begin, std::uint64_t end, std::string name = "a server",
           std::byte mark = std::byte{0})
      : memory_(end - begin), exported_(export_memory(provider, provider == "shm" ? "" : "127.0.0.1", 2)) {
    for (std::uint64_t i = 0; i < memory_.size(); ++i) memory_[i] = byte_at(begin + i) ^ mark;
    about_.name = std::move(name);
    about_.node = provider == "shm" ? "" : "127.0.0.1";
    about_.endpoints = exported_->endpoints();
    about_.stretches = {{begin, end - begin, exported_->add(memory_)}};
  }
  FabricServer about(int rank = 0) const {
    FabricServer server = about_;
    server.rank = rank;
    return server;
  }

 private:
  std::vector<std::byte> memory_;
  std::unique_ptr<MemoryExport> exported_;
  FabricServer about_;
};

class FabricTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string missing = why_no_fabric(provider()); !missing.empty()) GTEST_SKIP() << missing;
  }
  static std::string provider() { return GetParam(); }

  std::unique_ptr<BlockEngine> open(std::vector<std::vector<FabricServer>> shards, milliseconds deadline = milliseconds(5000)) {
    auto engine = open_fabric_engine({provider(), std::move(shards), 2, deadline}, 64);
    engine->use_memory(memory_);
    return engine;
  }

  /// Starts a read of `bytes` at `offset` into place `slot`.
  bool start(BlockEngine& engine, std::size_t slot, std::uint64_t offset, std::uint32_t bytes) {
    return engine.start({nvme::Opcode::read, offset, bytes, memory_.data() + slot * kSlotBytes, slot});
  }
  /// The next outcome.
  static BlockEngine::Done wait(BlockEngine& engine) {
    BlockEngine::Done done{};
    const auto start = steady_clock::now();
    while (engine.poll(&done, 1) == 0) {
      if (steady_clock::now() - start > std::chrono::seconds(20)) throw std::runtime_error("nothing came");
    }
    return done;
  }
  void expect_bytes(std::size_t slot, std::uint64_t offset, std::uint64_t bytes) const {
    for (std::uint64_t i = 0; i < bytes; ++i) ASSERT_EQ(memory_[slot * kSlotBytes + i], byte_at(offset + i)) << offset + i;
  }

  static constexpr std::size_t kSlotBytes = 128 << 10;
  std::vector<std::byte> memory_ = std::vector<std::byte>(16 * kSlotBytes);
};

TEST_P(FabricTest, ReadsOfAllSizesBringTheRightBytes) {
  const Exporter server(provider(), kBase, kBase + kBytes);
  const auto engine = open({{server.about()}});
  for (const std::uint32_t bytes : {512u, 4096u, 65536u, 131072u}) {
    for (std::uint64_t i = 0; i < 16; ++i) {
      ASSERT_TRUE(start(*engine, i, kBase + i * 512, bytes));
    }
    std::array<bool, 16> came{};
    for (int i = 0; i < 16; ++i) {
      const auto done = wait(*engine);
      ASSERT_EQ(done.status, nvme::Status::success) << engine->last_error();
      ASSERT_FALSE(came[done.tag]);
      came[done.tag] = true;
      expect_bytes(done.tag, kBase + done.tag * 512, bytes);
    }
  }
}

TEST_P(FabricTest, AReadOverABorderOfShardsComesFromBoth) {
  const std::uint64_t border = kBase + (64 << 10);
  const Exporter first(provider(), kBase, border);
  const Exporter second(provider(), border, kBase + kBytes);
  const auto engine = open({{first.about()}, {second.about()}});
  ASSERT_TRUE(start(*engine, 3, border - 4096, 16384));
  EXPECT_EQ(wait(*engine).status, nvme::Status::success) << engine->last_error();
  expect_bytes(3, border - 4096, 16384);
}

TEST_P(FabricTest, TheLastPageEndsWhereTheBytesEndAndNothingIsReadOutside) {
  const Exporter server(provider(), kBase, kBase + kBytes);
  const auto engine = open({{server.about()}});
  memory_[2000] = std::byte{77};
  ASSERT_TRUE(start(*engine, 0, kBase + kBytes - 1000, 4096));
  EXPECT_EQ(wait(*engine).status, nvme::Status::success) << engine->last_error();
  expect_bytes(0, kBase + kBytes - 1000, 1000);
  EXPECT_EQ(memory_[2000], std::byte{77});
  for (const std::uint64_t nowhere : {std::uint64_t{0}, kBase - 512, kBase + kBytes + 24, kBase << 20}) {
    ASSERT_TRUE(start(*engine, 0, nowhere, 512));
    EXPECT_EQ(wait(*engine).status, nvme::Status::out_of_range) << nowhere;
  }
}

TEST_P(FabricTest, AServerThatIsGoneIsNamedAndItsReplicaGoesOn) {
  std::atomic<bool> gone = false;
  const Exporter first(provider(), kBase, kBase + kBytes, "the first server");
  const Exporter second(provider(), kBase, kBase + kBytes, "the second server");
  FabricServer leaving = first.about();
  leaving.why_gone = [&] { return gone ? std::string("went away") : std::string(); };
  FabricServer leaving_too = second.about();
  leaving_too.why_gone = leaving.why_gone;

  const auto with_replica = open({{leaving, second.about(1)}});
  const auto alone = open({{leaving_too}});
  for (BlockEngine* engine : {with_replica.get(), alone.get()}) {
    ASSERT_TRUE(start(*engine, 0, kBase, 4096));
    ASSERT_EQ(wait(*engine).status, nvme::Status::success) << engine->last_error();
  }
  gone = true;
  BlockEngine::Done none{};
  const auto start_time = steady_clock::now();
  while (with_replica->last_error().empty() || alone->last_error().empty()) {
    ASSERT_EQ(with_replica->poll(&none, 1) + alone->poll(&none, 1), 0u);
    ASSERT_LT(steady_clock::now() - start_time, std::chrono::seconds(5));
  }
  ASSERT_TRUE(start(*with_replica, 1, kBase + 8192, 8192));
  EXPECT_EQ(wait(*with_replica).status, nvme::Status::success) << with_replica->last_error();
  expect_bytes(1, kBase + 8192, 8192);
  ASSERT_TRUE(start(*alone, 1, kBase + 8192, 8192));
  EXPECT_EQ(wait(*alone).status, nvme::Status::unrecovered_read_error);
  EXPECT_EQ(alone->last_error(), "the second server went away");
}

TEST_P(FabricTest, InterfacesOfOneRankShareTheReadsAndOneGoesOnAlone) {
  constexpr std::byte kMark{0x5a};
  std::atomic<bool> gone = false;
  const Exporter first(provider(), kBase, kBase + kBytes, "the first interface");
  const Exporter second(provider(), kBase, kBase + kBytes, "the second interface", kMark);
  const Exporter replica(provider(), kBase, kBase + kBytes, "a replica", kMark);
  FabricServer leaving = first.about();
  leaving.why_gone = [&] { return gone ? std::string("went away") : std::string(); };
  const auto engine = open({{replica.about(1), leaving, second.about()}});
  // How many of 16 reads the first one answered.
  const auto reads_of_first = [&] {
    for (std::uint64_t i = 0; i < 16; ++i) EXPECT_TRUE(start(*engine, i, kBase + i * 4096, 4096));
    int count = 0;
    for (int i = 0; i < 16; ++i) {
      const auto done = wait(*engine);
      EXPECT_EQ(done.status, nvme::Status::success) << engine->last_error();
      const std::byte mark = memory_[done.tag * kSlotBytes] ^ byte_at(kBase + done.tag * 4096);
      EXPECT_TRUE(mark == std::byte{0} || mark == kMark);
      for (std::uint64_t k = 0; k < 4096; ++k) {
        EXPECT_EQ(memory_[done.tag * kSlotBytes + k] ^ byte_at(kBase + done.tag * 4096 + k), mark) << k;
      }
      count += mark == std::byte{0} ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(reads_of_first(), 8);
  gone = true;
  const auto start_time = steady_clock::now();
  for (BlockEngine::Done none{}; engine->last_error().empty();) {
    ASSERT_EQ(engine->poll(&none, 1), 0u);
    ASSERT_LT(steady_clock::now() - start_time, std::chrono::seconds(5));
  }
  EXPECT_EQ(engine->last_error(), "the first interface went away");
  EXPECT_EQ(reads_of_first(), 0);
}

// libfabric 1.17 crashed in here: an answer had arrived in part.
TEST_P(FabricTest, AnEngineMayEndWhileAnswersArrive) {
  const Exporter server(provider(), kBase, kBase + kBytes);
  for (int round = 0; round < (kThreadSanitized ? 8 : 20); ++round) {
    const auto engine = open({{server.about()}});
    for (std::uint64_t i = 0; i < 16; ++i) ASSERT_TRUE(start(*engine, i, kBase + i * 512, 131072));
    for (int i = 0; i < round; ++i) engine->poll(nullptr, 0);
    EXPECT_EQ(wait(*engine).status, nvme::Status::success) << engine->last_error();
  }
}

TEST_P(FabricTest, ReplicasMustHoldTheSameAndShardsMustNot) {
  const Exporter all(provider(), kBase, kBase + kBytes, "one");
  const Exporter part(provider(), kBase, kBase + 4096, "two");
  EXPECT_THROW(open({{all.about(), part.about(1)}}), UsageError);
  EXPECT_THROW(open({{all.about()}, {part.about()}}), UsageError);
}

INSTANTIATE_TEST_SUITE_P(Providers, FabricTest, ::testing::Values("tcp", "shm"), [](const auto& test) { return test.param; });

TEST(Fabrics, AProviderThatIsNotThereIsNamed) {
  EXPECT_NE(why_no_fabric("carrier-pigeon"), "");
  EXPECT_THROW(export_memory("carrier-pigeon", "", 1), UnavailableError);
}

}  // namespace
}  // namespace graphrun::test
