// SPDX-License-Identifier: Apache-2.0
// bam's edges on a real NVMe device that starts with a copy of the graph's container.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "backend/bam_storage.hpp"
#include "graphrun/transport/storage.hpp"

namespace graphrun::inline GR_IDS {

/// Returns the address in "nvme:ADDRESS"; nothing for other storages.
std::optional<std::string> nvme_address(const std::string& storage);

/// Opens the device and checks its size and first 4 KiB, with the checksums of all sections, against the file. Throws UsageError
/// when a column is in no container, DataError when the device holds other data, and as open_nvme_device().
std::unique_ptr<Storage> open_nvme_storage(const std::string& address, ColumnStore& columns, std::size_t queues,
                                           std::uint32_t queue_depth);

}  // namespace graphrun::inline GR_IDS
