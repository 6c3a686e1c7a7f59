// SPDX-License-Identifier: Apache-2.0
// Text compressed with each of the formats: whole, in several members, cut off, damaged.
#include <array>

#include "io/io_fixture.hpp"
#include "io/text_source.hpp"

namespace graphrun::test {
namespace {

using namespace std::string_literals;

const std::string kText = "0 1\n1 2\n";
constexpr std::size_t kMagicBytes = 10;  // of bzip2, the longest

struct Compressed {
  const char* name;
  std::string bytes;  ///< kText in one member
};

const std::array kCompressed = {
    Compressed{"gzip", gzipped(kText)},
    Compressed{"zstd", "\x28\xb5\x2f\xfd\x04\x58\x41\x00\x00\x30\x20\x31\x0a\x31\x20\x32\x0a\x50\xbb\xb4\x4b"s},
    Compressed{"xz",
               "\xfd\x37\x7a\x58\x5a\x00\x00\x04\xe6\xd6\xb4\x46\x02\x00\x21\x01\x16\x00\x00\x00\x74\x2f\xe5\xa3\x01\x00\x07\x30"
               "\x20\x31\x0a\x31\x20\x32\x0a\x00\xa7\x40\x85\x06\xe0\x84\xaa\x34\x00\x01\x20\x08\xbb\x19\xd9\xbb\x1f\xb6\xf3\x7d"
               "\x01\x00\x00\x00\x00\x04\x59\x5a"s},
    Compressed{"bzip2",
               "\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\xff\xa0\x41\x00\x00\x00\x02\x58\x00\x00\x10\x40\x00\x70\x00\x20\x00"
               "\x22\x1e\x8d\x06\x68\x15\x2a\x18\x5d\xc9\x14\xe1\x42\x43\xfe\x81\x04\x00"s},
};

class DecoderTest : public IoTest, public ::testing::WithParamInterface<std::size_t> {
 protected:
  void SetUp() override {
    IoTest::SetUp();
    try {
      open_text(write("probe", one().bytes));
    } catch (const UnavailableError& missing) {
      EXPECT_CONTAINS(missing.what(), "built without: decompress it first");
      GTEST_SKIP() << missing.what();
    }
  }

  static const Compressed& one() { return kCompressed[GetParam()]; }

  std::string text_of(const std::string& bytes) {
    const io::Text text = open_text(write("t", bytes));
    return {text.begin(), text.end()};
  }
  std::string fault(const std::string& bytes) {
    return error_of<DataError>([&] { text_of(bytes); });
  }
};

TEST_P(DecoderTest, ReadsMembersAndPadding) {
  EXPECT_EQ(text_of(one().bytes), kText);
  EXPECT_EQ(text_of(one().bytes + one().bytes), kText + kText);
  EXPECT_EQ(text_of(one().bytes + std::string(8, '\0') + one().bytes + std::string(4, '\0')), kText + kText);
  EXPECT_STREQ(io::compression_of_file(path("t")), one().name);
}

TEST_P(DecoderTest, CutAnywhereItIsTruncated) {
  const std::string truncated = "the "s + one().name + " data is truncated";
  for (std::size_t kept = 4; kept < one().bytes.size(); kept += 3) {
    EXPECT_TRUE(contains(fault(one().bytes.substr(0, kept)), truncated)) << kept;
  }
  EXPECT_CONTAINS(fault(one().bytes + one().bytes.substr(0, one().bytes.size() - 1)), truncated);
}

TEST_P(DecoderTest, WithABitFlippedItIsRefusedOrTheSame) {
  for (std::size_t i = kMagicBytes; i < one().bytes.size(); i += 3) {
    std::string flipped = one().bytes;
    flipped[i] ^= 4;
    try {
      EXPECT_EQ(text_of(flipped), kText) << "byte " << i;  // a byte that says nothing, such as gzip's system
    } catch (const DataError& refused) {
      EXPECT_TRUE(contains(refused.what(), "t: the "s + one().name + " data is ")) << i;
    }
  }
}

TEST_P(DecoderTest, NothingElseMayFollow) {
  EXPECT_CONTAINS(fault(one().bytes + "junk"), "bytes after the end of the "s + one().name + " data");
  const Compressed& other = kCompressed[(GetParam() + 1) % kCompressed.size()];
  EXPECT_CONTAINS(fault(one().bytes + other.bytes), "bytes after the end");
}

// It was called corrupted.
TEST_P(DecoderTest, WhatNeedsMoreMemoryThanIsGivenIsNotCalledCorrupted) {
  std::string large = one().bytes;
  if (one().name == "zstd"s) {
    large[5] = '\xa8';  // a window of 2 GiB: --long=31
  } else if (one().name == "xz"s) {
    large.replace(16, 8, "\x22\0\0\0\x82\x40\xac\xdc"s);  // a dictionary of 512 MiB, and the sum of the header
  } else {
    return;  // needs little memory
  }
  EXPECT_CONTAINS(error_of<RunError>([&] { text_of(large); }), "t: the "s + one().name + " data needs more than ");
}

INSTANTIATE_TEST_SUITE_P(Formats, DecoderTest, ::testing::Range(std::size_t{0}, kCompressed.size()),
                         [](const auto& chosen) { return kCompressed[chosen.param].name; });

TEST(Compression, TextMayBeginLikeBzip2) {
  const auto compression = [](std::string_view text) { return io::compression_of(std::as_bytes(std::span(text))); };
  EXPECT_EQ(compression("BZh1 BZh2\n"), nullptr);
  EXPECT_EQ(compression("BZ"), nullptr);
  EXPECT_STREQ(compression("BZh91AY"), "bzip2");
}

}  // namespace
}  // namespace graphrun::test
