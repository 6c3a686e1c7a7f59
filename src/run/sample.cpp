#include "graphrun/core/error.hpp"
#include "graphrun/run/trials.hpp"
#include "run/places.hpp"

namespace graphrun::inline GR_IDS {

Trial run_sample(Session& session, const Sampling& options, Sample* output) {
  return trial_on(session, [&]<class Exec, class View>(PlacedOn<Exec, View>& placed) {
    if constexpr (requires { placed.exec().part(); }) {
      if (!placed.exec().part().alone()) throw UsageError("a sample is drawn by one rank: leave ranks out");
    }
    SampleRun<Exec, View> sample(placed.exec(), placed.view(), placed.graph().weight_kind, options,
                                 placed.template kept<SampleState<Exec>>());
    Trial trial = placed.timed([&] { return sample.run(); });
    *output = sample.take_sample();
    return trial;
  });
}

}  // namespace graphrun::inline GR_IDS
