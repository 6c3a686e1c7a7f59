// SPDX-License-Identifier: Apache-2.0

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "graphrun/transport/controller.hpp"
#include "graphrun/transport/storage.hpp"

namespace graphrun::test {
namespace {

int file_of(char letter, std::size_t bytes) {
  std::string name = ::testing::TempDir() + "/graphrun_uring_XXXXXX";
  const int fd = ::mkstemp(name.data());
  ::unlink(name.c_str());
  const std::string text(bytes, letter);
  EXPECT_EQ(::write(fd, text.data(), bytes), static_cast<ssize_t>(bytes));
  return fd;
}

/// What the engine reads at `offset`.
char letter_at(BlockEngine& engine, std::uint64_t offset) {
  alignas(4096) static char page[4096];
  EXPECT_TRUE(engine.start({nvme::Opcode::read, offset, sizeof(page), page, 7}));
  BlockEngine::Done done{};
  while (engine.poll(&done, 1) == 0) {
  }
  EXPECT_EQ(done.status, nvme::Status::success) << engine.last_error();
  return page[100];
}

// Copies have the same bytes; here they differ, to tell who was asked.
TEST(UringEngine, StretchesAreReadFromCopiesInTurn) {
  constexpr std::size_t kStretch = kMostCommandBytes;
  const std::vector<int> fds{file_of('a', 8 * kStretch), file_of('b', 8 * kStretch), file_of('c', 8 * kStretch)};
  const auto engine = open_uring_engine({{"store", fds[0], false, {{"copy 1", fds[1]}, {"copy 2", fds[2]}}}}, 8);
  std::string letters;
  for (std::size_t stretch = 0; stretch < 8; ++stretch) {
    letters += letter_at(*engine, stretch * kStretch);
    EXPECT_EQ(letters.back(), letter_at(*engine, stretch * kStretch + kStretch - 4096));
  }
  EXPECT_EQ(letters, "abcabcab");
  for (const int fd : fds) ::close(fd);
}

/// Parts of a file whose unit k is full of the letter 'a' + k, behind a header of a page of '#'.
std::vector<Striping::Part> lettered_parts(std::size_t parts, std::size_t units, std::size_t unit_bytes) {
  std::vector<Striping::Part> made;
  for (std::size_t part = 0; part < parts; ++part) {
    made.push_back({"part " + std::to_string(part), file_of('#', 4096)});
    for (std::size_t unit = part; unit < units; unit += parts) {
      const std::string text(unit_bytes, static_cast<char>('a' + unit));
      EXPECT_EQ(::write(made.back().fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
  }
  return made;
}

class UringEngineParts : public ::testing::Test {
 protected:
  static constexpr std::size_t kUnit = 8192;
  static constexpr std::size_t kUnits = 7;

  UringEngineParts() : parts_(lettered_parts(3, kUnits, kUnit)) {}
  ~UringEngineParts() override {
    for (const Striping::Part& part : parts_) ::close(part.fd);
  }
  std::unique_ptr<BlockEngine> open(std::uint32_t depth) const {
    return open_uring_engine({{"store", -1, false, {}, {parts_, kUnit, 4096}}}, depth);
  }

  std::vector<Striping::Part> parts_;
};

TEST_F(UringEngineParts, EachUnitComesFromItsPart) {
  const auto engine = open(8);
  std::string letters;
  for (std::size_t page = 0; page < 2 * kUnits; ++page) letters += letter_at(*engine, page * 4096);
  EXPECT_EQ(letters, "aabbccddeeffgg");
}

// More pieces than the engine was asked to have commands out, and a tail behind the end of the file.
TEST_F(UringEngineParts, RequestsThatCrossUnitsAreCut) {
  const auto engine = open(1);
  static constexpr std::size_t kBytes = kUnits * kUnit;
  alignas(4096) static char data[kBytes];
  ASSERT_TRUE(engine->start({nvme::Opcode::read, 4096, kBytes, data, 7}));
  EXPECT_FALSE(engine->start({nvme::Opcode::read, 0, 4096, data, 8})) << "one command at a time";
  BlockEngine::Done done{};
  while (engine->poll(&done, 1) == 0) {
  }
  EXPECT_EQ(done.tag, 7u);
  EXPECT_EQ(done.status, nvme::Status::success) << engine->last_error();
  for (std::size_t i = 0; i < kBytes - 4096; ++i) ASSERT_EQ(data[i], static_cast<char>('a' + (4096 + i) / kUnit)) << i;
}

TEST_F(UringEngineParts, APartThatBecameShorterFailsTheWholeCommand) {
  const auto engine = open(8);
  ASSERT_EQ(::ftruncate(parts_[1].fd, 4096 + kUnit / 2), 0);
  alignas(4096) static char data[3 * kUnit];
  ASSERT_TRUE(engine->start({nvme::Opcode::read, 0, sizeof(data), data, 7}));
  BlockEngine::Done done{};
  while (engine->poll(&done, 1) == 0) {
  }
  EXPECT_EQ(done.status, nvme::Status::unrecovered_read_error);
  EXPECT_NE(engine->last_error().find("part 1"), std::string::npos) << engine->last_error();
}

TEST_F(UringEngineParts, WhatCannotBeIsRefused) {
  const auto engine = open(8);
  alignas(4096) static char page[4096];
  for (const BlockRequest& request :
       {BlockRequest{nvme::Opcode::read, kUnits * kUnit, 4096, page, 1}, BlockRequest{nvme::Opcode::write, 0, 4096, page, 1},
        BlockRequest{nvme::Opcode::read, kFileStride, 4096, page, 1}}) {
    ASSERT_TRUE(engine->start(request));
    BlockEngine::Done done{};
    while (engine->poll(&done, 1) == 0) {
    }
    EXPECT_EQ(done.status, nvme::Status::out_of_range) << request.offset;
  }
}

}  // namespace
}  // namespace graphrun::test
