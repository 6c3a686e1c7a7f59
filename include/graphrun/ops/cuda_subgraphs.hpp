// SPDX-License-Identifier: Apache-2.0
// Subgraphs on a GPU: a plan made there, edges gathered by host threads into pinned memory and copied in bulk into device memory.
//
// Gathering goes through a ring of pinned pieces, so that it and the copies overlap. A step that looks at each subgraph once uses
// half the device buffer at a time, so that the next subgraph is on its way while kernels work on this one. Compiles without
// CUDA.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "graphrun/core/macros.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/ops/subgraph.hpp"
#include "graphrun/ops/subgraph_counters.hpp"
#include "graphrun/view/subway_view.hpp"

namespace graphrun::cuda::inline GR_IDS {

/// Rows and edges of a stretch of the plan, or of all stretches before it.
struct PlanTile {
  unsigned long long rows;
  unsigned long long edges;
};
struct AddTiles {
  GR_HD PlanTile operator()(const PlanTile& a, const PlanTile& b) const { return {a.rows + b.rows, a.edges + b.edges}; }
};

/// What kernels write a plan into; see SubgraphRows.
struct PlanRef {
  VertexId* vertices;
  EdgeId* sources;
  EdgeId* places;
  PlanTile* tiles;  ///< one a stretch of kPlanTile items, and one for the end
};

inline constexpr std::uint64_t kPlanTile = 1024;
inline std::uint64_t plan_tiles(std::uint64_t items) { return (items + kPlanTile - 1) / kPlanTile; }

void* allocate_pinned(std::size_t bytes);  ///< throws RunError
void free_pinned(void* pointer) noexcept;

/// Elements of host memory that the device copies from and to at the speed of the link. Move-only.
template <class T>
class PinnedArray {
 public:
  PinnedArray() = default;
  explicit PinnedArray(std::size_t size) : data_(static_cast<T*>(allocate_pinned(size * sizeof(T)))) {}
  ~PinnedArray() { free_pinned(data_); }
  PinnedArray(PinnedArray&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  PinnedArray& operator=(PinnedArray&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

/// A point in a stream (a cudaEvent_t). Move-only.
class Event {
 public:
  Event();
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(void* stream);
  void let_wait(void* stream) const;  ///< makes later work in `stream` wait for the point
  void wait() const;                  ///< blocks this thread; returns at once when nothing was recorded

 private:
  void* event_ = nullptr;
};

}  // namespace graphrun::cuda::inline GR_IDS

namespace graphrun::inline GR_IDS {

/// Plans, gathers and copies subgraphs. Made once by a backend, whose executor outlives it. One operator at a time uses it.
class CudaSubgraphs {
 public:
  static constexpr EdgeId kLeastCapacity = 128;

  /// Most edges that a step looks at once in one subgraph: small, so that computing overlaps with the next copy.
  static constexpr EdgeId kPassEdges = EdgeId{1} << 26;

  CudaSubgraphs(CudaExecutor& exec, const SubgraphOptions& options);
  ~CudaSubgraphs();
  CudaSubgraphs(const CudaSubgraphs&) = delete;
  CudaSubgraphs& operator=(const CudaSubgraphs&) = delete;

  bool asynchronous() const { return options_.asynchronous; }
  EdgeId room() const { return options_.capacity; }
  EdgeId pass_room() const { return half_ < kPassEdges ? half_ : kPassEdges; }
  /// Returns the edges of half a buffer of this capacity: the most of a piece of a list.
  static constexpr EdgeId half_of(EdgeId capacity) { return capacity / 2 / kLine * kLine; }
  std::uint64_t buffer_bytes() const { return neighbours_.bytes() + weights_.bytes(); }
  static std::uint64_t plan_bytes(std::uint64_t rows) { return rows * (sizeof(VertexId) + 2 * sizeof(EdgeId)); }

  /// Returns the rows for kernels to write; then end_plan() brings them to the host.
  cuda::PlanRef start_plan();
  /// Replaces tiles[0 .. count) of the plan by the sums of the tiles before them, and writes the total after the last.
  void scan_tiles(std::uint64_t count);
  /// Ends a plan of `tiles` tiles. `key` names a plan that may be asked for again (keeps()); null for none.
  void end_plan(std::uint64_t tiles, const void* key, double elapsed_ms);
  bool keeps(const void* key) const { return key == kept_; }
  PlannedRows plan() const { return {host_sources_.data(), host_places_.data(), rows_}; }
  bool plan_more() const { return false; }  // one plan has everything

  /// Gathers and copies rows [first, last) of the plan; kernels that are launched from now on come after that.
  Subgraph load(const HostEdges& edges, bool weighted, std::uint64_t first, std::uint64_t last);
  /// Marks that all kernels over the last subgraph have been launched.
  void release();

  Marks marks(std::uint32_t* next) { return {next, loaded_.data(), rounds_[0].data(), rounds_[1].data()}; }
  DeviceArray<std::uint32_t>& loaded() { return loaded_; }
  DeviceArray<std::uint32_t>& again(const Marks& marks) { return rounds_[marks.again == rounds_[0].data() ? 0 : 1]; }

  RoundCounts* round() const { return round_.data(); }
  /// Waits for the kernels of a round, and returns their counts.
  RoundCounts take_counts();
  /// Returns the sum of edge_reduce_pull, in device memory.
  double* sum() const { return sum_.data(); }
  double take_sum();

  const SubgraphCounters& counters() const { return counters_; }
  void reset_counters() { counters_ = {}; }

 private:
  static constexpr EdgeId kLine = 32;                                // edges; halves begin on a line of memory
  static constexpr std::size_t kStageBytes = std::size_t{16} << 20;  // of a pinned piece
  static constexpr std::size_t kStages = 4;

  struct Stage {
    cuda::PinnedArray<std::byte> memory{kStageBytes};
    cuda::Event copied;
  };

  template <class T>
  void copy(EdgeId begin, EdgeId end, const T* from, T* to);

  CudaExecutor& exec_;
  SubgraphOptions options_;
  ThreadPool pool_;
  EdgeId half_;
  void* copies_ = nullptr;  // a cudaStream_t

  DeviceArray<VertexId> vertices_;
  DeviceArray<EdgeId> sources_;
  DeviceArray<EdgeId> places_;
  DeviceArray<cuda::PlanTile> tiles_;
  DeviceArray<std::byte> scan_room_;
  cuda::PinnedArray<EdgeId> host_sources_;
  cuda::PinnedArray<EdgeId> host_places_;
  std::uint64_t rows_ = 0;
  const void* kept_ = nullptr;

  DeviceArray<VertexId> neighbours_;
  DeviceArray<std::uint32_t> weights_;
  std::array<cuda::Event, 2> computed_;  // over each half of the buffer
  cuda::Event copied_;
  std::size_t used_half_ = 0;
  bool used_both_ = false;
  std::array<Stage, kStages> stages_;
  std::size_t next_stage_ = 0;

  DeviceArray<std::uint32_t> loaded_;
  DeviceArray<std::uint32_t> rounds_[2];
  DeviceArray<RoundCounts> round_;
  DeviceArray<double> sum_;
  SubgraphCounters counters_;
};

}  // namespace graphrun::inline GR_IDS
