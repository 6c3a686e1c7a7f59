// SPDX-License-Identifier: Apache-2.0

#include "remote/servers.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "core/raise.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/names.hpp"
#include "remote/protocol.hpp"
#include "remote/socket.hpp"

namespace graphrun::remote::inline GR_IDS {
namespace {

constexpr const char* kOption = "--remote";

/// Returns why the server is gone, or "". It sends nothing after its grant, so a readable byte is its end.
std::string why_gone(int fd) {
  char byte = 0;
  const ssize_t count = ::recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return {};
  return count < 0 ? fmt::format("is gone ({})", std::strerror(errno)) : "is gone: it closed the control connection";
}

struct Answer {
  FabricServer server;
  Grant grant;
};

/// The request to all servers.
struct Question {
  Request request;
  Token token;
  std::chrono::milliseconds deadline;
};

Answer ask(const std::string& where, const Question& question) {
  const SocketAddress address = resolve(parse_host_and_port(where, kOption));
  const auto deadline = Clock::now() + question.deadline;
  auto fd = std::make_shared<OwnedFd>(connect_to(address, deadline));
  Answer answer;
  try {
    Nonces nonces{random_nonce(), {}};
    send_message(fd->get(), hello_text(nonces.client), deadline);
    nonces.server = read_hello(receive_message(fd->get(), deadline));
    send_message(fd->get(), request_text(question.request, nonces, question.token), deadline);
    answer.grant = read_grant(receive_message(fd->get(), deadline), nonces, question.token);
  } catch (const RunError& error) {
    raise<RunError>("graphmemd at {} {}", where, error.what());
  }
  answer.server.name = fmt::format("graphmemd at {} (shard {}/{})", where, answer.grant.shard, answer.grant.shards);
  answer.server.node = question.request.provider == "shm" ? "" : address.host();
  answer.server.endpoints = answer.grant.endpoints;
  answer.server.stretches = answer.grant.stretches;
  answer.server.why_gone = [fd] { return why_gone(fd->get()); };
  return answer;
}

/// Returns the servers of a shard that answer. Throws the error of the last one when none does.
std::vector<Answer> ask_servers_of_shard(const ServerNames::value_type& replicas, const Question& question) {
  std::vector<Answer> answers;
  std::vector<std::string> errors;
  int rank = 0;
  for (const auto& sharing : replicas) {
    for (const std::string& where : sharing) {
      try {
        answers.push_back(ask(where, question));
        answers.back().server.rank = rank;
      } catch (const Error& error) {
        errors.emplace_back(error.what());
      }
    }
    ++rank;
  }
  if (answers.empty()) throw RunError(errors.back());
  for (const std::string& error : errors) log::warn(error + "; going on without it");
  return answers;
}

/// Adds a shard's weights to `all`, where `mean` is the sum of `count` weights.
void add_weights(const Grant& grant, std::optional<WeightStats>& all, double& count) {
  if (!grant.weights) return;
  if (!all) all = WeightStats{grant.weights->smallest, grant.weights->largest, 0};
  all->smallest = std::min(all->smallest, grant.weights->smallest);
  all->largest = std::max(all->largest, grant.weights->largest);
  all->mean += grant.weights->mean * static_cast<double>(grant.num_weights);
  count += static_cast<double>(grant.num_weights);
}

/// Returns the name of a missing shard.
std::string what_is_missing(const std::vector<ShardNumber>& named) {
  const int count = named.front().count;
  const bool of_one_division =
      std::all_of(named.begin(), named.end(), [&](const ShardNumber& each) { return each.count == count; });
  ShardNumber missing{1, count};
  while (std::find(named.begin(), named.end(), missing) != named.end()) ++missing.number;
  if (of_one_division && missing.number <= count) return fmt::format("shard {}/{} is missing", missing.number, count);
  std::string names;
  for (const ShardNumber& each : named) names += fmt::format("{}{}/{}", names.empty() ? "" : ", ", each.number, each.count);
  return fmt::format("shards {} do not make up a whole", names);
}

}  // namespace

ServerNames parse_servers(const std::string& remote) {
  ServerNames shards;
  for (const std::string& replicas : split_list(remote, ',', kOption)) {
    auto& shard = shards.emplace_back();
    for (const std::string& sharing : split_list(replicas, '|', kOption)) {
      shard.push_back(split_list(sharing, '+', kOption));
      for (const std::string& where : shard.back()) parse_host_and_port(where, kOption);
    }
  }
  return shards;
}

ServedGraph ask_servers(const FabricOptions& fabric, const std::string& path) {
  const Question question{{fabric.provider, head_checksum(path), {}}, Token::find(fabric.token_file), fabric.deadline};
  ServedGraph graph;
  graph.store = {fabric.provider, {}, fabric.endpoints, fabric.deadline};
  double num_weights = 0;
  for (const auto& replicas : parse_servers(fabric.remote)) {
    auto& shard = graph.store.shards.emplace_back();
    std::vector<Answer> answers = ask_servers_of_shard(replicas, question);
    const Grant& grant = answers.front().grant;
    add_weights(grant, graph.weights, num_weights);
    graph.shards.push_back({grant.shard, grant.shards});
    for (Answer& answer : answers) shard.push_back(std::move(answer.server));
  }
  if (graph.weights) graph.weights->mean /= num_weights;
  return graph;
}

void require_served(const ServedGraph& graph, std::uint64_t offset, std::uint64_t bytes, const std::string& path) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (const auto& shard : graph.store.shards) {
    for (const RemoteStretch& stretch : shard.front().stretches) ranges.emplace_back(stretch.offset, stretch.bytes);
  }
  std::sort(ranges.begin(), ranges.end());
  const std::uint64_t end = offset + bytes;
  for (const auto& [begin, size] : ranges) {
    if (begin <= offset && offset < begin + size) offset = begin + size;
  }
  if (offset >= end) return;
  raise<UsageError>("the servers that --remote names lack edges of {}: {}", path, what_is_missing(graph.shards));
}

}  // namespace graphrun::remote::inline GR_IDS
