// SPDX-License-Identifier: Apache-2.0
// Graphs in tar and zip archives: which member is read, and what damage says.
#include "io/archive.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <span>
#include <utility>

#include "graphrun/graph/build.hpp"
#include "graphrun/io/estimate.hpp"
#include "graphrun/io/load.hpp"
#include "io/io_fixture.hpp"

namespace graphrun::test {
namespace {

using Members = std::vector<std::pair<std::string, std::string>>;

const std::string kMatrix = "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n";
const std::string kList = "0 1\n1 2\n2 3\n";

std::string tar_of(const Members& members) {
  constexpr std::size_t kBlock = 512;
  std::string tar;
  for (const auto& [name, content] : members) {
    std::string header(kBlock, '\0');
    header.replace(0, name.size(), name);
    char size[12];
    std::snprintf(size, sizeof(size), "%011zo", content.size());
    header.replace(100, 7, "0000644").replace(108, 7, "0000000").replace(116, 7, "0000000");
    header.replace(124, 11, size).replace(136, 11, "00000000000");
    header[156] = name.ends_with('/') ? '5' : '0';
    header.replace(257, 5, "ustar").replace(263, 2, "00");
    header.replace(148, 8, 8, ' ');
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    char digits[8];
    std::snprintf(digits, sizeof(digits), "%06o", sum);
    header.replace(148, 7, std::string(digits, 6) + '\0');
    tar += header + content + std::string((kBlock - content.size() % kBlock) % kBlock, '\0');
  }
  return tar + std::string(2 * kBlock, '\0');
}

std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

/// Members are stored, by compression `method` 0.
std::string zip_of(const Members& members, std::uint32_t method = 0) {
  std::string zip, directory;
  for (const auto& [name, content] : members) {
    const auto sum =
        static_cast<std::uint32_t>(::crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())));
    const auto size = static_cast<std::uint32_t>(content.size());
    const std::string facts = little_endian(20, 2) + little_endian(0, 2) + little_endian(method, 2) + little_endian(0, 4) +
                              little_endian(sum, 4) + little_endian(size, 4) + little_endian(size, 4) +
                              little_endian(static_cast<std::uint32_t>(name.size()), 2) + little_endian(0, 2);
    directory += "PK\1\2" + little_endian(20, 2) + facts + little_endian(0, 6) + little_endian(0, 4) +
                 little_endian(static_cast<std::uint32_t>(zip.size()), 4) + name;
    zip += "PK\3\4" + facts + name + content;
  }
  const auto count = static_cast<std::uint32_t>(members.size());
  const std::string end = "PK\5\6" + little_endian(0, 4) + little_endian(count, 2) + little_endian(count, 2) +
                          little_endian(static_cast<std::uint32_t>(directory.size()), 4) +
                          little_endian(static_cast<std::uint32_t>(zip.size()), 4) + little_endian(0, 2);
  return zip + directory + end;
}

class ArchiveTest : public IoTest {
 protected:
  void SetUp() override {
    IoTest::SetUp();
    try {
      load(write("probe.zip", zip_of({{"g.el", kList}})));
    } catch (const UnavailableError& missing) {
      EXPECT_CONTAINS(missing.what(), "unzip -p");
      GTEST_SKIP() << missing.what();
    }
  }

  Loaded load(const std::string& spec) { return load_graph(spec, {}, pool); }
  /// "FORMAT NAME VERTICES".
  std::string found(const std::string& spec) {
    const Loaded loaded = load(spec);
    return loaded.format + " " + loaded.graph.name + " " + std::to_string(loaded.graph.num_vertices());
  }
  std::string fault(const std::string& spec) {
    return error_of<DataError>([&] { load(spec); });
  }
};

TEST_F(ArchiveTest, SuiteSparseShipsTheMatrixInAFolderOfItsName) {
  const Members members = {{"web/", ""}, {"web/web_b.mtx", "junk"}, {"web/web.mtx", kMatrix}, {"web/web_coord.mtx", "junk"}};
  EXPECT_EQ(found(write("web.tar", tar_of(members))), "MatrixMarket web 3");
  EXPECT_EQ(found(write("web.tar.gz", gzipped(tar_of(members)))), "MatrixMarket web 3");
  EXPECT_EQ(found(write("web.tgz", gzipped(tar_of(members)))), "MatrixMarket web 3");
}

