// SPDX-License-Identifier: Apache-2.0
// Failures of graphconv end with one sentence and exit code 1 or 2, and leave everything as it was.
#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <map>
#include <thread>

#include "run/cli.hpp"
#include "run/graphconv_child.hpp"

namespace graphrun::test {
namespace {

namespace fs = std::filesystem;

/// Takes from programs started from now on root's right to write what is write-protected. False when root keeps it.
bool heed_permissions() { return ::geteuid() != 0 || ::prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE) == 0; }

class GraphconvErrors : public CliTest {
 protected:
  std::string at(const std::string& name) const { return fmt::format("'{}'", path(name)); }

  /// Every file and what is in it, but for what was said.
  std::map<std::string, std::string> snapshot() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(directory_)) {
      files[entry.path().string()] = entry.is_regular_file() ? contents(entry.path()) : "";
    }
    files.erase(path("stdout"));
    files.erase(path("stderr"));
    return files;
  }
  void expect_refusal(const std::string& arguments, int code, const std::string& words, const std::string& before = "") const {
    const auto files = snapshot();
    expect_graphconv_error(arguments, code, words, before);
    EXPECT_TRUE(snapshot() == files) << arguments;
  }
  /// Of a conversion, in memory and through scratch files.
  void expect_refusals(const std::string& arguments, int code, const std::string& words, const std::string& before = "") const {
    expect_refusal(arguments, code, words, before);
    expect_refusal(arguments + " --memory 64MiB", code, words, before);
  }
};

// It read until it was killed.
TEST_F(GraphconvErrors, WhatDoesNotFitInMemoryIsNeitherDescribedNorChecked) {
  for (const char* command : {"info", "check"}) {
    expect_refusal(std::string(command) + " kron:31:65536", 77,
                   "make a container by graphconv kron:31:65536 OUT.grf --memory SIZE");
  }
}

// It replaced the text, with its comments and the names of its columns, by what graphconv writes, and a container by what options
// had left of it.
TEST_F(GraphconvErrors, TheGraphThatIsReadIsNotReplaced) {
  write("arcs.el", "# of a friend\n0 1\n1 2\n");
  fs::create_symlink(path("arcs.el"), path("link.el"));
  expect_refusals(at("arcs.el") + " " + at("arcs.el"), 2, "is the graph that is read");
  expect_refusals(at("arcs.el") + " " + at("link.el"), 2, "is the graph that is read");
  ASSERT_EQ(graphconv("kron:6:4 " + at("k.grf")).code, 0);
  for (const char* options : {"", " --drop-self-loops", " --weights unit"})
    expect_refusals(at("k.grf") + " " + at("k.grf") + options, 2, "is the graph that is read");
}

TEST_F(GraphconvErrors, CommandLine) {
  const std::string out = " " + at("out.grf");
  expect_refusal("", 2, "two names are needed");
  expect_refusal("path:4", 2, "two names are needed");
  expect_refusal("path:4" + out + " more", 2, "two names are needed");
  expect_refusal("path:4" + out + " --undirectde", 2, "'--undirectde' is not an option (did you mean '--undirected'?)");
  expect_refusal("path:4" + out + " -u", 2, "'-u' is not an option");
  expect_refusal("path:4" + out + " --verbose", 2, "exclude");
  expect_refusal("inof path:4", 2, "'inof' is no file and no command (did you mean 'info'?)");
  expect_refusal("path:4" + out + " --json", 2, "only to graphconv info");
  expect_refusal("info", 2, "needs the name of a file");
  expect_refusal("check", 2, "needs the name of a file");
  for (const char* option :
       {"--to grf", "--weights unit", "--no-transpose", "--balanced 4", "--raw-offset 4", "--memory 1GiB", "--scratch ."}) {
    expect_refusal(fmt::format("info path:4 {}", option), 2, "means nothing to graphconv info");
    expect_refusal(fmt::format("check path:4 {}", option), 2, "means nothing to graphconv check");
  }
}

