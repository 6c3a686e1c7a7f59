// Collectives of the ranks of one run: each owns some vertices, scans their lists, and publishes its results.
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
  std::uint64_t meetings = 0;
  std::vector<std::uint64_t> bytes_from = {};  ///< received, by the rank that they came from
  double waited_ms = 0;                        ///< for ranks that came later

  void add(std::size_t from, std::uint64_t bytes) {
    if (bytes_from.size() <= from) bytes_from.resize(from + 1);
    bytes_from[from] += bytes;
  }
  std::uint64_t bytes() const { return std::accumulate(bytes_from.begin(), bytes_from.end(), std::uint64_t{0}); }
  ExchangeCounts operator-(const ExchangeCounts& less) const {
    ExchangeCounts left{meetings - less.meetings, bytes_from, waited_ms - less.waited_ms};
    std::transform(less.bytes_from.begin(), less.bytes_from.end(), left.bytes_from.begin(), left.bytes_from.begin(),
                   [](std::uint64_t before, std::uint64_t after) { return after - before; });
    return left;
  }
};

/// Of all ranks.
inline std::uint64_t bytes_of(const std::vector<ExchangeCounts>& ranks) {
  return std::accumulate(ranks.begin(), ranks.end(), std::uint64_t{0},
                         [](std::uint64_t bytes, const ExchangeCounts& rank) { return bytes + rank.bytes(); });
}
inline double longest_wait_ms(const std::vector<ExchangeCounts>& ranks) {
  return std::ranges::max(ranks, {}, &ExchangeCounts::waited_ms).waited_ms;
}

/// Where a rank is.
struct RankPlace {
  int on_host = 0;          ///< among the ranks of its host
  bool one_host = true;     ///< which has all of them
  bool one_process = true;  ///< of which all are threads
};

/// One rank's side. All ranks make the same calls in the same order, each from one thread at a time.
class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual RankPlace place() const = 0;
  /// Returns whether another rank counts the same process's counters of the kernel.
  virtual bool counted_elsewhere() const = 0;

  /// Publishes `mine`. Returns each rank's bytes, by rank, valid until the next call. Throws RunError naming the rank when one
  /// has left or does not come within the deadline.
  virtual std::span<const std::span<const std::byte>> all_gather(std::span<const std::byte> mine) = 0;
  /// Ends this rank with an error: the others' calls throw it, or their processes end with `code`.
  virtual void leave(const std::string& why, int code = 1) noexcept = 0;
  /// Lets ranks exchange again after an error, while none of them is in a call.
  virtual void start_over() = 0;

  const ExchangeCounts& counts() const { return counts_; }
  /// Counts bytes that came from another rank beside all_gather().
  void count_received(std::size_t from, std::uint64_t bytes) { counts_.add(from, bytes); }

 protected:
  ExchangeCounts counts_;
};

/// Returns each rank's `mine`, by rank.
template <class T>
std::vector<T> gather_values(Exchange& exchange, const T& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> values;
  for (const auto bytes : exchange.all_gather(std::as_bytes(std::span(&mine, 1))))
    std::memcpy(&values.emplace_back(), bytes.data(), sizeof(T));
  return values;
}

/// How long a rank waits for others: longer than for a busy one; a stuck one ends the run.
inline constexpr double kRankDeadlineMs = 300e3;

/// Ranks that are threads of this process.
std::vector<std::unique_ptr<Exchange>> exchange_of_threads(int ranks, double deadline_ms = kRankDeadlineMs);

/// Throws RunError, which names a rank, unless all ranks publish the same text.
void check_same(Exchange& exchange, const std::string& text, const std::string& what);

/// The vertices [first, last) of a rank, and its exchange. The default is the part of a single rank.
struct RankPart {
  Exchange* exchange = nullptr;
  std::uint64_t first = 0;
  std::uint64_t last = ~std::uint64_t{0};

  bool is_single_rank() const { return exchange == nullptr; }
  bool owns(std::uint64_t v) const { return first <= v && v < last; }
  /// Of a graph with so many vertices.
  RankPart within(std::uint64_t vertices) const { return {exchange, first, last < vertices ? last : vertices}; }
};

}  // namespace graphrun
