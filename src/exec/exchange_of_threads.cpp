// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads of one process: a barrier, and two buffers a rank. A rank reuses a buffer two calls later, when every
// rank has read it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "core/raise.hpp"
#include "core/spin.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/exec/exchange.hpp"

namespace graphrun {
namespace {

class Rendezvous {
 public:
  Rendezvous(int ranks, double deadline_ms)
      : came_(static_cast<std::size_t>(ranks), 0),
        deadline_ms_(deadline_ms),
        spins_(std::thread::hardware_concurrency() >= static_cast<unsigned>(ranks)) {}

  /// Returns when every rank has called it as often as this one.
  void come(int rank) {
    std::unique_lock lock(mutex_);
    throw_if_left();
    const std::uint64_t turn = ++came_[static_cast<std::size_t>(rank)];
    const bool is_last = std::ranges::all_of(came_, [&](std::uint64_t times) { return times >= turn; });
    if (is_last) complete_.store(turn, std::memory_order_release);
    lock.unlock();  // woken ranks lock it
    if (is_last) {
      changed_.notify_all();
      return;
    }
    const auto is_complete = [&] { return complete_.load(std::memory_order_acquire) >= turn; };
    if (spins_ && spin_until(is_complete)) return;
    lock.lock();
    changed_.wait_for(lock, std::chrono::duration<double, std::milli>(deadline_ms_),
                      [&] { return is_complete() || !left_.empty(); });
    if (is_complete()) return;
    throw_if_left();
    const auto late = std::ranges::min_element(came_) - came_.begin();
    left_ = fmt::format("rank {} did not come to the others within {} s", late, deadline_ms_ / 1000);
    changed_.notify_all();
    throw_if_left();
  }

  void start_over() {
    std::ranges::fill(came_, std::uint64_t{0});
    complete_ = 0;
    left_.clear();
  }

  void leave(int rank, const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (left_.empty()) left_ = fmt::format("rank {} ended: {}", rank, why);
    changed_.notify_all();
  }

 private:
  void throw_if_left() const {
    if (!left_.empty()) throw RunError(left_);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::uint64_t> came_;         // calls, by rank
  std::atomic<std::uint64_t> complete_{0};  // calls completed by every rank
  std::string left_;                        // reason for the end of this run
  double deadline_ms_;
  bool spins_;  // false where ranks share processors; being woken takes as long as a small step
};

class ThreadExchange;

struct Group {
  Group(int size, double deadline_ms) : place(size, deadline_ms) {}
  Rendezvous place;
  std::vector<ThreadExchange*> ranks;
};

class ThreadExchange final : public Exchange {
 public:
  ThreadExchange(std::shared_ptr<Group> group, int rank) : group_(std::move(group)), rank_(rank) {
    group_->ranks.push_back(this);
  }

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(group_->ranks.size()); }
  RankPlace place() const override { return {.on_host = rank_}; }
  bool counted_elsewhere() const override { return rank_ != 0; }

  std::span<const std::span<const std::byte>> all_gather(std::span<const std::byte> mine) override {
    const std::size_t side = counts_.exchanges++ % 2;
    published_[side].assign(mine.begin(), mine.end());
    const Timer waiting;
    group_->place.come(rank_);
    counts_.waited_ms += waiting.elapsed_ms();
    gathered_.clear();
    for (const ThreadExchange* other : group_->ranks) {
      const auto from = gathered_.size();
      gathered_.emplace_back(other->published_[side]);
      counts_.add(from, other == this ? 0 : gathered_.back().size());
    }
    return gathered_;
  }

  void leave(const std::string& why, int) noexcept override { group_->place.leave(rank_, why); }
  void start_over() override {
    counts_ = {};
    group_->place.start_over();
  }

 private:
  std::shared_ptr<Group> group_;
  int rank_;
  std::array<std::vector<std::byte>, 2> published_;
  std::vector<std::span<const std::byte>> gathered_;
};

}  // namespace

void check_published(std::span<const std::byte> bytes, std::size_t expected) {
  if (bytes.size() != expected)
    raise<RunError>("ranks are in different steps: one published {} bytes where another expects {}", bytes.size(), expected);
}

void check_same(Exchange& exchange, const std::string& text, const std::string& what) {
  const auto all = exchange.all_gather(std::as_bytes(std::span(text)));
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (!std::ranges::equal(all[rank], all[0]))
      raise<RunError>("rank {} has another {} than rank 0: all ranks need the same", rank, what);
  }
}

std::vector<std::unique_ptr<Exchange>> exchange_of_threads(int ranks, double deadline_ms) {
  const auto group = std::make_shared<Group>(ranks, deadline_ms);
  std::vector<std::unique_ptr<Exchange>> all;
  for (int rank = 0; rank < ranks; ++rank) all.push_back(std::make_unique<ThreadExchange>(group, rank));
  return all;
}

}  // namespace graphrun
