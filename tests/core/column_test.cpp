// SPDX-License-Identifier: Apache-2.0

#include "graphrun/core/column.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "graphrun/core/error.hpp"
#include "support/sanitized.hpp"

namespace graphrun {
namespace {

TEST(Column, StartsZeroedOnItsBoundary) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 19, (std::size_t{1} << 19) + 1}) {
    const auto column = Column<std::uint32_t>::allocate(size);
    ASSERT_EQ(column.size(), size);
    EXPECT_EQ(column.bytes(), size * 4);
    const auto address = reinterpret_cast<std::uintptr_t>(column.data());
    EXPECT_EQ(address % (column.bytes() < std::size_t{2} << 20 ? 4096 : std::size_t{2} << 20), 0u);
    EXPECT_EQ(column[0], 0u);
    EXPECT_EQ(column[size - 1], 0u);
  }
}

TEST(Column, IsWritableToItsLastElement) {
  auto column = Column<std::uint64_t>::allocate(300001);
  for (std::size_t i = 0; i < column.size(); ++i) column[i] = i;
  EXPECT_EQ(column.span()[300000], 300000u);
}

TEST(Column, EmptyOnesHaveNoElements) {
  EXPECT_TRUE(Column<int>().empty());
  EXPECT_TRUE(Column<int>::allocate(0).empty());
  EXPECT_TRUE(Column<int>().span().empty());
  EXPECT_FALSE(Column<int>().in_mapped_file());
}

TEST(Column, CopiesShareTheirMemoryAndKeepItAlive) {
  Column<int> copy;
  {
    auto column = Column<int>::allocate(10);
    copy = column;
    column[3] = 42;
  }
  EXPECT_EQ(copy[3], 42);
}

TEST(Column, TruncateOnlyShortens) {
  auto column = Column<int>::allocate(10);
  column.truncate(20);
  EXPECT_EQ(column.size(), 10u);
  column.truncate(4);
  EXPECT_EQ(column.size(), 4u);
}

TEST(Column, ShortGuardedOnesAreHandedOutAgainZeroed) {
  // More at a time and more lengths than are kept.
  for (int round = 0; round < 3; ++round) {
    std::vector<Column<std::uint32_t>> columns;
    for (std::size_t i = 0; i < 100; ++i) {
      auto column = Column<std::uint32_t>::allocate_guarded(1 + i % 70 * 1024);
      ASSERT_EQ(std::count(column.span().begin(), column.span().end(), 0u), static_cast<std::ptrdiff_t>(column.size()))
          << "round " << round << ", column " << i;
      std::fill_n(column.data(), column.size(), 0xffffffffu);
      for (const auto& other : columns) ASSERT_NE(other.data(), column.data());
      columns.push_back(std::move(column));
    }
  }
}

TEST(Column, GuardsFaultBehindOnesThatAreHandedOutAgain) {
  if (test::kSanitized) GTEST_SKIP() << "a sanitizer keeps memory of its own for all addresses";
  for (int round = 0; round < 2; ++round) {
    const auto column = Column<std::uint32_t>::allocate_guarded(1000);
    const volatile std::uint32_t* data = column.data();
    for (const std::uint32_t wrong : {1024u, 0x7fffffffu, 0xffffffffu}) {
      EXPECT_EXIT(static_cast<void>(data[wrong]), ::testing::KilledBySignal(SIGSEGV), "");
    }
  }
}

TEST(Column, RefusesMoreThanAnAddressSpace) { EXPECT_THROW(Column<std::uint64_t>::allocate(std::size_t{1} << 57), RunError); }

class MappedFile : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  void write(const std::string& bytes) { std::ofstream(path_, std::ios::binary) << bytes; }

  std::string path_ = testing::TempDir() + "graphrun_column_" + testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(MappedFile, IsReadInPlace) {
  write("abcdefgh12345678");
  const auto region = Region::map_file(path_);
  EXPECT_EQ(region->bytes(), 16u);
  const auto column = Column<char>::window(region, 8, 5);
  EXPECT_EQ(std::string(column.data(), column.size()), "12345");
  EXPECT_TRUE(column.in_mapped_file());
  region->drop_cached_pages();
  EXPECT_EQ(column[4], '5');
}

TEST_F(MappedFile, MayBeEmpty) {
  write("");
  EXPECT_EQ(Region::map_file(path_)->bytes(), 0u);
}

TEST_F(MappedFile, TellsWhenSomebodyWroteToIt) {
  write("abcdefgh");
  const auto region = Region::map_file(path_);
  EXPECT_NO_THROW(region->file().check_unchanged());
  std::filesystem::rename(path_, path_ + ".old");
  EXPECT_NO_THROW(region->file().check_unchanged());
  write("ijklmnop");
  EXPECT_NO_THROW(region->file().check_unchanged()) << "another file has its name; what is mapped is as it was";
  std::filesystem::rename(path_ + ".old", path_);
  std::fstream(path_, std::ios::in | std::ios::out | std::ios::binary) << "A";
  std::filesystem::last_write_time(path_, std::filesystem::last_write_time(path_) + std::chrono::seconds(1));
  EXPECT_THROW(region->file().check_unchanged(), DataError);
}

TEST_F(MappedFile, MustExistAndBeAFile) {
  try {
    Region::map_file(path_);
    FAIL() << "opened a file that is not there";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find(path_), std::string::npos);
  }
  EXPECT_THROW(Region::map_file(testing::TempDir()), DataError);
}

}  // namespace
}  // namespace graphrun
