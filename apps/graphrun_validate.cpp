// SPDX-License-Identifier: Apache-2.0

#include "graphrun_validate.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graphrun/core/error.hpp"

namespace graphrun::program::inline GR_IDS {
namespace {

constexpr double kMostRelative = 1e-4;

enum class Rule { exact, equivalent, epsilon };

Rule rule_of(std::string_view algorithm) {
  if (algorithm == "bfs" || algorithm == "cdlp") return Rule::exact;
  if (algorithm == "cc") return Rule::equivalent;
  if (algorithm == "pagerank" || algorithm == "sssp" || algorithm == "lcc") return Rule::epsilon;
  throw UsageError(fmt::format("LDBC Graphalytics has no {}: choose among bfs, cdlp, lcc, pagerank, sssp, cc", algorithm));
}

struct Value {
  std::uint64_t id = 0;
  std::int64_t whole = 0;  ///< of Rule::exact and equivalent
  double real = 0;         ///< of Rule::epsilon
  std::string text;
};

std::vector<Value> read_values(const std::string& path, Rule rule) {
  std::ifstream file(path);
  if (!file) throw DataError(fmt::format("cannot read {}", path));
  std::vector<Value> values;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (line.empty()) continue;
    const auto refuse = [&](const char* expected) {
      throw DataError(fmt::format("{}:{}: expected {}, found '{}'", path, number, expected, line));
    };
    const char* const end = line.data() + line.size();
    Value value;
    const auto [rest, status] = std::from_chars(line.data(), end, value.id);
    if (status != std::errc{} || rest == end || *rest != ' ') refuse("ID VALUE");
    value.text = std::string(rest + 1, end);
    const char* const first = rest + 1;
    const auto parsed =
        rule == Rule::epsilon ? std::from_chars(first, end, value.real) : std::from_chars(first, end, value.whole);
    if (parsed.ec != std::errc{} || parsed.ptr != end) refuse(rule == Rule::epsilon ? "a number" : "a whole number");
    values.push_back(std::move(value));
  }
  if (file.bad()) throw DataError(fmt::format("cannot read {}", path));
  return values;
}

bool is_close(double found, double expected) {
  if (std::isinf(expected) || std::isinf(found)) return found == expected;
  return std::abs(found - expected) <= kMostRelative * std::abs(expected);  // false for what is no number
}

}  // namespace

Comparison compare_values(const std::string& output, const std::string& expected, std::string_view algorithm) {
  const Rule rule = rule_of(algorithm);
  std::unordered_map<std::uint64_t, Value> found;
  for (Value& value : read_values(output, rule)) {
    const std::uint64_t id = value.id;
    if (!found.emplace(id, std::move(value)).second) throw DataError(fmt::format("{} has vertex {} twice", output, id));
  }
  std::unordered_map<std::int64_t, std::int64_t> there, back;  // names of groups
  std::unordered_map<std::uint64_t, bool> seen;
  std::uint64_t count = 0;
  for (const Value& wanted : read_values(expected, rule)) {
    ++count;
    if (!seen.emplace(wanted.id, true).second) throw DataError(fmt::format("{} has vertex {} twice", expected, wanted.id));
    const auto at = found.find(wanted.id);
    if (at == found.end()) return {false, fmt::format("vertex {} is missing in {}", wanted.id, output)};
    const Value& value = at->second;
    bool agrees = false;
    switch (rule) {
      case Rule::exact:
        agrees = value.whole == wanted.whole;
        break;
      case Rule::equivalent:
        agrees = there.try_emplace(wanted.whole, value.whole).first->second == value.whole &&
                 back.try_emplace(value.whole, wanted.whole).first->second == wanted.whole;
        break;
      case Rule::epsilon:
        agrees = is_close(value.real, wanted.real);
        break;
    }
    if (!agrees) {
      const char* const why = rule == Rule::exact ? "" : rule == Rule::equivalent ? ", another group" : ", off by more than 1e-4";
      return {false, fmt::format("vertex {}: {}, and {} in {}{}", wanted.id, value.text, wanted.text, expected, why)};
    }
  }
  for (const auto& [id, value] : found) {
    if (!seen.contains(id)) return {false, fmt::format("vertex {} is not in {}", id, expected)};
  }
  const char* const how = rule == Rule::exact ? "equal" : rule == Rule::equivalent ? "in the same groups" : "within 1e-4";
  return {true, fmt::format("{} agrees with {}: {} vertices, {}", output, expected, count, how)};
}

}  // namespace graphrun::program::inline GR_IDS
