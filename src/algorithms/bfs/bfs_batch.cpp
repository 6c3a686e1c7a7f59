// SPDX-License-Identifier: Apache-2.0

#include "graphrun/algorithms/bfs_batch.hpp"

#include <fmt/format.h>

#include "algorithms/bfs/bfs_batch_impl.hpp"
#include "graphrun/algorithms/answer.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/memory.hpp"
#include "graphrun/ops/cpu_views.hpp"

namespace graphrun::inline GR_IDS {

void check_room_for_plane(std::size_t plane, std::size_t vertices) {
  const auto available = available_memory();
  const std::uint64_t needed = 2 * sizeof(std::uint64_t) * std::uint64_t{vertices};
  if (!available || needed <= *available) return;
  throw UnavailableError(fmt::format(
      "searches at once that are deeper than {} levels take {} more memory, and {} are free: searches one by one, as bfs "
      "makes without --batch, take none",
      (std::uint64_t{1} << plane) - 1, format_bytes(needed), format_bytes(*available)));
}

void describe(const BfsBatchOutput& output, AnswerData& answer) {
  answer.sources = output.sources;
  answer.columns = {{"level", &output, DigestBy::reach}};
}

GR_CPU_INSTANCES(BfsBatchRun)

}  // namespace graphrun::inline GR_IDS
