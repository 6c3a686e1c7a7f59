// SPDX-License-Identifier: Apache-2.0
// Parses a line of a text format into numbers, or into a sentence about its fault.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "graphrun/core/types.hpp"
#include "io/attributes.hpp"
#include "io/edge_columns.hpp"
#include "io/line_parser.hpp"
#include "io/name_table.hpp"

namespace graphrun::io::inline GR_IDS {

/// Ids first .. first + count - 1 are valid.
struct IdRange {
  std::uint64_t first = 0;  ///< what the file calls vertex 0
  std::uint64_t count = 0;
  std::string reason;     ///< ends the sentence about an id that is out of range
  std::string hint = {};  ///< ends the sentence about what is no id
};

/// The base of parsers of lines. `end` is the end of the text or of a line in it. Functions for every line are inlined by force,
/// and sentences are made out of line: left to the compiler, CSV was read 13 % slower.
class FieldParser {
 public:
  /// The fault, after a function returned false.
  std::string message;
  bool id_out_of_range = false;  ///< the fault is an id of 64 bits beyond its range
  std::uint32_t word = 0;        ///< the value
  std::uint64_t wide = 0;        ///< WeightKind::u64: the value
  /// WeightKind::u32 and u64 only: the kind of a value of another kind; none: it is of this kind.
  WeightKind needs = WeightKind::none;
  const char* too_large = nullptr;  ///< a value that no f32 holds: `word` is the largest then, and `message` says so
  bool rounded = false;             ///< WeightKind::f32 only: the value is above 2^24 or too small, and its f32 is another number
  bool rounded_beyond_u32 = false;  ///< and the value is a whole number beyond 32 bits
  const char* leading_zero = nullptr;  ///< the first id that was read as a number and begins with 0, as "007" does

 protected:
  explicit FieldParser(const char* end) : end_(end) {}

  static constexpr double kLargestOfAllWholeFloats = 0x1p24;
  static constexpr std::uint64_t kLargestWord = std::numeric_limits<std::uint32_t>::max();

  [[gnu::cold]] bool fault(std::string text) {
    message = std::move(text);
    return false;
  }
  [[gnu::cold]] bool expected(std::string_view what, const char* p) {
    return fault(fmt::format("expected {}, found {}", what, quote_token(p, end_)));
  }

  /// Moves `p` past the id when it is valid; `id` is 0-based.
  [[gnu::always_inline]] bool parse_id(const char*& p, const IdRange& range, std::uint64_t& id) {
    std::uint64_t stored = 0;
    const char* const begin = p;
    const Parsed parsed = parse_unsigned(p, end_, stored);
    if (parsed == Parsed::ok && stored - range.first < range.count) {  // wraps for an id below the first one
      if (*begin == '0' && p - begin > 1) [[unlikely]]
        note_leading_zero(begin);
      id = stored - range.first;
      return true;
    }
    id_out_of_range = parsed == Parsed::ok;
    return parsed == Parsed::ok ? fault(describe_range(std::to_string(stored), range)) : describe_bad_id(p, parsed, range);
  }

  [[gnu::cold]] bool describe_bad_id(const char* p, Parsed parsed, const IdRange& range) {
    if (parsed == Parsed::too_large && !range.hint.empty()) {
      return fault(fmt::format("id {} does not fit 64 bits{}", quote_token(p, end_), range.hint));
    }
    if (parsed == Parsed::too_large) return fault(describe_range(quote_token(p, end_), range));
    const char* digits = p + 1;
    std::uint64_t ignored = 0;
    const bool negative = p < end_ && *p == '-' && parse_unsigned(digits, end_, ignored) != Parsed::not_a_number;
    if (negative) return fault(fmt::format("vertex id {} is negative", quote_token(p, end_)));
    return fault(fmt::format("expected a vertex id, found {}{}", quote_token(p, end_), at_line_end(p, end_) ? "" : range.hint));
  }

