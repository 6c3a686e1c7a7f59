#include "remote/protocol.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/owned_fd.hpp"
#include "graphrun/core/checksum.hpp"
#include "graphrun/core/error.hpp"
#include "io/native_layout.hpp"

namespace graphrun::remote::inline GR_IDS {
namespace {

using Json = nlohmann::json;

// What proofs begin with, so that one side's is no proof of the other's.
constexpr const char* kClient = "graphrun asks";
constexpr const char* kServer = "graphmemd grants";

/// read(json), where anything that is missing or of another type means that the text is no such message.
template <class Read>
auto read_message(const std::string& text, const Read& read) {
  try {
    return read(Json::parse(text));
  } catch (const Json::exception&) {
    throw RunError("sends something that is no message of graphmemd's protocol");
  }
}

Json stretch_json(const RemoteStretch& stretch) { return {stretch.offset, stretch.bytes, stretch.at.address, stretch.at.key}; }

RemoteStretch read_stretch(const Json& json) {
  const RemoteStretch stretch{json.at(0).get<std::uint64_t>(),
                              json.at(1).get<std::uint64_t>(),
                              {json.at(2).get<std::uint64_t>(), json.at(3).get<std::uint64_t>()}};
  if (stretch.offset >= kFileStride || stretch.bytes >= kFileStride) throw RunError("claims to have more bytes than files have");
  return stretch;
}

Json content_of(const Grant& grant) {
  Json content = {{"shard", grant.shard}, {"shards", grant.shards}, {"weights", nullptr}, {"num_weights", grant.num_weights}};
  for (const std::string& endpoint : grant.endpoints) content["endpoints"].push_back(to_hex(endpoint));
  content["stretches"] = Json::array();
  for (const RemoteStretch& stretch : grant.stretches) content["stretches"].push_back(stretch_json(stretch));
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
    grant.weights = WeightStats{weights.at(0).get<double>(), weights.at(1).get<double>(), weights.at(2).get<double>()};
  }
  grant.num_weights = content.at("num_weights").get<std::uint64_t>();
  return grant;
}

}  // namespace

std::string hello_text(const std::string& nonce) { return Json{{"graphmemd", kProtocolVersion}, {"nonce", nonce}}.dump(); }

Hello read_hello(const std::string& text) {
  return read_message(text, [](const Json& json) {
    if (const int version = json.at("graphmemd").get<int>(); version != kProtocolVersion) {
      throw RunError(fmt::format("speaks version {} of the protocol, and this program version {}", version, kProtocolVersion));
    }
    return Hello{json.at("nonce").get<std::string>()};
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
  if (!file.is_open()) throw DataError(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  std::array<char, io::kSectionAlignment> head{};
  const ssize_t count = ::pread(file.get(), head.data(), head.size(), 0);
  if (count < 0) throw DataError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  if (count < static_cast<ssize_t>(io::kMagic.size()) || std::memcmp(head.data(), io::kMagic.data(), io::kMagic.size()) != 0) {
    throw UsageError(fmt::format("{} is no .grf container: make one with graphconv, with --weights for sssp", path));
  }
  Checksum sum;
  sum.add(head.data(), static_cast<std::size_t>(count));
  return fmt::format("{:016x}", sum.value());
}

}  // namespace graphrun::remote::inline GR_IDS
