// SPDX-License-Identifier: Apache-2.0
// Figures of EMOGI and GPUVM that compare with managed memory. Lines with a mean have the paper's number beside ours.
#pragma once

#include <string>
#include <vector>

#include "report.hpp"
#include "uvm/measure.hpp"

namespace graphrun::bench::uvm {

/// 2.9 to 2.12 and 2.14 of EMOGI; 8, 9, 12 and 14 of GPUVM.
const std::vector<std::string>& all_figures();

/// Prints one figure.
void print_figure(const std::string& figure, Bench& bench, Report& report);

}  // namespace graphrun::bench::uvm
