// SPDX-License-Identifier: Apache-2.0

#include <array>

#include "graphrun/cache/page_table.hpp"
#include "variants.hpp"

namespace {

using graphrun::FrameId;
using graphrun::kNoFrame;
using graphrun::PageId;
using graphrun::PageTable;
using Answer = PageTable::Answer;
namespace page_word = graphrun::page_word;
namespace sync = graphrun::sync;
using model::at;
using model::require;

constexpr std::size_t kMostPages = 3;
constexpr std::size_t kMostFrames = 2;

/// A cache over storage, and what the scenarios note about it.
struct Cache {
  std::array<std::uint64_t, kMostPages> words;
  std::array<std::uint64_t, kMostFrames> owners;
  std::uint64_t hand;
  std::uint64_t num_frames;
  std::array<model::Cell<std::uint64_t>, kMostFrames> contents;  ///< of frames that are only read: page + 1
  std::array<std::uint64_t, kMostFrames> sums;                   ///< of frames that are written to
  std::array<std::uint64_t, kMostPages> storage;                 ///< sums that were sent
  std::array<std::uint64_t, kMostPages> added;                   ///< what should have been sent in the end
  std::array<std::uint64_t, kMostPages> loaders;
  std::array<std::uint64_t, kMostFrames> fillers;

