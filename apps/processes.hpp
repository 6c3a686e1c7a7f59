// SPDX-License-Identifier: Apache-2.0
// Ranks that are processes of mpirun, on one host or several.
#pragma once

#include "graphrun/exec/exchange.hpp"

namespace graphrun::program {

/// Returns the exchange with the other processes of mpirun; null for a process started alone. Throws UnavailableError in a build
/// without MPI.
Exchange* processes();

}  // namespace graphrun::program
