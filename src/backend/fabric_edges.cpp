// SPDX-License-Identifier: Apache-2.0

#include "backend/fabric_edges.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/raise.hpp"
#include "graph/column_copy.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/transport/controller.hpp"
#include "graphrun/transport/fabric.hpp"
#include "graphrun/transport/storage.hpp"
#include "remote/servers.hpp"
#include "remote/socket.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr const char* kAddresses = "--fabric-addresses";

std::vector<remote::HostAndPort> parse_own_addresses(const std::string& addresses) {
  std::vector<remote::HostAndPort> parsed;
  for (const std::string& text : split_list(addresses, '+', kAddresses)) {
    parsed.push_back(remote::parse_host_and_port(text, kAddresses));
    if (parsed.back().port) raise<UsageError>("{}: leave the port out of '{}', because the system chooses it", kAddresses, text);
  }
  return parsed;
}

/// Returns the addresses at which a process reads its own memory. shm has none; no verbs device has loopback's.
std::vector<std::string> own_addresses(const FabricOptions& fabric) {
  const std::string& provider = fabric.provider;
  if (fabric.addresses.empty()) return {provider == "shm" || provider == "verbs" ? "" : "127.0.0.1"};
  if (provider == "shm") raise<UsageError>("{} goes with providers that have addresses, not with shm", kAddresses);
  std::vector<std::string> addresses;
  for (const remote::HostAndPort& where : parse_own_addresses(fabric.addresses))
    addresses.push_back(remote::resolve_here(where, kAddresses).host());
  return addresses;
}

/// Columns as files of a store: column i is file i.
class MemoryColumns {
 public:
  PagedColumn add(const Column<std::byte>& column) {
    // Reads a mapped file into memory before the first page is copied, where the kernel can.
    constexpr int kPopulateRead = 22;
    if (column.in_mapped_file()) ::madvise(column.region()->data(), column.region()->bytes(), kPopulateRead);
    columns_.push_back(column);
    return {(columns_.size() - 1) * kFileStride, column.bytes(), 0};
  }
  const std::vector<Column<std::byte>>& all() const { return columns_; }

 private:
  std::vector<Column<std::byte>> columns_;
};

class MemoryEdges final : public HostEdgeStore {
 public:
  PagedColumn add(const Column<std::byte>& column) override { return columns_.add(column); }
  std::unique_ptr<Storage> open(std::size_t, std::uint32_t) override {
    std::vector<MemoryStretch> stretches;
    for (const auto& column : columns_.all()) stretches.emplace_back(column.span());
    return make_memory_storage(std::move(stretches));
  }
  const char* counted_as() const override { return "pages copied from host memory, counted by the thread that copies"; }

 private:
  MemoryColumns columns_;
};

/// Edges in this process, which reads its memory through the provider, as a GPU with NICs reads host memory.
class OwnEdges final : public FabricEdgeStore {
 public:
  explicit OwnEdges(const FabricOptions& fabric) : FabricEdgeStore(fabric), addresses_(own_addresses(fabric)) {
    for (const std::string& address : addresses_) exports_.push_back(export_memory(fabric.provider, address, fabric.endpoints));
  }

  PagedColumn add(const Column<std::byte>& column) override {
    const bool copies = column.in_mapped_file() && exports_.front()->pins_memory();
    return columns_.add(copies ? copy_bytes(column, 0, column.bytes()) : column);
  }
  std::unique_ptr<BlockEngine> open_engine(std::uint32_t depth) override {
    std::vector<FabricServer> ways;
    for (std::size_t i = 0; i < addresses_.size(); ++i) ways.push_back(way(addresses_[i], *exports_[i]));
    return open_fabric_engine({fabric_.provider, {std::move(ways)}, fabric_.endpoints, fabric_.deadline}, depth);
  }
  const char* counted_as() const override { return "one-sided reads, counted as they complete"; }

 private:
  FabricServer way(const std::string& address, MemoryExport& exported) const {
    FabricServer self{address.empty() ? "this process" : "this process at " + address, address, exported.endpoints(), {}};
    for (std::size_t i = 0; i < columns_.all().size(); ++i) {
      const Column<std::byte>& column = columns_.all()[i];
      if (!column.empty()) self.stretches.push_back({i * kFileStride, column.bytes(), exported.add(column.span())});
    }
    return self;
  }

