// SPDX-License-Identifier: Apache-2.0
// Tokens of a text line. Every function stops at `end`, which need not be preceded by a newline.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/core/types.hpp"

namespace graphrun::io::inline GR_IDS {

/// Returns the bytes of the mark that some programs begin UTF-8 text with.
inline std::size_t size_of_mark(std::string_view text) { return text.starts_with("\xef\xbb\xbf") ? 3 : 0; }

/// Returns whether a character is a blank; a carriage return is one, so that lines may end with CRLF.
inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

inline const char* skip_blanks(const char* p, const char* end) {
  while (p < end && is_blank(*p)) ++p;
  return p;
}

/// Returns whether messages, lines of text and command lines cannot hold a character.
inline bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }

/// Says why messages, lines of text and --source cannot hold the name of a vertex; null where they can.
inline const char* fault_of_name(std::string_view name) {
  if (name.empty()) return "is empty";
  return std::any_of(name.begin(), name.end(), is_control) ? "holds a control character" : nullptr;
}
/// Bytes of a name in text.
inline constexpr std::size_t kLongestName = 65535;

inline bool at_line_end(const char* p, const char* end) { return p == end || *p == '\n'; }
inline bool at_token_end(const char* p, const char* end) { return at_line_end(p, end) || is_blank(*p); }

inline const char* token_end(const char* p, const char* end) {
  while (!at_token_end(p, end)) ++p;
  return p;
}

/// Returns the first byte after the line of `p`.
inline const char* next_line(const char* p, const char* end) {
  const auto* newline = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
  return newline == nullptr ? end : newline + 1;
}

/// Characters that a comment line begins with: one, or two different ones.
struct CommentMarks {
  char first;
  char second;
  bool operator()(char c) const { return c == first || c == second; }
};

/// Returns the first token of the next line, from the start of a line `p` on, that is neither blank nor a comment; `end` when
/// there is none.
inline const char* seek_content(const char* p, const char* end, CommentMarks is_comment) {
  for (; p < end; p = next_line(p, end)) {
    p = skip_blanks(p, end);
    if (!at_line_end(p, end) && !is_comment(*p)) return p;
  }
  return end;
}

/// Makes text short and printable, for messages.
[[gnu::cold]] inline std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 32;
  std::string shown(text.substr(0, kLongest));
  for (char& c : shown) c = c >= ' ' && c <= '~' ? c : '?';
  return text.size() > kLongest ? shown + "..." : shown;
}

/// Quotes the token at `p`, for a message.
[[gnu::cold]] inline std::string quote_token(const char* p, const char* end) {
  if (at_line_end(p, end)) return p == end ? "the end of the file" : "the end of the line";
  return "'" + printable({p, static_cast<std::size_t>(token_end(p, end) - p)}) + "'";
}

inline std::string quote_word(const std::string& word) { return quote_token(word.data(), word.data() + word.size()); }

enum class Parsed { ok, not_a_number, too_large };

/// Parses decimal digits up to the end of the token; moves `p` past them when they are ok.
inline Parsed parse_unsigned(const char*& p, const char* end, std::uint64_t& value) {
  constexpr std::ptrdiff_t kDigitsThatFit = 19;
  const char* c = p;
  std::uint64_t sum = 0;
  for (unsigned digit; c < end && (digit = static_cast<unsigned>(static_cast<unsigned char>(*c)) - '0') < 10; ++c)
    sum = sum * 10 + digit;
  if (c == p || !at_token_end(c, end)) return Parsed::not_a_number;
  if (c - p > kDigitsThatFit) {
    const auto [rest, status] = std::from_chars(p, c, sum);
    if (status != std::errc{}) return Parsed::too_large;
  }
  value = sum;
  p = c;
  return Parsed::ok;
}

/// Parses a decimal number with optional sign, fraction and exponent up to the end of the token; too_large when it is not finite
/// as an f32. A number too small for a double becomes the smallest double.
inline Parsed parse_real(const char*& p, const char* end, double& value) {
  const char* last = token_end(p, end);
  const char* first = p < last && *p == '+' ? p + 1 : p;
  if (first != p && (first == last || *first == '-')) return Parsed::not_a_number;
  double number = 0;
  const auto [rest, status] = std::from_chars(first, last, number);
  if (status == std::errc::invalid_argument || rest != last) return Parsed::not_a_number;
  // from_chars says "out of range" for both ends of the range and gives no number.
  if (status == std::errc::result_out_of_range) {
    number = std::strtod(std::string(first, last).c_str(), nullptr);
    if (number == 0) number = std::copysign(std::numeric_limits<double>::denorm_min(), number);
  }
  if (!std::isfinite(static_cast<float>(number))) return Parsed::too_large;
  value = number;
  p = last;
  return Parsed::ok;
}

