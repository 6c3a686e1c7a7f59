// Which lists are worth keeping near: their order by degree, by a random surfer (S. W. Min, dissertation, chapter 4), or by what
// an earlier run read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graphrun/backend/backend.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/exec/exchange.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun::inline GR_IDS {

/// Lists of one direction where the graph has them, packed or not, or records in their place.
class ListColumn {
 public:
  enum class Reads { neighbours, weights_too, records };
  /// Of `csr`, which outlives this.
  ListColumn(const Rows& rows, const Csr& csr, Reads what = Reads::neighbours);

  const Rows rows;
  std::uint32_t words_an_edge() const { return what_ == Reads::records ? 2 : 1; }
  bool weighted() const { return what_ == Reads::weights_too; }
  /// Bytes of neighbours, or of records.
  std::uint64_t bytes() const;
  /// take(words, weights, count) for runs of v's first `edges` edges. Throws DataError for packed lists that are damaged.
  template <class Take>
  void walk(VertexId v, EdgeId edges, Take&& take) const {
    const EdgeId first = rows.offsets[v] * words_an_edge();
    const WorkItem item{v, first, first + edges * words_an_edge()};
    const auto on = [&](const VertexId* words, const std::uint32_t* weights, std::size_t count) {
      take(words, weights, count);
      return true;
    };
    const DirectView lists = view();
    weighted() ? lists.for_each_run<true>(item, on) : lists.for_each_run<false>(item, on);
  }
  /// Takes the lists of [first, last) out of memory, where they are in a mapped file.
  void release(VertexId first, VertexId last) const;

 private:
  DirectView view() const;

  const Csr& csr_;
  Reads what_;
  PackedLists packed_;
};

/// One a vertex, more where it is hotter; none by degree. Adds the bytes that it read to `read`. Throws UsageError when `how`
/// lacks what its choice needs.
std::vector<std::uint64_t> list_scores(const ListColumn& lists, const std::vector<std::uint64_t>& profile,
                                       const BackendOptions& how, ThreadPool& pool, std::uint64_t& read);

/// The vertices of `part` that have edges, hottest first. Adds the bytes that it read to `read`. Throws UsageError when `how`
/// lacks what its choice needs.
std::vector<VertexId> hottest_lists(const ListColumn& lists, const std::vector<std::uint64_t>& profile, const BackendOptions& how,
                                    const RankPart& part, ThreadPool& pool, std::uint64_t& read);

/// Writes what read_list_reads() reads. Throws UsageError when nothing was counted, DataError as OutputFile does.
void write_list_reads(const std::string& path, const Graph& graph, const ListReads& reads);
/// Throws DataError when the file is damaged, UsageError when it is of a graph whose out-lists have other lengths.
ListReads read_list_reads(const std::string& path, const Graph& graph);

}  // namespace graphrun::inline GR_IDS
