// Reads of other machines' memory, behind the queues of storage: who has which bytes, what is out, and whose turn it is when a
// server is given up.
//
// Reads go straight into the frames that commands name. So a server that is given up must not send anything later, when its
// frames hold other pages: its endpoints are closed before its reads are asked of another.
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

#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/transport/fabric.hpp"
#include "graphrun/transport/sleeping_engine.hpp"
#include "transport/ofi/server_link.hpp"
#include "transport/ofi/stretch_map.hpp"

namespace graphrun {
namespace {

using Clock = std::chrono::steady_clock;
using ofi::Part;
using ofi::ServerLink;
using ofi::StretchMap;

constexpr std::chrono::milliseconds kBetweenLooks{5};

struct Server {
  FabricServer about;
  std::unique_ptr<ServerLink> link;  ///< null once it is given up
  std::size_t asked = 0;             ///< pieces that it owes
  Clock::time_point heard;           ///< when it last answered, or was first asked
};

/// The servers of a shard; the first is asked as long as it is there.
struct Shard {
  std::vector<Server> replicas;
  std::size_t current = 0;
  Server* server() { return current < replicas.size() ? &replicas[current] : nullptr; }
};

class FabricEngine final : public BlockEngine, public SleepingEngine {
 public:
  FabricEngine(FabricStore store, std::uint32_t depth)
      : map_(store), provider_(store.provider), deadline_(store.deadline), pieces_(2 * depth), requests_(depth) {
    for (auto& piece : pieces_) free_pieces_.push_back(&piece);
    for (auto& request : requests_) free_requests_.push_back(&request);
    for (auto& servers : store.shards) {
      Shard& shard = shards_.emplace_back();
      for (FabricServer& about : servers) {
        auto link = std::make_unique<ServerLink>(provider_, about, store.endpoints, pieces_.size());
        shard.replicas.push_back({std::move(about), std::move(link), 0, {}});
      }
    }
    list_wait_fds();
  }

  std::string description() const override {
    std::string text;
    for (const Shard& shard : shards_) {
      for (std::size_t i = 0; i < shard.replicas.size(); ++i) {
        text += fmt::format("{}{}", i != 0 ? "|" : text.empty() ? "" : ", ", shard.replicas[i].about.name);
      }
    }
    return fmt::format("edges in the memory of {}, by one-sided reads (libfabric, {})", text, provider_);
  }
  bool emulated() const override { return false; }
  std::string last_error() const override { return last_error_; }

  void use_memory(std::span<std::byte> memory) override {
    for (Shard& shard : shards_) {
      for (Server& server : shard.replicas) {
        if (server.link) server.link->use_memory(memory);
      }
    }
  }

  bool start(const BlockRequest& block) override {
    map_.find(block.offset, block.bytes, parts_);
    if (free_requests_.empty() || free_pieces_.size() < parts_.size()) return false;
    if (parts_.empty() || block.opcode != nvme::Opcode::read) {
      last_error_ = fmt::format("no server has anything to {} at offset {:#x}", parts_.empty() ? "read" : "write", block.offset);
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
    if (const auto now = Clock::now(); now - looked_ > kBetweenLooks) {
      looked_ = now;
      look_after_servers(now);
    }
    std::size_t count = 0;
    for (; count < most && !done_.empty(); done_.pop_front()) outcomes[count++] = done_.front();
    return count;
  }

  /// Asks nothing of libfabric, which other threads use meanwhile: a wait that misses something is a short one.
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
    bool out;  ///< with the provider; otherwise it waits for a place
  };

  /// Asks the shard's server for a piece; without a server it fails.
  void ask(Piece& piece) {
    piece.out = false;
    Shard& shard = shards_[piece.part.shard];
    Server* server = shard.server();
    if (server == nullptr) return end(piece, nvme::Status::unrecovered_read_error);
    if (server->asked++ == 0) server->heard = Clock::now();
    if (!post(piece, *server)) waiting_.push_back(&piece);
  }