/// Returns the whole number below 2^64 of a token that parse_real() takes: exact where a double rounds. Nothing for other
/// numbers.
[[gnu::cold]] inline std::optional<std::uint64_t> whole_in_digits(std::string_view token) {
  constexpr std::int64_t kMostDigits = 20;
  std::string digits;
  std::int64_t before_point = -1;
  std::size_t at = token.starts_with('+') ? 1 : 0;
  for (; at < token.size() && (token[at] == '.' || (token[at] >= '0' && token[at] <= '9')); ++at) {
    if (token[at] == '.') {
      before_point = static_cast<std::int64_t>(digits.size());
    } else {
      digits += token[at];
    }
  }
  if (before_point < 0) before_point = static_cast<std::int64_t>(digits.size());
  if (at < token.size()) {  // what follows is the exponent
    std::int64_t exponent = 0;
    const char* const first = token.data() + at + (token.substr(at + 1).starts_with('+') ? 2 : 1);
    const char* const last = token.data() + token.size();
    const auto [rest, status] = std::from_chars(first, last, exponent);
    constexpr std::int64_t kBeyondAll = 1 << 20;
    if (status != std::errc{} || rest != last || exponent > kBeyondAll || exponent < -kBeyondAll) return std::nullopt;
    before_point += exponent;
  }
  const auto leading = static_cast<std::int64_t>(std::min(digits.find_first_not_of('0'), digits.size()));
  digits.erase(0, static_cast<std::size_t>(leading));
  digits.erase(digits.find_last_not_of('0') + 1);
  before_point -= leading;
  if (digits.empty()) return 0;
  if (before_point > kMostDigits || before_point < static_cast<std::int64_t>(digits.size())) return std::nullopt;
  digits.resize(static_cast<std::size_t>(before_point), '0');
  std::uint64_t whole = 0;
  const auto [rest, status] = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
  return status == std::errc{} ? std::optional(whole) : std::nullopt;
}

// Fields of a line: between separators, or between blanks; in double quotes where they hold either.

/// The text between two separators, without blanks around it and without its quotes.
struct RowField {
  const char* begin = nullptr;
  const char* end = nullptr;
  bool escaped = false;  ///< holds quotes, written twice

  bool empty() const { return begin == end; }
  std::string_view raw() const { return {begin, static_cast<std::size_t>(end - begin)}; }
  std::string text() const {
    std::string text(raw());
    for (std::size_t i = 0; escaped && (i = text.find("\"\"", i)) != std::string::npos; ++i) text.erase(i, 1);
    return text;
  }
};

/// Takes the field at `p`, which moves to the next one; `more` says whether there is one. `separator` 0: blanks. False when a
/// quote does not end on its line, or ends in the middle of a field.
[[gnu::always_inline]] inline bool take_field(const char*& p, const char* end, char separator, RowField& field, bool& more) {
  const auto skip_padding = [&] {
    while (p < end && is_blank(*p) && *p != separator) ++p;
  };
  skip_padding();
  field = {p, p, false};
  if (p < end && *p == '"') {
    field.begin = ++p;
    for (; at_line_end(p, end) || *p != '"' || (p + 1 < end && p[1] == '"'); ++p) {
      if (at_line_end(p, end)) return false;
      if (*p == '"') {
        field.escaped = true;
        ++p;
      }
    }
    field.end = p++;
    if (separator == 0 && !at_token_end(p, end)) return false;
  } else if (separator == 0) {
    p = field.end = token_end(p, end);
  } else {
    while (!at_line_end(p, end) && *p != separator) ++p;
    for (field.end = p; field.end > field.begin && is_blank(field.end[-1]);) --field.end;
  }
  skip_padding();
  more = !at_line_end(p, end);
  if (!more || separator == 0) return true;
  return *p++ == separator;
}

/// Returns the fields of the line at `p`; none when its quotes are wrong.
inline std::vector<std::string> fields_of_line(const char* p, const char* end, char separator) {
  std::vector<std::string> fields;
  RowField field;
  for (bool more = true; more;) {
    if (!take_field(p, end, separator, field, more)) return {};
    fields.push_back(field.text());
  }
  return fields;
}

/// Splits the text of an option at commas; a name with a comma stands in double quotes, as in CSV. Throws UsageError.
inline std::vector<std::string> split_names(const std::string& text, const std::string& option) {
  if (text.find('"') == std::string::npos) return split_list(text, ',', option);
  std::vector<std::string> names = fields_of_line(text.data(), text.data() + text.size(), ',');
  if (names.empty()) throw UsageError(option + ": the quotes in '" + text + "' do not enclose names");
  if (std::any_of(names.begin(), names.end(), [](const std::string& name) { return name.empty(); }))
    throw UsageError(option + " has an empty name in '" + text + "'");
  return names;
}

/// Returns the first of tab, semicolon, comma and bar that the line at `p` has outside of quotes; 0 when it has none.
inline char separator_of_line(const char* p, const char* end) {
  bool quoted = false;
  constexpr std::string_view kSeparators = "\t;,|";
  std::size_t best = kSeparators.size();
  for (; !at_line_end(p, end); ++p) {
    if (*p == '"') quoted = !quoted;
    if (const std::size_t kind = kSeparators.find(*p); !quoted && kind < best) best = kind;
  }
  return best < kSeparators.size() ? kSeparators[best] : '\0';
}

inline bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Returns the number that all of `text` spells in digits; nothing for other text, and beyond 64 bits.
inline std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, number);
  return status == std::errc{} && rest == end ? std::optional(number) : std::nullopt;
}

/// Returns whether text is digits, perhaps after a sign, and may be meant as an id.
inline bool reads_like_id(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  return all_digits(text);
}

}  // namespace graphrun::io::inline GR_IDS
