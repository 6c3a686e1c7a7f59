// SPDX-License-Identifier: Apache-2.0
// Functors whose capabilities are wrong: compiled with CASE=1 ..., which must fail, and with CASE=0, which must not.
#include "graphrun/ops/capabilities.hpp"

namespace graphrun {

struct Peel {
#if CASE == 0
  using Can = Capabilities<can::Prepare, can::Share>;
  void prepare(VertexId) const {}
  VertexId state(VertexId v) const { return v; }
  bool take(VertexId, VertexId) const { return true; }
#elif CASE == 1   // a function that is misspelt
  using Can = Capabilities<can::Prepare>;
  void prepares(VertexId) const {}
#elif CASE == 2   // another signature
  using Can = Capabilities<can::GoOn>;
  bool goes_on(std::uint64_t) const { return true; }
#elif CASE == 3   // a function that is not declared
  using Can = Capabilities<can::Prepare>;
  void prepare(VertexId) const {}
  bool wants(VertexId) const { return true; }
#elif CASE == 4   // a capability that there is not
  using Can = Capabilities<can::Prepair>;
#elif CASE == 5   // declarations that nobody reads
  using Cans = Capabilities<can::Prepare>;
  void prepare(VertexId) const {}
#elif CASE == 6   // half of what a capability needs
  using Can = Capabilities<can::Share>;
  VertexId state(VertexId v) const { return v; }
#elif CASE == 7   // changes that are noted and not shared
  using Can = Capabilities<can::NoteAnyChanges>;
  BitmapRef changes() const { return {}; }
#elif CASE == 8   // of a push that is not correcting
  using Can = Capabilities<can::JoinOnce>;
#elif CASE == 9   // a sum without the amount of an edge
  using Can = Capabilities<can::Add>;
  using Weight = NoWeight;
  VertexId source(VertexId u) const { return u; }
  bool add(VertexId, VertexId) const { return true; }
#elif CASE == 10  // how correcting functors were declared before
  static constexpr bool kCorrecting = true;
#endif
};

static_assert(Declares<Peel, can::Prepare>);

}  // namespace graphrun
