// SPDX-License-Identifier: Apache-2.0
// Names as users type them, alone and in lists, and which name a misspelled one may have meant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphrun {

/// Compares but for case, '-' and '_': "Read_Mostly" and "readmostly" both spell "read-mostly".
bool spells(std::string_view text, std::string_view name);

std::string in_small_letters(std::string_view text);

/// Returns " (did you mean 'bfs'?)" with the closest of `names`, for a message about `text`; "" when none is close.
std::string did_you_mean(std::string_view text, std::span<const std::string_view> names);

/// Returns the names of things that have one.
template <class Things>
std::vector<std::string_view> names_in(const Things& things) {
  std::vector<std::string_view> names;
  for (const auto& thing : things) names.push_back(thing.name);
  return names;
}

/// Returns the names in one line: "bfs, sssp, cc".
std::string joined(std::span<const std::string_view> names);

/// Splits `text` at separators. Throws UsageError, beginning with `what` ("--remote"), when a name is empty.
std::vector<std::string> split_list(const std::string& text, char separator, const std::string& what);

/// Parses decimal numbers of 64 bits between colons; returns nothing for other texts.
std::optional<std::vector<std::uint64_t>> parse_numbers(std::string_view text);

/// A usual other form of a name, such as "pr" of "pagerank".
struct ShortForm {
  std::string_view form;
  std::string_view name;
};

/// Returns the index in `names` of the name that the text spells, itself or by one of `forms`. Throws UsageError for others:
/// "there is no WHAT 'TEXT'", with the closest name and all names.
std::size_t choose_name(std::string_view text, std::string_view what, std::span<const std::string_view> names,
                        std::span<const ShortForm> forms = {});

/// A value that has a name.
template <class T>
struct Choice {
  const char* name;
  T value;
};

/// The values of an enumeration by the names that users type, specialised beside the enumeration:
///   static constexpr const char* kWhat;         what a message calls one, where parse_name() is called
///   static constexpr Choice<T> kAll[];
///   static constexpr ShortForm kShortForms[];   only where there are any
template <class T>
struct ChoicesOf;

template <class T>
concept Chosen = requires {
  ChoicesOf<T>::kAll;
};

template <Chosen T>
constexpr const char* name_of(T value) {
  for (const Choice<T>& choice : ChoicesOf<T>::kAll) {
    if (choice.value == value) return choice.name;
  }
  return "?";
}

template <Chosen T>
std::vector<std::string_view> names_of() {
  std::vector<std::string_view> names;
  for (const Choice<T>& choice : ChoicesOf<T>::kAll) names.emplace_back(choice.name);
  return names;
}

/// Returns the value of a name. Throws UsageError, with all names, on others.
template <Chosen T>
T parse_name(std::string_view text, std::string_view what = ChoicesOf<T>::kWhat) {
  std::span<const ShortForm> forms;
  if constexpr (requires { ChoicesOf<T>::kShortForms; }) forms = ChoicesOf<T>::kShortForms;
  return ChoicesOf<T>::kAll[choose_name(text, what, names_of<T>(), forms)].value;
}

}  // namespace graphrun
