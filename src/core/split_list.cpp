#include "graphrun/core/split_list.hpp"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

#include "graphrun/core/error.hpp"

namespace graphrun {

std::vector<std::string> split_list(const std::string& text, char separator, const std::string& what) {
  std::vector<std::string> names;
  std::istringstream stream(text + separator);  // so that what ends with a separator has an empty name behind it
  for (std::string name; std::getline(stream, name, separator);) {
    if (name.empty()) {
      throw UsageError(
          text.empty() ? fmt::format("{} was given nothing", what)
                       : fmt::format("{} has an empty name in '{}': write '{}' only between two names", what, text, separator));
    }
    names.push_back(name);
  }
  return names;
}

std::optional<std::vector<std::uint64_t>> parse_numbers(std::string_view text) {
  std::vector<std::uint64_t> numbers;
  const char* at = text.data();
  const char* end = at + text.size();
  while (true) {
    const auto [rest, status] = std::from_chars(at, end, numbers.emplace_back());
    if (status != std::errc{}) return std::nullopt;
    if (rest == end) return numbers;
    if (*rest != ':') return std::nullopt;
    at = rest + 1;
  }
}

}  // namespace graphrun
