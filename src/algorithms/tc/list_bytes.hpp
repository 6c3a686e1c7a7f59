// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "graphrun/run/options.hpp"

namespace graphrun::inline GR_IDS {

/// Returns the bytes of lists that a run may hold at a time: the size of the fast tier, of which ranks of one process have equal
/// shares, or 1 GiB without --cache; 0, no limit, when all edges are in the fast tier.
inline std::uint64_t usual_list_bytes(const RunOptions& options) {
  constexpr std::uint64_t kUsual = std::uint64_t{1} << 30;
  const Preset& preset = preset_of(options.backend.kind);
  if (preset.tier == EdgeTier::all) return 0;
  const bool has_cache = preset.tier != EdgeTier::nothing || preset.delivery == EdgeDelivery::gather;
  const std::uint64_t all = has_cache ? options.backend.cache_bytes.value_or(kUsual) : kUsual;
  return all / static_cast<std::uint64_t>(options.ranks);
}

}  // namespace graphrun::inline GR_IDS
