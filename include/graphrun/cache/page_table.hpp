// SPDX-License-Identifier: Apache-2.0
// The page table of a software cache: which page is in which frame, which pages are in use, and which frame goes next. One
// source for host threads and GPU threads (Qureshi et al., ASPLOS 2023, section 3.4).
//
// All state of a page is in one 64-bit word, so that every decision is one atomic operation:
//
//   bits  0..31  frame, while resident; otherwise 0
//   bits 32..51  references: users that rely on the frame staying
//   bits 52..53  state
//   bit  54      dirty: the frame has been written to since it was last read from or sent to storage
//   bit  55      ahead: the page was read ahead, and no thread has used it yet; only caches of host threads set it
//   bits 56..63  generation, one more with every eviction
//
//   absent --claim--> loading --publish--> resident --evict (references 0, clean)--> absent
//
// A claimer is alone with its page until it publishes or abandons it. Eviction makes a page absent in the same operation that
// finds it without references: no thread reaches a frame that is about to be filled again. No member waits. A caller that waits
// for a page that another thread loads holds no reference: so any cache with a frame for each caller that may hold one makes
// progress.
//
// A dirty page is not evicted. A thread that looks for a frame and meets a dirty page without references takes a reference, calls
// the page clean, sends it to storage, and looks further. A write meanwhile makes the page dirty again. A thread that copies the
// page back by itself claims it instead (begin_lone_cleaning).
#pragma once

#include <cstdint>

#include "graphrun/core/macros.hpp"
#include "graphrun/core/sync.hpp"

namespace graphrun {

using PageId = std::uint64_t;
inline constexpr PageId kLastPage = ~PageId{0};  ///< the end of a range without one
using FrameId = std::uint32_t;
inline constexpr FrameId kNoFrame = ~FrameId{0};

namespace page_word {

inline constexpr int kReferenceShift = 32;
inline constexpr int kStateShift = 52;
inline constexpr int kDirtyShift = 54;
inline constexpr int kAheadShift = 55;
inline constexpr int kGenerationShift = 56;
inline constexpr std::uint64_t kOneReference = std::uint64_t{1} << kReferenceShift;
inline constexpr std::uint64_t kReferences = ((std::uint64_t{1} << 20) - 1) << kReferenceShift;
inline constexpr std::uint64_t kStates = std::uint64_t{3} << kStateShift;
inline constexpr std::uint64_t kDirty = std::uint64_t{1} << kDirtyShift;
inline constexpr std::uint64_t kAhead = std::uint64_t{1} << kAheadShift;
inline constexpr std::uint64_t kOneGeneration = std::uint64_t{1} << kGenerationShift;

enum class State : std::uint64_t { absent = 0, loading = 1, resident = 2 };

GR_HD constexpr State state(std::uint64_t word) { return static_cast<State>((word & kStates) >> kStateShift); }
GR_HD constexpr FrameId frame(std::uint64_t word) { return static_cast<FrameId>(word); }
GR_HD constexpr std::uint64_t references(std::uint64_t word) { return (word & kReferences) >> kReferenceShift; }
/// Returns whether a page is dirty, and without references.
GR_HD constexpr bool needs_cleaning(std::uint64_t word) {
  return state(word) == State::resident && (word & kDirty) != 0 && references(word) == 0;
}
GR_HD constexpr std::uint64_t of_state(State state) { return static_cast<std::uint64_t>(state) << kStateShift; }
/// Returns whether a page is resident, and was used or never read ahead.
GR_HD constexpr bool is_settled(std::uint64_t word) { return (word & (kStates | kAhead)) == of_state(State::resident); }

}  // namespace page_word

/// The page table. Trivially copyable; the arrays are owned by a cache. Any thread may call any member at any time.
struct PageTable {
  enum class Answer { resident, claimed, loading };
  struct Grabbed {
    Answer answer;
    FrameId frame;  ///< when resident: stays until release()
  };
  struct Cleaning {
    bool begun;
    FrameId frame;
  };

  std::uint64_t* words = nullptr;   ///< one a page
  std::uint64_t* owners = nullptr;  ///< one a frame: the page it holds + kFirstOwner, or kFree, or kTaken
  std::uint64_t* hand = nullptr;    ///< of the clock
  FrameId num_frames = 0;
  /// Whether there is a frame for every page: page p stays in frame p, and references are not counted.
  bool all_pages_fit = false;

  /// Returns the references that a user of a page takes.
  GR_HD std::uint64_t references() const { return all_pages_fit ? 0 : 1; }

  static constexpr std::uint64_t kFree = 0;
  static constexpr std::uint64_t kTaken = 1;
  static constexpr std::uint64_t kFirstOwner = 2;

  /// Adds `references` to a resident page, until release(). claimed: the caller must load it, then publish() or abandon().
  /// loading: another thread loads it; look again later.
  GR_HD Grabbed grab(PageId page, std::uint64_t references) const {
    using namespace page_word;
    std::uint64_t& word = words[page];
    std::uint64_t seen = sync::load_acquire(word);
    for (;;) {
      switch (state(seen)) {
        case State::resident: {
          const std::uint64_t before = sync::fetch_add_acquire(word, references << kReferenceShift);
          if (state(before) == State::resident) return {Answer::resident, frame(before)};
          seen = sync::fetch_sub(word, references << kReferenceShift) - (references << kReferenceShift);
          break;
        }
        case State::absent:
          if (sync::compare_exchange(word, seen, seen | of_state(State::loading))) return {Answer::claimed, kNoFrame};
          break;
        default:
          return {Answer::loading, kNoFrame};
      }
    }
  }

