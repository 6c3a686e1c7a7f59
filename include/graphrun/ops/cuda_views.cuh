// SPDX-License-Identifier: Apache-2.0
// Readers of the views of cuda_views.hpp, for kernels.
#pragma once

#include "graphrun/ops/cuda_counting_reader.cuh"
#include "graphrun/ops/cuda_operators.cuh"
#include "graphrun/ops/cuda_packed_reader.cuh"
#include "graphrun/ops/cuda_paged_reader.cuh"
#include "graphrun/ops/cuda_subway.cuh"
#include "graphrun/ops/cuda_views.hpp"
