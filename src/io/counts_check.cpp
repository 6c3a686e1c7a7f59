// SPDX-License-Identifier: Apache-2.0

#include "io/counts_check.hpp"

#include <algorithm>

#include "graphrun/core/parallel.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

/// A meaning of the numbers of a line, by index: the number of edges, and the bounds of sources and targets.
struct Meaning {
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t numbers;
  std::size_t edges;
  std::size_t sources;
  std::size_t targets;
};

constexpr Meaning kMeanings[] = {
    {1, 0, Meaning::kNone, Meaning::kNone},  // edges
    {1, Meaning::kNone, 0, 0},               // vertices
    {2, 1, 0, 0},                            // vertices and edges
    {3, 1, 0, 0},                            // vertices, edges, and something else
    {3, 2, 0, 1},                            // rows, columns and entries
};

}  // namespace

CountsCheck::Seen& CountsCheck::Seen::operator+=(const Seen& other) {
  source = std::max(source, other.source);
  target = std::max(target, other.target);
  first = first || other.first;
  second = second || other.second;
  return *this;
}

bool CountsCheck::holds(bool ids) const {
  const auto& numbers = line_.numbers;
  return edges_ != 0 && std::ranges::any_of(kMeanings, [&](const Meaning& meaning) {
           const auto none_or = [](std::size_t place, const auto& is) { return place == Meaning::kNone || is(place); };
           return meaning.numbers == numbers.size() &&
                  none_or(meaning.edges, [&](std::size_t place) { return numbers[place] == edges_; }) &&
                  (!ids || none_or(meaning.sources, [&](std::size_t place) { return seen_.source <= numbers[place]; })) &&
                  (!ids || none_or(meaning.targets, [&](std::size_t place) { return seen_.target <= numbers[place]; }));
         });
}

bool CountsCheck::goes_on(const EdgeList& batch, bool is_last, ThreadPool& pool) {
  const auto& numbers = line_.numbers;
  if (numbers.empty()) return false;
  const std::size_t begin = !begun_ && !line_.is_left_out && batch.sources.size() != 0 ? 1 : 0;
  begun_ = begun_ || batch.sources.size() != 0;
  edges_ += batch.sources.size() - begin;
  if (!line_.is_left_out && (*std::ranges::max_element(numbers) < edges_ || (is_last && !holds(false)))) return false;
  const std::uint64_t first = numbers.front();
  const std::uint64_t second = numbers[numbers.size() > 1 ? 1 : 0];
  seen_ += parallel_sum<Seen>(pool, batch.sources.size() - begin, [&](std::size_t i) {
    const std::uint64_t u = batch.sources[begin + i];
    const std::uint64_t v = batch.targets[begin + i];
    return Seen{u, v, u == first || v == first, u == second || v == second};
  });
  return true;
}

CountsCheck::Verdict CountsCheck::verdict() const {
  const bool fits = holds(true);
  if (line_.is_left_out) return fits ? Verdict::counts : Verdict::no_counts;
  if (!fits) return Verdict::edge;
  if (edges_ < kFewestRows) return Verdict::few;
  return seen_.first && seen_.second ? Verdict::unclear : Verdict::counts;
}

}  // namespace graphrun::io::inline GR_IDS
