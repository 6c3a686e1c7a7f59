// SPDX-License-Identifier: Apache-2.0
// Figures of the paper, from what contenders found. Lines with a mean over programs have the paper's number beside it.
#pragma once

#include <string>
#include <vector>

#include "finepack/locality.hpp"
#include "finepack/methods.hpp"
#include "report.hpp"

namespace graphrun::bench::finepack {

/// A parameter of the queue that is varied, with the figure that shows it.
struct Sweep {
  const char* figure;
  const char* parameter;
  std::vector<std::uint64_t> values;
  void (*set)(QueueOptions& queue, std::uint64_t value);
};
const std::vector<Sweep>& sweeps();

struct Entrant {
  Contender contender;
  const Sweep* sweep = nullptr;  ///< nullptr: the queue that was asked for
  std::uint64_t value = 0;       ///< of the sweep's parameter
};

/// A program on some ranks.
struct Outcome {
  std::string work;
  int ranks = 0;
  int steps = 0;
  unsigned element_bytes = 0;
  double one_gpu_ms = 0;
  Locality locality;
  std::vector<Entrant> entrants;

  /// Throws std::logic_error where there is none.
  const Contender::Totals& totals(Method method, const Link& link, const Sweep* sweep = nullptr, std::uint64_t value = 0) const;
  double speedup(Method method, const Link& link, const Sweep* sweep = nullptr, std::uint64_t value = 0) const {
    const double ms = totals(method, link, sweep, value).ms;
    return ms > 0 ? one_gpu_ms / ms : 0;
  }
};

/// Figures 2, 4, 5, 9 to 13, entries, windows and timeout.
const std::vector<std::string>& all_figures();

/// Prints one figure. `outcomes` are of the same number of ranks; sweeps use the first link.
void print_figure(const std::string& figure, const std::vector<Outcome>& outcomes, const std::vector<Link>& links,
                  Report& report);

}  // namespace graphrun::bench::finepack
