// SPDX-License-Identifier: Apache-2.0
// Reads of other machines' memory, below the queues of storage, with replicas for servers that are given up.
//
// Reads go straight into frames. A server that is given up must not send anything later, when its frames hold other pages: its
// endpoints are closed before another server gets its reads.
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "graphrun/core/log.hpp"
#include "graphrun/transport/fabric.hpp"
#include "graphrun/transport/storage.hpp"
#include "transport/ofi/server_link.hpp"
#include "transport/ofi/shards.hpp"

namespace graphrun {
namespace {

using Clock = std::chrono::steady_clock;
using ofi::AskedServer;
using ofi::Part;
using ofi::ServerLink;
using ofi::ShardServers;
using ofi::StretchMap;

constexpr std::chrono::milliseconds kBetweenDeadlineLooks{5};
constexpr std::size_t kMostPieces = kMostCommandBytes / (64 << 10) + 1;  ///< of a read: shards begin at multiples of 64 KiB

class FabricEngine final : public BlockEngine {
 public:
  FabricEngine(FabricStore store, std::uint32_t depth)
      : map_(store), provider_(store.provider), deadline_(store.deadline), pieces_(2 * depth + kMostPieces), requests_(depth) {
    for (auto& piece : pieces_) free_pieces_.push_back(&piece);
    for (auto& request : requests_) free_requests_.push_back(&request);
    for (auto& abouts : store.shards) {
      std::vector<AskedServer> servers;
      for (FabricServer& about : abouts) {
        auto link = std::make_unique<ServerLink>(provider_, about, store.endpoints, pieces_.size());
        servers.push_back({std::move(about), std::move(link), 0, 0, {}});
      }
      shards_.emplace_back(std::move(servers));
    }
    list_wait_fds();
  }

  std::string description() const override {
    std::string text;
    for (const ShardServers& shard : shards_) text += fmt::format("{}{}", text.empty() ? "" : ", ", shard.names());
    return fmt::format("edges in the memory of {}, by one-sided reads (libfabric, {})", text, provider_);
  }

  void use_memory(std::span<std::byte> memory) override {
    for (ShardServers& shard : shards_) {
      for (AskedServer& server : shard) {
        if (server.link) server.link->use_memory(memory);
      }
    }
  }

  bool start(const BlockRequest& block) override {
    map_.find(block.offset, block.bytes, parts_);
    if (free_requests_.empty() || free_pieces_.size() < parts_.size()) return false;
    if (parts_.empty() || block.opcode != nvme::Opcode::read) {
      last_error_ = fmt::format("no server has anything to {} at offset {}", parts_.empty() ? "read" : "write", block.offset);
      done_.push_back({block.tag, nvme::Status::out_of_range});
      return true;
    }
    Request& request = *free_requests_.back();
    free_requests_.pop_back();
    request = {block.tag, parts_.size(), nvme::Status::success};
    auto* into = static_cast<std::byte*>(block.data);
    for (const Part& part : parts_) {
      Piece& piece = *free_pieces_.back();
      free_pieces_.pop_back();
      piece.part = part;
      piece.into = into;
      piece.request = &request;
      into += part.bytes;
      ask(piece);
    }
    return true;
  }

  std::size_t poll(Done* outcomes, std::size_t most) override {
    take_arrivals();
    send_waiting();
    if (const auto now = Clock::now(); now - looked_ > kBetweenDeadlineLooks) {
      looked_ = now;
      look_after_servers(now);
    }
    std::size_t count = 0;
    for (; count < most && !done_.empty(); done_.pop_front()) outcomes[count++] = done_.front();
    return count;
  }

  /// Sleeps without libfabric, which other threads use meanwhile: a wait that misses something is a short one.
  void sleep(std::chrono::microseconds most) const override {
    std::vector<pollfd> fds;
    {
      const std::lock_guard lock(wait_mutex_);
      fds = wait_fds_;
    }
    if (fds.empty()) return std::this_thread::yield();
    const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(most).count();
    const timespec limit{.tv_sec = nanoseconds / 1'000'000'000, .tv_nsec = nanoseconds % 1'000'000'000};
    ::ppoll(fds.data(), fds.size(), &limit, nullptr);
  }

 private:
  struct Request {
    std::uint64_t tag;
    std::size_t pieces_left;
    nvme::Status status;
  };
  struct Piece {
    fi_context2 context;  ///< first: libfabric hands its address back
    Part part;
    std::byte* into;
    Request* request;
    AskedServer* server;  ///< that owes it
    bool out;             ///< with the provider; otherwise it waits for a place
  };

  /// Asks one of the shard's servers for a piece; fails without any.
  void ask(Piece& piece) {
    piece.out = false;
    AskedServer* server = shards_[piece.part.shard].next();
    if (server == nullptr) return end(piece, nvme::Status::unrecovered_read_error);
    piece.server = server;
    if (server->asked++ == 0) server->heard = Clock::now();
    server->owed_bytes += piece.part.bytes;
    if (!post(piece)) waiting_.push_back(&piece);
  }

