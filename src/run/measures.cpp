#include "run/measures.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "graphrun/core/median.hpp"

namespace graphrun::inline GR_IDS {
void set_rate(TrialRecord& record, std::optional<double> edges) {
  record.input_edges = edges.value_or(static_cast<double>(record.edges_examined));
  if (record.batch == 0 && record.input_edges > 0 && record.elapsed_ms > 0)
    record.gteps = record.input_edges / record.elapsed_ms * 1e-6;
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
  const auto [fastest, slowest] = std::minmax_element(times.begin(), times.end());
  Summary summary{median(times), *fastest, *slowest, std::nullopt};
  if (all_rated) summary.harmonic_mean_gteps = static_cast<double>(trials.size()) / inverse_rates;
  return summary;
}

}  // namespace graphrun::inline GR_IDS
