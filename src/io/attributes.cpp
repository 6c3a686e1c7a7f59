// SPDX-License-Identifier: Apache-2.0

#include "io/attributes.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view without_spaces(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// Calls body(key, value) for each item of a dict, until it returns false.
template <class Body>
void for_each_item(std::string_view dict, const Body& body) {
  std::size_t depth = 0;
  std::size_t item = 1;  // behind the bracket
  std::size_t colon = dict.npos;
  char quote = '\0';
  for (std::size_t i = 0; i < dict.size(); ++i) {
    const char c = dict[i];
    if (quote != '\0') {
      if (c == '\\') {
        ++i;
      } else if (c == quote) {
        quote = '\0';
      }
      continue;
    }
    if (c == '\'' || c == '"') quote = c;
    if (c == '{' || c == '[' || c == '(') ++depth;
    if (c == ':' && depth == 1 && colon == dict.npos) colon = i;
    const bool closes = c == '}' || c == ']' || c == ')';
    if ((c == ',' && depth == 1) || (closes && depth == 1)) {
      if (colon != dict.npos) {
        std::string_view key = without_spaces(dict.substr(item, colon - item));
        if (key.size() >= 2 && (key.front() == '\'' || key.front() == '"')) key = key.substr(1, key.size() - 2);
        if (!body(key, without_spaces(dict.substr(colon + 1, i - colon - 1)))) return;
      }
      item = i + 1;
      colon = dict.npos;
    }
    if (closes && depth > 0) --depth;
  }
}

}  // namespace

std::optional<AttributeLine> find_attributes(std::string_view line) {
  while (!line.empty() && (is_space(line.back()) || line.back() == '\n')) line.remove_suffix(1);
  const std::size_t begin = line.find('{');
  if (begin == line.npos || begin < 2 || line.back() != '}') return std::nullopt;
  const std::string_view inside = without_spaces(line.substr(begin + 1));  // a key of Python, or none; DOT has vertices there
  if (inside.find_first_of("}'\"(0123456789") != 0) return std::nullopt;
  const char last = line[begin - 1];
  const char separator = last == ' ' ? '\0' : last;
  if (separator != '\0' && std::string_view("\t;,|").find(separator) == std::string_view::npos) return std::nullopt;
  const std::string_view ends = without_spaces(line.substr(0, begin - 1));
  const std::size_t between = separator == '\0' ? ends.find_first_of(" \t") : ends.find(separator);
  if (between == ends.npos) return std::nullopt;
  const std::string_view target = without_spaces(ends.substr(between + 1));
  const bool pair = separator == '\0' ? target.find_first_of(" \t") == target.npos : target.find(separator) == target.npos;
  if (!pair || target.empty() || without_spaces(ends.substr(0, between)).empty()) return std::nullopt;
  return AttributeLine{separator, begin};
}

std::optional<std::string_view> attribute_of(std::string_view dict, std::string_view key) {
  std::optional<std::string_view> found;
  for_each_item(dict, [&](std::string_view name, std::string_view value) {
    if (value.starts_with("np.") && value.ends_with(')')) {
      value = value.substr(value.find('(') + 1);
      value.remove_suffix(1);
    }
    if (name == key) found = value;
    return !found;
  });
  return found;
}

bool has_other_attributes(std::string_view dict, std::string_view key) {
  bool others = false;
  for_each_item(dict, [&](std::string_view name, std::string_view) {
    others = name != key;
    return !others;
  });
  return others;
}

}  // namespace graphrun::io::inline GR_IDS
