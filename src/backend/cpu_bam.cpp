// bam on host threads: edges stay in a file, and a cache in memory holds the pages that are asked for (Qureshi et al., ASPLOS
// 2023). The GPU's threads are host threads here; page table, queues and controller are the same.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "graphrun/backend/backend.hpp"
#include "graphrun/cache/host_pager.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/exec/cpu_executor.hpp"
#include "graphrun/graph/scratch.hpp"
#include "graphrun/view/paged_view.hpp"

namespace graphrun {
namespace {

constexpr EdgeId kDefaultChunkEdges = EdgeId{1} << 15;
constexpr std::uint64_t kDefaultCacheBytes = std::uint64_t{1} << 30;
constexpr std::uint32_t kLeastPageBytes = 512;
constexpr std::uint32_t kMostPageBytes = 64 << 10;

/// The files that hold the columns of a graph: the container it was opened from, and one without a name for columns that
/// are in no container.
class ColumnStore {
 public:
  template <class T>
  PagedColumn add(const Column<T>& column) {
    if (const auto offset = offset_in_container(column)) {
      return {container(*column.region()) * kFileStride + *offset, column.bytes(), 0};
    }
    const std::uint64_t offset = write_to_scratch(column.data(), column.bytes());
    return {scratch_index_ * kFileStride + offset, column.bytes(), 0};
  }

  /// Once, after all columns were added.
  const std::vector<StoreFile>& finish() {
    if (scratch_) {
      scratch_->flush();
      log::info(
          fmt::format("bam: {} of edges or weights exist in memory only and were written to a scratch file in {}; a .grf file "
                      "made by graphconv is read in place",
                      format_bytes(scratch_->size()), scratch_directory_));
    }
    return files_;
  }

  ~ColumnStore() {
    for (const int fd : opened_) ::close(fd);
  }
  ColumnStore() = default;
  ColumnStore(const ColumnStore&) = delete;
  ColumnStore& operator=(const ColumnStore&) = delete;

 private:
  static constexpr std::uint64_t kAlignment = 4096;  // of direct I/O

  /// Where a column lies in the file it is mapped from, if pages can be read from there: other formats than the container
  /// align nothing.
  template <class T>
  static std::optional<std::uint64_t> offset_in_container(const Column<T>& column) {
    if (!column.in_mapped_file()) return std::nullopt;
    const auto offset = static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(column.data()) - column.region()->data());
    return offset % kAlignment == 0 ? std::optional(offset) : std::nullopt;
  }

  std::uint64_t container(const Region& region) {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (files_[i].name == region.path()) return i;
    }
    const int fd = ::open(region.path().c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) throw DataError(fmt::format("cannot open {}: {}", region.path(), std::strerror(errno)));
    opened_.push_back(fd);
    files_.push_back({region.path(), fd});
    return files_.size() - 1;
  }

  std::uint64_t write_to_scratch(const void* data, std::size_t bytes) {
    if (!scratch_) {
      scratch_directory_ = std::filesystem::temp_directory_path().string();
      scratch_.emplace(scratch_directory_);
      scratch_index_ = files_.size();
      files_.push_back({fmt::format("a scratch file in {}", scratch_directory_), scratch_->descriptor()});
    }
    const std::uint64_t offset = scratch_->size();
    scratch_->append(data, bytes);
    const std::vector<char> zeros((kAlignment - bytes % kAlignment) % kAlignment);
    scratch_->append(zeros.data(), zeros.size());
    return offset;
  }

  std::vector<StoreFile> files_;
  std::vector<int> opened_;
  std::optional<ScratchFile> scratch_;
  std::string scratch_directory_;
  std::uint64_t scratch_index_ = 0;
};

using EngineOpener = std::function<std::unique_ptr<BlockEngine>(const std::vector<StoreFile>& files, std::uint32_t depth)>;

/// "file" or "ram:PROFILE".
EngineOpener parse_storage(const std::string& text) {
  constexpr std::string_view kRam = "ram:";
  if (text == "file") return open_uring_engine;
  if (text.starts_with(kRam)) {
    return [profile = parse_device_profile(text.substr(kRam.size()))](const std::vector<StoreFile>& files, std::uint32_t depth) {
      return open_ram_engine(files, profile, depth);
    };
  }
  throw UsageError(fmt::format("there is no storage '{}': choose file or ram:PROFILE", text));
}

