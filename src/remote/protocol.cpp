// SPDX-License-Identifier: Apache-2.0

#include "remote/protocol.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <span>

#include "core/owned_fd.hpp"
#include "core/raise.hpp"
#include "graphrun/io/parts.hpp"
#include "io/native_layout.hpp"

// The build sets this when it finds libcrypto: see cmake/GraphrunFabric.cmake.
#ifdef GRAPHRUN_HAS_CRYPTO
#include <openssl/evp.h>
#include <openssl/hmac.h>
#endif

namespace graphrun::remote::inline GR_IDS {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLeastBytes = 16;
constexpr std::size_t kMostBytes = 4096;
constexpr const char* kVariable = "GRAPHMEMD_TOKEN";

#ifdef GRAPHRUN_HAS_CRYPTO

constexpr const char* kNoHmac = "";

/// Returns 32 bytes.
std::string hmac_sha256(std::string_view key, std::string_view text) {
  std::string digest(EVP_MAX_MD_SIZE, '\0');
  unsigned bytes = 0;
  const unsigned char* made =
      ::HMAC(::EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
             text.size(), reinterpret_cast<unsigned char*>(digest.data()), &bytes);
  if (made == nullptr) throw RunError("libcrypto cannot make an HMAC");
  digest.resize(bytes);
  return digest;
}

#else

constexpr const char* kNoHmac = "this program was built without libcrypto (package libssl-dev)";
std::string hmac_sha256(std::string_view, std::string_view) { throw UnavailableError(kNoHmac); }

#endif

std::string read_token_file(const std::string& path) {
  const OwnedFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) raise_errno<DataError>("cannot open the token file {}", path);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) raise_errno<DataError>("cannot examine {}", path);
  if (S_ISREG(status.st_mode) && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    raise<UsageError>("the token file {} is open to others than its owner: chmod 600 it", path);
  }
  std::array<char, kMostBytes> bytes;
  const ssize_t count = ::read(file.get(), bytes.data(), bytes.size());
  if (count < 0) raise_errno<DataError>("cannot read the token file {}", path);
  std::string token(bytes.data(), static_cast<std::size_t>(count));
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  return token;
}

// Prefixes of proofs, so that one side's proof is invalid for the other.
constexpr const char* kClient = "graphrun asks";
constexpr const char* kServer = "graphmemd grants";

/// Returns read(json). Throws where a field is missing or of another type.
template <class Read>
auto read_message(const std::string& text, const Read& read) {
  try {
    return read(Json::parse(text));
  } catch (const Json::exception&) {
    throw RunError("sends something that is no message of graphmemd's protocol");
  }
}

RemoteStretch read_stretch(const Json& json) {
  const auto [offset, bytes, address, key] = json.get<std::array<std::uint64_t, 4>>();
  if (offset >= kFileStride || bytes >= kFileStride) throw RunError("claims to have more bytes than files have");
  return {offset, bytes, {address, key}};
}

Json content_of(const Grant& grant) {
  Json content = {{"shard", grant.shard}, {"shards", grant.shards}, {"weights", nullptr}, {"num_weights", grant.num_weights}};
  for (const std::string& endpoint : grant.endpoints) content["endpoints"].push_back(to_hex(endpoint));
  content["stretches"] = Json::array();
  for (const auto& [offset, bytes, at] : grant.stretches) content["stretches"].push_back({offset, bytes, at.address, at.key});
  if (grant.weights) content["weights"] = {grant.weights->smallest, grant.weights->largest, grant.weights->mean};
  return content;
}

Grant read_content(const Json& content) {
  Grant grant;
  grant.shard = content.at("shard").get<int>();
  grant.shards = content.at("shards").get<int>();
  for (const Json& endpoint : content.at("endpoints")) grant.endpoints.push_back(from_hex(endpoint.get<std::string>()));
  for (const Json& stretch : content.at("stretches")) grant.stretches.push_back(read_stretch(stretch));
  if (grant.endpoints.empty()) throw RunError("names no endpoints");
  if (const Json& weights = content.at("weights"); !weights.is_null()) {
    const auto [smallest, largest, mean] = weights.get<std::array<double, 3>>();
    grant.weights = WeightStats{smallest, largest, mean};
  }
  grant.num_weights = content.at("num_weights").get<std::uint64_t>();
  return grant;
}

}  // namespace

