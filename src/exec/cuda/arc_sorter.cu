// SPDX-License-Identifier: Apache-2.0

#include <cooperative_groups.h>
#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system_error.h>
#include <thrust/transform_reduce.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>
#include <string>
#include <type_traits>
#include <utility>

#include "exec/cuda/staged_copies.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/exec/arc_sorter.hpp"
#include "graphrun/exec/cuda_check.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/exec/cuda_executor.hpp"

namespace graphrun {
namespace cuda {
namespace {

using Id = std::uint32_t;
using Word = std::uint32_t;
using Key = std::uint64_t;
using Count = unsigned long long;  // atomicAdd's type

constexpr unsigned kThreadsABlock = 256;
const cudaStream_t kStream = cudaStreamPerThread;

unsigned blocks_for(std::uint64_t items) {
  constexpr std::uint64_t kMostBlocks = 1 << 16;
  return static_cast<unsigned>(std::clamp<std::uint64_t>((items + kThreadsABlock - 1) / kThreadsABlock, 1, kMostBlocks));
}

__global__ void source_kernel() {}  // represents this source for load_modules_of()

template <class Body>
__global__ void each_kernel(std::uint64_t count, Body body) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < count; i += step) body(i);
}

/// Calls body(i) on the device for each i below `count`, and waits.
template <class Body>
void for_each(std::uint64_t count, const Body& body) {
  each_kernel<<<blocks_for(count), kThreadsABlock, 0, kStream>>>(count, body);
  check(cudaGetLastError(), "put a graph in order");
  check(cudaStreamSynchronize(kStream), "put a graph in order");
}

/// Returns zeroed memory.
template <class T>
DeviceArray<T> make_zeros(std::uint64_t count) {
  DeviceArray<T> made(count);
  check(cudaMemset(made.data(), 0, made.bytes()), "clear device memory");
  return made;
}

/// Copies from the device after all work given to it.
template <class T>
T fetch(const T* from, const char* what) {
  T value;
  check(cudaMemcpyAsync(&value, from, sizeof(T), cudaMemcpyDeviceToHost, kStream), what);
  check(cudaStreamSynchronize(kStream), what);
  return value;
}

/// Returns a slot for each calling lane, with one atomic for the lanes of a warp that call together.
__device__ std::uint64_t take_place(Count* next) {
  const auto asking = cooperative_groups::coalesced_threads();
  Count first = 0;
  if (asking.thread_rank() == 0) first = atomicAdd(next, asking.size());
  return asking.shfl(first, 0) + asking.thread_rank();
}

/// Returns a key that sorts f32 bit patterns by value, as sort_weights() on the CPU.
__device__ Word f32_rank(Word bits) { return bits >> 31 != 0 ? ~bits : bits | 0x80000000u; }
__device__ Word f32_of_rank(Word rank) { return rank >> 31 != 0 ? rank & 0x7fffffffu : ~rank; }

/// Packing of two ids into a key.
struct KeyForm {
  int id_bits;

  __device__ Key key(Key source, Key target) const { return source << id_bits | target; }
  __device__ Key source(Key key) const { return key >> id_bits; }
  __device__ Key target(Key key) const { return key & ((Key{1} << id_bits) - 1); }
};

struct StartsRun {
  const Key* keys;
  __device__ bool operator()(std::uint64_t i) const { return i == 0 || keys[i] != keys[i - 1]; }
};

/// Returns arc i's share of the sums. Rows ascend.
struct SumsOfArc {
  const Key* keys;
  KeyForm form;

