#include <fmt/format.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "core/raise.hpp"
#include "graph/weight_table.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/memory.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/graph/row_windows.hpp"
#include "io/entries.hpp"
#include "io/id_set.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

/// Of memory, the part that names, and a table of weights, may take where entries go through files.
constexpr std::uint64_t kShareOfNames = 4;

/// What becomes of the ids of entries.
struct Renaming {
  std::function<void(EdgeList& batch)> apply = [](EdgeList&) {};
  VertexNames names;
  std::optional<std::uint64_t> named = {};  ///< vertices that entries name, where they were counted
};

void tell_of_gaps(const std::string& name, std::uint64_t largest, VertexId occurring, const LoadOptions& options,
                  Assumptions& assumptions) {
  if (options.ids == IdPolicy::automatic) {
    const char* const advice = largest < kNoVertex ? "keep makes all of them vertices" : "compact says that they are meant";
    assumptions.add(fmt::format("{}: ids go up to {}, and only the {} that lines name are vertices: --vertices {}", name, largest,
                                occurring, advice));
  } else {
    log::info(fmt::format("{}: ids go up to {}, and {} occur: these are vertices 0 to {}, with the ids as their names", name,
                          largest, occurring, occurring - 1));
  }
}

/// Makes vertices of the numbers that a table gave to names.
Renaming take_names(NameTable& table, const std::string& name, const LoadOptions& options, Assumptions& assumptions,
                    const Workspace& space, ThreadPool& pool) {
  const VertexId count = table.size();
  Column<VertexId> rank;
  VertexNames names = table.take(rank, space);
  if (rank.empty()) {
    log::info(fmt::format("{}: {} vertices, called as they are there, in the order in which they come first", name, count));
  } else {
    tell_of_gaps(name, names.number(count - 1), count, options, assumptions);
  }
  const auto apply = [count, rank, &pool](EdgeList& batch) {
    batch.num_vertices = count;
    if (rank.empty()) return;
    parallel_for(pool, batch.sources.size(), [&](std::size_t i) {
      batch.sources[i] = rank[batch.sources[i]];
      batch.targets[i] = rank[batch.targets[i]];
    });
  };
  return {apply, std::move(names), count};
}

/// Makes vertices of all ids below `options.num_vertices`.
Renaming keep_below(const std::string& name, std::uint64_t bound, std::uint64_t vertices) {
  if (bound > vertices) {
    raise<DataError>("{}: ids go up to {}, and --num-vertices {} is for those below {}", name, bound - 1, vertices, vertices);
  }
  return {[vertices](EdgeList& batch) { batch.num_vertices = static_cast<VertexId>(vertices); }, {}};
}

/// Decides whether vertices are numbered anew (see IdPolicy), and says what is not as lines say. Ids are below `bound`;
/// for_each_batch(body) shows all entries to body(batch), where that matters.
template <class ForEachBatch>
Renaming close_gaps(const std::string& name, std::uint64_t bound, std::uint64_t entries, const LoadOptions& options,
                    Assumptions& assumptions, const Workspace& space, ThreadPool& pool, const ForEachBatch& for_each_batch) {
  if (options.num_vertices) return keep_below(name, bound, *options.num_vertices);
  if (options.ids == IdPolicy::keep || bound == 0) {
    check_density(name, bound, entries);
    return {};
  }
  const bool automatic = options.ids == IdPolicy::automatic;
  const auto ids = std::make_shared<IdSet>(bound, entries, space);
  for_each_batch([&](const EdgeList& batch) { ids->add(batch, pool); });
  ids->seal(pool);
  const VertexId named = ids->size();
  const bool complete = bound == named;
  const bool sparse = named < bound - bound / 2;  // fewer than half of the ids from 0 to the largest
  const VertexId first = ids->smallest();
  const bool consecutive = named == bound - first;
  const bool from_1 = consecutive && first == 1;
  if (complete || (automatic && !sparse && !from_1)) {
    check_density(name, bound, entries);
    if (!complete) {
      assumptions.add(
          fmt::format("{}: no line names {} of the vertices 0 to {}, which have no edges: --vertices compact leaves "
                      "them out, --vertices keep says that they are meant",
                      name, bound - named, bound - 1));
    }
    return {[](EdgeList&) {}, {}, named};
  }
  if (automatic && from_1) {
    assumptions.add(
        fmt::format("{}: no line names 0, so the vertices are 1 to {}: --vertices keep makes 0 one, too", name, named));
  } else {
    tell_of_gaps(name, bound - 1, named, options, assumptions);
  }
  if (!consecutive) {
    return {[ids, &pool](EdgeList& batch) { ids->renumber(batch, pool); }, VertexNames::numbers(ids->ids(pool)), named};
  }
  const auto shift = [first, named, &pool](EdgeList& batch) {
    batch.num_vertices = named;
    parallel_for(pool, batch.sources.size(), [&](std::size_t i) {
      batch.sources[i] -= first;
      batch.targets[i] -= first;
    });
  };
  return {shift, VertexNames::consecutive(first), named};
}

