// SPDX-License-Identifier: Apache-2.0
// Text as one member of a compressed file.
#pragma once

#include <string>
#include <string_view>

namespace graphrun::fuzz {

/// gzip, zstd, xz and bzip2.
inline constexpr unsigned kCompressions = 4;

/// `choice` modulo kCompressions says which; gzip where the library of that one is missing. Throws std::runtime_error.
std::string compress(std::string_view text, unsigned choice);

}  // namespace graphrun::fuzz