  __device__ ArcSums operator()(std::uint64_t i) const {
    const Key u = form.source(keys[i]);
    const Key v = form.target(keys[i]);
    return {.self_loops = u == v,
            .duplicates = i != 0 && keys[i] == keys[i - 1],
            .descents = i != 0 && keys[i] < keys[i - 1],
            .forward = splitmix64(splitmix64(u) ^ v),
            .backward = splitmix64(splitmix64(v) ^ u)};
  }
};

struct AddSums {
  __device__ ArcSums operator()(const ArcSums& a, const ArcSums& b) const {
    return {a.self_loops + b.self_loops, a.duplicates + b.duplicates, a.descents + b.descents,
            a.forward + b.forward,       a.backward + b.backward,     a.isolated + b.isolated};
  }
};

/// Makes call(scratch, bytes) of CUB twice: for the size of its scratch memory, then with that memory. Waits.
template <class Call>
void with_scratch(const char* what, const Call& call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes), what);
  const DeviceArray<std::byte> scratch(bytes);
  check(call(scratch.data(), bytes), what);
  check(cudaStreamSynchronize(kStream), what);
}

/// An array and a spare one to sort it.
template <class T>
struct Pair {
  Pair() = default;
  explicit Pair(std::uint64_t size) : now(size), spare(size) {}
  void swap() { std::swap(now, spare); }

  DeviceArray<T> now;
  DeviceArray<T> spare;
};

/// Sorts stably by the bits below `bits`, from bit `low` on. V is cub::NullType for keys alone.
template <class K, class V>
void radix_sort(Pair<K>& keys, Pair<V>& values, std::uint64_t count, int bits, int low = 0) {
  cub::DoubleBuffer<K> both_keys(keys.now.data(), keys.spare.data());
  cub::DoubleBuffer<V> both_values(values.now.data(), values.spare.data());
  if (count == 0) return;
  with_scratch("sort on the GPU", [&](void* scratch, std::size_t& bytes) {
    if constexpr (std::is_same_v<V, cub::NullType>) {
      return cub::DeviceRadixSort::SortKeys(scratch, bytes, both_keys, count, low, std::max(low + 1, bits), kStream);
    } else {
      return cub::DeviceRadixSort::SortPairs(scratch, bytes, both_keys, both_values, count, low, std::max(low + 1, bits),
                                             kStream);
    }
  });
  if (both_keys.Current() != keys.now.data()) keys.swap();
  if (both_values.Current() != values.now.data()) values.swap();
}

/// Arcs on the device, and their sizes.
struct DeviceArcs {
  std::uint64_t vertices = 0;
  std::uint64_t count = 0;
  KeyForm form{};
  Pair<Key> keys;
  Pair<Word> words;  // empty without weights
  DeviceArray<std::uint64_t> offsets;
  DeviceArray<Id> new_ids;
};

DeviceArcs load_arcs(const ArcSource& source, WeightOrder order, StagedCopies& copies, ThreadPool& pool) {
  DeviceArcs arcs;
  arcs.vertices = source.vertices;
  arcs.form = {source.vertices < 2 ? 0 : static_cast<int>(std::bit_width(source.vertices - 1))};
  arcs.keys = Pair<Key>(source.most_arcs());
  if (order != WeightOrder::no_weights) arcs.words = Pair<Word>(source.most_arcs());
  arcs.offsets = DeviceArray<std::uint64_t>(source.vertices + 1);
  if (source.new_ids.data != nullptr) {
    arcs.new_ids = DeviceArray<Id>(source.vertices);
    copies.to_device(arcs.new_ids.data(), source.new_ids, source.vertices, pool);
  }
  // Raw entries take at most the room for sorting.
  auto* targets = reinterpret_cast<Id*>(arcs.keys.spare.data());
  Id* sources = source.sources.data == nullptr ? nullptr : targets + source.entries;
  Word* weights = source.weights == nullptr ? nullptr : arcs.words.spare.data();
  copies.to_device(targets, source.targets, source.entries, pool);
  if (sources != nullptr) {
    copies.to_device(sources, source.sources, source.entries, pool);
  } else if (source.offsets.data != nullptr) {
    copies.to_device(arcs.offsets.data(), source.offsets, source.vertices + 1, pool);
  }
  if (weights != nullptr) copies.to_device(weights, HostArray<const void>(source.weights), source.entries, pool);

  const bool gaps = source.drop_self_loops || (source.forwards && source.backwards);
  const auto next = make_zeros<Count>(1);
  for_each(source.entries,
           [=, offsets = arcs.offsets.data(), last = arcs.offsets.data() + source.vertices + 1, new_ids = arcs.new_ids.data(),
            keys = arcs.keys.now.data(), words = arcs.words.now.data(), places = next.data(), form = arcs.form,
            both_renamed = source.rename_sources, forwards = source.forwards, backwards = source.backwards,
            no_loops = source.drop_self_loops] __device__(std::uint64_t e) {
             // The last row that starts at or before `e` holds it: empty rows end where they start.
             Key u = sources != nullptr ? sources[e] : thrust::upper_bound(thrust::seq, offsets, last, e) - offsets - 1;
             Key v = targets[e];
             const bool loop = u == v;
             if (loop && no_loops) return;
             if (new_ids != nullptr && both_renamed) u = new_ids[u];
             if (new_ids != nullptr) v = new_ids[v];
             Word word = weights != nullptr ? weights[e] : 0;
             if (order == WeightOrder::f32) word = f32_rank(word);
             const auto put = [&](Key from, Key to) {
               const std::uint64_t place = gaps ? take_place(places) : e;
               keys[place] = form.key(from, to);
               if (words != nullptr) words[place] = word;
             };
             if (forwards) put(u, v);
             if (backwards && !(forwards && loop)) put(v, u);
           });
  arcs.count = gaps ? fetch(next.data(), "count arcs") : source.entries;
  return arcs;
}

