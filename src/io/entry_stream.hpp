// SPDX-License-Identifier: Apache-2.0
// Entries of text and of generated graphs, a batch at a time. In memory one batch holds them all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/io/load.hpp"
#include "io/assumptions.hpp"
#include "io/name_table.hpp"

namespace graphrun::io::inline GR_IDS {

/// Most of LoadOptions::num_vertices. Their offsets take 2 PiB; no size of their arrays wraps.
inline constexpr std::uint64_t kMostNumVertices = std::uint64_t{1} << 48;

struct ReadOptions {
  bool bipartite = false;      ///< MatrixMarket: allow rectangular matrices
  bool float_weights = false;  ///< text: f32 weights from the start, even if all are whole so far;
                               ///< binary formats that do not say what their 4-byte weights are: f32 instead of u32
  bool wide_weights = false;   ///< text: u64 weights from the start, while they are whole
  WeightUse weights = WeightUse::kept;
  std::optional<std::uint64_t> raw_offset = {};  ///< .bel: where the payload of .dst and .val begins when they have no header
  std::size_t batch_bytes = std::numeric_limits<std::size_t>::max();  ///< of text, or of generated entries, in a batch
  std::vector<std::string> columns = {};                              ///< edge lists: LoadOptions::columns
  NameTable* names = nullptr;          ///< edge lists: gets the ids that no vertex can have; without it they are refused
  IdPolicy ids = IdPolicy::automatic;  ///< edge lists: LoadOptions::ids
  std::optional<std::uint64_t> num_vertices = {};  ///< edge lists: LoadOptions::num_vertices
  bool left_out_counts = false;                    ///< edge lists: the first line was found to hold counts
  std::uint64_t most_name_bytes = std::numeric_limits<std::uint64_t>::max();  ///< that `names` may take
  Assumptions* assumptions = nullptr;                                         ///< gets sentences about guesses
  bool again = false;                                                         ///< the file was described before

  /// Warns of `sentence` (Assumptions).
  void assume(std::string sentence) const {
    Assumptions unshared;
    (assumptions != nullptr ? *assumptions : unshared).add(std::move(sentence));
  }
};

class EntryStream {
 public:
  virtual ~EntryStream() = default;
  /// Reads the next entries, in the order of the file. Returns false, and leaves `batch` alone, when there are no more. `arcs`
  /// and `weight_kind` are the same in every batch, except that u32 weights may turn into u64 or f32, and u64 ones into f32.
  /// `num_vertices` is the graph's when count_known(), otherwise the largest id so far + 1. Throws DataError naming file and
  /// line.
  virtual bool next(EdgeList& batch) = 0;
  /// Returns whether the file announces its number of vertices.
  virtual bool count_known() const { return true; }
  /// Whether, after next() returned false, the entries must be read again, with the same ReadOptions::names: an id is a name, or
  /// the first line holds counts (ReadOptions::left_out_counts).
  virtual bool must_reread(ReadOptions& reading) const {
    static_cast<void>(reading);
    return false;
  }
};

/// Opens the entries anew, as when weights turn out to be u64 or f32.
using Opener = std::function<std::unique_ptr<EntryStream>(const ReadOptions& options)>;

/// Returns the options that concern arcs.
BuildOptions build_options(const LoadOptions& options);

/// Counts that a comment of an edge list announces.
struct AnnouncedCounts {
  std::optional<std::uint64_t> vertices;
  std::optional<std::uint64_t> edges;
};

/// Makes a graph of entries, in memory or through scratch files. `name` is for messages. Heeds all of `options` that concerns
/// entries: ids, self loops, duplicates, undirected. Adds to `assumptions`.
Graph assemble(const Opener& open, const std::string& name, const LoadOptions& options, const Workspace& space, ThreadPool& pool,
               LoadTimes& times, Assumptions& assumptions, const AnnouncedCounts& announced = {});

}  // namespace graphrun::io::inline GR_IDS
