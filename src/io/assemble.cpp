// SPDX-License-Identifier: Apache-2.0

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

/// The part of memory that names, and a table of weights, may take where entries go through files: a fourth.
constexpr std::uint64_t kShareOfNames = 4;

/// Replaces ids of entries by vertices.
struct Renaming {
  std::function<void(EdgeList& batch)> apply = [](EdgeList&) {};
  VertexNames names;
  std::optional<std::uint64_t> named = {};  ///< vertices that entries name, where they were counted
};

/// Replaces each id of a batch by to(id).
template <class To>
void replace_ids(EdgeList& batch, ThreadPool& pool, const To& to) {
  parallel_for(pool, batch.sources.size(), [&](std::size_t i) {
    batch.sources[i] = to(batch.sources[i]);
    batch.targets[i] = to(batch.targets[i]);
  });
}

/// Entries in scratch files, in the order they came, for when something about all of them must be known before any is used.
class EntrySpool {
 public:
  /// Keeps the table of u64 weights in memory, where it takes at most `most_table_bytes`.
  EntrySpool(const Workspace& space, ThreadPool& pool, std::uint64_t most_table_bytes)
      : space_(space),
        pool_(pool),
        most_table_bytes_(most_table_bytes),
        sources_(space.directory()),
        targets_(space.directory()),
        weights_(space.directory()) {}

  /// Appends a batch. Returns false, and appends nothing, when its weights are of another kind than those before. Throws
  /// UnavailableError where the table of weights does not fit.
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
  /// Encodes weights, after the last append().
  void encode() { facts_.weight_table = table_.take(); }
  std::uint64_t size() const { return sources_.size() / sizeof(VertexId); }
  VertexId num_vertices() const { return facts_.num_vertices; }

  /// Calls body(EdgeList&&) with one batch after another. The batches are windows into the files and may be written to. Without
  /// entries there is one empty batch, with the number of vertices and the kind of weights.
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

/// Decides whether --undirected adds opposites: not where all edges are listed in both directions, with equal weights.
class Directions {
 public:
  explicit Directions(const LoadOptions& options) : undirected_(options.undirected) {}

  /// Adds a batch to the balance. Every entry is shown before any is settled; vertices may be renamed in between.
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

/// Puts one graph together. Members are what assemble() is given.
class Assembler {
 public:
  Assembler(const Opener& open, const std::string& name, const LoadOptions& options, const Workspace& space, ThreadPool& pool,
            Assumptions& assumptions, const AnnouncedCounts& announced)
      : open_(open),
        name_(name),
        options_(options),
        space_(space),
        pool_(pool),
        assumptions_(assumptions),
        announced_(announced) {
    reading_.bipartite = options.bipartite;
    reading_.float_weights = options.float_weights;
    reading_.weights = options.weights;
    reading_.columns = options.columns;
    reading_.assumptions = &assumptions;
    if (options.ids != IdPolicy::keep && !options.num_vertices) reading_.names = &table_;
    reading_.ids = options.ids;
    reading_.num_vertices = options.num_vertices;
  }

  Graph in_memory(LoadTimes& times) {
    // Where names never repeat they take many times what the edges do; their number is known when all were read.
    if (const auto available = available_memory()) reading_.most_name_bytes = *available / 4 * 3;
    const Timer timer;
    EdgeList edges;
    bool count_known = false;
    for (;; reading_.again = true) {
      edges = {};
      const auto entries = open_(reading_);
      entries->next(edges);
      count_known = entries->count_known();
      if (!entries->must_reread(reading_)) break;
    }
    times.read_ms = timer.elapsed_ms();
    log::debug(fmt::format("reading or generating entries: {:.3f} s", times.read_ms / 1000));
    const Timer building;
    Directions directions(options_);
    directions.look_at(edges, pool_);
    directions.settle(edges);
    Renaming renaming =
        choose_renaming(count_known, edges.num_vertices, edges.sources.size(), [&](const auto& look_at) { look_at(edges); });
    renaming.apply(edges);
    compare_with_lines(edges.sources.size(), renaming);
    Graph graph = build_graph(std::move(edges), build_options(options_), pool_, space_);
    graph.names = std::move(renaming.names);
    times.build_ms = building.elapsed_ms();
    return graph;
  }

