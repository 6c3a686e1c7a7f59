// SPDX-License-Identifier: Apache-2.0
// Bugs that the model must find: a piece of the source, and what takes its place in a copy.
#pragma once

#include <string_view>
#include <vector>

namespace model {

inline constexpr std::string_view kPageTable = "graphrun/cache/page_table.hpp";
inline constexpr std::string_view kQueuePair = "graphrun/transport/queue_pair.hpp";
inline constexpr std::string_view kPageTableUser = "page_table_scenarios.cpp";
inline constexpr std::string_view kQueuePairUser = "queue_pair_scenarios.cpp";
inline constexpr std::string_view kSources[] = {kPageTable, kQueuePair, kPageTableUser, kQueuePairUser};

struct Change {
  std::string_view source;
  std::string_view from;  ///< occurs once
  std::string_view to;
};

struct Bug {
  std::string_view name;
  std::vector<Change> changes;
};

/// Applied to all copies, also to the original: plain data become Cells, so that races for them are seen.
inline const std::vector<Change> kInstrumentation = {
    Change{kQueuePair, "#include \"graphrun/core/sync.hpp\"", "#include \"graphrun/core/sync.hpp\"\n#include \"world.hpp\""},
    Change{kQueuePair, "nvme::Command* commands = nullptr;", "model::Cell<nvme::Command>* commands = nullptr;"},
    Change{kQueuePair, "std::uint64_t tail;", "model::Cell<std::uint64_t> tail;"},
};

inline const std::vector<Bug> kBugs = {
    Bug{"takes_frames_in_use", {{kPageTable, " || page_word::references(seen) != 0) continue;", ") continue;"}}},
    Bug{"takes_the_frame_of_a_page_that_moved", {{kPageTable, " || frame(seen) != frame_id ||", " ||"}}},
    Bug{"evicts_without_looking_again",
        {{kPageTable, "if (!sync::compare_exchange(words[page], seen, gone)) continue;",
          "sync::store_release(words[page], gone);"}}},
    Bug{"takes_free_frames_twice",
        {{kPageTable, "if (sync::compare_exchange(owners[frame_id], owner, kTaken)) return frame_id;",
          "sync::store_release(owners[frame_id], kTaken);\n        return frame_id;"}}},
    Bug{"evicts_dirty_pages", {{kPageTable, "if ((seen & kDirty) != 0) {", "if (false) {"}}},
    Bug{"believes_what_a_page_was", {{kPageTable, "if (state(before) == State::resident) return", "if (true) return"}}},
    Bug{"keeps_references_to_absent_pages",
        {{kPageTable, "seen = sync::fetch_sub(word, references << kReferenceShift) - (references << kReferenceShift);",
          "seen = sync::load_acquire(word);"}}},
    Bug{"grabs_without_acquiring",
        {{kPageTable, "sync::fetch_add_acquire(word, references << kReferenceShift)",
          "sync::fetch_add_relaxed(word, references << kReferenceShift)"}}},
    Bug{"two_claim_a_page",
        {{kPageTable, "if (sync::compare_exchange(word, seen, seen | of_state(State::loading))) return",
          "sync::store_release(word, seen | of_state(State::loading));\n          if (true) return"}}},
    Bug{"releases_without_releasing",
        {{kPageTable, "sync::fetch_sub_release(words[page], references << page_word::kReferenceShift);",
          "sync::fetch_add_relaxed(words[page], 0 - (references << page_word::kReferenceShift));"}}},
    Bug{"publishes_without_releasing",
        {{kPageTable, "sync::fetch_add(words[page], kToResident", "sync::fetch_add_relaxed(words[page], kToResident"}}},
    Bug{"loses_frames_of_abandoned_pages",
        {{kPageTable, "sync::store_release(owners[frame_id], kFree);", "sync::store_release(owners[frame_id], kTaken);"}}},
    Bug{"sends_a_page_twice_at_a_time",
        {{kPageTable, "(word & kDirty) != 0 && references(word) == 0;", "(word & kDirty) != 0;"}}},
    Bug{"copies_a_page_back_that_others_use",
        {{kPageTable, "(seen & ~(kOneGeneration - 1)) | of_state(State::loading);", "seen & ~kDirty;"}}},
    Bug{"cleans_without_a_reference", {{kPageTable, "(seen & ~kDirty) + kOneReference)) return", "seen & ~kDirty)) return"}}},
    Bug{"cleans_for_ever", {{kPageTable, "(seen & ~kDirty) + kOneReference)) return", "seen + kOneReference)) return"}}},
    Bug{"forgets_pages_that_were_not_sent", {{kPageTable, "if (!sent) mark_dirty(page);", "(void)sent;"}}},
    Bug{"forgets_a_page_before_it_was_sent_fails",
        {{kPageTable, "if (!sent) mark_dirty(page);\n    release(page, 1);",
          "release(page, 1);\n    if (!sent) mark_dirty(page);"}}},
    Bug{"publishes_before_the_frame_is_filled",
        {{kPageTableUser, "  cache.contents[frame] = page + 1;\n", ""},
         {kPageTableUser, "references);\n  end_filling(cache, frame);",
          "references);\n  model::pause();\n  cache.contents[frame] = page + 1;\n  end_filling(cache, frame);"}}},
    Bug{"reads_after_the_release",
        {{kPageTableUser, "    use_frame(cache, task, frame);\n    cache.table().release(task.page, 1);\n",
          "    cache.table().release(task.page, 1);\n    use_frame(cache, task, frame);\n"}}},
    Bug{"marks_pages_dirty_after_the_release",
        {{kPageTableUser, "    cache.table().mark_dirty(task.page);\n", ""},
         {kPageTableUser, "    cache.table().release(task.page, 1);\n",
          "    cache.table().release(task.page, 1);\n    if (task.use == Use::add) cache.table().mark_dirty(task.page);\n"}}},

    Bug{"clears_marks_after_the_doorbell",
        {{kQueuePair, "      sync::store_release(slots[tail & (depth - 1)].marked, 0u);\n    }", "    }"},
         {kQueuePair, "sync::store_release(control->tail_lock, 0u);",
          "for (std::uint64_t i = before; i < tail; ++i) sync::store_release(slots[i & (depth - 1)].marked, 0u);\n"
          "    sync::store_release(control->tail_lock, 0u);"}}},
    Bug{"rings_without_the_lock",
        {{kQueuePair, "if (!sync::compare_exchange(control->tail_lock, unlocked, 1u)) return false;", "(void)unlocked;"}}},
    Bug{"leaves_while_another_rings",
        {{kQueuePair, "if (!sync::compare_exchange(control->tail_lock, unlocked, 1u)) return false;",
          "if (!sync::compare_exchange(control->tail_lock, unlocked, 1u)) return true;"}}},
    Bug{"rings_for_unwritten_commands",
        {{kQueuePair, "static_cast<std::uint32_t>(tail) & (2 * depth - 1));  // pairs",
          "static_cast<std::uint32_t>(tail + 1) & (2 * depth - 1));  // pairs"}}},
    Bug{"never_waits_for_its_turn",
        {{kQueuePair, "sync::load_acquire(slots[slot_of(ticket)].turn) == turn_of(ticket);",
          "sync::load_acquire(slots[slot_of(ticket)].turn) <= turn_of(ticket);"}}},
    Bug{"turns_do_not_wrap",
        {{kQueuePair, "std::uint32_t turn_of(Ticket ticket) const { return static_cast<std::uint32_t>(ticket / depth); }",
          "std::uint64_t turn_of(Ticket ticket) const { return ticket / depth; }"}}},
    Bug{"sees_its_turn_without_acquiring",
        {{kQueuePair, "sync::load_acquire(slots[slot_of(ticket)].turn)", "sync::load_relaxed(slots[slot_of(ticket)].turn)"}}},
    Bug{"marks_before_the_outcome_is_pending",
        {{kQueuePair, "sync::store_relaxed(slot.outcome, kPending);\n    sync::store_release(slot.marked, 1u);",
          "sync::store_release(slot.marked, 1u);\n    sync::store_relaxed(slot.outcome, kPending);"}}},
    Bug{"marks_without_releasing",
        {{kQueuePair, "sync::store_release(slot.marked, 1u);", "sync::store_relaxed(slot.marked, 1u);"}}},
    Bug{"unlocks_without_releasing",
        {{kQueuePair, "sync::store_release(control->tail_lock, 0u);", "sync::store_relaxed(control->tail_lock, 0u);"}}},
    Bug{"never_unlocks", {{kQueuePair, "sync::store_release(control->head_lock, 0u);", ""}}},
    Bug{"reaps_without_the_lock",
        {{kQueuePair,
          "if (sync::load_relaxed(control->head_lock) != 0 || !sync::compare_exchange(control->head_lock, unlocked, 1u)) return "
          "0;",
          "(void)unlocked;"}}},
    Bug{"takes_old_completions_for_new", {{kQueuePair, "return (place / entries()) % 2 == 0;", "return (void)place, true;"}}},
    Bug{"reaps_without_acquiring", {{kQueuePair, "sync::far::load_acquire(completions[", "sync::load_relaxed(completions["}}},
    Bug{"tells_outcomes_without_releasing",
        {{kQueuePair, "sync::store_release(slots[index].outcome, kDone + status);",
          "sync::store_relaxed(slots[index].outcome, kDone + status);"}}},
    Bug{"keeps_its_slot",
        {{kQueuePair, "sync::load_relaxed(slots[index].turn) + 1);", "sync::load_relaxed(slots[index].turn));"}}},
    Bug{"draws_tickets_that_have_to_wait",
        {{kQueuePair, "while (!sync::compare_exchange(control->ticket, ticket, ticket + 1));",
          "while (ticket = sync::fetch_add(control->ticket, std::uint64_t{1}), false);"}}},
    Bug{"finishes_before_it_looks_up_the_command",
        {{kQueuePairUser,
          "    check_reaped(queue, index, status);\n    leave_slot(queue, index);\n    queue.pair().finish(index);",
          "    leave_slot(queue, index);\n    queue.pair().finish(index);\n    check_reaped(queue, index, status);"}}},
};

}  // namespace model
