// Lists on command lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphrun {

/// The names in `text` between separators: "a,b" has two. Throws UsageError, beginning with `what` ("--remote"), when one is
/// empty.
std::vector<std::string> split_list(const std::string& text, char separator, const std::string& what);

/// Decimal numbers of 64 bits between colons; nothing when `text` is anything else.
std::optional<std::vector<std::uint64_t>> parse_numbers(std::string_view text);

}  // namespace graphrun
