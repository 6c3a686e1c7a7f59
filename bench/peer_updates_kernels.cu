// SPDX-License-Identifier: Apache-2.0

#include <cuda_runtime.h>

#include <algorithm>

#include "graphrun/exec/cuda_check.hpp"
#include "graphrun/ops/cuda_launch.cuh"
#include "peer_updates.hpp"

namespace graphrun::bench {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kEach = 2;  // edges that a thread takes in a round
constexpr std::uint32_t kTileEdges = 4096;
constexpr std::uint32_t kFullRecords = 256;  // wait for a GPU: whole lines of them leave
constexpr std::uint32_t kRoomRecords = kFullRecords + kThreads * kEach;
constexpr std::uint32_t kTableRecords = 2048;  // of a block, in which updates of a vertex meet

__device__ int owner_of(const Part& part, std::uint32_t v) {
  int gpu = 0;
  while (v >= part.firsts[gpu + 1]) ++gpu;
  return gpu;
}

template <Work kWork>
__device__ std::uint32_t combined(std::uint32_t a, std::uint32_t b) {
  return kWork == Work::sums ? a + b : min(a, b);
}
/// Applies an update. GPUs do so at the same time: plain updates come from several.
template <Work kWork>
__device__ std::uint32_t update(std::uint32_t* place, std::uint32_t value) {
  return kWork == Work::sums ? atomicAdd_system(place, value) : atomicMin_system(place, value);
}

/// Applies the edge u -> v at v. Returns whether another GPU has to know `value`. A distance counts where it is the smallest that
/// this GPU has seen.
template <Work kWork, bool kKeepsSums>
__device__ bool offer(const Part& part, std::uint32_t u, std::uint32_t v, std::uint32_t& value) {
  const bool is_own = v >= part.firsts[part.gpu] && v < part.firsts[part.gpu + 1];
  std::uint32_t* const state = part.states[part.gpu];
  if constexpr (kWork == Work::sums) {
    value = given_by(u);
    if (is_own || kKeepsSums) update<kWork>(&state[v], value);
    return !is_own;
  } else {
    value = state[u] + weight_of(u, v);
    if (value >= state[v]) return false;
    return update<kWork>(&state[v], value) > value && !is_own;
  }
}

/// Calls take(u, v, is_edge) by all threads of a block together, for edges of active vertices.
template <Work kWork, class Take>
__device__ void for_each_edge(const Part& part, const Take& take) {
  __shared__ std::uint32_t rows[2];
  const std::uint32_t own = part.firsts[part.gpu + 1] - part.firsts[part.gpu];
  const auto row_of = [&](EdgeId edge, std::uint32_t low, std::uint32_t high) {
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      (part.offsets[middle] <= edge ? low : high) = middle;
    }
    return low;
  };
  for (EdgeId tile = EdgeId{blockIdx.x} * kTileEdges; tile < part.edges; tile += EdgeId{gridDim.x} * kTileEdges) {
    const EdgeId end = min(tile + kTileEdges, part.edges);
    __syncthreads();
    if (threadIdx.x < 2) rows[threadIdx.x] = row_of(threadIdx.x == 0 ? tile : end - 1, 0, own);
    __syncthreads();
    for (EdgeId at = tile; at < end; at += kThreads * kEach) {
      for (std::uint32_t each = 0; each < kEach; ++each) {
        const EdgeId edge = at + each * kThreads + threadIdx.x;
        const bool is_edge = edge < end;
        const std::uint32_t row = is_edge ? row_of(edge, rows[0], rows[1] + 1) : 0;
        const bool walks = is_edge && (kWork == Work::sums || (part.active[row / 32] >> row % 32 & 1u) != 0);
        take(part.firsts[part.gpu] + row, walks ? part.targets[edge] : 0, walks);
      }
      take.end_round();
    }
  }
  take.end();
}

