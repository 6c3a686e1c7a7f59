#include <fmt/format.h>

#include "graphrun/core/bytes.hpp"
#include "graphrun/run/trials.hpp"
#include "run/algorithms/algorithm_info.hpp"
#include "run/places.hpp"

namespace graphrun::inline GR_IDS {
namespace {

class CcInfo final : public AlgorithmOf<&RunOptions::cc, CcOutput> {
 public:
  bool needs_transpose(const RunOptions& options) const override { return options.cc.variant == CcVariant::afforest; }
  bool runs_over_gpus(const RunOptions&) const override { return true; }
  /// By samples it reads little more than the beginnings of lists, which are found sooner where these are plain.
  bool gpus_decode(const RunOptions& options) const override { return options.cc.variant == CcVariant::hooking; }
  StateBytes state(const RunOptions&) const override { return kCcState; }

  Trial run(Session& session, std::span<const VertexId>, RunResult& result, Output* output) const override {
    return run_cc(session, result.options.cc, made_in(output));
  }
  verify::Verdict check(const Graph& graph, const Output& output, const RunResult& result, bool,
                        const verify::Passes& how) const override {
    const auto& answer = std::get<CcOutput>(output);
    return result.options.verify == VerifyBy::serial ? verify::check_cc(graph, answer)
                                                     : verify::check_cc_properties(graph, answer, how);
  }

  Json digest_json(const Digest& digest, const VertexNames&) const override {
    const auto& d = std::get<CcDigest>(digest);
    return {{"components", d.components}, {"largest", d.largest}};
  }
  std::string digest_text(const Digest& digest, const VertexNames&) const override {
    const auto& d = std::get<CcDigest>(digest);
    return fmt::format("components {}, largest {} vertices", grouped(d.components), grouped(d.largest));
  }
  AnswerValues values(const Output& output, bool) const override {
    return {"component", &std::get<CcOutput>(output).labels, true};
  }

  std::optional<double> input_edges(const Graph& graph, const Output&) const override { return edges_of_graph(graph); }
  std::string input_edges_in_words(bool symmetric) const override { return edges_of_graph_in_words(symmetric); }
};

}  // namespace

Trial run_cc(Session& session, const CcOptions& options, CcOutput* output) {
  return trial_on<PackedPlaces>(session, [&]<class Exec, class View>(PlacedOn<Exec, View>& placed) {
    return timed(placed, kept_run<CcRun<Exec, View>>(placed, options), output);
  });
}

const AlgorithmInfo& cc_info() { return only_one<CcInfo>(); }

}  // namespace graphrun::inline GR_IDS
