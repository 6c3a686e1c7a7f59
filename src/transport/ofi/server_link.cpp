// SPDX-License-Identifier: Apache-2.0

#include "transport/ofi/server_link.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <string_view>
#include <utility>

#include "core/raise.hpp"

namespace graphrun::ofi {
namespace {

/// Returns whether closing an endpoint with an answer under way would end the process: the tcp provider of libfabric before 1.18
/// reports such a read twice, and then without its context.
bool must_stay_open(const Port& port) {
  const std::string_view provider = port.info->fabric_attr->prov_name;
  return provider.starts_with("tcp") && FI_VERSION_LT(library().version(), FI_VERSION(1, 18));
}

/// Keeps a port until the process ends. With the tcp provider bytes arrive only while a thread polls the port: none does now.
void leave_open(Port port) {
  static std::mutex mutex;
  static auto& left = *new std::vector<Port>;  // ends with the process, without closing anything
  const std::lock_guard lock(mutex);
  left.push_back(std::move(port));
}

}  // namespace

ServerLink::ServerLink(const std::string& provider, const FabricServer& server, int endpoints, std::size_t depth)
    : port_(find_way(provider, server.node, Side::reads), "to " + server.name, endpoints, depth) {
  for (std::size_t i = 0; i < port_.endpoints.size(); ++i) {
    const std::string& name = server.endpoints[i % server.endpoints.size()];
    fi_addr_t target = FI_ADDR_UNSPEC;
    if (::fi_av_insert(port_.addresses.get(), name.data(), 1, &target, 0, nullptr) != 1)
      raise<RunError>("{} gave an address that provider {} does not take", server.name, provider);
    targets_.push_back(target);
  }
}

ServerLink::~ServerLink() {
  if (out_ != 0 && must_stay_open(port_)) {
    leave_open(std::move(port_));
  } else {
    port_.close_endpoints();  // first: they end what is under way to memory_
  }
}

void ServerLink::use_memory(std::span<std::byte> memory) {
  memory_.reset();
  if ((port_.info->domain_attr->mr_mode & FI_MR_LOCAL) != 0) memory_ = port_.add_memory(memory, FI_READ);
}

ServerLink::Posted ServerLink::read(void* into, std::uint32_t bytes, const ExportedMemory& from, std::uint64_t offset,
                                    fi_context2& context) {
  const std::size_t way = next_++ % targets_.size();
  void* const registered = memory_ ? ::fi_mr_desc(memory_.get()) : nullptr;
  const ssize_t status =
      ::fi_read(port_.endpoints[way].get(), into, bytes, registered, targets_[way], from.address + offset, from.key, &context);
  if (status == 0) {
    ++out_;
    return Posted::yes;
  }
  if (status == -FI_EAGAIN) return Posted::not_now;
  last_error_ = library().strerror(static_cast<int>(-status));
  return Posted::failed;
}

std::size_t ServerLink::poll(std::span<Arrival> arrivals) {
  std::array<fi_cq_entry, 64> entries;
  const ssize_t count = ::fi_cq_read(port_.completions.get(), entries.data(), std::min(entries.size(), arrivals.size()));
  if (count == -FI_EAVAIL) {
    fi_cq_err_entry failed{};
    if (::fi_cq_readerr(port_.completions.get(), &failed, 0) <= 0 || failed.op_context == nullptr) return 0;
    last_error_ = library().strerror(failed.err);
    --out_;
    arrivals[0] = {static_cast<fi_context2*>(failed.op_context), failed.err};
    return 1;
  }
  if (count > 0) out_ -= static_cast<std::size_t>(count);
  for (ssize_t i = 0; i < count; ++i) {
    arrivals[static_cast<std::size_t>(i)] = {static_cast<fi_context2*>(entries[static_cast<std::size_t>(i)].op_context), 0};
  }
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

}  // namespace graphrun::ofi
