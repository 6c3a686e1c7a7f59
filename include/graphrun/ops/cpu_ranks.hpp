// How ranks on host threads meet after a step (ranks.hpp): by messages of bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/exec/cpu_executor.hpp"
#include "graphrun/ops/cpu_frontier.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/ops/ranks.hpp"

namespace graphrun::cpu::inline GR_IDS {

/// A message in the making, and one that is read: values and arrays of them, one behind the other.
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

  /// Throws RunError beyond the message's end.
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

}  // namespace graphrun::cpu::inline GR_IDS

namespace graphrun::inline GR_IDS {

/// After a push, whose own vertices that joined are `next`. The estimate of next.edges() becomes the same on all ranks.
template <class F>
EdgeMapStats meet_after_push(CpuExecutor& exec, EdgeMapStats stats, const F& f, CpuFrontier& next) {
  const RankPart& part = exec.part();
  if (part.alone()) return stats;
  if constexpr (TakesState<F>) {
    using State = ranks::StateOf<F>;
    const std::size_t count = next.size();
    const VertexId* list = next.list(exec);
    cpu::MessageWriter mine;
    mine.put(ranks::StepHeader{stats.edges, count, next.edges()});
    std::copy_n(list, count, mine.room<VertexId>(count));
    State* states = mine.room<State>(count);
    parallel_for(exec.pool(), count, [&](std::size_t i) { states[i] = f.state(list[i]); });
    const auto all = part.exchange->all_gather(mine.bytes());
    const BitmapRef joined = RepeatingPush<F> ? next.bitmap(exec) : BitmapRef{};
    stats.edges = 0;
    EdgeId edges = 0;
    for (int rank = 0; rank < part.exchange->size(); ++rank) {
      cpu::MessageReader message(all[static_cast<std::size_t>(rank)]);
      const auto header = message.get<ranks::StepHeader>();
      stats.edges += header.edges;
      edges += header.joined_edges;
      if (rank == part.exchange->rank()) continue;
      const VertexId* ids = message.take<VertexId>(header.joined);
      const State* theirs = message.take<State>(header.joined);
      parallel_chunks(exec.pool(), header.joined, kDefaultGrain, [&](std::size_t begin, std::size_t end, int) {
        cpu::Appender joining(next);
        for (std::size_t i = begin; i < end; ++i) {
          if (f.take(ids[i], theirs[i]) && (!RepeatingPush<F> || joined.set(ids[i]))) joining.append(ids[i]);
        }
      });
    }
    next.set_counts(next.size(), edges);
    next.forget_bitmap();
    return stats;
  } else {
    ranks::refuse_ranks();
  }
}

/// After a pull, whose own vertices that joined are bits of `next`.
template <class F>
EdgeMapStats meet_after_pull(CpuExecutor& exec, EdgeMapStats stats, const F& f, CpuFrontier& next) {
  const RankPart& part = exec.part();
  if (part.alone()) return stats;
  if constexpr (ranks::HasState<F>) {
    using State = ranks::StateOf<F>;
    std::uint32_t* const words = next.bitmap(exec).words;
    const auto first_word = static_cast<std::size_t>((part.first + 31) / 32);  // behind the last of n for an empty part
    const auto last_word = static_cast<std::size_t>((part.last + 31) / 32);
    cpu::MessageWriter mine;
    mine.put(ranks::StepHeader{stats.edges, next.size(), next.edges()});
    mine.put(std::uint64_t{first_word});
    mine.put(std::uint64_t{last_word});
    std::copy(words + first_word, words + last_word, mine.room<std::uint32_t>(last_word - first_word));
    State* state = mine.room<State>(next.size());
    for_each_member(words, first_word, last_word, [&](VertexId v) { *state++ = f.state(v); });
    const auto all = part.exchange->all_gather(mine.bytes());
    stats.edges = 0;
    ranks::StepHeader total;
    for (int rank = 0; rank < part.exchange->size(); ++rank) {
      cpu::MessageReader message(all[static_cast<std::size_t>(rank)]);
      const auto header = message.get<ranks::StepHeader>();
      total += header;
      if (rank == part.exchange->rank()) continue;
      const auto begin = static_cast<std::size_t>(message.get<std::uint64_t>());
      const auto end = static_cast<std::size_t>(message.get<std::uint64_t>());
      std::copy_n(message.take<std::uint32_t>(end - begin), end - begin, words + begin);
      const State* theirs = message.take<State>(header.joined);
      for_each_member(words, begin, end, [&](VertexId v) { f.visit(v, *theirs++); });
    }
    next.set_counts(total.joined, total.joined_edges);
    stats.edges = total.edges;
    return stats;
  } else {
    ranks::refuse_ranks();
  }
}

/// After a pass over all lists of `n` vertices.
template <class F>
EdgeMapStats meet_after_pass(CpuExecutor& exec, EdgeMapStats stats, std::size_t n, const F& f) {
  const RankPart& part = exec.part();
  if (part.alone()) return stats;
  if constexpr (TakesState<F>) {
    using State = ranks::StateOf<F>;
    cpu::MessageWriter mine;
    mine.put(stats.edges);
    State* states = mine.room<State>(n);
    parallel_for(exec.pool(), n, [&](std::size_t v) { states[v] = f.state(static_cast<VertexId>(v)); });
    const auto all = part.exchange->all_gather(mine.bytes());
    stats.edges = 0;
    for (int rank = 0; rank < part.exchange->size(); ++rank) {
      cpu::MessageReader message(all[static_cast<std::size_t>(rank)]);
      stats.edges += message.get<std::uint64_t>();
      if (rank == part.exchange->rank()) continue;
      const State* theirs = message.take<State>(n);
      parallel_for(exec.pool(), n, [&](std::size_t v) { f.take(static_cast<VertexId>(v), theirs[v]); });
    }
    return stats;
  } else {
    ranks::refuse_ranks();
  }
}

/// After a reduction over the lists of `n` vertices. Returns the sum over all ranks.
template <class Sum, class F>
Sum meet_after_reduce(CpuExecutor& exec, const Sum& sum, std::size_t n, const F& f) {
  const RankPart& part = exec.part();
  if (part.alone()) return sum;
  cpu::MessageWriter mine;
  mine.put(sum);
  const auto first = static_cast<std::uint64_t>(part.first);
  const std::uint64_t last = std::min<std::uint64_t>(part.last, n);
  mine.put(first);
  mine.put(last);
  if constexpr (TakesState<F>) {
    auto* const states = mine.room<ranks::StateOf<F>>(last - first);
    parallel_for(exec.pool(), last - first, [&](std::size_t i) { states[i] = f.state(static_cast<VertexId>(first + i)); });
  }
  const auto all = part.exchange->all_gather(mine.bytes());
  Sum total{};
  for (int rank = 0; rank < part.exchange->size(); ++rank) {
    cpu::MessageReader message(all[static_cast<std::size_t>(rank)]);
    total += message.template get<Sum>();
    const auto begin = message.get<std::uint64_t>();
    const auto end = message.get<std::uint64_t>();
    if constexpr (TakesState<F>) {
      if (rank == part.exchange->rank()) continue;
      const auto* const theirs = message.take<ranks::StateOf<F>>(end - begin);
      parallel_for(exec.pool(), end - begin, [&](std::size_t i) { f.take(static_cast<VertexId>(begin + i), theirs[i]); });
    }
  }
  return total;
}

}  // namespace graphrun::inline GR_IDS
