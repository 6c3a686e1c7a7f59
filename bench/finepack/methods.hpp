// SPDX-License-Identifier: Apache-2.0
// What one method of communication sends for the traffic of a program: bytes on the wire by kind, and modelled time.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "finepack/link.hpp"
#include "finepack/traffic.hpp"
#include "finepack/write_queue.hpp"

namespace graphrun::bench::finepack {

enum class Method {
  plain,     ///< each store a packet
  bulk,      ///< a copy of all that may change, after the step
  combined,  ///< the queue without packets of several stores, as GPS has it
  config,    ///< FinePack's alternative: a configuration packet, then stores that share its header
  finepack,
  infinite  ///< the step without any transfer
};
constexpr std::array<const char*, 6> kMethodNames = {"plain", "bulk", "combined", "config", "finepack", "infinite"};

/// What a GPU and its software need, in a simple model of time. A step computes for its bytes over memory_gb_per_s and launch_us.
/// Stores travel while it computes, so it takes the longer of computing and of the busiest direction of a link; copies begin
/// after it, and cost copy_us of software. Both end with a fence of fence_us.
struct Machine {
  double memory_gb_per_s = 900;  ///< GV100
  double launch_us = 5;
  double copy_us = 10;
  double fence_us = 2;
};

/// A method with a link and a queue, which sees each step of a program once.
class Contender {
 public:
  struct Totals {
    std::uint64_t stores = 0;
    std::uint64_t packets = 0;
    std::uint64_t wire_bytes = 0;
    std::uint64_t data_bytes = 0;    ///< without headers, sub-headers and padding
    std::uint64_t useful_bytes = 0;  ///< distinct bytes that were stored, by step and channel
    double ms = 0;
    std::array<std::uint64_t, 6> flushes = {};
    std::uint64_t wrong_bytes = 0;  ///< of memory, from what plain stores leave

    std::uint64_t overhead_bytes() const { return wire_bytes - data_bytes; }
    std::uint64_t redundant_bytes() const { return data_bytes - useful_bytes; }
  };

  Contender(Method method, const Link& link, const QueueOptions& queue, const Machine& machine);

  /// Adds a step. `before` has the memory of each channel before the step, `useful` its distinct bytes. The memory that the
  /// packets give is compared with that of plain stores. Calls of different contenders may run at the same time.
  void add(const Traffic& traffic, const std::vector<std::vector<std::uint8_t>>& before,
           const std::vector<std::uint64_t>& useful);

  Method method() const { return method_; }
  const Link& link() const { return link_; }
  const QueueOptions& queue() const { return queue_; }
  const Totals& totals() const { return totals_; }

 private:
  /// Returns the bytes on the wire.
  std::uint64_t send(const Channel& channel, const std::vector<std::uint8_t>& before);

  Method method_;
  Link link_;
  QueueOptions queue_;
  Machine machine_;
  Totals totals_;
};

/// Returns the time of the program on one GPU: the same computing, and no link.
double one_gpu_ms(const Traffic& traffic, const Machine& machine);

/// Returns how many distinct bytes the stores of a channel have.
std::uint64_t distinct_bytes(const Channel& channel);

}  // namespace graphrun::bench::finepack
