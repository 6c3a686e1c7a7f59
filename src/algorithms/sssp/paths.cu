// SPDX-License-Identifier: Apache-2.0

#include "algorithms/sssp/paths.hpp"

namespace graphrun::inline GR_IDS {

template class Paths<CudaExecutor, std::uint32_t>;
template class Paths<CudaExecutor, std::uint64_t>;
template class Paths<CudaExecutor, double>;
template class Paths<CudaExecutor, float>;

}  // namespace graphrun::inline GR_IDS
