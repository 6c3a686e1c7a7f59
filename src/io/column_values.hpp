// SPDX-License-Identifier: Apache-2.0
// The forms of fields of a column.
#pragma once

#include <string>

#include "graphrun/core/types.hpp"

namespace graphrun::io::inline GR_IDS {

bool reads_like_number(const std::string& text);

/// Returns whether it reads like a time of 1990 to 2039: seconds since 1970, with any fraction, or milli-, micro-, nanoseconds.
bool reads_like_time(const std::string& text);

/// Returns whether it reads like "12.0", as pandas writes whole numbers beside gaps, or "1.2e+01", as numpy.savetxt does.
bool reads_like_whole_float(const std::string& text);

/// Returns whether it reads like "007".
bool has_leading_zero(const std::string& text);

/// Returns whether it reads like "0,5".
bool has_decimal_comma(std::string text);

/// Returns whether it reads like "1 2 0": numbers with blanks between.
bool holds_several_numbers(const std::string& text);

}  // namespace graphrun::io::inline GR_IDS
