// HMAC-SHA256 by OpenSSL's libcrypto, where the build has it.
#pragma once

#include <string>
#include <string_view>

#include "graphrun/core/types.hpp"

namespace graphrun::remote::inline GR_IDS {

/// Empty when hmac_sha256() works; otherwise a sentence.
std::string why_no_hmac();
/// 32 bytes. Throws UnavailableError and RunError.
std::string hmac_sha256(std::string_view key, std::string_view text);

}  // namespace graphrun::remote::inline GR_IDS
