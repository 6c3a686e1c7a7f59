// SPDX-License-Identifier: Apache-2.0
// The options of single algorithms.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace graphrun::inline GR_IDS {

namespace {

/// Returns an option of two algorithms under one name: it sets both fields, and has the value of the one that runs. The second
/// may leave its help to the first.
RunOption shared_option(const RunOption& first, const RunOption& second) {
  RunOption both = first;
  if (!second.text.help.empty()) both.text.help += "; " + second.text.help;
  both.read_by.algorithms.insert(both.read_by.algorithms.end(), second.read_by.algorithms.begin(),
                                 second.read_by.algorithms.end());
  both.set = [=](RunOptions& options, const std::string& typed) {
    first.set(options, typed);
    second.set(options, typed);
  };
  both.get = [=](const RunOptions& options) {
    return std::ranges::count(second.read_by.algorithms, options.algorithm) != 0 ? second.get(options) : first.get(options);
  };
  return both;
}

}  // namespace

std::vector<RunOption> algorithm_options() {
  using Make = OptionMaker<RunOptions>;
  constexpr std::uint64_t kMostSources = 1'000'000;
  constexpr char kLetterless = '\0';
  constexpr bool kOften = true;
  ReadBy starting;
  for (const auto& [name, algorithm] : ChoicesOf<Algorithm>::kAll) {
    const AlgorithmFacts& facts = info_of(algorithm).facts;
    if (facts.has_sources || facts.source_set != nullptr) starting.algorithms.push_back(algorithm);
  }
  std::vector<RunOption> all = {
      {Make::text(
           {"Run", "source", "WHICH",
            "a vertex by its name, max-degree (default of bfs, sssp), random:SEED, or index:N, its number from 0; others than "
            "these two: also several, with commas between (names with commas in double quotes)",
            kLetterless, kOften},
           GR_FIELD(source), parse_source),
       starting},
      {Make::whole({"Run", "sources", "K",
                    "bfs, sssp: run from K random vertices with out-edges, also twice (default 1); others: from K in a trial "
                    "(default: bc "
                    "4 with gap, closeness, harmonic 64, else all; pagerank: with --source random:SEED)",
                    kLetterless, kOften},
                   GR_FIELD(num_sources), 1, kMostSources),
       starting},
  };
  for (const auto& [name, algorithm] : ChoicesOf<Algorithm>::kAll) {
    for (RunOption& option : info_of(algorithm).options()) {
      option.read_by.algorithms = {algorithm};
      const auto same =
          std::ranges::find_if(all, [&](const RunOption& each) { return each.text.name == std::string_view(option.text.name); });
      if (same == all.end())
        all.push_back(std::move(option));
      else
        *same = shared_option(*same, option);
    }
  }
  return all;
}

}  // namespace graphrun::inline GR_IDS
