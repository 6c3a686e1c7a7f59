// SPDX-License-Identifier: Apache-2.0

#include "world.hpp"

#include <fmt/format.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace model {
namespace {

constexpr std::size_t kStackBytes = 64 << 10;
constexpr int kEventsOfACell = 1 + kMostThreads;
constexpr int kMostCells = 64 / kEventsOfACell;
constexpr int kUnnumbered = -1;

World* g_running = nullptr;  // while a thread of it runs
Fiber* g_starting = nullptr;

constexpr bool acquires(Order order) { return order == Order::acquire || order == Order::acquire_release; }
constexpr bool releases(Order order) { return order == Order::release || order == Order::acquire_release; }

}  // namespace

/// A stack of its own, left and entered by jumps; much cheaper than swapcontext(), which calls the kernel each time.
class Fiber {
 public:
  explicit Fiber(std::function<void()> body) : body_(std::move(body)), stack_(new std::byte[kStackBytes]) {
    ucontext_t context;
    ::getcontext(&context);
    context.uc_stack.ss_sp = stack_.get();
    context.uc_stack.ss_size = kStackBytes;
    context.uc_link = nullptr;
    ::makecontext(&context, &Fiber::start, 0);
    g_starting = this;
    if (_setjmp(outside_) == 0) ::setcontext(&context);
  }

  /// From the start of the body to its first leave(), or to its end.
  void restart() {
    done_ = false;
    branches_ = 1;
    if (_setjmp(outside_) == 0) _longjmp(entry_, 1);
  }
  /// From where leave() was called.
  void enter(std::uint8_t branch) {
    branch_ = branch;
    if (_setjmp(outside_) == 0) _longjmp(inside_, 1);
  }
  /// Called in the body; comes back with the branch to take.
  std::uint8_t leave(std::uint8_t branches) {
    branches_ = branches;
    if (_setjmp(inside_) == 0) _longjmp(outside_, 1);
    return branch_;
  }
  /// Called in the body, which is not entered again.
  [[noreturn]] void abort() { _longjmp(outside_, 1); }

  bool done() const { return done_; }
  std::uint8_t branches() const { return branches_; }

 private:
  static void start() {
    Fiber* const self = g_starting;
    if (_setjmp(self->entry_) == 0) _longjmp(self->outside_, 1);
    self->run();
  }
  [[noreturn]] void run() {
    body_();
    done_ = true;
    _longjmp(outside_, 1);
  }

  std::function<void()> body_;
  std::unique_ptr<std::byte[]> stack_;
  std::jmp_buf outside_;
  std::jmp_buf inside_;
  std::jmp_buf entry_;
  bool done_ = false;
  std::uint8_t branches_ = 1;
  std::uint8_t branch_ = 0;
};

World::World(Program program)
    : program_(std::move(program)),
      image_(static_cast<std::byte*>(program_.shared), static_cast<std::byte*>(program_.shared) + program_.bytes),
      cell_numbers_(program_.bytes, kUnnumbered),
      word_numbers_(program_.bytes, kUnnumbered) {
  if (program_.bodies.size() > kMostThreads || program_.bytes % 8 != 0) std::abort();
  for (const auto& body : program_.bodies) fibers_.push_back(std::make_unique<Fiber>(body));
  fibers_.push_back(std::make_unique<Fiber>(program_.at_end));
}

World::~World() = default;

World* World::running() { return g_running; }

Fiber& World::current() { return *fibers_[static_cast<std::size_t>(now_)]; }

void World::restart() {
  std::memcpy(program_.shared, image_.data(), image_.size());
  threads_ = {};
  std::fill(released_.begin(), released_.end(), 0);
  live_ = 0;
  violation_.clear();
  trace_.clear();
  g_running = this;
  for (now_ = 0; !at_the_end(); ++now_) current().restart();
  g_running = nullptr;
  program_.normalise();
}

void World::perform(Move move) {
  now_ = move.thread;
  g_running = this;
  current().enter(move.branch);
  g_running = nullptr;
  if (current().done()) threads_[move.thread] = {};
  program_.normalise();
}

std::vector<Move> World::moves() const {
  std::vector<Move> result;
  for (std::size_t thread = 0; thread < program_.bodies.size(); ++thread) {
    if (fibers_[thread]->done()) continue;
    for (std::uint8_t branch = 0; branch < fibers_[thread]->branches(); ++branch) {
      result.push_back({static_cast<std::uint8_t>(thread), branch});
    }
  }
  return result;
}

bool World::ended() const {
  return std::all_of(fibers_.begin(), fibers_.end() - 1, [](const auto& fiber) { return fiber->done(); });
}

void World::check_end() {
  now_ = static_cast<int>(program_.bodies.size());
  g_running = this;
  current().restart();
  g_running = nullptr;
}

