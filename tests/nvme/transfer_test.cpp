// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "graphrun/transport/nvme.hpp"
#include "graphrun/transport/storage.hpp"

namespace graphrun::test {
namespace {

constexpr std::uint64_t kPage = nvme::kPageBytes;
constexpr std::uint64_t kFar = std::uint64_t{1} << 40;  // chunks need not follow each other on the bus

/// Two chunks whose lists can be read.
class Translated : public ::testing::Test {
 protected:
  Translated() {
    for (std::size_t c = 0; c < kChunks; ++c) {
      lists_[c].resize(nvme::DataMap::kChunkBytes / kPage);
      for (std::size_t i = 0; i < lists_[c].size(); ++i) lists_[c][i] = data_of(c) + i * kPage;
      chunks_[c] = {data_of(c), reinterpret_cast<std::uint64_t>(lists_[c].data())};
    }
  }
  static std::uint64_t data_of(std::size_t chunk) { return kFar * (kChunks - chunk); }

  /// What a device takes for the pages of a command (section 4.3).
  static std::vector<std::uint64_t> pages_of(const nvme::Command& command, std::uint32_t block_bytes) {
    const std::uint64_t bytes = (std::uint64_t{command.blocks_less_one} + 1) * block_bytes;
    std::vector<std::uint64_t> pages{command.prp1};
    const std::uint64_t in_first = kPage - command.prp1 % kPage;
    const std::uint64_t others = bytes <= in_first ? 0 : (bytes - in_first + kPage - 1) / kPage;
    if (others == 1) pages.push_back(command.prp2);
    for (std::uint64_t i = 0; others > 1 && i < others; ++i)
      pages.push_back(reinterpret_cast<const std::uint64_t*>(command.prp2)[i]);
    return pages;
  }

  static constexpr std::size_t kChunks = 2;
  std::array<std::vector<std::uint64_t>, kChunks> lists_;
  std::array<nvme::DataAddress, kChunks> chunks_{};
  nvme::DataMap map_{chunks_.data()};
};

TEST_F(Translated, EveryPageOfACommandIsNamed) {
  for (const std::uint32_t block_shift : {9u, 12u}) {
    const nvme::Namespace store{.id = 3, .block_shift = block_shift};
    for (std::uint32_t frame_bytes = store.block_bytes(); frame_bytes <= 65536; frame_bytes *= 2) {
      const Frames frames{
          .map = map_, .count = 2 * nvme::DataMap::kChunkBytes / frame_bytes, .bytes = frame_bytes, .most_bytes = 128 << 10};
      for (std::uint64_t frame = 0; frame < frames.count; frame = frame * 2 + 1) {
        for (std::uint32_t in_a_row = 1; in_a_row <= frames.most_in_a_row(frame); in_a_row = in_a_row * 2 + 1) {
          const std::uint64_t from = frame * frame_bytes;
          const nvme::Command command =
              store.transfer(nvme::Opcode::read, frames.address(frame), 1 << 20, in_a_row * frame_bytes);
          EXPECT_EQ(command.namespace_id, 3u);
          EXPECT_EQ(command.first_block, (1u << 20) >> block_shift);
          const auto pages = pages_of(command, store.block_bytes());
          const std::uint64_t last = from + in_a_row * frame_bytes - 1;
          ASSERT_EQ(pages.size(), last / kPage - from / kPage + 1);
          for (std::size_t i = 0; i < pages.size(); ++i) {
            const std::uint64_t at = i == 0 ? from : (from / kPage + i) * kPage;
            const std::uint64_t chunk = at / nvme::DataMap::kChunkBytes;
            ASSERT_EQ(pages[i], data_of(chunk) + at % nvme::DataMap::kChunkBytes)
                << frame_bytes << " " << frame << " " << in_a_row;
          }
        }
      }
    }
  }
}

TEST_F(Translated, ACommandStaysInAChunkAndWithinWhatADeviceMoves) {
  const Frames frames{.map = map_, .count = 1024, .bytes = 4096, .most_bytes = 128 << 10};
  EXPECT_EQ(frames.most_in_a_row(0), 32u);
  EXPECT_EQ(frames.most_in_a_row(480), 32u);
  EXPECT_EQ(frames.most_in_a_row(481), 31u);
  EXPECT_EQ(frames.most_in_a_row(511), 1u);
  EXPECT_EQ(frames.most_in_a_row(512), 32u);
}

TEST_F(Translated, AStoreThatEndsWithinAPageIsReadToItsEnd) {
  const nvme::Namespace store{.bytes = (std::uint64_t{1} << 20) + 512};
  EXPECT_EQ(store.transfer(nvme::Opcode::read, map_.at(0), 1 << 20, 65536).blocks_less_one, 0);
  EXPECT_EQ(store.transfer(nvme::Opcode::read, map_.at(0), (1 << 20) - 8192, 65536).blocks_less_one, 16);
  EXPECT_EQ(store.transfer(nvme::Opcode::read, map_.at(0), 0, 65536).blocks_less_one, 127);
}

}  // namespace
}  // namespace graphrun::test
