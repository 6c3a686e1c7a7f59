// SPDX-License-Identifier: Apache-2.0
// Exchanges of ranks on host threads after a step (ranks.hpp), by messages of bytes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/exec/cpu_executor.hpp"
#include "graphrun/ops/cpu_frontier.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/ops/ranks.hpp"

namespace graphrun::cpu::inline GR_IDS {

/// Writes a message: values and arrays of them, one after another.
class MessageWriter {
 public:
  template <class T>
  T* room(std::size_t count) {
    const std::size_t begin = (bytes_.size() + alignof(T) - 1) / alignof(T) * alignof(T);
    bytes_.resize(begin + count * sizeof(T));
    return reinterpret_cast<T*>(bytes_.data() + begin);
  }
  template <class T>
  void put(const T& value) {
    *room<T>(1) = value;
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

class MessageReader {
 public:
  explicit MessageReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  /// Reads an array. Throws RunError beyond the message's end.
  template <class T>
  const T* take(std::size_t count) {
    const std::size_t begin = (at_ + alignof(T) - 1) / alignof(T) * alignof(T);
    if (begin > bytes_.size() || count > (bytes_.size() - begin) / sizeof(T))
      throw RunError("a rank's message is shorter than it says: all ranks need the same program");
    at_ = begin + count * sizeof(T);
    return reinterpret_cast<const T*>(bytes_.data() + begin);
  }
  template <class T>
  T get() {
    return *take<T>(1);
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

/// Publishes `mine`. Calls read(rank, message) for each rank's message, in the order of ranks.
template <class Read>
void exchange(CpuExecutor& exec, const MessageWriter& mine, const Read& read) {
  std::size_t rank = 0;
  for (const auto& bytes : exec.part().exchange->all_gather(mine.bytes())) {
    MessageReader message(bytes);
    read(rank++, message);
  }
}

/// Publishes `pieces` messages, one at a time, because each rank holds the messages of all. put(i, message) writes this rank's
/// i-th; calls read(i, rank, message) for each rank's, in the order of ranks. Each rank has at least one.
template <class Put, class Read>
void exchange_by_pieces(CpuExecutor& exec, std::size_t pieces, const Put& put, const Read& read) {
  std::uint64_t most = pieces = std::max<std::size_t>(pieces, 1);
  for (std::uint64_t i = 0; i < most; ++i) {
    MessageWriter mine;
    mine.put(std::uint64_t{pieces});
    if (i < pieces) put(i, mine);
    exchange(exec, mine, [&](std::size_t rank, MessageReader& message) {
      const auto theirs = message.get<std::uint64_t>();
      most = std::max(most, theirs);
      if (i < theirs) read(i, rank, message);
    });
  }
}

/// Words [begin, end) of a bitmap that a rank publishes; `words` is word `begin`.
struct Members {
  std::size_t begin;
  std::size_t end;
  const std::uint32_t* words;
};

/// Writes members, and after them their `count` states, where f has any.
template <class F>
void put_members(MessageWriter& message, const std::uint32_t* words, std::size_t begin, std::size_t end, std::size_t count,
                 const F& f) {
  message.put(std::uint64_t{begin});
  message.put(std::uint64_t{end});
  std::copy(words + begin, words + end, message.room<std::uint32_t>(end - begin));
  if constexpr (Declares<F, can::Share>) {
    auto* state = message.room<ranks::StateOf<F>>(count);
    for_each_member(words, begin, end, [&](VertexId v) { *state++ = f.state(v); });
  }
}

/// Writes changes of a pass over lists, `words` [begin, end), after `edges`, which it examined.
template <class F>
void put_changes(MessageWriter& message, std::uint64_t edges, const std::uint32_t* words, std::size_t begin, std::size_t end,
                 const F& f) {
  std::size_t count = 0;
  for (std::size_t i = begin; i < end; ++i) count += static_cast<std::size_t>(std::popcount(words[i]));
  message.put(ranks::StepHeader{edges, count, 0});
  put_members(message, words, begin, end, count, f);
}

inline Members take_members(MessageReader& message) {
  const auto begin = static_cast<std::size_t>(message.get<std::uint64_t>());
  const auto end = static_cast<std::size_t>(message.get<std::uint64_t>());
  return {begin, end, message.take<std::uint32_t>(end - begin)};
}

/// Writes vertices of a list and state(v) of each.
template <class State, class StateOf>
void put_list(MessageWriter& message, ThreadPool& pool, std::span<const VertexId> list, const StateOf& state) {
  message.put(std::uint64_t{list.size()});
  std::ranges::copy(list, message.room<VertexId>(list.size()));
  State* const states = message.room<State>(list.size());
  parallel_for(pool, list.size(), [&](std::size_t i) { states[i] = state(list[i]); });
}

template <class State>
struct ListOfStates {
  std::span<const VertexId> ids;
  const State* states;
};
template <class State>
ListOfStates<State> take_list(MessageReader& message) {
  const auto count = static_cast<std::size_t>(message.get<std::uint64_t>());
  const VertexId* const ids = message.take<VertexId>(count);
  return {{ids, count}, message.take<State>(count)};
}

/// Calls take(v, state) for each of `members`, whose states follow in `message`.
template <class State, class Take>
void take_states(ThreadPool& pool, MessageReader& message, const Members& members, std::size_t count, const Take& take) {
  constexpr std::size_t kBlock = 1024;  // words
  const State* const states = message.take<State>(count);
  std::vector<std::size_t> before{0};  // members of earlier blocks
  const std::size_t words = members.end - members.begin;
  for (std::size_t i = 0; i < words; i += kBlock) {
    std::size_t here = before.back();
    for (std::size_t k = i; k < std::min(words, i + kBlock); ++k)
      here += static_cast<std::size_t>(std::popcount(members.words[k]));
    before.push_back(here);
  }
  if (before.back() > count) throw RunError("a rank's message has fewer states than members: all ranks need the same program");
  parallel_for(
      pool, before.size() - 1,
      [&](std::size_t block) {
        const State* state = states + before[block];
        for_each_member(members.words, block * kBlock, std::min(words, (block + 1) * kBlock),
                        [&](VertexId v) { take(static_cast<VertexId>(members.begin * 32 + v), *state++); });
      },
      1);
}

}  // namespace graphrun::cpu::inline GR_IDS

namespace graphrun::inline GR_IDS {

/// Exchanges after a push; `next` has this rank's joined vertices. The estimate of next.edges() becomes the same on all ranks.
template <class F>
requires Declares<F, can::Share> EdgeMapStats exchange_after_push(CpuExecutor& exec, EdgeMapStats stats, const F& f,
                                                                  CpuFrontier& next) {
  const RankPart& part = exec.part();
  if (part.is_single_rank()) return stats;
  using State = ranks::StateOf<F>;
  const ranks::StepHeader counted{stats.edges, next.size(), next.edges()};
  const std::span<const VertexId> mine(next.list(exec), next.size());
  const BitmapRef joined = RepeatingPush<F> ? next.bitmap(exec) : BitmapRef{};
  std::vector<State> states(mine.size());  // before f.take() changes some
  parallel_for(exec.pool(), mine.size(), [&](std::size_t i) { states[i] = f.state(mine[i]); });
  const ranks::ExchangePieces pieces{mine.size(), ranks::elements_at_once(exec.part(), next.rows().num_vertices)};
  const auto put = [&](std::size_t i, cpu::MessageWriter& message) {
    if (i == 0) message.put(counted);
    const std::size_t begin = pieces.begin(i), count = pieces.end(i) - begin;
    message.put(std::uint64_t{count});
    std::ranges::copy(mine.subspan(begin, count), message.room<VertexId>(count));
    std::ranges::copy(std::span(states).subspan(begin, count), message.room<State>(count));
  };
  ranks::StepHeader total;
  cpu::exchange_by_pieces(exec, pieces.size(), put, [&](std::size_t i, std::size_t rank, cpu::MessageReader& message) {
    if (i == 0) total += message.get<ranks::StepHeader>();
    if (rank == exec.part().rank()) return;
    const auto theirs = cpu::take_list<State>(message);
    parallel_chunks(exec.pool(), theirs.ids.size(), kDefaultGrain, [&](std::size_t begin, std::size_t end, int) {
      cpu::Appender joining(next);
      for (std::size_t k = begin; k < end; ++k) {
        const VertexId v = theirs.ids[k];
        if (f.take(v, theirs.states[k]) && (!RepeatingPush<F> || joined.set(v))) joining.append(v);
      }
    });
  });
  stats.edges = total.edges;
  next.count_union(total.joined, total.joined_edges);
  next.forget_bitmap();
  return stats;
}

/// Exchanges after a pull; the rank's own vertices that joined are bits of `next`.
template <class F>
requires Declares<F, can::Mark> EdgeMapStats exchange_after_pull(CpuExecutor& exec, EdgeMapStats stats, const F& f,
                                                                 CpuFrontier& next) {
  const RankPart& part = exec.part();
  if (part.is_single_rank()) return stats;
  std::uint32_t* const words = next.bitmap(exec).words;
  const auto first_word = static_cast<std::size_t>((part.first + 31) / 32);  // after the last of n for an empty part
  const auto last_word = static_cast<std::size_t>((part.last + 31) / 32);
  cpu::MessageWriter mine;
  mine.put(ranks::StepHeader{stats.edges, next.size(), next.edges()});
  cpu::put_members(mine, words, first_word, last_word, next.size(), f);
  ranks::StepHeader total;
  cpu::exchange(exec, mine, [&](std::size_t rank, cpu::MessageReader& message) {
    total += message.get<ranks::StepHeader>();
    if (rank == part.rank()) return;
    const cpu::Members theirs = cpu::take_members(message);
    std::copy_n(theirs.words, theirs.end - theirs.begin, words + theirs.begin);
    for_each_member(words, theirs.begin, theirs.end, [&](VertexId v) { f.mark(v); });
  });
  next.set_counts(total.joined, total.joined_edges);
  stats.edges = total.edges;
  return stats;
}

template <class F>
requires ranks::NotesChanges<F> EdgeMapStats share_changes(CpuExecutor& exec, const Rows& rows, EdgeMapStats stats, const F& f) {
  const RankPart& part = exec.part();
  if (part.is_single_rank()) return stats;
  const RankPart own = part.within(rows.num_vertices);
  std::vector<std::uint32_t> noted;
  const std::uint32_t* words = nullptr;
  std::size_t first = 0, last = BitmapRef::words_for(rows.num_vertices);
  if constexpr (Declares<F, can::NoteAnyChanges>) {
    words = f.changes().words;
  } else {
    first = own.first / 32, last = BitmapRef::words_for(own.last);
    noted.resize(last);
    parallel_for(exec.pool(), noted.size(), [&](std::size_t i) {
      for (std::size_t v = std::max(i * 32, own.first); v < std::min(i * 32 + 32, own.last); ++v)
        noted[i] |= std::uint32_t{f.changed(static_cast<VertexId>(v))} << (v % 32);
    });
    words = noted.data();
    if constexpr (Declares<F, can::Forget>) {
      parallel_for(exec.pool(), rows.num_vertices, [&](std::size_t v) {
        if (!own.owns(v)) f.forget(static_cast<VertexId>(v));
      });
    }
  }
  const ranks::ExchangePieces pieces{(last - first) * 32, ranks::elements_at_once(exec.part(), rows.num_vertices)};
  const auto put = [&](std::size_t i, cpu::MessageWriter& message) {
    cpu::put_changes(message, i == 0 ? stats.edges : 0, words, first + pieces.begin(i) / 32, first + pieces.end(i) / 32, f);
  };
  EdgeId edges = 0;
  cpu::exchange_by_pieces(exec, pieces.size(), put, [&](std::size_t, std::size_t rank, cpu::MessageReader& message) {
    const auto counted = message.get<ranks::StepHeader>();
    edges += counted.edges;
    if (rank == part.rank()) return;
    const cpu::Members theirs = cpu::take_members(message);
    cpu::take_states<ranks::StateOf<F>>(exec.pool(), message, theirs, counted.joined,
                                        [&](VertexId v, auto state) { f.take(v, state); });
  });
  if constexpr (Declares<F, can::NoteAnyChanges>) std::fill_n(f.changes().words, BitmapRef::words_for(rows.num_vertices), 0);
  stats.exchanged = true;
  stats.edges = edges;
  return stats;
}

/// Exchanges after a reduction over the lists of `n` vertices. Returns the sum over all ranks.
template <class Sum, class F>
Sum exchange_after_reduce(CpuExecutor& exec, const Sum& sum, std::size_t n, const F& f) {
  if constexpr (!Declares<F, can::Share>) ranks::require_single_rank<F>(exec);
  const RankPart& part = exec.part();
  if (part.is_single_rank()) return sum;
  const RankPart own = part.within(n);
  const std::size_t bytes_elsewhere = ranks::bytes_elsewhere(f);  // not 0: the others have these states
  const ranks::ExchangePieces pieces{own.last - own.first, ranks::elements_at_once(exec.part(), n)};
  const auto put = [&](std::size_t i, cpu::MessageWriter& message) {
    const std::uint64_t first = own.first + pieces.begin(i), last = bytes_elsewhere == 0 ? own.first + pieces.end(i) : own.last;
    message.put(i == 0 ? sum : Sum{});
    message.put(first);
    message.put(last);
    if constexpr (Declares<F, can::Share>) {
      if (bytes_elsewhere != 0) return;
      auto* const states = message.room<ranks::StateOf<F>>(last - first);
      parallel_for(exec.pool(), last - first, [&](std::size_t k) { states[k] = f.state(static_cast<VertexId>(first + k)); });
    }
  };
  constexpr bool kShares = Declares<F, can::Share>;
  Sum total{};
  const std::size_t count = kShares && bytes_elsewhere == 0 ? pieces.size() : 1;
  cpu::exchange_by_pieces(exec, count, put, [&](std::size_t, std::size_t rank, cpu::MessageReader& message) {
    total += message.template get<Sum>();
    const auto begin = message.get<std::uint64_t>();
    const auto end = message.get<std::uint64_t>();
    if constexpr (kShares) {
      if (rank == part.rank()) return;
      if (bytes_elsewhere != 0) return part.exchange->count_received(rank, (end - begin) * bytes_elsewhere);
      const auto* const theirs = message.take<ranks::StateOf<F>>(end - begin);
      parallel_for(exec.pool(), end - begin, [&](std::size_t i) { f.take(static_cast<VertexId>(begin + i), theirs[i]); });
    }
  });
  return total;
}

template <class T>
void collect_parts(CpuExecutor& exec, Column<T>& array) {
  const RankPart own = exec.part().within(array.size());
  if (own.is_single_rank()) return;
  const ranks::ExchangePieces pieces{own.last - own.first, ranks::elements_at_once(exec.part(), array.size())};
  const auto put = [&](std::size_t i, cpu::MessageWriter& message) {
    const std::uint64_t begin = own.first + pieces.begin(i), end = own.first + pieces.end(i);
    message.put(begin);
    message.put(end);
    std::copy(array.data() + begin, array.data() + end, message.room<T>(end - begin));
  };
  cpu::exchange_by_pieces(exec, pieces.size(), put, [&](std::size_t, std::size_t rank, cpu::MessageReader& message) {
    const auto begin = message.get<std::uint64_t>();
    const auto end = message.get<std::uint64_t>();
    if (rank != own.rank()) std::copy_n(message.take<T>(end - begin), end - begin, array.data() + begin);
  });
  exec.synchronize();  // others may write to the array next
}

template <class T>
void collect_members(CpuExecutor& exec, CpuFrontier& frontier, Column<T>& array) {
  const RankPart& part = exec.part();
  if (part.is_single_rank()) return;
  cpu::MessageWriter mine;
  cpu::put_list<T>(mine, exec.pool(), frontier.own_list(exec, false), [&](VertexId v) { return array[v]; });
  cpu::exchange(exec, mine, [&](std::size_t rank, cpu::MessageReader& message) {
    if (rank == part.rank()) return;
    const auto theirs = cpu::take_list<T>(message);
    parallel_for(exec.pool(), theirs.ids.size(), [&](std::size_t i) { array[theirs.ids[i]] = theirs.states[i]; });
  });
}

/// Adds up the sums of the members of all ranks, in the order of ranks; all of them become members. `edges` were examined by this
/// rank. Returns the edges of all.
template <class T>
EdgeId add_members_over_ranks(CpuExecutor& exec, EdgeId edges, CpuFrontier& members, T* sums) {
  cpu::MessageWriter mine;
  mine.put(edges);
  cpu::put_list<T>(mine, exec.pool(), {members.list(exec), members.size()},
                   [&](VertexId v) { return std::exchange(sums[v], T{}); });
  const BitmapRef joined = members.bitmap(exec);
  edges = 0;
  cpu::exchange(exec, mine, [&](std::size_t, cpu::MessageReader& message) {
    edges += message.get<EdgeId>();
    const auto theirs = cpu::take_list<T>(message);
    parallel_chunks(exec.pool(), theirs.ids.size(), kDefaultGrain, [&](std::size_t begin, std::size_t end, int) {
      cpu::Appender joining(members);
      for (std::size_t i = begin; i < end; ++i) {
        sums[theirs.ids[i]] += theirs.states[i];
        if (joined.set(theirs.ids[i])) joining.append(theirs.ids[i]);
      }
    });
  });
  members.finish_appends();
  members.forget_bitmap();
  return edges;
}

template <class T>
void add_over_ranks(CpuExecutor& exec, T* array, std::size_t n) {
  if (exec.part().is_single_rank()) return;
  constexpr std::size_t kMost = 1 << 20;  // elements of all ranks: in small steps an exchange costs more than its bytes
  const ranks::ExchangePieces pieces{n, std::max(ranks::elements_at_once(exec.part(), n), kMost / exec.part().ranks())};
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const std::span<T> here = pieces.of(std::span(array, n), k);
    std::vector<const T*> parts;
    for (const auto& theirs : exec.part().exchange->all_gather(std::as_bytes(here)))
      parts.push_back(cpu::MessageReader(theirs).take<T>(here.size()));
    parallel_for(exec.pool(), here.size(), [&](std::size_t i) {
      here[i] = T{};
      for (const T* const part : parts) here[i] += part[i];
    });
  }
}

}  // namespace graphrun::inline GR_IDS
