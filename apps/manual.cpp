// SPDX-License-Identifier: Apache-2.0

#include "manual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <sstream>
#include <string_view>

#include "graphrun/core/names.hpp"

namespace graphrun::program {
namespace {

constexpr const char* kCapitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Escapes hyphens, backslashes and starts of roff requests.
std::string roff(std::string_view text) {
  std::string escaped;
  for (const char letter : text) {
    const bool begins_line = escaped.empty() || escaped.back() == '\n';
    if (begins_line && (letter == '.' || letter == '\'')) escaped += "\\&";
    if (letter == '\\' || letter == '-') escaped += '\\';
    escaped += letter;
  }
  return escaped;
}

std::string in_capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  return text;
}

/// Returns "formats" for "Formats that are read": the section's name for --help.
std::string topic_of(const std::string& title) { return in_small_letters(title.substr(0, title.find_first_of(" ,"))); }

std::string sections_on(const Manual& manual, const std::string& topic) {
  std::string text;
  for (const auto& [title, lines] : manual.sections) {
    if (topic_of(title) == topic) text += fmt::format("{}{}:\n{}", text.empty() ? "" : "\n", title, lines);
  }
  return text;
}

}  // namespace

std::vector<std::string> command_words(const Manual& manual) {
  std::vector<std::string> words;
  std::istringstream lines(manual.usage);
  for (std::string line; std::getline(lines, line);) {
    std::string program;
    std::string word;
    std::istringstream(line) >> program >> word;
    if (std::ranges::all_of(word, [](unsigned char letter) { return std::islower(letter) != 0; })) words.push_back(word);
  }
  return words;
}

std::string usage_text(const Manual& manual) { return fmt::format("{}\n\nusage: {}", manual.summary, manual.usage); }

std::string short_help(const Manual& manual) {
  std::vector<OptionText> common;
  std::copy_if(manual.options.begin(), manual.options.end(), std::back_inserter(common),
               [](const auto& each) { return each.common; });
  if (common.empty()) return full_help(manual);
  const std::size_t rest = manual.options.size() - common.size();
  return usage_text(manual) + options_help(common) +
         fmt::format("\n{} --help all has {} more options, formats, generators and examples.\n", manual.program, rest);
}

std::string full_help(const Manual& manual) {
  std::string text = usage_text(manual) + options_help(manual.options);
  for (const auto& [title, lines] : manual.sections) text += fmt::format("\n{}:\n{}", title, lines);
  return text;
}

std::string manual_page(const Manual& manual) {
  std::string page = fmt::format(".TH {} 1\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.nf\n{}.fi\n.SH OPTIONS\n",
                                 in_capitals(manual.program), manual.program, roff(manual.summary), roff(manual.usage));
  std::string_view group;
  for (const OptionText& option : manual.options) {
    if (group != option.group) page += fmt::format(".SS {}\n", roff(option.group));
    group = option.group;
    page += ".TP\n";
    if (option.letter != '\0') page += fmt::format("\\fB\\-{}\\fR, ", option.letter);
    page += fmt::format("\\fB\\-\\-{}\\fR", roff(option.name));
    if (option.argument != nullptr) page += fmt::format(" \\fI{}\\fR", roff(option.argument));
    page += fmt::format("\n{}\n", roff(option.help));
  }
  for (const auto& [title, lines] : manual.sections) page += fmt::format(".SH {}\n.nf\n{}.fi\n", in_capitals(title), roff(lines));
  return page;
}

std::string markdown_reference(const Manual& manual) {
  std::string page = fmt::format("## {}\n\n{}\n", manual.program, manual.summary);
  std::string_view group;
  for (const OptionText& option : manual.options) {
    if (group != option.group) page += fmt::format("\n### {} of {}\n\n", option.group, manual.program);
    group = option.group;
    const std::string letter = option.letter == '\0' ? "" : fmt::format("-{}, ", option.letter);
    const std::string argument = option.argument == nullptr ? "" : fmt::format(" {}", option.argument);
    page += fmt::format("- `{}--{}{}`: {}\n", letter, option.name, argument, option.help);
  }
  return page + "\n";
}

std::string bash_completion(const Manual& manual) {
  std::string cases;
  std::string all;
  for (const OptionText& option : manual.options) {
    all += fmt::format("{}--{}", all.empty() ? "" : " ", option.name);
    if (option.range.names.empty()) continue;
    std::vector<std::string_view> values;
    for (const std::string_view form : option.range.names) {
      const std::string_view typed = form.substr(0, form.find_first_of(kCapitals));  // "cuda:" of "cuda:N"
      if (values.empty() || values.back() != typed) values.push_back(typed);
    }
    // An option with an optional value may be followed by another option.
    const char* const unless = option.implied == nullptr ? "" : "[[ \"$word\" == -* ]] || ";
    cases += fmt::format("    --{}) {}values='{}' ;;\n", option.name, unless, fmt::join(values, " "));
  }
  return fmt::format(R"(# Completions of {0} for bash: what {0} --help bash prints.
_{0}() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" values=''
  case "${{COMP_WORDS[COMP_CWORD - 1]}}" in
{1}  esac
  if [[ -n "$values" ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$word"))
    [[ "${{COMPREPLY[0]}}" != *: ]] || compopt -o nospace
  elif [[ "$word" == -* ]]; then
    COMPREPLY=($(compgen -W '{2}' -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
    [[ $COMP_CWORD != 1 ]] || COMPREPLY+=($(compgen -W '{3}' -- "$word"))
    compopt -o filenames
  fi
}}
complete -F _{0} {0}
)",
                     manual.program, cases, all, fmt::join(command_words(manual), " "));
}

std::string help_on(const Manual& manual, const std::vector<std::string>& names, std::vector<std::string> topic) {
  for (const Manual& command : manual.commands) {
    if (names.empty() || command.program != fmt::format("{} {}", manual.program, names[0])) continue;
    if (!topic.empty() && topic[0] == names[0]) topic.erase(topic.begin());
    constexpr std::string_view kTopics[] = {"all"};  // programs have pages and scripts
    if (!topic.empty()) choose_name(topic[0], "help on", kTopics);
    return full_help(command);
  }
  if (topic.empty()) return short_help(manual);
  std::vector<std::string> topics{"all", "man", "markdown", "bash"};
  if (manual.help_on_backend != nullptr) topics.emplace_back("backend");
  for (const auto& [title, lines] : manual.sections) {
    if (const std::string word = topic_of(title); std::ranges::find(topics, word) == topics.end()) topics.push_back(word);
  }
  switch (const std::size_t chosen =
              choose_name(topic[0], "help on", std::vector<std::string_view>(topics.begin(), topics.end()));
          chosen) {
    case 0:
      return full_help(manual);
    case 1:
      return manual_page(manual);
    case 2:
      return markdown_reference(manual);
    case 3:
      return bash_completion(manual);
    default:
      return topics[chosen] == "backend" ? manual.help_on_backend(topic) : sections_on(manual, topics[chosen]);
  }
}

}  // namespace graphrun::program
