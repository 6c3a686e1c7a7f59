#include "graphrun/core/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/names.hpp"

namespace graphrun {
namespace {

constexpr std::string_view kDashes = "--";

std::string dashed(const OptionText& option) { return fmt::format("--{}", option.name); }

bool is_option(std::string_view argument) { return argument.size() > 1 && argument[0] == '-'; }

/// `text` in lines of at most `width`, those after the first indented.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string lines;
  while (text.size() > width) {
    std::size_t end = text.rfind(' ', width);
    if (end == std::string_view::npos || end == 0) end = std::min(text.find(' '), text.size());
    lines += fmt::format("{}\n{:{}}", text.substr(0, end), "", indent);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines + std::string(text);
}

}  // namespace

CommandLine::CommandLine(const std::string& program, std::span<const OptionText> options, std::span<const char* const> arguments)
    : program_(program), options_(options) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string argument = arguments[i];
    if (argument == kDashes) {
      names_.insert(names_.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, arguments.end());
      return;
    }
    if (!is_option(argument)) {
      names_.push_back(argument);
      continue;
    }
    const OptionText* option = find(argument);
    if (option == nullptr) refuse(argument);
    const std::size_t equals = argument.find('=');
    if (option->argument == nullptr) {
      if (equals != std::string::npos)
        throw UsageError(fmt::format("{} takes no value: leave out '{}'", dashed(*option), argument.substr(equals)));
      take(*option, "yes");
    } else if (equals != std::string::npos) {
      take(*option, argument.substr(equals + 1));
    } else if (i + 1 < arguments.size() && find(arguments[i + 1]) == nullptr) {
      take(*option, arguments[++i]);
    } else {
      throw UsageError(fmt::format("{} needs a value, {}: see {} --help", dashed(*option), option->argument, program_));
    }
  }
}

const OptionText* CommandLine::find(std::string_view argument) const {
  const std::string_view name = argument.substr(0, argument.find('='));
  const auto found = std::find_if(options_.begin(), options_.end(), [&](const OptionText& option) {
    return name == dashed(option) || (option.letter != '\0' && name == std::string{'-', option.letter});
  });
  return found == options_.end() ? nullptr : &*found;
}

void CommandLine::refuse(const std::string& argument) const {
  std::vector<std::string> names;
  for (const OptionText& option : options_) names.push_back(dashed(option));
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string closest = did_you_mean(argument.substr(0, argument.find('=')), known);
  throw UsageError(fmt::format("'{}' is not an option{}: see {} --help", argument, closest, program_));
}

void CommandLine::take(const OptionText& option, const std::string& value) {
  if (value.empty()) throw UsageError(fmt::format("{} was given nothing", dashed(option)));
  const auto [first, is_new] = values_.try_emplace(option.name, value);
  if (is_new || first->second == value) return;
  log::warn(fmt::format("{} was given twice: '{}' gives way to '{}'", dashed(option), first->second, value));
  first->second = value;
}

bool CommandLine::has(std::string_view option) const { return !value(option).empty(); }

const std::string& CommandLine::value(std::string_view option) const {
  static const std::string kNothing;
  const auto found = values_.find(option);
  if (found != values_.end()) return found->second;
  const bool known = std::any_of(options_.begin(), options_.end(), [&](const OptionText& each) { return option == each.name; });
  if (!known) throw std::logic_error(fmt::format("the table of options has no --{}", option));
  return kNothing;
}

std::string options_help(std::span<const OptionText> options) {
  constexpr std::size_t kWidth = 120;
  constexpr std::size_t kColumn = 32;
  std::string help;
  std::string_view group;
  for (const OptionText& option : options) {
    if (group != option.group) help += fmt::format("\n{} options:\n", option.group);
    group = option.group;
    const std::string letter = option.letter == '\0' ? "    " : fmt::format("-{}, ", option.letter);
    const std::string form = fmt::format("  {}{}{}{}", letter, dashed(option), option.argument == nullptr ? "" : " ",
                                         option.argument == nullptr ? "" : option.argument);
    const bool fits = form.size() + 2 <= kColumn;
    help += fits ? fmt::format("{:<{}}", form, kColumn) : fmt::format("{}\n{:{}}", form, "", kColumn);
    help += wrapped(option.help, kWidth - kColumn, kColumn) + "\n";
  }
  return help;
}

}  // namespace graphrun
