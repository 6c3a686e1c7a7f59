#include "graphrun/backend/backend.hpp"

#include "graphrun/core/error.hpp"

namespace graphrun {

BackendOptions default_options(BackendKind kind) {
  BackendOptions options;
  options.kind = kind;
  options.layout = Layout::balanced;
  options.page_bytes = kind == BackendKind::gpuvm ? 8192 : 4096;
  return options;
}

Moved& Moved::operator+=(const Moved& more) {
  const auto add = [](auto& to, const auto& from) {
    if (to && from) *to += *from;
  };
  add(bytes, more.bytes);
  add(requests, more.requests);
  add(evicted_bytes, more.evicted_bytes);
  add(link_requests, more.link_requests);
  return *this;
}

void Backend::preload() {
  throw UsageError("--preload fills a cache, and this backend keeps none here: choose --backend bam or gpuvm, or on a CPU uvm");
}

const char* name_of(BackendKind kind) {
  switch (kind) {
    case BackendKind::incore: return "incore";
    case BackendKind::emogi: return "emogi";
    case BackendKind::uvm: return "uvm";
    case BackendKind::bam: return "bam";
    case BackendKind::gpuvm: return "gpuvm";
    case BackendKind::subway: return "subway";
  }
  return "?";
}

const char* name_of(Access access) {
  switch (access) {
    case Access::naive: return "naive";
    case Access::merged: return "merged";
    case Access::aligned: return "aligned";
  }
  return "?";
}

const char* name_of(UvmAdvise advise) {
  switch (advise) {
    case UvmAdvise::none: return "none";
    case UvmAdvise::read_mostly: return "read-mostly";
    case UvmAdvise::accessed_by: return "accessed-by";
    case UvmAdvise::prefetch: return "prefetch";
  }
  return "?";
}

const char* name_of(Layout layout) { return layout == Layout::csr ? "csr" : "balanced"; }

const char* name_of(SubwayVariant variant) { return variant == SubwayVariant::sync ? "sync" : "async"; }

std::uint64_t edge_bytes(const Graph& graph, const BackendOptions& options) {
  std::uint64_t bytes = graph.out.neighbours.bytes();
  if (options.needs_weights) bytes += graph.out.weights.bytes();
  if (options.needs_transpose && graph.in) bytes += graph.in->neighbours.bytes();
  return bytes;
}

EdgeId choose_chunk(const Graph& graph, const BackendOptions& options, EdgeId executors) {
  if (options.chunk_edges != 0) return options.chunk_edges;
  return graph.hub_table.chunk_edges != 0 ? graph.hub_table.chunk_edges : executors;
}

}  // namespace graphrun
