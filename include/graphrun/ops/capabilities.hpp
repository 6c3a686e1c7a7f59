// SPDX-License-Identifier: Apache-2.0
// Abilities of a functor beyond the calls of its operator. It declares them, and the compiler checks it both ways:
//
//   struct Peel {
//     using Can = Capabilities<can::Prepare, can::Share>;
//     GR_HD void prepare(VertexId u) const;
//     ...
//
// An operator that is called with the functor does not compile where a capability is declared and its function is missing, is
// misspelt or has another signature. Nor does it where a function of such a name is there and its capability is not declared.
// operators.hpp and ranks.hpp describe how operators use each.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "graphrun/core/types.hpp"
#include "graphrun/ops/bitmap.hpp"

namespace graphrun::can::inline GR_IDS {

/// Tells whether F has a member of that name, of any type: then it is ambiguous beside another one.
#define GR_MEMBER_NAME(name)                       \
  struct Name_##name {                             \
    int name;                                      \
  };                                               \
  template <class F>                               \
  struct Beside_##name : F, Name_##name {};        \
  template <class F>                               \
  inline constexpr bool names_##name = !requires { \
    &Beside_##name<F>::name;                       \
  };

GR_MEMBER_NAME(kCorrecting)
GR_MEMBER_NAME(kJoinsOnce)
GR_MEMBER_NAME(kExchangesLater)
GR_MEMBER_NAME(wants)
GR_MEMBER_NAME(prepare)
GR_MEMBER_NAME(goes_on)
GR_MEMBER_NAME(state)
GR_MEMBER_NAME(take)
GR_MEMBER_NAME(add)
GR_MEMBER_NAME(mark)
GR_MEMBER_NAME(changed)
GR_MEMBER_NAME(changes)
GR_MEMBER_NAME(forget)
GR_MEMBER_NAME(bytes_elsewhere)
GR_MEMBER_NAME(sought)
GR_MEMBER_NAME(open_vertices)
#undef GR_MEMBER_NAME

/// `named`: members that F must not have unless it declares the capability. `fits`: the functions that it then must have.
#define GR_CAPABILITY(Name, named_, ...)                                                  \
  struct Name {                                                                           \
    template <class F>                                                                    \
    static constexpr bool named = named_;                                                 \
    template <class F>                                                                    \
    static constexpr bool fits = requires(const F& f, VertexId v, std::uint64_t number) { \
      __VA_ARGS__;                                                                        \
    };                                                                                    \
  };

