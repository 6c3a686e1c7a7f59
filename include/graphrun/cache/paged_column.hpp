// SPDX-License-Identifier: Apache-2.0
// Columns of a store, in a cache: runs of pages.
#pragma once

#include <cstdint>
#include <vector>

#include "graphrun/cache/page_table.hpp"

namespace graphrun {

/// A column of a store: pages of `page_bytes` from `offset` on. Several columns share one cache.
struct PagedColumn {
  std::uint64_t offset = 0;  ///< in the store, a multiple of 512
  std::uint64_t bytes = 0;
  PageId first_page = 0;
  /// Of unchecked stores, not 0: the column holds vertex ids below this, of id_bytes each; other ids are an error.
  std::uint64_t id_limit = 0;
  std::uint32_t id_bytes = 0;
  bool fresh = false;  ///< nothing was ever written to it: its pages are zeros and need not be read
  /// For a GPU's cache without storage: warps copy pages from these `bytes`, at an address that 16 divides.
  const std::byte* source = nullptr;
  std::byte* target = nullptr;  ///< the same address, when written pages may go back to it
};

/// Gives the columns consecutive pages. Returns their number. Throws UsageError when a column does not begin at a block.
PageId lay_out_pages(std::vector<PagedColumn>& columns, std::uint32_t page_bytes);

/// Throws UsageError unless `page_bytes` is a power of two from 512 B to 1 MiB.
void check_page_bytes(std::uint32_t page_bytes);

}  // namespace graphrun
