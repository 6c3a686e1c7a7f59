// SPDX-License-Identifier: Apache-2.0

#include "io/column_values.hpp"

#include <cmath>
#include <cstddef>
#include <sstream>

#include "io/line_parser.hpp"

namespace graphrun::io::inline GR_IDS {

bool reads_like_number(const std::string& text) {
  const char* p = text.data();
  double ignored = 0;
  return parse_real(p, text.data() + text.size(), ignored) != Parsed::not_a_number;
}

bool reads_like_time(const std::string& text) {
  constexpr double kFrom = 631'152'000;
  constexpr double kTo = 2'208'988'800;
  constexpr double kUnits[] = {1, 1e3, 1e6, 1e9};
  const char* p = text.data();
  const char* end = p + text.size();
  double time = 0;
  if (parse_real(p, end, time) != Parsed::ok || p != end || text.find_first_not_of("0123456789.") != std::string::npos)
    return false;
  for (const double unit : kUnits) {
    if (time >= kFrom * unit && time < kTo * unit) return unit == 1 || time == std::floor(time);
  }
  return false;
}

bool reads_like_whole_float(const std::string& text) {
  const std::size_t point = text.find('.');
  if (point == 1 && text.find('e') != std::string::npos) {  // numpy.savetxt: 1.200000000000000000e+01
    const char* p = text.data();
    double value = 0;
    return parse_real(p, p + text.size(), value) == Parsed::ok && value >= 0 && value == std::floor(value);
  }
  return point != std::string::npos && point != 0 && point + 1 < text.size() && text.find_first_not_of("0123456789") == point &&
         text.find_first_not_of('0', point + 1) == std::string::npos;
}

bool has_leading_zero(const std::string& text) { return text.size() > 1 && text.front() == '0' && all_digits(text); }

bool has_decimal_comma(std::string text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos || reads_like_number(text)) return false;
  text[comma] = '.';
  return reads_like_number(text);
}

bool holds_several_numbers(const std::string& text) {
  std::istringstream words(text);
  std::size_t count = 0;
  for (std::string word; words >> word; ++count) {
    if (!reads_like_number(word)) return false;
  }
  return count > 1;
}

}  // namespace graphrun::io::inline GR_IDS
