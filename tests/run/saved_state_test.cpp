// SPDX-License-Identifier: Apache-2.0
// What a run saves after a signal.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "algorithms/algorithm.hpp"
#include "graphrun/core/checkpoint.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/run/run.hpp"
#include "run/cli.hpp"

namespace graphrun::test {
namespace {

/// Runs after a signal. Exits with its number where the run ends by it, and says why.
void run_after_signal(const RunOptions& options) {
  const Rounds rounds;
  Rounds::stop(SIGTERM);
  try {
    run(resolve(options));
  } catch (const StoppedError& error) {
    std::fputs(error.what(), stderr);
    std::_Exit(error.signal);
  }
  std::_Exit(0);
}

using SavedStates = CliTest;

// Rounds of PageRank ended before their save, and a signal in the last one left none.
TEST_F(SavedStates, AreMadeAfterASignalInTheFirstRoundAndTheLast) {
  int count = 0;
  for (const auto& [name, algorithm] : ChoicesOf<Algorithm>::kAll) {
    if (!info_of(algorithm).facts.saves_state) continue;
    for (const std::string_view variant : variants_of(algorithm)) {
      if (variant == "prefix") continue;  // refused
      SCOPED_TRACE(fmt::format("{} {}", name, variant));
      ++count;
      RunOptions options;
      options.graph = "kron:8:8";
      options.device = "cpu";
      set_option(options, "algo", std::string(name));
      set_option(options, "variant", std::string(variant));
      const bool has_one_round = algorithm == Algorithm::pagerank;
      if (has_one_round) set_option(options, "max-iterations", "1");
      const RunResult whole = run(resolve(options));
      options.checkpoint = path(fmt::format("{}-{}", name, variant));
      EXPECT_EXIT(run_after_signal(options), ::testing::ExitedWithCode(SIGTERM), "after save 1 in");
      const RunResult resumed = run(resolve(options));
      EXPECT_TRUE(resumed.trials.at(0).resumed);
      EXPECT_EQ(resumed.digests.at(0).checksum, whole.digests.at(0).checksum);
      if (!has_one_round) continue;
      EXPECT_EQ(resumed.trials[0].stats.edges_examined, 0u);
      EXPECT_EQ(resumed.trials[0].stats.iterations, 1u);
      EXPECT_EQ(resumed.digests[0].top, whole.digests.at(0).top);
    }
  }
  EXPECT_GE(count, 10);
}

}  // namespace
}  // namespace graphrun::test
