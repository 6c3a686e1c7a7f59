// Pages that are written to. Reading them: host_pager.cpp.
#include <fmt/format.h>

#include <cstring>

#include "cache/deadline.hpp"
#include "graphrun/cache/host_pager.hpp"

namespace graphrun {

std::byte* HostPager::acquire_to_overwrite(PageId page) {
  if (const std::byte* data = kept_data(page)) return const_cast<std::byte*>(data);
  const PageTable::Grabbed grabbed = table_.grab(page, references_);
  if (grabbed.answer == PageTable::Answer::resident) return frame_data(grabbed.frame);
  if (grabbed.answer == PageTable::Answer::loading) return const_cast<std::byte*>(acquire_slowly(page, grabbed.answer));
  const FrameId frame = wait_for_frame(page);
  publish(page, frame, references_);
  return frame_data(frame);
}

void HostPager::clean(PageId page) {
  if (queues_.empty()) return copy_back(page);
  const PageTable::Cleaning cleaning = table_.begin_cleaning(page);
  if (cleaning.begun && !post(nvme::Opcode::write, page, cleaning.frame, 1)) table_.end_cleaning(page, false);
}

void HostPager::copy_back(PageId page) {
  const PageTable::Cleaning cleaning = table_.begin_lone_cleaning(page);
  if (!cleaning.begun) return;
  const std::uint64_t bytes = bytes_in_store(page);
  std::memcpy(storage_->writable_memory(offset_of(page)), frame_data(cleaning.frame), bytes);
  sync::fetch_add_relaxed(counters_of_thread().bytes_written, bytes);
  table_.publish(page, cleaning.frame, 0);
}

void HostPager::send_back(PageId page) {
  constexpr std::uint32_t kCommandsOfASystemCall = 8;
  clean(page);
  if (unsent_.load(std::memory_order_relaxed) >= kCommandsOfASystemCall) send();
}

void HostPager::flush() {
  for (FrameId frame = 0; frame < table_.num_frames; ++frame) {
    const std::uint64_t owner = sync::load_acquire(owners_[frame]);
    if (owner < PageTable::kFirstOwner) continue;
    const PageId page = owner - PageTable::kFirstOwner;
    Deadline deadline(options_.deadline);
    for (clean(page); (sync::load_acquire(words_[page]) & page_word::kDirty) != 0; clean(page)) {
      serve_or_sleep();
      throw_if_failed();
      if (!deadline.passed()) continue;
      fail(fmt::format("page {} could not be written within {} ms", page, options_.deadline.count()));
      throw_if_failed();
    }
  }
  wait_for_outstanding();
}

}  // namespace graphrun