/// Compares what a comment announces with what lines hold.
void compare_with_lines(const std::string& name, const AnnouncedCounts& announced, const LoadOptions& options,
                        std::uint64_t entries, const Renaming& found, Assumptions& assumptions) {
  if (announced.edges && *announced.edges != entries) {
    assumptions.add(fmt::format("{}: its comment says that it has {} edges, and {} lines have one: it may be cut off", name,
                                *announced.edges, entries));
  }
  if (!announced.vertices || !found.named || options.num_vertices || *announced.vertices == *found.named) return;
  assumptions.add(
      fmt::format("{}: its comment says that it has {} vertices, and lines name {}: --num-vertices N makes vertices of all "
                  "ids below N",
                  name, *announced.vertices, *found.named));
}

/// Entries in scratch files, in the order they came, for when something about all of them must be known before any is used.
class EntrySpool {
 public:
  /// The table of u64 weights stays in memory, and takes no more than `most_table_bytes`.
  EntrySpool(const Workspace& space, ThreadPool& pool, std::uint64_t most_table_bytes)
      : space_(space),
        pool_(pool),
        most_table_bytes_(most_table_bytes),
        sources_(space.directory()),
        targets_(space.directory()),
        weights_(space.directory()) {}

  /// False, and nothing is appended, when its weights are of another kind than those before. Throws UnavailableError where the
  /// table of weights does not fit.
  bool append(EdgeList&& batch) {
    if (size() != 0 && facts_.weight_kind != batch.weight_kind) return false;
    sources_.append(batch.sources.data(), batch.sources.bytes());
    targets_.append(batch.targets.data(), batch.targets.bytes());
    weights_.append(batch.weights.data(), batch.weights.bytes());
    weights_.append(batch.wide_weights.data(), batch.wide_weights.bytes());
    table_.add(batch.wide_weights.span(), pool_);
    if (table_.bytes() > most_table_bytes_) {
      raise<UnavailableError>(
          "{} different weights, some beyond 32 bits, do not fit in memory, of which {} are for them: allow more, or "
          "--float-weights takes them as floats",
          table_.size(), format_bytes(most_table_bytes_));
    }
    batch.sources = batch.targets = {};
    batch.weights = {};
    batch.wide_weights = {};
    facts_ = std::move(batch);
    return true;
  }
  /// Nothing is appended afterwards, and batches have encoded weights.
  void encode() { facts_.weight_table = table_.take(); }
  std::uint64_t size() const { return sources_.size() / sizeof(VertexId); }
  VertexId num_vertices() const { return facts_.num_vertices; }

  /// Calls body(EdgeList&&) with one batch after another. The batches are windows into the files and may be written to. Where all
  /// that were appended are empty, or none was, there is one, which says how many vertices there are and what weights.
  template <class Body>
  void for_each_batch(const Body& body) const {
    if (size() == 0) return body(EdgeList(facts_));
    const auto sources = sources_.map<VertexId>();
    const auto targets = targets_.map<VertexId>();
    const bool wide = facts_.weight_kind == WeightKind::u64;
    const auto weights = wide ? Column<std::uint32_t>{} : weights_.map<std::uint32_t>();
    const auto wide_weights = wide ? weights_.map<std::uint64_t>() : Column<std::uint64_t>{};
    constexpr std::size_t kEntryBytes = 2 * sizeof(VertexId) + sizeof(std::uint64_t) + sizeof(std::uint32_t);
    for_each_piece(space_, size(), kEntryBytes, [&](std::size_t begin, std::size_t end) {
      EdgeList batch = facts_;
      batch.sources = sources.slice(begin, end - begin);
      batch.targets = targets.slice(begin, end - begin);
      if (!weights.empty()) batch.weights = weights.slice(begin, end - begin);
      if (wide && !facts_.weight_table.empty())
        batch.weights = words_of(wide_weights.slice(begin, end - begin).span(), facts_.weight_table, pool_);
      body(std::move(batch));
      sources.release(begin, end);
      targets.release(begin, end);
      weights.release(begin, end);
      wide_weights.release(begin, end);
    });
  }