__device__ void count(unsigned long long* counter, unsigned long long mine) {
  const unsigned long long all = cuda::warp_sum(mine);
  if (cuda::lane_id() == 0 && all != 0) atomicAdd(counter, all);
}

template <Work kWork, Way kWay>
struct Send {
  const Part& part;
  unsigned long long* updates;

  __device__ void operator()(std::uint32_t u, std::uint32_t v, bool is_edge) const {
    std::uint32_t value = 0;
    if (!is_edge || !offer<kWork, kWay == Way::bulk>(part, u, v, value)) return;
    ++*updates;
    if constexpr (kWay == Way::plain) {
      update<kWork>(&part.states[owner_of(part, v)][v], value);
    } else if constexpr (kWork == Work::distances) {
      std::uint32_t* const word = &part.changed[part.gpu][v / 32];
      if ((*word >> v % 32 & 1u) == 0) atomicOr(word, 1u << v % 32);
    }
  }
  __device__ void end_round() const {}
  __device__ void end() const {}
};

template <Work kWork, Way kWay>
__global__ void __launch_bounds__(kThreads) send_kernel(Part part) {
  unsigned long long updates = 0;
  for_each_edge<kWork>(part, Send<kWork, kWay>{part, &updates});
  count(&part.counted[0], updates);
}

/// Records of a block, by GPU, and a table that merges records of one vertex. After FinePack's queue (section IV).
template <Work kWork, bool kCombines>
struct Pack {
  const Part& part;
  unsigned long long* updates;
  Record* rooms;              ///< kRoomRecords for each GPU
  unsigned long long* table;  ///< a record in each word
  std::uint32_t* waiting;     ///< by GPU

  __device__ static unsigned long long word_of(Record record) {
    return static_cast<unsigned long long>(record.value) << 32 | record.vertex;
  }
  __device__ static Record record_of(unsigned long long word) {
    return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
  }

  __device__ void operator()(std::uint32_t u, std::uint32_t v, bool is_edge) const {
    std::uint32_t value = 0;
    const bool sends = is_edge && offer<kWork, false>(part, u, v, value);
    *updates += sends;
    if constexpr (kCombines) {
      const unsigned senders = __ballot_sync(cuda::kAllLanes, sends);
      if (!sends) return;
      const unsigned same = __match_any_sync(senders, v);
      value = kWork == Work::sums ? __reduce_add_sync(same, value) : __reduce_min_sync(same, value);
      if (__ffs(same) - 1 != static_cast<int>(cuda::lane_id())) return;
      unsigned long long* const place = &table[(v * 2654435761u >> 16) % kTableRecords];
      unsigned long long seen = *place;
      while (true) {
        const bool meets = record_of(seen).vertex == v;
        const std::uint32_t both = meets ? combined<kWork>(record_of(seen).value, value) : value;
        const unsigned long long before = atomicCAS(place, seen, word_of({v, both}));
        if (before == seen) {
          if (!meets && record_of(seen).vertex != kUnreached) put(record_of(seen));
          return;
        }
        seen = before;
      }
    } else if (sends) {
      put({v, value});
    }
  }
  __device__ void put(Record record) const {
    const int gpu = owner_of(part, record.vertex);
    rooms[gpu * kRoomRecords + atomicAdd(&waiting[gpu], 1u)] = record;
  }
  /// Sends lines to GPUs that have enough of them waiting. All threads of a block together.
  __device__ void leave(std::uint32_t least) const {
    __shared__ unsigned long long begin;
    __syncthreads();
    bool any = false;
    for (int gpu = 0; gpu < part.gpus; ++gpu) any |= waiting[gpu] >= least;
    if (!__syncthreads_or(any)) return;
    for (int gpu = 0; gpu < part.gpus; ++gpu) {
      const std::uint32_t have = waiting[gpu];
      if (have < least || have == 0) continue;
      // At the end a line is filled up.
      const std::uint32_t leaves =
          least == 0 ? (have + kLineRecords - 1) / kLineRecords * kLineRecords : have / kLineRecords * kLineRecords;
      Record* const room = rooms + gpu * kRoomRecords;
      for (std::uint32_t i = have + threadIdx.x; i < leaves; i += kThreads) room[i] = {kUnreached, 0};
      if (threadIdx.x == 0) begin = atomicAdd(&part.sent[part.gpu][gpu], static_cast<unsigned long long>(leaves));
      __syncthreads();
      for (std::uint32_t i = threadIdx.x; i < leaves; i += kThreads) part.inbox_at[gpu][begin + i] = room[i];
      const std::uint32_t stay = have > leaves ? have - leaves : 0;
      const Record kept = threadIdx.x < stay ? room[leaves + threadIdx.x] : Record{};
      __syncthreads();
      if (threadIdx.x < stay) room[threadIdx.x] = kept;
      if (threadIdx.x == 0) waiting[gpu] = stay;
      __syncthreads();
    }
    __syncthreads();  // all have read how many wait, before the next updates are put there
  }
  __device__ void end_round() const { leave(kFullRecords); }
  __device__ void end() const {
    if constexpr (kCombines) {
      for (std::uint32_t i = threadIdx.x; i < kTableRecords; i += kThreads) {
        if (const Record record = record_of(table[i]); record.vertex != kUnreached) put(record);
        leave(kFullRecords);
      }
    }
    leave(0);
  }
};

