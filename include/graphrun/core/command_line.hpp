// SPDX-License-Identifier: Apache-2.0
// Command lines by a program's table of options; values are text. Hides cxxopts, which takes seconds to compile.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphrun {

/// What values an option takes.
struct ValueRange {
  enum class Kind {
    flag,   ///< given or not
    whole,  ///< a whole number from low to high
    real,   ///< a number above 0
    size,   ///< bytes, as parse_bytes() takes them
    name,   ///< one of `names`
    text    ///< anything else: the help says what. `names` are forms of it: "cpu", "cuda:N"
  };
  Kind kind = Kind::text;
  std::uint64_t low = 0;
  std::uint64_t high = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::string_view> names = {};
};

struct OptionText {
  const char* group;
  const char* name;
  const char* argument;  ///< null for a switch
  std::string help;
  char letter = '\0';   ///< 'h' for -h
  bool common = false;  ///< stands in the short help
  ValueRange range = {};
  /// The value of an option that is given without one. It takes the next argument only where that is one of range.names, or,
  /// without names, no option.
  const char* implied = nullptr;
};

class CommandLine {
 public:
  /// Parses by a table that must outlive this; messages name `program`. An option's value is the next argument or follows '='.
  /// Of two values the last counts, with a warning, so that scripts can put defaults first. Throws UsageError on unknown options,
  /// missing or empty values, and switches with a value.
  CommandLine(const std::string& program, std::span<const OptionText> options, std::span<const char* const> arguments);

  bool has(std::string_view option) const;
  /// Returns "" when the option was not given.
  const std::string& value(std::string_view option) const;
  /// Returns the arguments that are no options and no values, in their order.
  const std::vector<std::string>& names() const { return names_; }

 private:
  [[noreturn]] void refuse(const std::string& argument) const;
  /// Throws UsageError when it gives a value other than true or false to a switch.
  void check_switch(std::string_view argument) const;
  void take(const std::string& option, const std::string& value);

  std::string program_;
  std::span<const OptionText> options_;
  std::map<std::string, std::string, std::less<>> values_;
  std::vector<std::string> names_;
};

/// Returns the table for --help, by groups, wrapped for a wide terminal.
std::string options_help(std::span<const OptionText> options);

}  // namespace graphrun
