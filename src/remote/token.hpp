// The secret that servers and their clients share, and proofs of knowing it that do not tell it.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "graphrun/core/types.hpp"

namespace graphrun::remote::inline GR_IDS {

class Token {
 public:
  /// No token: proves nothing.
  Token() = default;
  /// From the file, if one is named; else from the environment (GRAPHMEMD_TOKEN); else none. Throws DataError when the file
  /// cannot be read, UsageError unless the token has at least 16 characters and the file is open to its owner only, and
  /// UnavailableError in a build without libcrypto.
  static Token find(const std::string& file);

  bool exists() const { return !secret_.empty(); }
  /// HMAC-SHA256 of the parts, each with its length before it, in hexadecimal digits. Empty without a token.
  std::string proof(std::initializer_list<std::string_view> parts) const;
  /// Whether that is what proof(parts) gives. Takes as long for wrong proofs as for right ones.
  bool accepts(std::string_view proof, std::initializer_list<std::string_view> parts) const;

 private:
  std::string secret_;
};

/// 32 bytes from the kernel's random generator, in hexadecimal digits.
std::string random_nonce();
std::string to_hex(std::string_view bytes);
/// Throws RunError when the text is something else.
std::string from_hex(std::string_view text);

}  // namespace graphrun::remote::inline GR_IDS
