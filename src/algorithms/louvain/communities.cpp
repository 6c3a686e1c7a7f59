// SPDX-License-Identifier: Apache-2.0

#include "algorithms/louvain/communities.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "graphrun/core/progress.hpp"
#include "graphrun/core/random.hpp"

namespace graphrun::louvain::inline GR_IDS {
namespace {

double sum_of(const std::vector<std::uint64_t>& values) {
  return static_cast<double>(std::accumulate(values.begin(), values.end(), std::uint64_t{0}));
}

/// Returns all communities in a random order: in their own, those in a row would all join the first one.
std::vector<VertexId> random_order(VertexId count) {
  std::vector<VertexId> order(count);
  std::iota(order.begin(), order.end(), VertexId{0});
  std::ranges::sort(order, {}, [](VertexId v) { return splitmix64(v); });
  return order;
}

/// Sums of weights by community, which remember where they are not 0.
class Sums {
 public:
  explicit Sums(VertexId count) : sums_(count) {}

  void add(VertexId label, std::uint64_t weight) {
    if (sums_[label] == 0) labels_.push_back(label);
    sums_[label] += weight;
  }
  std::uint64_t of(VertexId label) const { return sums_[label]; }
  /// Calls visit(label, sum) for all, and forgets them.
  template <class Visit>
  void take(const Visit& visit) {
    for (const VertexId label : labels_) visit(label, std::exchange(sums_[label], 0));
    labels_.clear();
  }

 private:
  std::vector<std::uint64_t> sums_;
  std::vector<VertexId> labels_;
};

}  // namespace

void Communities::append(const Pair* begin, const Pair* end) {
  const auto number = static_cast<VertexId>(within.size());
  within.push_back(0);
  for (const Pair* pair = begin; pair != end; ++pair) {
    if (pair->to == number) {
      within.back() += pair->weight;
    } else if (neighbours.size() > offsets.back() && neighbours.back() == pair->to) {
      weights.back() += pair->weight;
    } else {
      neighbours.push_back(pair->to);
      weights.push_back(pair->weight);
    }
  }
  offsets.push_back(neighbours.size());
}

double modularity_of(const Communities& graph, double resolution) {
  const double all = sum_of(graph.totals);
  double squares = 0;
  for (const std::uint64_t total : graph.totals) {
    const double share = static_cast<double>(total) / all;
    squares += share * share;
  }
  return all == 0 ? 0 : sum_of(graph.within) / all - resolution * squares;
}

std::vector<VertexId> join_communities(const Communities& graph, double resolution, VertexId& count) {
  constexpr VertexId kFew = 256;        // sweeps end when fewer than a 256th moved: the next level goes on
  constexpr double kLeastGain = 1e-13;  // of all weight: above rounding, so that moves come to an end
  const VertexId n = graph.count();
  const double all = sum_of(graph.totals);
  const std::vector<VertexId> order = random_order(n);
  std::vector<VertexId> labels(n);
  std::iota(labels.begin(), labels.end(), VertexId{0});
  std::vector<std::uint64_t> totals = graph.totals;
  std::vector<bool> active(n, true);
  Sums sums(n);
  Progress progress("joining communities", 0, "sweep");
  for (VertexId moved = n; moved > n / kFew; progress.end_round(graph.neighbours.size())) {
    moved = 0;
    for (const VertexId v : order) {
      if (!active[v]) continue;
      active[v] = false;
      for (EdgeId e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) sums.add(labels[graph.neighbours[e]], graph.weights[e]);
      const VertexId own = labels[v];
      const double factor = resolution * static_cast<double>(graph.totals[v]) / all;
      totals[own] -= graph.totals[v];
      const double stays = static_cast<double>(sums.of(own)) - factor * static_cast<double>(totals[own]);
      double best = stays + kLeastGain * all;
      VertexId to = own;
      sums.take([&](VertexId label, std::uint64_t weight) {
        if (label == own || static_cast<double>(weight) <= best) return;
        const double value = static_cast<double>(weight) - factor * static_cast<double>(totals[label]);
        if (value > best) best = value, to = label;
      });
      totals[to] += graph.totals[v];
      if (to == own) continue;
      labels[v] = to;
      ++moved;
      for (EdgeId e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e)
        if (labels[graph.neighbours[e]] != to) active[graph.neighbours[e]] = true;
    }
  }
  count = number_in_order(labels);
  return labels;
}

Communities merge(const Communities& graph, const std::vector<VertexId>& numbers, VertexId count) {
  const VertexId n = graph.count();
  std::vector<VertexId> members(n);
  std::iota(members.begin(), members.end(), VertexId{0});
  std::ranges::stable_sort(members, {}, [&](VertexId v) { return numbers[v]; });
  Communities merged;
  merged.totals.resize(count);
  Sums sums(count);
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < members.size();) {
    const VertexId number = numbers[members[i]];
    for (; i < members.size() && numbers[members[i]] == number; ++i) {
      const VertexId v = members[i];
      merged.totals[number] += graph.totals[v];
      if (graph.within[v] != 0) sums.add(number, graph.within[v]);
      for (EdgeId e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) sums.add(numbers[graph.neighbours[e]], graph.weights[e]);
    }
    pairs.clear();
    sums.take([&](VertexId label, std::uint64_t weight) { pairs.push_back({number, label, weight}); });
    std::ranges::sort(pairs, {}, &Pair::to);
    merged.append(pairs.data(), pairs.data() + pairs.size());
  }
  return merged;
}

VertexId number_in_order(std::vector<VertexId>& labels) {
  std::vector<VertexId> numbers(labels.size(), kNoVertex);
  VertexId count = 0;
  for (VertexId& label : labels) {
    VertexId& number = numbers[label];
    if (number == kNoVertex) number = count++;
    label = number;
  }
  return count;
}

}  // namespace graphrun::louvain::inline GR_IDS
