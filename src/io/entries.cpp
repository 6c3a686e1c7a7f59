#include "io/entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <mutex>

#include "graphrun/core/error.hpp"
#include "graphrun/core/parallel.hpp"
#include "io/line_parser.hpp"

namespace graphrun::io {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr std::uint64_t kLargestWord = std::numeric_limits<std::uint32_t>::max();

/// The fault that comes first in the file, among those that several workers find.
class FaultLog {
 public:
  void report(std::size_t offset, std::string message) {
    const std::lock_guard lock(mutex_);
    if (offset >= offset_.load(std::memory_order_relaxed)) return;
    offset_.store(offset, std::memory_order_relaxed);
    message_ = std::move(message);
  }
  /// True when a fault before `offset` is known, so that nothing from there on can matter.
  bool precedes(std::size_t offset) const { return offset_.load(std::memory_order_relaxed) < offset; }
  bool any() const { return offset_.load(std::memory_order_relaxed) != kNone; }
  [[noreturn]] void raise(const Text& text) const { throw_at(text, offset_.load(), message_); }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::mutex mutex_;
  std::atomic<std::size_t> offset_{kNone};
  std::string message_;
};

/// body(p) for each entry line of [p, end), with `p` at its first token; body returns false to stop.
template <class Body>
void for_each_entry(const char* p, const char* end, bool hash_comments, Body&& body) {
  for (; p < end; p = next_line(p, end)) {
    p = skip_blanks(p, end);
    if (at_line_end(p, end) || *p == '%' || (hash_comments && *p == '#')) continue;
    if (!body(p)) return;
  }
}

enum class Values { none, u32, f32 };

/// Parses one line. On a fault `p` stays at the token and `message` says what is wrong.
class EntryParser {
 public:
  EntryParser(const EntryRule& rule, const char* end) : rule_(rule), end_(end) {}

  std::uint64_t source = 0;
  std::uint64_t target = 0;
  std::uint32_t word = 0;
  bool needs_f32 = false;  ///< Values::u32 only: the value is fine but no u32
  std::string message;

  template <Values kValues>
  bool parse(const char*& p) {
    if (!parse_id(p, rule_.num_sources, source)) return false;
    p = skip_blanks(p, end_);
    if (!parse_id(p, rule_.num_targets, target)) return false;
    p = skip_blanks(p, end_);
    if constexpr (kValues != Values::none) {
      if (at_line_end(p, end_)) return fault("expected a value after the two ids, found " + quote_token(p, end_));
      if (!(rule_.whole_values ? parse_whole<kValues>(p) : parse_number<kValues>(p))) return false;
      p = skip_blanks(p, end_);
    }
    if (!at_line_end(p, end_)) {
      return fault(
          fmt::format("unexpected {} after {}", quote_token(p, end_), kValues == Values::none ? "the two ids" : "the value"));
    }
    return true;
  }

 private:
  bool fault(std::string text) {
    message = std::move(text);
    return false;
  }

  bool parse_id(const char*& p, std::uint64_t count, std::uint64_t& id) {
    std::uint64_t stored = 0;
    const Parsed parsed = parse_unsigned(p, end_, stored);
    if (parsed == Parsed::ok && stored - rule_.first_id < count) {  // wraps for an id below the first one
      id = stored - rule_.first_id;
      return true;
    }
    return parsed == Parsed::ok ? fault(describe_range(std::to_string(stored), count)) : describe_bad_id(p, parsed, count);
  }

  std::string describe_range(const std::string& id, std::uint64_t count) const {
    if (count == 0) return fmt::format("id {} in a matrix without rows or columns", id);
    return fmt::format("id {} is outside {}..{}, {}", id, rule_.first_id, rule_.first_id + count - 1, rule_.limit_reason);
  }

  bool describe_bad_id(const char* p, Parsed parsed, std::uint64_t count) {
    if (parsed == Parsed::too_large) return fault(describe_range(quote_token(p, end_), count));
    const char* digits = p + 1;
    std::uint64_t ignored = 0;
    const bool negative = p < end_ && *p == '-' && parse_unsigned(digits, end_, ignored) != Parsed::not_a_number;
    return fault(negative ? fmt::format("vertex id {} is negative", quote_token(p, end_))
                          : "expected a vertex id, found " + quote_token(p, end_));
  }

  /// An integer of a MatrixMarket "integer" file: a sign and digits.
  template <Values kValues>
  bool parse_whole(const char*& p) {
    const char* digits = p < end_ && (*p == '-' || *p == '+') ? p + 1 : p;
    std::uint64_t magnitude = 0;
    const Parsed parsed = parse_unsigned(digits, end_, magnitude);
    if (parsed == Parsed::not_a_number) return fault("expected an integer value, found " + quote_token(p, end_));
    if (parsed == Parsed::too_large || magnitude > kLargestWord)
      return fault(fmt::format("value {} does not fit 32 bits", quote_token(p, end_)));
    const bool negative = *p == '-' && magnitude != 0;
    p = digits;
    if constexpr (kValues == Values::u32) {
      needs_f32 = negative;
      word = static_cast<std::uint32_t>(magnitude);
    } else {
      const auto value = static_cast<float>(magnitude);
      word = std::bit_cast<std::uint32_t>(negative ? -value : value);
    }
    return true;
  }

