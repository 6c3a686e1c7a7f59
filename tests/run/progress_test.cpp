// SPDX-License-Identifier: Apache-2.0
// The output of a run on a terminal.
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <system_error>

#include "run/cli.hpp"

namespace graphrun::test {
namespace {

/// A command of the shell under a pseudo-terminal; ended with it.
class Terminal {
 public:
  explicit Terminal(const std::string& command) {
    child_ = ::forkpty(&terminal_, nullptr, nullptr, nullptr);
    if (child_ < 0)
      throw std::system_error(errno, std::generic_category(), "no pseudo-terminal");  // kill(-1) would end everything
    if (child_ == 0) {
      ::execl("/bin/sh", "sh", "-c", ("exec " + command).c_str(), nullptr);
      ::_exit(127);
    }
  }
  ~Terminal() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    ::close(terminal_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// Reads on until `words` have been shown; false at the end of the command, or when nothing comes for `patience_ms`.
  bool shows(const std::string& words, int patience_ms = 20000) {
    char piece[4096];
    while (text_.find(words) == std::string::npos) {
      pollfd waiting{terminal_, POLLIN, 0};
      if (::poll(&waiting, 1, patience_ms) != 1) return false;
      const ssize_t got = ::read(terminal_, piece, sizeof(piece));
      if (got <= 0) return false;
      text_.append(piece, static_cast<std::size_t>(got));
    }
    return true;
  }
  const std::string& text() const { return text_; }

 private:
  int terminal_ = -1;
  pid_t child_ = -1;
  std::string text_;
};

class CliProgress : public CliTest {
 protected:
  static constexpr const char* kTakenBack = "\x1b[K";
  static std::string run_of(const std::string& arguments) { return std::string(GRAPHRUN_PROGRAM) + " --device cpu " + arguments; }
};

// Runs of half a minute showed nothing at all.
TEST_F(CliProgress, LongRunsShowTheirSweepsOnATerminal) {
  const std::string endless =
      run_of("--graph path:10000 --algo pagerank --damping 0.999999 --tolerance 1e-300 --max-iterations 1000000000");
  const Terminal into_a_file(endless + " 2>'" + path("log") + "'");
  Terminal quiet(endless + " --quiet");
  Terminal seen(endless);
  EXPECT_TRUE(seen.shows("pagerank, sweep ")) << seen.text();
  EXPECT_TRUE(seen.shows(" edges, residual ")) << seen.text();
  EXPECT_FALSE(quiet.shows("sweep", 0)) << quiet.text();
  EXPECT_EQ(contents(path("log")).find("sweep"), std::string::npos) << "before ten seconds have passed";
}

TEST_F(CliProgress, ADumbTerminalGetsNoLineThatIsTakenBack) {
  Terminal dumb("env TERM=dumb " + run_of("--graph path:10000 --algo pagerank --damping 0.999999 --tolerance 1e-300 "
                                          "--max-iterations 1000000000"));
  EXPECT_FALSE(dumb.shows(kTakenBack, 2500)) << dumb.text();
}

TEST_F(CliProgress, ShortRunsShowNothing) {
  Terminal brief(run_of("--graph path:9 --algo bfs --verify"));
  EXPECT_TRUE(brief.shows("digest")) << brief.text();
  EXPECT_EQ(brief.text().find(kTakenBack), std::string::npos) << brief.text();
}

}  // namespace
}  // namespace graphrun::test
