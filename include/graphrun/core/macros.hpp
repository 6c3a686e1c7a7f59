// SPDX-License-Identifier: Apache-2.0
// Host/device annotations that vanish when a plain C++ compiler reads the header.
#pragma once

#if defined(__CUDACC__)
#define GR_HD __host__ __device__
#else
#define GR_HD
#endif
