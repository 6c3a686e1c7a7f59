// SPDX-License-Identifier: Apache-2.0

#include "graphrun/graph/names.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "graphrun/core/thread_pool.hpp"

namespace graphrun {
namespace {

template <class T>
Column<T> column_of(const std::vector<T>& values) {
  auto column = Column<T>::allocate(values.size());
  std::copy(values.begin(), values.end(), column.data());
  return column;
}

VertexNames cities() {
  const std::string bytes = "BernZugChur";
  return VertexNames::strings(column_of<std::uint64_t>({0, 4, 7, 11}), column_of<char>({bytes.begin(), bytes.end()}));
}

TEST(VertexNames, AreTheIndicesUnlessTheInputSaysOtherwise) {
  const VertexNames names;
  EXPECT_TRUE(names.are_indices());
  EXPECT_EQ(names.text(7), "7");
  EXPECT_EQ(names.find("7", 8), VertexId{7});
  EXPECT_EQ(names.find("8", 8), std::nullopt);
  EXPECT_EQ(VertexNames::consecutive(0), names);
}

TEST(VertexNames, ConsecutiveNumbersBeginAnywhere) {
  const VertexNames names = VertexNames::consecutive(1);
  EXPECT_TRUE(names.are_consecutive());
  EXPECT_FALSE(names.are_indices());
  EXPECT_EQ(names.number(4), 5u);
  EXPECT_EQ(names.find("1", 5), VertexId{0});
  for (const char* none : {"0", "6", "", "one", "1x", "-1", "18446744073709551616"}) EXPECT_EQ(names.find(none, 5), std::nullopt);
}

TEST(VertexNames, NumbersUseAll64Bits) {
  constexpr auto kLargest = std::numeric_limits<std::uint64_t>::max();
  const VertexNames names = VertexNames::numbers(column_of<std::uint64_t>({kLargest, 3}));
  EXPECT_EQ(names.text(0), "18446744073709551615");
  EXPECT_EQ(names.find("18446744073709551615", 2), VertexId{0});
  EXPECT_EQ(names.find("0", 2), std::nullopt);
  EXPECT_EQ(names.text(2), "index:2");  // a wrong answer may name what is no vertex
}

TEST(VertexNames, StringsAreComparedWhole) {
  const VertexNames names = cities();
  EXPECT_TRUE(names.are_strings());
  EXPECT_EQ(names.text(1), "Zug");
  EXPECT_EQ(names.find("Chur", 3), VertexId{2});
  EXPECT_EQ(names.find("Chu", 3), std::nullopt);
  EXPECT_EQ(names.text(3), "index:3");
}

TEST(VertexNames, FollowVerticesThatChangePlaces) {
  ThreadPool pool(2);
  const std::vector<VertexId> order = {2, 0, 1};
  EXPECT_EQ(VertexNames::consecutive(1).reordered(order, pool), VertexNames::numbers(column_of<std::uint64_t>({3, 1, 2})));
  const VertexNames moved = cities().reordered(order, pool);
  EXPECT_EQ(moved.text(0) + moved.text(1) + moved.text(2), "ChurBernZug");
}

// With --trust-file the offsets may be anything.
TEST(VertexNames, DamagedOffsetsAreNotFollowed) {
  const VertexNames names =
      VertexNames::strings(column_of<std::uint64_t>({0, std::uint64_t{1} << 60, 2, 3}), column_of<char>({'a', 'b', 'c'}));
  EXPECT_EQ(names.text(0), "index:0");
  EXPECT_EQ(names.text(1), "index:1");
  EXPECT_EQ(names.text(2), "c");
  EXPECT_EQ(names.find("a", 3), std::nullopt);
  ThreadPool pool(1);
  const std::vector<VertexId> order = {2, 1, 0};
  EXPECT_EQ(names.reordered(order, pool).text(0), "c");
}

}  // namespace
}  // namespace graphrun
