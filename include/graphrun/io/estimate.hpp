// What a graph will take in memory, before it is read.
#pragma once

#include <cstdint>
#include <string>

#include "graphrun/io/load.hpp"

namespace graphrun {

/// By the parameters of a generator, the header of a container, the size of another binary file, and the first lines of a text.
/// For text the numbers are guesses. All are 0 for what cannot be looked at: reading says what is wrong with it.
struct LoadEstimate {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;  ///< as stored: an undirected edge is two
  bool directed = true;    ///< so that Graph::in comes beside Graph::out where it is asked for
  bool weighted = false;
  bool mapped = false;  ///< columns stay in the file, and take no memory of the process; a transpose that is not there does
  std::uint64_t peak_bytes = 0;  ///< while it is read and built
  std::uint64_t held_bytes = 0;  ///< by the graph, once it is there
};

/// Without a workspace on disk. Looks at the content unless the format is given. Throws DataError, UsageError.
LoadEstimate estimate_load(const std::string& spec, const LoadOptions& options);

}  // namespace graphrun