TEST_F(ArchiveTest, NetworkRepositoryShipsTheGraphBesideAPageAndLabels) {
  const Members members = {{"readme.html", "<html>"}, {"soc.node_labels", "1\n"}, {"soc.edges", kList}};
  EXPECT_EQ(found(write("SOC.zip", zip_of(members))), "edge list soc 4");
}

TEST_F(ArchiveTest, KonectShipsOneGraphAmongDescriptions) {
  const Members members = {{"a/meta.a", "name: a"}, {"a/out.a", "% sym\n" + kList}, {"a/README.a", "text"}};
  EXPECT_EQ(found(write("download.tsv.a.tar.gz", gzipped(tar_of(members)))), "edge list out.a 4");
}

TEST_F(ArchiveTest, TheOnlyFileIsTheGraphUnderAnyName) {
  EXPECT_EQ(found(write("x.zip", zip_of({{"data", kList}}))), "edge list data 4");
}

TEST_F(ArchiveTest, OfSeveralGraphsNoneIsTaken) {
  const std::string archive =
      write("ego.tar.gz", gzipped(tar_of({{"ego/0.edges", kList}, {"ego/1.edges", "5 6\n"}, {"ego/0.feat", "1"}})));
  EXPECT_CONTAINS(fault(archive), "is a tar archive of 3 files: name the one that is the graph, such as " + archive +
                                      ":ego/0.edges (it holds ego/0.edges, ego/1.edges)");
  EXPECT_EQ(found(archive + ":ego/0.edges"), "edge list 0 4");
  EXPECT_CONTAINS(fault(archive + ":ego/2.edges"),
                  "ego/2.edges: the tar archive has no such file; it holds ego/0.edges, ego/1.edges, ego/0.feat");
  EXPECT_CONTAINS(fault(write("none.zip", zip_of({}))), "is a zip archive without files");
  EXPECT_CONTAINS(fault(write("a.el", kList) + ":b"), "there is no such file, and");
}

TEST_F(ArchiveTest, FaultsNameTheLineOfTheMember) {
  EXPECT_CONTAINS(fault(write("w.zip", zip_of({{"w.mtx", kMatrix + "9 9\n"}}))), "w.zip:w.mtx:5: ");
}

TEST_F(ArchiveTest, WindowsAndEstimatesAreThoseOfTheText) {
  std::string list;
  for (int i = 0; i < 40000; ++i) list += std::to_string(i) + " " + std::to_string(i + 1) + "\n";
  const std::string archive = write("path.tar.gz", gzipped(tar_of({{"path.el", list}, {"path.md", "x"}})));
  EXPECT_EQ(load(archive).graph.num_edges(), 40000u);
  const Workspace space = Workspace::on_disk(directory.string(), std::size_t{1} << 20);
  EXPECT_EQ(load_graph(archive, {}, pool, space).graph.num_edges(), 40000u);
  const LoadEstimate estimate = estimate_load(archive, {});
  EXPECT_NEAR(static_cast<double>(estimate.arcs), 40000, 4000);
}

TEST_F(ArchiveTest, CutOrDamagedItIsRefused) {
  std::string list;
  for (int i = 0; i < 3000; ++i) list += std::to_string(i * 7919 % 3001) + " " + std::to_string(i) + "\n";
  const std::string tar = tar_of({{"c/c.el", list}});
  const std::string packed = gzipped(tar);
  for (const std::size_t kept : {std::size_t{600}, std::size_t{5000}, list.size()}) {
    EXPECT_CONTAINS(fault(write("c.tar", tar.substr(0, kept))), "the tar archive is damaged");
  }
  for (const std::size_t kept : {packed.size() / 2, packed.size() - 1}) {
    EXPECT_CONTAINS(fault(write("c.tar.gz", packed.substr(0, kept))), "the gzip data is truncated");
  }
  std::string flipped = packed;
  flipped[flipped.size() - 6] ^= 1;  // its checksum, behind the text
  EXPECT_CONTAINS(fault(write("c.tar.gz", flipped)), "the gzip data is corrupted");
  std::string zip = zip_of({{"c.el", list}});
  zip[2000] ^= 1;
  EXPECT_CONTAINS(fault(write("c.zip", zip)), "the zip archive is damaged");
}

