// SPDX-License-Identifier: Apache-2.0

#include "finepack/methods.hpp"

#include <algorithm>
#include <numeric>

namespace graphrun::bench::finepack {
namespace {
constexpr unsigned kConfigStoreBytes = 10;  // section VI.B: sequence number, ECRC and LCRC of each store
}

Contender::Contender(Method method, const Link& link, const QueueOptions& queue, const Machine& machine)
    : method_(method), link_(link), queue_(queue), machine_(machine) {
  queue_.packs = method != Method::combined;
  queue_.max_payload = std::min(queue.max_payload, link.max_payload);
  check(queue_);
}

void Contender::add(const Traffic& traffic, const std::vector<std::vector<std::uint8_t>>& before,
                    const std::vector<std::uint64_t>& useful) {
  const auto ranks = static_cast<std::size_t>(traffic.ranks);
  std::vector<std::uint64_t> leaves(ranks), arrives(ranks);
  for (std::size_t at = 0; at < traffic.channels.size() && method_ != Method::infinite; ++at) {
    const std::uint64_t wire = send(traffic.channels[at], before[at]);
    totals_.stores += traffic.channels[at].stores.size();
    totals_.useful_bytes += useful[at];
    totals_.wire_bytes += wire;
    leaves[at / ranks] += wire, arrives[at % ranks] += wire;
  }
  const double compute_ms = std::ranges::max(traffic.compute_bytes) / machine_.memory_gb_per_s * 1e-6 + machine_.launch_us * 1e-3;
  const double link_ms =
      static_cast<double>(std::max(std::ranges::max(leaves), std::ranges::max(arrives))) / link_.gb_per_s * 1e-6;
  const double fence_ms = machine_.fence_us * 1e-3;
  if (method_ == Method::bulk) {
    totals_.ms += compute_ms + link_ms + fence_ms + (link_ms > 0 ? machine_.copy_us * 1e-3 : 0);
  } else {
    totals_.ms += std::max(compute_ms, link_ms) + fence_ms;
  }
}

std::uint64_t Contender::send(const Channel& channel, const std::vector<std::uint8_t>& before) {
  std::uint64_t wire = 0;
  if (method_ == Method::bulk) {
    totals_.data_bytes += channel.bulk_bytes;
    totals_.packets += (channel.bulk_bytes + link_.max_payload - 1) / link_.max_payload;
    return wire_bytes(link_, 0, channel.bulk_bytes);
  }
  if (method_ == Method::plain) {
    for (const Store& store : channel.stores) {
      wire += wire_bytes(link_, store.address, store.bytes);
      totals_.data_bytes += store.bytes;
    }
    totals_.packets += channel.stores.size();
    return wire;
  }
  if (channel.stores.empty()) return 0;
  std::vector<std::uint8_t> memory = before;
  WriteQueue queue(queue_, [&](Packet&& packet) {
    ++totals_.packets;
    wire +=
        packet.is_bare ? wire_bytes(link_, packet.base, packet.payload.size()) : packed_wire_bytes(link_, packet.payload.size());
    if (method_ == Method::config) wire += std::uint64_t{packet.sub_packets} * kConfigStoreBytes;
    unpack(packet, queue_.sub_header_bytes, [&](std::uint64_t address, const std::uint8_t* data, unsigned bytes) {
      totals_.data_bytes += bytes;
      apply(memory, channel.base, address, data, bytes, packet.width);
    });
  });
  for (const Store& store : channel.stores) queue.store(store, channel.data.data() + store.data);
  queue.fence();
  for (std::size_t reason = 0; reason < totals_.flushes.size(); ++reason) totals_.flushes[reason] += queue.flushes()[reason];
  if (memory != channel.memory) {
    for (std::size_t byte = 0; byte < memory.size(); ++byte) totals_.wrong_bytes += memory[byte] != channel.memory[byte] ? 1 : 0;
  }
  return wire;
}

double one_gpu_ms(const Traffic& traffic, const Machine& machine) {
  const double bytes = std::accumulate(traffic.compute_bytes.begin(), traffic.compute_bytes.end(), 0.0);
  return bytes / machine.memory_gb_per_s * 1e-6 + machine.launch_us * 1e-3;
}

std::uint64_t distinct_bytes(const Channel& channel) {
  std::vector<bool> is_stored(channel.memory.size());
  std::uint64_t count = 0;
  for (const Store& store : channel.stores) {
    for (std::uint64_t byte = store.address - channel.base; byte < store.address - channel.base + store.bytes; ++byte) {
      count += is_stored[byte] ? 0 : 1;
      is_stored[byte] = true;
    }
  }
  return count;
}

}  // namespace graphrun::bench::finepack