template <Work kWork, bool kCombines>
__global__ void __launch_bounds__(kThreads) pack_kernel(Part part) {
  extern __shared__ unsigned long long shared[];
  __shared__ std::uint32_t waiting[kMostGpus];
  unsigned long long* const table = shared;
  auto* const rooms = reinterpret_cast<Record*>(table + (kCombines ? kTableRecords : 0));
  if (threadIdx.x < kMostGpus) waiting[threadIdx.x] = 0;
  if constexpr (kCombines) {
    for (std::uint32_t i = threadIdx.x; i < kTableRecords; i += kThreads) table[i] = kUnreached;
  }
  __syncthreads();
  unsigned long long updates = 0;
  for_each_edge<kWork>(part, Pack<kWork, kCombines>{part, &updates, rooms, table, waiting});
  count(&part.counted[0], updates);
}

template <Work kWork>
__global__ void take_bulk_kernel(Part part) {
  unsigned long long taken = 0;
  const std::uint32_t first = part.firsts[part.gpu], last = part.firsts[part.gpu + 1];
  std::uint32_t* const state = part.states[part.gpu];
  for (std::uint32_t v = first + blockIdx.x * blockDim.x + threadIdx.x; v < last; v += gridDim.x * blockDim.x) {
    for (int gpu = 0; gpu < part.gpus; ++gpu) {
      if (gpu == part.gpu || (kWork == Work::distances && (part.changed[gpu][v / 32] >> v % 32 & 1u) == 0)) continue;
      state[v] = combined<kWork>(state[v], part.states[gpu][v]);
      ++taken;
    }
  }
  count(&part.counted[2], taken);
}

template <Work kWork>
__global__ void take_records_kernel(Part part, int from) {
  const unsigned long long records = part.sent[from][part.gpu];
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < records; i += stride) {
    const Record record = part.inbox_of[from][i];
    if (record.vertex != kUnreached) update<kWork>(&part.states[part.gpu][record.vertex], record.value);
  }
}

__global__ void advance_kernel(Part part) {
  const std::uint32_t first = part.firsts[part.gpu];
  const std::uint32_t own = part.firsts[part.gpu + 1] - first;
  unsigned long long active = 0;
  for (std::uint64_t group = cuda::warp_id(); group < (own + 31) / 32; group += cuda::warp_count()) {
    const auto row = static_cast<std::uint32_t>(group * 32 + cuda::lane_id());
    const std::uint32_t now = row < own ? part.states[part.gpu][first + row] : kUnreached;
    const bool fell = row < own && now < part.before[row];
    if (fell) part.before[row] = now, ++active;
    const std::uint32_t word = __ballot_sync(cuda::kAllLanes, fell);
    if (cuda::lane_id() == 0) part.active[group] = word;
  }
  count(&part.counted[1], active);
}