  Graph through_files(LoadTimes& times) {
    const Timer timer;
    constexpr std::size_t kShare = 2;  // of a window: entries take several times the room of their text
    reading_.batch_bytes = space_.window(kShare);
    reading_.most_name_bytes = space_.memory_bytes() / kShareOfNames;
    for (;; reading_.again = true) {
      const auto entries = open_(reading_);
      const bool streams = entries->count_known() && !options_.undirected && !reading_.wide_weights;
      auto graph = streams ? build_streaming(*entries) : build_spooled(*entries);
      times.read_ms = timer.elapsed_ms();
      if (graph) return std::move(*graph);
    }
  }

 private:
  void tell_of_gaps(std::uint64_t largest, VertexId occurring) {
    if (options_.ids == IdPolicy::automatic) {
      const char* const advice = largest < kNoVertex ? "keep makes all of them vertices" : "compact says that they are meant";
      assumptions_.add(fmt::format("{}: ids go up to {}, and only the {} that lines name are vertices: --vertices {}", name_,
                                   largest, occurring, advice));
    } else {
      log::info(fmt::format("{}: ids go up to {}, and {} occur: these are vertices 0 to {}, with the ids as their names", name_,
                            largest, occurring, occurring - 1));
    }
  }

  /// Makes vertices of the numbers that a table gave to names.
  Renaming take_names() {
    const VertexId count = table_.size();
    Column<VertexId> rank;
    VertexNames names = table_.take(rank, space_);
    if (rank.empty()) {
      log::info(fmt::format("{}: {} vertices, called as they are there, in the order in which they come first", name_, count));
    } else {
      tell_of_gaps(names.number(count - 1), count);
    }
    const auto apply = [count, rank, this](EdgeList& batch) {
      batch.num_vertices = count;
      if (!rank.empty()) replace_ids(batch, pool_, [&](VertexId id) { return rank[id]; });
    };
    return {apply, std::move(names), count};
  }

  /// Decides whether vertices are numbered anew (see IdPolicy), and tells of it. Ids are below `bound`; for_each_batch(body)
  /// shows all entries to body(batch).
  template <class ForEachBatch>
  Renaming close_gaps(std::uint64_t bound, std::uint64_t entries, const ForEachBatch& for_each_batch) {
    if (const std::uint64_t kept = options_.num_vertices.value_or(0); options_.num_vertices) {
      if (bound > kept)
        raise<DataError>("{}: ids go up to {}, and --num-vertices {} is for those below {}", name_, bound - 1, kept, kept);
      return {[kept](EdgeList& batch) { batch.num_vertices = static_cast<VertexId>(kept); }, {}};
    }
    if (options_.ids == IdPolicy::keep || bound == 0) {
      check_density(name_, bound, entries);
      return {};
    }
    const bool automatic = options_.ids == IdPolicy::automatic;
    const auto ids = std::make_shared<IdSet>(bound, entries, space_);
    for_each_batch([&](const EdgeList& batch) { ids->add(batch, pool_); });
    ids->seal(pool_);
    const VertexId named = ids->size();
    const bool complete = bound == named;
    const bool sparse = named < bound - bound / 2;  // fewer than half of the ids from 0 to the largest
    const VertexId first = ids->smallest();
    const bool consecutive = named == bound - first;
    const bool from_1 = consecutive && first == 1;
    if (complete || (automatic && !sparse && !from_1)) {
      check_density(name_, bound, entries);
      if (!complete) {
        assumptions_.add(
            fmt::format("{}: no line names {} of the vertices 0 to {}, which have no edges: --vertices compact leaves "
                        "them out, --vertices keep says that they are meant",
                        name_, bound - named, bound - 1));
      }
      return {[](EdgeList&) {}, {}, named};
    }
    if (automatic && from_1) {
      assumptions_.add(
          fmt::format("{}: no line names 0, so the vertices are 1 to {}: --vertices keep makes 0 one, too", name_, named));
    } else {
      tell_of_gaps(bound - 1, named);
    }
    if (!consecutive)
      return {[ids, this](EdgeList& batch) { ids->renumber(batch, pool_); }, VertexNames::numbers(ids->ids(pool_)), named};
    const auto shift = [first, named, this](EdgeList& batch) {
      batch.num_vertices = named;
      replace_ids(batch, pool_, [first](VertexId id) { return static_cast<VertexId>(id - first); });
    };
    return {shift, VertexNames::consecutive(first), named};
  }