/// A push whose result does not depend on the order and number of its applications, provided that a vertex for which one returned
/// true is processed again later: labels that are corrected until no edge corrects any more.
GR_CAPABILITY(Correct, names_kCorrecting<F>, true)
/// A correcting push that returns true for a vertex at most once a step.
GR_CAPABILITY(JoinOnce, names_kJoinsOnce<F>, true)
/// A step in which nothing joins and counts are one rank's own; the algorithm merges what ranks wrote.
GR_CAPABILITY(ExchangeLater, names_kExchangesLater<F>, true)
/// Knows which vertices have work.
GR_CAPABILITY(Want, names_wants<F>, { f.wants(v) } -> std::same_as<bool>)
/// A push that does something once a vertex, before its edges.
GR_CAPABILITY(Prepare, names_prepare<F>, { f.prepare(v) } -> std::same_as<void>)
/// A push that knows, without its caller, whether the next step is a push, too.
GR_CAPABILITY(GoOn, names_goes_on<F>, { f.goes_on(number, EdgeId{}) } -> std::same_as<bool>)
/// A step that ranks share: state(v) is what a step changed at v, and take(v, state) applies the change where it improves v.
GR_CAPABILITY(Share, names_state<F> || names_take<F>, f.take(v, f.state(v)))
/// A push that adds: f(s, v, w) returns what an edge adds to v, zero for nothing, and add(v, amount) adds it, or the sum of
/// several amounts at once, and returns whether v joins. Ranks exchange sums.
GR_CAPABILITY(Add, names_add<F>, { f.add(v, f(f.source(v), v, typename F::Weight{})) } -> std::same_as<bool>)
/// Needs no state of vertices of other ranks, only that they joined.
GR_CAPABILITY(Mark, names_mark<F>, { f.mark(v) } -> std::same_as<void>)
/// A pass that changes only the states of vertices whose lists it traverses, and knows which.
GR_CAPABILITY(NoteOwnChanges, names_changed<F>, { f.changed(v) } -> std::same_as<bool>; f.common == f.state(v))
/// A pass that changes the states of any vertices, and has a bit for each.
GR_CAPABILITY(NoteAnyChanges, names_changes<F>, { f.changes() } -> std::same_as<BitmapRef>)
/// A pass that is told of vertices of other ranks that did not change.
GR_CAPABILITY(Forget, names_forget<F>, { f.forget(v) } -> std::same_as<void>)
/// A sum whose finish() writes to the memory of other ranks.
GR_CAPABILITY(WriteElsewhere, names_bytes_elsewhere<F>, { f.bytes_elsewhere() } -> std::same_as<std::size_t>)
/// Looks a vertex up in each item of edge_map_picked().
GR_CAPABILITY(Seek, names_sought<F>, { f.sought(std::size_t{}) } -> std::same_as<VertexId>)
/// A pull that keeps a bit for each vertex that may want something. Over edges in a GPU's memory the operator looks at these
/// alone, and clears those that want no more. Without memory for bits it looks at all.
GR_CAPABILITY(KeepOpen, names_open_vertices<F>, { f.open_vertices() } -> std::same_as<BitmapRef>)
#undef GR_CAPABILITY

}  // namespace graphrun::can::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class... Each>
struct Capabilities {
  static constexpr bool kForward = false;
  template <class C>
  static constexpr bool have = (std::is_same_v<C, Each> || ...);
};

namespace capabilities {

template <class F>
struct Of {
  using type = Capabilities<>;
};
template <class F>
requires requires { typename F::Can; }
struct Of<F> {
  using type = typename F::Can;
};

template <class F, class C>
struct Checked {
  static constexpr bool kDeclared = Of<F>::type::template have<C>;
  static_assert(!kDeclared || C::template fits<F>, "a functor declares a capability and lacks its functions as they have to be");
  /// One that forwards to another functor names all that it might forward.
  static_assert(kDeclared || !C::template named<F> || Of<F>::type::kForward,
                "a functor has a function of a capability and does not declare it in Can");
  static constexpr bool value = true;
};

template <class F, class... Each>
constexpr bool check(Capabilities<Each...> all) {
  using Declared = typename Of<F>::type;
  static_assert((Checked<F, Each>::value && ...));
  static_assert(!Declared::template have<can::JoinOnce> || Declared::template have<can::Correct>,
                "JoinOnce is of a Correct push");
  static_assert(Declared::template have<can::Share> ||
                    !(Declared::template have<can::NoteOwnChanges> || Declared::template have<can::NoteAnyChanges>),
                "changes are noted to be shared: declare Share");
  return all.template have<can::Want>;
}

template <class F>
inline constexpr bool is_checked =
    check<F>(Capabilities<can::Correct, can::JoinOnce, can::ExchangeLater, can::Want, can::Prepare, can::GoOn, can::Share,
                          can::Add, can::Mark, can::NoteOwnChanges, can::NoteAnyChanges, can::Forget, can::WriteElsewhere,
                          can::Seek, can::KeepOpen>{});

}  // namespace capabilities

/// Returns whether F declares the capability. All of F are checked.
template <class F, class C>
concept Declares = capabilities::is_checked<F> && capabilities::Of<F>::type::template have<C>;

/// The capabilities among `Each` that F has, for a functor that holds an F and forwards to its functions.
template <class F, class... Each>
struct ForwardedCapabilities {
  static constexpr bool kForward = true;
  template <class C>
  static constexpr bool have = (std::is_same_v<C, Each> || ...) && Declares<F, C>;
};

}  // namespace graphrun::inline GR_IDS
