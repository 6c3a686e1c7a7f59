// SPDX-License-Identifier: Apache-2.0

#include "graphrun/core/command_line.hpp"

#include <fmt/format.h>

// Without regular expressions, which take more time to compile than all the rest; and names may hold commas.
#define CXXOPTS_NO_REGEX
#define CXXOPTS_VECTOR_DELIMITER '\0'
#include <cxxopts.hpp>
#include <stdexcept>

#include "core/raise.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/names.hpp"

namespace graphrun {
namespace {

constexpr const char* kNames = "names.";  // a command line cannot spell it: options have no point

std::string dashed(std::string_view name) { return fmt::format("--{}", name); }

/// Returns the option that "--name" or "-n" is; null when there is none.
const OptionText* find(std::span<const OptionText> options, std::string_view typed) {
  for (const OptionText& option : options) {
    if (typed.starts_with("--") && typed.substr(2) == option.name) return &option;
    if (option.letter != '\0' && typed.size() == 2 && typed[0] == '-' && typed[1] == option.letter) return &option;
  }
  return nullptr;
}

cxxopts::Options parser_of(const std::string& program, std::span<const OptionText> options) {
  constexpr std::size_t kWidth = 120;
  cxxopts::Options parser(program);
  parser.set_width(kWidth).allow_unrecognised_options();
  for (const OptionText& option : options) {
    const bool is_switch = option.argument == nullptr;
    const std::shared_ptr<cxxopts::Value> value = is_switch ? cxxopts::value<bool>() : cxxopts::value<std::string>();
    const std::string letter = option.letter == '\0' ? "" : std::string(1, option.letter);
    parser.add_option(option.group, letter, option.name, option.help, value, is_switch ? "" : option.argument);
  }
  return parser;
}

cxxopts::ParseResult parse(cxxopts::Options& parser, const std::string& program, std::span<const char* const> arguments) {
  std::vector<const char*> argv{program.c_str()};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  try {
    return parser.parse(static_cast<int>(argv.size()), argv.data());
  } catch (const cxxopts::exceptions::missing_argument&) {  // which only the last one can be
    raise<UsageError>("{} needs a value: see {} --help", arguments.back(), program);
  } catch (const cxxopts::exceptions::exception& error) {
    raise<UsageError>("{}: see {} --help", error.what(), program);
  }
}

/// Expands a group of letters: "-qj4" is --quiet --threads 4. Other arguments stay, also values of an option.
void add_argument(std::vector<std::string>& complete, std::span<const OptionText> options, const std::string& argument) {
  const OptionText* const before = complete.empty() ? nullptr : find(options, complete.back());
  const bool is_value = before != nullptr && before->argument != nullptr && before->implied == nullptr;
  std::vector<std::string> long_forms;
  const bool is_group = argument.size() > 2 && argument[0] == '-' && argument[1] != '-' && !is_value;
  for (std::size_t i = 1; is_group && i < argument.size(); ++i) {
    const OptionText* const option = find(options, std::string("-") + argument[i]);
    if (option == nullptr) break;
    long_forms.push_back(dashed(option->name));
    if (option->argument != nullptr && i + 1 < argument.size()) long_forms.push_back(argument.substr(i + 1));
    if (option->argument == nullptr && i + 1 < argument.size()) continue;
    complete.insert(complete.end(), long_forms.begin(), long_forms.end());
    return;
  }
  complete.push_back(argument);
}

/// Completes options whose value may be left out: by the next argument, if it is one of their values or, where any text is one,
/// begins without a dash.
std::vector<std::string> with_implied_values(std::span<const OptionText> options, std::span<const char* const> arguments) {
  std::vector<std::string> complete;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    add_argument(complete, options, arguments[i]);
    if (complete.back() == "--") {  // names from here on
      complete.insert(complete.end(), arguments.begin() + i + 1, arguments.end());
      break;
    }
    const auto option = std::find_if(options.begin(), options.end(), [&](const OptionText& each) {
      return each.implied != nullptr && complete.back() == dashed(each.name);
    });
    if (option == options.end()) continue;
    const std::vector<std::string_view>& values = option->range.names;
    const std::string_view next = i + 1 < arguments.size() ? arguments[i + 1] : "--";
    const bool has_value =
        values.empty() ? !next.starts_with("-") || next == "-"
                       : std::any_of(values.begin(), values.end(), [&](std::string_view value) { return spells(next, value); });
    complete.back() += fmt::format("={}", has_value ? arguments[++i] : option->implied);
  }
  return complete;
}

}  // namespace