TEST_F(ArchiveTest, OnlyDeflatedTextIsReadOutOfArchives) {
  EXPECT_CONTAINS(error_of<UnavailableError>([&] {
                    load(write("l.zip", zip_of({{"l.el", kList}}, 14)));
                  }),
                  "only deflate is read");
  EXPECT_CONTAINS(fault(write("b.zip", zip_of({{"b.sg", std::string("\1\0\0\2", 4)}}))),
                  "holds no text: only text is read out of an archive");
}

// Size and end of a tar archive are alike for many contents: the member of the archive before was read again.
TEST_F(ArchiveTest, AnArchiveThatWasReplacedWasReadAsTheOneBefore) {
  const std::string archive = write("h.tar", tar_of({{"a.txt", kList}, {"README", "text"}}));
  EXPECT_EQ(found(archive), "edge list a 4");
  const auto before = std::filesystem::last_write_time(archive);
  write("h.tar", tar_of({{"a.txt", kList}, {"h.mtx", kMatrix}}));
  std::filesystem::last_write_time(archive, before + std::chrono::milliseconds(1));
  EXPECT_EQ(found(archive), "MatrixMarket h 3");
  EXPECT_EQ(found(archive + ":a.txt"), "edge list a 4");
}

// The member that holds the graph was cut off, and the one before it was read.
TEST_F(ArchiveTest, AnArchiveCutBetweenMembersWasAnotherGraph) {
  const std::string whole = tar_of({{"aux.txt", kList}, {"web.mtx", kMatrix}});
  for (const std::string& cut : {whole.substr(0, 1024), whole.substr(0, 2048)}) {
    const std::string sentence = "the tar archive is cut off: no blocks of zeros end it";
    EXPECT_CONTAINS(fault(write("web.tar", cut)), sentence);
    EXPECT_CONTAINS(fault(path("web.tar") + ":aux.txt"), sentence);
    EXPECT_CONTAINS(fault(write("web.tgz", gzipped(cut))), sentence);
  }
  EXPECT_EQ(found(write("web.tar", whole.substr(0, 2048 + 512))), "MatrixMarket web 3") << "one block of zeros is enough";
}

TEST_F(ArchiveTest, TarOfTheSeventiesWasNoArchive) {
  std::string old = tar_of({{"web.mtx", kMatrix}});
  unsigned sum = 0;
  old.replace(257, 8, 8, '\0');
  for (std::size_t i = 0; i < 512; ++i) sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(old[i]);
  old.replace(148, 8, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
  EXPECT_EQ(found(write("web.tar", old)), "MatrixMarket web 3");
  EXPECT_EQ(found(write("web.tar.gz", gzipped(old))), "MatrixMarket web 3");
}

// A compressed archive was decompressed seven times, for each question about its member.
TEST_F(ArchiveTest, QuestionsAboutAMemberWereReadAnewEachTime) {
  const std::string whole = gzipped(tar_of({{"labels", std::string(4096, 'x')}, {"web.el", kList}}));
  const std::string archive = write("web.tgz", whole);
  const auto head_of = [&](const std::string& bytes) {
    return io::find_member(archive, std::as_bytes(std::span(bytes)))->head;
  };
  EXPECT_EQ(head_of(whole), kList);
  std::string damaged = whole;
  damaged[damaged.size() - 6] ^= 1;  // nobody looks
  EXPECT_EQ(head_of(damaged), kList);
  EXPECT_EQ(io::find_member(archive + ":web.el", std::as_bytes(std::span(damaged)))->bytes, kList.size());
}

}  // namespace
}  // namespace graphrun::test
