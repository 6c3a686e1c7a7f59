// SPDX-License-Identifier: Apache-2.0
// The inputs of a plan: this machine and the requested graph.
#include <fmt/format.h>

#include <limits>

#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/memory.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/run/calibrate.hpp"
#include "graphrun/run/plan.hpp"
#include "graphrun/run/result.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// Takes the kept rates. Measures again when they are another machine's, because its user asked for calibration once; keeps the
/// built-in rates when that fails.
void take_rates(const std::string& graph, const MachineIdentity& identity, Machine& machine) {
  std::optional<Calibration> kept = kept_calibration(identity.disk);
  if (!kept) return;
  if (kept->machine != identity) {
    log::info("the machine has changed since graphrun calibrate measured it: measuring again");
    try {
      const bool scratch = identify_machine(temporary_folder()).disk == identity.disk;
      kept = calibrate(scratch ? "" : graph);
      keep_calibration(*kept);
    } catch (const Error& error) {
      log::warn(fmt::format("plans use built-in rates: {}", error.what()));
      return;
    }
  }
  machine.rates = kept->rates;
  machine.rates_from = fmt::format("measured on {} by graphrun calibrate", kept->day);
}

}  // namespace

Machine this_machine(const RunOptions& options, const Device& device) {
  Machine machine;
  machine.memory_bytes = available_memory().value_or(std::numeric_limits<std::uint64_t>::max());
  machine.address_bytes = available_addresses();
  if (device.kind == DeviceKind::cuda) {  // of several GPUs the fullest one's: the plan is for one GPU
    const CudaFacts facts = cuda_facts(device.index);
    machine.device_bytes = facts.free_bytes;
    if (facts.link_bytes_s > 0) machine.link_bytes_s = facts.link_bytes_s;
    for (const int gpu : device.others)
      machine.device_bytes = std::min<std::uint64_t>(machine.device_bytes, cuda_facts(gpu).free_bytes);
  }
  machine.threads = options.threads != 0 ? options.threads : describe_environment({}).cores;
  const MachineIdentity identity = identify_machine(options.graph);
  machine.read_ahead_bytes = read_ahead_of(identity.disk).value_or(machine.read_ahead_bytes);
  take_rates(options.graph, identity, machine);
  if (device.kind == DeviceKind::cuda)
    machine.rates_from += fmt::format(", and a link of {:.1f} GB/s", machine.link_bytes_s / 1e9);
  return machine;
}

RunPlan plan_run(const LoadEstimate& graph, const RunOptions& options, const Device& device) {
  RunPlan plan = make_plan(options, device.kind, graph, this_machine(options, device));
  log::debug(plan_text(options, plan));
  log::info(fmt::format("backend auto: {} ({} moved in {:.3g} ms expected, with rates {}; graphrun --plan prints the plan)",
                        choice_text(plan.chosen), format_bytes(plan.chosen.moved_bytes), plan.chosen.time_ms, plan.rates_from));
  return plan;
}

}  // namespace graphrun::inline GR_IDS
