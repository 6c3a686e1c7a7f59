// Memory that others read. Nothing here sees a read: providers without hardware need the target to ask its completion queue all
// the time, though, because that is where they do their work.
#include <fmt/format.h>
#include <poll.h>

#include <atomic>
#include <thread>

#include "graphrun/core/error.hpp"
#include "graphrun/transport/fabric.hpp"
#include "transport/ofi/ofi.hpp"

namespace graphrun {
namespace {

constexpr std::size_t kQueueDepth = 4096;
constexpr int kMostWaitMs = 10;
constexpr std::chrono::microseconds kNap{50};  // where a provider cannot wake us: readers wait for it
constexpr std::chrono::microseconds kIdleNap{10'000};

ofi::Info way_at(const std::string& provider, const std::string& node) {
  std::string why;
  ofi::Info way = ofi::find_way(provider, node, ofi::Side::is_read, why);
  if (!way) throw UnavailableError(why);
  return way;
}

std::string name_of_endpoint(fid_ep& endpoint) {
  std::string name(256, '\0');
  std::size_t bytes = name.size();
  int status = ::fi_getname(&endpoint.fid, name.data(), &bytes);
  if (status == -FI_ETOOSMALL) {
    name.resize(bytes);
    status = ::fi_getname(&endpoint.fid, name.data(), &bytes);
  }
  ofi::check(status, "libfabric: cannot tell the address of an endpoint");
  name.resize(bytes);
  return name;
}

}  // namespace

struct MemoryExport::Parts {
  Parts(const std::string& provider, const std::string& node, int count)
      : port(way_at(provider, node), node.empty() ? "on this machine" : "at " + node, count, kQueueDepth) {
    for (const auto& endpoint : port.endpoints) endpoints.push_back(name_of_endpoint(*endpoint));
    port.expect_readers();
    server = std::thread([this] { serve(); });
  }
  ~Parts() {
    stop.store(true);
    server.join();
    memories.clear();
  }

  void serve() {
    while (!stop.load(std::memory_order_relaxed)) {
      auto turn = ofi::turn_of(*port.info);
      const ssize_t count = port.answer();
      if (turn) turn.unlock();
      if (count == -FI_EAGAIN) wait();
    }
  }

  void wait() {
    if (port.wait_fd < 0) {
      std::this_thread::sleep_for(expects_readers.load(std::memory_order_relaxed) ? kNap : kIdleNap);
      return;
    }
    fid* queue = &port.completions->fid;
    if (::fi_trywait(port.fabric.get(), &queue, 1) != 0) return;
    pollfd until{.fd = port.wait_fd, .events = POLLIN, .revents = 0};
    ::poll(&until, 1, kMostWaitMs);
  }

  ofi::Port port;
  std::vector<ofi::Memory> memories;
  std::vector<std::string> endpoints;
  std::atomic<bool> stop{false};
  std::atomic<bool> expects_readers{true};
  std::thread server;
};

MemoryExport::MemoryExport(const std::string& provider, const std::string& node, int endpoints)
    : parts_(std::make_unique<Parts>(provider, node, endpoints)) {}
MemoryExport::~MemoryExport() = default;

ExportedMemory MemoryExport::add(std::span<const std::byte> memory) {
  ofi::Memory made = parts_->port.add_memory(memory, FI_REMOTE_READ);
  const bool by_address = (parts_->port.info->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
  const ExportedMemory place{by_address ? reinterpret_cast<std::uint64_t>(memory.data()) : 0, ::fi_mr_key(made.get())};
  parts_->memories.push_back(std::move(made));
  return place;
}

bool MemoryExport::pins_memory() const { return (parts_->port.info->domain_attr->mr_mode & FI_MR_ALLOCATED) != 0; }
void MemoryExport::expect_readers(bool any) { parts_->expects_readers.store(any); }
const std::vector<std::string>& MemoryExport::endpoints() const { return parts_->endpoints; }

}  // namespace graphrun
