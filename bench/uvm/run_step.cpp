// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "uvm/works.hpp"

namespace graphrun::bench::uvm {
namespace {

/// A warp at one of its instructions.
struct Warp {
  Task task;
  std::uint64_t next;      ///< first element of lane 0
  std::uint64_t done = 0;  ///< pieces of the instruction that were served: at most 64, two units for each lane of each array
};

class Runner {
 public:
  Runner(const Work& work, const std::vector<std::uint64_t>& addresses, Memory& memory)
      : arrays_(work.arrays()), addresses_(addresses), memory_(memory) {}

  /// Returns the end of the instruction's elements in lane 0. With alignment the first instruction ends at a line.
  std::uint64_t end_of(const Warp& warp) const {
    const Task& task = warp.task;
    std::uint64_t end = warp.next + task.width;
    if (memory_.aligns() && task.advance == task.width) end -= warp.next % (kRequestBytes / arrays_.front().element_bytes);
    return std::min(end, task.end);
  }

  /// Loads what the instruction still lacks; returns whether it has everything.
  bool load(Warp& warp) {
    const std::uint64_t end = end_of(warp), unit = memory_.unit_bytes();
    bool complete = true;
    std::uint64_t piece = 1;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      for (unsigned lane = 0; lane < warp.task.lanes; ++lane) {
        const std::uint64_t shift = addresses_[i] + lane * warp.task.lane_stride * arrays_[i].element_bytes;
        std::uint64_t at = shift + warp.next * arrays_[i].element_bytes;
        const std::uint64_t last = shift + end * arrays_[i].element_bytes;
        for (; at < last; piece <<= 1) {
          const std::uint64_t bytes = std::min(last, (at / unit + 1) * unit) - at;
          if ((warp.done & piece) == 0) {
            if (memory_.load(at, bytes)) {
              warp.done |= piece;
            } else {
              complete = false;
            }
          }
          at += bytes;
        }
      }
    }
    return complete;
  }

  /// Issues instructions until one waits or the task ends; returns whether it ended.
  bool issue(Warp& warp) {
    if (!load(warp)) return false;
    const bool in_order = warp.task.advance == warp.task.width;
    warp.next = in_order ? end_of(warp) : warp.next + warp.task.advance;
    warp.done = 0;
    return warp.next >= warp.task.end;
  }

 private:
  std::vector<Array> arrays_;
  const std::vector<std::uint64_t>& addresses_;
  Memory& memory_;
};

}  // namespace

void run_step(const Work& work, const std::vector<std::uint64_t>& addresses, unsigned resident, Memory& memory) {
  Runner runner(work, addresses, memory);
  std::size_t taken = 0;
  const auto take = [&](Warp& warp) {
    for (; taken < work.tasks(); ++taken) {
      const Task task = work.task(taken);
      if (task.begin >= task.end) continue;
      ++taken;
      warp = {task, task.begin};
      return true;
    }
    return false;
  };
  std::vector<Warp> running, waiting;
  for (Warp warp; running.size() < resident && take(warp);) running.push_back(warp);
  while (!running.empty()) {
    while (!running.empty()) {
      std::size_t kept = 0;
      for (Warp& warp : running) {
        const std::uint64_t before = warp.next;
        const bool ended = runner.issue(warp);
        if (ended ? take(warp) : warp.next != before) {
          running[kept++] = warp;
        } else if (!ended) {
          waiting.push_back(warp);
        }
      }
      running.resize(kept);
    }
    if (!waiting.empty()) memory.serve();
    running.swap(waiting);
  }
  memory.end_step(work.compute_bytes());
}

}  // namespace graphrun::bench::uvm