void sort_arcs(DeviceArcs& arcs, WeightOrder order) {
  const int bits = 2 * arcs.form.id_bits;
  if (order == WeightOrder::no_weights) {
    Pair<cub::NullType> none;
    return radix_sort(arcs.keys, none, arcs.count, bits);
  }
  if (order != WeightOrder::as_they_come) radix_sort(arcs.words, arcs.keys, arcs.count, 32);
  radix_sort(arcs.keys, arcs.words, arcs.count, bits);
}

/// Sorts by source, weight and target. Precondition: arcs were loaded with the bits of their weights.
void sort_by_weight(DeviceArcs& arcs, WeightOrder order) {
  if (order == WeightOrder::f32) {
    for_each(arcs.count, [words = arcs.words.now.data()] __device__(std::uint64_t e) {
      if (words[e] == 0x80000000u) words[e] = 0;
    });
  }
  const int id_bits = arcs.form.id_bits;
  radix_sort(arcs.keys, arcs.words, arcs.count, id_bits);
  radix_sort(arcs.words, arcs.keys, arcs.count, 32);
  radix_sort(arcs.keys, arcs.words, arcs.count, 2 * id_bits, id_bits);
}

/// Keeps the first of equal arcs. Precondition: arcs are sorted.
void drop_repeated(DeviceArcs& arcs) {
  constexpr std::uint64_t kMostAtOnce = 1 << 30;  // limit of older versions of CUB
  const DeviceArray<int> selected(1);
  std::uint64_t* kept = arcs.keys.spare.data();
  std::uint64_t num_kept = 0;
  for (std::uint64_t begin = 0; begin < arcs.count; begin += kMostAtOnce) {
    const auto some = static_cast<int>(std::min(kMostAtOnce, arcs.count - begin));
    with_scratch("select on the GPU", [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceSelect::If(scratch, bytes, thrust::counting_iterator<std::uint64_t>(begin), kept + num_kept,
                                   selected.data(), some, StartsRun{arcs.keys.now.data()}, kStream);
    });
    num_kept += static_cast<std::uint64_t>(fetch(selected.data(), "select on the GPU"));
  }
  for_each(num_kept, [=, keys = arcs.keys.now.data(), words = arcs.words.now.data(),
                      kept_words = arcs.words.spare.data()] __device__(std::uint64_t i) {
    const std::uint64_t from = kept[i];
    kept[i] = keys[from];
    if (words != nullptr) kept_words[i] = words[from];
  });
  arcs.keys.swap();
  arcs.words.swap();
  arcs.count = num_kept;
}

