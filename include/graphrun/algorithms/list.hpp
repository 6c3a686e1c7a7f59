// SPDX-License-Identifier: Apache-2.0
// The only list of this library's algorithms. Each line has a name and its type of options.
#pragma once

#include "graphrun/algorithms/bc.hpp"
#include "graphrun/algorithms/bfs.hpp"
#include "graphrun/algorithms/cc.hpp"
#include "graphrun/algorithms/cdlp.hpp"
#include "graphrun/algorithms/centrality.hpp"
#include "graphrun/algorithms/closeness.hpp"
#include "graphrun/algorithms/kcore.hpp"
#include "graphrun/algorithms/lcc.hpp"
#include "graphrun/algorithms/louvain.hpp"
#include "graphrun/algorithms/mis.hpp"
#include "graphrun/algorithms/msf.hpp"
#include "graphrun/algorithms/pagerank.hpp"
#include "graphrun/algorithms/scc.hpp"
#include "graphrun/algorithms/sssp.hpp"
#include "graphrun/algorithms/tc.hpp"
#include "graphrun/algorithms/topo.hpp"
#include "graphrun/algorithms/walks.hpp"
#include "graphrun/core/names.hpp"

// clang-format off
#define GR_FOR_EACH_ALGORITHM(X)    \
  X(bfs, BfsOptions)                \
  X(sssp, SsspOptions)              \
  X(cc, CcOptions)                  \
  X(pagerank, PagerankOptions)      \
  X(bc, BcOptions)                  \
  X(tc, TcOptions)                  \
  X(cdlp, CdlpOptions)              \
  X(louvain, LouvainOptions)        \
  X(lcc, LccOptions)                \
  X(kcore, NoOptions)               \
  X(scc, NoOptions)                 \
  X(topo, NoOptions)                \
  X(mis, NoOptions)                 \
  X(msf, NoOptions)                 \
  X(hits, CentralityOptions)        \
  X(eigenvector, CentralityOptions) \
  X(katz, CentralityOptions)        \
  X(closeness, ClosenessOptions)    \
  X(harmonic, ClosenessOptions)     \
  X(walks, WalksOptions)
// clang-format on

namespace graphrun {

struct NoOptions {};

#define GR_NAME(name, Options) name,
enum class Algorithm { GR_FOR_EACH_ALGORITHM(GR_NAME) };
#undef GR_NAME

template <>
struct ChoicesOf<Algorithm> {
  static constexpr const char* kWhat = "algorithm";
#define GR_CHOICE(name, Options) {#name, Algorithm::name},
  static constexpr Choice<Algorithm> kAll[] = {GR_FOR_EACH_ALGORITHM(GR_CHOICE)};
#undef GR_CHOICE
  static constexpr ShortForm kShortForms[] = {{"pr", "pagerank"}, {"wcc", "cc"}};
};

}  // namespace graphrun

namespace graphrun::inline GR_IDS {

/// The options of every algorithm, in a field of its name.
struct AlgorithmOptions {
#define GR_FIELD_OF(name, Options) Options name;
  GR_FOR_EACH_ALGORITHM(GR_FIELD_OF)
#undef GR_FIELD_OF
};

}  // namespace graphrun::inline GR_IDS
