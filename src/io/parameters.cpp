// SPDX-License-Identifier: Apache-2.0

#include "graphrun/io/parameters.hpp"

#include <fmt/format.h>

#include "io/graphalytics.hpp"

namespace graphrun::inline GR_IDS {

std::vector<FileParameter> parameters_of(const std::string& spec, const LoadOptions& options, std::string_view algorithm) {
  std::vector<FileParameter> parameters;
  if (!io::names_graphalytics(spec, options.format)) return parameters;
  const io::GraphalyticsFacts facts = io::read_graphalytics_facts(spec);
  constexpr struct {
    std::string_view algorithm, key, option, value = {};  // empty: the file's
  } kKeys[] = {{"bfs", "bfs.source-vertex", "source"},
               {"sssp", "sssp.source-vertex", "source"},
               {"cdlp", "cdlp.max-iterations", "max-iterations"},
               {"pagerank", "pr.damping-factor", "damping"},
               {"pagerank", "pr.num-iterations", "variant", "synchronous"},
               {"pagerank", "pr.num-iterations", "max-iterations"}};
  for (const auto& [of, key, option, text] : kKeys) {
    const auto value = facts.values.find(std::string(key));
    if (of != algorithm || value == facts.values.end()) continue;
    const std::string origin = fmt::format("{}{} of {}", facts.prefix, key, spec);
    parameters.push_back({std::string(option), text.empty() ? value->second : std::string(text), origin});
  }
  return parameters;
}

}  // namespace graphrun::inline GR_IDS