  template <Values kValues>
  bool parse_number(const char*& p) {
    if constexpr (kValues == Values::u32) {
      std::uint64_t whole = 0;
      if (parse_unsigned(p, end_, whole) == Parsed::ok) {
        needs_f32 = whole > kLargestWord;
        word = static_cast<std::uint32_t>(whole);
        return true;
      }
    }
    double value = 0;
    const Parsed parsed = parse_real(p, end_, value);
    if (parsed == Parsed::not_a_number) return fault("expected a number as value, found " + quote_token(p, end_));
    if (parsed == Parsed::too_large) return fault(fmt::format("value {} is not a finite 32-bit float", quote_token(p, end_)));
    if constexpr (kValues == Values::u32) {
      needs_f32 = value < 0 || value > static_cast<double>(kLargestWord) || value != std::floor(value);
      if (!needs_f32) word = static_cast<std::uint32_t>(value);
    } else {
      word = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    }
    return true;
  }

  const EntryRule& rule_;
  const char* end_;
};

/// Fills `edges`; false when a value asks for f32 instead of u32.
template <Values kValues>
bool parse_pass(const EntryLines& lines, const EntryRule& rule, EdgeList& edges, ThreadPool& pool) {
  FaultLog faults;
  std::atomic<bool> needs_f32{false};
  std::atomic<std::uint64_t> num_vertices{0};
  const char* base = lines.text->begin();
  parallel_for(
      pool, lines.pieces(),
      [&](std::size_t piece) {
        if (faults.precedes(lines.bounds[piece]) || needs_f32.load(std::memory_order_relaxed)) return;
        const char* end = base + lines.bounds[piece + 1];
        EntryParser entry(rule, end);
        std::uint64_t index = lines.first_entry[piece];
        std::uint64_t largest = 0;
        for_each_entry(base + lines.bounds[piece], end, lines.hash_comments, [&](const char*& p) {
          if (!entry.parse<kValues>(p)) {
            faults.report(static_cast<std::size_t>(p - base), std::move(entry.message));
            return false;
          }
          if (kValues == Values::u32 && entry.needs_f32) {
            needs_f32.store(true, std::memory_order_relaxed);
            return false;
          }
          const std::uint64_t target = entry.target + rule.target_shift;
          edges.sources[index] = static_cast<VertexId>(entry.source);
          edges.targets[index] = static_cast<VertexId>(target);
          if constexpr (kValues != Values::none) edges.weights[index] = entry.word;
          largest = std::max({largest, entry.source + 1, target + 1});
          ++index;
          return true;
        });
        std::uint64_t seen = num_vertices.load(std::memory_order_relaxed);
        while (largest > seen && !num_vertices.compare_exchange_weak(seen, largest, std::memory_order_relaxed)) {
        }
      },
      1);
  if (needs_f32.load()) return false;
  if (faults.any()) faults.raise(*lines.text);
  edges.num_vertices = static_cast<VertexId>(num_vertices.load());
  edges.weight_kind = kValues == Values::none ? WeightKind::none : kValues == Values::u32 ? WeightKind::u32 : WeightKind::f32;
  return true;
}

}  // namespace

void throw_at(const Text& text, std::size_t offset, const std::string& message) {
  throw DataError(fmt::format("{}:{}: {}", text.path, line_number(text, offset), message));
}

EntryLines find_entries(const Text& text, std::size_t begin, bool hash_comments, ThreadPool& pool) {
  EntryLines lines{&text, hash_comments, {begin}, {}};
  const std::size_t size = text.bytes.size();
  for (std::size_t cut = begin + kPieceBytes; cut < size; cut = lines.bounds.back() + kPieceBytes) {
    lines.bounds.push_back(static_cast<std::size_t>(next_line(text.begin() + cut, text.end()) - text.begin()));
  }
  if (lines.bounds.back() != size) lines.bounds.push_back(size);
  if (lines.bounds.size() == 1) lines.bounds.push_back(size);
  lines.first_entry.assign(lines.bounds.size(), 0);
  parallel_for(
      pool, lines.pieces(),
      [&](std::size_t piece) {
        std::uint64_t count = 0;
        for_each_entry(text.begin() + lines.bounds[piece], text.begin() + lines.bounds[piece + 1], hash_comments,
                       [&](const char*) {
                         ++count;
                         return true;
                       });
        lines.first_entry[piece] = count;
      },
      1);
  exclusive_scan(pool, lines.first_entry.data(), lines.first_entry.size());
  return lines;
}

std::size_t entry_offset(const EntryLines& lines, std::uint64_t index) {
  const auto after = std::upper_bound(lines.first_entry.begin(), lines.first_entry.end(), index);
  const auto piece = static_cast<std::size_t>(after - lines.first_entry.begin()) - 1;
  std::uint64_t left = index - lines.first_entry[piece];
  const char* base = lines.text->begin();
  const char* found = base;
  for_each_entry(base + lines.bounds[piece], base + lines.bounds[piece + 1], lines.hash_comments, [&](const char* p) {
    found = p;
    return left-- != 0;
  });
  return static_cast<std::size_t>(found - base);
}

EdgeList parse_entries(const EntryLines& lines, const EntryRule& rule, ThreadPool& pool) {
  EdgeList edges;
  edges.sources = Column<VertexId>::allocate(lines.count());
  edges.targets = Column<VertexId>::allocate(lines.count());
  if (!rule.valued) {
    parse_pass<Values::none>(lines, rule, edges, pool);
    return edges;
  }
  edges.weights = Column<std::uint32_t>::allocate(lines.count());
  if (!rule.prefer_u32 || !parse_pass<Values::u32>(lines, rule, edges, pool)) parse_pass<Values::f32>(lines, rule, edges, pool);
  return edges;
}

void check_density(const Text& text, std::uint64_t n, std::uint64_t m) {
  constexpr std::uint64_t kFree = std::uint64_t{1} << 20;
  constexpr std::uint64_t kVerticesPerEntry = 512;
  if (n > kFree && n - kFree > kVerticesPerEntry * m) {
    throw DataError(fmt::format("{}: ids too sparse: {} vertices for {} entries; renumber the vertices", text.path, n, m));
  }
}

}  // namespace graphrun::io
