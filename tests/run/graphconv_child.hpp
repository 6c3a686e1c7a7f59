// SPDX-License-Identifier: Apache-2.0
// graphconv as a child process that is watched, interrupted and measured.
#pragma once

#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace graphrun::test {

/// A child process, killed when it goes out of scope.
class GraphconvChild {
 public:
  enum class Traced { no, yes };  ///< yes: stops at its first instruction (ptrace(2))

  struct Ended {
    int status = -1;                        ///< as wait(2) has it
    std::uint64_t most_resident_bytes = 0;  ///< no less than the parent had when the child was made

    bool well() const { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }
    bool by(int signal) const { return WIFSIGNALED(status) && WTERMSIG(status) == signal; }
  };

  explicit GraphconvChild(std::vector<std::string> arguments, Traced traced = Traced::no) {
    arguments.insert(arguments.begin(), GRAPHCONV_PROGRAM);
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    id_ = ::fork();
    if (id_ == 0) {
      if (traced == Traced::yes && ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(kNotTraced);
      ::execv(words[0], words.data());
      ::_exit(kNotStarted);
    }
    EXPECT_GT(id_, 0);
  }
  ~GraphconvChild() {
    if (id_ <= 0) return;
    ::kill(id_, SIGKILL);
    wait();
  }
  GraphconvChild(const GraphconvChild&) = delete;
  GraphconvChild& operator=(const GraphconvChild&) = delete;

  static constexpr int kNotTraced = 121;
  static constexpr int kNotStarted = 122;

  pid_t id() const { return id_; }
  void send(int signal) const { ::kill(id_, signal); }
  Ended wait() {
    Ended ended;
    rusage used{};
    while (::wait4(id_, &ended.status, 0, &used) < 0 && errno == EINTR) {
    }
    id_ = -1;
    ended.most_resident_bytes = static_cast<std::uint64_t>(used.ru_maxrss) << 10;
    return ended;
  }

 private:
  pid_t id_ = -1;
};

}  // namespace graphrun::test