/// Finds the start of each row. Precondition: arcs are sorted.
void find_offsets(DeviceArcs& arcs) {
  for_each(arcs.vertices + 1, [=, offsets = arcs.offsets.data(), keys = arcs.keys.now.data(), count = arcs.count,
                               form = arcs.form, vertices = arcs.vertices] __device__(std::uint64_t v) {
    offsets[v] = v == vertices ? count : thrust::lower_bound(thrust::seq, keys, keys + count, form.key(v, 0)) - keys;
  });
}

/// Writes targets to the room for sorting.
Id* unpack_targets(DeviceArcs& arcs, bool old_ids) {
  const DeviceArray<Id> names(old_ids ? arcs.vertices : 0);
  if (old_ids) {
    for_each(arcs.vertices, [names = names.data(), new_ids = arcs.new_ids.data()] __device__(std::uint64_t v) {
      names[new_ids[v]] = static_cast<Id>(v);
    });
  }
  auto* targets = reinterpret_cast<Id*>(arcs.keys.spare.data());
  for_each(arcs.count, [=, names = names.data(), keys = arcs.keys.now.data(), form = arcs.form] __device__(std::uint64_t e) {
    const auto target = static_cast<Id>(form.target(keys[e]));
    targets[e] = names != nullptr ? names[target] : target;
  });
  return targets;
}

/// Returns the sum of of(i) for i below `count`.
template <class T, class Of, class Add>
T sum_of(std::uint64_t count, const Of& of, const Add& add) {
  const thrust::counting_iterator<std::uint64_t> first(0);
  try {
    return thrust::transform_reduce(thrust::cuda::par.on(kStream), first, first + count, of, T{}, add);
  } catch (const thrust::system_error& error) {
    throw RunError(std::string("examine a graph: ") + error.what());
  }
}

std::uint64_t count_isolated(const DeviceArcs& arcs) {
  const auto touched = make_zeros<unsigned char>(arcs.vertices);
  for_each(arcs.count, [touched = touched.data(), keys = arcs.keys.now.data(), form = arcs.form] __device__(std::uint64_t e) {
    touched[form.source(keys[e])] = 1;
    touched[form.target(keys[e])] = 1;
  });
  return sum_of<std::uint64_t>(
      arcs.vertices, [touched = touched.data()] __device__(std::uint64_t v) -> std::uint64_t { return touched[v] == 0; },
      thrust::plus<std::uint64_t>{});
}

/// Returns all sums but `isolated`.
ArcSums sum_arcs(const DeviceArcs& arcs) {
  return sum_of<ArcSums>(arcs.count, SumsOfArc{arcs.keys.now.data(), arcs.form}, AddSums{});
}

class CudaArcSorter final : public ArcSorter {
 public:
  CudaArcSorter(int device, bool required) : device_(device), required_(required), copies_(device) {}

  bool is_required() const override { return required_; }

  bool takes(std::uint64_t vertices, std::uint64_t arcs, bool weighted) const override {
    constexpr std::uint64_t kMostVertices = std::uint64_t{1} << 32;
    constexpr std::uint64_t kAnyBytes = 32 << 20;
    // Room to sort, twice; half a byte an item for the sort itself; offsets, new and old ids, or sorted degrees.
    const std::uint64_t needed = arcs * (weighted ? 24 : 16) + vertices * 32 + (arcs + vertices) / 2 + kAnyBytes;
    std::size_t free_bytes = 0, total_bytes = 0;
    use_device();
    check(cudaMemGetInfo(&free_bytes, &total_bytes), "ask for free device memory");
    if (vertices <= kMostVertices && needed <= free_bytes) {
      load_modules_of(reinterpret_cast<const void*>(&source_kernel));
      return true;
    }
    const std::string why = vertices > kMostVertices
                                ? "a GPU puts graphs of at most " + grouped(kMostVertices) +
                                      " vertices in order, and this one has " + grouped(vertices)
                                : "putting " + grouped(vertices) + " vertices and " + grouped(arcs) + " edges in order takes " +
                                      format_bytes(needed) + " of device memory, and " + format_bytes(free_bytes) +
                                      " are free on cuda:" + std::to_string(device_);
    if (required_) throw UnavailableError(why + ": leave --device cuda out");
    log::info(why + ": the CPU does it");
    return false;
  }

