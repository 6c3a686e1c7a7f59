// Memory of another process, and reads of it with nothing between them and libfabric.
#pragma once

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "graphrun/core/column.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/transport/fabric.hpp"
#include "transport/ofi/server_link.hpp"

namespace graphrun {

/// A process of its own that exports memory, word i of which is i. Ends with it.
class FabricExporter {
 public:
  FabricExporter(const std::string& provider, std::uint64_t bytes, int endpoints) {
    int pipe_ends[2];
    int stay_ends[2];
    if (::pipe(pipe_ends) != 0 || ::pipe(stay_ends) != 0) throw RunError("cannot make a pipe");
    about_.name = "the exporter";
    about_.node = provider == "shm" ? "" : "127.0.0.1";
    id_ = ::fork();
    if (id_ == 0) {
      ::close(stay_ends[1]);
      ::_exit(serve(provider, bytes, endpoints, pipe_ends[1], stay_ends[0]));
    }
    ::close(pipe_ends[1]);
    ::close(stay_ends[0]);
    stay_ = stay_ends[1];
    ExportedMemory at{};
    receive(pipe_ends[0], &at, sizeof(at));
    for (int i = 0; i < endpoints; ++i) {
      std::size_t size = 0;
      receive(pipe_ends[0], &size, sizeof(size));
      about_.endpoints.emplace_back(size, '\0');
      receive(pipe_ends[0], about_.endpoints.back().data(), size);
    }
    ::close(pipe_ends[0]);
    about_.stretches = {{0, bytes, at}};
  }
  ~FabricExporter() {
    ::close(stay_);
    ::waitpid(id_, nullptr, 0);
  }
  FabricExporter(const FabricExporter&) = delete;
  FabricExporter& operator=(const FabricExporter&) = delete;
  const FabricServer& about() const { return about_; }

 private:
  static void receive(int fd, void* data, std::size_t bytes) {
    if (::read(fd, data, bytes) != static_cast<ssize_t>(bytes)) throw RunError("the exporter ended early");
  }
  /// Serves until no process holds the other end of `stay`.
  int serve(const std::string& provider, std::uint64_t bytes, int endpoints, int fd, int stay) const {
    try {
      auto memory = Column<std::uint64_t>::allocate(bytes / sizeof(std::uint64_t));
      for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = i;
      MemoryExport made(provider, about_.node, endpoints);
      const ExportedMemory at = made.add(std::as_bytes(memory.span()));
      (void)!::write(fd, &at, sizeof(at));
      for (const std::string& endpoint : made.endpoints()) {
        const std::size_t size = endpoint.size();
        (void)!::write(fd, &size, sizeof(size));
        (void)!::write(fd, endpoint.data(), size);
      }
      char none = 0;
      return ::read(stay, &none, 1) == 0 ? 0 : 1;
    } catch (const std::exception& error) {
      fmt::print(stderr, "error: {}\n", error.what());
      return 1;
    }
  }

  pid_t id_ = -1;
  int stay_ = -1;
  FabricServer about_;
};

/// So many reads of one size at a time, each into a slot of its own. For one thread.
class PlainFabricReader {
 public:
  PlainFabricReader(const std::string& provider, const FabricServer& server, int endpoints, std::uint32_t bytes,
                    std::size_t slots)
      : from_(server.stretches.front().at),
        bytes_(bytes),
        memory_(slots * bytes),
        contexts_(slots),
        link_(provider, server, endpoints, 2 * slots) {
    link_.use_memory(memory_);
  }

  void ask(std::size_t slot, std::uint64_t offset) {
    for (;;) {
      const auto posted = link_.read(memory_.data() + slot * bytes_, bytes_, from_, offset, contexts_[slot]);
      if (posted == ofi::ServerLink::Posted::yes) return;
      if (posted == ofi::ServerLink::Posted::failed) throw RunError(link_.last_error());
      take_arrivals();
    }
  }
  const std::byte* data(std::size_t slot) const { return memory_.data() + slot * bytes_; }

  /// on_arrival(slot) for all that have come; it may ask again.
  template <class OnArrival>
  void for_each_arrival(const OnArrival& on_arrival) {
    take_arrivals();
    std::vector<std::size_t> slots;
    slots.swap(arrived_);
    for (const std::size_t slot : slots) on_arrival(slot);
  }

 private:
  void take_arrivals() {
    std::array<ofi::ServerLink::Arrival, 64> arrivals;
    const std::size_t count = link_.poll(arrivals);
    for (std::size_t i = 0; i < count; ++i) {
      if (arrivals[i].error != 0) throw RunError(link_.last_error());
      arrived_.push_back(static_cast<std::size_t>(arrivals[i].context - contexts_.data()));
    }
  }

  ExportedMemory from_;
  std::uint32_t bytes_;
  std::vector<std::byte> memory_;
  std::vector<fi_context2> contexts_;
  std::vector<std::size_t> arrived_;
  ofi::ServerLink link_;  ///< last, so that it ends before the memory that it writes to
};

}  // namespace graphrun
