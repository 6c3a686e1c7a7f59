// SPDX-License-Identifier: Apache-2.0

#include <cuda_runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <thread>

#include "backend/cuda/edge_memory.hpp"
#include "exec/cuda/pinned_memory.hpp"
#include "gpu_kernels.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/exec/cuda_check.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/transport/controller.hpp"
#include "ways.hpp"

namespace graphrun::bench {
namespace {

bool has_ended(cudaStream_t stream) {
  const cudaError_t status = cudaStreamQuery(stream);
  if (status != cudaErrorNotReady) cuda::check(status, "add up a tile");
  return status == cudaSuccess;
}

using cuda::EdgeMemory;

constexpr std::uint64_t kGrainBytes = 64 << 10;  // of which arrays and tiles are whole multiples

/// The kernels, over any kind of array.
template <class Array>
class GpuWay : public Way {
 public:
  explicit GpuWay(Problem& problem) : problem_(problem), sums_(QueryColumns<Array>::kMost) {
    if (!problem.is_matrix()) return;
    for (auto& vector : vectors_) vector = DeviceArray<float>(problem.rows);
  }

  void multiply(int in, int out) override {
    bench::multiply(exec_, views_[0], problem_.rows, at(in).data(), at(out).data(), plan_);
  }
  void multiply_transposed(int in, int out) override {
    bench::multiply_transposed(exec_, views_[0], problem_.rows, at(in).data(), at(out).data());
  }
  void add() override { bench::add(exec_, views_[0], views_[1], views_[2], plan_); }
  std::int64_t sum() override {
    exec_.fill_words(sums_.data(), 0, 2 * sums_.size());
    add_up(exec_, views_[0], sums_.data(), plan_);
    return static_cast<std::int64_t>(exec_.fetch(sums_, 0));
  }
  std::vector<std::int64_t> query() override {
    exec_.fill_words(sums_.data(), 0, 2 * sums_.size());
    QueryColumns<Array> columns{{}, static_cast<int>(views_.size()), kLeastSelected};
    std::copy(views_.begin(), views_.end(), columns.of);
    bench::query(exec_, columns, sums_.data(), plan_);
    const auto sums = exec_.download(sums_);
    return {sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(views_.size())};
  }

  void set_vector(int vector, const std::vector<float>& values) override {
    exec_.copy_to_device(at(vector).data(), values.data(), at(vector).bytes());
  }
  std::vector<float> vector(int vector) override { return exec_.download(at(vector)); }
  std::span<float> output() override { return {problem_.output.data(), problem_.output.size()}; }

 protected:
  cudaStream_t stream() const { return static_cast<cudaStream_t>(exec_.stream()); }
  bool writes() const { return problem_.writes(); }

  CudaExecutor exec_{0};
  Problem& problem_;
  std::vector<Array> views_;  ///< inputs, and the output of va behind them
  GpuPlan plan_{kGrainBytes / sizeof(float), std::numeric_limits<std::uint64_t>::max()};

 private:
  DeviceArray<float>& at(int vector) { return vectors_[static_cast<std::size_t>(vector)]; }

  std::array<DeviceArray<float>, MatrixKernel::kVectors> vectors_;
  DeviceArray<unsigned long long> sums_;
};

/// An array of a problem, pinned where it is, or, with a pool, copied to memory that was made pinned.
struct PinnedArray {
  PinnedArray(Column<float>& array, ThreadPool* pool)
      : pinned(pool == nullptr ? EdgeMemory::register_host(array.data(), array.bytes())
                               : EdgeMemory::pinned_copy(array.data(), array.bytes(), *pool)),
        elements(pool == nullptr ? array.data() : static_cast<float*>(pinned.host_data()), array.size()) {}
  EdgeMemory pinned;
  std::span<float> elements;
};

std::vector<PinnedArray> pin(Problem& problem, ThreadPool* pool = nullptr) {
  std::vector<PinnedArray> arrays;
  for (std::size_t i = 0; i < problem.arrays(); ++i) arrays.emplace_back(problem.array(i), pool);
  return arrays;
}

/// Paged arrays over files, or with a fabric over memory. Copies beside kernels that wait for them start in memory that was made
/// pinned, as in backend gpuvm.
class DevicePaged final : public GpuWay<PagedArrayView> {
 public:
  DevicePaged(Problem& problem, const WayPlan& plan, std::optional<MemoryFabric> fabric, ThreadPool& pool) : GpuWay(problem) {
    if (fabric) {
      memory_ = pin(problem, fabric == MemoryFabric::proxy ? &pool : nullptr);
    } else {
      files_ = make_files(problem, plan.directory);
    }
    DevicePagedArrayOptions options;
    options.page_bytes = plan.page_bytes;
    options.cache_bytes = plan.cache_bytes / problem.arrays();
    options.fabric = fabric.value_or(MemoryFabric::sm);
    options.queues = plan.queues;
    options.queue_depth = plan.queue_depth;
    // Half of the processors serve the queues of all arrays.
    options.controllers = std::max(1, static_cast<int>(std::thread::hardware_concurrency() / 2 / problem.arrays()));
    for (std::size_t i = 0; i < problem.arrays(); ++i) {
      options.writable = i == problem.inputs.size();
      arrays_.push_back(fabric ? DevicePagedArray<float>::over(memory_[i].elements, exec_, options)
                               : DevicePagedArray<float>(files_[i].path(), exec_, options));
      views_.push_back(arrays_.back().view());
    }
    plan_.piece_elements = plan.page_bytes / sizeof(float);
    if (!views_[0].pages.all_pages_fit) plan_.frames = arrays_[0].frames();
  }