TEST_F(GraphconvErrors, WordsAndNumbersOfOptions) {
  const std::string path_to_out = "path:4 " + at("out.grf");
  expect_refusal(path_to_out + " --format xls", 2, "grf, mtx, el, csv, dimacs");
  expect_refusal(path_to_out + " --to xlsx", 2, "grf, mtx, el, wel, csv, bel");
  expect_refusal(path_to_out + " --vertices most", 2, "auto, keep, compact");
  expect_refusal(path_to_out + " --sort up", 2, "id, hubs-first");
  expect_refusal(path_to_out + " --relabel id", 2, "degree");
  expect_refusal(path_to_out + " --weights heavy", 2, "random:SEED");
  expect_refusal(path_to_out + " --weights file", 2, "weights");
  for (const char* wrong : {"0", "-1", "1x", "''", "1.5", "99999999999999999999"}) {
    expect_refusal(path_to_out + " --threads " + wrong, 2, "--threads");
    expect_refusal(path_to_out + " --balanced " + wrong, 2, "--balanced");
  }
  expect_refusal(path_to_out + " --threads 1025", 2, "--threads");
  for (const std::string wrong : {"-1", "much", "64MB2", "1e99"}) {
    const std::string sentence = ": '" + wrong + "' is not a size";
    expect_refusal(path_to_out + " --memory " + wrong, 2, "--memory" + sentence);
    expect_refusal("path:4 " + at("out.bel") + " --raw-offset " + wrong, 2, "--raw-offset" + sentence);
    expect_refusal(path_to_out + " --raw-offset-in " + wrong, 2, "--raw-offset-in" + sentence);
  }
  for (const char* option : {"--memory", "--to", "--scratch", "--weights"}) {
    expect_refusal(path_to_out + " " + option + " ''", 2, std::string(option) + " was given nothing");
  }
  expect_refusal(path_to_out + " --memory 0", 2, "the least is 64.0 MiB");
  expect_refusal(path_to_out + " --memory 65535KiB", 2, "the least is 64.0 MiB");
}

TEST_F(GraphconvErrors, OptionsThatTheFormatDoesNotKnow) {
  expect_refusals("path:4 " + at("out.mtx") + " --balanced 4", 2, "only .grf");
  expect_refusals("path:4 " + at("out.mtx") + " --no-transpose", 2, "only .grf");
  expect_refusals("path:4 " + at("out.grf") + " --raw-offset 512", 2, "only .bel");
  for (const char* name : {"out.wsg", "out.bwcsr", "out.gunrock"}) expect_refusals("path:4 " + at(name), 2, "weights");
  for (const char* name : {"out.wsg", "out.bwcsr"}) {
    expect_refusals(fmt::format("'{}' {}", write("half.wel", "0 1 0.5\n"), at(name)), 2, "the weight of edge 0 is 0.5");
    fs::remove(path("half.wel"));
  }
}