CommandLine::CommandLine(const std::string& program, std::span<const OptionText> options, std::span<const char* const> arguments)
    : program_(program), options_(options) {
  cxxopts::Options parser = parser_of(program, options);
  parser.add_options()(kNames, "", cxxopts::value<std::vector<std::string>>());
  parser.parse_positional(kNames);
  for (const std::string_view argument : arguments) check_switch(argument);
  const std::vector<std::string> complete = with_implied_values(options, arguments);
  std::vector<const char*> pointers;
  for (const std::string& argument : complete) pointers.push_back(argument.c_str());
  const cxxopts::ParseResult given = parse(parser, program, pointers);
  if (!given.unmatched().empty()) refuse(given.unmatched().front());
  if (given.count(kNames) != 0) names_ = given[kNames].as<std::vector<std::string>>();
  for (const cxxopts::KeyValue& argument : given.arguments()) {
    if (argument.key() != kNames) take(argument.key(), argument.value());
  }
}

void CommandLine::refuse(const std::string& argument) const {
  std::vector<std::string> names;
  for (const OptionText& option : options_) names.push_back(dashed(option.name));
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string closest = did_you_mean(argument.substr(0, argument.find('=')), known);
  raise<UsageError>("'{}' is not an option{}: see {} --help", argument, closest, program_);
}

void CommandLine::check_switch(std::string_view argument) const {
  const bool one_dash = argument.size() > 2 && argument[0] == '-' && argument[1] != '-';
  if (one_dash && find(options_, "-" + std::string(argument.substr(0, argument.find('=')))) != nullptr)
    raise<UsageError>("'{}' is not an option: write -{}", argument, argument);
  const std::size_t equals = argument.find('=');
  if (equals == std::string_view::npos) return;
  if (one_dash && equals == 2 && find(options_, argument.substr(0, 2)) != nullptr)
    raise<UsageError>("'{}': a letter takes its value without '=': {} {}", argument, argument.substr(0, 2), argument.substr(3));
  const std::string_view name = argument.substr(0, equals);
  const std::string_view value = argument.substr(equals + 1);
  const OptionText* const option = find(options_, name);
  if (option != nullptr && option->argument == nullptr && value != "true" && value != "false")
    raise<UsageError>("{} is a switch, which takes no value: '{}'", name, argument);
}

void CommandLine::take(const std::string& option, const std::string& value) {
  const std::string begun = value.substr(0, value.find('='));
  if (find(options_, begun) != nullptr) raise<UsageError>("{} needs a value, and {} is another option", dashed(option), begun);
  if (value.empty()) raise<UsageError>("{} was given nothing", dashed(option));
  if (find(options_, dashed(option))->argument == nullptr && value == "false") return;  // a switch that is turned off
  const auto [first, is_new] = values_.try_emplace(option, value);
  if (is_new || first->second == value) return;
  log::warn(fmt::format("{} was given twice: '{}' gives way to '{}'", dashed(option), first->second, value));
  first->second = value;
}

bool CommandLine::has(std::string_view option) const { return !value(option).empty(); }

const std::string& CommandLine::value(std::string_view option) const {
  static const std::string kNothing;
  const auto found = values_.find(option);
  if (found != values_.end()) return found->second;
  if (find(options_, dashed(option)) == nullptr) throw std::logic_error(fmt::format("the table of options has no --{}", option));
  return kNothing;
}

std::string options_help(std::span<const OptionText> options) {
  std::vector<std::string> groups;
  for (const OptionText& option : options) {
    if (groups.empty() || groups.back() != option.group) groups.emplace_back(option.group);
  }
  const std::string help = parser_of("", options).help(groups);
  return "\n" + help.substr(help.find(fmt::format(" {} options:", groups.front())));  // without how to call the program
}

}  // namespace graphrun
