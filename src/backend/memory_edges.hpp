// Columns of a graph that are, or are to be, in host memory.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <vector>

#include "graphrun/cache/paged_column.hpp"
#include "graphrun/core/column.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/transport/controller.hpp"

namespace graphrun::inline GR_IDS {

/// Column i is file i of a store.
class MemoryColumns {
 public:
  PagedColumn add(const Column<std::byte>& column) {
    // Loads the edges of a mapped file into memory before the first page is copied. Older kernels cannot: there the first copy
    // of a page reads it.
    constexpr int kPopulateRead = 22;
    if (column.in_mapped_file()) ::madvise(column.region()->data(), column.region()->bytes(), kPopulateRead);
    columns_.push_back(column);
    return {(columns_.size() - 1) * kFileStride, column.bytes(), 0};
  }
  const std::vector<Column<std::byte>>& all() const { return columns_; }

 private:
  std::vector<Column<std::byte>> columns_;
};

}  // namespace graphrun::inline GR_IDS
