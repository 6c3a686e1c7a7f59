#include <fmt/format.h>

#include <cmath>
#include <span>

#include "graphrun/core/bytes.hpp"
#include "run/algorithms/algorithm_info.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::string_view kDeltaStepping = "delta-stepping";
constexpr const char* kBellmanFord = "bellman-ford";  // of subway, without a choice

class SsspInfo final : public AlgorithmInfo {
 public:
  bool has_sources() const override { return true; }
  bool needs_weights() const override { return true; }
  StateBytes state(const RunOptions&) const override { return kSsspState; }

  std::vector<std::string_view> variants() const override { return {kDeltaStepping}; }
  void set_variant(RunOptions&, const std::string& name) const override {
    choose_name(name, "variant of sssp", std::span(&kDeltaStepping, 1));
  }
  const char* variant(const RunOptions& options) const override {
    return orders_by_distance(options) ? kDeltaStepping.data() : kBellmanFord;
  }

  Trial run(Session& session, VertexId source, RunResult& result, Output* output) const override {
    return session.sssp(source, result.options.sssp, output == nullptr ? nullptr : &output->emplace<SsspOutput>(), &result.sssp);
  }
  verify::Verdict check(const Graph& graph, const Output& output, const RunResult&, bool) const override {
    return verify::check_sssp(graph, std::get<SsspOutput>(output));
  }

  Digest digest(const Output& output) const override { return graphrun::digest(std::get<SsspOutput>(output)); }
  Json digest_json(const Digest& digest, const VertexNames& names) const override {
    const auto& d = std::get<SsspDigest>(digest);
    return {{"source", d.source},
            {"source_label", name_json(names, d.source)},
            {"reached", d.reached},
            {"max_distance", d.max_distance},
            {"sum_distances", d.sum_distances},
            {"checksum", std::to_string(d.checksum)}};
  }
  std::string digest_text(const Digest& digest, const VertexNames& names) const override {
    const auto& d = std::get<SsspDigest>(digest);
    return fmt::format("source {}, reached {}, largest distance {}, sum of distances {}, checksum {}", names.text(d.source),
                       grouped(d.reached), d.max_distance, d.sum_distances, d.checksum);
  }
  Json chosen_json(const RunResult& result) const override {
    return {{"delta", orders_by_distance(result.options) ? Json(result.sssp.delta) : Json(nullptr)},
            {"distance_bits", result.sssp.distance_bits}};
  }
  std::string chosen_text(const RunResult& result) const override {
    return fmt::format("{}, {}-bit distances",
                       orders_by_distance(result.options) ? fmt::format(", delta {}", result.sssp.delta) : "",
                       result.sssp.distance_bits);
  }
  AnswerValues values(const Output& output, bool) const override {
    return std::visit(
        [](const auto& distances) {
          return AnswerValues{"distance", &distances};
        },
        std::get<SsspOutput>(output).distances);
  }

  std::optional<double> input_edges(const Graph& graph, const Output& output) const override {
    const Distances& distances = std::get<SsspOutput>(output).distances;
    if (const auto* floats = std::get_if<std::vector<float>>(&distances)) return edges_of_reached(graph, *floats, HUGE_VALF);
    return edges_of_reached(graph, std::get<std::vector<std::uint64_t>>(distances), kUnreachedDistance);
  }
  std::string input_edges_in_words(bool symmetric) const override { return edges_of_reached_in_words(symmetric); }
};

}  // namespace

const AlgorithmInfo& sssp_info() {
  static const SsspInfo kInfo;
  return kInfo;
}

}  // namespace graphrun::inline GR_IDS
