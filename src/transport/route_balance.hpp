// SPDX-License-Identifier: Apache-2.0
// Load balancing of reads whose bytes are cached: a processor copies them, or storage reads them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "graphrun/transport/cached_pages.hpp"
#include "graphrun/transport/route.hpp"

namespace graphrun {

/// Joins the shorter of two queues: copies that a processor has to make, and reads that storage has out. SPIN takes a page cache
/// that is always faster than its disk (section 4.3.1). Storage of virtual machines can be as fast as a copy, and processors may
/// have other work, so both are measured as they go, beside their costs when the file was opened. One thread at a time.
class RouteBalance {
 public:
  using Clock = std::chrono::steady_clock;

  /// Returns whether storage is to read cached bytes: it is faster than the processor, or idle while copies queue up.
  bool is_storage_sooner(const TransferCosts& costs, std::uint64_t bytes) const {
    const auto read_us = [&](std::uint64_t all) { return costs.direct(pages(all)) * reads_.factor(); };
    const auto copy_us = [&](std::uint64_t all) { return costs.cached(pages(all)) * copies_.factor(); };
    return read_us(bytes) < copy_us(bytes) || read_us(out_ + bytes) < copy_us(queued_ + bytes);
  }
  /// Notes that storage got cached bytes: many reads later a processor that was slow is tried again.
  void prefer_storage(std::uint64_t bytes) {
    constexpr double kWeight = 1.0 / 16;
    copies_.add(kWeight * pages(bytes), kWeight * pages(bytes));
  }

  void queue_copy(std::uint64_t bytes) { queued_ += bytes; }
  void take_copy(std::uint64_t bytes) { queued_ -= bytes; }
  /// Notes the time that a processor spent on copies.
  void end_copies(const TransferCosts& costs, std::uint64_t bytes, Clock::duration time) {
    copies_.add(pages(bytes), us(time) / costs.cached_page_us);
    has_copied_ = true;
  }
  void start_read(std::uint64_t bytes, Clock::time_point now) {
    if (out_ == 0) last_end_ = now;
    out_ += bytes;
  }
  /// Notes that storage ended reads, all that a poll found. Reads that were found late are no sign of slow storage.
  void end_reads(const TransferCosts& costs, std::uint64_t bytes, Clock::time_point now) {
    out_ -= bytes;
    if (out_ != 0 && !is_late_)
      reads_.add(pages(bytes), us(now - last_end_) / costs.direct_page_us);  // else it may have been idle
    last_end_ = now;
  }

  bool is_time_for_wait(Clock::time_point now) const { return now - last_wait_ >= std::chrono::milliseconds(1); }
  /// Notes how long the thread was ready and had no processor, since it began. A scheduler lets a thread wait after it ran, so
  /// copies cost that time, too, wherever it falls.
  void note_wait(const TransferCosts& costs, Clock::time_point now, Clock::duration all) {
    constexpr int kMostLate = 16;  // a part of the time
    const auto waited = std::max(all - std::exchange(waited_, all), Clock::duration{});
    const bool is_first = last_wait_ == Clock::time_point{};
    is_late_ = !is_first && waited * kMostLate > now - last_wait_;
    if (std::exchange(has_copied_, false) && !is_first) copies_.add(0, us(waited) / costs.cached_page_us);
    last_wait_ = now;
  }

 private:
  /// Time over what it should be, of about the last kPages pages. Other work takes a processor away for the time of many copies.
  class Slowness {
   public:
    void add(double pages, double pages_in_that_time) { sum_ = (sum_ + pages_in_that_time) * kPages / (kPages + pages); }
    double factor() const { return sum_ / kPages; }

   private:
    static constexpr double kPages = 4096;
    double sum_ = kPages;
  };

  static double us(Clock::duration time) { return std::chrono::duration<double, std::micro>(time).count(); }
  static double pages(std::uint64_t bytes) { return static_cast<double>(bytes) / static_cast<double>(cache_page_bytes()); }

  Slowness copies_;
  Slowness reads_;
  std::uint64_t queued_ = 0;       ///< bytes to copy
  std::uint64_t out_ = 0;          ///< bytes that storage reads
  Clock::time_point last_end_{};   ///< of a read, or the start of the first
  Clock::time_point last_wait_{};  ///< that was noted
  Clock::duration waited_{};
  bool has_copied_ = false;  ///< since then
  bool is_late_ = false;     ///< the thread waited for a processor
};

}  // namespace graphrun
