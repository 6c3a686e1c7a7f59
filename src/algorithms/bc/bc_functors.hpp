// SPDX-License-Identifier: Apache-2.0
// Functors of betweenness centrality on edges and vertices: see bc_impl.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graphrun/algorithms/path_count.hpp"
#include "graphrun/core/atomics.hpp"
#include "graphrun/core/macros.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/ops/bitmap.hpp"
#include "graphrun/ops/operators.hpp"

namespace graphrun::bc::inline GR_IDS {

inline constexpr std::uint32_t kUnreached = ~std::uint32_t{0};

/// Adds atomically, unless one thread does all (pushes_alone()).
GR_HD inline void add(double& sum, double value, bool alone) {
  if (alone)
    sum += value;
  else
    atomics::fetch_add(sum, value);
}

GR_HD inline void add(path_count::Word& sum, path_count::Word value, bool alone) {
  if (alone)
    sum = path_count::sum(sum, value);
  else
    path_count::fetch_add(sum, value);
}

/// Counts the paths over an edge to the level at `depth`. Count: double or path_count::Word.
template <class Count>
struct Push {
  using Weight = NoWeight;
  using Can = Capabilities<can::Share>;
  std::uint32_t* depths;
  Count* paths;
  std::uint32_t depth;
  bool alone;

  GR_HD Count source(VertexId u) const { return paths[u]; }
  GR_HD bool operator()(Count count, VertexId v, NoWeight) const {
    std::uint32_t seen = atomics::load(depths[v]);
    bool joins = false;
    if (seen == kUnreached) {
      joins = alone || atomics::compare_exchange(depths[v], kUnreached, depth);
      seen = depth;  // the first thread wrote this
      if (alone) depths[v] = depth;
    }
    if (seen == depth) add(paths[v], count, alone);
    return joins;
  }
  GR_HD Count state(VertexId v) const { return paths[v]; }
  GR_HD bool take(VertexId v, Count count) const {
    const bool joins = depths[v] == kUnreached;
    depths[v] = depth;
    add(paths[v], count, true);
    return joins;
  }
};

struct Pull {
  using Value = double;
  using Can = Capabilities<can::Want, can::Share>;
  Rows in;
  std::uint32_t* depths;
  double* paths;
  BitmapRef frontier;
  BitmapRef next;
  std::uint32_t depth;

  GR_HD bool wants(VertexId v) const { return depths[v] == kUnreached; }
  GR_HD double value(VertexId u) const { return frontier.test(u) ? paths[u] : 0.0; }
  /// Returns the number of examined edges.
  GR_HD double finish(VertexId v, double count) const {
    if (count > 0) {
      depths[v] = depth;
      paths[v] = count;
      next.set(v);
    }
    return static_cast<double>(in.degree(v));
  }
  GR_HD double state(VertexId v) const { return depths[v] == depth ? paths[v] : 0.0; }
  GR_HD void take(VertexId v, double count) const { finish(v, count); }
};

/// Finishes a vertex `v` whose shares were added up.
struct Finish {
  const double* paths;
  double* shares;
  double* scores;

  GR_HD void at(VertexId v) const {
    const double dependency = paths[v] * shares[v];
    scores[v] += dependency;
    shares[v] = (1 + dependency) / paths[v];
  }
};

struct FinishLevel {
  const VertexId* level;
  Finish f;
  GR_HD void operator()(std::size_t i) const { f.at(level[i]); }
};

/// Adds the dependencies of a level, from GatherRatios, to the scores.
struct AddLevel {
  const VertexId* level;
  const double* dependencies;
  double* scores;
  GR_HD void operator()(std::size_t i) const { scores[level[i]] += dependencies[level[i]]; }
};

/// Gathers along out-edges of the nearer level; `depth` is the farther level's. A vertex gets everything by its own list.
struct Gather {
  using Weight = NoWeight;
  using Can = Capabilities<can::ExchangeLater>;
  const std::uint32_t* depths;
  double* shares;
  std::uint32_t depth;
  bool alone;

  GR_HD VertexId source(VertexId u) const { return u; }
  GR_HD bool operator()(VertexId u, VertexId v, NoWeight) const {
    if (depths[v] == depth) add(shares[u], shares[v], alone);
    return false;
  }
};

/// Gathers with counts of any size: adds dependencies. These and the ratios of counts fit doubles.
struct GatherRatios {
  using Weight = NoWeight;
  using Can = Capabilities<can::ExchangeLater>;
  const std::uint32_t* depths;
  const path_count::Word* paths;
  double* dependencies;
  std::uint32_t depth;
  bool alone;

  GR_HD VertexId source(VertexId u) const { return u; }
  GR_HD bool operator()(VertexId u, VertexId v, NoWeight) const {
    if (depths[v] == depth) add(dependencies[u], path_count::ratio(paths[u], paths[v]) * (1 + dependencies[v]), alone);
    return false;
  }
};

/// Scatters along in-edges of the farther level; `depth` is the nearer level's.
struct Scatter {
  using Weight = NoWeight;
  using Can = Capabilities<can::Add>;
  const std::uint32_t* depths;
  double* shares;
  std::uint32_t depth;
  bool alone;

  GR_HD double source(VertexId v) const { return shares[v]; }
  GR_HD double operator()(double share, VertexId u, NoWeight) const { return depths[u] == depth ? share : 0; }
  GR_HD bool add(VertexId u, double share) const {
    bc::add(shares[u], share, alone);
    return false;
  }
};

struct Sweep {
  using Value = double;
  using Can = Capabilities<can::Want, can::Share>;
  const std::uint32_t* depths;
  BitmapRef farther;
  Finish f;
  std::uint32_t depth;  // of the nearer level

  GR_HD bool wants(VertexId v) const { return depths[v] == depth; }
  GR_HD double value(VertexId v) const { return farther.test(v) ? f.shares[v] : 0.0; }
  GR_HD double finish(VertexId v, double sum) const {
    f.shares[v] = sum;
    f.at(v);
    return 0;
  }
  GR_HD double state(VertexId v) const { return f.shares[v]; }
  GR_HD void take(VertexId v, double share) const {
    if (wants(v)) f.shares[v] = share;
  }
};

/// Raises `largest` to the largest of a block of values. Value: double, not negative, or path_count::Word.
template <class Value>
struct Largest {
  static constexpr std::size_t kBlock = 16;
  const Value* values;
  std::size_t size;
  Value* largest;

  GR_HD void operator()(std::size_t block) const {
    const std::size_t begin = block * kBlock;
    const std::size_t end = begin + kBlock < size ? begin + kBlock : size;
    Value most{};
    for (std::size_t i = begin; i < end; ++i) most = values[i] > most ? values[i] : most;
    if (most > atomics::load(*largest)) atomics::fetch_max(*largest, most);
  }
};

struct Divide {
  double* scores;
  double divisor;
  GR_HD void operator()(std::size_t v) const { scores[v] /= divisor; }
};

}  // namespace graphrun::bc::inline GR_IDS
