// SPDX-License-Identifier: Apache-2.0
// Reused streams. The driver has few queues to a GPU, and streams that share a queue wait for each other. A copy must not wait
// for the kernel that waits for it, so a process makes few streams. executor.cu requests 32 queues; there are 8 where another
// library called CUDA first.
#pragma once

#include <cuda_runtime.h>

namespace graphrun::cuda {

// Any thread may call these. They throw RunError.

/// Returns an unused stream of the current device, until give_back_stream().
cudaStream_t take_stream();
/// Waits for the stream's work and keeps it for reuse. `device`: the stream's.
void give_back_stream(int device, cudaStream_t stream) noexcept;
/// Returns one of the current device's copy streams, in turn; others may have it, too.
cudaStream_t shared_copy_stream();

}  // namespace graphrun::cuda