  void make_cold() override {
    for (FileArray& file : files_) file.drop();
    for (auto& array : arrays_) array.drop();
  }
  void finish() override {
    exec_.synchronize();
    if (writes()) arrays_.back().flush();
    for (const auto& array : arrays_) array.throw_if_failed();
  }
  std::span<float> output() override {
    if (!writes()) return {};
    return files_.empty() ? memory_.back().elements : files_.back().elements();
  }
  std::optional<PagerCounters> moved() const override {
    PagerCounters sum;
    for (const auto& array : arrays_) sum += array.counters();
    return sum;
  }

 private:
  std::vector<PinnedArray> memory_;
  std::vector<FileArray> files_;
  std::vector<DevicePagedArray<float>> arrays_;
};

enum class Advice { none, read_mostly, prefetch };

/// Managed memory, which a warp reads 64 KiB of at a time, as the driver brings it.
class Managed final : public GpuWay<PlainArrayView> {
 public:
  Managed(Problem& problem, Advice advice, ThreadPool& pool) : GpuWay(problem), advice_(advice) {
    if (const std::string why = cuda::why_not_managed(problem.all_bytes(), problem.rows, true); !why.empty()) {
      throw UnavailableError(fmt::format("{} of managed memory cannot be had: {}", format_bytes(problem.all_bytes()), why));
    }
    for (std::size_t i = 0; i < problem.arrays(); ++i) {
      EdgeMemory& made = i < problem.inputs.size() ? inputs_.emplace_back() : output_;
      made = EdgeMemory::managed_copy(problem.array(i).data(), problem.array_bytes(), pool);
      views_.push_back({static_cast<float*>(made.host_data()), problem.elements});
    }
  }

  /// A copy made under read-mostly advice stays on the device until the advice is taken back.
  void make_cold() override {
    for (const EdgeMemory& input : inputs_) {
      input.advise_read_mostly(false);
      input.prefetch_to_host(exec_.stream());
    }
    output_.prefetch_to_host(exec_.stream());
    exec_.synchronize();
    if (advice_ != Advice::read_mostly) return;
    for (const EdgeMemory& input : inputs_) input.advise_read_mostly(true);
  }
  void begin() override {
    if (advice_ != Advice::prefetch) return;
    for (const EdgeMemory& input : inputs_) input.prefetch_to_device(exec_.device(), exec_.stream());
    output_.prefetch_to_device(exec_.device(), exec_.stream());
  }
  void finish() override {
    output_.prefetch_to_host(exec_.stream());
    exec_.synchronize();
  }
  std::span<float> output() override { return {static_cast<float*>(output_.host_data()), writes() ? problem_.elements : 0}; }

 private:
  Advice advice_;
  std::vector<EdgeMemory> inputs_;
  EdgeMemory output_;
};

/// Whole arrays in device memory, copied there while the clock runs and before the kernels do.
class Copied : public GpuWay<PlainArrayView> {
 public:
  explicit Copied(Problem& problem) : GpuWay(problem), memory_(pin(problem)) {
    if (const std::size_t free_bytes = cuda::free_device_bytes(); problem.all_bytes() > free_bytes) {
      throw UnavailableError(fmt::format("the device has only {} free for {} of arrays", format_bytes(free_bytes),
                                         format_bytes(problem.all_bytes())));
    }
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      arrays_.emplace_back(problem.elements);
      views_.push_back({arrays_.back().data(), problem.elements});
    }
  }

