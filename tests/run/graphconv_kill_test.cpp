// SPDX-License-Identifier: Apache-2.0
// kill -9 at any moment leaves the old output, the new one or none, and no other file.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "graphrun/core/checksum.hpp"
#include "run/cli.hpp"
#include "run/graphconv_child.hpp"

namespace graphrun::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

/// By name: size and checksum.
using Files = std::map<std::string, std::pair<std::uint64_t, std::uint64_t>>;

std::pair<std::uint64_t, std::uint64_t> digest(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::vector<char> buffer(std::size_t{1} << 20);
  Checksum checksum;
  std::uint64_t size = 0;
  while (stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || stream.gcount() != 0) {
    checksum.add(buffer.data(), static_cast<std::size_t>(stream.gcount()));
    size += static_cast<std::uint64_t>(stream.gcount());
  }
  return {size, checksum.value()};
}

/// A conversion, and which of its files makes the others a graph.
struct Scenario {
  std::vector<std::string> options;
  std::string output;
  std::string key;
};

class GraphconvKilled : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    const int fd = ::open(directory_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    unnamed_files_ = fd >= 0;
    if (fd >= 0) ::close(fd);
  }

  Files snapshot() const {
    Files files;
    for (const auto& entry : fs::directory_iterator(directory_)) files[entry.path().filename()] = digest(entry.path());
    return files;
  }
  void empty_directory() const {
    for (const auto& entry : fs::directory_iterator(directory_)) fs::remove(entry.path());
  }
  std::vector<std::string> command(const std::string& input, const Scenario& scenario) const {
    std::vector<std::string> words{input, path(scenario.output), "--quiet"};
    words.insert(words.end(), scenario.options.begin(), scenario.options.end());
    return words;
  }
  /// The files of a conversion that nobody disturbs, which stay there.
  Files finished(const std::string& input, const Scenario& scenario) const {
    empty_directory();
    EXPECT_TRUE(GraphconvChild(command(input, scenario)).wait().well());
    return snapshot();
  }

  /// `left` is what a killed conversion left where `old` was and `whole` would be.
  void expect_old_new_or_none(Files left, const Files& old, const Files& whole, const Scenario& scenario) const {
    if (!unnamed_files_) std::erase_if(left, [](const auto& file) { return file.first.find(".tmp.") != std::string::npos; });
    if (left.contains(scenario.key)) {
      EXPECT_TRUE(left == old || left == whole)
          << fmt::format("{} files, of which the output is neither old nor new", left.size());
      return;
    }
    // Columns without the one that makes them a graph: each for itself is whole, and the next conversion replaces it.
    for (const auto& file : left) {
      const auto is_it = [&](const Files& files) { return std::find(files.begin(), files.end(), file) != files.end(); };
      EXPECT_TRUE(is_it(old) || is_it(whole)) << file.first;
    }
    EXPECT_TRUE(old.empty() || scenario.output != scenario.key) << "the old output is gone";
  }

  /// Linux cannot give an unnamed file the name of another one: for an instant the new output has a name beside the old.
  static void drop_whole_temporaries(Files& left, const Files& whole) {
    std::erase_if(left, [&](const auto& file) {
      const auto suffix = file.first.find(".tmp.");
      if (suffix == std::string::npos) return false;
      const auto wanted = whole.find(file.first.substr(0, suffix));
      return wanted != whole.end() && wanted->second == file.second;
    });
  }

  bool unnamed_files_ = false;
};

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> all{{{}, "out.grf", "out.grf"},
                                         {{"--memory", "64MiB"}, "out.grf", "out.grf"},
                                         {{"--weights", "unit"}, "out.bel", "out.bel.col"},
                                         {{"--weights", "unit", "--memory", "64MiB"}, "out.bel", "out.bel.col"}};
  return all;
}

