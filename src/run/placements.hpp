// SPDX-License-Identifier: Apache-2.0
// Every pair of executor and view of this build's sessions, for the library's own algorithms under host compilers. Instances for
// GPUs are declared at their use and compiled elsewhere, by nvcc.
#pragma once

#include "core/raise.hpp"
#include "graphrun/exec/cpu_executor.hpp"
#include "graphrun/ops/cpu_frontier.hpp"
#include "graphrun/ops/cpu_ordered_queue.hpp"
#include "graphrun/ops/cpu_subgraphs.hpp"
#include "graphrun/run/placed.hpp"
#include "graphrun/view/paged_view.hpp"
#if defined(GRAPHRUN_HAS_CUDA)
#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/ops/cuda_frontier.hpp"
#include "graphrun/ops/cuda_ordered_queue.hpp"
#include "graphrun/ops/cuda_views.hpp"
#else
#define GR_FOR_EACH_CUDA_VIEW(instantiate, ...)
#define GR_FOR_EACH_NARROW_CUDA_VIEW(instantiate, ...)
#define GR_FOR_EACH_NARROW_CUDA_VIEW_IN_PLACE(instantiate, ...)
#define GR_PACKED_CUDA_VIEW(instantiate, ...)
#endif

namespace graphrun::inline GR_IDS {

#define GR_PLACEMENT(View) , SessionOn<CudaExecutor, View>
#define GR_CPU_PLACEMENTS \
  SessionOn<CpuExecutor, DirectView>, SessionOn<CpuExecutor, PagedView>, SessionOn<CpuExecutor, CpuSubwayView>
using LibraryPlacements = PlacementsOf<GR_CPU_PLACEMENTS GR_FOR_EACH_CUDA_VIEW(GR_PLACEMENT)>;
/// For algorithms that GPUs run only with 32-bit ids: AlgorithmInfo::runs_on_gpu().
using NarrowPlacements = PlacementsOf<GR_CPU_PLACEMENTS GR_FOR_EACH_NARROW_CUDA_VIEW(GR_PLACEMENT)>;
/// For algorithms for which a GPU decodes packed lists, by AlgorithmInfo.
using PackedPlacements = PlacementsOf<GR_CPU_PLACEMENTS GR_FOR_EACH_CUDA_VIEW(GR_PLACEMENT) GR_PACKED_CUDA_VIEW(GR_PLACEMENT)>;
#undef GR_CPU_PLACEMENTS
#undef GR_PLACEMENT

/// What run(placed) requires of a session's edges.
enum class Reaches { neighbours, either };

/// Returns the trial of run(placed), where `session` is placed. Throws UsageError when the session has records
/// (BackendOptions::records) and run() reads neighbours.
template <class Placements = LibraryPlacements, class Run>
Trial trial_on(Session& session, Run&& run, Reaches reaches = Reaches::neighbours) {
  return session.on_ranks([&](Session& rank) {
    Trial trial;
    const auto body = [&](auto& placed) {
      if (reaches == Reaches::neighbours && placed.options().backend.records)
        throw UsageError("the session reaches records alone (BackendOptions::records), and this algorithm reads neighbours");
      trial = run(placed);
    };
    if (!Placements::visit(rank, body)) {
      raise<UsageError>("this algorithm or variant of the library was not compiled for {}{}", session.description(),
                        kGpusRunAll ? "" : ", with 64-bit ids: choose --device cpu");
    }
    return trial;
  });
}

/// Returns the kind of weights that the session's views reach. Throws UsageError where there are none.
template <class Exec, class View>
WeightKind placed_weights(SessionOn<Exec, View>& placed, const char* algorithm) {
  const WeightKind kind = placed.options().backend.needs_weights ? placed.graph().weight_kind : WeightKind::none;
  if (kind != WeightKind::none) return kind;
  raise<UsageError>("{} with weights needs some: give the graph some, and open the session with BackendOptions::needs_weights",
                    algorithm);
}

/// Times a trial of Run<Exec, View>(exec, view, args...), whose arrays last as long as the trial.
template <class Placements, template <class, class> class Run, class Output, class... Args>
Trial trial_by(Session& session, Output* output, const Args&... args) {
  return trial_on<Placements>(session, [&]<class Exec, class View>(SessionOn<Exec, View>& placed) {
    Run<Exec, View> run(placed.exec(), placed.view(), args...);
    return timed(placed, run, output);
  });
}

/// Returns the Run that the session keeps between its trials, with its arrays; a new one for another variant.
template <class Run, class Exec, class View, class Options>
Run& kept_run(SessionOn<Exec, View>& placed, const Options& options) {
  struct Kept {
    std::unique_ptr<Run> run;
    decltype(Options::variant) variant = {};
  };
  auto& [run, variant] = placed.template kept<Kept>();
  if (variant != options.variant) run.reset();  // before the next one allocates memory
  if (!run) run = std::make_unique<Run>(placed.exec(), placed.view(), options);
  variant = options.variant;
  return *run;
}

}  // namespace graphrun::inline GR_IDS
