// SPDX-License-Identifier: Apache-2.0
// The kernels of peer_updates, apart from the program because nvcc does not take its headers.
#pragma once

#include <cstdint>

#include "graphrun/core/macros.hpp"
#include "graphrun/core/types.hpp"

namespace graphrun::bench {

inline constexpr int kMostGpus = 8;
inline constexpr std::uint32_t kUnreached = ~std::uint32_t{0};

enum class Work : std::uint8_t { sums, distances };
enum class Way : std::uint8_t { plain, bulk, packed };

/// Returns the contribution of a vertex to each of its neighbours.
GR_HD constexpr std::uint32_t given_by(std::uint32_t v) { return v % 97 + 1; }
/// Returns a weight from 1 to 64.
GR_HD constexpr std::uint32_t weight_of(std::uint32_t u, std::uint32_t v) {
  return ((u * 2654435761u ^ v * 2246822519u) >> 16) % 64 + 1;
}

/// An update that travels: 16 of them are a line.
struct Record {
  std::uint32_t vertex;  ///< kUnreached: fills a line up
  std::uint32_t value;
};
inline constexpr std::uint32_t kLineRecords = 128 / sizeof(Record);

/// A GPU's data for kernels: its lists, states of all vertices (valid for its own), and the other GPUs' memory.
struct Part {
  int gpu = 0;
  int gpus = 1;
  std::uint32_t firsts[kMostGpus + 1] = {};  ///< GPU g has vertices [firsts[g], firsts[g + 1])
  const EdgeId* offsets = nullptr;           ///< of its vertices, from 0
  const VertexId* targets = nullptr;
  EdgeId edges = 0;
  std::uint32_t* states[kMostGpus] = {};     ///< by GPU
  std::uint32_t* changed[kMostGpus] = {};    ///< a bit for each vertex; bulk
  std::uint32_t* before = nullptr;           ///< its distances in the step before
  std::uint32_t* active = nullptr;           ///< a bit for each vertex
  Record* inbox_at[kMostGpus] = {};          ///< where it writes records for that GPU
  Record* inbox_of[kMostGpus] = {};          ///< where that GPU writes records for this one
  unsigned long long* sent[kMostGpus] = {};  ///< by GPU: records that it sent to each
  unsigned long long* counted = nullptr;     ///< Counted

  std::uint32_t first() const { return firsts[gpu]; }
  std::uint32_t last() const { return firsts[gpu + 1]; }
};
struct Counted {
  unsigned long long updates;  ///< of vertices of other GPUs
  unsigned long long active;
  unsigned long long taken;  ///< updates that came in bulk
};

/// Run on the current device and its default stream. Throw RunError.
void start(const Part& part, Work work);
/// Traverses the lists of (active) vertices. `combines`: packed updates of a vertex that meet in a block become one.
void push(const Part& part, Work work, Way way, bool combines);
/// Merges updates that the others sent, or changes that they made.
void receive(const Part& part, Work work, Way way);
/// Finds the vertices whose distance fell: counted->active.
void advance(const Part& part);

}  // namespace graphrun::bench
