// How a warp reads edges of a view. All 32 lanes make a reader, call it and destroy it together; lanes without `active` get
// zeros. A reader keeps, from one access to the next, what the view can reuse.
#pragma once

#include "graphrun/view/direct_view.hpp"

namespace graphrun::cuda {

/// neighbours() and weights() read several edges a lane, all on their way before the first is used.
template <class View>
class EdgeReader;

template <>
class EdgeReader<DirectView> {
 public:
  explicit __device__ EdgeReader(const DirectView& view) : view_(view) {}

  __device__ Access access() const { return view_.access; }
  template <int kCount>
  __device__ void neighbours(const EdgeId (&e)[kCount], const bool (&active)[kCount], VertexId (&v)[kCount]) const {
#pragma unroll
    for (int j = 0; j < kCount; ++j) v[j] = active[j] ? view_.neighbour(e[j]) : 0;
  }
  template <class Weight, int kCount>
  __device__ void weights(const EdgeId (&e)[kCount], const bool (&active)[kCount], Weight (&w)[kCount]) const {
#pragma unroll
    for (int j = 0; j < kCount; ++j) w[j] = active[j] ? view_.template weight<Weight>(e[j]) : Weight{};
  }

 private:
  DirectView view_;
};

template <class View>
__device__ VertexId read_neighbour(EdgeReader<View>& edges, EdgeId e, bool active) {
  VertexId v[1];
  edges.neighbours({e}, {active}, v);
  return v[0];
}
template <class Weight, class View>
__device__ Weight read_weight(EdgeReader<View>& edges, EdgeId e, bool active) {
  Weight w[1];
  edges.weights({e}, {active}, w);
  return w[0];
}

}  // namespace graphrun::cuda