 private:
  const Workspace& space_;
  ThreadPool& pool_;
  std::uint64_t most_table_bytes_;
  WeightTableBuilder table_;
  ScratchFile sources_;
  ScratchFile targets_;
  ScratchFile weights_;
  EdgeList facts_;  // of the last batch, without its entries
};

/// Whether --undirected adds opposites: not to entries that list both directions of every edge already, with equal weights.
class Directions {
 public:
  explicit Directions(const LoadOptions& options) : undirected_(options.undirected) {}

  /// Every entry is shown before any is settled; vertices may be renamed in between.
  void look_at(const EdgeList& batch, ThreadPool& pool) {
    if (in_question(batch)) balance_.add(batch, pool);
  }
  void settle(EdgeList& batch) const {
    if (in_question(batch)) batch.arcs = balance_.holds() ? Arcs::mirrored : Arcs::directed;
  }

 private:
  bool in_question(const EdgeList& batch) const { return undirected_ && batch.arcs != Arcs::mirror; }

  bool undirected_;
  DirectionBalance balance_;
};

/// Entries of a stream in one batch.
EdgeList read_at_once(const Opener& open, ReadOptions& reading, bool& count_known) {
  for (;; reading.again = true) {
    const auto entries = open(reading);
    EdgeList edges;
    entries->next(edges);
    count_known = entries->count_known();
    if (!entries->must_reread(reading)) return edges;
  }
}

Graph assemble_in_memory(const Opener& open, ReadOptions& reading, const std::string& name, const AnnouncedCounts& announced,
                         const LoadOptions& options, const Workspace& space, ThreadPool& pool, LoadTimes& times) {
  const Timer timer;
  bool count_known = false;
  EdgeList edges = read_at_once(open, reading, count_known);
  times.read_ms = timer.elapsed_ms();
  const Timer building;
  Directions directions(options);
  directions.look_at(edges, pool);
  directions.settle(edges);
  Renaming renaming;
  if (reading.names != nullptr && reading.names->kind != NameKind::none) {
    renaming = take_names(*reading.names, name, options, *reading.assumptions, {}, pool);
  } else if (!count_known) {
    renaming = close_gaps(name, edges.num_vertices, edges.sources.size(), options, *reading.assumptions, {}, pool,
                          [&](const auto& look_at) { look_at(edges); });
  }
  renaming.apply(edges);
  compare_with_lines(name, announced, options, edges.sources.size(), renaming, *reading.assumptions);
  Graph graph = build_graph(std::move(edges), build_options(options), pool, space);
  graph.names = std::move(renaming.names);
  times.build_ms = building.elapsed_ms();
  return graph;
}

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

/// Reads weights as `kind` from the start.
void expect_weights(ReadOptions& reading, WeightKind kind) {
  reading.wide_weights = kind == WeightKind::u64;
  reading.float_weights = kind == WeightKind::f32;
}

/// Sorts batches as they come. Nothing when the weights became u64 or f32 on the way: the entries must be read again.
std::optional<Graph> build_streaming(EntryStream& entries, const std::string& name, const AnnouncedCounts& announced,
                                     const LoadOptions& options, ReadOptions& reading, const Workspace& space, ThreadPool& pool) {
  GraphBuilder builder(build_options(options), space, pool);
  std::uint64_t count = 0;
  const auto take = [&](EdgeList&& batch) {
    const WeightKind kind = batch.weight_kind;
    count += batch.sources.size();
    if (kind != WeightKind::u64 && builder.add(std::move(batch))) return true;
    expect_weights(reading, kind);
    return false;
  };
  if (!read_all(entries, take)) return std::nullopt;
  compare_with_lines(name, announced, options, count, {}, *reading.assumptions);
  return builder.finish();
}

