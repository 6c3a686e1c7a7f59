// Memory of another process, and reads of it with nothing between them and libfabric.
#pragma once

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <utility>
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
    about_.name = "the exporter";
    about_.node = provider == "shm" ? "" : "127.0.0.1";
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) throw RunError("cannot make a pair of sockets");
    id_ = ::fork();
    ::close(ends[id_ == 0 ? 0 : 1]);
    if (id_ == 0) ::_exit(serve(provider, bytes, endpoints, ends[1]));
    to_it_ = ends[0];
    ExportedMemory at{};
    receive(&at, sizeof(at));
    for (int i = 0; i < endpoints; ++i) {
      std::size_t size = 0;
      receive(&size, sizeof(size));
      receive(about_.endpoints.emplace_back(size, '\0').data(), size);
    }
    about_.stretches = {{0, bytes, at}};
  }
  ~FabricExporter() {
    ::close(to_it_);
    ::waitpid(id_, nullptr, 0);
  }
  FabricExporter(const FabricExporter&) = delete;
  FabricExporter& operator=(const FabricExporter&) = delete;
  const FabricServer& about() const { return about_; }

 private:
  void receive(void* data, std::size_t bytes) const {
    if (::read(to_it_, data, bytes) != static_cast<ssize_t>(bytes)) throw RunError("the exporter ended early");
  }
  /// Serves until the other end is closed. Returns an exit code.
  int serve(const std::string& provider, std::uint64_t bytes, int endpoints, int fd) const try {
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
    return ::read(fd, &none, 1) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }

  pid_t id_ = -1;
  int to_it_ = -1;
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
    for (const std::size_t slot : std::exchange(arrived_, {})) on_arrival(slot);
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
