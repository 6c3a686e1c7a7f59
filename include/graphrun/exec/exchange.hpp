// SPDX-License-Identifier: Apache-2.0
// Collectives of a run's ranks. Each rank owns some vertices, scans their lists, and publishes its results.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace graphrun {

/// Totals of a rank's calls.
struct ExchangeCounts {
  std::uint64_t exchanges = 0;
  std::vector<std::uint64_t> bytes_from = {};  ///< received, by sending rank
  double waited_ms = 0;                        ///< waiting time for later ranks

  void add(std::size_t from, std::uint64_t bytes) {
    if (bytes_from.size() <= from) bytes_from.resize(from + 1);
    bytes_from[from] += bytes;
  }
  std::uint64_t bytes() const { return std::accumulate(bytes_from.begin(), bytes_from.end(), std::uint64_t{0}); }
  ExchangeCounts operator-(const ExchangeCounts& less) const {
    ExchangeCounts left{exchanges - less.exchanges, bytes_from, waited_ms - less.waited_ms};
    std::transform(less.bytes_from.begin(), less.bytes_from.end(), left.bytes_from.begin(), left.bytes_from.begin(),
                   [](std::uint64_t before, std::uint64_t after) { return after - before; });
    return left;
  }
};

/// Returns the bytes that all ranks received.
inline std::uint64_t bytes_of(const std::vector<ExchangeCounts>& ranks) {
  return std::accumulate(ranks.begin(), ranks.end(), std::uint64_t{0},
                         [](std::uint64_t bytes, const ExchangeCounts& rank) { return bytes + rank.bytes(); });
}
inline double longest_wait_ms(const std::vector<ExchangeCounts>& ranks) {
  return std::ranges::max(ranks, {}, &ExchangeCounts::waited_ms).waited_ms;
}

/// A rank's position in hosts and processes.
struct RankPlace {
  int on_host = 0;          ///< index among the ranks of its host
  bool one_host = true;     ///< all ranks are on this host
  bool one_process = true;  ///< all ranks are threads of this process
};

/// One rank's side of the collectives. All ranks make the same calls in the same order, each from one thread at a time.
class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual RankPlace place() const = 0;
  /// Returns whether another rank reports the kernel's counters of the same process.
  virtual bool counted_elsewhere() const = 0;

  /// Publishes `mine`. Returns all ranks' bytes, by rank, valid until the next call. Throws RunError naming the rank that has
  /// left or missed the deadline.
  virtual std::span<const std::span<const std::byte>> all_gather(std::span<const std::byte> mine) = 0;
  /// Ends this rank with an error: the others' calls throw it, or their processes exit with `code`.
  virtual void leave(const std::string& why, int code = 1) noexcept = 0;
  /// Makes the exchange usable again after an error, while no rank is in a call.
  virtual void start_over() = 0;

  const ExchangeCounts& counts() const { return counts_; }
  /// Counts bytes from another rank that did not come by all_gather().
  void count_received(std::size_t from, std::uint64_t bytes) { counts_.add(from, bytes); }

 protected:
  ExchangeCounts counts_;
};

/// Throws RunError unless a rank published as many bytes as this one expects: ranks may be in different steps, such as when some
/// of them ask for an output and some do not.
void check_published(std::span<const std::byte> bytes, std::size_t expected);

/// Copies what a rank published. Throws as check_published().
template <class T>
void copy_published(std::span<const std::byte> bytes, std::span<T> to) {
  static_assert(std::is_trivially_copyable_v<T>);
  check_published(bytes, to.size_bytes());
  if (!to.empty()) std::memcpy(to.data(), bytes.data(), bytes.size());
}

/// Returns all ranks' `mine`, by rank. Throws as check_published().
template <class T>
std::vector<T> gather_values(Exchange& exchange, const T& mine) {
  std::vector<T> values;
  for (const auto bytes : exchange.all_gather(std::as_bytes(std::span(&mine, 1))))
    copy_published(bytes, std::span(&values.emplace_back(), 1));
  return values;
}

/// Longest wait for other ranks, above any busy rank's step; a stuck rank ends the run.
inline constexpr double kRankDeadlineMs = 300e3;

/// Returns the exchanges of `ranks` ranks that are threads of this process, by rank.
std::vector<std::unique_ptr<Exchange>> exchange_of_threads(int ranks, double deadline_ms = kRankDeadlineMs);

/// Throws RunError, which names a rank, unless all ranks publish the same text.
void check_same(Exchange& exchange, const std::string& text, const std::string& what);

/// The vertices [first, last) of a rank, and its exchange. The default is the part of a single rank.
struct RankPart {
  Exchange* exchange = nullptr;
  std::uint64_t first = 0;
  std::uint64_t last = ~std::uint64_t{0};

  bool is_single_rank() const { return exchange == nullptr; }
  std::size_t ranks() const { return is_single_rank() ? 1 : static_cast<std::size_t>(exchange->size()); }
  std::size_t rank() const { return is_single_rank() ? 0 : static_cast<std::size_t>(exchange->rank()); }
  bool owns(std::uint64_t v) const { return first <= v && v < last; }
  /// Returns the part within a graph of `vertices` vertices.
  RankPart within(std::uint64_t vertices) const { return {exchange, first, last < vertices ? last : vertices}; }
};

}  // namespace graphrun
