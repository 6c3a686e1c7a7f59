#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "graphrun/transport/controller.hpp"

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
  constexpr std::size_t kStretch = 128 << 10;
  const std::vector<int> fds{file_of('a', 8 * kStretch), file_of('b', 8 * kStretch), file_of('c', 8 * kStretch)};
  const auto engine = open_uring_engine({{"store", fds[0], false, {fds[1], fds[2]}}}, 8);
  std::string letters;
  for (std::size_t stretch = 0; stretch < 8; ++stretch) {
    letters += letter_at(*engine, stretch * kStretch);
    EXPECT_EQ(letters.back(), letter_at(*engine, stretch * kStretch + kStretch - 4096));
  }
  EXPECT_EQ(letters, "abcabcab");
  for (const int fd : fds) ::close(fd);
}

}  // namespace
}  // namespace graphrun::test