  template <class ForEachBatch>
  Renaming choose_renaming(bool count_known, std::uint64_t bound, std::uint64_t entries, const ForEachBatch& for_each_batch) {
    if (reading_.names != nullptr && table_.kind != NameKind::none) return take_names();
    return count_known ? Renaming{} : close_gaps(bound, entries, for_each_batch);
  }

  /// Compares the counts of a comment with the lines'.
  void compare_with_lines(std::uint64_t entries, const Renaming& found) {
    if (announced_.edges && *announced_.edges != entries) {
      assumptions_.add(fmt::format("{}: its comment says that it has {} edges, and {} lines have one: it may be cut off", name_,
                                   *announced_.edges, entries));
    }
    if (!announced_.vertices || !found.named || options_.num_vertices || *announced_.vertices == *found.named) return;
    assumptions_.add(
        fmt::format("{}: its comment says that it has {} vertices, and lines name {}: --num-vertices N makes vertices of all "
                    "ids below N",
                    name_, *announced_.vertices, *found.named));
  }

  /// Gives every batch to take(), until that returns false: then the entries must be read again, with weights of the batch's kind
  /// from the start.
  template <class Take>
  bool read_all(EntryStream& entries, const Take& take) {
    Progress progress("reading", 0, "entries");
    for (EdgeList batch; entries.next(batch); batch = {}) {
      const std::uint64_t count = batch.sources.size();
      const WeightKind kind = batch.weight_kind;
      if (!take(std::move(batch))) {
        reading_.wide_weights = kind == WeightKind::u64;
        reading_.float_weights = kind == WeightKind::f32;
        return false;
      }
      progress.advance(count);
    }
    return true;
  }

  /// Sorts batches as they come. Nothing when the entries must be read again.
  std::optional<Graph> build_streaming(EntryStream& entries) {
    GraphBuilder builder(build_options(options_), space_, pool_);
    std::uint64_t count = 0;
    const auto take = [&](EdgeList&& batch) {
      count += batch.sources.size();
      return batch.weight_kind != WeightKind::u64 && builder.add(std::move(batch));
    };
    if (!read_all(entries, take)) return std::nullopt;
    compare_with_lines(count, {});
    return builder.finish();
  }

  /// Does the same through a spool, where the number of vertices, or whether opposites are added, is known only at the end.
  std::optional<Graph> build_spooled(EntryStream& entries) {
    EntrySpool spool(space_, pool_, space_.memory_bytes() / kShareOfNames);
    Directions directions(options_);
    const auto take = [&](EdgeList&& batch) {
      directions.look_at(batch, pool_);
      return spool.append(std::move(batch));
    };
    if (!read_all(entries, take) || entries.must_reread(reading_)) return std::nullopt;
    spool.encode();
    const Renaming renaming = choose_renaming(entries.count_known(), spool.num_vertices(), spool.size(),
                                              [&](const auto& look_at) { spool.for_each_batch(look_at); });
    compare_with_lines(spool.size(), renaming);
    GraphBuilder builder(build_options(options_), space_, pool_);
    spool.for_each_batch([&](EdgeList&& batch) {
      renaming.apply(batch);
      directions.settle(batch);
      builder.add(std::move(batch));
    });
    Graph graph = builder.finish();
    graph.names = renaming.names;
    return graph;
  }

  const Opener& open_;
  const std::string& name_;
  const LoadOptions& options_;
  const Workspace& space_;
  ThreadPool& pool_;
  Assumptions& assumptions_;
  const AnnouncedCounts& announced_;
  NameTable table_;
  ReadOptions reading_;
};

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
  Assembler assembler(open, name, options, space, pool, assumptions, announced);
  return space.is_on_disk() ? assembler.through_files(times) : assembler.in_memory(times);
}

}  // namespace graphrun::io::inline GR_IDS
