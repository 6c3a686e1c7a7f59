// How the driver loads kernels.
#pragma once

namespace graphrun::cuda {

/// Lets the driver load a module when its first kernel is wanted; all modules at the start where the driver cannot load the
/// kernels of one module on request (before CUDA 12.4). Has an effect before the first call of the driver.
void choose_loading();

}  // namespace graphrun::cuda
