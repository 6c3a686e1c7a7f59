// SPDX-License-Identifier: Apache-2.0
// For a source with a custom algorithm (docs/extending.md). Compiled by g++ it runs on host threads; compiled by nvcc, on GPUs
// too.
//
//   struct KCore {
//     static constexpr const char* kName = "k-core";
//     static constexpr graphrun::Reads kReads = {.undirected = true};
//     using Output = ...;                    // what it computes, in host memory
//     template <class Exec, class View>
//     class On {                             // the algorithm, written in the operators of graphrun/ops/operators.hpp
//      public:
//       On(Exec& exec, const graphrun::GraphView<View>& graph, const KCore& what);
//       graphrun::AlgoStats run();           // the region that is timed; it may run again
//       Output output();                     // of the last run; where ranks hold parts of it, collect() first joins them
//     };
//     int trials = 1;                        // may be left out
//   };
//   const auto cores = engine.run(KCore{});
//
// Include it in one source for each custom algorithm: it instantiates `On` for every executor and view.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "graphrun/exec/cpu_executor.hpp"
#include "graphrun/graphrun.hpp"
#include "graphrun/ops/cpu_frontier.hpp"
#include "graphrun/ops/cpu_items.hpp"
#include "graphrun/ops/cpu_ordered.hpp"
#include "graphrun/ops/cpu_subgraphs.hpp"
#include "graphrun/ops/cpu_views.hpp"
#include "graphrun/run/placed.hpp"
#if defined(__CUDACC__)
#include "graphrun/ops/cuda_items.cuh"
#include "graphrun/ops/cuda_operators.cuh"
#include "graphrun/ops/cuda_ordered.cuh"
#include "graphrun/ops/cuda_paged_reader.cuh"
#include "graphrun/ops/cuda_subway.cuh"
#endif

namespace graphrun::own::inline GR_IDS {

/// Every pair of executor and view of a session in this source.
using Placements =
    PlacementsOf<SessionOn<CpuExecutor, DirectView>, SessionOn<CpuExecutor, PagedView>, SessionOn<CpuExecutor, CpuSubwayView>
#if defined(__CUDACC__)
                 ,
                 SessionOn<CudaExecutor, DirectView>
#if GRAPHRUN_VERTEX_BITS != 64  // see kGpusRunAll
                 ,
                 SessionOn<CudaExecutor, DevicePagedView>, SessionOn<CudaExecutor, DeviceResidentView>,
                 SessionOn<CudaExecutor, CudaSubwayView>
#endif
#endif
                 >;

/// Runs one trial of `what` in all ranks of the session, which keep its arrays until the last trial. That fills `output`.
template <class Own>
Trial run_trial(Session& session, const Own& what, bool is_last, std::optional<typename Own::Output>& output) {
  return session.on_ranks([&](Session& rank) {
    Trial trial;
    const auto run = [&]<class Exec, class View>(SessionOn<Exec, View>& placed) {
      using Algorithm = typename Own::template On<Exec, View>;
      auto& algorithm = placed.template kept<std::unique_ptr<Algorithm>>();
      if (!algorithm) {
        load_kernels<Algorithm>(placed.exec());
        algorithm = std::make_unique<Algorithm>(placed.exec(), placed.view(), what);
      }
      trial = timed(placed, *algorithm, is_last ? &output : nullptr);
      if (is_last) algorithm.reset();
    };
    if (Placements::visit(rank, run)) return trial;
    throw UsageError(std::string(Own::kName) + " was not compiled for " + session.description() +
                     ": compile its source with nvcc, and count no requests");
  });
}

}  // namespace graphrun::own::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Own>
OwnAnswer<Own> Engine::run(const Own& what) {
  int wanted = 1;
  if constexpr (requires { what.trials; }) wanted = what.trials;
  std::optional<typename Own::Output> output;
  RunResult result = run_custom(Own::kName, Own::kReads, wanted,
                                [&](Session& session, bool is_last) { return own::run_trial(session, what, is_last, output); });
  return {std::move(result.trials), std::move(*output)};
}

}  // namespace graphrun::inline GR_IDS
