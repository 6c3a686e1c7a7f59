// SPDX-License-Identifier: Apache-2.0

#include "graphrun/core/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <numeric>
#include <sstream>
#include <vector>

#include "core/raise.hpp"

namespace graphrun {
namespace {

/// Returns the letters of a name that are compared.
std::string plain(std::string_view text) {
  std::string letters = in_small_letters(text);
  std::erase_if(letters, [](char letter) { return letter == '-' || letter == '_'; });
  return letters;
}

/// Returns the restricted Damerau-Levenshtein distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(above.begin(), above.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

/// Counts a name that was cut short or continued as close as one with a wrong letter.
std::size_t remoteness(std::string_view typed, std::string_view name) {
  constexpr std::size_t kLeastBeginning = 3;
  const std::size_t common = std::min(typed.size(), name.size());
  const bool begins = common >= kLeastBeginning && typed.substr(0, common) == name.substr(0, common);
  return begins ? std::min<std::size_t>(1, distance(typed, name)) : distance(typed, name);
}

}  // namespace

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return small;
}

bool spells(std::string_view text, std::string_view name) { return text == name || plain(text) == plain(name); }

std::string did_you_mean(std::string_view text, std::span<const std::string_view> names) {
  constexpr std::size_t kMostLetters = 64;  // no name is as long, and the cost grows with the square
  const std::string typed = plain(text);
  if (typed.size() < 2 || typed.size() > kMostLetters) return {};
  std::size_t least = (typed.size() + 2) / 3 + 1;  // a third of the letters may be wrong
  std::string_view closest;
  for (const std::string_view name : names) {
    const std::size_t here = remoteness(typed, plain(name));
    if (here < least) least = here, closest = name;
  }
  return closest.empty() ? "" : fmt::format(" (did you mean '{}'?)", closest);
}

std::string joined(std::span<const std::string_view> names) { return fmt::format("{}", fmt::join(names, ", ")); }

std::vector<std::string> split_list(const std::string& text, char separator, const std::string& what) {
  std::vector<std::string> names;
  std::istringstream stream(text + separator);  // so that text that ends with a separator has an empty last name
  for (std::string name; std::getline(stream, name, separator);) {
    if (name.empty())
      throw UsageError(
          text.empty() ? fmt::format("{} was given nothing", what)
                       : fmt::format("{} has an empty name in '{}': write '{}' only between two names", what, text, separator));
    names.push_back(name);
  }
  return names;
}

std::size_t choose_name(std::string_view text, std::string_view what, std::span<const std::string_view> names,
                        std::span<const ShortForm> forms) {
  const auto find = [&](std::string_view wanted) {
    return static_cast<std::size_t>(
        std::find_if(names.begin(), names.end(), [&](std::string_view name) { return spells(wanted, name); }) - names.begin());
  };
  std::size_t place = find(text);
  for (const ShortForm& each : forms) {
    if (place == names.size() && spells(text, each.form)) place = find(each.name);
  }
  if (place < names.size()) return place;
  raise<UsageError>("there is no {} '{}'{}: choose among {}", what, text, did_you_mean(text, names), joined(names));
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
