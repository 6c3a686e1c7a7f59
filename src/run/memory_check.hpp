// SPDX-License-Identifier: Apache-2.0
// A run's use of the machine's memory, checked against what is free before anything is read.
#pragma once

#include "graphrun/io/estimate.hpp"
#include "graphrun/run/options.hpp"
#include "graphrun/run/session.hpp"

namespace graphrun::inline GR_IDS {

/// Returns the estimate for a run's graph. Reads only the beginning of the file and, with `sample`, some lists of a container.
LoadEstimate estimate_of(const RunOptions& options, bool sample = false);
/// Returns whether packed lists of such a graph stay packed.
bool keeps_packed(const RunOptions& options, DeviceKind device, const LoadEstimate& graph);

/// Returns the run's use of weights in a text.
WeightUse weight_use(const RunOptions& options);
/// Returns whether host threads read lists and weights after a run: verifiers, and the search for a path of sssp.
bool reads_lists_after(const RunOptions& options);

// For a run over such a graph, with the options' backend and chosen variant:
/// Returns the bytes of edges that it reads.
std::uint64_t reached_bytes(const RunOptions& options, DeviceKind device, const LoadEstimate& graph);
/// Returns the bytes of the table of u64 weights, where it reads these.
std::uint64_t weight_table_bytes(const RunOptions& options, const LoadEstimate& graph);
/// Returns whether it reads records that must be made first, in memory.
bool makes_records(const RunOptions& options, const LoadEstimate& graph);
/// Returns whether its weights are made in memory.
bool makes_weights(const RunOptions& options, const LoadEstimate& graph);
/// Returns the bytes of the machine's memory that it uses.
std::uint64_t memory_needed(const RunOptions& options, DeviceKind device, const LoadEstimate& graph);

/// Throws UnavailableError when loading the graph or running over it is estimated to exceed RunOptions::memory_bytes, or by
/// default the available memory. `graph` is estimate_of() the options, whose variant is chosen.
void check_memory(const RunOptions& options, const Device& device, const LoadEstimate& graph);

}  // namespace graphrun::inline GR_IDS
