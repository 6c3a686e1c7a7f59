// SPDX-License-Identifier: Apache-2.0
// Parts of a container: what they hold of it, and what is found missing.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "graphrun/core/checksum.hpp"
#include "io/native_layout.hpp"
#include "run/cli.hpp"

namespace graphrun::test {
namespace {

using Parts = CliTest;

/// Replaces bytes of a part, and its checksums by those that fit.
void forge_part(const std::string& part, std::size_t at, const std::string& bytes) {
  std::string all = contents(part);
  all.replace(at, bytes.size(), bytes);
  const auto put_checksum = [&](std::size_t where, std::string_view of) {
    Checksum sum;
    sum.add(of.data(), of.size());
    const std::uint64_t value = sum.value();
    std::memcpy(all.data() + where, &value, sizeof(value));
  };
  put_checksum(48, std::string_view(all).substr(4096));
  std::uint32_t header_bytes = 0;
  std::memcpy(&header_bytes, all.data() + 12, sizeof(header_bytes));
  std::memset(all.data() + 56, 0, 8);
  put_checksum(56, std::string_view(all).substr(0, header_bytes));
  std::ofstream(part, std::ios::binary) << all;
}

// Parts had holes where a container has records, and sssp read those as arcs of weight 0 to vertex 0: a wrong answer, and exit
// code 0.
TEST_F(Parts, PartsHaveTheRecordsOfTheirContainer) {
  ASSERT_EQ(graphconv("kron:12:16 " + path("r.grf") + " --weights random:1 --sort weight").code, 0);
  const std::string parts = path("p0") + "," + path("p1");
  ASSERT_EQ(graphconv("stripe " + path("r.grf") + " --parts " + parts + " --unit 4KiB").code, 0);
  const Said said = graphconv(fmt::format("check {} {}", path("p0"), path("p1")));
  EXPECT_NE(said.out.find("all edges of their container"), std::string::npos) << said.out;
  const std::string run = path("r.grf") + " --algo sssp --backend bam --verify";
  const nlohmann::json whole = json_of(run);
  EXPECT_EQ(whole["variant"], "prefix");
  const nlohmann::json dealt_out = json_of(run + " --stripe " + parts);
  EXPECT_EQ(dealt_out["trials"][0]["verdict"], "verified");
  EXPECT_EQ(dealt_out["result"], whole["result"]);
}

TEST_F(Parts, PartsThatLackEdgesAreFound) {
  ASSERT_EQ(graphconv("kron:12:16 " + path("r.grf") + " --weights random:1 --sort weight").code, 0);
  const std::string parts = path("p0") + "," + path("p1");
  ASSERT_EQ(graphconv("stripe " + path("r.grf") + " --parts " + parts).code, 0);
  forge_part(path("p1"), std::filesystem::file_size(path("p1")) - 5000, std::string(100, '\0'));
  EXPECT_EQ(graphconv("check " + path("p1")).code, 0);  // by itself it is sound
  const Said said = graphconv(fmt::format("check {} {} --quiet", path("p0"), path("p1")));
  EXPECT_EQ(said.code, 1);
  EXPECT_NE(said.err.find("the parts lack edges of their container"), std::string::npos) << said.err;
  expect_error(path("r.grf") + " --algo sssp --backend bam --stripe " + parts, 1, "the parts lack edges of their container");
}

// Of one container in two and in three parts the sets were mixed, and parts that fit were said to lack edges.
TEST_F(Parts, SetsOfPartsAreToldApartByTheirCounts) {
  ASSERT_EQ(graphconv("kron:12:16 " + path("r.grf")).code, 0);
  ASSERT_EQ(graphconv(fmt::format("stripe {} --parts {},{}", path("r.grf"), path("a0"), path("a1"))).code, 0);
  ASSERT_EQ(graphconv(fmt::format("stripe {} --parts {},{},{}", path("r.grf"), path("b0"), path("b1"), path("b2"))).code, 0);
  const auto check = [&](const std::string& names) {
    const Said said = graphconv("check " + names);
    EXPECT_EQ(said.code, 0) << said.err;
    return said.out;
  };
  const std::string mixed = check(path("a0") + " " + path("b1"));
  for (const std::string& line : {path("a0") + ": 1 of the 2 parts of a container", path("b1") + ": 1 of the 3 parts"})
    EXPECT_NE(mixed.find(line), std::string::npos) << mixed;
  const std::string all = check(fmt::format("{} {} {} {} {}", path("b0"), path("b1"), path("b2"), path("a0"), path("a1")));
  EXPECT_NE(all.find(fmt::format("{}, {}: all edges of their container", path("a0"), path("a1"))), std::string::npos) << all;
  EXPECT_NE(all.find(fmt::format("{}, {}, {}: all edges", path("b0"), path("b1"), path("b2"))), std::string::npos) << all;
}

TEST_F(Parts, SectionsWithoutChecksumsWereCalledChecked) {
  ASSERT_EQ(graphconv("kron:10:8 " + path("r.grf")).code, 0);
  std::string bytes = contents(path("r.grf"));
  std::uint32_t sections = 0;
  std::memcpy(&sections, bytes.data() + offsetof(io::FileHeader, num_sections), sizeof(sections));
  std::memset(bytes.data() + offsetof(io::FileHeader, checksum), 0, sizeof(io::FileHeader::checksum));
  for (std::uint32_t i = 0; i < sections; ++i) {
    char* const entry = bytes.data() + sizeof(io::FileHeader) + i * sizeof(io::SectionEntry);
    std::memset(entry + offsetof(io::SectionEntry, checksum_kind), 0, sizeof(io::SectionEntry::checksum_kind));
  }
  write("r.grf", bytes);
  ASSERT_EQ(graphconv(fmt::format("stripe {} --parts {}", path("r.grf"), path("p"))).code, 0);
  const Said said = graphconv("check " + path("p"));
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.out.find("sections of their container carry no checksum and were not checked"), std::string::npos) << said.out;
  EXPECT_EQ(said.out.find("all edges"), std::string::npos) << said.out;
}

TEST_F(Parts, PartsOfTheVersionThatLeftRecordsOutAreRefused) {
  ASSERT_EQ(graphconv("kron:10:8 " + path("k.grf")).code, 0);
  ASSERT_EQ(graphconv("stripe " + path("k.grf") + " --parts " + path("p")).code, 0);
  forge_part(path("p"), 8, std::string("\x01\0\0\0", 4));
  expect_graphconv_error("check " + path("p"), 1, "version 1 of a part, and this program reads version 2");
  expect_error(path("k.grf") + " --algo bfs --backend bam --trust-file --stripe " + path("p"), 1,
               "make the parts anew with graphconv stripe");
}

}  // namespace
}  // namespace graphrun::test
