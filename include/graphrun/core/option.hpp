// SPDX-License-Identifier: Apache-2.0
// An option as data: its text, its values, the field of an Options structure that it sets. A program's parsing, help, warnings,
// JSON and shell completion know its options by a table of these.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "graphrun/core/bytes.hpp"
#include "graphrun/core/command_line.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/names.hpp"

/// Reaches a field of an Options structure, constant or not: GR_FIELD(backend.page_bytes).
#define GR_FIELD(path) \
  [](auto& options) -> auto& { return options.path; }

namespace graphrun {

template <>
struct ChoicesOf<ValueRange::Kind> {
  using Kind = ValueRange::Kind;
  static constexpr const char* kWhat = "kind of value";
  static constexpr Choice<Kind> kAll[] = {{"flag", Kind::flag}, {"whole", Kind::whole}, {"real", Kind::real},
                                          {"size", Kind::size}, {"name", Kind::name},   {"text", Kind::text}};
};

/// The value of an option for JSON; nothing: it was not given and has no default.
using OptionValue = std::variant<std::monostate, bool, std::uint64_t, double, std::string, std::vector<std::string>>;

template <class Options>
struct Option {
  OptionText text;
  /// Sets the field to what a user typed, "" for a flag. Throws UsageError that begins with the option's name.
  std::function<void(Options&, const std::string&)> set = {};
  std::function<OptionValue(const Options&)> get = {};
  std::string_view unit = {};  ///< of the value in JSON, where its name says it: "bytes"

  /// The name of its field in JSON: "page" in bytes is page_bytes.
  std::string json_name() const {
    std::string name = text.name;
    for (char& letter : name) letter = letter == '-' ? '_' : letter;
    return unit.empty() ? name : name + "_" + std::string(unit);
  }
};

/// Calls set() and puts the option's name before what it refuses.
template <class Set>
void set_named(const std::string& option, const Set& set) {
  try {
    set();
  } catch (const UsageError& error) {
    const std::string dashed = "--" + option;
    if (std::string_view(error.what()).starts_with(dashed)) throw;
    throw UsageError(dashed + ": " + error.what());
  }
}

template <class Field>
OptionValue value_of(const Field& field) {
  if constexpr (requires { field.has_value(); }) {
    return field ? value_of(*field) : OptionValue{};
  } else if constexpr (std::is_same_v<Field, bool> || std::is_same_v<Field, std::vector<std::string>>) {
    return field;
  } else if constexpr (Chosen<Field>) {
    return std::string(name_of(field));
  } else if constexpr (requires { field.count(); }) {  // a duration
    return static_cast<std::uint64_t>(field.count());
  } else if constexpr (std::is_floating_point_v<Field>) {
    return static_cast<double>(field);
  } else if constexpr (std::is_integral_v<Field>) {
    return static_cast<std::uint64_t>(field);
  } else if constexpr (std::is_constructible_v<std::string, Field>) {
    const std::string text(field);
    return text.empty() ? OptionValue{} : text;
  } else {
    return to_string(field);
  }
}

/// The value that an optional field holds, or the field's own type.
template <class Field>
struct Held {
  using type = Field;
};
template <class T>
struct Held<std::optional<T>> {
  using type = T;
};

/// Makes the options of one structure. `field` is a GR_FIELD.
template <class Options>
struct OptionMaker {
  template <class Field>
  using Of = std::remove_cvref_t<std::invoke_result_t<Field, Options&>>;

  template <class Field>
  static Option<Options> flag(OptionText text, Field field, bool value = true) {
    text.range.kind = ValueRange::Kind::flag;
    return {text, [=](Options& options, const std::string&) { field(options) = value; },
            [=](const Options& options) -> OptionValue { return field(options) == value; }};
  }

  template <class Field>
  static Option<Options> whole(OptionText text, Field field, std::uint64_t low,
                               std::uint64_t high = std::numeric_limits<std::uint64_t>::max()) {
    return made(text, {.kind = ValueRange::Kind::whole, .low = low, .high = high}, field, [=](const std::string& typed) {
      return static_cast<typename Held<Of<Field>>::type>(parse_whole(typed, std::string("--") + text.name, low, high));
    });
  }

