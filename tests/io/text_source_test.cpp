// SPDX-License-Identifier: Apache-2.0

#include "io/text_source.hpp"

#include <unistd.h>

#include "graphrun/io/readers.hpp"
#include "io/io_fixture.hpp"

namespace graphrun::test {
namespace {

class TextSourceTest : public IoTest {
 protected:
  std::string fault(const std::string& name) {
    return error_of<DataError>([&] { open_text(path(name)); });
  }
  std::string text_of(const std::string& name) {
    const io::Text text = open_text(path(name));
    return {text.begin(), text.end()};
  }
};

/// Text that does not compress to nothing.
std::string noisy_text(std::size_t lines) {
  std::string text;
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < lines; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    text += std::to_string(state >> 44) + " " + std::to_string(state >> 40 & 0xfffff) + "\n";
  }
  return text;
}

TEST_F(TextSourceTest, GzipGrowsAsFarAsItMust) {
  const std::string compressible(5'000'000, ' ');  // a thousand times its compressed size
  write("blank.gz", gzipped(compressible));
  EXPECT_EQ(text_of("blank.gz"), compressible);
  const std::string noisy = noisy_text(100000);
  write("noisy.gz", gzipped(noisy));
  EXPECT_EQ(text_of("noisy.gz"), noisy);
}

TEST_F(TextSourceTest, GzipOfSeveralMembersAndPadding) {
  write("two.gz", gzipped("0 1\n") + gzipped("1 2\n") + std::string(100, '\0'));
  EXPECT_EQ(text_of("two.gz"), "0 1\n1 2\n");
}

TEST_F(TextSourceTest, DamagedGzip) {
  const std::string whole = gzipped(noisy_text(1000));
  for (const std::size_t kept : {whole.size() - 1, whole.size() - 8, whole.size() / 2, std::size_t{10}, std::size_t{2}}) {
    write("cut.gz", whole.substr(0, kept));
    EXPECT_CONTAINS(fault("cut.gz"), "cut.gz: the gzip data is truncated");
  }
  std::string flipped = whole;
  flipped[flipped.size() - 6] ^= 1;  // the checksum
  write("flipped.gz", flipped);
  EXPECT_CONTAINS(fault("flipped.gz"), "flipped.gz: the gzip data is corrupted near byte");
  write("tail.gz", whole + "junk");
  EXPECT_CONTAINS(fault("tail.gz"), "bytes after the end of the gzip data");
  write("header.gz", std::string("\x1f\x8b\x07\x00junkjunkjunk", 16));
  EXPECT_CONTAINS(fault("header.gz"), "corrupted");
}

TEST_F(TextSourceTest, WhatIsNoReadableFile) {
  EXPECT_CONTAINS(fault("missing.mtx"), "missing.mtx: No such file");
  std::filesystem::create_directory(path("folder"));
  EXPECT_CONTAINS(fault("folder"), "folder is a directory");
  write("empty", "");
  EXPECT_CONTAINS(fault("empty"), "empty is empty");
  write("empty.gz", gzipped(""));
  EXPECT_CONTAINS(fault("empty.gz"), "empty.gz is empty");
  EXPECT_CONTAINS(error_of<DataError>([] { open_text("/dev/zero"); }), "not a regular file");
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  std::filesystem::permissions(write("secret", "0 1\n"), std::filesystem::perms::none);
  EXPECT_CONTAINS(fault("secret"), "secret: Permission denied");
}

TEST_F(TextSourceTest, LineNumbers) {
  write("t", "a\n\nb");
  const io::Text text = open_text(path("t"));
  EXPECT_EQ(io::line_number(text, 0), 1u);
  EXPECT_EQ(io::line_number(text, 2), 2u);
  EXPECT_EQ(io::line_number(text, 3), 3u);
  EXPECT_EQ(io::line_number(text, 99), 3u);
}

class SniffTest : public IoTest {
 protected:
  FileFormat sniff(const std::string& content) { return sniff_format(write("f", content)); }
  std::string fault(const std::string& content) {
    return error_of<DataError>([&] { sniff(content); });
  }
};

TEST_F(SniffTest, TellsFormatsByContent) {
  const std::string matrix = "%%MatrixMarket matrix coordinate pattern general\n1 1 0\n";
  EXPECT_EQ(sniff(matrix), FileFormat::matrix_market);
  EXPECT_EQ(sniff(gzipped(matrix)), FileFormat::matrix_market);
  EXPECT_EQ(sniff("# c\xc3\xa9\n% c\n\n 0 1\n"), FileFormat::edge_list);
  EXPECT_EQ(sniff("-1 1\n"), FileFormat::edge_list);  // whose reader then says what is wrong
  EXPECT_EQ(sniff(gzipped("0 1\n")), FileFormat::edge_list);
  EXPECT_EQ(sniff("#" + std::string(200000, 'x') + "\n0 1\n"), FileFormat::edge_list);
}

TEST_F(SniffTest, MatrixMarketWithAWrongBannerWasReadAsAnEdgeList) {
  const std::string size = " matrix coordinate pattern general\n3 3 1\n1 2\n";
  EXPECT_EQ(sniff("%%matrixmarket" + size), FileFormat::matrix_market);
  EXPECT_EQ(sniff("%%MATRIXMARKET" + size), FileFormat::matrix_market);
  const std::string wanted = " instead of '%%MatrixMarket matrix coordinate FIELD SYMMETRY'";
  EXPECT_CONTAINS(fault("%MatrixMarket" + size), "begins with '%MatrixMarket'" + wanted);
  EXPECT_CONTAINS(fault("# matrixmarket" + size), "begins with '#'" + wanted);
  EXPECT_CONTAINS(fault("\n%%MatrixMarket" + size), "begins with a blank line" + wanted);
  EXPECT_CONTAINS(fault(" %%MatrixMarket" + size), "begins with a blank" + wanted);
  for (const char* name : {"m.mtx", "m.mtx.gz"}) {
    const std::string file = write(name, "3 3 1\n1 2\n");
    EXPECT_CONTAINS(error_of<DataError>([&] { sniff_format(file); }), "begins with '3'" + wanted);
    EXPECT_CONTAINS(error_of<DataError>([&] { sniff_format(file, true); }), "say --format el if every line is an edge");
  }
  EXPECT_EQ(sniff("# from a MatrixMarket file\n0 1\n"), FileFormat::edge_list);
}

TEST_F(SniffTest, RefusesEverythingElse) {
  const std::string neither = "is in none of the formats that can be read";
  EXPECT_CONTAINS(fault("hello\n"), neither);
  EXPECT_CONTAINS(fault(std::string("1 2\n\0\1\2", 7)), neither);
  EXPECT_CONTAINS(fault("\x7f"
                        "ELF\x02\x01\x01"),
                  neither);
  EXPECT_CONTAINS(fault(gzipped("<html></html>")), neither);
  EXPECT_CONTAINS(fault("{\"nodes\": 3}"), neither);
}

}  // namespace
}  // namespace graphrun::test