  template <WeightKind kWeights>
  bool parse_number(const char*& p) {
    too_large = nullptr;
    if constexpr (kWeights != WeightKind::f32) {
      std::uint64_t whole = 0;
      if (parse_unsigned(p, end_, whole) == Parsed::ok) {
        take_whole<kWeights>(whole);
        return true;
      }
    }
    double value = 0;
    const char* const token = p;
    const Parsed parsed = parse_real(p, end_, value);
    if (parsed == Parsed::not_a_number) return expected("a number as value", p);
    if (parsed == Parsed::too_large) return take_largest(p, "is not a finite 32-bit float");
    if constexpr (kWeights == WeightKind::f32) {
      take_f32(value, token);
    } else if (value >= 0 && value < 0x1p53 && value == std::floor(value)) {
      take_whole<kWeights>(static_cast<std::uint64_t>(value));
    } else {
      const auto whole = value > 0 ? whole_in_digits(std::string_view(token, static_cast<std::size_t>(p - token))) : std::nullopt;
      whole ? take_whole<kWeights>(*whole) : static_cast<void>(needs = WeightKind::f32);
    }
    return true;
  }

  template <WeightKind kWeights>
  void take_whole(std::uint64_t whole) {
    if constexpr (kWeights == WeightKind::u64) {
      needs = WeightKind::none;
      wide = whole;
    } else {
      needs = whole > kLargestWord ? WeightKind::u64 : WeightKind::none;
      word = static_cast<std::uint32_t>(whole);
    }
  }

  /// Moves `p` past a value that no f32 holds.
  [[gnu::cold]] bool take_largest(const char*& p, const char* reason) {
    message = fmt::format("value {} {}", quote_token(p, end_), reason);
    too_large = p;
    p = token_end(p, end_);
    needs = WeightKind::f32;
    rounded = rounded_beyond_u32 = false;
    word = std::bit_cast<std::uint32_t>(std::numeric_limits<float>::max());
    return true;
  }

  [[gnu::cold]] void note_leading_zero(const char* begin) {
    if (leading_zero == nullptr) leading_zero = begin;
  }

  void take_f32(double value) {
    const auto nearest = static_cast<float>(value);
    rounded = static_cast<double>(nearest) != value && (nearest == 0 || std::abs(value) > kLargestOfAllWholeFloats);
    rounded_beyond_u32 = false;
    word = std::bit_cast<std::uint32_t>(nearest);
  }
  /// The same of the text at `digits`, which may be a whole number that a double rounds, too.
  void take_f32(double value, const char* digits) {
    take_f32(value);
    if (rounded || std::abs(value) >= 0x1p53) compare_whole(digits);
  }
  [[gnu::cold]] void compare_whole(const char* digits) {
    std::uint64_t whole = 0;
    const Parsed parsed = parse_unsigned(digits, end_, whole);
    const float taken = std::abs(std::bit_cast<float>(word));
    const bool is_exact = parsed == Parsed::ok && taken < 0x1p64F && static_cast<std::uint64_t>(taken) == whole;
    const bool is_beyond = parsed == Parsed::too_large || (parsed == Parsed::ok && whole > kLargestWord);
    rounded_beyond_u32 = is_beyond && !is_exact;
    rounded |= rounded_beyond_u32;
  }

  const char* end_;

 private:
  [[gnu::cold]] static std::string describe_range(const std::string& id, const IdRange& range) {
    if (range.count == 0) return fmt::format("id {} is outside an empty range, {}", id, range.reason);
    return fmt::format("id {} is outside {}..{}, {}", id, range.first, range.first + range.count - 1, range.reason);
  }
};

/// The form of a line "u v", "u v value" or "t u v value".
struct EntryRule {
  char tag = 0;          ///< a letter that every line begins with; 0: none
  std::string tag_form;  ///< what a line that begins otherwise should read
  IdRange sources;
  IdRange targets;
  std::uint64_t target_shift = 0;  ///< added to targets (bipartite graphs)
  bool valued = false;             ///< a value follows the ids; otherwise the line ends there
  bool whole_values = false;       ///< a value is an integer
};

/// Parses lines into `source`, `target` (shifted) and `word`.
class EntryParser : public FieldParser {
 public:
  static constexpr bool kNames = false;  ///< see RowParser

  EntryParser(const EntryRule& rule, const char* end) : FieldParser(end), rule_(rule) {}

  std::uint64_t source = 0;
  std::uint64_t target = 0;

