// SPDX-License-Identifier: Apache-2.0
// CountedView: a DirectView that counts the link requests of each load. For measuring traffic only: its kernels, compiled from
// DirectView's sources, are slower.
#pragma once

#include "graphrun/view/direct_view.hpp"
#include "graphrun/view/link_requests.hpp"

namespace graphrun::inline GR_IDS {

/// Trivially copyable; passed to kernels by value. GPUs only: host threads have no warps.
struct CountedView : DirectView {
  LinkRequests* requests = nullptr;  ///< device counters
};

}  // namespace graphrun::inline GR_IDS