class CpuBam final : public BackendOf<PagedView> {
 public:
  CpuBam(const Graph& graph, const BackendOptions& options, CpuExecutor& exec) : graph_(graph), options_(options) {
    const EngineOpener open_engine = parse_storage(options.storage);
    if (!std::has_single_bit(options.page_bytes) || options.page_bytes < kLeastPageBytes || options.page_bytes > kMostPageBytes) {
      throw UsageError(fmt::format("a page of {} bytes is not possible: choose a power of two from {} to {}", options.page_bytes,
                                   kLeastPageBytes, kMostPageBytes));
    }
    columns_.push_back(store_.add(graph.out.neighbours));
    if (options.needs_weights) columns_.push_back(store_.add(graph.out.weights));
    if (options.needs_transpose && graph.in) columns_.push_back(store_.add(graph.in->neighbours));
    PagerOptions how;
    how.page_bytes = options.page_bytes;
    how.workers = exec.pool().size();
    how.cache_bytes = options.cache_bytes.value_or(std::max(kDefaultCacheBytes, HostPager::least_cache_bytes(how)));
    const auto open = [&](std::uint32_t depth) { return open_engine(store_.finish(), depth); };
    pager_ = std::make_unique<HostPager>(how, columns_, open);
    out_ = place(graph.out, exec.pool());
    if (options.needs_transpose && graph.in) in_ = place(*graph.in, exec.pool());
  }

  std::string description() const override {
    return fmt::format("{} frames of {} in memory; {}", pager_->frames(), format_bytes(options_.page_bytes),
                       pager_->engine().description());
  }
  std::uint64_t fast_tier_bytes() const override { return pager_->frames() * options_.page_bytes; }
  bool emulated() const override { return pager_->engine().emulated(); }
  void make_cold() override { pager_->drop(); }
  void reset_counters() override { pager_->reset_counters(); }
  Moved moved() override {
    const PagerCounters counters = pager_->counters();
    return {counters.bytes_read, counters.misses, "commands to storage, counted by its controller"};
  }

  GraphView<PagedView> view() const override {
    GraphView<PagedView> view;
    view.out = rows(out_);
    view.out_edges = edges(0, options_.needs_weights);
    view.symmetric = graph_.symmetric;
    view.num_edges = graph_.num_edges();
    const bool separate = options_.needs_transpose && graph_.in && !graph_.symmetric;
    view.has_in = graph_.symmetric || separate;
    if (graph_.symmetric) {
      view.in = view.out;
      view.in_edges = view.out_edges;
    } else if (separate) {
      view.in = rows(in_);
      view.in_edges = edges(columns_.size() - 1, false);
    }
    return view;
  }

 private:
  /// Offsets are vertex state and stay in memory.
  struct Side {
    Column<EdgeId> offsets;
    std::vector<HubChunk> hub_chunks;
  };

  Side place(const Csr& csr, ThreadPool& pool) const {
    Side side;
    side.offsets = Column<EdgeId>::allocate(csr.offsets.size());
    parallel_for(pool, csr.offsets.size(), [&](std::size_t i) { side.offsets[i] = csr.offsets[i]; });
    if (options_.layout == Layout::balanced) side.hub_chunks = hub_chunks_of(graph_, csr, chunk_edges(), pool);
    return side;
  }
  EdgeId chunk_edges() const { return choose_chunk(graph_, options_, kDefaultChunkEdges); }
  Rows rows(const Side& side) const {
    return {.offsets = side.offsets.data(),
            .num_vertices = graph_.num_vertices(),
            .chunk_edges = options_.layout == Layout::balanced ? chunk_edges() : kUncut,
            .hub_chunks = side.hub_chunks.data(),
            .num_hub_chunks = side.hub_chunks.size()};
  }
  PagedView edges(std::size_t column, bool weighted) const {
    return {.pager = pager_.get(),
            .first_page = columns_[column].first_page,
            .first_weight_page = weighted ? columns_[column + 1].first_page : 0,
            .page_shift = static_cast<std::uint32_t>(std::countr_zero(options_.page_bytes))};
  }

  const Graph& graph_;
  BackendOptions options_;
  ColumnStore store_;
  std::vector<PagedColumn> columns_;
  std::unique_ptr<HostPager> pager_;
  Side out_;
  Side in_;
};

}  // namespace

std::unique_ptr<BackendOf<PagedView>> make_cpu_bam_backend(const Graph& graph, const BackendOptions& options, CpuExecutor& exec) {
  return std::make_unique<CpuBam>(graph, options, exec);
}

}  // namespace graphrun
