// The backends of the CPU executor in which edges stay where a plain load reaches them: incore and emogi.
//
// incore copies the edges of a mapped file into memory of its own. emogi reads them in place, from the page cache, and
// never copies; what that moves is what the kernel reads from storage, which the kernel counts for us.
#include <fmt/format.h>

#include <cstdio>

#include "backend/host_rows.hpp"
#include "graphrun/backend/backend.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/exec/cpu_executor.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// Bytes this process made the kernel read from storage so far; nothing where the kernel does not say.
std::optional<std::uint64_t> storage_bytes_read() {
  std::FILE* file = std::fopen("/proc/self/io", "re");
  if (file == nullptr) return std::nullopt;
  std::optional<std::uint64_t> bytes;
  char line[128];
  while (std::fgets(line, sizeof(line), file) != nullptr) {
    unsigned long long value = 0;
    if (std::sscanf(line, "read_bytes: %llu", &value) == 1) bytes = value;
  }
  std::fclose(file);
  return bytes;
}

/// Rows, neighbours and weights of one direction, where this backend keeps them.
struct Side {
  HostRows rows;
  Column<VertexId> neighbours;
  Column<std::uint32_t> weights;
};

class CpuDirectBackend final : public BackendOf<DirectView> {
 public:
  CpuDirectBackend(const Graph& graph, const BackendOptions& options, CpuExecutor& exec) : graph_(graph), options_(options) {
    in_file_ = graph.out.neighbours.in_mapped_file();
    if (options.kind == BackendKind::incore) {
      const std::uint64_t needed = edge_bytes(graph, options);
      if (options.cache_bytes && *options.cache_bytes < needed) {
        throw UsageError(fmt::format("backend incore keeps all edges in memory and needs --cache {} or more, not {}", needed,
                                     *options.cache_bytes));
      }
      fast_tier_bytes_ = needed;
    }
    out_ = place(graph.out, options.needs_weights, exec.pool());
    if (options.needs_transpose && graph.in) in_ = place(*graph.in, false, exec.pool());
  }

  std::string description() const override {
    if (options_.kind == BackendKind::incore) return "edges in memory";
    if (in_file_) return "edges read in place from the mapped file (page cache), never copied";
    return "edges read in place from the memory the loader built them in (the graph was not opened from a .grf file)";
  }
  std::uint64_t fast_tier_bytes() const override { return fast_tier_bytes_; }

  void make_cold() override {
    if (options_.kind == BackendKind::emogi && in_file_) graph_.out.neighbours.region()->drop_cached_pages();
  }

  GraphView<DirectView> view() const override {
    return host_view(graph_, options_, out_.rows, edges(out_), in_.rows, edges(in_));
  }

  void reset_counters() override { read_before_ = storage_bytes_read(); }
  Moved moved() override {
    if (options_.kind == BackendKind::incore || !in_file_) return {0, std::nullopt, "nothing moves: the edges are in memory"};
    const auto now = storage_bytes_read();
    if (!now || !read_before_) return {std::nullopt, std::nullopt, "not counted: the kernel does not say"};
    return {*now - *read_before_, std::nullopt, "storage reads of the process, as the kernel counts them"};
  }

 private:
  Side place(const Csr& csr, bool with_weights, ThreadPool& pool) const {
    const bool copy = options_.kind == BackendKind::incore;
    Side side;
    side.rows = HostRows(graph_, csr, options_, pool);
    side.neighbours = copy ? in_memory(csr.neighbours, pool) : csr.neighbours;
    if (with_weights) side.weights = copy ? in_memory(csr.weights, pool) : csr.weights;
    return side;
  }
  static DirectView edges(const Side& side) {
    return {.neighbours = side.neighbours.data(), .weights = side.weights.empty() ? nullptr : side.weights.data()};
  }

  const Graph& graph_;
  BackendOptions options_;
  Side out_;
  Side in_;
  bool in_file_ = false;
  std::uint64_t fast_tier_bytes_ = 0;
  std::optional<std::uint64_t> read_before_;
};

}  // namespace

std::unique_ptr<BackendOf<DirectView>> make_cpu_backend(const Graph& graph, const BackendOptions& options, CpuExecutor& exec) {
  if (options.kind == BackendKind::uvm) return make_cpu_uvm_backend(graph, options, exec);
  return std::make_unique<CpuDirectBackend>(graph, options, exec);
}

}  // namespace graphrun::inline GR_IDS