  /// Parses the line at `p`; on a fault `p` stays at the token in question.
  template <WeightKind kWeights>
  [[gnu::always_inline]] bool parse(const char*& p) {
    if (rule_.tag != 0 && !parse_tag(p)) return false;
    if (!parse_id(p, rule_.sources, source)) return false;
    p = skip_blanks(p, end_);
    if (!parse_id(p, rule_.targets, target)) return false;
    target += rule_.target_shift;
    p = skip_blanks(p, end_);
    if constexpr (kWeights != WeightKind::none) {
      if (at_line_end(p, end_)) return expected("a value after the two ids", p);
      if (!(rule_.whole_values ? parse_whole<kWeights>(p) : parse_number<kWeights>(p))) return false;
      p = skip_blanks(p, end_);
    }
    if (at_line_end(p, end_)) return true;
    return fault(
        fmt::format("unexpected {} after {}", quote_token(p, end_), kWeights == WeightKind::none ? "the two ids" : "the value"));
  }

 private:
  bool parse_tag(const char*& p) {
    if (*p != rule_.tag || !at_token_end(p + 1, end_)) return expected(rule_.tag_form, p);
    p = skip_blanks(p + 1, end_);
    return true;
  }

  /// Parses an integer of a format that has no other values: a sign and digits.
  template <WeightKind kWeights>
  bool parse_whole(const char*& p) {
    const char* const first = *p == '-' || *p == '+' ? p + 1 : p;
    const char* digits = first;
    std::uint64_t magnitude = 0;
    const Parsed parsed = parse_unsigned(digits, end_, magnitude);
    if (parsed == Parsed::not_a_number) return expected("an integer value", p);
    too_large = nullptr;
    if (parsed == Parsed::too_large) return take_largest(p, "does not fit 64 bits");
    const bool negative = *p == '-' && magnitude != 0;
    p = digits;
    if constexpr (kWeights == WeightKind::f32) {
      const auto value = static_cast<double>(magnitude);
      take_f32(negative ? -value : value, first);
    } else {
      take_whole<kWeights>(magnitude);
      if (negative) needs = WeightKind::f32;
    }
    return true;
  }

  const EntryRule& rule_;
};

/// Parses rows into `source`, `target` and `word`: two columns hold ids, one may hold a weight. Unless kKind is none, ids are
/// names, and `source` and `target` the numbers that a table of this parser gives them.
template <NameKind kKind>
class RowParser : public FieldParser {
 public:
  static constexpr bool kNames = kKind != NameKind::none;  ///< ids are numbers of names()

  RowParser(const EntryRule& rule, const EdgeColumns& columns, const char* end)
      : FieldParser(end), rule_(rule), columns_(columns), line_end_(end), last_(columns.last()) {}

  std::uint64_t source = 0;
  std::uint64_t target = 0;

  NameTable& names() { return names_; }

  /// Parses the line at `p`; on a fault `p` stays in it.
  template <WeightKind kWeights>
  [[gnu::always_inline]] bool parse(const char*& p) {
    RowField field;
    bool more = true;
    for (std::size_t column = 0; more; ++column) {
      if (column > last_ && columns_.most == EdgeColumns::kAnyNumber) return true;
      if (column >= columns_.most) {
        return fault(
            fmt::format("unexpected {} in column {}: --columns says which are used", quote_token(p, line_end_), column + 1));
      }
      if (columns_.attributes && column == kAttributes) return take_attributes<kWeights>(p);
      if (!take_field(p, line_end_, columns_.separator, field, more))
        return fault(fmt::format("the quotes of column {} do not enclose it on this line", column + 1));
      if (column == columns_.source && !take_id(field, rule_.sources, source)) return false;
      if (column == columns_.target) {
        if (!take_id(field, rule_.targets, target)) return false;
        target += rule_.target_shift;
      }
      if constexpr (kWeights != WeightKind::none) {
        if (column == *columns_.weight && !take_weight<kWeights>(field)) return false;
      }
      if (!more && column < last_) {
        return fault(fmt::format("the line ends after column {}, and column {} is used", column + 1, last_ + 1));
      }
      if (!more && column + 1 < columns_.least) {
        return fault(fmt::format("the line has {} columns, and others have {}: --columns says which are used", column + 1,
                                 columns_.least));
      }
    }
    return true;
  }

 private:
  static constexpr std::size_t kAttributes = 2;  ///< their column

