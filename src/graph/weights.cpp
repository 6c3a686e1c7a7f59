// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "core/raise.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/graph/packed_walk.hpp"
#include "graphrun/graph/row_windows.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::size_t kWeightedRowsAPiece = 1024;

template <class WeightOf>
void fill_weights(Graph& graph, ThreadPool& pool, const Workspace& space, const WeightOf& weight_of) {
  Csr& csr = graph.out;
  csr.weights = space.make<std::uint32_t>(csr.num_edges());
  std::uint32_t* weights = csr.weights.data();
  const VertexId* neighbours = std::as_const(csr.neighbours).data();
  Progress progress("making weights", csr.num_edges());
  for_each_row_window(csr, space, [&](VertexId first, VertexId last) {
    parallel_chunks(pool, last - first, kWeightedRowsAPiece, [&](std::size_t begin, std::size_t end, int) {
      for (std::uint64_t u = first + begin; u < first + end; ++u) {
        for (EdgeId e = csr.offsets[u]; e < csr.offsets[u + 1]; ++e) weights[e] = weight_of(u, std::uint64_t{neighbours[e]});
      }
      progress.advance(csr.offsets[first + end] - csr.offsets[first + begin]);
    });
  });
  graph.weight_kind = WeightKind::u32;
  graph.weight_table = {};
}

}  // namespace

WeightSource parse_weight_source(const std::string& text) {
  using Kind = WeightSource::Kind;
  if (spells(text, "file")) return {.kind = Kind::file};
  if (spells(text, "unit")) return {.kind = Kind::unit};
  if (spells(text, "truth")) return {.kind = Kind::truth};
  WeightSource source{.kind = Kind::random};
  if (spells(text, "random")) return source;
  const std::size_t colon = text.find(':');
  const bool random = colon != std::string::npos && spells(std::string_view(text).substr(0, colon), "random");
  const auto numbers = random ? parse_numbers(std::string_view(text).substr(colon + 1)) : std::nullopt;
  bool understood = numbers && (numbers->size() == 1 || numbers->size() == 3);
  if (understood) source.seed = (*numbers)[0];
  if (understood && numbers->size() == 3) {
    source.low = static_cast<std::uint32_t>((*numbers)[1]);
    source.high = static_cast<std::uint32_t>((*numbers)[2]);
    understood = source.low == (*numbers)[1] && source.high == (*numbers)[2];
  }
  if (!understood) {
    raise<UsageError>("'{}' is not a source of weights{}: choose among {} (SEED below 2^64, LOW and HIGH below 2^32)", text,
                      did_you_mean(text, kWeightForms), joined(kWeightForms));
  }
  if (source.low > source.high) {
    raise<UsageError>("'{}' asks for weights from {} to {}: LOW must not exceed HIGH", text, source.low, source.high);
  }
  return source;
}

void assign_weights(Graph& graph, const WeightSource& source, ThreadPool& pool, const Workspace& space) {
  if (source.kind != WeightSource::Kind::file) {
    require_lists(graph.out);
    drop_records(graph);
  }
  switch (source.kind) {
    case WeightSource::Kind::file:
      if (graph.weight_kind == WeightKind::none) {
        raise<UsageError>(
            "{} has no weights: choose unit, truth or random:SEED instead of file, or name the column "
            "of a text that holds them, such as --columns 1,2,3",
            graph.name.empty() ? "the graph" : graph.name);
      }
      return;
    case WeightSource::Kind::unit:
      return fill_weights(graph, pool, space, [](std::uint64_t, std::uint64_t) { return 1u; });
    case WeightSource::Kind::random: {
      const std::uint64_t range = std::uint64_t{source.high} - source.low + 1;
      return fill_weights(graph, pool, space, [&](std::uint64_t u, std::uint64_t v) {
        return static_cast<std::uint32_t>(source.low + splitmix64(source.seed, std::min(u, v), std::max(u, v)) % range);
      });
    }
    case WeightSource::Kind::truth:
      return fill_weights(graph, pool, space, [](std::uint64_t u, std::uint64_t v) {
        return static_cast<std::uint32_t>(1 + (u * 2654435761u + v * 40503u) % 64);
      });
  }
}

WeightStats measure_weights(const Graph& graph) {
  constexpr std::size_t kSample = 1 << 20;
  constexpr std::size_t kSorted = 16;  // the sorted part is every 16th of them
  const Csr& csr = graph.out;
  const std::size_t all = graph.weight_kind == WeightKind::none ? 0 : csr.num_edges();
  if (all == 0) return {};
  const auto word = [&](EdgeId e) {
    std::uint32_t room[packed::kDecodeRoom];
    const packed::WeightCode& code = csr.packed.weight_code;
    return code.is_packed() ? *unpack_weights(code, e, 1, room, InMemory{csr.packed.weights.data()}).words : csr.weights[e];
  };
  const std::size_t stride = std::max<std::size_t>(1, all / kSample);
  WeightStats stats{.smallest = std::numeric_limits<double>::infinity()};
  std::vector<double> some;
  std::size_t count = 0;
  for (std::size_t i = 0; i < all; i += stride, ++count) {
    // Other kinds take a call for each.
    const double weight = graph.weight_kind == WeightKind::u32 ? static_cast<double>(word(i)) : graph.weight_of(word(i));
    stats.smallest = std::min(stats.smallest, weight);
    stats.largest = std::max(stats.largest, weight);
    stats.mean += weight;
    if (count % kSorted == 0 || all < kSample / kSorted) some.push_back(weight);
  }
  stats.mean /= static_cast<double>(count);
  std::sort(some.begin(), some.end());
  for (std::size_t i = 0; i <= stats.kQuantiles; ++i) stats.quantiles[i] = some[i * (some.size() - 1) / stats.kQuantiles];
  stats.quantiles.front() = stats.smallest;
  stats.quantiles.back() = stats.largest;
  return stats;
}

void check_weights_nonnegative(const Graph& graph, ThreadPool& pool, const Workspace& space) {
  if (graph.weight_kind != WeightKind::f32) return;
  const Column<std::uint32_t>& words = graph.out.weights;
  Progress progress("checking weights", words.size());
  const auto value = [&](std::size_t e) { return std::bit_cast<float>(words[e]); };
  const auto is_fine = [&](std::uint64_t e) { return value(e) >= 0 && value(e) <= std::numeric_limits<float>::max(); };
  FirstIndex first_bad;
  for_each_window(words, space, [&](std::size_t first, std::size_t last) {
    parallel_chunks(pool, last - first, 1 << 16, [&](std::size_t begin, std::size_t end, int) {
      progress.advance(end - begin);
      while (begin < end && is_fine(first + begin)) ++begin;
      if (begin < end) first_bad.report(first + begin);
    });
  });
  const std::uint64_t bad = first_bad.get();
  if (bad == kNoIndex) return;
  const auto& offsets = graph.out.offsets;
  const auto source = std::upper_bound(offsets.data(), offsets.data() + offsets.size(), bad) - offsets.data() - 1;
  const auto& neighbours = graph.out.neighbours;  // none where lists are packed alone
  raise<UsageError>("{} {}{} has weight {}: weights are finite numbers and not negative",
                    neighbours.empty() ? "an edge from" : "the edge from", graph.names.text(static_cast<VertexId>(source)),
                    neighbours.empty() ? std::string() : fmt::format(" to {}", graph.names.text(neighbours[bad])), value(bad));
}

}  // namespace graphrun::inline GR_IDS