  /// Posts a read; returns false when there is no room for it now. A server that refuses is given up at the next look.
  bool post(Piece& piece) {
    AskedServer& server = *piece.server;
    const RemoteStretch& stretch = server.about.stretches[piece.part.stretch];
    const auto posted = server.link->read(piece.into, piece.part.bytes, stretch.at, piece.part.offset, piece.context);
    if (posted == ServerLink::Posted::failed) refusing_ = &server;
    piece.out = posted == ServerLink::Posted::yes;
    return piece.out;
  }

  void send_waiting() {
    for (std::size_t tries = waiting_.size(); tries != 0 && refusing_ == nullptr; --tries) {
      Piece& piece = *waiting_.front();
      waiting_.pop_front();
      if (!post(piece)) waiting_.push_back(&piece);
    }
    if (AskedServer* server = std::exchange(refusing_, nullptr)) give_up(*server, "refuses reads: " + server->link->last_error());
  }

  void take_arrivals() {
    for (ShardServers& shard : shards_) {
      shard.for_each_sharing([this](AskedServer& server) {
        if (server.asked != 0) take_arrivals_from(server);
      });
    }
  }

  void take_arrivals_from(AskedServer& server) {
    std::array<ServerLink::Arrival, 64> arrivals;
    for (std::size_t count = arrivals.size(); count == arrivals.size();) {
      count = server.link->poll(arrivals);
      if (count != 0) server.heard = Clock::now();
      for (std::size_t i = 0; i < count; ++i) {
        auto& piece = *reinterpret_cast<Piece*>(arrivals[i].context);
        if (arrivals[i].error != 0) return give_up(server, "failed a read: " + server.link->last_error());
        --server.asked;
        server.owed_bytes -= piece.part.bytes;
        end(piece, nvme::Status::success);
      }
    }
  }

  void end(Piece& piece, nvme::Status status) {
    Request& request = *piece.request;
    if (status != nvme::Status::success) request.status = status;
    piece.out = false;
    piece.request = nullptr;
    free_pieces_.push_back(&piece);
    if (--request.pieces_left != 0) return;
    done_.push_back({request.tag, request.status});
    free_requests_.push_back(&request);
  }

  void look_after_servers(Clock::time_point now) {
    for (ShardServers& shard : shards_) {
      shard.for_each_sharing([&](AskedServer& server) {
        if (std::string why = server.about.why_gone(); !why.empty()) {
          give_up(server, why);
        } else if (server.asked != 0 && now - server.heard > deadline_) {
          give_up(server, fmt::format("did not answer within {} ms", deadline_.count()));
        }
      });
    }
  }

  /// Closes its endpoints, and asks others of its shard for the pieces that it owes.
  void give_up(AskedServer& server, const std::string& why) {
    if (refusing_ == &server) refusing_ = nullptr;
    server.link.reset();
    list_wait_fds();
    last_error_ = fmt::format("{} {}", server.about.name, why);
    ShardServers& shard = *std::find_if(shards_.begin(), shards_.end(), [&](ShardServers& each) { return each.holds(server); });
    if (const AskedServer* next = shard.next()) {
      const char* as = next->about.rank == server.about.rank ? "" : "its replica ";
      log::warn(fmt::format("{}; {}{} goes on", last_error_, as, next->about.name));
    } else if (shard.count() > 1) {
      last_error_ += ", and no other server of its edges is left";
    }
    std::erase_if(waiting_, [&](const Piece* piece) { return piece->server == &server; });
    for (Piece& piece : pieces_) {
      if (piece.request != nullptr && piece.server == &server) ask(piece);
    }
  }

  void list_wait_fds() {
    const std::lock_guard lock(wait_mutex_);
    wait_fds_.clear();
    for (ShardServers& shard : shards_) {
      shard.for_each_sharing([this](const AskedServer& server) {
        if (server.link->wait_fd() >= 0) wait_fds_.push_back({server.link->wait_fd(), POLLIN, 0});
      });
    }
  }

  StretchMap map_;
  std::string provider_;
  std::chrono::milliseconds deadline_;
  std::vector<Piece> pieces_;
  std::vector<Request> requests_;
  std::vector<Piece*> free_pieces_;
  std::vector<Request*> free_requests_;
  std::vector<ShardServers> shards_;
  std::vector<Part> parts_;
  std::deque<Piece*> waiting_;
  std::deque<Done> done_;
  AskedServer* refusing_ = nullptr;
  Clock::time_point looked_{};
  mutable std::mutex wait_mutex_;
  std::vector<pollfd> wait_fds_;
};

}  // namespace

std::unique_ptr<BlockEngine> open_fabric_engine(FabricStore store, std::uint32_t depth) {
  return std::make_unique<FabricEngine>(std::move(store), depth);
}

}  // namespace graphrun
