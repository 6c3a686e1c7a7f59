// SPDX-License-Identifier: Apache-2.0
// Rates of this machine's memory and disk, measured once and kept in the user's cache folder, for plans.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "graphrun/run/plan.hpp"

namespace graphrun::inline GR_IDS {

/// The machine and disk of measured rates. Plans use only this machine's.
struct MachineIdentity {
  std::string cpu;
  int cores = 0;
  std::uint64_t memory_bytes = 0;
  std::string kernel;
  std::string disk;  ///< device number: "253-0"

  bool operator==(const MachineIdentity&) const = default;
};
/// Returns this machine, with the disk of `path`; disk "" where there is no such file.
MachineIdentity identify_machine(const std::string& path);

/// Returns the kernel's largest read-ahead of a disk, in bytes; nothing where it does not say.
std::optional<std::uint64_t> read_ahead_of(const std::string& disk);

struct Calibration {
  MachineIdentity machine;
  std::string day;  ///< "2026-11-23"
  Rates rates{};
};

/// Measures for two to three seconds with all host threads. Reads the first 128 MiB of `file`; "" stands for a scratch file of
/// that size in TMPDIR. Throws DataError, also for a file that is smaller or has holes there, and, before measuring, as
/// keep_calibration().
Calibration calibrate(const std::string& file);

/// Returns the file for the calibration of this disk: in XDG_CACHE_HOME, or ~/.cache. Empty where neither is set.
std::string calibration_path(const std::string& disk);
/// Writes the calibration's file. Throws DataError when it cannot.
void keep_calibration(const Calibration& calibration);
/// Reads a disk's calibration; nothing when there is none or it cannot be read. It may be another machine's.
std::optional<Calibration> kept_calibration(const std::string& disk);

/// Returns lines for people, each ended.
std::string calibration_text(const Calibration& calibration);

}  // namespace graphrun::inline GR_IDS
