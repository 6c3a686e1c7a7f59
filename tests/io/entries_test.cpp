// SPDX-License-Identifier: Apache-2.0

#include "io/entries.hpp"

#include <thread>
#include <vector>

#include "io/io_fixture.hpp"
#include "io/text_cursor.hpp"

namespace graphrun::test {
namespace {

TEST(CutAtLines, PiecesAreWholeLinesAndLeaveNothingOut) {
  const std::string line = std::string(99, 'x') + "\n";
  std::string text;
  for (int i = 0; i < 30000; ++i) text += line;
  const char* begin = text.data();
  const auto bounds = io::cut_at_lines(begin, begin + text.size());
  EXPECT_EQ(bounds.size(), 4u);  // three million bytes in pieces of a mebibyte
  EXPECT_EQ(bounds.front(), begin);
  EXPECT_EQ(bounds.back(), begin + text.size());
  for (std::size_t i = 1; i < bounds.size(); ++i) {
    EXPECT_LT(bounds[i - 1], bounds[i]);
    EXPECT_EQ(bounds[i][-1], '\n');
  }
}

TEST(CutAtLines, ALineLongerThanAPieceStaysWhole) {
  const std::string text = std::string(std::size_t{3} << 20, 'x') + "\ny";
  const auto bounds = io::cut_at_lines(text.data(), text.data() + text.size());
  ASSERT_EQ(bounds.size(), 3u);
  EXPECT_EQ(*bounds[1], 'y');
}

TEST(CutAtLines, NothingIsOneEmptyPiece) {
  const std::string text;
  const auto bounds = io::cut_at_lines(text.data(), text.data());
  ASSERT_EQ(bounds.size(), 2u);
  EXPECT_EQ(bounds[0], bounds[1]);
}

class FaultLogTest : public IoTest {};

TEST_F(FaultLogTest, TheFirstOfTheTextIsRaisedWhoeverReportsIt) {
  std::string content;
  for (int i = 0; i < 1000; ++i) content += "line\n";
  const io::Text text = open_text(write("t", content));
  io::FaultLog faults(text);
  EXPECT_NO_THROW(faults.raise());
  EXPECT_FALSE(faults.precedes(text.end()));
  {
    std::vector<std::jthread> workers;
    for (int rank = 0; rank < 4; ++rank) {
      workers.emplace_back([&, rank] {
        for (int line = 990 + rank; line > 41; line -= 4) faults.report(text.begin() + 5 * line, std::to_string(line));
      });
    }
  }
  EXPECT_CONTAINS(error_of<DataError>([&] { faults.raise(); }), "t:43: 42");
  EXPECT_TRUE(faults.precedes(text.begin() + 5 * 43));
  EXPECT_FALSE(faults.precedes(text.begin() + 5 * 42));
}

TEST(CheckDensity, TheLimitIsOneMebiVertexAnd512AnEntry) {
  const auto refused = [](std::uint64_t n, std::uint64_t m) {
    try {
      io::check_density("sparse.el", n, m);
      return false;
    } catch (const DataError& error) {
      EXPECT_CONTAINS(std::string(error.what()), "sparse.el: ids too sparse");
      return true;
    }
  };
  constexpr std::uint64_t kFree = std::uint64_t{1} << 20;
  EXPECT_FALSE(refused(0, 0));
  EXPECT_FALSE(refused(kFree, 0));
  EXPECT_TRUE(refused(kFree + 1, 0));
  EXPECT_FALSE(refused(kFree + 512, 1));
  EXPECT_TRUE(refused(kFree + 513, 1));
  // 512 m is beyond 64 bits here.
  EXPECT_FALSE(refused(~std::uint64_t{0}, std::uint64_t{1} << 60));
}

}  // namespace
}  // namespace graphrun::test
