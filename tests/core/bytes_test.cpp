// SPDX-License-Identifier: Apache-2.0

#include "graphrun/core/bytes.hpp"

#include <gtest/gtest.h>

#include "graphrun/core/error.hpp"

namespace graphrun {
namespace {

TEST(Bytes, ParsesEverySpelling) {
  EXPECT_EQ(parse_bytes("0"), 0u);
  EXPECT_EQ(parse_bytes("4096"), 4096u);
  EXPECT_EQ(parse_bytes("12B"), 12u);
  for (const char* text : {"4K", "4k", "4KB", "4KiB", "4kiB", "4kb", "4 kb", "4 KiB"})
    EXPECT_EQ(parse_bytes(text), 4096u) << text;
  EXPECT_EQ(parse_bytes("3M"), 3u << 20);
  EXPECT_EQ(parse_bytes("1gb"), std::uint64_t{1} << 30);
  EXPECT_EQ(parse_bytes("512m"), 512u << 20);
  EXPECT_EQ(parse_bytes("1.5GiB"), std::uint64_t{3} << 29);
  EXPECT_EQ(parse_bytes("2T"), std::uint64_t{2} << 40);
}

TEST(Bytes, RefusesWhatIsNotASize) {
  for (const char* text : {"", " ", "x", "K", "-1", "1e3", "4  KiB", "4 ", " 4K", "4KiBs", "4Ki", "4X", "4BB", "nan", "inf",
                           "0x10", "1,5G", "0.5"}) {
    EXPECT_THROW(parse_bytes(text), UsageError) << text;
  }
}

TEST(Bytes, RefusesSignsEvenOfZero) {
  for (const char* text : {"-0", "-0.0", "-0K", "+0", "+4096", "-", "+", "--1", "-nan"}) {
    EXPECT_THROW(parse_bytes(text), UsageError) << text;
  }
}

TEST(Bytes, RefusesOverflow) {
  EXPECT_THROW(parse_bytes("99999999999999999999"), UsageError);
  EXPECT_THROW(parse_bytes("8388608T"), UsageError);
  EXPECT_EQ(parse_bytes("4194304T"), std::uint64_t{1} << 62);
}

TEST(Bytes, FormatsThreeSignificantDigits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(4096), "4.00 KiB");
  EXPECT_EQ(format_bytes(std::uint64_t{3} << 29), "1.50 GiB");
  EXPECT_EQ(format_bytes(std::uint64_t{33} << 19), "16.5 MiB");
  EXPECT_EQ(format_bytes(std::uint64_t{139} << 30), "139 GiB");
}

}  // namespace
}  // namespace graphrun
