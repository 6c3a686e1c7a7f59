// SPDX-License-Identifier: Apache-2.0
// The state of a long run in a folder, from which a later run of the same request goes on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "graphrun/core/timer.hpp"

namespace graphrun {

/// The rounds of a rank. While some run, a signal can wait for the end of one. A process is asked once.
class Rounds {
 public:
  Rounds();
  ~Rounds();
  Rounds(const Rounds&) = delete;
  Rounds& operator=(const Rounds&) = delete;

  /// Asks the rounds to end by `signal`; for its handler. Returns false where none run, or were asked before.
  static bool stop(int signal);
  /// Returns the signal of stop(); 0 before.
  static int stopped_by();
};

/// One rank's files of a folder: its last two saves, because a kill may come between the saves of two ranks. A damaged file is
/// none. For one thread.
class Checkpoint {
 public:
  using Write = std::function<void(const void* from, std::size_t bytes)>;
  using Read = std::function<void(void* to, std::size_t bytes)>;
  static constexpr std::uint64_t kNone = 0;

  /// Makes the folder. `request` is everything that the state depends on: lines of a name, a tab and a value. Throws DataError
  /// when the folder holds the state of another request, naming the first difference, or of another number of ranks, and when it
  /// cannot be written.
  Checkpoint(std::string folder, const std::string& request, std::size_t rank, std::size_t ranks);

  /// Returns the numbers of the saves that are whole, in any order; kNone where there is none.
  std::array<std::uint64_t, 2> saves();
  /// Removes the saves but this one.
  void keep_only(std::uint64_t number);
  /// Reads a save by body(read), all of it. Throws DataError when it is shorter or longer than what is read.
  void load(std::uint64_t number, const std::function<void(const Read&)>& body);
  /// Replaces the older save by body(write). Its number is the one after the last load() or save().
  void save(const std::function<void(const Write&)>& body);
  /// Returns whether a save of `bytes` takes less than a fiftieth of the time since the last one, or since the run began: as long
  /// as the last save took, the first 20 ms and 1 ms for 100 kB.
  bool is_due(std::uint64_t bytes) const;
  /// Removes the saves of all ranks.
  static void remove_all(const std::string& folder);
  /// Throws StoppedError, with the last save.
  [[noreturn]] void end_by(int signal) const;

  const std::string& folder() const { return folder_; }
  bool loaded() const { return loaded_; }  ///< whether load() was called

 private:
  std::string path_of(std::uint64_t number) const;
  /// Returns the number in the file of `number`; kNone for a missing or a damaged file.
  std::uint64_t number_in(const std::string& path) const;

  std::string folder_;
  std::string request_;
  std::string rank_;            // the beginning of its files' names
  std::uint64_t last_ = kNone;  // load() or save()
  Timer since_;
  std::optional<double> save_ms_;
  bool loaded_ = false;
};

}  // namespace graphrun
