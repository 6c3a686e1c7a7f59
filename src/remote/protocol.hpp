// SPDX-License-Identifier: Apache-2.0
// Messages of a client and graphmemd on the control connection, a TCP connection to each address.
//
//   client                                     server
//     hello      version, nonce          -->
//                                        <--     challenge  version, nonce
//     request    provider, graph, proof  -->
//                                        <--     grant      shard, endpoints, stretches, weights, proof
//                                                or refusal a sentence
//
// Then the connection stays open and silent, to detect the other side's end. Messages are JSON texts, each after its length (4
// bytes, little-endian, at most 64 KiB). A proof is an HMAC over both nonces and the message's content, so it cannot be replayed;
// without a token it is empty.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/transport/fabric.hpp"

namespace graphrun::remote::inline GR_IDS {

inline constexpr int kProtocolVersion = 1;

/// The shared secret of servers and clients, and proofs of knowing it.
class Token {
 public:
  /// Makes no token: proves nothing.
  Token() = default;
  /// Returns the token of the file, else of the environment (GRAPHMEMD_TOKEN), else none. Throws DataError for an unreadable
  /// file, and UnavailableError in a build without libcrypto. Throws UsageError for a token below 16 characters, or a file that
  /// others than its owner can access.
  static Token find(const std::string& file);

  bool exists() const { return !secret_.empty(); }
  /// Returns the HMAC-SHA256 of the parts, each preceded by its length, in hexadecimal digits. Empty without a token.
  std::string proof(std::initializer_list<std::string_view> parts) const;
  /// Returns whether a proof equals proof(parts), in constant time.
  bool accepts(std::string_view proof, std::initializer_list<std::string_view> parts) const;

 private:
  std::string secret_;
};

/// Returns 32 bytes of the kernel's random generator, in hexadecimal digits.
std::string random_nonce();
std::string to_hex(std::string_view bytes);
/// Decodes hexadecimal digits. Throws RunError for other text.
std::string from_hex(std::string_view text);

struct Request {
  std::string provider;
  std::string graph;  ///< head_checksum() of the client's container, in hexadecimal digits
  std::string proof;
};
struct Grant {
  int shard = 1;
  int shards = 1;
  std::vector<std::string> endpoints;
  std::vector<RemoteStretch> stretches;
  std::optional<WeightStats> weights;  ///< of all of the shard's weights; none when it has none
  std::uint64_t num_weights = 0;       ///< their number
};

/// Rejects a client. The message continues a sentence that starts with "this server".
struct Refusal : RunError {
  using RunError::RunError;
};

// Texts of messages, and their readers. Readers throw RunError for other text, another version, a wrong proof, and a refusal
// instead of a grant. The message continues a sentence that starts with the sender's name.
std::string hello_text(const std::string& nonce);
std::string read_hello(const std::string& text);  ///< returns the nonce
/// The nonces of a connection, the client's first.
struct Nonces {
  std::string client;
  std::string server;
};
std::string request_text(const Request& request, const Nonces& nonces, const Token& token);
Request read_request(const std::string& text, const Nonces& nonces, const Token& token);
std::string grant_text(const Grant& grant, const Nonces& nonces, const Token& token);
std::string refusal_text(const std::string& sentence);
Grant read_grant(const std::string& text, const Nonces& nonces, const Token& token);

/// Returns container_digest() in hexadecimal digits. Throws DataError, and UsageError for another file.
std::string head_checksum(const std::string& path);

}  // namespace graphrun::remote::inline GR_IDS