  /// What a run that copies nothing would find.
  void make_cold() override {
    for (const auto& array : arrays_) exec_.fill_words(array.data(), 0, array.size());
    exec_.synchronize();
  }
  void begin() override {
    for (std::size_t i = 0; i < problem_.inputs.size(); ++i) {
      cuda::check(
          cudaMemcpyAsync(arrays_[i].data(), memory_[i].elements.data(), arrays_[i].bytes(), cudaMemcpyHostToDevice, stream()),
          "copy an array");
    }
  }
  void finish() override {
    if (writes()) {
      cuda::check(cudaMemcpyAsync(memory_.back().elements.data(), arrays_.back().data(), arrays_.back().bytes(),
                                  cudaMemcpyDeviceToHost, stream()),
                  "copy an array");
    }
    exec_.synchronize();
  }
  std::optional<PagerCounters> moved() const override {
    PagerCounters all;
    all.bytes_read = problem_.inputs.size() * problem_.array_bytes();
    all.bytes_written = problem_.output.bytes();
    return all;
  }

 protected:
  std::vector<PinnedArray> memory_;
  std::vector<DeviceArray<float>> arrays_;
};

/// The same by several host threads, each with a stream of its own, a chunk at a time.
class CopiedInChunks final : public Copied {
 public:
  CopiedInChunks(Problem& problem, const WayPlan& plan)
      : Copied(problem), chunk_bytes_(plan.page_bytes), threads_(plan.copy_threads), streams_(threads_.size()) {
    for (cudaStream_t& stream : streams_) {
      cuda::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create a stream");
    }
  }
  ~CopiedInChunks() override {
    for (cudaStream_t stream : streams_) cudaStreamDestroy(stream);
  }

  void begin() override {
    const std::uint64_t chunks = problem_.array_bytes() / chunk_bytes_;
    threads_.run([&](int rank) {
      exec_.make_current();
      cudaStream_t mine = streams_[static_cast<std::size_t>(rank)];
      for (std::size_t i = 0; i < problem_.inputs.size(); ++i) {
        auto* to = reinterpret_cast<std::byte*>(arrays_[i].data());
        const auto* from = reinterpret_cast<const std::byte*>(memory_[i].elements.data());
        for (std::uint64_t chunk = static_cast<std::uint64_t>(rank); chunk < chunks; chunk += streams_.size()) {
          const std::uint64_t offset = chunk * chunk_bytes_;
          cuda::check(cudaMemcpyAsync(to + offset, from + offset, chunk_bytes_, cudaMemcpyHostToDevice, mine), "copy a chunk");
        }
      }
      cuda::check(cudaStreamSynchronize(mine), "copy chunks");
    });
  }

 private:
  std::uint64_t chunk_bytes_;
  ThreadPool threads_;
  std::vector<cudaStream_t> streams_;
};

/// A tile on its way: read twice, added, written. The sum comes where the first half was.
struct Tile {
  explicit Tile(std::uint64_t most_bytes)
      : host(2 * most_bytes), half_bytes(most_bytes), device(2 * most_bytes / sizeof(float)) {}

  enum class Stage { free, reading, adding, writing };
  Stage stage = Stage::free;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  int reads = 0;
  CudaExecutor exec{0};
  cuda::PinnedMemory host;
  std::uint64_t half_bytes;
  DeviceArray<float> device;

  cudaStream_t stream() const { return static_cast<cudaStream_t>(exec.stream()); }
  std::byte* half(int which) { return host.data() + which * half_bytes; }
  void add() {
    const std::uint64_t count = bytes / sizeof(float);
    const PlainArrayView first{device.data(), count}, second{device.data() + half_bytes / sizeof(float), count};
    copy(first.data, half(0), cudaMemcpyHostToDevice);
    copy(second.data, half(1), cudaMemcpyHostToDevice);
    bench::add(exec, first, second, first, {kGrainBytes / sizeof(float), std::numeric_limits<std::uint64_t>::max()});
    copy(half(0), first.data, cudaMemcpyDeviceToHost);
  }
  void copy(void* to, const void* from, cudaMemcpyKind kind) const {
    cuda::check(cudaMemcpyAsync(to, from, bytes, kind, stream()), "copy a tile");
  }
};

/// Tiles of files through the host's memory, with io_uring.
class DeviceTiled final : public GpuWay<PlainArrayView> {
 public:
  DeviceTiled(Problem& problem, const WayPlan& plan)
      : GpuWay(problem),
        tile_bytes_(std::clamp(plan.tile_bytes / kGrainBytes * kGrainBytes, kGrainBytes, problem.array_bytes())),
        files_(make_files(problem, plan.directory)),
        engine_(open_uring_engine(
            {{"a", files_[0].fd()}, {"b", files_[1].fd()}, {.name = "c", .fd = files_[2].fd(), .writable = true}}, 3 * kTiles)) {
    for (std::size_t i = 0; i < kTiles; ++i) tiles_.push_back(std::make_unique<Tile>(tile_bytes_));
  }