std::uint64_t World::hash() const {
  std::uint64_t result = mix(0, live_);
  const auto* bytes = static_cast<const std::byte*>(program_.shared);
  for (std::size_t offset = 0; offset < program_.bytes; offset += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + offset, sizeof(word));
    result = mix(result, word);
  }
  for (std::size_t thread = 0; thread < program_.bodies.size(); ++thread) {
    result = mix(mix(result, threads_[thread].seen), threads_[thread].knows);
    result = mix(result, fibers_[thread]->done() ? 1 : 0);
  }
  // A sum, so that words that were not met yet do not matter.
  std::uint64_t releases_seen = 0;
  for (std::size_t word = 0; word < released_.size(); ++word) {
    if (released_[word] != 0) releases_seen += mix(word + 1, released_[word]);
  }
  return mix(result, releases_seen);
}

std::uint8_t World::stop(std::uint8_t branches) {
  if (at_the_end()) return 0;
  const std::uint8_t branch = current().leave(branches);
  if (branches > 1) {
    observe(branch);
    note("chooses", nullptr, branch);
  }
  return branch;
}

void World::observe(std::uint64_t value) {
  if (!at_the_end())
    threads_[static_cast<std::size_t>(now_)].seen = mix(threads_[static_cast<std::size_t>(now_)].seen, value + 1);
}

void World::forget(std::uint64_t position) { threads_[static_cast<std::size_t>(now_)].seen = position; }

void World::loaded(const void* word, Order order, std::uint64_t value) {
  note("loads", word, value);
  observe(value);
  if (!at_the_end() && acquires(order)) threads_[static_cast<std::size_t>(now_)].knows |= released(word);
}

void World::stored(const void* word, Order order, std::uint64_t value) {
  note("stores", word, value);
  observe(value);
  if (!at_the_end()) released(word) = releases(order) ? threads_[static_cast<std::size_t>(now_)].knows : 0;
}

void World::changed(const void* word, Order order, std::uint64_t before, std::uint64_t after) {
  note("reads", word, before);
  note("and writes", word, after);
  observe(before);
  if (at_the_end()) return;
  // With any memory order, a change continues what an earlier release began.
  std::uint64_t& knows = threads_[static_cast<std::size_t>(now_)].knows;
  const std::uint64_t known_before = knows;
  if (acquires(order)) knows |= released(word);
  if (releases(order)) released(word) |= known_before;
}

void World::read_cell(const void* cell) {
  if (at_the_end()) return;
  const std::uint64_t write = events_of(cell);
  const std::uint64_t read = write << (1 + now_);
  std::uint64_t& knows = threads_[static_cast<std::size_t>(now_)].knows;
  note("reads plain data", cell, 0);
  if ((live_ & write & ~knows) != 0) fail("a race: plain data are read, and their last write did not happen before");
  outdate(read);
  live_ |= read;
  knows |= read;
}

void World::wrote_cell(const void* cell) {
  if (at_the_end()) return;
  const std::uint64_t write = events_of(cell);
  const std::uint64_t all = write * ((std::uint64_t{1} << kEventsOfACell) - 1);
  std::uint64_t& knows = threads_[static_cast<std::size_t>(now_)].knows;
  note("writes plain data", cell, 0);
  if ((live_ & all & ~knows) != 0) fail("a race: plain data are written, and an access to them did not happen before");
  outdate(all);
  live_ |= write;
  knows |= write;
}

void World::fail(std::string message) {
  violation_ = std::move(message);
  current().abort();
}

std::size_t World::offset_of(const void* address) {
  const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(address) - static_cast<std::byte*>(program_.shared));
  if (offset >= program_.bytes) fail("an access outside of what is shared");
  return offset;
}

std::uint64_t& World::released(const void* word) {
  int& number = word_numbers_[offset_of(word)];
  if (number == kUnnumbered) {
    number = static_cast<int>(released_.size());
    released_.push_back(0);
  }
  return released_[static_cast<std::size_t>(number)];
}

std::uint64_t World::events_of(const void* cell) {
  int& number = cell_numbers_[offset_of(cell)];
  if (number == kUnnumbered) number = cells_++;
  if (number >= kMostCells) std::abort();
  return std::uint64_t{1} << (number * kEventsOfACell);
}

void World::outdate(std::uint64_t events) {
  live_ &= ~events;
  for (Thread& thread : threads_) thread.knows &= ~events;
  for (std::uint64_t& known : released_) known &= ~events;
}

void World::note(const char* what, const void* word, std::uint64_t value) {
  if (!tracing_) return;
  const std::string who = at_the_end() ? "at the end" : fmt::format("thread {}", now_);
  const std::string where = word == nullptr ? "" : fmt::format(" at byte {}", offset_of(word));
  trace_.push_back(fmt::format("{} {} {:#x}{}", who, what, value, where));
}

}  // namespace model
