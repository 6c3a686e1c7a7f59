#include "io/entry_spool.hpp"

namespace graphrun::io::inline GR_IDS {

EntrySpool::EntrySpool(const Workspace& space)
    : space_(space), sources_(space.directory()), targets_(space.directory()), weights_(space.directory()) {}

void EntrySpool::append(const EdgeList& batch) {
  sources_.append(batch.sources.data(), batch.sources.bytes());
  targets_.append(batch.targets.data(), batch.targets.bytes());
  weights_.append(batch.weights.data(), batch.weights.bytes());
  facts_.num_vertices = batch.num_vertices;
  facts_.weight_kind = batch.weight_kind;
  facts_.arcs = batch.arcs;
}

EdgeList EntrySpool::batch_of(const Column<VertexId>& sources, const Column<VertexId>& targets,
                              const Column<std::uint32_t>& weights, std::size_t begin, std::size_t size) const {
  EdgeList batch = facts_;
  batch.sources = sources.slice(begin, size);
  batch.targets = targets.slice(begin, size);
  if (!weights.empty()) batch.weights = weights.slice(begin, size);
  return batch;
}

}  // namespace graphrun::io::inline GR_IDS
