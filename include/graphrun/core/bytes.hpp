// SPDX-License-Identifier: Apache-2.0
// Sizes in bytes, and other numbers, as people write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace graphrun {

/// Parses "4096", "4KiB", "8g", "512mb", "1.5 GiB": K, M, G, T, P and E are powers of 1024, with or without "B" or "iB", in any
/// case, after one space or none. Throws UsageError on anything else, signs included, and on overflow.
std::uint64_t parse_bytes(std::string_view text);

/// Parses all of `text` as a whole number within [low, high]. Throws UsageError naming `what`.
std::uint64_t parse_whole(const std::string& text, const std::string& what, std::uint64_t low, std::uint64_t high);
/// Parses all of `text` as a finite number, in decimal or with an exponent. Throws UsageError naming `what`.
double parse_real(const std::string& text, const std::string& what);

/// Returns `bytes` with three significant digits, in binary units: "4.00 KiB", "16.5 MiB".
std::string format_bytes(std::uint64_t bytes);

/// Returns `value` with a comma at every third digit: "1,234,567".
std::string grouped(std::uint64_t value);

}  // namespace graphrun
