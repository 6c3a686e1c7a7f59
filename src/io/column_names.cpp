// SPDX-License-Identifier: Apache-2.0

#include "io/column_names.hpp"

#include <algorithm>
#include <cctype>
#include <span>

namespace graphrun::io::inline GR_IDS {
namespace {

using Names = std::span<const std::string_view>;

bool is_one_of(std::string_view name, Names names) { return std::find(names.begin(), names.end(), name) != names.end(); }

/// Words for the two ends of an edge: any of `source` goes with any of `target`.
struct EndWords {
  std::vector<std::string_view> source;
  std::vector<std::string_view> target;
  bool stands_alone = true;  ///< false: only beside other letters, as in "protein1"
};

const std::vector<EndWords>& end_words() {
  static const std::vector<EndWords> all = {
      {{"source", "src", "from", "start", "u"}, {"target", "tgt", "dst", "dest", "destination", "to", "end", "v"}},
      {{"head"}, {"tail"}},
      {{"subject", "subj"}, {"object", "obj"}},
      {{"origin", "orig"}, {"destination", "dest"}},
      {{"citing"}, {"cited"}},
      {{"parent"}, {"child"}},
      {{"follower"}, {"followee"}},
      {{"sender"}, {"receiver", "recipient"}},
      {{"caller"}, {"callee"}},
      {{"row", "i"}, {"column", "col", "j"}},
      {{"left"}, {"right"}},
      {{"1", "a"}, {"2", "b"}, false},
  };
  return all;
}

/// Returns the rests of `name` without `word` at its beginning or end, without words such as "id" and "node".
std::vector<std::string> rests(std::string_view name, std::string_view word) {
  constexpr std::string_view kSayNothing[] = {"id", "node", "nodeid", "vertex", "vertexid", "name"};
  constexpr std::size_t kShort = 2;  // "u" and "to" begin many words
  std::vector<std::string> all;
  const auto add = [&](std::string_view rest) {
    if (is_one_of(rest, kSayNothing)) {
      all.emplace_back();
    } else if (rest.empty() || word.size() > kShort || !std::isalpha(static_cast<unsigned char>(word[0])) || rest.size() > 1) {
      all.emplace_back(rest);
    }
  };
  if (name.starts_with(word)) add(name.substr(word.size()));
  if (name.size() > word.size() && name.ends_with(word)) add(name.substr(0, name.size() - word.size()));
  return all;
}

/// Returns the shortest rest that both names share beside their words; nothing where they are no ends of an edge.
std::optional<std::string> shared_rest(const std::string& source, const std::string& target, const EndWords& words) {
  constexpr std::string_view kNoEnds[] = {"time", "date", "timestamp", "year", "day", "datetime"};
  std::optional<std::string> best;
  for (const std::string_view s : words.source) {
    for (const std::string_view t : words.target) {
      if (!words.stands_alone && (source == s || target == t)) continue;
      for (const std::string& rest : rests(source, s)) {
        const std::vector<std::string> others = rests(target, t);
        if (std::find(others.begin(), others.end(), rest) == others.end() || is_one_of(rest, kNoEnds)) continue;
        if (!best || rest.size() < best->size()) best = rest;
      }
    }
  }
  return best;
}

bool is_word(std::string_view name) { return !name.empty() && std::isalpha(static_cast<unsigned char>(name.front())) != 0; }

}  // namespace

std::string simple_name(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text;
}

ColumnRole role_of(std::string_view name) {
  constexpr std::string_view kWeight[] = {"weight", "weights", "w", "cost", "distance", "dist", "length"};
  constexpr std::string_view kTime[] = {"time", "timestamp", "ts", "t", "date", "datetime", "unixtime", "epoch"};
  constexpr std::string_view kRowNumber[] = {"id",      "edgeid",   "eid",       "index",  "idx", "rowid", "row",
                                             "rowname", "rownames", "rownumber", "rownum", "rn",  "1"};
  constexpr std::string_view kAttribute[] = {"type",      "edgetype", "etype",    "relation", "relationid", "rel",
                                             "predicate", "label",    "category", "class",    "kind",       "layer",
                                             "key",       "group",    "year",     "color"};
  const std::string simple = simple_name(name);
  if (is_one_of(simple, kWeight)) return ColumnRole::weight;
  if (is_one_of(simple, kTime)) return ColumnRole::time;
  if (name.empty() || is_one_of(simple, kRowNumber) || simple.starts_with("unnamed")) return ColumnRole::row_number;
  return is_one_of(simple, kAttribute) ? ColumnRole::attribute : ColumnRole::unknown;
}

std::optional<std::pair<std::size_t, std::size_t>> find_ends(const std::vector<std::string>& header) {
  std::vector<std::string> names;
  names.reserve(header.size());
  for (const std::string& name : header) names.push_back(simple_name(name));
  std::optional<std::pair<std::size_t, std::size_t>> best;
  std::string best_rest;
  bool several = false;
  for (const EndWords& words : end_words()) {
    for (std::size_t source = 0; source < names.size(); ++source) {
      for (std::size_t target = 0; target < names.size(); ++target) {
        if (source == target || !is_word(names[source]) || !is_word(names[target])) continue;
        const auto rest = shared_rest(names[source], names[target], words);
        if (!rest) continue;
        const std::pair found{source, target};
        if (!best || (rest->empty() && !best_rest.empty())) {
          best = found;
          best_rest = *rest;
          several = false;
        } else if (rest->empty() == best_rest.empty() && *best != found) {
          several = several || !rest->empty();
        }
      }
    }
  }
  if (several) return std::nullopt;
  if (!best && names.size() >= 2 && names[0] == names[1] && is_word(names[0])) return std::pair<std::size_t, std::size_t>{0, 1};
  return best;
}

}  // namespace graphrun::io::inline GR_IDS
