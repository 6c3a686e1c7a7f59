// All pages at once: a cache is filled, or emptied.
#include <fmt/format.h>

#include <algorithm>

#include "graphrun/cache/host_pager.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/parallel.hpp"

namespace graphrun {

void HostPager::wait_for_outstanding() {
  finish_outstanding();
  if (const auto out = outstanding_.load(); out != 0) {
    fail(fmt::format("{} commands that nobody waits for are out still after {} ms", out, options_.deadline.count()));
  }
  throw_if_failed();
}

void HostPager::fill() {
  PageId pages = 0;
  for (const PagedColumn& column : columns_) pages += pages_of(column);
  if (frames() < pages) throw UsageError(fmt::format("a cache of {} frames cannot be filled with all {} pages", frames(), pages));
  const PageId ahead = std::max<PageId>(1, pages_ahead_ / 2);
  for (PageId page = 0; page < pages; ++page) {
    if (page % ahead == 0) {
      prefetch(page, std::min(page + 2 * ahead, pages) - 1);
      send();
    }
    acquire(page);
    release(page);
  }
}

void HostPager::fill_gaps(PageId first_page, std::uint64_t least_share, ThreadPool& pool) {
  if (!keeps_all() || !queues_.empty()) return;
  const std::size_t index = column_index(first_page);
  const PageId pages = pages_of(columns_[index]);
  if (sync::load_relaxed(absent_[index].pages) * least_share > pages) return;
  constexpr std::size_t kPagesOfAPiece = 16;
  parallel_for(
      pool, pages, [&](std::size_t i) { acquire(first_page + i); }, kPagesOfAPiece);
}

void HostPager::drop() {
  flush();
  forget_pages();
}

void HostPager::forget_pages() {
  for (std::size_t i = 0; i < columns_.size(); ++i) absent_[i].pages = pages_of(columns_[i]);
  std::fill(words_.data(), words_.data() + words_.size(), 0);
  std::fill(owners_.data(), owners_.data() + owners_.size(), 0);
  goes_backward_ = false;
}

}  // namespace graphrun
