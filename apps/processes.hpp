// Ranks that are processes: what mpirun starts, on one host or several.
#pragma once

#include "graphrun/exec/exchange.hpp"

namespace graphrun::program {

/// What joins this process to those that mpirun started with it; null when it was started alone. Throws UnavailableError when
/// this program was built without MPI.
Exchange* processes();

}  // namespace graphrun::program
