// CountedView: a DirectView whose reads are looked at one load at a time, and the requests that they make of the link counted.
// For measuring traffic and nothing else: kernels over it are slower, and are made from the same sources as those over
// DirectView.
#pragma once

#include "graphrun/view/direct_view.hpp"
#include "graphrun/view/link_requests.hpp"

namespace graphrun::inline GR_IDS {

/// Trivially copyable; passed to kernels by value. Only GPUs walk it: host threads have no warps whose loads could be split.
struct CountedView : DirectView {
  LinkRequests* requests = nullptr;  ///< device counters
};

}  // namespace graphrun::inline GR_IDS
