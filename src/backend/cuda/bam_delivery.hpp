// How pages of bam get into a GPU's frames: there are several ways, and which is fastest depends on the machine.
#pragma once

#include <string>
#include <vector>

#include "backend/bam_storage.hpp"
#include "graphrun/cache/device_pager.hpp"

namespace graphrun::inline GR_IDS {

struct DeliveryWay {
  PageDelivery name = PageDelivery::landing;
  std::string description;  ///< what happens to a page
  Delivery delivery = Delivery::landing;
  DevicePager::OpenEngine open_engine;
};

/// The way that `options` name, or the fastest: each that works here reads some of the store's pages twice, and the log says
/// what came of it. `columns` lie in `files`, which must outlive the way. Throws UsageError, UnavailableError.
DeliveryWay choose_delivery(const BackendOptions& options, const DevicePagerOptions& pager, const EngineOpener& open_engine,
                            const std::vector<StoreFile>& files, const std::vector<PagedColumn>& columns, CudaExecutor& exec);

}  // namespace graphrun::inline GR_IDS
