// SPDX-License-Identifier: Apache-2.0
// A submission and a completion queue that many threads share without a lock on their way in (Qureshi et al., ASPLOS 2023,
// section 3.3). One source for host threads and GPU threads.
//
// Submission. A ticket is a place in an endless queue: ticket mod depth is the slot, ticket / depth the turn, which the slot's
// turn counter calls. The thread with the turn writes its command and marks the slot. A thread that gets the tail lock moves the
// tail over consecutive marked slots, clears their marks, and rings the doorbell once. The others see their marks cleared. With a
// batch the doorbell waits until that many are marked, as for GPUVM's post numbers (Nazaraliyev et al., section 3.2).
//
// Completion. A command's id is its slot, which is taken until its owner has seen the completion: so at most `depth` commands are
// out, and the completion queue cannot overflow. A thread that gets the head lock takes all new completions, writes each outcome
// into its slot, and rings the doorbell once.
//
// No member waits: callers do, with a deadline.
#pragma once

#include <cstdint>

#include "graphrun/core/sync.hpp"
#include "graphrun/transport/nvme.hpp"

namespace graphrun {

/// A queue pair. Trivially copyable; the memory is a QueuePairs'. The consumer of the commands, a storage controller, reads
/// `commands` up to `tail_doorbell` and writes `completions`; everything else is the submitters' own.
struct QueuePair {
  using Ticket = std::uint64_t;

  struct Slot {
    std::uint32_t turn;     ///< whose turn it is to use the slot
    std::uint32_t marked;   ///< written, and not yet before the tail
    std::uint32_t outcome;  ///< kPending, or kDone + status
    std::uint32_t unused;
  };
  struct alignas(64) Control {
    std::uint64_t ticket;
    std::uint32_t tail_lock;
    std::uint32_t head_lock;
    std::uint64_t tail;       ///< under tail_lock
    std::uint64_t head;       ///< of completions, under head_lock
    std::uint64_t doorbells;  ///< rung for commands so far, under tail_lock
  };

  static constexpr std::uint32_t kPending = 0;
  static constexpr std::uint32_t kDone = 1u << 31;

  nvme::Command* commands = nullptr;
  nvme::Completion* completions = nullptr;
  Slot* slots = nullptr;
  Control* control = nullptr;
  std::uint32_t* tail_doorbell = nullptr;  ///< commands before this place (mod 2 depth) are written
  std::uint32_t* head_doorbell = nullptr;  ///< completions before this place (mod 2 depth) were taken
  std::uint32_t depth = 0;                 ///< a power of two, at most 32768
  /// Entries of the queues for each slot, as a power of two: 0 for our own controllers, which know a full queue by its
  /// doorbell; 1 for real devices, which count doorbells mod entries(), so that a queue must not be full.
  std::uint32_t entries_shift = 0;

  GR_HD std::uint32_t entries() const { return depth << entries_shift; }
  GR_HD Ticket draw_ticket() const { return sync::fetch_add(control->ticket, std::uint64_t{1}); }
  /// Draws a ticket only when it has its turn at once: a ticket cannot be given back.
  GR_HD bool try_draw_ticket(Ticket& ticket) const {
    ticket = sync::load_relaxed(control->ticket);
    do {
      if (!has_turn(ticket)) return false;
    } while (!sync::compare_exchange(control->ticket, ticket, ticket + 1));
    return true;
  }
  GR_HD std::uint32_t slot_of(Ticket ticket) const { return static_cast<std::uint32_t>(ticket) & (depth - 1); }
  GR_HD std::uint32_t turn_of(Ticket ticket) const { return static_cast<std::uint32_t>(ticket / depth); }

  GR_HD bool has_turn(Ticket ticket) const { return sync::load_acquire(slots[slot_of(ticket)].turn) == turn_of(ticket); }

