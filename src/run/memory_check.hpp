// What a run takes of the machine's memory, and whether there is so much, before anything is read.
#pragma once

#include "graphrun/io/estimate.hpp"
#include "graphrun/run/options.hpp"
#include "graphrun/run/session.hpp"

namespace graphrun::inline GR_IDS {

/// Of the graph that a run loads. Looks at the beginning of the file only and, with `sample`, at some lists of a container.
LoadEstimate estimate_of(const RunOptions& options, bool sample = false);
/// Whether packed lists of such a graph stay packed.
bool keeps_packed(const RunOptions& options, DeviceKind device, const LoadEstimate& graph);

/// What the run makes of weights in a text.
WeightUse weight_use(const RunOptions& options);
/// Whether host threads read lists and weights after a run: verifiers, and the search for a path of sssp.
bool reads_lists_after(const RunOptions& options);

// Of a run over such a graph, through the backend that the options name, by the variant that was settled:
/// Bytes of edges that it reaches.
std::uint64_t reached_bytes(const RunOptions& options, DeviceKind device, const LoadEstimate& graph);
/// Bytes of the table of u64 weights, where it reaches those.
std::uint64_t weight_table_bytes(const RunOptions& options, const LoadEstimate& graph);
/// Whether it reads records that are first made, in memory.
bool makes_records(const RunOptions& options, const LoadEstimate& graph);
/// Bytes of the machine's memory that it takes.
std::uint64_t memory_needed(const RunOptions& options, DeviceKind device, const LoadEstimate& graph);

/// Throws UnavailableError when loading the graph or running over it is estimated to take more than RunOptions::memory_bytes, or,
/// where that is not said, than there is to take. `graph` is estimate_of() the options, whose variant is settled.
void check_memory(const RunOptions& options, const Device& device, const LoadEstimate& graph);

}  // namespace graphrun::inline GR_IDS
