#include "graphrun/core/option.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace graphrun {

std::uint64_t parse_whole(const std::string& text, const std::string& what, std::uint64_t low, std::uint64_t high) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, value);
  const bool is_number = status != std::errc::invalid_argument && rest == end;
  if (is_number && status == std::errc{} && value >= low && value <= high) return value;
  const std::string range = high == std::numeric_limits<std::uint64_t>::max()
                                ? fmt::format("a whole number of at least {}", low)
                                : fmt::format("a whole number from {} to {}", low, high);
  throw UsageError(fmt::format("{} must be {}, not '{}'", what, range, text));
}

double parse_real(const std::string& text, const std::string& what) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc{} || rest != end || !std::isfinite(value))
    throw UsageError(fmt::format("{} must be a number, not '{}'", what, text));
  return value;
}

}  // namespace graphrun