  PageTable table() {
    return {.words = words.data(), .owners = owners.data(), .hand = &hand, .num_frames = static_cast<FrameId>(num_frames)};
  }
};

/// What a thread does with one page after the other.
enum class Use { read, read_or_fail, add, prefetch };
struct Task {
  Use use;
  PageId page;
};
enum class Cleaning { always_works, may_fail, alone };

/// A claimer is the only one, and so is who fills a frame.
void begin_loading(Cache& cache, PageId page) { require(cache.loaders[page]++ == 0, "a page is loaded twice at a time"); }
void end_loading(Cache& cache, PageId page) { --cache.loaders[page]; }
void begin_filling(Cache& cache, FrameId frame) { require(cache.fillers[frame]++ == 0, "a frame is given to two pages"); }
void end_filling(Cache& cache, FrameId frame) { --cache.fillers[frame]; }

/// Copies a page to storage that is memory, while no other thread may use it.
void clean_alone(Cache& cache, PageId page) {
  const PageTable::Cleaning begun = cache.table().begin_lone_cleaning(page);
  if (!begun.begun) return;
  begin_loading(cache, page);
  begin_filling(cache, begun.frame);
  sync::store_relaxed(cache.storage[page], sync::load_relaxed(cache.sums[begun.frame]));
  cache.table().publish(page, begun.frame, 0);
  end_filling(cache, begun.frame);
  end_loading(cache, page);
}

/// Sends a page to storage in two steps, as devices do: the data are fetched before they are where they belong.
void clean(Cache& cache, PageId page, Cleaning cleaning) {
  if (cleaning == Cleaning::alone) return clean_alone(cache, page);
  const PageTable::Cleaning begun = cache.table().begin_cleaning(page);
  if (!begun.begun) return;
  const bool works = cleaning == Cleaning::always_works || model::choose(2) == 0;
  if (works) sync::store_relaxed(cache.storage[page], sync::load_relaxed(cache.sums[begun.frame]));
  cache.table().end_cleaning(page, works);
}

void fill_and_publish(Cache& cache, PageId page, FrameId frame, std::uint64_t references) {
  cache.contents[frame] = page + 1;
  sync::store_relaxed(cache.sums[frame], sync::load_relaxed(cache.storage[page]));
  cache.table().publish(page, frame, references);
  end_filling(cache, frame);
}

/// The claimed page is loaded, or (`works` false) given up.
void load_page(Cache& cache, std::uint64_t place, PageId page, bool works, std::uint64_t references, Cleaning cleaning) {
  begin_loading(cache, page);
  FrameId frame = kNoFrame;
  do {
    at(place, page, works);
    frame = cache.table().take_frame(cache.num_frames, [&](PageId dirty) { clean(cache, dirty, cleaning); });
  } while (frame == kNoFrame);
  begin_filling(cache, frame);
  if (works) {
    fill_and_publish(cache, page, frame, references);
  } else {
    end_filling(cache, frame);
    cache.table().abandon(page, frame);
  }
  end_loading(cache, page);
}

void use_frame(Cache& cache, const Task& task, FrameId frame) {
  if (task.use == Use::add) {
    sync::fetch_add_relaxed(cache.sums[frame], std::uint64_t{1});
    ++cache.added[task.page];
    cache.table().mark_dirty(task.page);
    return;
  }
  require(cache.contents[frame] == task.page + 1, "a frame holds another page");
  model::pause();
  require(cache.contents[frame] == task.page + 1, "a frame was filled again under a reference");
}

/// As HostPager::prefetch(): gives up where a reader would wait.
void prefetch(Cache& cache, PageId page) {
  if (!cache.table().claim_if_absent(page)) return;
  begin_loading(cache, page);
  const FrameId frame = cache.table().take_frame(1);
  if (frame == kNoFrame) {
    cache.table().abandon(page, frame);
  } else {
    begin_filling(cache, frame);
    fill_and_publish(cache, page, frame, 0);
  }
  end_loading(cache, page);
}

/// `kept`: who loads a page has a reference to it at once; otherwise it asks again, as HostPager does.
void run_task(Cache& cache, std::uint64_t number, const Task& task, bool kept, Cleaning cleaning) {
  if (task.use == Use::prefetch) return prefetch(cache, task.page);
  for (;;) {
    at(2 * number, task.page);
    const PageTable::Grabbed grabbed = cache.table().grab(task.page, 1);
    if (grabbed.answer == Answer::loading) continue;
    FrameId frame = grabbed.frame;
    if (grabbed.answer == Answer::claimed) {
      const bool works = task.use != Use::read_or_fail || model::choose(2) == 0;
      load_page(cache, 2 * number + 1, task.page, works, kept ? 1 : 0, cleaning);
      if (!works) return;
      if (!kept) continue;
      frame = page_word::frame(cache.words[task.page]);
    }
    at(100 + 2 * number, frame);
    use_frame(cache, task, frame);
    cache.table().release(task.page, 1);
    return;
  }
}

void check_end(Cache& cache) {
  for (PageId page = 0; page < kMostPages; ++page) {
    const std::uint64_t word = cache.words[page];
    require(page_word::references(word) == 0, "references are left over");
    require(page_word::state(word) != page_word::State::loading, "a page is loading for ever");
    clean(cache, page, Cleaning::always_works);
    require(cache.storage[page] == cache.added[page], "a write is lost");
  }
}

/// The hand goes round, and so do generations in the end: with every eviction here, so that nothing may rely on them.
void normalise(Cache& cache) {
  cache.hand %= cache.num_frames;
  for (std::uint64_t& word : cache.words) word &= page_word::kOneGeneration - 1;
}

struct Options {
  std::uint64_t frames = 1;
  bool kept = false;
  Cleaning cleaning = Cleaning::always_works;
};

model::Scenario scenario(const std::string& name, const Options& options, const std::vector<std::vector<Task>>& threads) {
  model::Model<Cache> program;
  program.initial.num_frames = options.frames;
  for (const auto& tasks : threads) {
    program.threads.push_back([options, tasks](Cache& cache) {
      for (std::size_t i = 0; i < tasks.size(); ++i) run_task(cache, i, tasks[i], options.kept, options.cleaning);
    });
  }
  // Where fewer frames than threads are left to the threads that come first, threads can push out each other's pages for ever.
  const bool fair_schedules_end = options.kept || options.frames >= threads.size();
  program.at_end = check_end;
  program.normalise = normalise;
  return {name, fair_schedules_end, [program] { return model::explore(program); }};
}

constexpr Task read(PageId page) { return {Use::read, page}; }
constexpr Task read_or_fail(PageId page) { return {Use::read_or_fail, page}; }
constexpr Task add(PageId page) { return {Use::add, page}; }
constexpr Task ahead(PageId page) { return {Use::prefetch, page}; }

const model::Registration kRegistration(
    GR_MODEL_VARIANT,
    {
        scenario("two readers of one page", {}, {{read(0)}, {read(0)}}),
        scenario("two pages, one frame", {}, {{read(0), read(1)}, {read(1), read(0)}}),
        scenario("two pages, one frame, loaders keep their page", {.kept = true}, {{read(0), read(1)}, {read(1), read(0)}}),
        scenario("two pages, two frames", {.frames = 2}, {{read(0), read(1)}, {read(1), read(0)}}),
        scenario("three pages, two frames", {.frames = 2}, {{read(0), read(1)}, {read(1), read(2)}}),
        scenario("three readers of two pages, one frame", {.kept = true}, {{read(0)}, {read(1)}, {read(0)}}),
        scenario("three readers of three pages, two frames", {.frames = 2, .kept = true}, {{read(0)}, {read(1)}, {read(2)}}),
        scenario("loads that fail", {}, {{read_or_fail(0), read(0)}, {read_or_fail(0), read(1)}}),
        scenario("pages asked for ahead", {.frames = 2}, {{ahead(0), read(1)}, {read(0)}, {ahead(1)}}),
        scenario("two writers, two pages, one frame", {}, {{add(0), add(1)}, {add(0), add(1)}}),
        scenario("two writers that come back", {.kept = true}, {{add(0), add(1)}, {add(1), add(0)}}),
        scenario("two writers, three pages, one frame", {}, {{add(0), add(1)}, {add(0), add(2)}}),
        scenario("a writer between two who send its page", {}, {{read(1)}, {read(2)}, {add(0), add(0)}}),
        scenario("two writers, three pages, two frames", {.frames = 2}, {{add(0), read(1)}, {add(0), read(2)}}),
        scenario("writers that copy back", {.cleaning = Cleaning::alone}, {{add(0), add(1)}, {add(0), read(1)}}),
        scenario("writers that copy back and keep their page", {.kept = true, .cleaning = Cleaning::alone},
                 {{add(0), add(1)}, {add(1), add(0)}}),
        scenario("writers whose sending fails", {.cleaning = Cleaning::may_fail}, {{add(0), read(1)}, {add(0), read(2)}}),
    });

}  // namespace
