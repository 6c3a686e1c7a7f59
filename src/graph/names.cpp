// SPDX-License-Identifier: Apache-2.0

#include "graphrun/graph/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <utility>

#include "graphrun/core/parallel.hpp"

namespace graphrun::inline GR_IDS {
namespace {

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc{} || rest != end) return std::nullopt;
  return value;
}

template <class T>
bool same(const Column<T>& a, const Column<T>& b) {
  return std::ranges::equal(a.span(), b.span());
}

}  // namespace

VertexNames VertexNames::consecutive(std::uint64_t first) {
  VertexNames names;
  names.first_ = first;
  return names;
}

VertexNames VertexNames::numbers(Column<std::uint64_t> numbers) {
  VertexNames names;
  names.numbers_ = std::move(numbers);
  return names;
}

VertexNames VertexNames::strings(Column<std::uint64_t> offsets, Column<char> bytes) {
  VertexNames names;
  names.offsets_ = std::move(offsets);
  names.bytes_ = std::move(bytes);
  return names;
}

std::string_view VertexNames::string(VertexId v) const {
  // Each offset is read once, so that the value compared is the value used, also when the file is written to meanwhile.
  const std::uint64_t begin = offsets_[v];
  const std::uint64_t end = offsets_[std::size_t{v} + 1];
  if (begin > end || end > bytes_.size()) return {};
  return {bytes_.data() + begin, end - begin};
}

std::string VertexNames::text(VertexId v) const {
  if (are_consecutive()) return fmt::format("{}", number(v));
  if (!are_strings()) return v < numbers_.size() ? fmt::format("{}", number(v)) : fmt::format("index:{}", v);
  const std::string_view name = v < offsets_.size() - 1 ? string(v) : std::string_view{};
  return name.empty() ? fmt::format("index:{}", v) : std::string(name);
}

std::optional<VertexId> VertexNames::find(std::string_view name, VertexId num_vertices) const {
  if (are_strings()) {
    for (VertexId v = 0; v < num_vertices; ++v) {
      if (string(v) == name) return v;
    }
    return std::nullopt;
  }
  const std::optional<std::uint64_t> number = parse_number(name);
  if (!number) return std::nullopt;
  if (are_consecutive()) {
    if (*number < first_ || *number - first_ >= num_vertices) return std::nullopt;
    return static_cast<VertexId>(*number - first_);
  }
  const auto all = numbers_.span();
  const auto found = std::find(all.begin(), all.end(), *number);
  if (found == all.end()) return std::nullopt;
  return static_cast<VertexId>(found - all.begin());
}

VertexNames VertexNames::reordered(std::span<const VertexId> order, ThreadPool& pool) const {
  const std::size_t n = order.size();
  if (!are_strings()) {
    auto moved = Column<std::uint64_t>::allocate(n);
    parallel_for(pool, n, [&](std::size_t v) { moved[v] = number(order[v]); });
    return numbers(std::move(moved));
  }
  auto offsets = Column<std::uint64_t>::allocate(n + 1);
  parallel_for(pool, n, [&](std::size_t v) { offsets[v] = string(order[v]).size(); });
  exclusive_scan(pool, offsets.data(), offsets.size());
  auto bytes = Column<char>::allocate(offsets[n]);
  parallel_for(pool, n, [&](std::size_t v) {
    const std::string_view name = string(order[v]).substr(0, offsets[v + 1] - offsets[v]);
    std::copy(name.begin(), name.end(), bytes.data() + offsets[v]);
  });
  return strings(std::move(offsets), std::move(bytes));
}

bool VertexNames::operator==(const VertexNames& other) const {
  return first_ == other.first_ && same(numbers_, other.numbers_) && same(offsets_, other.offsets_) && same(bytes_, other.bytes_);
}

}  // namespace graphrun::inline GR_IDS
