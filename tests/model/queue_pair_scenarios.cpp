// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>

#include "graphrun/transport/queue_pair.hpp"
#include "variants.hpp"

namespace {

using graphrun::QueuePair;
namespace nvme = graphrun::nvme;
namespace sync = graphrun::sync;
using model::at;
using model::Cell;
using model::require;

constexpr std::size_t kMostDepth = 2;
constexpr std::size_t kMostEntries = 2 * kMostDepth;
constexpr std::size_t kMostCommands = 6;

/// A queue pair, the device behind it, and what the scenarios note about them. Commands are numbered by their tickets.
struct Queue {
  std::array<Cell<nvme::Command>, kMostEntries> commands;
  std::array<nvme::Completion, kMostEntries> completions;
  std::array<QueuePair::Slot, kMostDepth> slots;
  QueuePair::Control control;
  std::uint32_t tail_doorbell;
  std::uint32_t head_doorbell;
  std::uint32_t depth;
  std::uint32_t entries_shift;
  std::uint64_t first_ticket;
  std::array<Cell<std::uint64_t>, kMostDepth> numbers;  ///< of the commands in slots: what submitters keep of them
  std::array<std::uint64_t, kMostDepth> users;          ///< of slots
  std::array<std::uint64_t, kMostCommands> reaped;      ///< how often

  QueuePair pair() {
    return {.commands = commands.data(),
            .completions = completions.data(),
            .slots = slots.data(),
            .control = &control,
            .tail_doorbell = &tail_doorbell,
            .head_doorbell = &head_doorbell,
            .depth = depth,
            .entries_shift = entries_shift};
  }
  std::uint64_t entry_of(std::uint64_t place) { return place & (pair().entries() - 1); }
  std::uint64_t number_of(QueuePair::Ticket ticket) const { return ticket - first_ticket; }
};

/// Every command has a status of its own, so that an outcome shows whose it is.
constexpr std::uint32_t status_of(std::uint64_t number) { return static_cast<std::uint32_t>(number + 1); }

void take_slot(Queue& queue, std::uint32_t index) { require(queue.users[index]++ == 0, "a slot is used by two commands"); }
void leave_slot(Queue& queue, std::uint32_t index) { --queue.users[index]; }

void write(Queue& queue, QueuePair::Ticket ticket) {
  nvme::Command command{};
  command.first_block = queue.number_of(ticket) + 1;
  queue.numbers[queue.pair().slot_of(ticket)] = queue.number_of(ticket);
  queue.pair().write(ticket, command);
}

/// What was kept and the status must be those of one command, which no thread has seen complete before.
void check_reaped(Queue& queue, std::uint32_t index, std::uint32_t status) {
  const std::uint64_t number = queue.numbers[index];
  require(number < kMostCommands, "a completion of no command");
  require(status == status_of(number), "a completion of another command");
  const nvme::Command command = queue.commands[queue.entry_of(queue.first_ticket + number)];
  require(command.first_block == number + 1, "a command is overwritten before it is settled");
  require(queue.reaped[number]++ == 0, "a command completes twice");
}

/// Its owner waits for a command: tickets are drawn first, as threads of a GPU do.
void run_command(Queue& queue, std::uint64_t place) {
  const QueuePair pair = queue.pair();
  const QueuePair::Ticket ticket = pair.draw_ticket();
  do at(place, ticket, 0);
  while (!pair.has_turn(ticket));
  const std::uint32_t index = pair.slot_of(ticket);
  take_slot(queue, index);
  write(queue, ticket);
  do at(place, ticket, 1);
  while (!pair.ring(ticket));
  std::uint32_t outcome = QueuePair::kPending;
  for (;;) {
    at(place, ticket, 2);
    if ((outcome = pair.outcome(ticket)) != QueuePair::kPending) break;
    pair.reap([&](std::uint32_t slot, std::uint32_t status) {
      require(status > 0 && queue.reaped[status - 1]++ == 0, "a command completes twice");
      require(slot == pair.slot_of(queue.first_ticket + status - 1), "a completion for another slot");
    });
  }
  require(outcome == QueuePair::kDone + status_of(queue.number_of(ticket)), "an outcome of another command");
  leave_slot(queue, index);
  pair.finish(index);
}

/// The thread that reaps settles, and a ticket is only drawn when it has its turn, as HostPager does.
bool post(Queue& queue, std::uint64_t number) {
  const QueuePair pair = queue.pair();
  QueuePair::Ticket ticket = 0;
  if (!pair.try_draw_ticket(ticket)) return false;
  take_slot(queue, pair.slot_of(ticket));
  write(queue, ticket);
  do at(100, number, ticket);
  while (!pair.ring(ticket));
  return true;
}

void settle_what_comes(Queue& queue) {
  queue.pair().reap([&](std::uint32_t index, std::uint32_t status) {
    check_reaped(queue, index, status);
    leave_slot(queue, index);
    queue.pair().finish(index);
  });
}

void post_and_settle(Queue& queue, std::uint64_t commands) {
  for (std::uint64_t i = 0; i < commands; ++i) {
    for (;;) {
      at(200, i);
      const bool posted = post(queue, i);
      at(300, i, posted);
      settle_what_comes(queue);
      if (posted) break;
    }
  }
}

constexpr bool phase_of(std::uint64_t place, std::uint64_t entries) { return (place / entries) % 2 == 0; }

/// What a storage controller does, with the outcomes in any order.
class Device {
 public:
  Device(Queue& queue, std::uint64_t commands) : queue_(queue), pair_(queue.pair()), commands_(commands) {}

