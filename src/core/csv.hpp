// SPDX-License-Identifier: Apache-2.0
// Fields of CSV (RFC 4180).
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string_view>

namespace graphrun {

/// Returns the most bytes that put_csv_field() writes.
inline constexpr std::size_t csv_bytes(std::size_t field_bytes) { return 2 * field_bytes + 2; }

/// Writes a field, in quotes where a reader might split it, trim it, or take it for a comment or another separator. Returns the
/// end.
inline char* put_csv_field(char* to, std::string_view field) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  const bool plain = !field.empty() && field.find_first_of("\",;\t\r\n") == std::string_view::npos && field[0] != '#' &&
                     field[0] != '%' && !is_blank(field.front()) && !is_blank(field.back());
  if (plain) return std::copy(field.begin(), field.end(), to);
  *to++ = '"';
  for (const char c : field) {
    if (c == '"') *to++ = c;
    *to++ = c;
  }
  *to++ = '"';
  return to;
}

/// Writes the fewest digits that read back as `value`, also by way of a double, and all digits of a whole number. For one float
/// (all were tried) rounding twice leads elsewhere; it gets the digits of a double.
inline char* put_float(char* to, char* end, float value) {
  constexpr float kRoundsTwice = 0x1.5c87fap-84f;  // 7.038531e-26
  if (std::abs(value) == kRoundsTwice) return std::to_chars(to, end, static_cast<double>(value)).ptr;
  return std::to_chars(to, end, value).ptr;
}

}  // namespace graphrun
