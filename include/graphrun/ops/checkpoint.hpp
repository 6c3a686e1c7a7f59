// SPDX-License-Identifier: Apache-2.0
// Saves an algorithm's state between rounds, and goes on from there, for both executors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>

#include "graphrun/core/checkpoint.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/exec/cpu_executor.hpp"
#include "graphrun/ops/ranks.hpp"

namespace graphrun::inline GR_IDS {

/// Arrays of the executor and numbers, from which a run can go on. All ranks together: each has its own files. Does nothing where
/// the executor has no Checkpoint.
template <class Exec, class... State>
class SavedState {
 public:
  /// Restores the newest save that all ranks have, if there is one. Throws DataError as Checkpoint::load().
  explicit SavedState(Exec& exec, State&... state) : exec_(exec), state_(state...) {
    if (exec_.checkpoint() == nullptr) return;
    restore(newest_of_all());
    rounds_.emplace();
  }
  SavedState(const SavedState&) = delete;
  SavedState& operator=(const SavedState&) = delete;

  bool resumed() const { return resumed_; }

  /// Saves when all ranks find it due, each by its own clock and its last save: the slowest disk decides. Saves and throws
  /// StoppedError when Rounds::stop() asked a rank. For the end of every round, also of the last one.
  void save() {
    Checkpoint* const to = exec_.checkpoint();
    if (to == nullptr) return;
    struct Wish {
      int stop;  ///< a signal, or 0
      int due;
    };
    const std::uint64_t bytes = std::apply([](const State&... parts) { return (bytes_of(parts) + ...); }, state_);
    const auto wishes = ranks::gather_from_ranks(exec_, Wish{Rounds::stopped_by(), to->is_due(bytes) ? 1 : 0});
    const int stop = std::ranges::max(wishes, {}, &Wish::stop).stop;
    if (stop == 0 && std::ranges::min(wishes, {}, &Wish::due).due == 0) return;
    to->save([this](const Checkpoint::Write& write) {
      std::apply([&](State&... parts) { (write_part(write, parts), ...); }, state_);
    });
    exec_.synchronize();
    if (stop != 0) to->end_by(stop);
  }

 private:
  void restore(std::uint64_t newest) {
    exec_.checkpoint()->keep_only(newest);  // a later one would be taken for a save of this run
    exec_.synchronize();
    if (newest == Checkpoint::kNone) return;
    exec_.checkpoint()->load(newest, [this](const Checkpoint::Read& read) {
      std::apply([&](State&... parts) { (read_part(read, parts), ...); }, state_);
    });
    resumed_ = true;
    if (exec_.answers())
      log::warn("goes on from save " + std::to_string(newest) + " of " + exec_.checkpoint()->folder() +
                ": times and counts are of the rest of the run");
    exec_.synchronize();  // others may write to these arrays in the next round
  }
  template <class Part>
  static std::uint64_t bytes_of(const Part& part) {
    if constexpr (std::is_trivially_copyable_v<Part>) {
      return sizeof(Part);
    } else {
      return part.size() * sizeof(*part.data());
    }
  }
  template <class Part>
  void write_part(const Checkpoint::Write& write, Part& part) {
    if constexpr (std::is_trivially_copyable_v<Part>) {
      write(&part, sizeof(Part));
    } else if constexpr (std::is_same_v<Exec, CpuExecutor>) {
      write(part.data(), part.size() * sizeof(*part.data()));
    } else {
      const auto copy = exec_.download(part);
      write(copy.data(), copy.size() * sizeof(*copy.data()));
    }
  }
  template <class Part>
  void read_part(const Checkpoint::Read& read, Part& part) {
    if constexpr (std::is_trivially_copyable_v<Part>) {
      read(&part, sizeof(Part));
    } else if constexpr (std::is_same_v<Exec, CpuExecutor>) {
      read(part.data(), part.size() * sizeof(*part.data()));
    } else {
      auto copy = exec_.download(part);
      read(copy.data(), copy.size() * sizeof(*copy.data()));
      exec_.upload(copy, part);
    }
  }
  std::uint64_t newest_of_all() {
    const auto all = ranks::gather_from_ranks(exec_, exec_.checkpoint()->saves());
    std::uint64_t newest = Checkpoint::kNone;
    for (const std::uint64_t number : all.front()) {
      if (std::ranges::all_of(all, [&](const auto& saves) { return std::ranges::find(saves, number) != saves.end(); }))
        newest = std::max(newest, number);
    }
    const auto has_saves = [](const auto& saves) { return saves[0] != Checkpoint::kNone || saves[1] != Checkpoint::kNone; };
    if (newest == Checkpoint::kNone && exec_.answers() && std::ranges::any_of(all, has_saves))
      log::warn("the ranks have no save in common in " + exec_.checkpoint()->folder() + ": the run begins anew");
    return newest;
  }

  Exec& exec_;
  std::tuple<State&...> state_;
  bool resumed_ = false;
  std::optional<Rounds> rounds_;
};

}  // namespace graphrun::inline GR_IDS
