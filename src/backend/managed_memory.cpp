// SPDX-License-Identifier: Apache-2.0

#include "backend/managed_memory.hpp"

#include <algorithm>

#include "core/raise.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"

namespace graphrun::inline GR_IDS {

std::uint64_t bytes_to_hold(const ManagedMemory& memory) {
  const std::uint64_t room = memory.free - std::min(memory.free, memory.state);
  if (memory.limit && *memory.limit > room)
    raise<UnavailableError>("--gpu-memory {}: the GPU has {} free, of which the run's state and a margin take {}",
                            format_bytes(*memory.limit), format_bytes(memory.free), format_bytes(memory.state));
  if (memory.oversubscribe || memory.needed <= memory.limit.value_or(room)) return memory.limit ? room - *memory.limit : 0;
  if (memory.limit)
    raise<UsageError>(
        "backend uvm needs --gpu-memory {} ({}) or more, not {}: less takes --oversubscribe, which can hang a GPU that "
        "others use",
        memory.needed, format_bytes(memory.needed), format_bytes(*memory.limit));
  raise<UnavailableError>(
      "backend uvm cannot take {} of managed memory: the card has only {} free, and more managed memory than that can hang it; "
      "use emogi",
      format_bytes(memory.needed), format_bytes(memory.free));
}

}  // namespace graphrun::inline GR_IDS