  void run() {
    while (completed_ < commands_) {
      at(400, taken_, completed_, out_);
      take_commands();
      const std::uint64_t number = choose_outcome();
      if (number != kNone) complete(number);
    }
  }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  void take_commands() {
    const std::uint32_t tail = sync::far::load_acquire(*pair_.tail_doorbell);
    for (; ((queue_.first_ticket + taken_) & (2 * pair_.depth - 1)) != tail; ++taken_) {
      require(taken_ < commands_, "the doorbell passes all commands");
      const std::uint32_t index = pair_.slot_of(queue_.first_ticket + taken_);
      const nvme::Command command = pair_.commands[queue_.entry_of(queue_.first_ticket + taken_)];
      require(command.first_block == taken_ + 1, "the doorbell passes a command that is not written");
      require(command.id == index, "a command has the id of another slot");
      out_ |= std::uint64_t{1} << taken_;
    }
  }

  /// One of the commands that are out, which are two at most: `depth`.
  std::uint64_t choose_outcome() const {
    if (out_ == 0) return kNone;
    const auto first = static_cast<std::uint64_t>(__builtin_ctzll(out_));
    const std::uint64_t others = out_ & (out_ - 1);
    if (others == 0) return first;
    return model::choose(2) == 0 ? first : static_cast<std::uint64_t>(__builtin_ctzll(others));
  }

  void complete(std::uint64_t number) {
    const QueuePair::Ticket place = queue_.first_ticket + completed_;
    const auto id = static_cast<std::uint16_t>(pair_.slot_of(queue_.first_ticket + number));
    const auto status = static_cast<std::uint16_t>(status_of(number));
    sync::far::store_release(pair_.completions[queue_.entry_of(place)].word,
                             nvme::completion_word(0, 0, id, phase_of(place, pair_.entries()), status));
    out_ &= ~(std::uint64_t{1} << number);
    ++completed_;
  }