template <class Kernel>
int blocks_of(Kernel* kernel, std::size_t shared_bytes) {
  int device = 0, processors = 0, blocks = 0;
  cuda::check(cudaGetDevice(&device), "ask for the device");
  cuda::check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "ask for multiprocessors");
  cuda::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)),
              "ask for shared memory");
  cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, kThreads, shared_bytes), "ask for room");
  return std::max(1, blocks) * processors;
}

template <class Kernel, class... Given>
void run(Kernel* kernel, std::size_t shared_bytes, const Given&... given) {
  kernel<<<blocks_of(kernel, shared_bytes), kThreads, shared_bytes>>>(given...);
  cuda::check(cudaGetLastError(), "start a kernel");
}

template <Work kWork>
void push(const Part& part, Way way, bool combines) {
  const std::size_t rooms = sizeof(Record) * kRoomRecords * static_cast<std::size_t>(part.gpus);
  if (way == Way::plain) return run(send_kernel<kWork, Way::plain>, 0, part);
  if (way == Way::bulk) return run(send_kernel<kWork, Way::bulk>, 0, part);
  cuda::check(cudaMemsetAsync(part.sent[part.gpu], 0, sizeof(unsigned long long) * kMostGpus), "clear counters");
  if (combines) return run(pack_kernel<kWork, true>, rooms + kTableRecords * sizeof(unsigned long long), part);
  run(pack_kernel<kWork, false>, rooms, part);
}

template <Work kWork>
void receive(const Part& part, Way way) {
  if (way == Way::bulk) run(take_bulk_kernel<kWork>, 0, part);
  for (int from = 0; way == Way::packed && from < part.gpus; ++from) {
    if (from != part.gpu) run(take_records_kernel<kWork>, 0, part, from);
  }
}

}  // namespace

void start(const Part& part, Work work) {
  const std::size_t n = part.firsts[part.gpus];
  const int empty = work == Work::sums ? 0 : 0xff;
  cuda::check(cudaMemsetAsync(part.states[part.gpu], empty, n * sizeof(std::uint32_t)), "clear states");
  cuda::check(cudaMemsetAsync(part.before, 0xff, (part.last() - part.first()) * sizeof(std::uint32_t)), "clear distances");
  cuda::check(cudaMemsetAsync(part.changed[part.gpu], 0, (n + 31) / 32 * sizeof(std::uint32_t)), "clear bits");
  cuda::check(cudaMemsetAsync(part.counted, 0, sizeof(Counted)), "clear counters");
}

void push(const Part& part, Work work, Way way, bool combines) {
  const std::size_t n = part.firsts[part.gpus];
  if (way == Way::bulk) {
    if (work == Work::distances) {
      cuda::check(cudaMemsetAsync(part.changed[part.gpu], 0, (n + 31) / 32 * sizeof(std::uint32_t)), "clear bits");
    } else {  // what is for other GPUs, which they took
      std::uint32_t* const state = part.states[part.gpu];
      cuda::check(cudaMemsetAsync(state, 0, part.first() * sizeof(*state)), "clear states");
      cuda::check(cudaMemsetAsync(state + part.last(), 0, (n - part.last()) * sizeof(*state)), "clear states");
    }
  }
  work == Work::sums ? push<Work::sums>(part, way, combines) : push<Work::distances>(part, way, combines);
}

void receive(const Part& part, Work work, Way way) {
  work == Work::sums ? receive<Work::sums>(part, way) : receive<Work::distances>(part, way);
}

void advance(const Part& part) {
  cuda::check(cudaMemsetAsync(part.counted + 1, 0, sizeof(unsigned long long)), "clear a counter");
  run(advance_kernel, 0, part);
}

}  // namespace graphrun::bench