  std::uint64_t sort(const ArcSource& source, WeightOrder order, bool drop_duplicates, ThreadPool& pool) override {
    use_device();
    order_ = order;
    arcs_ = {};
    arcs_ = load_arcs(source, order, copies_, pool);
    sort_arcs(arcs_, order);
    if (drop_duplicates) drop_repeated(arcs_);
    return arcs_.count;
  }

  void take(HostArray<void> offsets, HostArray<void> targets, HostArray<void> weights, bool old_ids, ThreadPool& pool) override {
    use_device();
    if (offsets.data != nullptr) {
      find_offsets(arcs_);
      copies_.to_host(offsets, arcs_.offsets.data(), arcs_.vertices + 1, pool);
    }
    copies_.to_host(targets, unpack_targets(arcs_, old_ids), arcs_.count, pool);
    if (weights.data != nullptr) {
      Word* words = arcs_.words.now.data();
      if (order_ == WeightOrder::f32)
        for_each(arcs_.count, [=] __device__(std::uint64_t e) { words[e] = f32_of_rank(words[e]); });
      copies_.to_host(weights, words, arcs_.count, pool);
    }
    arcs_ = {};
  }

  void sort_records(const ArcSource& rows, WeightOrder order, HostArray<void> records, ThreadPool& pool) override {
    use_device();
    DeviceArcs arcs = load_arcs(rows, WeightOrder::u32, copies_, pool);
    sort_by_weight(arcs, order);
    auto* pairs = reinterpret_cast<Word*>(arcs.keys.spare.data());
    for_each(arcs.count,
             [=, keys = arcs.keys.now.data(), words = arcs.words.now.data(), form = arcs.form] __device__(std::uint64_t e) {
               pairs[2 * e] = static_cast<Id>(form.target(keys[e]));
               pairs[2 * e + 1] = words[e];
             });
    copies_.to_host(records, pairs, 2 * arcs.count, pool);
  }

  ArcSums examine(const ArcSource& rows, ThreadPool& pool) override {
    use_device();
    DeviceArcs arcs = load_arcs(rows, WeightOrder::no_weights, copies_, pool);
    ArcSums sums = sum_arcs(arcs);
    sums.isolated = count_isolated(arcs);
    if (sums.descents != 0) {
      sort_arcs(arcs, WeightOrder::no_weights);
      sums.duplicates = sum_arcs(arcs).duplicates;
    }
    return sums;
  }

  void order_by_degree(HostArray<const void> offsets, std::uint64_t vertices, HostArray<void> order, ThreadPool& pool) override {
    use_device();
    const DeviceArray<std::uint64_t> starts(vertices + 1);
    copies_.to_device(starts.data(), offsets, vertices + 1, pool);
    const std::uint64_t edges = fetch(starts.data() + vertices, "count arcs");
    Pair<Key> missing(vertices);  // largest possible degree minus degree
    Pair<Id> ids(vertices);
    for_each(vertices,
             [=, starts = starts.data(), missing = missing.now.data(), ids = ids.now.data()] __device__(std::uint64_t v) {
               missing[v] = edges - (starts[v + 1] - starts[v]);
               ids[v] = static_cast<Id>(v);
             });
    radix_sort(missing, ids, vertices, static_cast<int>(std::bit_width(edges)));
    copies_.to_host(order, ids.now.data(), vertices, pool);
  }

 private:
  void use_device() const { check(cudaSetDevice(device_), "select the GPU"); }

  int device_;
  bool required_;
  StagedCopies copies_;
  DeviceArcs arcs_;
  WeightOrder order_ = WeightOrder::no_weights;
};

}  // namespace
}  // namespace cuda

std::shared_ptr<ArcSorter> open_arc_sorter(int device, bool required) {
  if (const std::string missing = why_no_cuda(device); !missing.empty()) throw UnavailableError(missing);
  log::debug("graphs are put in order on cuda:" + std::to_string(device) + ": " + describe_cuda_device(device));
  return std::make_shared<cuda::CudaArcSorter>(device, required);
}

}  // namespace graphrun
