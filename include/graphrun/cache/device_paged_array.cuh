// SPDX-License-Identifier: Apache-2.0
// Reads and writes a DevicePagedArray in a kernel.
//
//   __global__ void add(DevicePagedArrayView<float> a, DevicePagedArrayView<float> b, DevicePagedArrayView<float> sum) {
//     const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
//     for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < sum.size; i += threads) sum[i] = a[i] +
//     b[i];
//   }
//
// Lanes with an index past the end read zeros and write nothing. Lanes of a warp that come to an access together fetch pages
// together; where they have diverged, each fetches alone, which takes longer. Loops that read much of one array and write to none
// are faster with an ArrayReader.
#pragma once

#include <cstring>
#include <type_traits>

#include "graphrun/cache/device_paged_array.hpp"
#include "graphrun/cache/device_pager.cuh"

namespace graphrun {
namespace cuda {

template <std::size_t kBytes>
struct WordOfBytes;
template <>
struct WordOfBytes<1> : std::type_identity<unsigned char> {};
template <>
struct WordOfBytes<2> : std::type_identity<unsigned short> {};
template <>
struct WordOfBytes<4> : std::type_identity<unsigned> {};
template <>
struct WordOfBytes<8> : std::type_identity<unsigned long long> {};
template <>
struct WordOfBytes<16> : std::type_identity<ulonglong2> {};
/// The word with an element's bytes.
template <class T>
using WordOf = typename WordOfBytes<sizeof(T)>::type;

/// Serves an access with all lanes of the warp where they came together, and alone where they diverged. Keeps a page for one
/// access only, so that a warp may use several arrays at once however small their caches are.
__device__ inline void serve_element(const DevicePages& pages, ElementAccess& access, bool together) {
  if (!together) {
    if (access.wants) fetch_alone(*pages.pager, access);
  } else if (__any_sync(kAllLanes, access.wants)) {
    fetch_elements(*pages.pager, access, false);
  }
}

template <class T>
__device__ T read_element(const DevicePagedArrayView<T>& array, std::uint64_t index, bool active) {
  using Word = WordOf<T>;
  const bool together = __activemask() == kAllLanes;  // first: a branch may part the lanes
  const DevicePages& pages = array.pages;
  const ElementPlace<Word> place(pages, 0, index);
  Word word{};
  ElementAccess access{place.page, place.offset, sizeof(T), active, false, 0, 0};
  if (pages.all_pages_fit && active && is_resident(pages, place.page)) {
    word = read_frame<Word>(pages, place.page, place.offset);
    access.wants = false;
  }
  const bool waits = access.wants;
  serve_element(pages, access, together);
  if (waits) word = word_of<Word>(access);
  T value;
  memcpy(&value, &word, sizeof(T));
  return value;
}

template <class T>
__device__ void write_element(const DevicePagedArrayView<T>& array, std::uint64_t index, const T& value, bool active) {
  using Word = WordOf<T>;
  const bool together = __activemask() == kAllLanes;  // first: a branch may part the lanes
  const DevicePages& pages = array.pages;
  const ElementPlace<Word> place(pages, 0, index);
  Word word;
  memcpy(&word, &value, sizeof(T));
  if (!array.writable) {
    if (active) record_failure(*pages.pager, DevicePagerState::Fault::read_only, 0, 0, 0, place.page);
    return;
  }
  ElementAccess access{place.page, place.offset, sizeof(T), active, true, 0, 0};
  memcpy(&access.bits, &value, sizeof(T) < 8 ? sizeof(T) : 8);
  if constexpr (sizeof(T) == 16) access.high_bits = word.y;
  if (pages.all_pages_fit && active && is_resident(pages, place.page)) {
    __stcg(reinterpret_cast<Word*>(pages.frames + (std::uint64_t{place.page} << pages.page_shift) + place.offset), word);
    const PageTable& table = pages.pager->table;
    if ((sync::load_relaxed(table.words[place.page]) & page_word::kDirty) == 0) table.mark_dirty(place.page);
    access.wants = false;
  }
  serve_element(pages, access, together);
}

/// A reference to an element.
template <class T>
class PagedElement {
 public:
  __device__ PagedElement(const DevicePagedArrayView<T>& array, std::uint64_t index, bool active)
      : array_(array), index_(index), active_(active) {}
  __device__ operator T() const {  // NOLINT(google-explicit-constructor): it is the element
    return read_element(array_, index_, active_);
  }
  __device__ PagedElement& operator=(const T& value) {
    write_element(array_, index_, value, active_);
    return *this;
  }
  __device__ PagedElement& operator=(const PagedElement& other) { return *this = static_cast<T>(other); }

 private:
  const DevicePagedArrayView<T>& array_;
  std::uint64_t index_;
  bool active_;
};

/// A warp's reads of an array that no warp writes to meanwhile, several elements a lane at a time. It keeps the page that all
/// lanes used last. While it lives, its warp must not touch other arrays: it could wait for their pages while another warp waits
/// for this one's.
template <class T>
class ArrayReader {
 public:
  explicit __device__ ArrayReader(const DevicePagedArrayView<T>& array) : pages_(array.pages) {}
  __device__ ~ArrayReader() { drop_page(pages_, held_); }
  ArrayReader(const ArrayReader&) = delete;
  ArrayReader& operator=(const ArrayReader&) = delete;

  /// Reads elements `index`, which are in the array, for lanes with `wants`; zeros for the others. All 32 lanes together.
  template <int kCount>
  __device__ void read(const std::uint64_t (&index)[kCount], const bool (&wants)[kCount], T (&value)[kCount]) {
    WordOf<T> words[kCount];
    if (!pages_.all_pages_fit) {
      HeldPage none;
      load_elements<WordOf<T>>(pages_, held_, none, 0, index, wants, words);
    } else {
#pragma unroll
      for (int j = 0; j < kCount; ++j) bring_in_elements<WordOf<T>>(pages_, 0, index[j], index[j] + (wants[j] ? 1 : 0));
      read_resident_elements(pages_, 0, index, wants, words);
    }
#pragma unroll
    for (int j = 0; j < kCount; ++j) memcpy(&value[j], &words[j], sizeof(T));
  }

 private:
  DevicePages pages_;
  HeldPage held_;
};

}  // namespace cuda

template <class T>
__device__ cuda::PagedElement<T> DevicePagedArrayView<T>::operator[](std::uint64_t index) const {
  return {*this, index, index < size};
}

}  // namespace graphrun
