// How fast rows of features are gathered, from where they may lie, and how many of them are near: what `graphrun gather` measures
// (Min, dissertation, figures 3.10, 3.12, 4.8, 4.10 and 4.11).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graphrun/backend/feature_table.hpp"
#include "graphrun/core/option.hpp"
#include "graphrun/io/load.hpp"
#include "graphrun/run/result.hpp"

namespace graphrun::inline GR_IDS {

struct GatherOptions {
  std::string graph;  ///< as load_graph() takes it: it has a row for each vertex; "": there are `rows`
  LoadOptions load;
  std::uint64_t rows = std::uint64_t{1} << 20;
  std::uint64_t gathered = std::uint64_t{1} << 18;  ///< rows in a trial
  double hot_share = 0;                             ///< of the rows, kept in the memory of a GPU, or, of a file, in host memory
  HotEdges hot = HotEdges::degree;                  ///< which those are, of a graph: by degree, pagerank or weighted
  std::optional<SourceSpec> source;                 ///< where searches begin; none: anywhere
  int num_sources = 0;                              ///< as RunOptions has them
  /// Edges drawn at a vertex in each hop: a trial gathers rows of batches for training. Empty: rows that arcs lead to.
  std::vector<std::uint32_t> fanouts;
  BackendKind backend = {};
  bool in_file = false;                             ///< in a scratch file behind a cache of pages
  FeatureOptions features = {.row_bytes = 1024};    ///< `hot` is filled in
  int trials = 1;
  bool warm = false;    ///< the cache of pages stays as the last trial left it
  bool verify = false;  ///< every byte that is gathered is compared, outside the clock
};

struct GatherResult {
  std::uint64_t rows = 0;
  std::uint64_t hot_rows = 0;
  std::optional<GraphFacts> graph;  ///< where one was named
  PhaseTimes phases;                ///< read, build
  std::vector<Gathered> trials;
  std::uint64_t wrong = 0;  ///< rows, of all trials; 0 where none was compared
};

/// What `graphrun gather` takes beside options of a run.
const std::vector<Option<GatherOptions>>& gather_options();

/// Rows are drawn at random: each as often as others; of a graph, as often as arcs lead to its vertex, which is how often a
/// sampled edge does; or with fanouts those of the vertices of whole batches, each begun at 1024 vertices that are drawn among
/// the sources. Hot are then the rows to which most arcs lead, or where random surfers come most often, who begin anywhere or at
/// the sources. Trials draw anew, and one more, before the first, is not timed. Throws UsageError, and UnavailableError also
/// where the rows have no room.
GatherResult measure_gather(const GatherOptions& options);

/// Lines for people, each ended.
std::string gather_text(const GatherOptions& options, const GatherResult& result);
std::string gather_json(const GatherOptions& options, const GatherResult& result);

}  // namespace graphrun::inline GR_IDS