Token Token::find(const std::string& file) {
  Token token;
  const char* variable = std::getenv(kVariable);
  if (file.empty() && variable == nullptr) return token;
  const std::string where = file.empty() ? std::string("the environment variable ") + kVariable : file;
  token.secret_ = file.empty() ? std::string(variable) : read_token_file(file);
  if (token.secret_.size() < kLeastBytes) {
    raise<UsageError>("the token in {} has {} characters, and {} are the least", where, token.secret_.size(), kLeastBytes);
  }
  if (*kNoHmac != '\0') throw UnavailableError(std::string("tokens cannot be used: ") + kNoHmac);
  return token;
}

std::string Token::proof(std::initializer_list<std::string_view> parts) const {
  if (!exists()) return {};
  std::string text;
  for (const std::string_view part : parts) {
    const auto size = static_cast<std::uint64_t>(part.size());
    text.append(reinterpret_cast<const char*>(&size), sizeof(size)).append(part);
  }
  return to_hex(hmac_sha256(secret_, text));
}

bool Token::accepts(std::string_view proof, std::initializer_list<std::string_view> parts) const {
  const std::string right = this->proof(parts);
  if (proof.size() != right.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < right.size(); ++i) difference |= static_cast<unsigned char>(proof[i] ^ right[i]);
  return difference == 0;
}

std::string random_nonce() {
  std::array<char, 32> bytes;
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw RunError("the system gives no random numbers");
  }
  return to_hex({bytes.data(), bytes.size()});
}

std::string to_hex(std::string_view bytes) {
  return fmt::format("{:02x}", fmt::join(std::span(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()), ""));
}

std::string from_hex(std::string_view text) {
  if (text.size() % 2 != 0 || text.find_first_not_of("0123456789abcdef") != std::string_view::npos) {
    throw RunError("sends bytes that are not hexadecimal");
  }
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    unsigned byte = 0;
    std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

std::string hello_text(const std::string& nonce) { return Json{{"graphmemd", kProtocolVersion}, {"nonce", nonce}}.dump(); }

std::string read_hello(const std::string& text) {
  return read_message(text, [](const Json& json) {
    if (const int version = json.at("graphmemd").get<int>(); version != kProtocolVersion) {
      raise<RunError>("speaks version {} of the protocol, and this program version {}", version, kProtocolVersion);
    }
    return json.at("nonce").get<std::string>();
  });
}

std::string request_text(const Request& request, const Nonces& nonces, const Token& token) {
  return Json{{"provider", request.provider},
              {"graph", request.graph},
              {"proof", token.proof({kClient, nonces.client, nonces.server, request.provider, request.graph})}}
      .dump();
}

Request read_request(const std::string& text, const Nonces& nonces, const Token& token) {
  return read_message(text, [&](const Json& json) {
    Request request{json.at("provider").get<std::string>(), json.at("graph").get<std::string>(),
                    json.at("proof").get<std::string>()};
    if (token.exists() && request.proof.empty()) throw Refusal("wants a token, and the client showed none");
    if (!token.exists() && !request.proof.empty()) throw Refusal("has no token, and the client shows one");
    if (!token.accepts(request.proof, {kClient, nonces.client, nonces.server, request.provider, request.graph})) {
      throw Refusal("has another token than the client");
    }
    return request;
  });
}

std::string grant_text(const Grant& grant, const Nonces& nonces, const Token& token) {
  const std::string content = content_of(grant).dump();
  return Json{{"grant", content}, {"proof", token.proof({kServer, nonces.client, nonces.server, content})}}.dump();
}

std::string refusal_text(const std::string& sentence) {
  return Json{{"refusal", sentence}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Grant read_grant(const std::string& text, const Nonces& nonces, const Token& token) {
  return read_message(text, [&](const Json& json) {
    if (json.contains("refusal")) throw RunError(json.at("refusal").get<std::string>());
    const auto content = json.at("grant").get<std::string>();
    if (!token.accepts(json.at("proof").get<std::string>(), {kServer, nonces.client, nonces.server, content})) {
      throw RunError("does not know the token");
    }
    return read_content(Json::parse(content));
  });
}

std::string head_checksum(const std::string& path) {
  const OwnedFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) raise_errno<DataError>("cannot open {}", path);
  const std::uint64_t digest = container_digest(file.get(), path);
  std::array<char, io::kMagic.size()> magic{};
  if (::pread(file.get(), magic.data(), magic.size(), 0) < 0 || std::string_view(magic.data(), magic.size()) != io::kMagic)
    raise<UsageError>("{} is no .grf container: make one with graphconv, with --weights for sssp", path);
  return fmt::format("{:016x}", digest);
}

}  // namespace graphrun::remote::inline GR_IDS
