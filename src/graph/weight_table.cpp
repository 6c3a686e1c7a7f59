// SPDX-License-Identifier: Apache-2.0

#include "graph/weight_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "core/raise.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/graph/row_windows.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::size_t kWeightGrain = 1 << 16;
constexpr std::uint64_t kMostDistinct = std::uint64_t{1} << 32;

void require_words(std::uint64_t distinct) {
  if (distinct <= kMostDistinct) return;
  raise<DataError>("more than 2^32 weights beyond 32 bits are different: --float-weights takes them as 32-bit floats");
}

using Distinct = std::vector<std::uint64_t>;

Distinct united(const Distinct& a, const Distinct& b) {
  Distinct all;
  all.reserve(a.size() + b.size());
  std::ranges::set_union(a, b, std::back_inserter(all));
  return all;
}

/// Returns the different weights, ascending.
Distinct distinct_of(std::span<const std::uint64_t> weights, ThreadPool& pool) {
  const auto threads = static_cast<std::size_t>(pool.size());
  const std::size_t pieces = std::clamp<std::size_t>(weights.size() / kWeightGrain, 1, threads);
  std::vector<Distinct> all(pieces);
  parallel_tasks(pool, pieces, [&](std::size_t i) {
    const std::size_t begin = weights.size() * i / pieces;
    const std::size_t end = weights.size() * (i + 1) / pieces;
    Distinct& own = all[i];
    own.assign(weights.begin() + static_cast<std::ptrdiff_t>(begin), weights.begin() + static_cast<std::ptrdiff_t>(end));
    std::ranges::sort(own);
    own.erase(std::ranges::unique(own).begin(), own.end());
    own.shrink_to_fit();
  });
  for (std::size_t step = 1; step < pieces; step *= 2) {
    parallel_tasks(pool, (pieces - step + 2 * step - 1) / (2 * step), [&](std::size_t i) {
      Distinct& left = all[2 * step * i];
      left = united(left, std::exchange(all[2 * step * i + step], {}));
    });
  }
  return std::move(all.front());
}

std::uint32_t place_in(const Column<std::uint64_t>& table, std::uint64_t weight) {
  return static_cast<std::uint32_t>(std::ranges::lower_bound(table.span(), weight) - table.span().begin());
}

}  // namespace

void WeightTableBuilder::add(std::span<const std::uint64_t> weights, ThreadPool& pool) {
  Distinct more = distinct_of(weights, pool);
  distinct_ = distinct_.empty() ? std::move(more) : united(distinct_, more);
  require_words(distinct_.size());
}

Column<std::uint64_t> WeightTableBuilder::take() {
  auto table = Column<std::uint64_t>::allocate(distinct_.size());
  std::ranges::copy(distinct_, table.data());
  distinct_ = {};
  return table;
}

Column<std::uint32_t> words_of(std::span<const std::uint64_t> weights, const Column<std::uint64_t>& table, ThreadPool& pool) {
  auto words = Column<std::uint32_t>::allocate(weights.size());
  parallel_for(
      pool, weights.size(), [&](std::size_t i) { words[i] = place_in(table, weights[i]); }, kWeightGrain);
  return words;
}

EncodedWeights encode_weights(Column<std::uint64_t>&& weights, ThreadPool& pool) {
  const Column<std::uint64_t> values = std::exchange(weights, {});
  WeightTableBuilder builder;
  builder.add(values.span(), pool);
  EncodedWeights encoded{{}, builder.take()};
  encoded.words = words_of(values.span(), encoded.table, pool);
  return encoded;
}

void take_wide_weights(Graph& graph, Column<std::uint64_t>&& weights, ThreadPool& pool) {
  EncodedWeights encoded = encode_weights(std::move(weights), pool);
  graph.weight_kind = WeightKind::u64;
  graph.out.weights = std::move(encoded.words);
  graph.weight_table = std::move(encoded.table);
}

std::uint32_t WeightSums::word_of(std::uint64_t weight) {
  if (const std::uint32_t place = place_in(table_, weight); place < table_.size() && table_[place] == weight) return place;
  const std::lock_guard lock(mutex_);
  require_words(table_.size() + sums_.size() + 1);
  return sums_.try_emplace(weight, static_cast<std::uint32_t>(table_.size() + sums_.size())).first->second;
}

Column<std::uint64_t> WeightSums::finish(Column<std::uint32_t>& words, const Workspace& space, ThreadPool& pool) {
  if (sums_.empty()) return table_;
  Distinct sums(sums_.size());
  for (const auto& [weight, word] : sums_) sums[word - table_.size()] = weight;
  Distinct sorted = sums;
  std::ranges::sort(sorted);
  auto all = Column<std::uint64_t>::allocate(table_.size() + sums.size());
  std::ranges::merge(table_.span(), sorted, all.data());
  std::vector<std::uint32_t> places(all.size());
  parallel_for(
      pool, places.size(),
      [&](std::size_t word) { places[word] = place_in(all, word < table_.size() ? table_[word] : sums[word - table_.size()]); },
      kWeightGrain);
  for_each_window(words, space, [&](std::size_t begin, std::size_t end) {
    parallel_for(
        pool, end - begin, [&](std::size_t i) { words[begin + i] = places[words[begin + i]]; }, kWeightGrain);
  });
  return all;
}

std::uint64_t Graph::whole_weight(std::uint32_t word) const {
  if (weight_kind != WeightKind::u64) return word;
  if (word < weight_table.size()) return weight_table[word];
  raise<DataError>("{}: a weight is place {} of a table of {} 64-bit weights", name, word, weight_table.size());
}

double Graph::weight_of(std::uint32_t word) const {
  return weight_kind == WeightKind::f32 ? double{std::bit_cast<float>(word)} : static_cast<double>(whole_weight(word));
}

std::string Graph::weight_text(std::uint32_t word) const {
  return weight_kind == WeightKind::f32 ? fmt::format("{}", std::bit_cast<float>(word)) : std::to_string(whole_weight(word));
}

void check_weight_table(const Graph& graph, const std::string& where, ThreadPool& pool, const Workspace& space) {
  if (graph.weight_kind != WeightKind::u64) return;
  const auto& table = graph.weight_table;
  for_each_window(table, space, [&](std::size_t begin, std::size_t end) {
    const auto ascends = [&](std::size_t i) { return i == 0 || table[i - 1] < table[i]; };
    if (const auto place = first_failure(pool, begin, end, ascends); place != kNoIndex)
      raise<DataError>("{}: the table of 64-bit weights does not ascend at place {}", where, place);
  });
  const auto& words = graph.out.weights;
  for_each_window(words, space, [&](std::size_t begin, std::size_t end) {
    if (const auto e = first_failure(pool, begin, end, [&](std::size_t i) { return words[i] < table.size(); }); e != kNoIndex)
      raise<DataError>("{}: the weight of edge {} is place {} of a table of {} 64-bit weights", where, e, words[e], table.size());
  });
}

}  // namespace graphrun::inline GR_IDS
