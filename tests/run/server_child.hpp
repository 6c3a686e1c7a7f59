// SPDX-License-Identifier: Apache-2.0
// graphmemd as a child process.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "core/owned_fd.hpp"

namespace graphrun::test {

/// A child that is told to end when it goes out of scope, and killed when it does not: a killed one leaves memory of provider
/// shm.
class ServerChild {
 public:
  /// `token`: of its environment; empty: none there.
  explicit ServerChild(std::vector<std::string> arguments, const std::string& token = "") {
    arguments.insert(arguments.begin(), GRAPHMEMD_PROGRAM);
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    int said[2];
    EXPECT_EQ(::pipe(said), 0);
    id_ = ::fork();
    if (id_ == 0) {
      ::dup2(said[1], STDOUT_FILENO);
      ::dup2(log_.get(), STDERR_FILENO);
      ::close(said[0]);
      ::close(said[1]);
      if (token.empty()) {
        ::unsetenv("GRAPHMEMD_TOKEN");
      } else {
        ::setenv("GRAPHMEMD_TOKEN", token.c_str(), 1);
      }
      ::execv(words[0], words.data());
      ::_exit(127);
    }
    EXPECT_GT(id_, 0);
    ::close(said[1]);
    address_ = read_address(said[0]);
    ::close(said[0]);
  }
  ~ServerChild() {
    if (id_ <= 0) return;
    send(SIGCONT);
    send(SIGTERM);
    if (!ends_within(std::chrono::seconds(3))) send(SIGKILL);
    wait();
  }
  ServerChild(ServerChild&& other) noexcept
      : log_(std::move(other.log_)), id_(std::exchange(other.id_, -1)), address_(std::move(other.address_)) {}
  ServerChild& operator=(ServerChild&&) = delete;

  /// "HOST:PORT"; empty when it ended before it listened.
  const std::string& address() const { return address_; }
  /// Waits until a client has been told where to read, and then until it surely does.
  void wait_for_reader() const {
    using Clock = std::chrono::steady_clock;
    for (const auto limit = Clock::now() + std::chrono::seconds(60); log_so_far().find(" reads by ") == std::string::npos;) {
      if (Clock::now() > limit) return ADD_FAILURE() << "nobody came to read: " << log_so_far();
      ::usleep(5000);
    }
    ::usleep(500'000);
  }
  void send(int signal) const { ::kill(id_, signal); }
  bool is_running() const { return ::waitpid(id_, nullptr, WNOHANG) == 0; }
  /// As waitpid() has it.
  int wait() {
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = -1;
    return status;
  }
  /// Returns whether it ends within `limit`.
  bool ends_within(std::chrono::milliseconds limit) const {
    for (const auto start = std::chrono::steady_clock::now(); std::chrono::steady_clock::now() - start < limit; ::usleep(5000)) {
      siginfo_t about{};
      if (::waitid(P_PID, static_cast<id_t>(id_), &about, WEXITED | WNOHANG | WNOWAIT) == 0 && about.si_pid == id_) return true;
    }
    return false;
  }

 private:
  static std::string read_address(int fd) {
    constexpr int kMostMs = 60'000;
    const std::string announced = "listening at ";
    std::string line;
    for (char c = 0; line.find('\n') == std::string::npos;) {
      pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
      if (::poll(&ready, 1, kMostMs) <= 0 || ::read(fd, &c, 1) <= 0) return {};
      line += c;
    }
    return line.rfind(announced, 0) == 0 ? line.substr(announced.size(), line.size() - announced.size() - 1) : std::string();
  }

  /// Returns its standard error.
  std::string log_so_far() const {
    std::string text(1 << 16, '\0');
    const ssize_t bytes = ::pread(log_.get(), text.data(), text.size(), 0);
    text.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
    return text;
  }

  OwnedFd log_{::memfd_create("graphmemd", MFD_CLOEXEC)};
  pid_t id_ = -1;
  std::string address_;
};

}  // namespace graphrun::test