  /// Parses the dict at `p`, to the end of the line.
  template <WeightKind kWeights>
  bool take_attributes(const char*& p) {
    std::string_view dict(p, static_cast<std::size_t>(std::find(p, line_end_, '\n') - p));
    while (!dict.empty() && is_blank(dict.back())) dict.remove_suffix(1);
    if (!dict.starts_with('{') || !dict.ends_with('}')) {
      return fault(
          fmt::format("expected attributes such as {{'weight': 2.5}} after two vertices, found {}", quote_token(p, line_end_)));
    }
    if constexpr (kWeights != WeightKind::none) {
      const auto weight = attribute_of(dict, "weight");
      if (!weight) return fault("the attributes have no 'weight', and those of the first edge have");
      const char* value = weight->data();
      end_ = value + weight->size();
      if (!parse_number<kWeights>(value)) return false;
      if (value != end_) return expected("a number as 'weight'", weight->data());
    } else if (columns_.weight.has_value() != attribute_of(dict, "weight").has_value()) {
      return fault(
          "the attributes have a 'weight', and the first edge has none that is a number (--columns 1,2 leaves weights out)");
    }
    return true;
  }

  bool take_id(const RowField& field, const IdRange& range, std::uint64_t& id) {
    if (field.empty()) return fault("expected a vertex id, found an empty field");
    if constexpr (kKind == NameKind::strings) {
      return take_name(field, id);
    } else {
      const RowField digits = columns_.whole_floats ? without_fraction(field) : field;
      end_ = digits.end;
      const char* p = digits.begin;
      if constexpr (kKind == NameKind::numbers) {
        if (!parse_number_of_64_bits(p, range, id)) return false;
      } else if (!parse_id(p, range, id)) {
        return false;
      }
      return p == end_ || expected("a vertex id", field.begin);
    }
  }

  /// Returns the digits of "12.0" and "1.2e+01"; other fields are left alone.
  RowField without_fraction(RowField field) {
    const char* const point = std::find(field.begin, field.end, '.');
    if (point == field.end) return field;
    if (point + 1 < field.end && std::all_of(point + 1, field.end, [](char c) { return c == '0'; })) {
      field.end = point;
      return field;
    }
    constexpr double kMost = 0x1p53;
    const char* p = field.begin;
    double value = 0;
    if (parse_real(p, field.end, value) != Parsed::ok || value < 0 || value >= kMost || value != std::floor(value)) return field;
    whole_ = std::to_string(static_cast<std::uint64_t>(value));
    return {whole_.data(), whole_.data() + whole_.size(), false};
  }

  bool parse_number_of_64_bits(const char*& p, const IdRange& range, std::uint64_t& id) {
    std::uint64_t stored = 0;
    if (end_ - p > 1 && *p == '0') [[unlikely]]
      note_leading_zero(p);
    const Parsed parsed = parse_unsigned(p, end_, stored);
    if (parsed != Parsed::ok) return describe_bad_id(p, parsed, range);
    id = names_.number_of(as_name(stored));
    return true;
  }

  bool take_name(const RowField& field, std::uint64_t& id) {
    if (field.escaped) unescaped_ = field.text();
    const std::string_view name = field.escaped ? unescaped_ : field.raw();
    const VertexId known = names_.size();
    id = names_.number_of(name);
    if (names_.size() == known) return true;
    if (name.size() > kLongestName) return fault(fmt::format("a vertex id of more than {} bytes", kLongestName));
    const bool printable = std::none_of(name.begin(), name.end(), is_control);
    return printable || fault(fmt::format("{} holds a control character", quote_token(field.begin, field.end)));
  }

  template <WeightKind kWeights>
  bool take_weight(const RowField& field) {
    if (field.empty()) return fault("expected a value, found an empty field");
    end_ = field.end;
    const char* p = field.begin;
    return (parse_number<kWeights>(p) && p == field.end) || refuse_weight(field);
  }
  [[gnu::cold]] bool refuse_weight(const RowField& field) {
    return fault(fmt::format("expected a number as value, found {} (--columns {},{} leaves column {} out)",
                             quote_token(field.begin, field.end), columns_.source + 1, columns_.target + 1,
                             *columns_.weight + 1));
  }

  const EntryRule& rule_;
  const EdgeColumns& columns_;
  const char* line_end_;
  std::size_t last_;
  NameTable names_;
  std::string unescaped_;
  std::string whole_;
};

}  // namespace graphrun::io::inline GR_IDS
