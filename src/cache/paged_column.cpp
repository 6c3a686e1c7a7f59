#include "graphrun/cache/paged_column.hpp"

#include <fmt/format.h>

#include <bit>
#include <limits>

#include "graphrun/core/error.hpp"
#include "graphrun/transport/nvme.hpp"

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

std::uint64_t array_bytes(std::uint64_t size, std::size_t element_bytes) {
  if (size <= std::numeric_limits<std::uint64_t>::max() / element_bytes) return size * element_bytes;
  throw UsageError(fmt::format("an array of {} elements of {} bytes is larger than any file", size, element_bytes));
}

void check_page_bytes(std::uint32_t page_bytes) {
  constexpr std::uint32_t kLeast = 512;
  constexpr std::uint32_t kMost = 64 << 10;
  if (std::has_single_bit(page_bytes) && page_bytes >= kLeast && page_bytes <= kMost) return;
  throw UsageError(
      fmt::format("a page of {} bytes is not possible: choose a power of two from {} to {}", page_bytes, kLeast, kMost));
}

}  // namespace graphrun