  void make_cold() override {
    for (FileArray& file : files_) file.drop();
  }
  void add() override {
    const std::uint64_t total = problem_.array_bytes();
    std::uint64_t next = 0, written = 0;
    while (written < total) {
      for (std::size_t i = 0; i < kTiles; ++i) {
        Tile& tile = *tiles_[i];
        if (tile.stage == Tile::Stage::free && next < total) {
          tile.offset = next;
          tile.bytes = std::min(tile_bytes_, total - next);
          next += tile.bytes;
          tile.reads = 2;
          tile.stage = Tile::Stage::reading;
          start(nvme::Opcode::read, 0, i, 0);
          start(nvme::Opcode::read, 1, i, 1);
        } else if (tile.stage == Tile::Stage::adding && has_ended(tile.stream())) {
          tile.stage = Tile::Stage::writing;
          start(nvme::Opcode::write, 2, i, 0);
        }
      }
      BlockEngine::Done done[3 * kTiles];
      const std::size_t count = engine_->poll(done, std::size(done));
      for (std::size_t k = 0; k < count; ++k) {
        if (done[k].status != nvme::Status::success) throw RunError(engine_->last_error());
        Tile& tile = *tiles_[done[k].tag];
        if (tile.stage == Tile::Stage::writing) {
          written += tile.bytes;
          tile.stage = Tile::Stage::free;
        } else if (--tile.reads == 0) {
          tile.stage = Tile::Stage::adding;
          tile.add();
        }
      }
    }
  }
  void finish() override { files_.back().sync(); }
  std::span<float> output() override { return files_.back().elements(); }

 private:
  static constexpr std::size_t kTiles = 6;

  void start(nvme::Opcode opcode, std::uint64_t file, std::size_t i, int half) {
    Tile& tile = *tiles_[i];
    if (!engine_->start({opcode, file * kFileStride + tile.offset, static_cast<std::uint32_t>(tile.bytes), tile.half(half), i}))
      throw RunError("the engine takes no more");
  }

  std::uint64_t tile_bytes_;
  std::vector<FileArray> files_;
  std::unique_ptr<BlockEngine> engine_;
  std::vector<std::unique_ptr<Tile>> tiles_;
};

}  // namespace

const std::vector<WayKind>& gpu_ways() {
  static const std::vector<WayKind> kinds{
      {.name = "sm", .has_pages = true, .has_cache = true},
      {.name = "proxy", .has_pages = true, .has_queues = true, .has_cache = true},
      {.name = "uvm", .holds_all = true},
      {.name = "uvm-read-mostly", .holds_all = true},
      {.name = "uvm-prefetch", .holds_all = true},
      {.name = "bulk", .holds_all = true},
      {.name = "chunks", .has_pages = true, .holds_all = true},
      {.name = "files", .has_pages = true, .has_queues = true, .has_cache = true, .in_files = true},
      {.name = "tiles", .has_tiles = true, .in_files = true}};
  return kinds;
}

std::unique_ptr<Way> open_gpu_way(const WayKind& kind, Problem& problem, const WayPlan& plan, ThreadPool& pool) {
  if (const std::string missing = why_no_cuda(0); !missing.empty()) throw UnavailableError(missing);
  if (kind.name == "sm") return std::make_unique<DevicePaged>(problem, plan, MemoryFabric::sm, pool);
  if (kind.name == "proxy") return std::make_unique<DevicePaged>(problem, plan, MemoryFabric::proxy, pool);
  if (kind.name == "uvm") return std::make_unique<Managed>(problem, Advice::none, pool);
  if (kind.name == "uvm-read-mostly") return std::make_unique<Managed>(problem, Advice::read_mostly, pool);
  if (kind.name == "uvm-prefetch") return std::make_unique<Managed>(problem, Advice::prefetch, pool);
  if (kind.name == "files") return std::make_unique<DevicePaged>(problem, plan, std::nullopt, pool);
  if (kind.name == "tiles") return std::make_unique<DeviceTiled>(problem, plan);
  if (kind.name == "bulk") return std::make_unique<Copied>(problem);
  return std::make_unique<CopiedInChunks>(problem, plan);
}

}  // namespace graphrun::bench
