// Reads another process's memory with nothing between it and libfabric.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "graphrun/core/error.hpp"
#include "transport/ofi/server_link.hpp"

namespace graphrun {

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
