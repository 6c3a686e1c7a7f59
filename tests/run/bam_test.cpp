// SPDX-License-Identifier: Apache-2.0
// The backend bam through the command line, on the CPU.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <array>

#include "core/owned_fd.hpp"
#include "graphrun/transport/cached_pages.hpp"
#include "run/cli.hpp"
#include "support/sanitized.hpp"

namespace graphrun::test {
namespace {

class CliBam : public CliTest {
 protected:
  void expect_verified(const std::string& graph, const std::string& options) const {
    for (const char* algorithm : {"bfs", "sssp", "cc", "pagerank"}) {
      const auto result =
          json_of("--graph '" + graph + "' --backend bam --device cpu --threads 2 --cache 64KiB --verify --quiet --algo " +
                  algorithm + " " + options);
      EXPECT_EQ(result["verdict"], "verified") << algorithm << " on " << graph << " " << options;
      EXPECT_EQ(result["emulated"], options.find("ram:") != std::string::npos);
    }
  }
};

TEST_F(CliBam, AnswersAreRightFromAContainer) {
  ASSERT_EQ(graphconv("kron:10:8 '" + path("k.grf") + "' --weights random:1").code, 0);
  for (const char* options : {"", "--page 512", "--page 64KiB --cache 1MiB", "--storage ram:980pro",
                              "--storage ram:optane-p5800x:4 --page 64KiB --cache 1MiB", "--threads 1 --layout csr"}) {
    expect_verified(path("k.grf"), options);
  }
}

// Formats that align nothing used to be read from the wrong places.
TEST_F(CliBam, AnswersAreRightFromFilesWhoseColumnsLieAnywhere) {
  for (const char* format : {"bcsr", "galois", "liberator", "sg", "bel", "mtx"}) {
    const std::string graph = path(std::string("k.") + format);
    ASSERT_EQ(graphconv("kron:10:8 '" + graph + "' --to " + format).code, 0);
    expect_verified(graph, "--storage ram:unlimited");
  }
}

// The JSON had only what was asked for, and a pager may use less.
TEST_F(CliBam, TheJsonSaysHowManyQueuesAreUsed) {
  const std::string run = "--graph kron:8:8 --algo bfs --device cpu --threads 1 --quiet ";
  const auto bam = json_of(run + "--backend bam --storage ram:unlimited --queues 3 --queue-depth 100");
  EXPECT_EQ(bam["options"]["queue_depth"], 100);
  EXPECT_EQ(bam["placement"]["queues"], 3);
  EXPECT_EQ(bam["placement"]["queue_depth"], 128) << "depths are powers of two";
  EXPECT_TRUE(json_of(run + "--backend incore")["placement"]["queues"].is_null());
}

TEST_F(CliBam, AFullCacheIsReadThroughItsPagesOnRequest) {
  for (const char* algorithm : {"bfs", "sssp", "cc", "pagerank"}) {
    const auto result =
        json_of(std::string("--graph kron:10:8 --backend bam --device cpu --threads 2 --cache 1MiB --preload --verify "
                            "--storage ram:unlimited --bam-cache always --quiet --algo ") +
                algorithm);
    EXPECT_EQ(result["verdict"], "verified") << algorithm;
    EXPECT_EQ(result["trials"][0]["bytes_moved"], 0) << algorithm;
    EXPECT_EQ(result["options"]["bam_cache"], "always");
  }
}

TEST_F(CliBam, ReadsAreSpreadOverCopies) {
  ASSERT_EQ(graphconv("kron:12:8 '" + path("k.grf") + "' --weights random:1").code, 0);
  std::filesystem::copy(path("k.grf"), path("copy.grf"));
  expect_verified(path("k.grf"), "--stripe '" + path("copy.grf") + "," + path("copy.grf") + "'");
  const std::string run = "--graph '" + path("k.grf") + "' --algo bfs --backend bam --stripe ";
  ASSERT_EQ(graphconv("kron:12:8 '" + path("other.grf") + "' --weights random:2").code, 0);
  expect_error(run + "'" + path("other.grf") + "'", 2, "is no copy of");
  expect_error(run + "'" + path("none.grf") + "'", 1, "cannot open");
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  expect_error(run + "'" + path("pipe") + "'", 1, "pipe is not a regular file");  // and not a wait for its writer
  expect_error(run + "'" + directory_.string() + "'", 1, "is not a regular file");
  expect_error(run + "'" + path("copy.grf") + "' --storage ram:unlimited", 2, "does not go with");
  expect_error("--graph path:9 --algo bfs --backend bam --stripe '" + path("copy.grf") + "'", 2, "are in none");
}

TEST_F(CliBam, ReadsGoToThePartsOfAContainer) {
  ASSERT_EQ(graphconv("kron:12:8 '" + path("k.grf") + "' --weights random:1").code, 0);
  const std::string parts = path("p0") + "," + path("p1") + "," + path("p2");
  for (const char* unit : {"4KiB", "128KiB"}) {
    ASSERT_EQ(graphconv("stripe '" + path("k.grf") + "' --parts '" + parts + "' --unit " + unit).code, 0);
    const Said said = graphconv("check '" + path("p0") + "' '" + path("p1") + "' '" + path("p2") + "'");
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_NE(said.out.find("part 3 of 3"), std::string::npos) << said.out;
    for (const char* page : {"512", "4KiB"}) expect_verified(path("k.grf"), "--stripe '" + parts + "' --page " + page);
  }
}

TEST_F(CliBam, TheEdgesAreReadFromThePartsAlone) {
  ASSERT_EQ(graphconv("kron:12:8 '" + path("k.grf") + "'").code, 0);
  ASSERT_EQ(graphconv("stripe '" + path("k.grf") + "' --parts '" + path("p0") + "," + path("p1") + "'").code, 0);
  // Another edge in the container, which --trust-file does not look for and reads of the parts do not meet.
  std::fstream file(path("k.grf"), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-5000, std::ios::end);
  file.write("xxxx", 4);
  file.close();
  const std::string run = "--graph '" + path("k.grf") +
                          "' --trust-file --algo cc --backend bam --device cpu --threads 2 --cache 64KiB --json - --quiet";
  const auto before = nlohmann::json::parse(graphrun("--graph kron:12:8 --algo cc --json - --quiet").out);
  const auto after = nlohmann::json::parse(graphrun(run + " --stripe '" + path("p1") + "," + path("p0") + "'").out);
  ASSERT_TRUE(before.contains("result"));
  EXPECT_EQ(before["result"], after["result"]);
}

TEST_F(CliBam, PartsThatAreMixedOrForeignAreRefused) {
  ASSERT_EQ(graphconv("kron:10:8 '" + path("k.grf") + "'").code, 0);
  ASSERT_EQ(graphconv("kron:10:9 '" + path("other.grf") + "'").code, 0);
  const auto stripe = [&](const std::string& graph, const std::string& names, const std::string& unit) {
    return graphconv("stripe '" + path(graph) + "' --parts " + names + " --unit " + unit, "cd '" + directory_.string() + "' && ");
  };
  ASSERT_EQ(stripe("k.grf", "a0,a1", "4KiB").code, 0);
  ASSERT_EQ(stripe("k.grf", "b0,b1", "8KiB").code, 0);
  ASSERT_EQ(stripe("other.grf", "o0,o1", "4KiB").code, 0);
  const auto expect = [&](std::initializer_list<const char*> names, int code, const std::string& words) {
    std::string list;
    for (const char* name : names) list += (list.empty() ? "" : ",") + path(name);
    expect_error("--graph '" + path("k.grf") + "' --algo bfs --backend bam --stripe '" + list + "'", code, words);
  };
  expect_error("--graph '" + path("a1") + "' --algo bfs", 1, "a1 is part 2 of 2 of a container: name the container here");
  expect({"a0"}, 2, "is one of 2 parts, and 1 are named");
  expect({"a0", "a0"}, 2, "is the same part as");
  expect({"a0", "b1"}, 2, "they were made apart");
  expect({"a0", "o1"}, 2, "is no part of");
  expect({"a0", "k.grf"}, 2, "not both");
  std::filesystem::resize_file(path("a1"), std::filesystem::file_size(path("a1")) - 4096);
  expect({"a0", "a1"}, 1, "bytes belong in this part");
  EXPECT_EQ(graphconv("check '" + path("a1") + "'").code, 1);
}

TEST_F(CliBam, DamagedPartsAreFound) {
  ASSERT_EQ(graphconv("kron:10:8 '" + path("k.grf") + "'").code, 0);
  ASSERT_EQ(graphconv("stripe '" + path("k.grf") + "' --parts '" + path("p") + "'").code, 0);
  const auto damage = [&](std::streamoff at) {
    std::fstream file(path("p"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file.write("damage", 6);
  };
  damage(20000);
  expect_graphconv_error("check '" + path("p") + "'", 1, "the checksum of the part's data is wrong");
  damage(24);
  expect_graphconv_error("check '" + path("p") + "'", 1, "the checksum of the part's header is wrong");
}

TEST_F(CliBam, ResultsDoNotReplaceWhatIsRead) {
  ASSERT_EQ(graphconv("kron:10:8 '" + path("k.grf") + "'").code, 0);
  std::filesystem::copy(path("k.grf"), path("copy.txt"));
  std::filesystem::create_symlink(path("copy.txt"), path("link.txt"));
  const std::string before = contents(path("copy.txt"));
  const std::string run = "--graph '" + path("k.grf") + "' --algo bfs --backend bam --stripe '" + path("copy.txt") + "' ";
  for (const char* name : {"copy.txt", "link.txt"}) {
    for (const char* option : {"--json", "--output"}) {
      expect_error(run + option + " '" + path(name) + "'", 2, "is one of the files of --stripe that are read");
    }
  }
  EXPECT_EQ(contents(path("copy.txt")), before);
  expect_error(run + "--json '" + path("k.grf") + "'", 2, "is the graph that is read");
  expect_error("--graph path:9 --algo bfs --json ./new.txt --output new.txt", 2, "name the same file",
               "cd '" + directory_.string() + "' && ");
}

// Damage in copies and parts used to end in wrong answers, because only the container was read first.
TEST_F(CliBam, DamagedPartsAndCopiesAreFoundBeforeARun) {
  ASSERT_EQ(graphconv("kron:10:8 '" + path("k.grf") + "'").code, 0);
  ASSERT_EQ(graphconv("stripe '" + path("k.grf") + "' --parts '" + path("p0") + "," + path("p1") + "' --unit 4KiB").code, 0);
  std::filesystem::copy(path("k.grf"), path("copy.grf"));
  const auto stripe = [&](const std::string& files) {
    return "--graph '" + path("k.grf") + "' --algo cc --backend bam --stripe " + files;
  };
  const std::string parts = "'" + path("p0") + "," + path("p1") + "'";
  const std::string copies = "'" + path("copy.grf") + "'";
  EXPECT_EQ(graphrun(stripe(parts)).code, 0);
  EXPECT_EQ(graphrun(stripe(copies)).code, 0);
  const auto flip_a_bit = [&](const std::string& name, std::streamoff from_end) {
    std::fstream file(path(name), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(from_end, std::ios::end);
    const char flipped = static_cast<char>(file.get() ^ 1);
    file.seekp(from_end, std::ios::end);
    file.put(flipped);
  };
  flip_a_bit("p1", -6000);
  flip_a_bit("copy.grf", -6000);
  expect_error(stripe(parts), 1, "p1: the checksum of the part's data is wrong");
  expect_error(stripe(copies), 1, "copy.grf: the checksum of the section");
  EXPECT_EQ(graphrun(stripe(parts) + " --trust-file").err.find("checksum"), std::string::npos);
}

TEST_F(CliBam, WhatCannotBeDealtOutIsRefused) {
  ASSERT_EQ(graphconv("path:9 '" + path("k.grf") + "'").code, 0);
  const std::string stripe = "stripe '" + path("k.grf") + "' ";
  expect_graphconv_error(stripe, 2, "needs --parts");
  expect_graphconv_error(stripe + "--parts '" + path("p") + "' --unit 1000", 2, "a unit of 1000 bytes");
  expect_graphconv_error(stripe + "--parts '" + path("p") + "," + path("p") + "'", 2, "is named twice");
  expect_graphconv_error(stripe + "--parts '" + path("k.grf") + "'", 2, "is named twice");
  std::filesystem::create_symlink("q", path("link"));
  std::filesystem::create_directory_symlink(".", path("here"));
  for (const char* twice : {"./q,q", "q,link", "q,here/q", "link,here/link"}) {
    expect_graphconv_error(stripe + "--parts " + twice, 2, "is named twice", "cd '" + directory_.string() + "' && ");
  }
  expect_graphconv_error(stripe + "--parts '" + path("p") + "' --undirected", 2, "means nothing to graphconv stripe");
  expect_graphconv_error("stripe kron:8:8 --parts '" + path("p") + "'", 2, "is no .grf container");
  expect_graphconv_error("path:9 '" + path("l.grf") + "' --parts '" + path("p") + "'", 2, "only to graphconv stripe");
  EXPECT_FALSE(std::filesystem::exists(path("p")));
}

// How many files are open when the ring is made is nobody's business; with one fewer allowed it is the ring that fails.
TEST_F(CliBam, ARingThatFailsForWantOfFilesSaysWhichLimit) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer opens files of its own";
#endif
  bool said = false;
  for (int most = 4; most < 32 && !said; ++most) {
    const Said run = graphrun("--graph path:9 --algo bfs --backend bam --quiet", fmt::format("ulimit -n {} && ", most));
    if (run.code == 0) break;
    said = run.code == 1 && run.err.find("a larger ulimit -n") != std::string::npos;
  }
  EXPECT_TRUE(said);
}

TEST_F(CliBam, ScratchFilesGoWhereTmpdirSays) {
  const std::string run = "--graph path:9 --algo bfs --backend bam";
  for (const char* name : {"none", "file"}) {
    if (name == std::string("file")) write(name, "no folder");
    expect_error(run, 1, "TMPDIR is " + path(name) + ", which is no folder", "TMPDIR='" + path(name) + "' ");
  }
  EXPECT_NE(graphrun(run, "TMPDIR='" + directory_.string() + "' ").err.find("scratch file in " + directory_.string()),
            std::string::npos);
  EXPECT_NE(graphrun(run, "TMPDIR= ").err.find("scratch file in /tmp"), std::string::npos);
}

TEST_F(CliBam, AnswersAreRightWhateverTheQueues) {
  ASSERT_EQ(graphconv("kron:10:8 '" + path("k.grf") + "' --weights random:1").code, 0);
  for (const char* options : {"--queues 1 --queue-depth 1", "--queues 7 --queue-depth 3", "--queues 64 --threads 1"}) {
    expect_verified(path("k.grf"), options);
  }
  expect_error("--graph path:9 --algo bfs --backend bam --queues 0", 2, "--queues");
  expect_error("--graph path:9 --algo bfs --backend bam --queue-depth 5000", 2, "--queue-depth of bam is at most 4096");
}

/// Runs on a container of which the page cache holds what a test wants.
class CliBamRoutes : public CliBam {
 protected:
  static constexpr std::uint64_t kStretch = 256 << 10;

  void SetUp() override {
    CliBam::SetUp();
    make("kron:15:16");
    if (cached() != 0) GTEST_SKIP() << "nothing leaves the page cache of this file system, or the kernel does not count it";
  }

  /// The container, of which nothing is cached.
  void make(const std::string& graph) {
    ASSERT_EQ(graphconv(graph + " '" + path("k.grf") + "' --weights random:1 --quiet").code, 0);
    file_ = OwnedFd(::open(path("k.grf").c_str(), O_RDONLY));
    bytes_ = std::filesystem::file_size(path("k.grf"));
    ::fsync(file_.get());
    ::posix_fadvise(file_.get(), 0, 0, POSIX_FADV_RANDOM);
    keep_every(0);
  }

  /// Leaves every `nth` stretch in the page cache; 0: none.
  void keep_every(std::uint64_t nth) const {
    ::posix_fadvise(file_.get(), 0, 0, POSIX_FADV_DONTNEED);
    std::vector<char> stretch(kStretch);
    for (std::uint64_t i = 0; nth != 0 && i * kStretch < bytes_; ++i) {
      if (i % nth != 0) continue;
      ASSERT_GT(::pread(file_.get(), stretch.data(), kStretch, static_cast<off_t>(i * kStretch)), 0);
    }
  }
  std::uint64_t cached() const {
    const auto count = count_cached(file_.get(), 0, bytes_);
    return count ? count->cached * cache_page_bytes() : 1;
  }
  /// `options` begin with the algorithm.
  nlohmann::json routed(const std::string& options) const {
    return json_of("--graph '" + path("k.grf") + "' --trust-file --warm --backend bam --threads 2 --cache 1MiB --quiet --algo " +
                   options)["trials"][0]["routed"];
  }
  /// Most bytes were found in the page cache; storage reads some of them where copies are slow. It may have lost some meanwhile: other
  /// tests run beside this one.
  static void expect_cached(const nlohmann::json& routed) {
    if (routed["in_place_steps"] > 0) return;
    const auto bytes = [&](const char* way) { return routed[way].get<std::uint64_t>(); };
    EXPECT_GT(bytes("in_place_bytes") + bytes("cached_bytes") + 2 * bytes("merged_bytes"), bytes("direct_bytes")) << routed;
  }

  /// Of the same graph. Ranks of PageRank by several threads differ in their last digits.
  static void expect_same_answer(const nlohmann::json& found, const nlohmann::json& expected) {
    if (found.contains("top")) {
      EXPECT_EQ(found["top"][0]["vertex"], expected["top"][0]["vertex"]);
      EXPECT_NEAR(found["top"][0]["score"].get<double>(), expected["top"][0]["score"].get<double>(), 1e-4);
    } else {
      EXPECT_EQ(found, expected);
    }
  }

  OwnedFd file_;
  std::uint64_t bytes_ = 0;
};

TEST_F(CliBamRoutes, AnswersAreRightWhateverThePageCacheHolds) {
  for (const char* route : {"auto", "page-cache"}) {
    for (const std::uint64_t nth : {0, 1, 2}) {
      for (const char* algorithm : {"bfs", "sssp", "cc", "pagerank"}) {
        const std::string graph = fmt::format("--graph '{}' --trust-file --algo {} --quiet ", path("k.grf"), algorithm);
        const auto expected = json_of(graph + "--backend incore --verify");
        EXPECT_EQ(expected["verdict"], "verified");
        keep_every(nth);  // verifying reads all of the file
        const auto result = json_of(graph + "--warm --backend bam --threads 2 --cache 1MiB --route " + route);
        expect_same_answer(result["result"], expected["result"]);
        EXPECT_EQ(result["options"]["route"], route);
      }
    }
  }
}

// A page cache that others use is left as it is, but for offsets that are read in place and what lies around them.
TEST_F(CliBamRoutes, BytesGoTheWayThatThePageCacheAllows) {
  const auto read_ahead = [&] {
    const OwnedFd plain(::open(path("k.grf").c_str(), O_RDONLY));
    void* const mapped = ::mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, plain.get(), 0);
    EXPECT_NE(mapped, MAP_FAILED);
    [[maybe_unused]] const volatile char touched = *static_cast<const volatile char*>(mapped);
    ::munmap(mapped, bytes_);
    return cached();
  };
  std::uint64_t window = read_ahead();
  if (window > kStretch) {
    if (kSanitized) GTEST_SKIP() << "a file that is longer than what the kernel reads ahead takes a minute there";
    make("kron:18:16");
    window = read_ahead();
  }
  const std::uint64_t most_growth = (2 << 20) + 3 * window;  // offsets, and what lies around the places that are read in the file
  if (most_growth > bytes_ / 2) GTEST_SKIP() << "the kernel reads " << window << " bytes ahead, too much for this file";
  keep_every(0);
  const auto cold = routed("pagerank --route auto");
  EXPECT_GT(cold["direct_bytes"], bytes_ / 8);
  EXPECT_EQ(cold["in_place_steps"], 0);
  EXPECT_LE(cached(), most_growth);
  keep_every(2);
  const std::uint64_t before = cached();
  const auto half = routed("pagerank --route auto");
  EXPECT_GT(half["direct_bytes"], 0);
  const auto bytes = [&](const char* way) { return half[way].get<std::uint64_t>(); };
  EXPECT_GT(bytes("in_place_bytes") + bytes("cached_bytes") + bytes("merged_bytes"), 0u);  // whichever costs less here
  if (!kSanitized) {
    EXPECT_GT(half["splits"], 0);  // there a copy costs more than a command
  }
  EXPECT_LE(cached(), before + most_growth);
  keep_every(1);
  expect_cached(routed("pagerank --route auto"));
  keep_every(0);
  EXPECT_TRUE(routed("pagerank").is_null()) << "direct is not asked about";
  EXPECT_LE(cached(), most_growth);
}

TEST_F(CliBamRoutes, WhatConversionLeftInThePageCacheIsUsed) {
  ASSERT_EQ(graphconv("kron:15:16 '" + path("k.grf") + "' --weights random:1 --quiet").code, 0);
  expect_cached(routed("bfs --route auto"));
}

// The first leaves in the page cache what it read, and the other, which begins at the same time, reads that.
TEST_F(CliBamRoutes, RunsOnOneFileShareIt) {
  keep_every(0);
  const std::string run =
      std::string(GRAPHRUN_PROGRAM) + " --graph '" + path("k.grf") +
      "' --trust-file --warm --backend bam --device cpu --threads 1 --cache 1MiB --quiet --algo pagerank --json ";
  ASSERT_EQ(
      say(run + "'" + path("a.json") + "' --route page-cache & " + run + "'" + path("b.json") + "' --route auto; wait").code, 0);
  expect_cached(routed("pagerank --route auto"));
  const auto expected = json_of("--graph '" + path("k.grf") + "' --backend incore --quiet --algo pagerank --verify");
  EXPECT_EQ(expected["verdict"], "verified");
  for (const char* name : {"a.json", "b.json"}) {
    expect_same_answer(nlohmann::json::parse(contents(path(name)), nullptr, false)["result"], expected["result"]);
  }
}

TEST_F(CliBamRoutes, ColdTrialsFindNothingInThePageCache) {
  const auto result =
      json_of("--graph '" + path("k.grf") + "' --backend bam --cache 1MiB --trials 2 --quiet --algo bfs --route auto");
  for (const auto& trial : result["trials"]) {
    EXPECT_GT(trial["routed"]["direct_bytes"], 0);
    EXPECT_EQ(trial["routed"]["in_place_steps"], 0);
  }
}

// A warning says so; the route does nothing, and results have none.
TEST_F(CliBamRoutes, OtherBackendsHaveNone) {
  keep_every(0);
  const auto result =
      json_of("--graph '" + path("k.grf") + "' --trust-file --backend gpuvm --device cpu --quiet --algo bfs --route auto");
  EXPECT_TRUE(result["trials"][0]["routed"].is_null());
}

TEST_F(CliBamRoutes, PartsAreRoutedEachForItself) {
  const std::string parts = path("p0") + "," + path("p1");
  ASSERT_EQ(graphconv("stripe '" + path("k.grf") + "' --parts '" + parts + "'").code, 0);
  const OwnedFd first(::open(path("p0").c_str(), O_RDONLY));
  ::fsync(first.get());
  ::posix_fadvise(first.get(), 0, 0, POSIX_FADV_DONTNEED);
  const auto one_cold = routed("bfs --route auto --stripe '" + parts + "'");
  EXPECT_GT(one_cold["direct_bytes"], 0);
  EXPECT_GT(one_cold["cached_bytes"].get<std::uint64_t>() + one_cold["merged_bytes"].get<std::uint64_t>(), 0);
}

TEST_F(CliBamRoutes, InfoSaysHowMuchIsCached) {
  keep_every(2);
  const auto said = nlohmann::json::parse(graphconv("info '" + path("k.grf") + "' --json --quiet").out);
  EXPECT_EQ(said[0]["file_bytes"], bytes_);
  EXPECT_GT(said[0]["cached_bytes"], bytes_ / 3);
  EXPECT_LT(said[0]["cached_bytes"], bytes_ * 2 / 3);
}

// Hits are pages of a pass over all lists; the lists of a scattered step were asked for by name.
TEST_F(CliBam, WhatPassesReadAheadIsUsedAndScatteredStepsReadNothingAhead) {
  const auto read_ahead = [&](const std::string& options) {
    const auto trial = json_of("--backend bam --device cpu --threads 2 --quiet --graph " + options)["trials"][0];
    const auto bytes = [&](const char* what) { return trial["read_ahead"][what].get<std::uint64_t>(); };
    return std::array{trial["bytes_moved"].get<std::uint64_t>(), bytes("hit_bytes"), bytes("waste_bytes")};
  };
  for (const char* cache : {"1MiB", "64MiB"}) {
    const auto [moved, hit, waste] = read_ahead(fmt::format("kron:14:16 --algo pagerank --cache {}", cache));
    EXPECT_GT(hit, moved / 2) << cache;
    EXPECT_LE(hit + waste, moved) << cache;
    EXPECT_LT(waste, hit / 10) << cache;
    const auto [searched, used, unused] = read_ahead(fmt::format("grid:300:300 --algo bfs --variant push --cache {}", cache));
    EXPECT_GT(searched, 0u) << cache;
    EXPECT_EQ(used + unused, 0u) << cache;
  }
  const auto [moved, hit, waste] = read_ahead("kron:14:16 --algo bfs --cache 64KiB");
  EXPECT_GT(hit, 0u);
  EXPECT_GT(waste, 0u) << "pulls read gaps between lists, which they need not";
  EXPECT_LE(hit + waste, moved);
  for (const char* backend : {"incore", "emogi", "gpuvm"}) {
    const auto trial = json_of(fmt::format("--graph path:9 --algo bfs --device cpu --quiet --backend {}", backend))["trials"][0];
    EXPECT_TRUE(trial["read_ahead"].is_null()) << backend;
  }
}

TEST_F(CliBam, RoutesAreWaysToFiles) {
  expect_error("--graph path:9 --algo bfs --backend bam --route auto --storage ram:unlimited", 2, "is a way to files");
  expect_error("--graph path:9 --algo bfs --backend bam --route sideways", 2, "route");
}

TEST_F(CliBam, WhatCannotBeIsRefused) {
  expect_error("--graph path:9 --algo bfs --backend bam --page 1000", 2, "a page of 1000 bytes");
  for (const char* names : {"p0,,p2", ",p0", "p0,"}) {
    expect_error(std::string("--graph path:9 --algo bfs --backend bam --stripe ") + names, 2, "has an empty name");
  }
  expect_error("--graph path:9 --algo bfs --backend bam --storage tape", 2, "file, ram:PROFILE");
  expect_error("--graph path:9 --algo bfs --backend bam --storage ram:drum", 2, "optane-p5800x");
  expect_error("--graph path:9 --algo bfs --backend bam --storage ram:980pro:0", 2, "from 1 to 64");
  expect_error("--graph path:9 --algo bfs --backend bam --device cpu --bam-cache none", 2, "is for a GPU");
  expect_error("--graph path:9 --algo bfs --backend bam --threads 2 --cache 8KiB", 2, "12288");
}

}  // namespace
}  // namespace graphrun::test
