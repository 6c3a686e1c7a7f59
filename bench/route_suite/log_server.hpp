// SPDX-License-Identifier: Apache-2.0
// A log server (Bergman et al., SPIN, section 6.2 and table 4): a thread writes log lines to a file, a scanner reads them and
// looks for suspicious addresses.
#pragma once

#include <cstdint>
#include <string>

#include "graphrun/graph/scratch.hpp"
#include "graphrun/transport/controller.hpp"

namespace graphrun::bench {

struct LogRun {
  double bytes_per_second = 0;
  double processors = 0;  ///< kept busy, by writer and scanner
  std::uint64_t suspicious_lines = 0;
  RouteCounters routed = {};
};

/// A log file of fixed size, as journals have, in a folder.
class LogServer {
 public:
  /// Makes the file, with old lines. Throws DataError.
  LogServer(const std::string& folder, std::uint64_t bytes);

  /// Writes all updates while the scanner reads each as soon as it is there. Throws DataError when it finds others than were
  /// written.
  LogRun in_real_time(Route route);
  /// Scans the file after it was written to the disk and evicted.
  LogRun offline(Route route);

 private:
  LogRun scan(Route route, bool in_real_time);

  ScratchFile file_;
  std::uint64_t updates_;
};

}  // namespace graphrun::bench
