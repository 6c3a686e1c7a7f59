// SPDX-License-Identifier: Apache-2.0
// Methods that bring bam's pages into a GPU's frames; the fastest depends on the machine.
#pragma once

#include <string>
#include <vector>

#include "backend/bam_storage.hpp"
#include "graphrun/cache/device_pager.hpp"

namespace graphrun::inline GR_IDS {

struct DeliveryWay {
  PageDelivery name = PageDelivery::landing;
  std::string description;  ///< what the method does with a page
  Delivery delivery = Delivery::landing;
  DevicePager::OpenEngine open_engine;
};

/// Returns the method of `options`, or the fastest: each reads some of the store's pages twice, and the log has the rates.
/// `columns` lie in `files`, which must outlive it. Throws UsageError, UnavailableError.
DeliveryWay choose_delivery(const BackendOptions& options, const DevicePagerOptions& pager, const EngineOpener& open_engine,
                            const std::vector<StoreFile>& files, const std::vector<PagedColumn>& columns, CudaExecutor& exec);

}  // namespace graphrun::inline GR_IDS
