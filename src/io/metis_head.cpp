#include "io/metis_head.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace graphrun::io::inline GR_IDS {
namespace {

/// The whole numbers of a line; nothing where it holds something else.
std::optional<std::vector<std::uint64_t>> whole_numbers(std::string_view line) {
  std::vector<std::uint64_t> numbers;
  const char* p = line.data();
  const char* const end = p + line.size();
  while (p < end) {
    if (*p == ' ' || *p == '\t' || *p == '\r') {
      ++p;
      continue;
    }
    std::uint64_t number = 0;
    const auto [rest, status] = std::from_chars(p, end, number);
    if (status != std::errc{} || (rest < end && *rest != ' ' && *rest != '\t' && *rest != '\r')) return std::nullopt;
    numbers.push_back(number);
    p = rest;
  }
  return numbers;
}

}  // namespace

bool is_metis_text(std::string_view text) {
  std::vector<std::vector<std::uint64_t>> lines;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    if (line.starts_with('%')) continue;
    auto numbers = whole_numbers(line);
    if (!numbers) return false;
    lines.push_back(std::move(*numbers));
  }
  if (lines.empty() || lines[0].size() < 2 || lines[0].size() > 3) return false;
  const std::uint64_t n = lines[0][0];
  const std::uint64_t m = lines[0][1];
  const std::uint64_t form = lines[0].size() > 2 ? lines[0][2] : 0;
  if (form > 1) return false;  // sizes and weights of vertices are told by the name alone
  const std::size_t step = 1 + static_cast<std::size_t>(form);
  while (lines.size() - 1 > n && lines.back().empty()) lines.pop_back();
  if (m == 0 || lines.size() - 1 != n) return false;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> arcs, back;
  for (std::uint64_t v = 1; v <= n; ++v) {
    if (lines[v].size() % step != 0) return false;
    for (std::size_t i = 0; i < lines[v].size(); i += step) {
      if (lines[v][i] < 1 || lines[v][i] > n) return false;
      arcs.emplace_back(v, lines[v][i]);
      back.emplace_back(lines[v][i], v);
    }
  }
  if (arcs.size() != 2 * m) return false;
  std::sort(arcs.begin(), arcs.end());
  std::sort(back.begin(), back.end());
  return arcs == back;
}

}  // namespace graphrun::io::inline GR_IDS
