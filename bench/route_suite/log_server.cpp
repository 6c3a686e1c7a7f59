// SPDX-License-Identifier: Apache-2.0

#include "route_suite/log_server.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string_view>
#include <thread>
#include <unordered_set>

#include "core/raise.hpp"
#include "graphrun/core/random.hpp"
#include "route_suite/replay.hpp"

namespace graphrun::bench {
namespace {

constexpr std::uint64_t kUpdateBytes = 1 << 20;
constexpr std::uint64_t kLeastLine = 64;  // bytes
constexpr std::uint64_t kSuspicious = 1000;
constexpr std::uint64_t kMostAhead = 32;  // updates that the writer is ahead of the scanner
constexpr double kNoLimitMs = 600'000;

std::string address_of(std::uint64_t draw) {
  return fmt::format("{}.{}.{}.{}", draw % 256, draw >> 8 & 255, draw >> 16 & 255, draw >> 24 & 255);
}

/// Lines of an update, whole and padded with spaces, and how many begin with a suspicious address.
struct Update {
  std::string text;
  std::uint64_t suspicious_lines = 0;
};

/// Returns addresses from which nothing good comes.
const std::unordered_set<std::string>& suspicious_addresses() {
  static const auto kAddresses = [] {
    std::unordered_set<std::string> all;
    for (std::uint64_t i = 0; i < kSuspicious; ++i) all.insert(address_of(splitmix64(i, 4, 0)));
    return all;
  }();
  return kAddresses;
}

/// Returns a few updates, which the writer sends in turn: making lines is the work of those who log.
const std::vector<Update>& updates() {
  constexpr std::uint64_t kUpdates = 8;
  constexpr std::uint64_t kLinesOfAFind = 500;
  static const auto kAll = [] {
    std::vector<Update> all(kUpdates);
    std::uint64_t line = 0;
    for (Update& update : all) {
      while (update.text.size() + 3 * kLeastLine < kUpdateBytes) {
        const std::uint64_t draw = splitmix64(++line, 5, 0);
        const bool is_suspicious = draw % kLinesOfAFind == 0;
        const std::string from = address_of(is_suspicious ? splitmix64(draw / kLinesOfAFind % kSuspicious, 4, 0) : draw >> 16);
        update.suspicious_lines += suspicious_addresses().contains(from) ? 1 : 0;
        update.text +=
            fmt::format("{} - - [29/Nov/2026:12:00:00 +0000] \"GET /{:x} HTTP/1.1\" 200 {}\n", from, draw, draw % 100'000);
      }
      update.text.resize(kUpdateBytes - 1, ' ');
      update.text += '\n';
    }
    return all;
  }();
  return kAll;
}

std::uint64_t count_suspicious(std::string_view text) {
  const auto& addresses = suspicious_addresses();
  std::string address;
  std::uint64_t found = 0;
  while (!text.empty()) {
    address.assign(text, 0, text.substr(0, kLeastLine).find(' '));
    found += addresses.contains(address) ? 1 : 0;
    const void* const end = std::memchr(text.data(), '\n', text.size());
    if (end == nullptr) break;
    text.remove_prefix(static_cast<std::size_t>(static_cast<const char*>(end) - text.data()) + 1);
  }
  return found;
}

/// Writes updates in a thread, a bounded number ahead of the scanner.
class Writer {
 public:
  Writer(int fd, std::uint64_t count)
      : thread_([this, fd, count](const std::stop_token& stop) {
          for (std::uint64_t i = 0; i < count; ++i) {
            std::unique_lock lock(mutex_);
            if (!changed_.wait(lock, stop, [&] { return i < scanned_ + kMostAhead; })) return;
            lock.unlock();
            const std::string& text = updates()[i % updates().size()].text;
            if (::pwrite(fd, text.data(), text.size(), static_cast<off_t>(i * kUpdateBytes)) != static_cast<ssize_t>(text.size()))
              return;
            lock.lock();
            written_ = i + 1;
            changed_.notify_all();
          }
        }) {}

  /// Waits for an update; says that those before it were scanned. Returns false when it could not be written.
  bool wait_for(std::uint64_t update) {
    constexpr std::chrono::seconds kMost{60};
    std::unique_lock lock(mutex_);
    scanned_ = update;
    changed_.notify_all();
    return changed_.wait_for(lock, kMost, [&] { return written_ > update; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::uint64_t written_ = 0;
  std::uint64_t scanned_ = 0;
  std::jthread thread_;
};

}  // namespace

LogServer::LogServer(const std::string& folder, std::uint64_t bytes)
    : file_(folder), updates_(std::max<std::uint64_t>(1, bytes / kUpdateBytes)) {
  const std::string old(kUpdateBytes, '\n');
  for (std::uint64_t i = 0; i < updates_; ++i) file_.append(old.data(), old.size());
  file_.flush();
}

LogRun LogServer::in_real_time(Route route) { return scan(route, true); }
LogRun LogServer::offline(Route route) { return scan(route, false); }

LogRun LogServer::scan(Route route, bool in_real_time) {
  const int fd = file_.descriptor();
  ::fdatasync(fd);
  ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  const Pace pace{in_real_time ? 1u : 4u, kUpdateBytes, kNoLimitMs};
  auto memory = memory_of(pace);  // outlives the engine that fills it
  const auto engine = open_uring_engine({{"the log", fd}}, pace.depth, route);
  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < updates_; ++i) expected += updates()[i % updates().size()].suspicious_lines;
  LogRun run;
  std::optional<Writer> writer;
  if (in_real_time) writer.emplace(fd, updates_);
  const Replayed replayed = replay(
      *engine, memory, pace,
      [&](std::uint64_t i) -> std::optional<Request> {
        if (i == updates_) return std::nullopt;
        if (writer && !writer->wait_for(i)) throw DataError("the log server could not write its file");
        return Request{i * kUpdateBytes, kUpdateBytes};
      },
      [&](const Request& request, const std::byte* data) {
        run.suspicious_lines += count_suspicious({reinterpret_cast<const char*>(data), request.bytes});
      });
  if (run.suspicious_lines != expected) {
    raise<DataError>("the scanner found {} lines where {} were written", run.suspicious_lines, expected);
  }
  run.bytes_per_second = replayed.bytes_per_second;
  run.processors = replayed.processors;
  run.routed = engine->routed();
  return run;
}

}  // namespace graphrun::bench
