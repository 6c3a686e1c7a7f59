// What a client and graphmemd tell each other on the control connection; docs/remote.md says the same in words.
//
//   client                                     server
//     hello      version, nonce          -->
//                                        <--     challenge  version, nonce
//     request    provider, graph, proof  -->
//                                        <--     grant      shard, endpoints, stretches, weights, proof
//                                                or refusal a sentence
//
// Then the connection stays open and silent: its end is how each side learns of the other's. Messages are JSON texts. A proof is
// an HMAC over both nonces and what the message says, so none can be used twice; without a token it is empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/transport/fabric.hpp"
#include "remote/token.hpp"

namespace graphrun::remote::inline GR_IDS {

inline constexpr int kProtocolVersion = 1;

struct Hello {
  std::string nonce;
};
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
  std::optional<WeightStats> weights;  ///< of the shard's weights, all of them; none when it has none
  std::uint64_t num_weights = 0;       ///< how many those are
};

/// What a server tells a client that it sends away. The sentence goes on where "this server" begins it.
struct Refusal : RunError {
  using RunError::RunError;
};

// Texts of messages, and what they say. Readers throw RunError for something else, another version, or a wrong proof, with a
// sentence that goes on where the sender's name begins it; for a grant, also what a refusal says.
std::string hello_text(const std::string& nonce);
Hello read_hello(const std::string& text);
/// The nonces of a connection, that of the client first.
struct Nonces {
  std::string client;
  std::string server;
};
std::string request_text(const Request& request, const Nonces& nonces, const Token& token);
Request read_request(const std::string& text, const Nonces& nonces, const Token& token);
std::string grant_text(const Grant& grant, const Nonces& nonces, const Token& token);
std::string refusal_text(const std::string& sentence);
Grant read_grant(const std::string& text, const Nonces& nonces, const Token& token);

/// Of the first bytes of a container, which have a checksum of every section. Throws DataError.
std::string head_checksum(const std::string& path);

}  // namespace graphrun::remote::inline GR_IDS
