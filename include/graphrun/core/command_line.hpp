// What a command line asks for, by a program's table of options. All values are text; what they mean is checked where they are
// used. A thin wall around cxxopts: one source of the library includes it, because it takes seconds to compile.
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
  /// Of an option whose value may be left out: the one it then has. It takes the next argument only where that is one of
  /// range.names, or, where there are none, no option.
  const char* implied = nullptr;
};

class CommandLine {
 public:
  /// `program` is the name that messages say; the table must outlive this. An option takes the next argument as its value, or
  /// what follows '='. Throws UsageError on an option that is not in the table, on one without its value or with an empty one,
  /// such as an unset variable of a shell leaves, and on a switch with a value. Of an option with two values the last counts, so
  /// that a script can put defaults before what it is called with; a warning says so.
  CommandLine(const std::string& program, std::span<const OptionText> options, std::span<const char* const> arguments);

  bool has(std::string_view option) const;
  /// Empty when the option was not given.
  const std::string& value(std::string_view option) const;
  /// The arguments that are no options and no values, in their order.
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

/// The table for --help, under the names of its groups, wrapped for a wide terminal.
std::string options_help(std::span<const OptionText> options);

}  // namespace graphrun
