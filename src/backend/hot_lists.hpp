// Which lists are worth keeping near: their order by degree, by a random surfer (S. W. Min, dissertation, chapter 4), or by what
// an earlier run read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graphrun/backend/backend.hpp"
#include "graphrun/core/column.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/exec/exchange.hpp"
#include "graphrun/graph/rows.hpp"

namespace graphrun::inline GR_IDS {

/// Lists of one direction, as a backend reads them.
struct ListColumn {
  Rows rows;
  const Column<VertexId>& words;
  std::uint32_t words_an_edge = 1;                 ///< 2: records
  const Column<std::uint32_t>* weights = nullptr;  ///< of the edges; null: they are not read, or in the records
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
