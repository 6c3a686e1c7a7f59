// SPDX-License-Identifier: Apache-2.0

#include <unordered_set>
#include <utility>

#include "algorithms/sample/sample_impl.hpp"
#include "core/raise.hpp"
#include "graphrun/graphrun.hpp"
#include "graphrun/ops/cpu_items.hpp"
#include "graphrun/ops/cpu_lists.hpp"
#include "graphrun/ops/cpu_views.hpp"
#include "graphrun/run/trials.hpp"
#include "run/engine_parts.hpp"
#include "run/placements.hpp"

namespace graphrun::inline GR_IDS {

Trial run_sample(Session& session, const Sampling& options, Sample* output) {
  return trial_on<NarrowPlacements>(session, [&]<class Exec, class View>(SessionOn<Exec, View>& placed) {
    SampleRun<Exec, View> sample(placed.exec(), placed.view(), placed.graph().weight_kind, options,
                                 placed.template kept<SampleState<Exec>>());
    Trial trial = placed.timed([&] { return sample.run(); });
    if (placed.exec().answers()) *output = sample.take_sample();
    return trial;
  });
}

OwnAnswer<Sampling> Engine::run(const Sampling& what) {
  const Graph& graph = parts_->graph();
  Sampling once = what;
  once.starts.clear();
  std::unordered_set<VertexId> known;
  for (const VertexId v : what.starts) {
    require_vertex(v, graph);
    if (known.insert(v).second) once.starts.push_back(v);
  }
  for (const std::uint32_t fanout : what.fanouts) {
    if (fanout == 0 || fanout > kMostFanout) raise<UsageError>("a fanout is from 1 to {}, not {}", kMostFanout, fanout);
  }
  if (what.weighted) {  // probabilities of the edges
    parts_->bring_weights({}, Sampling::kName);
    parts_->check_weights();
  }
  Sample sample;
  const Reads reads = {.weights = what.weighted ? parts_->usual_kind() : WeightKind::none};
  const auto trial = [&](Session& session, bool) { return run_sample(session, once, &sample); };
  RunResult result = run_custom(Sampling::kName, reads, 1, trial, kGpusRunAll);
  return {std::move(result.trials), std::move(sample)};
}

GR_CPU_INSTANCES(SampleRun)
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_CUDA_INSTANCE_ELSEWHERE, SampleRun)

}  // namespace graphrun::inline GR_IDS
