// SPDX-License-Identifier: Apache-2.0
// The backend uvm on the CPU, through the command line and as a session.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>

#include "cache/userfault.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/io/load.hpp"
#include "graphrun/run/trials.hpp"
#include "run/cli.hpp"

namespace graphrun::test {
namespace {

/// From now on, neither this process nor its children get a userfaultfd.
void forbid_userfault() {
  constexpr auto kNumber = static_cast<unsigned>(offsetof(seccomp_data, nr));
  constexpr auto kRequest = static_cast<unsigned>(offsetof(seccomp_data, args) + sizeof(std::uint64_t));  // of an ioctl
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kNumber),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_userfaultfd, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kRequest),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, USERFAULTFD_IOC_NEW, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{sizeof(rules) / sizeof(rules[0]), rules};
  const bool done = ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
  if (!done) ::_exit(99);
}

class CliUvm : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    if (const std::string missing = why_no_userfault(); !missing.empty()) GTEST_SKIP() << missing;
  }
  nlohmann::json verified(const std::string& graph, const std::string& algorithm, const std::string& options) const {
    const auto result = json_of("--graph '" + graph + "' --backend uvm --verify --quiet --algo " + algorithm + " " + options);
    EXPECT_EQ(result["verdict"], "verified") << algorithm << " on " << graph << " " << options;
    return result;
  }
  void expect_verified(const std::string& graph, const std::string& options) const {
    for (const char* algorithm : {"bfs", "sssp", "cc", "pagerank"}) verified(graph, algorithm, options);
  }
};

TEST_F(CliUvm, AnswersAreRightFromFilesAndFromMemory) {
  ASSERT_EQ(graphconv("kron:10:8 '" + path("k.grf") + "' --weights random:1").code, 0);
  ASSERT_EQ(graphconv("web:10:8 '" + path("w.grf") + "'").code, 0);
  ASSERT_EQ(graphconv("kron:10:8 '" + path("k.bcsr") + "' --to bcsr").code, 0);
  for (const std::string& graph : {path("k.grf"), path("w.grf"), path("k.bcsr"), std::string("kron:10:8")}) {
    expect_verified(graph, "");
    expect_verified(graph, "--uvm-prefetch 8KiB --uvm-block 16KiB --cache 32KiB --threads 1");
    expect_verified(graph, "--uvm-fault 8KiB --uvm-prefetch 8KiB --uvm-block 32KiB --cache 84KiB --threads 4 --layout csr");
  }
}

TEST_F(CliUvm, ColdWarmAndPreloadedTrialsMoveWhatTheyShould) {
  ASSERT_EQ(graphconv("kron:12:8 '" + path("k.grf") + "'").code, 0);
  const auto moved = [&](const std::string& options) {
    const auto trials = verified(path("k.grf"), "cc", "--variant hooking --trials 2 " + options)["trials"];
    return std::pair{trials[0]["bytes_moved"].get<std::uint64_t>(), trials[1]["bytes_moved"].get<std::uint64_t>()};
  };
  const auto result = verified(path("k.grf"), "cc", "--variant hooking");
  const auto all = result["fast_tier_bytes"].get<std::uint64_t>();
  EXPECT_EQ(moved(""), std::pair(all, all));
  EXPECT_EQ(moved("--warm"), std::pair(all, std::uint64_t{0}));
  EXPECT_EQ(moved("--preload"), std::pair(std::uint64_t{0}, std::uint64_t{0}));
  const auto trial = verified(path("k.grf"), "cc",
                              "--variant hooking --threads 2 --uvm-prefetch 16KiB --uvm-block 64KiB --cache 128KiB")["trials"][0];
  EXPECT_GT(trial["requests"], 0);
  EXPECT_GT(trial["bytes_evicted"], 0);
  EXPECT_LE(trial["bytes_moved"].get<std::uint64_t>() - trial["bytes_evicted"].get<std::uint64_t>(), 128u << 10);
}

TEST_F(CliUvm, WhatCannotBeIsRefused) {
  for (const char* option : {"--uvm-fault", "--uvm-prefetch", "--uvm-block"}) {
    for (const char* size : {"1000", "2KiB", "3GiB"}) {
      expect_error(std::string("--graph kron:12:8 --algo bfs --backend uvm ") + option + " " + size, 2,
                   fmt::format("{} cannot be {}: it must", option, format_bytes(parse_bytes(size))));
    }
  }
  expect_error("--graph kron:12:8 --algo bfs --backend uvm --threads 2 --uvm-prefetch 16KiB --uvm-block 64KiB --cache 8KiB", 2,
               "needs --cache 131072 (128 KiB) or more for 2 threads, not 8.00 KiB");
  expect_error(
      "--graph kron:12:8 --algo bfs --backend uvm --threads 2 --uvm-prefetch 16KiB --uvm-block 64KiB --cache 128KiB --preload", 2,
      "--cache");
}

// The sentence used to name only the one that was left at its default.
TEST_F(CliUvm, SizesThatDoNotFitEachOtherAreBothNamed) {
  const std::string run = "--graph kron:12:8 --algo bfs --backend uvm ";
  expect_error(run + "--uvm-fault 1MiB", 2, "--uvm-prefetch (64.0 KiB) must be at least --uvm-fault (1.00 MiB)");
  expect_error(run + "--uvm-prefetch 4MiB", 2, "--uvm-block (2.00 MiB) must be at least --uvm-prefetch (4.00 MiB)");
  expect_error(run + "--uvm-block 4KiB", 2, "--uvm-block (4.00 KiB) must be at least --uvm-prefetch (64.0 KiB)");
}

TEST_F(CliUvm, AFileThatBecomesShorterEndsTheRun) {
  ASSERT_EQ(graphconv("kron:12:8 '" + path("k.grf") + "'").code, 0);
  ThreadPool pool(1);
  const Graph graph = load_graph(path("k.grf"), {}, pool).graph;
  SessionOptions options;
  options.threads = 2;
  options.backend.kind = BackendKind::uvm;
  const auto session = open_session(graph, options);
  const Trial whole = run_cc(*session, {.variant = CcVariant::hooking}, nullptr);
  EXPECT_GT(whole.moved.bytes, 0u);
  std::filesystem::resize_file(path("k.grf"), 100'000);
  try {
    run_cc(*session, {.variant = CcVariant::hooking}, nullptr);
    FAIL() << "half of the edges are gone";
  } catch (const RunError& error) {
    EXPECT_NE(std::string(error.what()).find("became shorter"), std::string::npos) << error.what();
  }
}

TEST_F(CliTest, UvmWithoutUserfaultfdIsNotAvailable) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    forbid_userfault();
    expect_error("--graph path:4 --algo bfs --backend uvm", 77, "vm.unprivileged_userfaultfd");
    const std::string list = graphrun("--list").out;
    const bool told = list.find("userfaultfd is not permitted") != std::string::npos;
    ::_exit(HasFailure() || !told ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 99) GTEST_SKIP() << "system calls cannot be filtered here";
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace graphrun::test
