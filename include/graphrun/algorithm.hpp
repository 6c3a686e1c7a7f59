// For a source that brings an algorithm of its own (docs/extending.md). Compiled by g++ it runs on host threads; compiled by
// nvcc, on GPUs too.
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
//       Output output();                     // of the last run
//     };
//     int trials = 1;                        // may be left out
//   };
//   const auto cores = engine.run(KCore{});
//
// One source of a program instantiates the runs of one algorithm: On is made here for every executor and view.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

/// Every pair of executor and view that a session may have here.
using Places = PlacesOf<PlacedOn<CpuExecutor, DirectView>, PlacedOn<CpuExecutor, PagedView>, PlacedOn<CpuExecutor, CpuSubwayView>
#if defined(__CUDACC__)
                        ,
                        PlacedOn<CudaExecutor, DirectView>, PlacedOn<CudaExecutor, DevicePagedView>,
                        PlacedOn<CudaExecutor, DeviceStayingView>, PlacedOn<CudaExecutor, CudaSubwayView>
#endif
                        >;

/// The trials of one algorithm.
template <class Own>
class Trials {
 public:
  explicit Trials(const Own& what) : what_(what) {
    if constexpr (requires { what.trials; }) wanted_ = what.trials;
    if (wanted_ < 1) throw UsageError(std::string(Own::kName) + " must have at least 1 trial, not " + std::to_string(wanted_));
  }

  void operator()(Session& session) {
    if (Places::visit(session, *this)) return;
    throw UsageError(std::string(Own::kName) + " was not compiled for " + session.description() +
                     ": compile its source with nvcc, name one GPU or rank, and count no requests");
  }
  template <class Exec, class View>
  void operator()(PlacedOn<Exec, View>& placed) {
    using Algorithm = typename Own::template On<Exec, View>;
    load_kernels<Algorithm>(placed.exec());
    Algorithm algorithm(placed.exec(), placed.view(), what_);
    for (int i = 0; i < wanted_; ++i) trials_.push_back(placed.timed([&] { return algorithm.run(); }));
    output_ = algorithm.output();
  }
  OwnAnswer<Own> answer() { return OwnAnswer<Own>(std::move(trials_), std::move(*output_)); }

 private:
  const Own& what_;
  int wanted_ = 1;
  std::vector<Trial> trials_;
  std::optional<typename Own::Output> output_;
};

}  // namespace graphrun::own::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Own>
OwnAnswer<Own> Engine::run(const Own& what) {
  own::Trials<Own> run(what);
  run_own(Own::kName, Own::kReads, std::ref(run));
  return run.answer();
}

}  // namespace graphrun::inline GR_IDS
