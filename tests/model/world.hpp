// SPDX-License-Identifier: Apache-2.0
// Logical threads that run real code and stop before every access to a shared word, so that an explorer can interleave them in
// every way (the idea of CHESS, Musuvathi et al., OSDI 2008, and CDSChecker, Norris and Demsky, OOPSLA 2013).
//
// A step is one access, and all that its thread does up to the next one: what a scenario notes after an access is noted in the
// same step. Plain data are not points to stop at; instead every access to a Cell is checked to happen after those that it
// conflicts with, by the acquires and releases that the code asks for. Without such races, interleaving the accesses to shared
// words is enough. Steps are sequentially consistent: that a relaxed load may see an old value is not explored.
#pragma once

#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace model {

inline constexpr int kMostThreads = 3;

enum class Order { relaxed, acquire, release, acquire_release };

/// One of the ways on from where all threads have stopped.
struct Move {
  std::uint8_t thread;
  std::uint8_t branch;  ///< which answer choose() gives; 0 elsewhere
};

/// What is run: all that threads share lies in one block of bytes.
struct Program {
  void* shared = nullptr;
  std::size_t bytes = 0;                      ///< a multiple of 8
  std::vector<std::function<void()>> bodies;  ///< of threads; they own nothing, because they may be left at any access
  std::function<void()> normalise;            ///< after each step: makes states equal that differ in nothing that matters
  std::function<void()> at_end;               ///< when all threads have ended
};

class Fiber;

/// Runs one program, again and again from its start. One at a time.
class World {
 public:
  explicit World(Program program);
  ~World();

  void restart();
  void perform(Move move);
  std::vector<Move> moves() const;
  bool ended() const;
  void check_end();
  /// Of all that the threads can still tell apart: shared bytes, what each has seen, and what happened before what.
  std::uint64_t hash() const;
  /// What went wrong in the last step; empty: nothing.
  const std::string& violation() const { return violation_; }
  /// From now on lines about accesses are kept.
  void keep_trace() { tracing_ = true; }
  const std::vector<std::string>& trace() const { return trace_; }

  // For code within threads.
  static World* running();
  std::uint8_t stop(std::uint8_t branches = 1);
  void observe(std::uint64_t value);
  void forget(std::uint64_t position);
  void loaded(const void* word, Order order, std::uint64_t value);
  void stored(const void* word, Order order, std::uint64_t value);
  void changed(const void* word, Order order, std::uint64_t before, std::uint64_t after);
  void read_cell(const void* cell);
  void wrote_cell(const void* cell);
  [[noreturn]] void fail(std::string message);

 private:
  struct Thread {
    std::uint64_t seen = 0;   ///< hash of what decides how it goes on
    std::uint64_t knows = 0;  ///< accesses to cells that happened before its next step
  };

  Fiber& current();
  std::uint64_t& released(const void* word);
  std::uint64_t events_of(const void* cell);
  void outdate(std::uint64_t events);
  void note(const char* what, const void* word, std::uint64_t value);
  std::size_t offset_of(const void* address);
  bool at_the_end() const { return now_ == static_cast<int>(program_.bodies.size()); }

  Program program_;
  std::vector<std::byte> image_;  ///< the shared bytes at the start
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::array<Thread, kMostThreads> threads_;
  int now_ = -1;  ///< the thread that runs
  // Accesses to cells have a bit each: the last write, and the last read of each thread since. Numbers are given once for all
  // runs, in the order in which cells and words are met.
  std::vector<int> cell_numbers_;
  std::vector<int> word_numbers_;
  int cells_ = 0;
  std::uint64_t live_ = 0;               ///< accesses that a later one must know of
  std::vector<std::uint64_t> released_;  ///< of each word: what an acquiring load learns
  std::string violation_;
  bool tracing_ = false;
  std::vector<std::string> trace_;
};

inline std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) + 0x9e3779b97f4a7c15u;  // so that zeros count too
  hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u;
  return hash ^ hash >> 27;
}

/// Fails the run unless `holds`.
inline void require(bool holds, const char* message) {
  if (!holds) World::running()->fail(message);
}

/// Where the thread is: a number of the place and every local variable that matters from here on. What was seen before is
/// forgotten, so that a thread that waits in a loop comes back to the same state.
template <class... Locals>
void at(std::uint64_t place, Locals... locals) {
  std::uint64_t position = mix(1, place);
  ((position = mix(position, static_cast<std::uint64_t>(locals))), ...);
  World::running()->forget(position);
}

/// 0 to `choices` - 1: all of them are explored.
inline int choose(int choices) { return World::running()->stop(static_cast<std::uint8_t>(choices)); }

/// Others may run here.
inline void pause() { World::running()->stop(); }

template <class T>
T load(const T& word, Order order) {
  World& world = *World::running();
  world.stop();
  world.loaded(&word, order, static_cast<std::uint64_t>(word));
  return word;
}

template <class T>
void store(T& word, T value, Order order) {
  World& world = *World::running();
  world.stop();
  world.stored(&word, order, static_cast<std::uint64_t>(value));
  word = value;
}

/// Reads, changes and writes the word in one step; what it was.
template <class T, class Change>
T change(T& word, Order order, const Change& change_of) {
  World& world = *World::running();
  world.stop();
  const T before = word;
  const T after = change_of(before);
  world.changed(&word, order, static_cast<std::uint64_t>(before), static_cast<std::uint64_t>(after));
  word = after;
  return before;
}

template <class T>
bool compare_exchange(T& word, T& expected, T desired) {
  World& world = *World::running();
  world.stop();
  const T before = word;
  if (before != expected) {
    world.loaded(&word, Order::acquire, static_cast<std::uint64_t>(before));
    expected = before;
    return false;
  }
  world.changed(&word, Order::acquire_release, static_cast<std::uint64_t>(before), static_cast<std::uint64_t>(desired));
  word = desired;
  return true;
}

/// A plain variable: accesses by several threads must be ordered by what they do to shared words.
template <class T>
class Cell {
 public:
  operator T() const {  // NOLINT: stands for a T
    if (World* world = World::running()) {
      world->read_cell(this);
      observe_bytes(*world);
    }
    return value_;
  }
  Cell& operator=(const T& value) {
    if (World* world = World::running()) world->wrote_cell(this);
    value_ = value;
    return *this;
  }

 private:
  void observe_bytes(World& world) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::array<std::uint64_t, (sizeof(T) + 7) / 8> words{};
    std::memcpy(words.data(), &value_, sizeof(T));
    for (const std::uint64_t word : words) world.observe(word);
  }

  T value_;
};

}  // namespace model
