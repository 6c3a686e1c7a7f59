#include "graphrun/cache/paged_column.hpp"

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

}  // namespace graphrun
