// SPDX-License-Identifier: Apache-2.0

#include "graphrun/io/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "graphrun/core/error.hpp"
#include "io/text_source.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr double kMostRelative = 1e-4;

enum class MatchRule { exact, equivalent, epsilon };

MatchRule match_rule_of(std::string_view algorithm) {
  if (algorithm == "bfs" || algorithm == "cdlp") return MatchRule::exact;
  if (algorithm == "cc") return MatchRule::equivalent;
  if (algorithm == "pagerank" || algorithm == "sssp" || algorithm == "lcc") return MatchRule::epsilon;
  throw UsageError(fmt::format("LDBC Graphalytics has no {}: choose among bfs, cdlp, lcc, pagerank, sssp, cc", algorithm));
}

/// A vertex's value: a whole number of MatchRule::exact and equivalent, a real one of MatchRule::epsilon.
struct ValueOfVertex {
  std::uint64_t id = 0;
  std::int64_t whole = 0;
  double real = 0;
};

/// Calls visit(value, text) for each line of a file, plain or compressed, which is read window by window.
template <class Visit>
void for_each_value(const std::string& path, MatchRule rule, const Visit& visit) {
  constexpr std::size_t kWindow = 1 << 20;
  io::TextReader reader(io::input_path(path), kWindow);
  for (io::Text window; reader.next(window);) {
    for (const char *line = window.begin(), *next = nullptr; line != window.end(); line = next) {
      const char* end = std::find(line, window.end(), '\n');
      next = end == window.end() ? end : end + 1;
      while (end != line && (end[-1] == '\r' || end[-1] == ' ')) --end;
      if (end == line) continue;
      const auto refuse = [&](const char* expected) {
        const std::uint64_t number = io::line_number(window, static_cast<std::size_t>(line - window.begin()));
        throw DataError(fmt::format("{}:{}: expected {}, found '{}'", path, number, expected, std::string_view(line, end)));
      };
      ValueOfVertex value;
      const auto [rest, status] = std::from_chars(line, end, value.id);
      if (status != std::errc{} || rest == end || *rest != ' ') refuse("ID VALUE");
      const std::string_view text(rest + 1, end);
      const auto parsed = rule == MatchRule::epsilon ? std::from_chars(text.begin(), end, value.real)
                                                     : std::from_chars(text.begin(), end, value.whole);
      if (parsed.ec != std::errc{} || parsed.ptr != end) refuse(rule == MatchRule::epsilon ? "a number" : "a whole number");
      visit(value, text);
    }
  }
}

/// Returns the values of a file in ascending order of ids. Throws DataError where an id stands twice.
std::vector<ValueOfVertex> sorted_values(const std::string& path, MatchRule rule) {
  std::vector<ValueOfVertex> values;
  for_each_value(path, rule, [&](const ValueOfVertex& value, std::string_view) { values.push_back(value); });
  if (!std::ranges::is_sorted(values, {}, &ValueOfVertex::id)) std::ranges::sort(values, {}, &ValueOfVertex::id);
  const auto twice = std::ranges::adjacent_find(values, {}, &ValueOfVertex::id);
  if (twice != values.end()) throw DataError(fmt::format("{} has vertex {} twice", path, twice->id));
  return values;
}

bool is_close(double found, double expected) {
  if (std::isinf(expected) || std::isinf(found)) return found == expected;
  return std::abs(found - expected) <= kMostRelative * std::abs(expected);  // false for what is no number
}

}  // namespace

Comparison compare_values(const std::string& output, const std::string& expected, std::string_view algorithm) {
  const MatchRule rule = match_rule_of(algorithm);
  const std::vector<ValueOfVertex> found = sorted_values(output, rule);
  std::vector<bool> seen(found.size());
  std::unordered_map<std::int64_t, std::int64_t> there, back;  // names of groups
  std::uint64_t count = 0;
  std::size_t at = 0;  // both files usually have the same order
  std::string difference;
  const auto agrees = [&](const ValueOfVertex& value, const ValueOfVertex& wanted) {
    if (rule == MatchRule::exact) return value.whole == wanted.whole;
    if (rule == MatchRule::epsilon) return is_close(value.real, wanted.real);
    return there.try_emplace(wanted.whole, value.whole).first->second == value.whole &&
           back.try_emplace(value.whole, wanted.whole).first->second == wanted.whole;
  };
  for_each_value(expected, rule, [&](const ValueOfVertex& wanted, std::string_view text) {
    if (!difference.empty()) return;
    if (at == found.size() || found[at].id != wanted.id)
      at = static_cast<std::size_t>(std::ranges::lower_bound(found, wanted.id, {}, &ValueOfVertex::id) - found.begin());
    if (at == found.size() || found[at].id != wanted.id) {
      difference = fmt::format("vertex {} is missing in {}", wanted.id, output);
      return;
    }
    if (seen[at]) throw DataError(fmt::format("{} has vertex {} twice", expected, wanted.id));
    seen[at] = true;
    ++count;
    const ValueOfVertex& value = found[at++];
    if (agrees(value, wanted)) return;
    const char* const why = rule == MatchRule::exact        ? ""
                            : rule == MatchRule::equivalent ? ", another group"
                                                            : ", off by more than 1e-4";
    const std::string has = rule == MatchRule::epsilon ? fmt::format("{}", value.real) : fmt::format("{}", value.whole);
    difference = fmt::format("vertex {}: {}, and {} in {}{}", wanted.id, has, text, expected, why);
  });
  if (!difference.empty()) return {false, difference};
  if (count < found.size()) {
    const auto other = static_cast<std::size_t>(std::ranges::find(seen, false) - seen.begin());
    return {false, fmt::format("vertex {} is not in {}", found[other].id, expected)};
  }
  const char* const how = rule == MatchRule::exact        ? "equal"
                          : rule == MatchRule::equivalent ? "in the same groups"
                                                          : "within 1e-4";
  return {true, fmt::format("{} agrees with {}: {} vertices, {}", output, expected, count, how)};
}

}  // namespace graphrun::inline GR_IDS
