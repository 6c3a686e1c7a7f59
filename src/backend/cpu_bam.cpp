// bam on host threads: edges stay in a file, and pages come by commands to storage (Qureshi et al., ASPLOS 2023).
#include <memory>
#include <utility>

#include "backend/bam_nvme.hpp"
#include "backend/bam_storage.hpp"
#include "backend/edge_store.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::uint32_t kQueueDepth = 512;  // of which asking ahead fills half

class FileEdges final : public EdgeStore {
 public:
  explicit FileEdges(const BackendOptions& options) : columns_(options), nvme_(nvme_address(options.storage)) {
    if (!nvme_) open_engine_ = parse_storage(options.storage);
  }

  PagedColumn add(const Column<std::byte>& column) override { return columns_.add(column); }
  std::unique_ptr<Storage> open(std::size_t queues, std::uint32_t queue_depth) override {
    if (nvme_) return open_nvme_storage(*nvme_, columns_, queues, queue_depth);
    return make_software_storage(queues, queue_depth,
                                 [&](std::uint32_t depth) { return open_engine_(columns_.finish(), depth); });
  }
  const char* counted_as() const override { return "commands to storage, counted as they complete"; }

 private:
  ColumnStore columns_;
  std::optional<std::string> nvme_;
  EngineOpener open_engine_;
};

}  // namespace

std::unique_ptr<BackendOf<PagedView>> make_cpu_bam_backend(const Graph& graph, const BackendOptions& options, CpuExecutor& exec) {
  PagerOptions how;
  how.queues = options.queues;
  how.queue_depth = options.queue_depth != 0 ? options.queue_depth : kQueueDepth;
  return make_cpu_paged_backend(graph, options, exec, std::make_unique<FileEdges>(options), how);
}

}  // namespace graphrun::inline GR_IDS
