// SPDX-License-Identifier: Apache-2.0

#include "uvm/measure.hpp"

#include <atomic>
#include <cmath>
#include <functional>

namespace graphrun::bench::uvm {
namespace {

struct Contender {
  std::string name;
  std::unique_ptr<Memory> memory;
  std::vector<std::uint64_t> addresses;
};

/// Returns the bytes of all arrays, each in whole blocks.
std::uint64_t whole_blocks(const std::vector<Array>& arrays, std::uint64_t block) {
  std::uint64_t all = 0;
  for (const Array& array : arrays) all += (array.elements * array.element_bytes + block - 1) / block * block;
  return all;
}

}  // namespace

const Measured& Bench::measure(const std::string& name, std::size_t input, const Machine& machine, bool is_emogi) {
  const std::string key = name + " " + machine.name + " " + std::to_string(needs_graph(name) ? input : 0);
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  WorkOptions options = options_;
  options.edge_bytes = machine.edge_bytes;
  const Graph* const graph = needs_graph(name) ? &*inputs_[input].graph : nullptr;
  const std::unique_ptr<Work> work = make_work(name, graph, options);
  const std::vector<Array> arrays = work->arrays();
  const std::uint64_t bytes = whole_blocks(arrays, driver_.block_bytes);
  const auto managed = [&](double share) {
    DriverOptions driver = driver_;
    driver.memory_bytes = static_cast<std::uint64_t>(static_cast<double>(bytes) * share);
    return managed_memory(machine, driver, advised_);
  };
  std::vector<Contender> contenders;
  if (is_emogi) {
    const double edges = static_cast<double>(whole_blocks({arrays.front()}, driver_.block_bytes)) / static_cast<double>(bytes);
    contenders.push_back({"uvm", managed(machine.memory_share * edges), {}});
    contenders.push_back({"naive", zero_copy(machine, Access::naive), {}});
    contenders.push_back({"merged", zero_copy(machine, Access::merged), {}});
    contenders.push_back({"aligned", zero_copy(machine, Access::aligned), {}});
  } else {
    for (const unsigned over : kOversubscriptions) {
      const std::string divisor = "/" + std::to_string(over + 1);
      contenders.push_back({"uvm" + divisor, managed(1.0 / (over + 1)), {}});
      contenders.push_back({"gpuvm" + divisor, paged_memory(machine, bytes / (over + 1), 2), {}});
    }
    contenders.push_back({"one card", paged_memory(machine, bytes, 1), {}});
  }
  for (Contender& contender : contenders) {
    for (const Array& array : arrays)
      contender.addresses.push_back(contender.memory->add(array.elements * array.element_bytes, array.written));
  }
  while (work->step()) {
    std::atomic<std::size_t> next = 0;
    pool_.run([&](int) {
      for (std::size_t at = next++; at < contenders.size(); at = next++) {
        Contender& contender = contenders[at];
        if (work->starts_anew()) contender.memory->drop();
        run_step(*work, contender.addresses, machine.resident_warps, *contender.memory);
      }
    });
  }
  Measured found{work->bytes(), arrays.front().elements * arrays.front().element_bytes, {}};
  for (const Contender& contender : contenders) {
    Totals totals = contender.memory->totals();
    const unsigned runs = work->runs();
    totals.ms /= runs;
    for (std::uint64_t* count : {&totals.bytes_in, &totals.bytes_out, &totals.requests, &totals.faults, &totals.batches})
      *count /= runs;
    found.by_memory[contender.name] = totals;
  }
  return known_[key] = std::move(found);
}

}  // namespace graphrun::bench::uvm
