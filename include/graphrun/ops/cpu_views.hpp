// SPDX-License-Identifier: Apache-2.0
// The views through which algorithms read edges on a CPU, and how host threads read each of them.
#pragma once

#include "graphrun/ops/cpu_operators.hpp"
#include "graphrun/ops/cpu_subway.hpp"
#include "graphrun/view/direct_view.hpp"
#include "graphrun/view/paged_view.hpp"

/// Views whose lists are read where the edges are.
/// instantiate(View, ...) gets the further arguments.
#define GR_FOR_EACH_CPU_VIEW_IN_PLACE(instantiate, ...) \
  instantiate(DirectView __VA_OPT__(, ) __VA_ARGS__) instantiate(PagedView __VA_OPT__(, ) __VA_ARGS__)
/// All CPU views: these and subgraphs.
#define GR_FOR_EACH_CPU_VIEW(instantiate, ...) \
  GR_FOR_EACH_CPU_VIEW_IN_PLACE(instantiate __VA_OPT__(, ) __VA_ARGS__) instantiate(CpuSubwayView __VA_OPT__(, ) __VA_ARGS__)
/// Compiles a template of Exec and View for all of them.
#define GR_CPU_INSTANCE(View, Run) template class Run<CpuExecutor, View>;
#define GR_CPU_INSTANCES(Run) GR_FOR_EACH_CPU_VIEW(GR_CPU_INSTANCE, Run)
