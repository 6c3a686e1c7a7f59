// SPDX-License-Identifier: Apache-2.0
// Relaxed operations on words that several workers share, with the same names in host and device code. Everything else is ordered
// by the end of an operator: a kernel boundary on the GPU, the join of the thread pool on the CPU.
#pragma once

#include <type_traits>

#include "graphrun/core/macros.hpp"

#if !defined(__CUDA_ARCH__)
#include <atomic>
#endif

namespace graphrun::atomics {

namespace detail {

#if defined(__CUDA_ARCH__)
template <class T>
using Word = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned int>;

template <class T>
__device__ Word<T>* word(T& x) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  return reinterpret_cast<Word<T>*>(&x);
}

template <class To, class From>
__device__ To bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}
#else
/// Sets `x` to `value` where `replaces(value, x)`; returns what `x` held before.
template <class T, class Replaces>
inline T fetch_replace(T& x, T value, const Replaces& replaces) {
  const std::atomic_ref<T> ref(x);
  T seen = ref.load(std::memory_order_relaxed);
  while (replaces(value, seen) && !ref.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
  return seen;
}
#endif

}  // namespace detail

template <class T>
GR_HD inline T load(const T& x) {
#if defined(__CUDA_ARCH__)
  return *const_cast<const volatile T*>(&x);
#else
#if defined(__GNUC__) && !defined(__SANITIZE_THREAD__)
  // GCC makes a relaxed atomic load of a float an integer load and a move, which costs PageRank a tenth of its time. An aligned
  // volatile load is one instruction. ThreadSanitizer gets the atomic.
  if constexpr (std::is_floating_point_v<T>) return *const_cast<const volatile T*>(&x);
#endif
  return std::atomic_ref<T>(const_cast<T&>(x)).load(std::memory_order_relaxed);
#endif
}

/// Returns x, or on a GPU perhaps an earlier value since the kernel began: each multiprocessor loads from its own cache. For
/// words that all warps read: the L2 cache serves the loads of one sector one by one.
template <class T>
GR_HD inline T load_cached(const T& x) {
#if defined(__CUDA_ARCH__)
  return __ldca(&x);
#else
  return load(x);
#endif
}

template <class T>
GR_HD inline void store(T& x, T value) {
#if defined(__CUDA_ARCH__)
  *const_cast<volatile T*>(&x) = value;
#else
  std::atomic_ref<T>(x).store(value, std::memory_order_relaxed);
#endif
}

/// Returns whether `x` was `expected` and is now `desired`.
template <class T>
GR_HD inline bool compare_exchange(T& x, T expected, T desired) {
#if defined(__CUDA_ARCH__)
  using W = detail::Word<T>;
  const W want = detail::bits<W>(expected);
  return atomicCAS(detail::word(x), want, detail::bits<W>(desired)) == want;
#else
  return std::atomic_ref<T>(x).compare_exchange_strong(expected, desired, std::memory_order_relaxed);
#endif
}

template <class T>
GR_HD inline T exchange(T& x, T value) {
#if defined(__CUDA_ARCH__)
  using W = detail::Word<T>;
  return detail::bits<T>(atomicExch(detail::word(x), detail::bits<W>(value)));
#else
  return std::atomic_ref<T>(x).exchange(value, std::memory_order_relaxed);
#endif
}

/// Lowers `x` to `value` where that is smaller; returns what `x` held before. Floats must not be negative or NaN: the GPU
/// compares their bit patterns as unsigned integers.
template <class T>
GR_HD inline T fetch_min(T& x, T value) {
#if defined(__CUDA_ARCH__)
  using W = detail::Word<T>;
  return detail::bits<T>(atomicMin(detail::word(x), detail::bits<W>(value)));
#else
  return detail::fetch_replace(x, value, [](T one, T other) { return one < other; });
#endif
}

/// Raises `x` to `value` where that is larger, under the same condition.
template <class T>
GR_HD inline T fetch_max(T& x, T value) {
#if defined(__CUDA_ARCH__)
  using W = detail::Word<T>;
  return detail::bits<T>(atomicMax(detail::word(x), detail::bits<W>(value)));
#else
  return detail::fetch_replace(x, value, [](T one, T other) { return one > other; });
#endif
}

template <class T>
GR_HD inline T fetch_add(T& x, T value) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_floating_point_v<T>) {
    return atomicAdd(&x, value);
  } else {
    return static_cast<T>(atomicAdd(detail::word(x), static_cast<detail::Word<T>>(value)));
  }
#else
  if constexpr (std::is_floating_point_v<T>) {  // as the library's, which is a call
    const std::atomic_ref<T> ref(x);
    T seen = ref.load(std::memory_order_relaxed);
    while (!ref.compare_exchange_weak(seen, seen + value, std::memory_order_relaxed)) {
    }
    return seen;
  }
  return std::atomic_ref<T>(x).fetch_add(value, std::memory_order_relaxed);
#endif
}

template <class T>
GR_HD inline T fetch_or(T& x, T mask) {
#if defined(__CUDA_ARCH__)
  return static_cast<T>(atomicOr(detail::word(x), static_cast<detail::Word<T>>(mask)));
#else
  return std::atomic_ref<T>(x).fetch_or(mask, std::memory_order_relaxed);
#endif
}

template <class T>
GR_HD inline T fetch_and(T& x, T mask) {
#if defined(__CUDA_ARCH__)
  return static_cast<T>(atomicAnd(detail::word(x), static_cast<detail::Word<T>>(mask)));
#else
  return std::atomic_ref<T>(x).fetch_and(mask, std::memory_order_relaxed);
#endif
}

}  // namespace graphrun::atomics
