// SPDX-License-Identifier: Apache-2.0
// Which requests a load makes of the sectors that it wants of a line.
#include "graphrun/view/link_requests.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace graphrun::test {
namespace {

/// "3" for 96 bytes that begin on the line, "3+" for 96 bytes that do not, in ascending order of size.
std::string requests_of(unsigned sectors) {
  RequestCounts<unsigned> counts;
  counts.add_line(sectors);
  std::string text;
  for (int i = 0; i < kLineSectors; ++i) {
    for (unsigned k = 0; k < counts.aligned[i]; ++k) text += std::to_string(i + 1) + " ";
    for (unsigned k = 0; k < counts.misaligned[i]; ++k) text += std::to_string(i + 1) + "+ ";
  }
  return text;
}

TEST(LinkRequests, SectorsThatFollowEachOtherAreOneRequest) {
  // All that a line can be asked for; the lowest bit is the sector at the line's beginning.
  const std::vector<std::string> of = {"",    "1 ",    "1+ ",    "2 ",    "1+ ", "1 1+ ", "2+ ", "3 ",
                                       "1+ ", "1 1+ ", "1+ 1+ ", "1+ 2 ", "2+ ", "1 2+ ", "3+ ", "4 "};
  for (unsigned sectors = 0; sectors < 16; ++sectors) EXPECT_EQ(requests_of(sectors), of[sectors]) << sectors;
}

TEST(LinkRequests, EachSectorIsInExactlyOneRequest) {
  for (unsigned sectors = 0; sectors < 16; ++sectors) {
    RequestCounts<unsigned> counts;
    counts.add_line(sectors);
    EXPECT_EQ(counts.bytes(), 32u * static_cast<unsigned>(__builtin_popcount(sectors))) << sectors;
    EXPECT_EQ(counts.begun_on_line(), sectors & 1u) << sectors;
    EXPECT_EQ(counts.misaligned[kLineSectors - 1], 0u) << sectors;
  }
}

TEST(LinkRequests, HistogramsAddUp) {
  LinkRequests all;
  RequestCounts<unsigned> some;
  some.add_line(0b1111);
  some.add_line(0b1110);
  some.add_line(0b0101);
  all += some;
  all += some;
  EXPECT_EQ(all.of_size(1), 4u);
  EXPECT_EQ(all.of_size(2), 0u);
  EXPECT_EQ(all.of_size(3), 2u);
  EXPECT_EQ(all.of_size(4), 2u);
  EXPECT_EQ(all.total(), 8u);
  EXPECT_EQ(all.begun_on_line(), 4u);
  EXPECT_EQ(all.bytes(), 2u * (128 + 96 + 64));
}

}  // namespace
}  // namespace graphrun::test