  Queue& queue_;
  QueuePair pair_;
  std::uint64_t commands_;
  std::uint64_t taken_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t out_ = 0;  ///< bits of commands
};

struct Options {
  std::uint32_t depth;
  std::vector<std::uint64_t> commands;  ///< of each submitter
  std::uint64_t first_turn = 0;
  std::uint32_t entries_shift = 0;
};

/// A queue that has gone round `first_turn` times, and in which nothing is out.
Queue used_queue(const Options& options) {
  Queue queue{};
  queue.depth = options.depth;
  queue.entries_shift = options.entries_shift;
  queue.first_ticket = options.first_turn * options.depth;
  queue.control.ticket = queue.control.head = queue.first_ticket;
  queue.control.tail = queue.first_ticket;
  queue.tail_doorbell = queue.head_doorbell = static_cast<std::uint32_t>(queue.first_ticket) & (2 * options.depth - 1);
  for (auto& slot : queue.slots) slot.turn = static_cast<std::uint32_t>(options.first_turn);
  const std::uint64_t entries = queue.pair().entries();
  for (std::uint64_t back = 1; back <= std::min(entries, queue.first_ticket); ++back) {
    const std::uint64_t place = queue.first_ticket - back;
    queue.completions[queue.entry_of(place)].word = nvme::completion_word(0, 0, 0, phase_of(place, entries), 0);
  }
  return queue;
}

std::uint64_t total(const Options& options) {
  std::uint64_t sum = 0;
  for (const std::uint64_t commands : options.commands) sum += commands;
  return sum;
}

template <class Submit>
model::Scenario scenario(const std::string& name, const Options& options, const Submit& submit) {
  const std::uint64_t commands = total(options);
  model::Model<Queue> program;
  program.initial = used_queue(options);
  program.threads.push_back([commands](Queue& queue) { Device(queue, commands).run(); });
  for (std::size_t i = 0; i < options.commands.size(); ++i) {
    program.threads.push_back([i, mine = options.commands[i], submit](Queue& queue) { submit(queue, i, mine); });
  }
  program.at_end = [commands](Queue& queue) {
    for (std::uint64_t number = 0; number < commands; ++number) require(queue.reaped[number] == 1, "a command does not complete");
    require(queue.control.tail_lock == 0 && queue.control.head_lock == 0, "a lock is held for ever");
    require(queue.control.ticket == queue.first_ticket + commands, "there are more tickets than commands");
  };
  return {name, true, [program] { return model::explore(program); }};
}

/// Each command is waited for before the next.
model::Scenario waiting(const std::string& name, const Options& options) {
  return scenario(name, options, [](Queue& queue, std::size_t, std::uint64_t commands) {
    for (std::uint64_t i = 0; i < commands; ++i) run_command(queue, i);
  });
}

/// Commands are posted, and settled by the thread that sees them completed; the first submitter stays until all are.
model::Scenario posting(const std::string& name, const Options& options) {
  const std::uint64_t commands = total(options);
  return scenario(name, options, [commands](Queue& queue, std::size_t submitter, std::uint64_t mine) {
    post_and_settle(queue, mine);
    if (submitter != 0) return;
    const auto reaped = [&] {
      std::uint64_t sum = 0;
      for (const std::uint64_t times : queue.reaped) sum += times;
      return sum;
    };
    for (std::uint64_t seen = 0; seen < commands; seen = reaped()) {
      at(500, seen);
      settle_what_comes(queue);
    }
  });
}

constexpr std::uint64_t kLastTurn = 0xffff'ffff;

const model::Registration kRegistration(
    GR_MODEL_VARIANT,
    {
        waiting("one submitter, depth 1, phases go round", {.depth = 1, .commands = {4}}),
        waiting("one submitter, depth 2, turns wrap", {.depth = 2, .commands = {5}, .first_turn = kLastTurn}),
        waiting("two submitters, depth 1", {.depth = 1, .commands = {2, 1}}),
        waiting("two submitters, depth 1, turns wrap", {.depth = 1, .commands = {2, 1}, .first_turn = kLastTurn - 1}),
        waiting("two submitters, depth 1, two entries a slot", {.depth = 1, .commands = {2, 1}, .entries_shift = 1}),
        posting("posting from two threads, depth 1", {.depth = 1, .commands = {2, 1}}),
        waiting("two submitters, depth 2", {.depth = 2, .commands = {2, 1}, .first_turn = kLastTurn}),
        posting("posting from two threads, depth 2, two entries a slot",
                {.depth = 2, .commands = {2, 1}, .first_turn = kLastTurn, .entries_shift = 1}),
    });

}  // namespace