  /// Writes the command. The ticket must have its turn. Submitters keep their own data of a command by slot_of(ticket).
  GR_HD void write(Ticket ticket, nvme::Command command) const {
    const std::uint32_t index = slot_of(ticket);
    command.id = static_cast<std::uint16_t>(index);
    commands[static_cast<std::uint32_t>(ticket) & (entries() - 1)] = command;
    Slot& slot = slots[index];
    sync::store_relaxed(slot.outcome, kPending);
    sync::store_release(slot.marked, 1u);  // pairs with the acquire in ring()
  }

  /// Returns whether the command is before the doorbell; moves the doorbell itself when no other thread is at it. A batch divides
  /// the depth: the doorbell moves once all commands before the next multiple of it are written.
  GR_HD bool ring(Ticket ticket, std::uint32_t batch = 1) const {
    if (sync::load_acquire(slots[slot_of(ticket)].marked) == 0) return true;
    std::uint32_t unlocked = 0;
    if (!sync::compare_exchange(control->tail_lock, unlocked, 1u)) return false;
    std::uint64_t tail = control->tail;
    const std::uint64_t before = tail;
    const bool is_whole = batch <= 1 || is_written(tail, batch - (static_cast<std::uint32_t>(tail) & (batch - 1)));
    for (; is_whole && tail - before < depth && sync::load_acquire(slots[tail & (depth - 1)].marked) != 0; ++tail) {
      sync::store_release(slots[tail & (depth - 1)].marked, 0u);
    }
    if (tail != before) {
      control->tail = tail;
      ++control->doorbells;
      sync::far::store_release(*tail_doorbell,
                               static_cast<std::uint32_t>(tail) & (2 * depth - 1));  // pairs with the controller's acquire
    }
    sync::store_release(control->tail_lock, 0u);
    return sync::load_acquire(slots[slot_of(ticket)].marked) == 0;
  }

  /// Takes new completions, when no other thread does, and calls on_done(slot index, status) for each after its outcome is set.
  /// Returns how many.
  template <class OnDone>
  GR_HD std::uint32_t reap(const OnDone& on_done) const {
    // The lock first: completions may be on the far side of a link.
    std::uint32_t unlocked = 0;
    if (sync::load_relaxed(control->head_lock) != 0 || !sync::compare_exchange(control->head_lock, unlocked, 1u)) return 0;
    std::uint64_t head = control->head;
    std::uint32_t taken = 0;
    for (; taken < depth; ++head, ++taken) {
      const std::uint64_t word = sync::far::load_acquire(completions[head & (entries() - 1)].word);
      if (nvme::phase_of(word) != phase_at(head)) break;
      const std::uint32_t index = nvme::command_id_of(word) & (depth - 1);
      const std::uint32_t status = nvme::status_of(word);
      sync::store_release(slots[index].outcome, kDone + status);
      on_done(index, status);
    }
    if (taken != 0) {
      sync::store_relaxed(control->head, head);
      sync::far::store_release(*head_doorbell, static_cast<std::uint32_t>(head) & (2 * depth - 1));
    }
    sync::store_release(control->head_lock, 0u);
    return taken;
  }

  /// Returns the outcome of a command: kPending, or kDone + status.
  GR_HD std::uint32_t outcome(Ticket ticket) const { return sync::load_acquire(slots[slot_of(ticket)].outcome); }

  /// Releases the slot to the next turn. Once for each ticket, when its completion has been seen.
  GR_HD void finish(std::uint32_t index) const {
    sync::store_release(slots[index].turn, sync::load_relaxed(slots[index].turn) + 1);
  }

 private:
  /// Returns whether `count` commands from a place on are written.
  GR_HD bool is_written(std::uint64_t place, std::uint32_t count) const {
    for (; count != 0 && sync::load_acquire(slots[place & (depth - 1)].marked) != 0; ++place) --count;
    return count == 0;
  }
  /// Returns the phase of a place; 1 in the first round: memory that was never written is not new.
  GR_HD bool phase_at(std::uint64_t place) const { return (place / entries()) % 2 == 0; }
};

}  // namespace graphrun
