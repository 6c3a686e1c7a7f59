// SPDX-License-Identifier: Apache-2.0
// Where and how conformance cases run: devices, threads, backends and their options. A new backend adds its own to
// arrangements.cpp and nothing else.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "graphrun/run/session.hpp"

namespace graphrun::test {

/// Where and how a case runs.
struct Arrangement {
  std::string name;
  SessionOptions options;
  bool packed = false;  ///< lists and weights are packed
};

inline void PrintTo(const Arrangement& arrangement, std::ostream* stream) { *stream << arrangement.name; }

inline std::string arrangement_name(const ::testing::TestParamInfo<Arrangement>& arrangement) { return arrangement.param.name; }

struct LayoutChoice {
  const char* name;
  Layout layout;
  EdgeId chunk_edges;
};

// Four edges are less than any lane group takes at once, 32 exactly a warp.
inline constexpr LayoutChoice kLayouts[] = {
    {"csr", Layout::csr, 0}, {"chunks_of_4", Layout::balanced, 4}, {"chunks_of_32", Layout::balanced, 32}};

Arrangement make_arrangement(DeviceKind device, int threads, BackendKind backend, const LayoutChoice& layout);
/// With room for as many edges and their weights.
Arrangement subway_arrangement(DeviceKind device, int threads, SubwayVariant variant, std::uint64_t edges,
                               const LayoutChoice& layout);

std::vector<Arrangement> cpu_arrangements();
/// These, or where cases are few, one of each view: operators are tried over all by CpuConformance.
std::vector<Arrangement> cpu_arrangements_of_views();
std::vector<Arrangement> cuda_arrangements();
/// Over packed lists, which some algorithms decode there.
std::vector<Arrangement> packed_arrangements_of_cuda();
/// Parts that meet after each step, over each backend of the CPU.
std::vector<Arrangement> ranks_arrangements();
std::vector<Arrangement> ranks_arrangements_of_views();  ///< as cpu_arrangements_of_views()
/// The same over GPUs: all ranks have the first one, so that one is enough.
std::vector<Arrangement> cuda_ranks_arrangements();

/// What this machine lacks for an arrangement of the CPU; empty when it lacks nothing.
std::string what_lacks(const Arrangement& arrangement);

}  // namespace graphrun::test
