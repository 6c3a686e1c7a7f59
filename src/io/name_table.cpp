// SPDX-License-Identifier: Apache-2.0

#include "io/name_table.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "graphrun/core/error.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

std::uint64_t hash_of(std::string_view name) { return XXH3_64bits(name.data(), name.size()); }
std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

template <class T>
Column<T> copy_to(const std::vector<T>& from, const Workspace& space) {
  auto column = space.make<T>(from.size());
  std::copy(from.begin(), from.end(), column.data());
  return column;
}

}  // namespace

std::string_view NameTable::name(VertexId number) const {
  return {bytes_.data() + offsets_[number], offsets_[number + 1] - offsets_[number]};
}

VertexId NameTable::number_of(std::string_view wanted) {
  if (4 * offsets_.size() > 3 * slots_.size()) grow();
  const std::uint64_t hash = hash_of(wanted);
  const std::size_t mask = slots_.size() - 1;
  std::size_t place = hash & mask;
  for (; slots_[place].number != kNoVertex; place = (place + 1) & mask) {
    if (slots_[place].tag == tag_of(hash) && name(slots_[place].number) == wanted) return slots_[place].number;
  }
  if (size() == kNoVertex - 1) throw WideIdsError("a file has more names of vertices than vertex ids can be given to");
  slots_[place] = {tag_of(hash), size()};
  bytes_.insert(bytes_.end(), wanted.begin(), wanted.end());
  offsets_.push_back(bytes_.size());
  return slots_[place].number;
}

void NameTable::grow() {
  constexpr std::size_t kFewest = 64;
  std::vector<Slot> larger(std::max(kFewest, 2 * slots_.size()));
  const std::size_t mask = larger.size() - 1;
  for (VertexId number = 0; number < size(); ++number) {
    const std::uint64_t hash = hash_of(name(number));
    std::size_t place = hash & mask;
    while (larger[place].number != kNoVertex) place = (place + 1) & mask;
    larger[place] = {tag_of(hash), number};
  }
  slots_ = std::move(larger);
}

std::uint64_t NameTable::bytes() const {
  return slots_.capacity() * sizeof(Slot) + offsets_.capacity() * sizeof(std::uint64_t) + bytes_.capacity();
}

VertexNames NameTable::take(Column<VertexId>& rank, const Workspace& space) {
  NameTable taken = std::exchange(*this, {});
  kind = taken.kind;
  taken.slots_ = {};
  if (kind == NameKind::strings) {
    auto offsets = copy_to(taken.offsets_, space);
    taken.offsets_ = {};
    return VertexNames::strings(std::move(offsets), copy_to(taken.bytes_, space));
  }
  std::vector<std::pair<std::uint64_t, VertexId>> ascending(taken.size());
  for (VertexId number = 0; number < ascending.size(); ++number) {
    std::memcpy(&ascending[number].first, taken.name(number).data(), sizeof(std::uint64_t));
    ascending[number].second = number;
  }
  taken = {};
  std::sort(ascending.begin(), ascending.end());
  auto numbers = space.make<std::uint64_t>(ascending.size());
  rank = space.make<VertexId>(ascending.size());
  for (std::size_t vertex = 0; vertex < ascending.size(); ++vertex) {
    numbers[vertex] = ascending[vertex].first;
    rank[ascending[vertex].second] = static_cast<VertexId>(vertex);
  }
  return VertexNames::numbers(std::move(numbers));
}

}  // namespace graphrun::io::inline GR_IDS