  /// Makes an option of a number above 0.
  template <class Field>
  static Option<Options> positive(OptionText text, Field field) {
    return made(text, {.kind = ValueRange::Kind::real}, field, [=](const std::string& typed) {
      const double value = parse_real(typed, std::string("--") + text.name);
      if (value <= 0) throw UsageError("'" + typed + "' is not above 0");
      return value;
    });
  }

  template <class Field>
  static Option<Options> size(OptionText text, Field field, std::uint64_t low = 0) {
    Option<Options> option = made(text, {.kind = ValueRange::Kind::size, .low = low}, field, [=](const std::string& typed) {
      using Bytes = typename Held<Of<Field>>::type;
      const std::uint64_t bytes = parse_bytes(typed);
      if (bytes < low) throw UsageError("'" + typed + "' is too small");
      if (bytes > std::numeric_limits<Bytes>::max()) throw UsageError("'" + typed + "' is more than there can be");
      return static_cast<Bytes>(bytes);
    });
    option.unit = "bytes";
    return option;
  }

  /// Makes an option of an enumeration that has ChoicesOf.
  template <class Field>
  static Option<Options> name(OptionText text, Field field) {
    using Named = typename Held<Of<Field>>::type;
    return made(text, {.kind = ValueRange::Kind::name, .names = names_of<Named>()}, field,
                [implied = text.implied](const std::string& typed) {
                  return parse_name<Named>(typed.empty() && implied != nullptr ? implied : typed);
                });
  }

  /// Makes an option of "on" or `off`.
  template <class Field>
  static Option<Options> on_or(const char* off, OptionText text, Field field) {
    return made(text, {.kind = ValueRange::Kind::name, .names = {"on", off}}, field, [=](const std::string& typed) {
      const std::string_view names[] = {"on", off};
      return choose_name(typed, "choice", names) == 0;
    });
  }

  /// Makes an option of any text that parse() accepts; `forms` show it where only some words are taken.
  template <class Field, class Parse>
  static Option<Options> text(OptionText text, Field field, Parse parse, std::span<const std::string_view> forms = {}) {
    return made(text, {.names = {forms.begin(), forms.end()}}, field, std::move(parse));
  }
  template <class Field>
  static Option<Options> text(OptionText text, Field field) {
    return made(text, {}, field, [](const std::string& typed) { return typed; });
  }

 private:
  template <class Field, class Parse>
  static Option<Options> made(OptionText text, ValueRange range, Field field, Parse parse) {
    text.range = std::move(range);
    return {text,
            [=, name = std::string(text.name)](Options& options, const std::string& typed) {
              set_named(name, [&] { field(options) = parse(typed); });
            },
            [=](const Options& options) { return value_of(field(options)); }};
  }
};

/// Returns the options of a part of Options as options of the whole.
template <class Options, class Part, class Field>
std::vector<Option<Options>> options_of_part(const std::vector<Option<Part>>& part, Field field) {
  std::vector<Option<Options>> all;
  for (const Option<Part>& each : part) {
    all.push_back({each.text, [=, set = each.set](Options& options, const std::string& typed) { set(field(options), typed); },
                   [=, get = each.get](const Options& options) { return get(field(options)); }, each.unit});
  }
  return all;
}

/// Sets the options that were given, in the order of the table. Options without a set() are the program's own.
template <class Table, class Options>
void set_given(const Table& table, const CommandLine& given, Options& options) {
  for (const auto& option : table) {
    if (option.set && given.has(option.text.name)) option.set(options, given.value(option.text.name));
  }
}

template <class Table>
std::vector<OptionText> texts_of(const Table& table) {
  std::vector<OptionText> texts;
  for (const auto& option : table) texts.push_back(option.text);
  return texts;
}

}  // namespace graphrun