TEST_F(GraphconvErrors, Targets) {
  expect_refusals("path:4 " + at("out.xlsx"), 2, "names no format");
  expect_refusals("path:4 " + at("out"), 2, "names no format");
  for (const char* names : {"path:4 ''", "'' out.grf", "check ''"}) expect_refusal(names, 2, "name of a file is empty");
  expect_refusals("path:4 " + at("no/such/out.grf"), 1, "no/such/out.grf");
  expect_refusals("path:4 /proc/out.grf", 1, "/proc/out.grf");
  fs::create_directory(path("folder.grf"));
  expect_refusals("path:4 " + at("folder.grf"), 1, "folder.grf");
  for (const char* part : {"folder.bel.col", "folder.bel.dst", "folder.bel.val"}) {
    fs::create_directories(path(part) + "/kept");
    expect_refusals("path:4 " + at("folder.bel") + " --weights unit", 1, part);
    fs::remove_all(path(part));
  }
  ASSERT_EQ(::mkfifo(path("pipe.grf").c_str(), 0600), 0);
  expect_refusals("path:4 " + at("pipe.grf"), 1, "not a regular file");
  expect_refusals("path:4 /dev/full --to grf", 1, "not a regular file");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

// The old columns were gone by the time that the directory was found.
TEST_F(GraphconvErrors, ADirectoryInThePlaceOfOldWeightsSparesTheOldGraph) {
  ASSERT_EQ(graphconv("path:9 " + at("old.bel")).code, 0);
  fs::create_directories(path("old.bel.val") + "/kept");
  expect_refusals("path:4 " + at("old.bel"), 1, "old.bel.val");
}

TEST_F(GraphconvErrors, ProtectedTargets) {
  if (!heed_permissions()) GTEST_SKIP() << "root may write everywhere";
  write("old.grf", "old");
  fs::permissions(path("old.grf"), fs::perms::owner_read);
  expect_refusals("path:4 " + at("old.grf"), 1, "Permission denied");
  fs::create_directory(path("closed"));
  fs::permissions(path("closed"), fs::perms::owner_read | fs::perms::owner_exec);
  expect_refusals("path:4 " + at("closed/out.grf"), 1, "closed/out.grf");
  expect_refusal("path:4 " + at("out.grf") + " --memory 64MiB --scratch " + at("closed"), 1, "closed");
  fs::permissions(path("closed"), fs::perms::owner_all);
}

TEST_F(GraphconvErrors, Scratch) {
  expect_refusal("path:4 " + at("out.grf") + " --memory 64MiB --scratch " + at("none"), 1, "none");
  expect_refusal("path:4 " + at("out.grf") + " --scratch " + at("none"), 1, "it is no directory");
  expect_refusal("path:4 " + at("out.grf") + " --memory 64MiB --scratch '" + write("file", "") + "'", 1, "file");
}

TEST_F(GraphconvErrors, Inputs) {
  const std::string out = " " + at("out.grf");
  expect_refusals(at("none.mtx") + out, 1, "none.mtx");
  expect_refusals("krom:4:4" + out, 2, "krom:4:4");
  expect_refusals("kron:4:4:1:9" + out, 2, "kron:SCALE");
  expect_refusals("'" + directory_.string() + "'" + out, 1, "is a directory");
  write("empty.mtx", "");
  write("noise", std::string("\x00\x01\xfe\xff", 4) + "noise");
  write("letters", "letters\n");
  write("bad.el", "0 1\n1 2\n\n1 x\n");
  write("bad.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n1 9\n");
  write("wide.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 3\n");
  write("far.el", "0 1\n1 4000000000\n");
  expect_refusals(at("empty.mtx") + out, 1, "empty.mtx is empty");
  expect_refusals(at("noise") + out, 1, "noise is in none of the formats");
  expect_refusals(at("letters") + out, 1, "letters is in none of the formats");
  expect_refusals(at("bad.el") + out, 1, "bad.el:4");
  expect_refusals(at("bad.mtx") + out, 1, "bad.mtx:4");
  expect_refusals(at("bad.mtx") + out + " --format galois", 1, "bad.mtx");
  expect_refusals(at("wide.mtx") + out, 2, "--bipartite");
  expect_refusals(at("far.el") + out + " --vertices keep", 1, "too sparse");
  expect_refusals("/dev/zero" + out, 1, "not a regular file");
  expect_refusal("check /dev/zero", 1, "not a regular file");
  expect_refusal("- " + at("out.grf") + " < /dev/null", 1, "/dev/stdin is empty: nothing came through the pipe");
  expect_refusal("check " + at("bad.el"), 1, "bad.el:4");
  expect_refusal("info " + at("bad.el"), 1, "bad.el:4");
}

// Damaged containers were followed wherever their offsets and ids led, and damaged weights got new checksums.
TEST_F(GraphconvErrors, DamageInAContainerIsNotPassedOn) {
  ASSERT_EQ(graphconv("kron:9:8 " + at("g.grf") + " --weights random:1").code, 0);
  const std::string bytes = contents(path("g.grf"));
  const std::string out = " " + at("out.grf");
  for (const std::size_t offset :
       {4096 + 40, 12288 + 43, static_cast<int>(bytes.size()) - 4096}) {  // an offset, a neighbour, a weight
    std::string damaged = bytes;
    damaged[offset] = static_cast<char>(damaged[offset] ^ 0x11);
    write("damaged.grf", damaged);
    for (const char* options : {"", " --undirected", " --drop-duplicates", " --relabel degree", " --sort hubs-first",
                                " --weights unit", " --balanced 4"}) {
      expect_refusals(at("damaged.grf") + out + options, 1, "damaged.grf");
    }
    for (const char* name : {"out.mtx", "out.bel", "out.sg"})
      expect_refusals(at("damaged.grf") + " " + at(name), 1, "damaged.grf");
  }
}

// It wrote scratch files for hours first.
TEST_F(GraphconvErrors, AnOutputLargerThanItsDiskIsRefusedAtOnce) {
  expect_refusals("kron:31:4096 " + at("out.grf") + " --memory 64MiB", 1, "does not fit on its disk");
}

TEST_F(GraphconvErrors, AFullDiskLeavesNothing) {
  const std::string limit = "ulimit -f 64; ";  // of 512 or 1024 bytes
  const std::string large = "kron:13:16 ";
  for (const char* name : {"out.grf", "out.mtx", "out.bel", "out.sg", "out.bcsr", "out.liberator", "out.galois", "out.gbbs"}) {
    expect_refusals(large + at(name), 1, "File too large", limit);
    expect_refusals(large + at(name) + " --weights unit", 1, "File too large", limit);
  }
  ASSERT_EQ(graphconv("path:9 " + at("old.grf")).code, 0);
  ASSERT_EQ(graphconv("path:9 " + at("old.bel")).code, 0);
  expect_refusals(large + at("old.grf"), 1, "File too large", limit);
  expect_refusals(large + at("old.bel"), 1, "File too large", limit);
}

TEST_F(GraphconvErrors, AFullStandardOutputIsAnError) {
  for (const char* command : {"info path:4", "check path:4", "--help", "--version"}) {
    expect_refusal(std::string(command) + " >/dev/full", 1, "standard output");
  }
}

TEST_F(GraphconvErrors, InterruptedItLeavesNothing) {
  const std::string old = write("old.grf", "old");
  for (const char* memory : {"4GiB", "64MiB"}) {
    for (const int signal : {SIGINT, SIGTERM}) {
      const auto files = snapshot();
      GraphconvChild child({"kron:22:16", old, "--quiet", "--memory", memory});
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      child.send(signal);
      EXPECT_TRUE(child.wait().by(signal));
      EXPECT_TRUE(snapshot() == files);
    }
  }
}

}  // namespace
}  // namespace graphrun::test
