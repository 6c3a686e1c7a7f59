#include "run/measures.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace graphrun::inline GR_IDS {
namespace {

template <class T>
double edges_of_reached(const Graph& graph, const std::vector<T>& values, T unreached) {
  EdgeId edges = 0;
  for (std::size_t v = 0; v < values.size(); ++v) {
    if (values[v] != unreached) edges += graph.out.degree(static_cast<VertexId>(v));
  }
  return static_cast<double>(edges) / (graph.symmetric ? 2 : 1);
}

struct InputEdges {
  const Graph& graph;

  double operator()(const BfsOutput& output) const { return edges_of_reached(graph, output.levels, kUnreachedLevel); }
  double operator()(const SsspOutput& output) const { return std::visit(*this, output.distances); }
  double operator()(const std::vector<std::uint64_t>& distances) const {
    return edges_of_reached(graph, distances, kUnreachedDistance);
  }
  double operator()(const std::vector<float>& distances) const { return edges_of_reached(graph, distances, HUGE_VALF); }
  double operator()(const CcOutput&) const { return static_cast<double>(graph.num_edges()) / (graph.symmetric ? 2 : 1); }
  double operator()(const PagerankOutput&) const { return static_cast<double>(graph.num_edges()); }
};

}  // namespace

double input_edges(const Graph& graph, const Output& output) { return std::visit(InputEdges{graph}, output); }

void set_rate(TrialRecord& record, Algorithm algorithm, double edges) {
  record.input_edges = algorithm == Algorithm::pagerank ? static_cast<double>(record.edges_examined) : edges;
  if (record.input_edges > 0 && record.elapsed_ms > 0) record.gteps = record.input_edges / record.elapsed_ms * 1e-6;
}

std::optional<double> amplification(const TrialRecord& record, bool with_weights) {
  if (!record.moved.bytes || record.edges_examined == 0) return std::nullopt;
  const std::size_t bytes_per_edge = sizeof(VertexId) + (with_weights ? sizeof(std::uint32_t) : 0);
  return static_cast<double>(*record.moved.bytes) /
         (static_cast<double>(record.edges_examined) * static_cast<double>(bytes_per_edge));
}

Summary summarise(const std::vector<TrialRecord>& trials) {
  std::vector<double> times;
  double inverse_rates = 0;
  bool all_rated = true;
  for (const auto& trial : trials) {
    times.push_back(trial.elapsed_ms);
    all_rated = all_rated && trial.gteps.has_value();
    if (trial.gteps) inverse_rates += 1 / *trial.gteps;
  }
  if (times.empty()) return {};
  std::sort(times.begin(), times.end());
  const std::size_t middle = times.size() / 2;
  Summary summary{times[middle], times.front(), times.back(), std::nullopt};
  if (times.size() % 2 == 0) summary.median_ms = (times[middle - 1] + times[middle]) / 2;
  if (all_rated) summary.harmonic_mean_gteps = static_cast<double>(trials.size()) / inverse_rates;
  return summary;
}

std::string teps_definition(Algorithm algorithm, bool symmetric) {
  const std::string half = symmetric ? ", halved because each undirected edge is stored twice" : "";
  switch (algorithm) {
    case Algorithm::bfs:
    case Algorithm::sssp:
      return "input edges within the traversed component (out-degrees of the reached vertices added up" + half + ") / time";
    case Algorithm::cc:
      return "input edges of the graph (edges stored" + half + ") / time";
    case Algorithm::pagerank:
      return "edges that carried rank (pull: edges stored * iterations; push: edges pushed along) / time";
  }
  return {};
}

}  // namespace graphrun::inline GR_IDS
