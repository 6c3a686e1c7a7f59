#include "io/assemble.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/memory.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/core/timer.hpp"
#include "io/entries.hpp"
#include "io/entry_spool.hpp"
#include "io/id_set.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

BuildOptions build_options(const LoadOptions& options) {
  BuildOptions how;
  how.symmetrise = options.undirected;
  how.drop_self_loops = options.drop_self_loops;
  how.drop_duplicates = options.drop_duplicates;
  return how;
}

/// Decides whether the vertices of an edge list are renumbered, and renumbers them. See IdPolicy.
class Numbering {
 public:
  /// Ids are below `bound`. Entries must be shown to look_at() next, unless it is known that they stay as they are.
  Numbering(const std::string& name, std::uint64_t bound, std::uint64_t entries, const LoadOptions& options,
            const Workspace& space)
      : name_(name), policy_(options.ids), bound_(bound), entries_(entries) {
    if (policy_ == IdPolicy::keep) {
      check_density(name, bound, entries);
      return;
    }
    ids_.emplace(bound, entries, space);
  }

  bool wants_to_look() const { return ids_.has_value(); }
  void look_at(const EdgeList& batch, ThreadPool& pool) { ids_->add(batch, pool); }

  /// After the last look.
  void decide(ThreadPool& pool) {
    ids_->seal(pool);
    const bool sparse = bound_ / 2 > ids_->size();
    const bool complete = bound_ == ids_->size();
    if (complete || (policy_ == IdPolicy::automatic && !sparse)) {
      ids_.reset();
      check_density(name_, bound_, entries_);
      return;
    }
    log::info(fmt::format("{}: ids go up to {}, and {} occur: these are vertices 0 to {}, with the ids as their names", name_,
                          bound_ - 1, ids_->size(), ids_->size() - 1));
  }

  void apply(EdgeList& batch, ThreadPool& pool) const {
    if (ids_) ids_->renumber(batch, pool);
  }
  VertexNames names(ThreadPool& pool) const { return ids_ ? VertexNames::numbers(ids_->ids(pool)) : VertexNames{}; }

 private:
  const std::string& name_;
  IdPolicy policy_;
  std::uint64_t bound_;
  std::uint64_t entries_;
  std::optional<IdSet> ids_;
};

/// Makes vertices of the numbers that a table gave to names.
class NamedVertices {
 public:
  NamedVertices(NameTable& table, const std::string& name, const Workspace& space)
      : count_(table.size()), names_(table.take(rank_, space)) {
    log::info(rank_.empty()
                  ? fmt::format("{}: {} vertices, called as they are there, in the order in which they come first", name, count_)
                  : fmt::format("{}: ids go up to {}, and {} occur: these are vertices 0 to {}, with the ids as their names",
                                name, names_.number(count_ - 1), count_, count_ - 1));
  }

  VertexId count() const { return count_; }
  VertexNames names() const { return names_; }
  void apply(EdgeList& batch, ThreadPool& pool) const {
    batch.num_vertices = count_;
    if (rank_.empty()) return;
    parallel_for(pool, batch.sources.size(), [&](std::size_t i) {
      batch.sources[i] = rank_[batch.sources[i]];
      batch.targets[i] = rank_[batch.targets[i]];
    });
  }

 private:
  VertexId count_;
  Column<VertexId> rank_;
  VertexNames names_;
};

/// Entries of a stream in one batch.
EdgeList read_at_once(const Opener& open, ReadOptions& reading, bool& count_known) {
  for (;; reading.again = true) {
    const auto entries = open(reading);
    EdgeList edges;
    entries->next(edges);
    count_known = entries->count_known();
    if (!entries->must_reread()) return edges;
  }
}

Graph assemble_in_memory(const Opener& open, ReadOptions& reading, const std::string& name, const LoadOptions& options,
                         const Workspace& space, ThreadPool& pool, LoadTimes& times) {
  const Timer timer;
  bool count_known = false;
  EdgeList edges = read_at_once(open, reading, count_known);
  times.read_ms = timer.elapsed_ms();
  const Timer building;
  VertexNames names;
  if (reading.names != nullptr && reading.names->kind != NameKind::none) {
    const NamedVertices named(*reading.names, name, {});
    named.apply(edges, pool);
    names = named.names();
  } else if (!count_known) {
    Numbering numbering(name, edges.num_vertices, edges.sources.size(), options, {});
    if (numbering.wants_to_look()) {
      numbering.look_at(edges, pool);
      numbering.decide(pool);
      numbering.apply(edges, pool);
      names = numbering.names(pool);
    }
  }
  Graph graph = build_graph(std::move(edges), build_options(options), pool, space);
  graph.names = std::move(names);
  times.build_ms = building.elapsed_ms();
  return graph;
}

/// Sorts batches as they come.
class StreamBuilder {
 public:
  StreamBuilder(const LoadOptions& options, const Workspace& space, ThreadPool& pool)
      : options_(build_options(options)), space_(space), pool_(pool) {}