  /// False when there is no room for it now. A server that refuses is given up at the next look.
  bool post(Piece& piece, Server& server) {
    const RemoteStretch& stretch = server.about.stretches[piece.part.stretch];
    const auto posted = server.link->read(piece.into, piece.part.bytes, stretch.at, piece.part.offset, piece.context);
    if (posted == ServerLink::Posted::failed) refusing_ = &server;
    piece.out = posted == ServerLink::Posted::yes;
    return piece.out;
  }

  void send_waiting() {
    for (std::size_t tries = waiting_.size(); tries != 0 && refusing_ == nullptr; --tries) {
      Piece& piece = *waiting_.front();
      Server* server = shards_[piece.part.shard].server();
      waiting_.pop_front();
      if (!post(piece, *server)) waiting_.push_back(&piece);
    }
    if (Server* server = std::exchange(refusing_, nullptr)) give_up(*server, "refuses reads: " + server->link->last_error());
  }

  void take_arrivals() {
    for (Shard& shard : shards_) {
      Server* server = shard.server();
      if (server == nullptr || server->asked == 0) continue;
      std::array<ServerLink::Arrival, 64> arrivals;
      for (std::size_t count = arrivals.size(); count == arrivals.size();) {
        count = server->link->poll(arrivals);
        if (count != 0) server->heard = Clock::now();
        for (std::size_t i = 0; i < count; ++i) {
          auto& piece = *reinterpret_cast<Piece*>(arrivals[i].context);
          if (arrivals[i].error != 0) {
            give_up(*server, "failed a read: " + server->link->last_error());
            return;
          }
          --server->asked;
          end(piece, nvme::Status::success);
        }
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
    for (Shard& shard : shards_) {
      Server* server = shard.server();
      if (server == nullptr) continue;
      if (std::string why = server->about.why_gone(); !why.empty()) {
        give_up(*server, why);
      } else if (server->asked != 0 && now - server->heard > deadline_) {
        give_up(*server, fmt::format("did not answer within {} ms", deadline_.count()));
      }
    }
  }

  /// Closes its endpoints, and asks the next replica for what it owes.
  void give_up(Server& server, const std::string& why) {
    const auto shard = std::find_if(shards_.begin(), shards_.end(), [&](Shard& each) { return each.server() == &server; });
    const auto index = static_cast<std::size_t>(shard - shards_.begin());
    if (refusing_ == &server) refusing_ = nullptr;
    server.link.reset();
    ++shard->current;
    list_wait_fds();
    last_error_ = fmt::format("{} {}", server.about.name, why);
    if (const Server* next = shard->server()) {
      log::warn(fmt::format("{}; its replica {} goes on", last_error_, next->about.name));
    } else if (shard->replicas.size() > 1) {
      last_error_ += ", and no replica of it is left";
    }
    waiting_.erase(
        std::remove_if(waiting_.begin(), waiting_.end(), [&](const Piece* piece) { return piece->part.shard == index; }),
        waiting_.end());
    for (Piece& piece : pieces_) {
      if (piece.request != nullptr && piece.part.shard == index) ask(piece);
    }
  }

  void list_wait_fds() {
    const std::lock_guard lock(wait_mutex_);
    wait_fds_.clear();
    for (Shard& shard : shards_) {
      const Server* server = shard.server();
      if (server != nullptr && server->link->wait_fd() >= 0) wait_fds_.push_back({server->link->wait_fd(), POLLIN, 0});
    }
  }

  StretchMap map_;
  std::string provider_;
  std::chrono::milliseconds deadline_;
  std::vector<Piece> pieces_;
  std::vector<Request> requests_;
  std::vector<Piece*> free_pieces_;
  std::vector<Request*> free_requests_;
  std::vector<Shard> shards_;
  std::vector<Part> parts_;
  std::deque<Piece*> waiting_;
  std::deque<Done> done_;
  Server* refusing_ = nullptr;
  Clock::time_point looked_{};
  std::string last_error_;
  mutable std::mutex wait_mutex_;
  std::vector<pollfd> wait_fds_;
};

}  // namespace

std::unique_ptr<BlockEngine> open_fabric_engine(FabricStore store, std::uint32_t depth) {
  return std::make_unique<FabricEngine>(std::move(store), depth);
}

}  // namespace graphrun
