#include "io/native_layout.hpp"

#include <algorithm>

#include "graphrun/core/parallel.hpp"

namespace graphrun::io {

ListFacts examine_lists(const Csr& csr, ThreadPool& pool) {
  struct Seen {
    bool unsorted = false;
    bool self_loop = false;
    bool repeated = false;  ///< beside each other, which in sorted lists is everywhere
    EdgeId max_degree = 0;
  };
  PerThread<Seen> partial(pool);
  parallel_chunks(pool, csr.num_vertices(), kDefaultGrain, [&](std::size_t begin, std::size_t end, int rank) {
    Seen seen = partial[rank];
    for (std::size_t v = begin; v < end; ++v) {
      const EdgeId first = csr.offsets[v];
      const EdgeId last = csr.offsets[v + 1];
      seen.max_degree = std::max(seen.max_degree, last - first);
      for (EdgeId e = first; e < last; ++e) {
        seen.self_loop |= csr.neighbours[e] == v;
        if (e == first) continue;
        seen.unsorted |= csr.neighbours[e - 1] > csr.neighbours[e];
        seen.repeated |= csr.neighbours[e - 1] == csr.neighbours[e];
      }
    }
    partial[rank] = seen;
  });
  Seen all;
  for (const auto& slot : partial) {
    all.unsorted |= slot.value.unsorted;
    all.self_loop |= slot.value.self_loop;
    all.repeated |= slot.value.repeated;
    all.max_degree = std::max(all.max_degree, slot.value.max_degree);
  }
  ListFacts facts;
  facts.max_degree = all.max_degree;
  facts.flags = kSelfLoopsKnown | (all.self_loop ? kSelfLoops : 0u);
  if (!all.unsorted) facts.flags |= kSortedLists | kDuplicatesKnown | (all.repeated ? kDuplicates : 0u);
  return facts;
}

}  // namespace graphrun::io
