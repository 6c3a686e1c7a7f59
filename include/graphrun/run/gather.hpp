// SPDX-License-Identifier: Apache-2.0
// Measures the rate of gathering feature rows from any tier, for `graphrun gather`, and the share in the fast tier (Min,
// dissertation, figures 3.10, 3.12, 3.13, 4.8, 4.10 and 4.11).
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
  std::string graph;  ///< as load_graph() takes it, with a row a vertex; "": `rows` rows
  LoadOptions load;
  std::uint64_t rows = std::uint64_t{1} << 20;
  std::uint64_t gathered = std::uint64_t{1} << 18;  ///< rows in a trial
  double hot_share = 0;                             ///< of the rows, kept in a GPU's memory, or, of a file, in host memory
  double replicated_share = 0;                      ///< of the rows, the hottest: kept by every GPU
  HotEdges hot = HotEdges::degree;                  ///< choice of hot rows of a graph; keeps_rows()
  std::optional<SourceSpec> source;                 ///< start of searches; none: any vertex
  int num_sources = 0;                              ///< as in RunOptions
  /// Sampled edges of a vertex in each hop: a trial gathers rows of training batches. Empty: rows of random arcs' targets.
  std::vector<std::uint32_t> fanouts;
  BackendKind backend = {};
  bool in_file = false;                           ///< in a scratch file with a page cache
  FeatureOptions features = {.row_bytes = 1024};  ///< `hot` is filled in
  int trials = 1;
  bool warm = false;    ///< keep the page cache between trials
  bool verify = false;  ///< compare every gathered byte, outside the timed region
};

struct GatherResult {
  std::uint64_t rows = 0;
  std::uint64_t hot_rows = 0;
  std::optional<GraphFacts> graph;                ///< of a named graph
  PhaseTimes phases;                              ///< read, build
  RowDelivery delivery = RowDelivery::zero_copy;  ///< of rows in memory
  std::optional<std::uint64_t> dma_row_bytes;     ///< the plan's, with automatic delivery to a GPU
  std::vector<Gathered> trials;
  std::uint64_t wrong = 0;  ///< rows, of all trials; 0 without `verify`
};

/// Returns the options of `graphrun gather` alone.
const std::vector<Option<GatherOptions>>& gather_options();

/// Returns the `count` rows that sampling from the starts reads most often by their scores (graph/row_scores.hpp), highest first.
/// Throws UsageError for a choice that keeps no rows, or needs starts and has none.
std::vector<VertexId> hot_rows(const Graph& graph, std::uint64_t count, HotEdges by, const std::vector<VertexId>& starts,
                               ThreadPool& pool);

/// Times trials that gather random rows. Rows are equally likely, or, with a graph, as likely as its arcs' targets. With fanouts
/// they are the rows of whole batches, each from 1024 random sources. An untimed trial precedes the others; each draws anew.
/// Throws UsageError and UnavailableError, also when the rows do not fit.
GatherResult measure_gather(const GatherOptions& options);

/// Returns lines for people, each ended.
std::string gather_text(const GatherOptions& options, const GatherResult& result);
std::string gather_json(const GatherOptions& options, const GatherResult& result);

}  // namespace graphrun::inline GR_IDS
