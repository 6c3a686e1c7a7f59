// bam's edges on a real NVMe device, whose first bytes are those of the container that the graph was opened from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "backend/bam_storage.hpp"
#include "graphrun/transport/storage.hpp"

namespace graphrun::inline GR_IDS {

/// The address in "nvme:ADDRESS"; nothing when `storage` is something else.
std::optional<std::string> nvme_address(const std::string& storage);

/// Opens the device and checks that it holds the container: that it is large enough, and that its first 4 KiB, where checksums of
/// all sections are, equal the file's. Throws UsageError when some column is in no container, DataError when the device
/// holds something else, and as NvmeDevice does.
std::unique_ptr<Storage> open_nvme_storage(const std::string& address, ColumnStore& columns, std::size_t queues,
                                           std::uint32_t queue_depth);

}  // namespace graphrun::inline GR_IDS
