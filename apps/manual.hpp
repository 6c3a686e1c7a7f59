// SPDX-License-Identifier: Apache-2.0
// A program's description, and from it help, manual page and shell completions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graphrun/core/command_line.hpp"

namespace graphrun::program {

struct Manual {
  std::string program;
  std::string summary;  ///< one sentence
  std::string usage;    ///< a line for each form of call, indented by seven blanks from the second on
  std::vector<OptionText> options;
  std::vector<std::pair<std::string, std::string>> sections;  ///< title and lines: formats, generators, examples, exit codes
  /// Returns the text of --help with "backend" and `topic` after it; null in a program without backends.
  std::string (*help_on_backend)(const std::vector<std::string>& topic) = nullptr;
  std::vector<Manual> commands = {};  ///< commands with their own options; the program of each is "PROGRAM COMMAND"
};

/// Returns the commands, such as "gather": the words in small letters of the program's usage.
std::vector<std::string> command_words(const Manual& manual);

/// Returns the text for a call without arguments.
std::string usage_text(const Manual& manual);
/// Returns the common options; all where none is marked as common.
std::string short_help(const Manual& manual);
std::string full_help(const Manual& manual);
/// Returns a page in roff, for man(1).
std::string manual_page(const Manual& manual);
/// Returns the options in tables, for docs/options.md; no help text names it.
std::string markdown_reference(const Manual& manual);
/// Returns a script for bash-completion.
std::string bash_completion(const Manual& manual);

/// Returns the text of --help with `topic` after it: "all", "man", "markdown", "bash", "backend", the first word of a section's
/// title, or nothing for the short help. When the first of the command line's `names` is a command, returns all options of that.
/// Throws UsageError on others.
std::string help_on(const Manual& manual, const std::vector<std::string>& names, std::vector<std::string> topic);

}  // namespace graphrun::program
