// bam on a GPU: edges stay in a file, and a cache in device memory holds the pages that warps ask for, through queues that host
// threads serve (Qureshi et al., ASPLOS 2023).
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "backend/bam_storage.hpp"
#include "backend/cuda/bam_delivery.hpp"
#include "backend/cuda/cuda_paged.hpp"

namespace graphrun::inline GR_IDS {
namespace {

class StoredEdges final : public DeviceEdgeStore {
 public:
  explicit StoredEdges(const BackendOptions& options)
      : options_(options), open_engine_(parse_storage(options.storage)), columns_(options) {}

  PagedColumn add(const Column<std::byte>& column) override { return columns_.add(column); }

  std::unique_ptr<DevicePager> open(DevicePagerOptions how, std::vector<PagedColumn>& columns, CudaExecutor& exec) override {
    way_ = choose_delivery(options_, how, open_engine_, columns_.finish(), columns, exec);
    how.delivery = way_.delivery;
    return std::make_unique<DevicePager>(how, columns, exec, way_.open_engine);
  }

  std::string description(const DevicePager& pager) const override {
    return fmt::format("{} host threads serve {} queues; {}; {}", pager.controllers(), pager.queues(), way_.description,
                       pager.engine().description());
  }
  bool emulated(const DevicePager& pager) const override { return pager.engine().emulated(); }
  const char* counted_as() const override { return "commands to storage, counted by its controller"; }

 private:
  BackendOptions options_;
  EngineOpener open_engine_;
  ColumnStore columns_;
  DeliveryWay way_;
};

}  // namespace

CudaPagedBackend make_cuda_bam_backend(const Graph& graph, const BackendOptions& options, CudaExecutor& exec) {
  DevicePagerOptions how;
  if (options.queues != 0) how.queues = options.queues;
  if (options.queue_depth != 0) how.queue_depth = options.queue_depth;
  how.coalesce = options.bam_coalesce;
  how.reuse = options.bam_reuse;
  how.cached = options.bam_cached;
  return make_cuda_paged_backend(graph, options, exec, std::make_unique<StoredEdges>(options), how);
}

}  // namespace graphrun::inline GR_IDS
