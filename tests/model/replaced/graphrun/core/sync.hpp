// SPDX-License-Identifier: Apache-2.0
// Stands in for include/graphrun/core/sync.hpp in the model: the same operations on words, each of which an explorer may
// interleave with those of other threads.
#pragma once

#include "graphrun/core/macros.hpp"
#include "world.hpp"

namespace graphrun::sync {

using model::Order;

template <class T>
T load_acquire(const T& x) {
  return model::load(x, Order::acquire);
}
template <class T>
T load_relaxed(const T& x) {
  return model::load(x, Order::relaxed);
}
template <class T>
void store_release(T& x, T value) {
  model::store(x, value, Order::release);
}
template <class T>
void store_relaxed(T& x, T value) {
  model::store(x, value, Order::relaxed);
}
template <class T>
bool compare_exchange(T& x, T& expected, T desired) {
  return model::compare_exchange(x, expected, desired);
}

template <class T>
T add(T& x, T value, Order order) {
  return model::change(x, order, [&](T before) { return static_cast<T>(before + value); });
}
template <class T>
T fetch_add(T& x, T value) {
  return add(x, value, Order::acquire_release);
}
template <class T>
T fetch_add_acquire(T& x, T value) {
  return add(x, value, Order::acquire);
}
template <class T>
T fetch_add_relaxed(T& x, T value) {
  return add(x, value, Order::relaxed);
}
template <class T>
T fetch_sub(T& x, T value) {
  return add(x, static_cast<T>(0 - value), Order::acquire_release);
}
template <class T>
T fetch_sub_release(T& x, T value) {
  return add(x, static_cast<T>(0 - value), Order::release);
}
template <class T>
T fetch_or(T& x, T value) {
  return model::change(x, Order::acquire_release, [&](T before) { return static_cast<T>(before | value); });
}

namespace far {

using sync::load_acquire;
using sync::store_release;

}  // namespace far

}  // namespace graphrun::sync
