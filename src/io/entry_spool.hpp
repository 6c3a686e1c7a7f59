// Entries in scratch files, in the order they came, for when something about all of them must be known before any is used.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graphrun/graph/build.hpp"
#include "graphrun/graph/scratch.hpp"

namespace graphrun::io::inline GR_IDS {

class EntrySpool {
 public:
  explicit EntrySpool(const Workspace& space);

  void append(const EdgeList& batch);
  std::uint64_t size() const { return sources_.size() / sizeof(VertexId); }

  /// Calls body(EdgeList&&) with one batch after another. The batches are windows into the files and may be written to.
  template <class Body>
  void for_each_batch(const Body& body) const {
    const auto sources = sources_.map<VertexId>();
    const auto targets = targets_.map<VertexId>();
    const auto weights = weights_.map<std::uint32_t>();
    const std::size_t window = space_.window(2 * sizeof(VertexId) + sizeof(std::uint32_t));
    for (std::size_t begin = 0; begin < sources.size(); begin += window) {
      const std::size_t size = std::min(window, sources.size() - begin);
      body(batch_of(sources, targets, weights, begin, size));
      sources.release(begin, begin + size);
      targets.release(begin, begin + size);
      if (!weights.empty()) weights.release(begin, begin + size);
    }
  }

 private:
  EdgeList batch_of(const Column<VertexId>& sources, const Column<VertexId>& targets, const Column<std::uint32_t>& weights,
                    std::size_t begin, std::size_t size) const;

  const Workspace& space_;
  ScratchFile sources_;
  ScratchFile targets_;
  ScratchFile weights_;
  EdgeList facts_;  // of the last batch, without its entries
};

}  // namespace graphrun::io::inline GR_IDS
