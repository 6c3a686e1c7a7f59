// SPDX-License-Identifier: Apache-2.0

#include "graphrun/core/bytes.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/raise.hpp"
#include "graphrun/core/names.hpp"

namespace graphrun {

std::uint64_t parse_bytes(std::string_view text) {
  const auto refuse = [&] {
    return UsageError(fmt::format(
        "'{}' is not a size: write for example 4096, 4KiB, 1.5GiB or 8G, of which K, M, G, T, P and E are powers of 1024", text));
  };
  double value = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (status != std::errc{} || !std::isfinite(value) || std::signbit(value)) throw refuse();
  std::string unit = in_small_letters({rest, static_cast<std::size_t>(text.data() + text.size() - rest)});
  if (unit.size() > 1 && unit[0] == ' ') unit.erase(0, 1);
  double scale = 1;
  if (!unit.empty() && unit != "b") {
    constexpr std::string_view kLetters = "kmgtpe";
    const auto power = kLetters.find(unit[0]);
    const std::string suffix = unit.substr(1);
    if (power == std::string_view::npos || !(suffix.empty() || suffix == "b" || suffix == "ib")) throw refuse();
    scale = std::ldexp(1.0, 10 * (static_cast<int>(power) + 1));
  }
  const double bytes = value * scale;
  if ((scale == 1 && value != std::floor(value)) || (bytes > 0 && bytes < 1)) throw refuse();
  if (bytes >= 0x1p63) raise<UsageError>("'{}' is too large: sizes are below 8 EiB", text);
  return static_cast<std::uint64_t>(bytes);
}

std::uint64_t parse_whole(const std::string& text, const std::string& what, std::uint64_t low, std::uint64_t high) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, value);
  const bool is_number = status != std::errc::invalid_argument && rest == end;
  if (is_number && status == std::errc{} && value >= low && value <= high) return value;
  const std::string range = high == std::numeric_limits<std::uint64_t>::max()
                                ? fmt::format("a whole number of at least {}", low)
                                : fmt::format("a whole number from {} to {}", low, high);
  raise<UsageError>("{} must be {}, not '{}'", what, range, text);
}

double parse_real(const std::string& text, const std::string& what) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc{} || rest != end || !std::isfinite(value))
    raise<UsageError>("{} must be a number, not '{}'", what, text);
  return value;
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) value /= 1024, ++unit;
  return fmt::format("{:.{}f} {}", value, value < 10 ? 2 : value < 100 ? 1 : 0, kUnits[unit]);
}

std::string grouped(std::uint64_t value) {
  const std::string digits = fmt::format("{}", value);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

}  // namespace graphrun