  /// Claims a page that is absent; returns false when it is resident or loading.
  GR_HD bool claim_if_absent(PageId page) const {
    std::uint64_t seen = sync::load_relaxed(words[page]);
    return page_word::state(seen) == page_word::State::absent &&
           sync::compare_exchange(words[page], seen, seen | page_word::of_state(page_word::State::loading));
  }

  GR_HD void release(PageId page, std::uint64_t references) const {
    sync::fetch_sub_release(words[page], references << page_word::kReferenceShift);
  }

  /// Marks the frame as written to. The caller holds a reference, and calls this after the last write.
  GR_HD void mark_dirty(PageId page) const { sync::fetch_or(words[page], page_word::kDirty); }

  /// Marks a page clean that is resident, dirty and without references, and takes a reference, so that the caller can send it to
  /// storage. No other thread can begin meanwhile: of two transfers of one page the older could come last.
  GR_HD Cleaning begin_cleaning(PageId page) const {
    using namespace page_word;
    std::uint64_t seen = sync::load_relaxed(words[page]);
    while (needs_cleaning(seen)) {
      if (sync::compare_exchange(words[page], seen, (seen & ~kDirty) + kOneReference)) return {true, frame(seen)};
    }
    return {false, kNoFrame};
  }
  /// Ends the transfer: the page is in storage, or (`sent` false) could not be sent and is dirty still.
  GR_HD void end_cleaning(PageId page, bool sent) const {
    if (!sent) mark_dirty(page);
    release(page, 1);
  }
  /// Does the same for a caller that copies the page itself while it must not change: to others it is loading until publish().
  GR_HD Cleaning begin_lone_cleaning(PageId page) const {
    using namespace page_word;
    std::uint64_t seen = sync::load_relaxed(words[page]);
    while (needs_cleaning(seen)) {
      const std::uint64_t loading = (seen & ~(kOneGeneration - 1)) | of_state(State::loading);
      if (sync::compare_exchange(words[page], seen, loading)) return {true, frame(seen)};
    }
    return {false, kNoFrame};
  }

  /// Takes a frame for a claimed page: a free one, or the frame of a page without references, which becomes absent. Looks at
  /// `tries` frames; returns kNoFrame when all are in use. Calls on_dirty(page) for pages that only need cleaning.
  template <class OnDirty>
  GR_HD FrameId take_frame(std::uint64_t tries, const OnDirty& on_dirty) const {
    using namespace page_word;
    for (std::uint64_t i = 0; i < tries; ++i) {
      const auto frame_id = static_cast<FrameId>(sync::fetch_add_relaxed(*hand, std::uint64_t{1}) % num_frames);
      std::uint64_t owner = sync::load_acquire(owners[frame_id]);
      if (owner == kTaken) continue;
      if (owner == kFree) {
        if (sync::compare_exchange(owners[frame_id], owner, kTaken)) return frame_id;
        continue;
      }
      const PageId page = owner - kFirstOwner;
      std::uint64_t seen = sync::load_relaxed(words[page]);
      if (state(seen) != State::resident || frame(seen) != frame_id || page_word::references(seen) != 0) continue;
      if ((seen & kDirty) != 0) {
        on_dirty(page);
        continue;
      }
      const std::uint64_t gone = (seen & ~(kOneGeneration - 1)) + kOneGeneration;  // absent, no frame, next generation
      if (!sync::compare_exchange(words[page], seen, gone)) continue;
      sync::store_release(owners[frame_id], kTaken);
      return frame_id;
    }
    return kNoFrame;
  }
  GR_HD FrameId take_frame(std::uint64_t tries) const {
    return take_frame(tries, [](PageId) {});
  }

  /// Marks the claimed page as in the frame. The caller gets `references`. `marks`: kAhead, or 0.
  GR_HD void publish(PageId page, FrameId frame_id, std::uint64_t references, std::uint64_t marks = 0) const {
    using namespace page_word;
    sync::store_release(owners[frame_id], page + kFirstOwner);
    constexpr std::uint64_t kToResident = of_state(State::resident) - of_state(State::loading);
    sync::fetch_add(words[page], kToResident + (references << kReferenceShift) + frame_id + marks);
  }

  /// Clears kAhead when the page is used, or will not be. Returns true to one caller after each publish() with kAhead.
  GR_HD bool end_ahead(PageId page) const {
    std::uint64_t seen = sync::load_relaxed(words[page]);
    while ((seen & page_word::kAhead) != 0) {
      if (sync::compare_exchange(words[page], seen, seen & ~page_word::kAhead)) return true;
    }
    return false;
  }

  /// Gives up a claimed page that could not be loaded; its frame, if it has one, is free again.
  GR_HD void abandon(PageId page, FrameId frame_id) const {
    if (frame_id != kNoFrame) sync::store_release(owners[frame_id], kFree);
    sync::fetch_sub(words[page], page_word::of_state(page_word::State::loading));
  }
};

}  // namespace graphrun
