// Lists on command lines.
#pragma once

#include <string>
#include <vector>

namespace graphrun {

/// The names in `text` between separators: "a,b" has two. Throws UsageError, beginning with `what` ("--remote"), when one is
/// empty.
std::vector<std::string> split_list(const std::string& text, char separator, const std::string& what);

}  // namespace graphrun
