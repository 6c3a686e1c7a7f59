// SPDX-License-Identifier: Apache-2.0

#include "transport/ofi/ofi.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "core/raise.hpp"
#include "graphrun/transport/fabric.hpp"

namespace graphrun {
namespace ofi {
namespace {

constexpr const char* kName = "libfabric.so.1";

/// Restores signal handlers: libraries below libfabric (PSM's) take signals such as SIGTERM when they are loaded, and end the
/// program.
class KeptSignals {
 public:
  KeptSignals() {
    for (int signal = 1; signal < kSignals; ++signal) known_[signal] = ::sigaction(signal, nullptr, &actions_[signal]) == 0;
  }
  ~KeptSignals() {
    for (int signal = 1; signal < kSignals; ++signal) {
      if (known_[signal]) ::sigaction(signal, &actions_[signal], nullptr);
    }
  }
  KeptSignals(const KeptSignals&) = delete;
  KeptSignals& operator=(const KeptSignals&) = delete;

 private:
  static constexpr int kSignals = 32;
  struct sigaction actions_[kSignals] {};
  bool known_[kSignals]{};
};

/// Sets libfabric's sizes in the environment, unless the user did: for reliable datagrams over connections (ofi_rxm), which carry
/// reads and next to no messages.
void choose_sizes() {
  constexpr int kKeepTheUsers = 0;
  // Peers for whose messages completion queues have room: soft-RoCE has no queues for the 256 that are expected otherwise.
  ::setenv("FI_UNIVERSE_SIZE", "64", kKeepTheUsers);
  // One small set of buffers for messages of all peers. With a set a peer, RDMA endpoints send messages about free buffers, and
  // libfabric 1.17 crashes when it closes an endpoint that has one.
  ::setenv("FI_OFI_RXM_USE_SRX", "1", kKeepTheUsers);
  ::setenv("FI_OFI_RXM_MSG_RX_SIZE", "64", kKeepTheUsers);
}

Library load() {
  const KeptSignals kept;
  choose_sizes();
  void* handle = ::dlopen(kName, RTLD_NOW | RTLD_LOCAL);  // never closed: its threads may outlive its last user
  if (handle == nullptr) raise<UnavailableError>("libfabric cannot be loaded: {}", ::dlerror());
  Library loaded{};
  const auto find = [handle](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
    if (function == nullptr) raise<UnavailableError>("{} has no {}", kName, name);
  };
  find(loaded.getinfo, "fi_getinfo");
  find(loaded.freeinfo, "fi_freeinfo");
  find(loaded.dupinfo, "fi_dupinfo");
  find(loaded.fabric, "fi_fabric");
  find(loaded.strerror, "fi_strerror");
  find(loaded.version, "fi_version");
  // The first question loads the providers.
  fi_info* found = nullptr;
  if (loaded.getinfo(FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION), nullptr, nullptr, 0, nullptr, &found) == 0)
    loaded.freeinfo(found);
  return loaded;
}

constexpr std::uint32_t kApi = FI_VERSION(1, 17);

constexpr int kMostPasses = 1024;  // over what has arrived at a port; one is all there is, unless readers went away

/// Ports of this process that answer readers by a provider that needs turns. Changed and looked at in turn.
std::vector<Port*>& answering() {
  static std::vector<Port*> ports;
  return ports;
}

/// Returns a random key. Keys alone keep others on the network from reading: they must not be guessed.
std::uint64_t random_key(std::size_t key_bytes) {
  std::uint64_t key = 0;
  if (::getrandom(&key, std::min(key_bytes, sizeof(key)), 0) < 0) throw RunError("the system gives no random numbers");
  return key;
}

Info ask(const std::string& provider, const std::string& node, Side side, int& status, bool into_devices = false) {
  const Info hints(library().dupinfo(nullptr));
  if (!hints) throw std::bad_alloc();
  hints->caps = FI_RMA | (side == Side::reads ? FI_READ : FI_REMOTE_READ);
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
  hints->domain_attr->threading = FI_THREAD_SAFE;
  if (into_devices) hints->caps |= FI_HMEM, hints->domain_attr->mr_mode |= FI_MR_HMEM;
  hints->fabric_attr->prov_name = ::strdup(provider.c_str());
  const char* where = node.empty() ? nullptr : node.c_str();
  fi_info* found = nullptr;
  status =
      library().getinfo(kApi, where, nullptr, where != nullptr && side == Side::is_read ? FI_SOURCE : 0, hints.get(), &found);
  return Info(status == 0 ? found : nullptr);
}

}  // namespace

const Library& library() {
  static const Library loaded = load();
  return loaded;
}

Info find_way(const std::string& provider, const std::string& node, Side side) {
  int status = 0;
  // Reliable datagrams over providers of connections are another provider's work, in libfabric's older versions.
  for (const std::string& name : {provider + ";ofi_rxm", provider}) {
    if (Info way = ask(name, node, side, status)) return way;
  }
  raise<UnavailableError>("libfabric has no one-sided reads by provider '{}'{}: {}", provider, node.empty() ? "" : " at " + node,
                          library().strerror(-status));
}

void check(int status, const std::string& doing) {
  if (status < 0) raise<RunError>("{}: {}", doing, library().strerror(-status));
}

std::unique_lock<std::mutex> turn_of(const fi_info& info) {
  static std::mutex mutex;
  const bool needs_turns = std::string_view(info.fabric_attr->prov_name).starts_with("shm");
  return needs_turns ? std::unique_lock(mutex) : std::unique_lock<std::mutex>();
}

Port::Port(Info way, const std::string& where, int count, std::size_t depth) : info(std::move(way)) {
  const std::string name = fmt::format("libfabric, provider {} {}", info->fabric_attr->prov_name, where);
  const auto take = [&](auto& owner, auto* made, int status, const char* what) {
    check(status, fmt::format("{}: cannot open {}", name, what));
    owner.reset(made);
  };
  fid_fabric* new_fabric = nullptr;
  int status = library().fabric(info->fabric_attr, &new_fabric, nullptr);
  take(fabric, new_fabric, status, "the fabric");
  fid_domain* new_domain = nullptr;
  status = ::fi_domain(fabric.get(), info.get(), &new_domain, nullptr);
  take(domain, new_domain, status, "a domain");

  fi_cq_attr how{};
  how.format = FI_CQ_FORMAT_CONTEXT;
  how.size = depth;
  how.wait_obj = FI_WAIT_FD;
  fid_cq* new_queue = nullptr;
  status = ::fi_cq_open(domain.get(), &how, &new_queue, nullptr);
  if (status != 0) {
    how.wait_obj = FI_WAIT_NONE;
    status = ::fi_cq_open(domain.get(), &how, &new_queue, nullptr);
  }
  take(completions, new_queue, status, "a completion queue");
  if (how.wait_obj == FI_WAIT_FD && ::fi_control(&completions->fid, FI_GETWAIT, &wait_fd) != 0) wait_fd = -1;

  fi_av_attr table{};
  table.type = FI_AV_TABLE;
  fid_av* new_table = nullptr;
  status = ::fi_av_open(domain.get(), &table, &new_table, nullptr);
  take(addresses, new_table, status, "a table of addresses");

  const auto turn = turn_of(*info);
  for (int i = 0; i < count; ++i) {
    fid_ep* made = nullptr;
    status = ::fi_endpoint(domain.get(), info.get(), &made, nullptr);
    take(endpoints.emplace_back(), made, status, "an endpoint");
    check(::fi_ep_bind(made, &addresses->fid, 0), "libfabric: cannot bind an endpoint to its table of addresses");
    check(::fi_ep_bind(made, &completions->fid, FI_TRANSMIT | FI_RECV), "libfabric: cannot bind an endpoint to its queue");
    check(::fi_enable(made), name + ": cannot enable an endpoint");
  }
}

void Port::close_endpoints() {
  if (endpoints.empty()) return;
  const auto turn = turn_of(*info);
  if (turn) {
    std::erase(answering(), this);
    // A finished read may still be in the queue of the answering port: shm then looks into the memory of the reader's endpoint,
    // which is gone after this.
    for (Port* port : answering()) {
      ssize_t count = 1;
      for (int pass = 0; pass < kMostPasses && (count > 0 || count == -FI_EAVAIL); ++pass) count = port->answer();
    }
  }
  endpoints.clear();
}

void Port::expect_readers() {
  if (const auto turn = turn_of(*info)) answering().push_back(this);
}

ssize_t Port::answer() {
  std::array<fi_cq_entry, 16> entries;
  const ssize_t count = ::fi_cq_read(completions.get(), entries.data(), entries.size());
  if (count == -FI_EAVAIL) {  // a reader that went away; others go on
    fi_cq_err_entry failed{};
    ::fi_cq_readerr(completions.get(), &failed, 0);
  }
  return count;
}

Memory Port::add_memory(std::span<const std::byte> memory, std::uint64_t access) {
  fid_mr* made = nullptr;
  check(::fi_mr_reg(domain.get(), memory.data(), memory.size(), access, 0, random_key(info->domain_attr->mr_key_size), 0, &made,
                    nullptr),
        fmt::format("libfabric, provider {}: cannot register {} bytes of memory", info->fabric_attr->prov_name, memory.size()));
  return Memory(made);
}

std::string why_no_hmem(const std::string& provider) {
  int status = 0;
  for (const std::string& name : {provider + ";ofi_rxm", provider}) {
    if (ask(name, "", Side::reads, status, true)) return {};
  }
  return fmt::format("libfabric's provider '{}' does not read into device memory (FI_HMEM): {}", provider,
                     library().strerror(-status));
}

}  // namespace ofi

std::string why_no_device_memory(const std::string& provider) {
  const std::string missing = why_no_fabric(provider);
  return missing.empty() ? ofi::why_no_hmem(provider) : missing;
}

std::string why_no_fabric(const std::string& provider) {
  try {
    ofi::find_way(provider, "", ofi::Side::reads);
    return {};
  } catch (const UnavailableError& error) {
    return error.what();
  }
}

}  // namespace graphrun
