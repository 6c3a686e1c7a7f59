// Reused streams. The driver has few queues to a GPU, and streams that share one wait for each other. A copy must not wait for
// the kernel that waits for it, so a process makes no more streams than it needs at once. executor.cu asks for 32 queues: there
// are 8 where another library was the first to call CUDA.
#pragma once

#include <cuda_runtime.h>

namespace graphrun::cuda {

// Any thread may call these. They throw RunError.

/// A stream of the current device that nothing else uses until it is given back.
cudaStream_t take_stream();
/// Waits for what the stream was given. `device`: its own.
void give_back_stream(int device, cudaStream_t stream) noexcept;
/// One of the current device's streams for copies, in turn. Others may have it, too.
cudaStream_t shared_copy_stream();

}  // namespace graphrun::cuda
