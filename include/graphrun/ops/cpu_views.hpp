// SPDX-License-Identifier: Apache-2.0
// The views through which algorithms read edges on a CPU, and how host threads read each of them.
#pragma once

#include "graphrun/ops/cpu_operators.hpp"
#include "graphrun/ops/cpu_subway.hpp"
#include "graphrun/view/direct_view.hpp"
#include "graphrun/view/paged_view.hpp"

/// Views whose lists are read where the edges are.
#define GR_FOR_EACH_CPU_VIEW_IN_PLACE(instantiate) instantiate(DirectView) instantiate(PagedView)
/// All CPU views: these and subgraphs.
#define GR_FOR_EACH_CPU_VIEW(instantiate) GR_FOR_EACH_CPU_VIEW_IN_PLACE(instantiate) instantiate(CpuSubwayView)
