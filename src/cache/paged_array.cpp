// SPDX-License-Identifier: Apache-2.0

#include "graphrun/cache/paged_array.hpp"

#include "core/raise.hpp"

namespace graphrun {

std::unique_ptr<HostPager> make_pager(const ArraySource& source, const PagedArrayOptions& options) {
  if (options.threads < 1) raise<UsageError>("an array for {} threads is of no use: at least 1", options.threads);
  PagerOptions how;
  how.page_bytes = options.page_bytes;
  how.cache_bytes = options.cache_bytes;
  how.workers = options.threads;
  std::vector<PagedColumn> columns{{0, source.bytes(), 0}};
  const auto files = source.files();
  return std::make_unique<HostPager>(how, columns, [&](std::size_t queues, std::uint32_t queue_depth) {
    if (files.empty()) return make_memory_storage({source.memory()});
    return make_software_storage(queues, queue_depth, [&](std::uint32_t depth) { return open_uring_engine(files, depth); });
  });
}

}  // namespace graphrun