TEST_F(GraphconvKilled, AtRandomMoments) {
  const auto seed = static_cast<std::uint32_t>(std::random_device{}());
  std::cout << "seed " << seed << "\n";
  std::mt19937 random(seed);
  constexpr int kKills = 8;
  const std::string input = "kron:17:16";
  for (const Scenario& scenario : scenarios()) {
    const auto start = steady_clock::now();
    const Files whole = finished(input, scenario);
    const std::chrono::duration<double> usual = steady_clock::now() - start;
    const Files previous = finished("star:1000", scenario);
    for (int kill = 0; kill < kKills; ++kill) {
      const Files old = kill % 2 == 0 ? Files{} : finished("star:1000", scenario);
      if (old.empty()) empty_directory();
      EXPECT_TRUE(old.empty() || old == previous);
      const auto moment = usual * std::uniform_real_distribution<double>(0, 1.1)(random);
      SCOPED_TRACE(fmt::format("seed {}, {} {}, kill {} after {:.4f} s", seed, scenario.output, fmt::join(scenario.options, " "),
                               kill, moment.count()));
      GraphconvChild child(command(input, scenario));
      std::this_thread::sleep_for(moment);
      child.send(SIGKILL);
      child.wait();
      expect_old_new_or_none(snapshot(), old, whole, scenario);
    }
  }
}

/// System calls that give a file a name or take it away.
bool is_naming(std::uint64_t call) {
  static const std::set<std::uint64_t> calls{
      SYS_linkat,   SYS_renameat2, SYS_unlinkat,
#ifdef SYS_rename
      SYS_link,     SYS_rename,    SYS_unlink,
#endif
#ifdef SYS_renameat
      SYS_renameat,
#endif
  };
  return calls.contains(call);
}

enum class Outcome { killed, finished, not_traced };

/// Kills a conversion when it is about to make its n-th naming call; those are the main thread's.
Outcome kill_at_naming_call(const std::vector<std::string>& command, int n) {
  GraphconvChild child(command, GraphconvChild::Traced::yes);
  int status = 0;
  if (::waitpid(child.id(), &status, 0) != child.id() || !WIFSTOPPED(status)) return Outcome::not_traced;
  ::ptrace(PTRACE_SETOPTIONS, child.id(), nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  constexpr int kSystemCall = SIGTRAP | 0x80;
  for (int seen = 0;;) {
    if (::ptrace(PTRACE_SYSCALL, child.id(), nullptr, nullptr) != 0) return Outcome::not_traced;
    ::waitpid(child.id(), &status, 0);
    if (!WIFSTOPPED(status)) {
      EXPECT_EQ(status, 0);
      return Outcome::finished;
    }
    if (WSTOPSIG(status) != kSystemCall) continue;
    __ptrace_syscall_info call{};
    if (::ptrace(PTRACE_GET_SYSCALL_INFO, child.id(), sizeof(call), &call) <= 0) return Outcome::not_traced;
    if (call.op == PTRACE_SYSCALL_INFO_ENTRY && is_naming(call.entry.nr) && ++seen == n) return Outcome::killed;
  }
}

// At random moments this takes thousands of tries.
TEST_F(GraphconvKilled, BetweenTheChangesOfNames) {
  ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // which does not work while traced
  for (const Scenario& scenario : scenarios()) {
    const std::string input = "kron:8:8";
    const Files whole = finished(input, scenario);
    for (const bool replaces : {false, true}) {
      int moments = 0;
      for (;; ++moments) {
        const Files old = replaces ? finished("star:1000", scenario) : Files{};
        if (!replaces) empty_directory();
        SCOPED_TRACE(fmt::format("{} {}{}, before naming call {}", scenario.output, fmt::join(scenario.options, " "),
                                 replaces ? " over an old output" : "", moments + 1));
        const Outcome outcome = kill_at_naming_call(command(input, scenario), moments + 1);
        if (outcome == Outcome::not_traced) GTEST_SKIP() << "processes cannot be traced here";
        if (outcome == Outcome::finished) break;
        Files left = snapshot();
        if (replaces) drop_whole_temporaries(left, whole);
        expect_old_new_or_none(left, old, whole, scenario);
      }
      EXPECT_TRUE(snapshot() == whole);
      EXPECT_GE(moments, 1);
    }
  }
}

}  // namespace
}  // namespace graphrun::test
