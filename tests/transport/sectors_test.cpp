// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "graphrun/core/error.hpp"
#include "graphrun/transport/storage.hpp"
#include "support/faulty_engine.hpp"
#include "transport/store_map.hpp"

namespace graphrun::test {
namespace {

/// A disk with sectors of 4 KiB, which nothing is read from.
class LargeSectors final : public BlockEngine {
 public:
  std::string description() const override { return "a disk"; }
  bool emulated() const override { return true; }
  std::uint32_t sector_bytes() const override { return 4096; }
  bool start(const BlockRequest&) override { return false; }
  std::size_t poll(Done*, std::size_t) override { return 0; }
  std::string last_error() const override { return {}; }
};

void expect_pages_checked(const OpenEngine& open_engine) {
  const auto storage = make_software_storage(1, 8, open_engine);
  EXPECT_EQ(storage->make_frames(4, 4096).bytes, 4096u);
  try {
    storage->make_frames(4, 2048);
    FAIL() << "pages of half a sector were accepted";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("the smallest page is 4096"), std::string::npos) << error.what();
  }
}

TEST(Sectors, PagesSmallerThanASectorAreRefusedWhenAStoreIsOpened) {
  expect_pages_checked([](std::uint32_t) { return std::make_unique<LargeSectors>(); });
}

TEST(Sectors, FaultsArePutInBehindTheSameSectors) {
  expect_pages_checked([](std::uint32_t) { return make_faulty_engine(std::make_unique<LargeSectors>(), {}); });
}

TEST(Sectors, WhereTheKernelDoesNotSayAnyPageIsTried) { EXPECT_EQ(sector_bytes_of(-1), 512u); }

}  // namespace
}  // namespace graphrun::test
