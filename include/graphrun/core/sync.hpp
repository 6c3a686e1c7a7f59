// SPDX-License-Identifier: Apache-2.0
// Ordered operations on shared words, for page tables and queues, with the same names in host and device code. On a GPU they
// reach all threads of the device; sync::far reaches the host and other devices, too. For algorithms see atomics.hpp.
#pragma once

#include "graphrun/core/macros.hpp"

#if defined(__CUDA_ARCH__)
#include <cuda/atomic>
#else
#include <atomic>
#endif

namespace graphrun::sync {

#if defined(__CUDA_ARCH__)
template <class T>
using Ref = ::cuda::atomic_ref<T, ::cuda::thread_scope_device>;
template <class T>
using FarRef = ::cuda::atomic_ref<T, ::cuda::thread_scope_system>;
namespace order = ::cuda::std;
#else
template <class T>
using Ref = std::atomic_ref<T>;
template <class T>
using FarRef = std::atomic_ref<T>;
namespace order = std;
#endif

template <class T>
GR_HD inline T load_acquire(const T& x) {
  return Ref<T>(const_cast<T&>(x)).load(order::memory_order_acquire);
}
template <class T>
GR_HD inline T load_relaxed(const T& x) {
  return Ref<T>(const_cast<T&>(x)).load(order::memory_order_relaxed);
}
template <class T>
GR_HD inline void store_release(T& x, T value) {
  Ref<T>(x).store(value, order::memory_order_release);
}
template <class T>
GR_HD inline void store_relaxed(T& x, T value) {
  Ref<T>(x).store(value, order::memory_order_relaxed);
}
/// Returns whether `x` was `expected` and is now `desired`; otherwise sets `expected` to `x`. Acquires and releases.
template <class T>
GR_HD inline bool compare_exchange(T& x, T& expected, T desired) {
  return Ref<T>(x).compare_exchange_strong(expected, desired, order::memory_order_acq_rel, order::memory_order_acquire);
}
/// Acquires and releases.
template <class T>
GR_HD inline T fetch_add(T& x, T value) {
  return Ref<T>(x).fetch_add(value, order::memory_order_acq_rel);
}
template <class T>
GR_HD inline T fetch_add_acquire(T& x, T value) {
  return Ref<T>(x).fetch_add(value, order::memory_order_acquire);
}
template <class T>
GR_HD inline T fetch_add_relaxed(T& x, T value) {
  return Ref<T>(x).fetch_add(value, order::memory_order_relaxed);
}
/// Acquires and releases.
template <class T>
GR_HD inline T fetch_sub(T& x, T value) {
  return Ref<T>(x).fetch_sub(value, order::memory_order_acq_rel);
}
template <class T>
GR_HD inline T fetch_sub_release(T& x, T value) {
  return Ref<T>(x).fetch_sub(value, order::memory_order_release);
}
/// Acquires and releases.
template <class T>
GR_HD inline T fetch_or(T& x, T value) {
  return Ref<T>(x).fetch_or(value, order::memory_order_acq_rel);
}

namespace far {

template <class T>
GR_HD inline T load_acquire(const T& x) {
  return FarRef<T>(const_cast<T&>(x)).load(order::memory_order_acquire);
}
template <class T>
GR_HD inline void store_release(T& x, T value) {
  FarRef<T>(x).store(value, order::memory_order_release);
}

}  // namespace far

}  // namespace graphrun::sync
