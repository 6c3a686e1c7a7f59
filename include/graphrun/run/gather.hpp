// How fast rows of features are gathered, from where they may lie: what `graphrun gather` measures (Min, dissertation, figures
// 3.10 and 4.9).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graphrun/backend/feature_table.hpp"
#include "graphrun/core/option.hpp"
#include "graphrun/io/load.hpp"

namespace graphrun::inline GR_IDS {

struct GatherOptions {
  std::string graph;  ///< as load_graph() takes it: it has a row for each vertex; "": there are `rows`
  LoadOptions load;
  std::uint64_t rows = std::uint64_t{1} << 20;
  std::uint64_t gathered = std::uint64_t{1} << 18;  ///< rows in a trial
  double hot_share = 0;                             ///< of the rows, kept in the memory of a GPU
  bool in_file = false;                             ///< in a scratch file behind a cache of pages
  FeatureOptions features = {.row_bytes = 1024};    ///< `hot` is filled in
  int trials = 1;
  bool warm = false;    ///< the cache of pages stays as the last trial left it
  bool verify = false;  ///< every byte that is gathered is compared, outside the clock
};

struct GatherResult {
  std::uint64_t rows = 0;
  std::uint64_t hot_rows = 0;
  std::vector<Gathered> trials;
  std::uint64_t wrong = 0;  ///< rows, of all trials; 0 where none was compared
};

/// What `graphrun gather` takes beside options of a run.
const std::vector<Option<GatherOptions>>& gather_options();

/// Rows are drawn at random: each as often as others, or, of a graph, as often as arcs lead to its vertex, which is how often a
/// sampled edge does. Hot are then the rows to which most arcs lead. Trials draw anew, and one more, before the first, is not
/// timed. Throws UsageError, and UnavailableError also where the rows have no room.
GatherResult measure_gather(const GatherOptions& options);

/// Lines for people, each ended.
std::string gather_text(const GatherOptions& options, const GatherResult& result);
std::string gather_json(const GatherOptions& options, const GatherResult& result);

}  // namespace graphrun::inline GR_IDS
