// SPDX-License-Identifier: Apache-2.0
// Whole numbers and weights that Python gives, in columns.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "bindings.hpp"
#include "graphrun/core/column.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/parallel.hpp"

namespace graphrun::python::inline GR_IDS {

/// A column of numbers in a NumPy array, of any of these types and with any stride.
class Numbers {
 public:
  Numbers(const py::array& array, std::string name)
      : bytes_(static_cast<const std::byte*>(array.data())), name_(std::move(name)) {
    if (array.ndim() != 1) throw UsageError(fmt::format("{} has {} dimensions, not 1", name_, array.ndim()));
    size_ = static_cast<std::size_t>(array.shape(0));
    stride_ = array.strides(0);
    if (py::isinstance<py::array_t<std::int32_t>>(array)) type_ = std::int32_t{};
    if (py::isinstance<py::array_t<std::int64_t>>(array)) type_ = std::int64_t{};
    if (py::isinstance<py::array_t<std::uint32_t>>(array)) type_ = std::uint32_t{};
    if (py::isinstance<py::array_t<std::uint64_t>>(array)) type_ = std::uint64_t{};
    if (py::isinstance<py::array_t<float>>(array)) type_ = float{};
    if (py::isinstance<py::array_t<double>>(array)) type_ = double{};
    if (std::holds_alternative<std::monostate>(type_)) throw UsageError(fmt::format("{} has a type that is not read", name_));
  }

  std::size_t size() const { return size_; }
  const std::string& name() const { return name_; }
  bool are_floats() const { return std::holds_alternative<float>(type_) || std::holds_alternative<double>(type_); }

  /// Calls body(i, value) for all, by all threads; false rejects the value. Returns the first rejected index, or kNoIndex.
  template <class Body>
  std::uint64_t for_each(ThreadPool& pool, const Body& body) const {
    return std::visit(
        [&](auto type) -> std::uint64_t {
          using T = decltype(type);
          if constexpr (std::is_same_v<T, std::monostate>) {
            return kNoIndex;
          } else {
            return first_failure(pool, 0, size_, [&](std::uint64_t i) { return body(i, at<T>(i)); });
          }
        },
        type_);
  }
  std::string text(std::uint64_t i) const {
    return std::visit(
        [&](auto type) -> std::string {
          using T = decltype(type);
          if constexpr (std::is_same_v<T, std::monostate>) {
            return "";
          } else {
            return fmt::format("{}", at<T>(i));
          }
        },
        type_);
  }

 private:
  template <class T>
  T at(std::uint64_t i) const {
    T value;
    std::memcpy(&value, bytes_ + static_cast<std::ptrdiff_t>(i) * stride_, sizeof(T));
    return value;
  }

  const std::byte* bytes_;
  std::string name_;
  std::size_t size_ = 0;
  std::ptrdiff_t stride_ = 0;
  std::variant<std::monostate, std::int32_t, std::int64_t, std::uint32_t, std::uint64_t, float, double> type_;
};

/// Copies whole numbers, below `bound` if given. Throws WideIdsError for a number that needs 64-bit ids.
template <class T>
Column<T> copy_whole(const Numbers& from, std::optional<std::uint64_t> bound, const char* what, ThreadPool& pool) {
  auto to = Column<T>::allocate(from.size());
  const std::uint64_t bad = from.for_each(pool, [&](std::uint64_t i, auto value) {
    if constexpr (std::is_floating_point_v<decltype(value)>) {
      return false;
    } else {
      if (value < 0 || (bound && static_cast<std::uint64_t>(value) >= *bound)) return false;
      to[i] = static_cast<T>(value);
      return true;
    }
  });
  if (bad == kNoIndex) return to;
  const std::string found = fmt::format("{}[{}] is {}", from.name(), bad, from.text(bad));
  if (from.text(bad).starts_with("-") || from.are_floats()) throw UsageError(fmt::format("{}: {} from 0", found, what));
  if (bound == kNoVertex && kVertexBits == 32) throw WideIdsError(fmt::format("{}, which needs ids of 64 bits", found));
  throw UsageError(fmt::format("{}, and {} are below {}", found, what, *bound));
}

}  // namespace graphrun::python::inline GR_IDS
