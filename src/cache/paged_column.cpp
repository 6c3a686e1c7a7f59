// SPDX-License-Identifier: Apache-2.0

#include "graphrun/cache/paged_column.hpp"

#include <bit>

#include "core/raise.hpp"
#include "graphrun/transport/nvme.hpp"
#include "graphrun/transport/storage.hpp"

namespace graphrun {

PageId lay_out_pages(std::vector<PagedColumn>& columns, std::uint32_t page_bytes) {
  PageId next = 0;
  for (PagedColumn& column : columns) {
    if (column.offset % nvme::kBlockBytes != 0) throw UsageError("a paged column must begin at a block of its store");
    column.first_page = next;
    next += (column.bytes + page_bytes - 1) / page_bytes;
  }
  return next;
}

void check_page_bytes(std::uint32_t page_bytes) {
  constexpr std::uint32_t kLeast = 512;
  constexpr std::uint32_t kMost = kMostCommandBytes;
  if (std::has_single_bit(page_bytes) && page_bytes >= kLeast && page_bytes <= kMost) return;
  raise<UsageError>("a page of {} bytes is not possible: choose a power of two from {} to {}", page_bytes, kLeast, kMost);
}

}  // namespace graphrun
