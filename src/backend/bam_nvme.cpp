// SPDX-License-Identifier: Apache-2.0

#include "backend/bam_nvme.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "core/raise.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/transport/nvme_device.hpp"
#include "io/native_layout.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::string_view kNvmePrefix = "nvme:";

/// The part of a container that describes the rest.
using Head = std::array<std::byte, io::kSectionAlignment>;

Head read_head(const StoreFile& file) {
  Head head{};
  const ssize_t got = ::pread(file.fd, head.data(), head.size(), 0);
  if (got == static_cast<ssize_t>(head.size())) return head;
  raise<DataError>("cannot read the first {} bytes of {}: {}", head.size(), file.name,
                   got < 0 ? std::strerror(errno) : "it is shorter");
}

std::uint64_t bytes_of(const StoreFile& file) {
  struct stat status {};
  if (::fstat(file.fd, &status) != 0) raise_errno<DataError>("cannot examine {}", file.name);
  return static_cast<std::uint64_t>(status.st_size);
}

void check_head(NvmeDevice& device, const std::string& address, const StoreFile& file) {
  const std::uint64_t capacity = device.name_space().bytes;
  if (bytes_of(file) > capacity)
    raise<DataError>("NVMe device {} has {} and cannot hold {}, which has {}", address, format_bytes(capacity), file.name,
                     format_bytes(bytes_of(file)));
  Head on_device;
  device.read(0, on_device);
  if (on_device == read_head(file)) return;
  raise<DataError>(
      "NVMe device {} does not hold {}: its first {} bytes are others; copy the file to the start of the device while the kernel "
      "has "
      "it (dd if={} of=/dev/nvme... bs=1M oflag=direct)",
      address, file.name, on_device.size(), file.name);
}

}  // namespace

std::optional<std::string> nvme_address(const std::string& storage) {
  if (!storage.starts_with(kNvmePrefix)) return std::nullopt;
  return storage.substr(kNvmePrefix.size());
}

std::unique_ptr<Storage> open_nvme_storage(const std::string& address, ColumnStore& columns, std::size_t queues,
                                           std::uint32_t queue_depth) {
  auto device = open_nvme_device(address, {.queues = queues, .queue_depth = queue_depth});
  const std::vector<StoreFile>& files = columns.finish();
  const bool in_container = files.size() == 1 && !columns.has_scratch() &&
                            std::memcmp(read_head(files.front()).data(), io::kMagic.data(), io::kMagic.size()) == 0;
  if (!in_container)
    throw UsageError(
        "storage nvme reads a .grf container that was copied to the device, and neighbours or weights of this graph are not in "
        "one: "
        "make one with graphconv, with --weights for sssp");
  check_head(*device, address, files.front());
  return device;
}

}  // namespace graphrun::inline GR_IDS
