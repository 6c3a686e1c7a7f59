// Names as users type them, and which name a misspelled one may have meant.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace graphrun {

/// Whether `text` spells `name` but for case, '-' and '_': "Read_Mostly" and "readmostly" both spell "read-mostly".
bool spells(std::string_view text, std::string_view name);

std::string in_small_letters(std::string_view text);

/// " (did you mean 'bfs'?)" with the closest of `names`, for a message about `text`; empty when none is close.
std::string did_you_mean(std::string_view text, std::span<const std::string_view> names);

/// "bfs, sssp, cc"
std::string joined(std::span<const std::string_view> names);

/// A usual other form of a name, such as "pr" of "pagerank".
struct ShortForm {
  std::string_view form;
  std::string_view name;
};

/// Which of `names` the text spells, itself or by one of `forms`. Throws UsageError when it is none: "there is no WHAT 'TEXT'",
/// with the closest name and all that there are.
std::size_t choose_name(std::string_view text, std::string_view what, std::span<const std::string_view> names,
                        std::span<const ShortForm> forms = {});

}  // namespace graphrun
