// What the memory and a disk of this machine give, measured once and kept in the user's cache folder, for plans.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "graphrun/run/plan.hpp"

namespace graphrun::inline GR_IDS {

/// Whose rates they are. Those of another machine are not used.
struct MachineIdentity {
  std::string cpu;
  int cores = 0;
  std::uint64_t memory_bytes = 0;
  std::string kernel;
  std::string disk;  ///< number of the device: "253-0"

  bool operator==(const MachineIdentity&) const = default;
};
/// Of this machine, with the disk on which `path` lies; "" where there is no such file.
MachineIdentity identify_machine(const std::string& path);

/// What the kernel reads ahead of a disk with such a number, at most; nothing where it does not say.
std::optional<std::uint64_t> read_ahead_of(const std::string& disk);

struct Calibration {
  MachineIdentity machine;
  std::string day;  ///< "2026-11-23"
  Rates rates{};
};

/// Measures for two to three seconds with all host threads. The disk is that of `file`, of which the first 128 MiB are read; none
/// ("") stands for a scratch file of so many in TMPDIR. Throws DataError, also for a file that is smaller or has
/// holes there and, before it measures, where keep_calibration() would.
Calibration calibrate(const std::string& file);

/// The file in which the calibration of this disk is kept: in XDG_CACHE_HOME, or ~/.cache. Empty where neither is set.
std::string calibration_path(const std::string& disk);
/// Throws DataError when it cannot be written.
void keep_calibration(const Calibration& calibration);
/// Nothing where there is none, or none that can be read. It may be of another machine.
std::optional<Calibration> kept_calibration(const std::string& disk);

/// Lines for people, each ended.
std::string calibration_text(const Calibration& calibration);

}  // namespace graphrun::inline GR_IDS
