// Which backend of the CPU executor it is, and the one whose edges are where a plain load reaches them: incore and emogi.
//
// incore copies the edges of a mapped file into memory of its own. emogi reads them in place, from the page cache, and
// never copies; what that moves is what the kernel reads from storage, which the kernel counts for us.
#include "backend/cpu_backends.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "backend/host_rows.hpp"
#include "backend/placed_graph.hpp"
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

class CpuDirectBackend final : public PlacedGraph<DirectView, HostRows> {
 public:
  CpuDirectBackend(const Graph& graph, const BackendOptions& options, CpuExecutor& exec)
      : PlacedGraph(graph, options),
        copies_(preset_of(options.kind).tier == EdgeTier::all),
        counted_elsewhere_(!exec.part().is_single_rank() && exec.part().exchange->counted_elsewhere()) {
    if (copies_ && options.cache_bytes) {
      std::uint64_t needed = 0;
      place_columns([&](const auto& column, bool) {
        const auto [first, last] = own_edges(column, exec.part());
        needed += (last - first) * sizeof(column[0]);
        return as_bytes(column);
      });
      if (*options.cache_bytes < needed) {
        throw UsageError(fmt::format("backend incore keeps all edges in memory and needs --cache {} or more, not {}", needed,
                                     *options.cache_bytes));
      }
    }
    place_rows(options, exec.pool());
    columns_ = place_columns([&](const auto& column, bool) {
      if (!copies_) return as_bytes(column);
      const auto [first, last] = own_edges(column, exec.part());
      fast_tier_bytes_ += (last - first) * sizeof(column[0]);
      return as_bytes(in_memory(column, exec.pool(), first, last));
    });
    for (const Direction direction : {Direction::out, Direction::in}) {
      const Column<std::byte>* weights = columns_.weights(direction);
      place_lines(direction, columns_.neighbours(direction).data(), weights == nullptr ? nullptr : weights->data());
    }
  }

  std::string description() const override {
    if (copies_) return "edges in memory";
    if (in_file()) return "edges read in place from the mapped file (page cache), never copied";
    return "edges read in place from the memory the loader built them in (the graph was not opened from a .grf file)";
  }
  std::uint64_t fast_tier_bytes() const override { return fast_tier_bytes_; }

  void make_cold() override {
    if (reads_storage()) columns_.all.front().region()->drop_cached_pages();
  }

  void reset_counters() override {
    if (reads_storage() && !counted_elsewhere_) read_before_ = storage_bytes_read();
  }
  Moved moved() override {
    if (!reads_storage()) return {0, std::nullopt, "nothing moves: the edges are in memory"};
    constexpr const char* kHow = "storage reads of the process, as the kernel counts them";
    if (counted_elsewhere_) return {0, std::nullopt, kHow};
    const auto now = storage_bytes_read();
    if (!now || !read_before_) return {std::nullopt, std::nullopt, "not counted: the kernel does not say"};
    return {*now - *read_before_, std::nullopt, kHow};
  }

 private:
  DirectView edges(Direction direction) const override {
    const Column<std::byte>* weights = columns_.weights(direction);
    return {.neighbours = reinterpret_cast<const VertexId*>(columns_.neighbours(direction).data()),
            .weights = weights == nullptr ? nullptr : reinterpret_cast<const std::uint32_t*>(weights->data()),
            .packed = packed(direction)};
  }
  bool in_file() const { return columns_.all.front().in_mapped_file(); }
  bool reads_storage() const { return !copies_ && in_file(); }
  /// Where the lists of a rank are in a column of edges, or of records; all of it where lists are packed.
  template <class T>
  std::pair<std::size_t, std::size_t> own_edges(const Column<T>& column, const RankPart& part) const {
    const Csr* const in = separate_in(graph_, options_);
    const auto* const data = static_cast<const void*>(column.data());
    const bool is_in = in != nullptr && (data == in->neighbours.data() || data == in->records.data());
    const Column<EdgeId>& offsets = is_in ? in->offsets : graph_.out.offsets;
    const std::size_t words = options_.records ? 2 : 1;
    if (part.is_single_rank() || column.size() != words * graph_.num_edges()) return {0, column.size()};
    const RankPart mine = part.within(graph_.num_vertices());
    return {words * offsets[mine.first], words * offsets[mine.last]};
  }

  bool copies_;
  bool counted_elsewhere_;  // by another rank of this process
  EdgeColumns<Column<std::byte>> columns_;
  std::uint64_t fast_tier_bytes_ = 0;
  std::optional<std::uint64_t> read_before_;
};

}  // namespace

CpuBackend place_edges(const Graph& graph, const BackendOptions& options, CpuExecutor& exec) {
  switch (preset_of(options.kind).delivery) {
    case EdgeDelivery::load:
      break;
    case EdgeDelivery::fault:
      return make_faulting_backend(graph, options, exec);
    case EdgeDelivery::commands:
      return make_paged_backend(graph, options, exec);
    case EdgeDelivery::gather:
      return make_gathering_backend(graph, options, exec);
  }
  return std::make_unique<CpuDirectBackend>(graph, options, exec);
}

}  // namespace graphrun::inline GR_IDS
