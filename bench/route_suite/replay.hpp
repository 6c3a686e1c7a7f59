// SPDX-License-Identifier: Apache-2.0
// Times requests of any length to an engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "route_suite/subject.hpp"

namespace graphrun::bench {

/// Returns request i; nothing after the last.
using Requests = std::function<std::optional<Request>(std::uint64_t i)>;

/// A way to make requests: `depth` of them out, each of `most_bytes` or less, until they end or `most_ms` are over. A request
/// longer than kMostCommandBytes is several commands, which are out together.
struct Pace {
  std::uint32_t depth;
  std::uint32_t most_bytes;
  double most_ms;
};

struct Replayed {
  double bytes_per_second = 0;
  double processors = 0;    ///< that the process kept busy
  double processor_us = 0;  ///< the same time by request
  std::uint64_t requests = 0;
  std::vector<std::pair<Request, const std::byte*>> last = {};  ///< of each buffer, which still has its bytes
};

/// Times requests into memory that outlives the engine, and calls on_done(request, data) for each. Throws DataError when one
/// fails, or when one takes 20 s.
Replayed replay(BlockEngine& engine, Column<std::byte>& memory, const Pace& pace, const Requests& requests,
                const std::function<void(const Request&, const std::byte*)>& on_done = {});

/// Returns memory for replay(), touched.
Column<std::byte> memory_of(const Pace& pace);

}  // namespace graphrun::bench
