// SPDX-License-Identifier: Apache-2.0
// Memory that others read. Nothing here sees a read: providers without hardware need the target to ask its completion queue all
// the time, though, because that is where they do their work.
#include <poll.h>

#include <atomic>
#include <thread>

#include "graphrun/transport/fabric.hpp"
#include "transport/ofi/ofi.hpp"

namespace graphrun {
namespace {

constexpr std::size_t kQueueDepth = 4096;
constexpr int kMostWaitMs = 10;
constexpr std::chrono::microseconds kNap{50};  // where a provider cannot wake us: readers wait for it
constexpr std::chrono::microseconds kIdleNap{10'000};

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

class OfiExport final : public MemoryExport {
 public:
  OfiExport(const std::string& provider, const std::string& node, int count)
      : port_(ofi::find_way(provider, node, ofi::Side::is_read), node.empty() ? "on this machine" : "at " + node, count,
              kQueueDepth) {
    for (const auto& endpoint : port_.endpoints) endpoints_.push_back(name_of_endpoint(*endpoint));
    port_.expect_readers();
    server_ = std::thread([this] { serve(); });
  }
  ~OfiExport() override {
    stop_.store(true);
    server_.join();
    memories_.clear();
  }

  ExportedMemory add(std::span<const std::byte> memory) override {
    ofi::Memory made = port_.add_memory(memory, FI_REMOTE_READ);
    const bool by_address = (port_.info->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
    const ExportedMemory place{by_address ? reinterpret_cast<std::uint64_t>(memory.data()) : 0, ::fi_mr_key(made.get())};
    memories_.push_back(std::move(made));
    return place;
  }
  bool pins_memory() const override { return (port_.info->domain_attr->mr_mode & FI_MR_ALLOCATED) != 0; }
  void expect_readers(bool any) override { expects_readers_.store(any); }
  const std::vector<std::string>& endpoints() const override { return endpoints_; }

 private:
  void serve() {
    while (!stop_.load(std::memory_order_relaxed)) {
      auto turn = ofi::turn_of(*port_.info);
      const ssize_t count = port_.answer();
      if (turn) turn.unlock();
      if (count == -FI_EAGAIN) wait();
    }
  }

  void wait() {
    if (port_.wait_fd < 0) {
      std::this_thread::sleep_for(expects_readers_.load(std::memory_order_relaxed) ? kNap : kIdleNap);
      return;
    }
    fid* queue = &port_.completions->fid;
    if (::fi_trywait(port_.fabric.get(), &queue, 1) != 0) return;
    pollfd until{.fd = port_.wait_fd, .events = POLLIN, .revents = 0};
    ::poll(&until, 1, kMostWaitMs);
  }

  ofi::Port port_;
  std::vector<ofi::Memory> memories_;
  std::vector<std::string> endpoints_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> expects_readers_{true};
  std::thread server_;
};

}  // namespace

std::unique_ptr<MemoryExport> export_memory(const std::string& provider, const std::string& node, int endpoints) {
  return std::make_unique<OfiExport>(provider, node, endpoints);
}

}  // namespace graphrun
