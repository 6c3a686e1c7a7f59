// Memory of another process for benchmarks to read.
#pragma once

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>

#include "graphrun/core/column.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/transport/fabric.hpp"

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
      const auto made = export_memory(provider, about_.node, endpoints);
      const ExportedMemory at = made->add(std::as_bytes(memory.span()));
      (void)!::write(fd, &at, sizeof(at));
      for (const std::string& endpoint : made->endpoints()) {
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

}  // namespace graphrun