  MemoryColumns columns_;
  std::vector<std::string> addresses_;
  std::vector<std::unique_ptr<MemoryExport>> exports_;  ///< one an address
};

/// Edges of a container in the memory of servers. This process reads no edges of the file.
class RemoteEdges final : public FabricEdgeStore {
 public:
  using FabricEdgeStore::FabricEdgeStore;

  PagedColumn add(const Column<std::byte>& column) override {
    if (column.empty()) return {0, 0, 0};
    if (!column.in_mapped_file() || (!path_.empty() && path_ != column.region()->path()))
      throw UsageError(
          "--remote serves what is in a .grf container, and neighbours or weights of this graph are not: convert it with "
          "graphconv, with --weights for sssp");
    path_ = column.region()->path();
    columns_.push_back({static_cast<std::uint64_t>(column.data() - column.region()->data()), column.bytes(), 0});
    return columns_.back();
  }

  std::unique_ptr<BlockEngine> open_engine(std::uint32_t depth) override {
    if (path_.empty()) throw UsageError("--remote serves edges, and this graph has none");
    remote::ServedGraph served = remote::ask_servers(fabric_, path_);
    for (const PagedColumn& column : columns_) remote::require_served(served, column.offset, column.bytes, path_);
    weights_ = served.weights;
    if (weights_ && weights_->smallest < 0) raise<UsageError>("{} has weights that are negative, infinite or not numbers", path_);
    return open_fabric_engine(std::move(served.store), depth);
  }
  std::optional<WeightStats> weights() const override { return weights_; }
  bool needs_checks() const override { return true; }
  const char* counted_as() const override { return "one-sided reads of servers' memory, counted as they complete"; }

 private:
  std::string path_;
  std::vector<PagedColumn> columns_;
  std::optional<WeightStats> weights_;
};

}  // namespace

std::unique_ptr<Storage> FabricEdgeStore::open(std::size_t queues, std::uint32_t queue_depth) {
  return make_software_storage(queues, queue_depth, [this](std::uint32_t depth) { return open_engine(depth); });
}

std::chrono::milliseconds FabricEdgeStore::deadline() const {
  constexpr int kServersInTurn = 10;
  return kServersInTurn * fabric_.deadline;
}

std::string fabric_text(const FabricOptions& fabric) {
  const char* const name = name_of(fabric.kind);
  return fabric.kind == FabricKind::ofi ? fmt::format("{}:{}", name, fabric.provider) : name;
}

std::string fabric_in_use(FabricOptions fabric, bool on_gpu) {
  if (fabric.kind == FabricKind::automatic) fabric.kind = on_gpu ? FabricKind::sm : FabricKind::memory;
  return fabric_text(fabric);
}

void check_fabric(const FabricOptions& fabric) {
  if (fabric.kind == FabricKind::ofi) check_provider_name(fabric.provider, "--fabric ofi:PROVIDER");
  if (!fabric.remote.empty()) remote::parse_servers(fabric.remote);
  if (!fabric.addresses.empty()) parse_own_addresses(fabric.addresses);
}

std::unique_ptr<HostEdgeStore> make_fabric_edges(const FabricOptions& fabric) {
  if (fabric.kind == FabricKind::ofi) return make_ofi_edges(fabric);
  if (fabric.kind == FabricKind::sm || fabric.kind == FabricKind::proxy)
    raise<UsageError>("--fabric {} is one of a GPU: on a CPU choose memory or ofi:PROVIDER", name_of(fabric.kind));
  if (!fabric.remote.empty()) throw UsageError("--remote needs a fabric that reaches other machines, such as --fabric ofi:tcp");
  return std::make_unique<MemoryEdges>();
}

std::unique_ptr<FabricEdgeStore> make_ofi_edges(const FabricOptions& fabric) {
  if (const std::string missing = why_no_fabric(fabric.provider); !missing.empty()) throw UnavailableError(missing);
  if (fabric.remote.empty()) return std::make_unique<OwnEdges>(fabric);
  return std::make_unique<RemoteEdges>(fabric);
}

}  // namespace graphrun::inline GR_IDS
