// Fields of a line: between separators, or between blanks; in double quotes where they hold either.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graphrun/core/types.hpp"
#include "io/line_parser.hpp"

namespace graphrun::io::inline GR_IDS {

/// What stands between two separators, without blanks around it and without its quotes.
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
inline bool take_field(const char*& p, const char* end, char separator, RowField& field, bool& more) {
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

/// The fields of the line at `p`; none when its quotes are wrong.
inline std::vector<std::string> fields_of_line(const char* p, const char* end, char separator) {
  std::vector<std::string> fields;
  RowField field;
  for (bool more = true; more;) {
    if (!take_field(p, end, separator, field, more)) return {};
    fields.push_back(field.text());
  }
  return fields;
}

/// What separates the fields of the line at `p`: the first of tab, semicolon and comma that stands in it outside of quotes; 0
/// when none does.
inline char separator_of_line(const char* p, const char* end) {
  bool quoted = false;
  constexpr std::string_view kSeparators = "\t;,";
  std::size_t best = kSeparators.size();
  for (; !at_line_end(p, end); ++p) {
    if (*p == '"') quoted = !quoted;
    if (const std::size_t kind = kSeparators.find(*p); !quoted && kind < best) best = kind;
  }
  return best < kSeparators.size() ? kSeparators[best] : '\0';
}

/// Digits, perhaps after a sign: what may be meant as an id.
inline bool reads_like_id(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace graphrun::io::inline GR_IDS
