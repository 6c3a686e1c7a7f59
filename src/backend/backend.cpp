// SPDX-License-Identifier: Apache-2.0

#include "graphrun/backend/backend.hpp"

#include <algorithm>
#include <bit>

#include "core/raise.hpp"

namespace graphrun::inline GR_IDS {

static_assert(std::ranges::all_of(kPresets, [](const Preset& preset) { return &preset_of(preset.kind) == &preset; }));

BackendOptions with_defaults(BackendOptions options) {
  if (keeps_rows(options.hot))
    raise<UsageError>("--hot {} chooses rows of features; of lists, --hot prefix keeps the beginnings", name_of(options.hot));
  constexpr std::uint64_t kUvmBlockBytes = 2 << 20;
  const auto fill = [](auto& value, auto usual) { value = value != 0 ? value : usual; };
  const Preset& preset = preset_of(options.kind);
  fill(options.page_bytes, preset.page_bytes);
  fill(options.queues, preset.queues);
  fill(options.queue_depth, preset.queue_depth);
  const std::uint64_t share = std::bit_floor(options.cache_bytes.value_or(4 * kUvmBlockBytes) / 4);
  fill(options.uvm_block_bytes, std::clamp(share, std::min(options.uvm_prefetch_bytes, kUvmBlockBytes), kUvmBlockBytes));
  return options;
}

Moved& Moved::operator+=(const Moved& more) {
  const auto add = [](auto& to, const auto& from) {
    if (to && from) *to += *from;
  };
  add(bytes, more.bytes);
  add(requests, more.requests);
  add(evicted_bytes, more.evicted_bytes);
  add(hot_bytes, more.hot_bytes);
  add(link_requests, more.link_requests);
  add(routed, more.routed);
  add(ahead, more.ahead);
  return *this;
}

void Backend::preload() {
  throw UsageError("--preload fills a cache, and this backend keeps none here: choose --backend bam or gpuvm, or on a CPU uvm");
}

std::uint64_t edge_bytes(const Graph& graph, const BackendOptions& options) {
  if (options.records) return graph.out.records.bytes() + (graph.by_target ? graph.by_target->records.bytes() : 0);
  const auto of_lists = [](const Csr& csr) { return csr.packed.empty() ? csr.neighbours.bytes() : csr.packed.lines.bytes(); };
  std::uint64_t bytes = of_lists(graph.out);
  if (options.needs_weights)
    bytes += graph.out.packed.weight_code.is_packed() ? graph.out.packed.weights.bytes() : graph.out.weights.bytes();
  if (reaches_in(graph, options)) bytes += of_lists(*graph.in);
  return bytes;
}

EdgeId choose_chunk(const Graph& graph, const BackendOptions& options, EdgeId executors) {
  if (options.chunk_edges != 0) return options.chunk_edges;
  return graph.hub_table.chunk_edges != 0 ? graph.hub_table.chunk_edges : executors;
}

}  // namespace graphrun::inline GR_IDS