  /// False when the weights became f32: the entries must be read again, as f32 from the start.
  bool add(EdgeList&& batch) {
    if (!builder_) {
      kind_ = batch.weight_kind;
      builder_.emplace(batch.num_vertices, kind_, batch.arcs, options_, space_, pool_);
    }
    if (batch.weight_kind != kind_) return false;
    builder_->add(std::move(batch));
    return true;
  }

  Graph finish() {
    if (!builder_) return build_graph({}, options_, pool_);
    return builder_->finish();
  }

 private:
  BuildOptions options_;
  const Workspace& space_;
  ThreadPool& pool_;
  WeightKind kind_ = WeightKind::none;
  std::optional<GraphBuilder> builder_;
};

/// Hands every batch to `take`, which returns false to stop. False when it did.
template <class Take>
bool read_all(EntryStream& entries, const Take& take) {
  Progress progress("reading", 0, "entries");
  for (EdgeList batch; entries.next(batch); batch = {}) {
    const std::uint64_t count = batch.sources.size();
    if (!take(std::move(batch))) return false;
    progress.advance(count);
  }
  return true;
}

/// Nothing when the weights became f32 on the way.
std::optional<Graph> build_streaming(EntryStream& entries, const LoadOptions& options, const Workspace& space, ThreadPool& pool) {
  StreamBuilder builder(options, space, pool);
  if (!read_all(entries, [&](EdgeList&& batch) { return builder.add(std::move(batch)); })) return std::nullopt;
  return builder.finish();
}

/// `apply` makes vertices of the ids of a batch.
template <class Apply>
Graph build_from_spool(const EntrySpool& spool, const Apply& apply, VertexNames names, const LoadOptions& options,
                       const Workspace& space, ThreadPool& pool) {
  StreamBuilder builder(options, space, pool);
  spool.for_each_batch([&](EdgeList&& batch) {
    apply(batch);
    builder.add(std::move(batch));
  });
  Graph graph = builder.finish();
  graph.names = std::move(names);
  return graph;
}

/// The same through a spool: the number of vertices is known only at the end. Nothing also when an id turned out to be a name.
std::optional<Graph> build_spooled(EntryStream& entries, const std::string& name, const LoadOptions& options, NameTable* table,
                                   const Workspace& space, ThreadPool& pool) {
  EntrySpool spool(space);
  std::optional<WeightKind> kind;
  std::uint64_t bound = 0;
  const bool complete = read_all(entries, [&](EdgeList&& batch) {
    if (!kind) kind = batch.weight_kind;
    if (*kind != batch.weight_kind) return false;
    bound = batch.num_vertices;
    spool.append(batch);
    return true;
  });
  if (!complete || entries.must_reread()) return std::nullopt;

  if (table != nullptr && table->kind != NameKind::none) {
    const NamedVertices named(*table, name, space);
    return build_from_spool(
        spool, [&](EdgeList& batch) { named.apply(batch, pool); }, named.names(), options, space, pool);
  }
  Numbering numbering(name, bound, spool.size(), options, space);
  if (numbering.wants_to_look()) {
    spool.for_each_batch([&](EdgeList&& batch) { numbering.look_at(batch, pool); });
    numbering.decide(pool);
  }
  return build_from_spool(
      spool, [&](EdgeList& batch) { numbering.apply(batch, pool); }, numbering.names(pool), options, space, pool);
}

}  // namespace

Graph assemble(const Opener& open, const std::string& name, const LoadOptions& options, const Workspace& space, ThreadPool& pool,
               LoadTimes& times) {
  ReadOptions reading;
  reading.bipartite = options.bipartite;
  reading.float_weights = options.float_weights;
  reading.columns = options.columns;
  NameTable table;
  if (options.ids != IdPolicy::keep) reading.names = &table;
  reading.ids_are_names = options.ids == IdPolicy::names;
  if (!space.is_on_disk()) {
    // Where names never repeat they take many times what the edges do; how many there are is known when all were read.
    if (const auto available = available_memory()) reading.most_name_bytes = *available / 4 * 3;
    return assemble_in_memory(open, reading, name, options, space, pool, times);
  }

  const Timer timer;
  constexpr std::size_t kShare = 2;  // of a window: entries take several times the room of their text
  reading.batch_bytes = space.window(kShare);
  constexpr std::uint64_t kShareOfNames = 4;
  reading.most_name_bytes = space.memory_bytes() / kShareOfNames;
  for (;; reading.again = true) {
    const auto entries = open(reading);
    auto graph = entries->count_known() ? build_streaming(*entries, options, space, pool)
                                        : build_spooled(*entries, name, options, reading.names, space, pool);
    times.read_ms = timer.elapsed_ms();
    if (graph) return std::move(*graph);
    if (!entries->must_reread()) reading.float_weights = true;
  }
}

}  // namespace graphrun::io::inline GR_IDS