/// The same through a spool, for what is known only at the end: the number of vertices, whether opposites are to be added.
/// Nothing also when an id turned out to be a name.
std::optional<Graph> build_spooled(EntryStream& entries, const std::string& name, const AnnouncedCounts& announced,
                                   const LoadOptions& options, ReadOptions& reading, const Workspace& space, ThreadPool& pool) {
  NameTable* const table = reading.names;
  EntrySpool spool(space, pool, space.memory_bytes() / kShareOfNames);
  Directions directions(options);
  const auto take = [&](EdgeList&& batch) {
    const WeightKind kind = batch.weight_kind;
    directions.look_at(batch, pool);
    if (spool.append(std::move(batch))) return true;
    expect_weights(reading, kind);
    return false;
  };
  if (!read_all(entries, take)) return std::nullopt;
  if (entries.must_reread(reading)) return std::nullopt;
  spool.encode();
  const Renaming renaming = entries.count_known() ? Renaming{}
                            : table != nullptr && table->kind != NameKind::none
                                ? take_names(*table, name, options, *reading.assumptions, space, pool)
                                : close_gaps(name, spool.num_vertices(), spool.size(), options, *reading.assumptions, space, pool,
                                             [&](const auto& look_at) { spool.for_each_batch(look_at); });
  compare_with_lines(name, announced, options, spool.size(), renaming, *reading.assumptions);
  GraphBuilder builder(build_options(options), space, pool);
  spool.for_each_batch([&](EdgeList&& batch) {
    renaming.apply(batch);
    directions.settle(batch);
    builder.add(std::move(batch));
  });
  Graph graph = builder.finish();
  graph.names = renaming.names;
  return graph;
}

}  // namespace

BuildOptions build_options(const LoadOptions& options) {
  return {.symmetrise = options.undirected, .drop_self_loops = options.drop_self_loops, .merge = merge_rule(options)};
}

Graph assemble(const Opener& open, const std::string& name, const LoadOptions& options, const Workspace& space, ThreadPool& pool,
               LoadTimes& times, Assumptions& assumptions, const AnnouncedCounts& announced) {
  if (options.num_vertices && (options.ids == IdPolicy::compact || options.ids == IdPolicy::names))
    throw UsageError(
        "--num-vertices keeps the ids of lines, and --vertices compact and names give others: leave one of them out");
  const std::uint64_t asked = options.num_vertices.value_or(0);
  if (asked > kMostNumVertices) raise<UsageError>("--num-vertices {} is more than {}", asked, kMostNumVertices);
  if (asked > kNoVertex) raise<WideIdsError>("--num-vertices {} needs vertex ids of 64 bits", asked);
  ReadOptions reading{.bipartite = options.bipartite,
                      .float_weights = options.float_weights,
                      .weights = options.weights,
                      .columns = options.columns,
                      .assumptions = &assumptions};
  NameTable table;
  if (options.ids != IdPolicy::keep && !options.num_vertices) reading.names = &table;
  reading.ids = options.ids;
  reading.num_vertices = options.num_vertices;
  if (!space.is_on_disk()) {
    // Where names never repeat they take many times what the edges do; how many there are is known when all were read.
    if (const auto available = available_memory()) reading.most_name_bytes = *available / 4 * 3;
    return assemble_in_memory(open, reading, name, announced, options, space, pool, times);
  }

  const Timer timer;
  constexpr std::size_t kShare = 2;  // of a window: entries take several times the room of their text
  reading.batch_bytes = space.window(kShare);
  reading.most_name_bytes = space.memory_bytes() / kShareOfNames;
  for (;; reading.again = true) {
    const auto entries = open(reading);
    auto graph = entries->count_known() && !options.undirected && !reading.wide_weights
                     ? build_streaming(*entries, name, announced, options, reading, space, pool)
                     : build_spooled(*entries, name, announced, options, reading, space, pool);
    times.read_ms = timer.elapsed_ms();
    if (graph) return std::move(*graph);
  }
}

}  // namespace graphrun::io::inline GR_IDS
