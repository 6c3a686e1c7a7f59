// What a program says of itself, from one description: its help, its manual page and the completions of a shell.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graphrun/core/command_line.hpp"

namespace graphrun::program {

struct Manual {
  std::string program;
  std::string summary;  ///< one sentence
  std::string usage;    ///< a line a way to call it, indented by seven blanks from the second on
  std::vector<OptionText> options;
  std::vector<std::pair<std::string, std::string>> sections;  ///< title and lines: formats, generators, examples, exit codes
  /// What --help with "backend" and `topic` behind it prints; null in a program that has no backends.
  std::string (*help_on_backend)(const std::vector<std::string>& topic) = nullptr;
  std::vector<Manual> commands = {};  ///< that have options of their own; the program of each is "PROGRAM COMMAND"
};

/// Words that may follow the program's name, such as "gather": those in small letters of its usage.
std::vector<std::string> command_words(const Manual& manual);

/// For a program that was called without arguments.
std::string usage_text(const Manual& manual);
/// The common options; all of them where none is marked as common.
std::string short_help(const Manual& manual);
std::string full_help(const Manual& manual);
/// In roff, for man(1).
std::string manual_page(const Manual& manual);
/// The options in tables, for docs/options.md; no help text names it.
std::string markdown_reference(const Manual& manual);
/// A script for bash-completion.
std::string bash_completion(const Manual& manual);

/// What --help with `topic` behind it prints: "all", "man", "markdown", "bash", "backend", the first word of a section's title,
/// or nothing for the short help. Where the first of `names`, all those of the command line, is a command, it prints all options
/// of that. Throws UsageError on others.
std::string help_on(const Manual& manual, const std::vector<std::string>& names, std::vector<std::string> topic);

}  // namespace graphrun::program
