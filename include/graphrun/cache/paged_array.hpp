// SPDX-License-Identifier: Apache-2.0
// An array for host threads in a file that need not fit into memory: BaM's (Qureshi et al., ASPLOS 2023, section 3.5); or in
// memory below a cache (Nazaraliyev et al., GPUVM). For threads of a GPU: device_paged_array.hpp.
//
//   PagedArray<double> squares = PagedArray<double>::create("squares.bin", 1'000'000'000, {.cache_bytes = 64 << 20});
//   for (std::uint64_t i = 0; i < squares.size(); ++i) squares[i] = static_cast<double>(i) * i;
//   squares.flush();
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "graphrun/cache/array_store.hpp"
#include "graphrun/cache/host_pager.hpp"

namespace graphrun {

struct PagedArrayOptions {
  std::uint32_t page_bytes = 4096;                      ///< a power of two, 512 B to 1 MiB
  std::uint64_t cache_bytes = std::uint64_t{64} << 20;  ///< of memory for pages
  int threads = 1;                                      ///< that use the array at a time
  bool writable = false;
};

/// Makes the pager of an array. Throws UsageError.
std::unique_ptr<HostPager> make_pager(const ArraySource& source, const PagedArrayOptions& options);

/// An array of trivially copyable T of 1 to 512 bytes, a power of two. As many threads as PagedArrayOptions says may call members
/// at a time. Members throw RunError when storage fails, and UsageError for elements past the end.
template <class T>
class PagedArray : public PagedStore<HostPager> {
  static_assert(std::is_trivially_copyable_v<T> && std::has_single_bit(sizeof(T)) && sizeof(T) <= 512);

 public:
  /// Opens an existing file; when it is writable, of a whole number of pages. Throws DataError, UsageError.
  explicit PagedArray(const std::string& path, const PagedArrayOptions& options = {})
      : PagedArray(ArraySource::open(path, options.writable, options.page_bytes), options) {}
  /// Makes a new file of zeros, writable, which replaces an old one.
  static PagedArray create(const std::string& path, std::uint64_t size, const PagedArrayOptions& options = {}) {
    PagedArray array(ArraySource::create(path, size, sizeof(T), options.page_bytes), options);
    array.set_size(size);
    return array;
  }
  /// Takes elements in memory that outlives the array; written elements go back to it.
  static PagedArray over(std::span<T> memory, const PagedArrayOptions& options = {}) {
    const MemoryStretch stretch(std::as_writable_bytes(memory));
    return PagedArray(ArraySource::over(stretch, options.writable, options.page_bytes), options);
  }
  /// Does the same for memory that is only read.
  static PagedArray over(std::span<const T> memory, const PagedArrayOptions& options = {}) {
    return PagedArray(ArraySource::over(std::as_bytes(memory), options.writable, options.page_bytes), options);
  }

  T read(std::uint64_t index) const {
    check_range(index, 1);
    T value;
    HostPager& pager = this->pager();
    std::memcpy(&value, pager.acquire(page_of(index)) + byte_in_page(index), sizeof(T));
    pager.release(page_of(index));
    return value;
  }
  /// Writes an element. Throws UsageError when the file was opened for reading.
  void write(std::uint64_t index, const T& value) {
    check_range(index, 1);
    HostPager& pager = writable_pager();
    std::memcpy(pager.acquire_to_write(page_of(index)) + byte_in_page(index), &value, sizeof(T));
    pager.release_written(page_of(index));
  }
  /// Reads elements from `begin` on into all of `values`, a page at a time: much faster than one by one.
  void read(std::uint64_t begin, std::span<T> values) const {
    for_each_page(begin, values.size(), [&](PageId page, std::size_t offset, std::size_t from, std::size_t count) {
      HostPager& pager = this->pager();
      std::memcpy(values.data() + from, pager.acquire(page) + offset, count * sizeof(T));
      pager.release(page);
    });
  }
  /// Writes likewise. Pages that are written in full are not read before. Throws UsageError as write() does.
  void write(std::uint64_t begin, std::span<const T> values) {
    HostPager& pager = writable_pager();
    for_each_page(begin, values.size(), [&](PageId page, std::size_t offset, std::size_t from, std::size_t count) {
      const bool whole = count * sizeof(T) == pager.page_bytes();
      std::byte* data = whole ? pager.acquire_to_overwrite(page) : pager.acquire_to_write(page);
      std::memcpy(data + offset, values.data() + from, count * sizeof(T));
      pager.release_written(page);
      if (whole) pager.send_back(page);
    });
    pager.send();
  }

  /// Elements of one page, which stay in the cache while this lives. A thread may have one of an array at a time and must not use
  /// the array otherwise meanwhile.
  template <class Element>
  class Pinned {
   public:
    ~Pinned() {
      if constexpr (std::is_const_v<Element>) {
        pager_.release(page_);
      } else {
        pager_.release_written(page_);
        if (elements_.size_bytes() == pager_.page_bytes()) pager_.send_back(page_);
      }
    }
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;
    std::size_t size() const { return elements_.size(); }
    Element* data() const { return elements_.data(); }
    Element& operator[](std::size_t i) const { return elements_[i]; }

   private:
    friend class PagedArray;
    Pinned(HostPager& pager, PageId page, Element* first, std::size_t count)
        : pager_(pager), page_(page), elements_(first, count) {}
    HostPager& pager_;
    PageId page_;
    std::span<Element> elements_;
  };
  /// Pins elements from `begin` up to `end`, which is after `begin` and not past the array's, or to the end of the page.
  Pinned<const T> pin(std::uint64_t begin, std::uint64_t end) const {
    HostPager& pager = this->pager();
    return pinned<const T>(pager, begin, end, [&](PageId page, bool) { return pager.acquire(page); });
  }
  /// Does the same for elements that will all be written; a page that they fill is not read before. Throws UsageError as write().
  Pinned<T> pin_to_overwrite(std::uint64_t begin, std::uint64_t end) {
    HostPager& pager = writable_pager();
    return pinned<T>(pager, begin, end, [&](PageId page, bool whole) {
      return whole ? pager.acquire_to_overwrite(page) : pager.acquire_to_write(page);
    });
  }
  /// Asks for elements [begin, end) that will be used soon, as many as there are and the cache has room for. Does not wait.
  void prefetch(std::uint64_t begin, std::uint64_t end) const {
    end = std::min(end, size());
    if (begin >= end) return;
    pager().prefetch(page_of(begin), page_of(end - 1));
    pager().send();
  }

  /// A reference to an element.
  class Reference {
   public:
    operator T() const { return array_.read(index_); }  // NOLINT(google-explicit-constructor): it is the element
    Reference& operator=(const T& value) {
      array_.write(index_, value);
      return *this;
    }
    Reference& operator=(const Reference& other) { return *this = static_cast<T>(other); }
    Reference(const Reference&) = default;

   private:
    friend class PagedArray;
    Reference(PagedArray& array, std::uint64_t index) : array_(array), index_(index) {}
    PagedArray& array_;
    std::uint64_t index_;
  };
  Reference operator[](std::uint64_t index) { return Reference(*this, index); }
  T operator[](std::uint64_t index) const { return read(index); }

 private:
  PagedArray(const ArraySource& source, const PagedArrayOptions& options)
      : PagedStore(source, make_pager(source, options), sizeof(T)) {}

  /// Returns the pager. Throws UsageError when the file was opened for reading.
  HostPager& writable_pager() const {
    if (!source().writable()) source().refuse_writing();
    return pager();
  }

  template <class Element, class Acquire>
  Pinned<Element> pinned(HostPager& pager, std::uint64_t begin, std::uint64_t end, const Acquire& acquire) const {
    if (begin >= end || end > size()) source().refuse_range(begin, end - begin, size());
    const std::size_t in_page = pager.page_bytes() / sizeof(T);
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(end - begin, in_page - begin % in_page));
    auto* data = acquire(page_of(begin), count == in_page) + byte_in_page(begin);
    return {pager, page_of(begin), reinterpret_cast<Element*>(data), count};
  }

  /// Calls use(page, byte in it, first of the elements, how many) for the pages of `count` elements from `begin` on.
  template <class Use>
  void for_each_page(std::uint64_t begin, std::size_t count, const Use& use) const {
    check_range(begin, count);
    const std::size_t in_page = pager().page_bytes() / sizeof(T);
    for (std::size_t done = 0; done < count;) {
      const std::uint64_t index = begin + done;
      const std::size_t here = std::min(count - done, in_page - static_cast<std::size_t>(index % in_page));
      use(page_of(index), byte_in_page(index), done, here);
      done += here;
    }
  }

  void check_range(std::uint64_t begin, std::uint64_t count) const {
    if (begin > size() || count > size() - begin) source().refuse_range(begin, count, size());
  }
  PageId page_of(std::uint64_t index) const { return index * sizeof(T) / pager().page_bytes(); }
  std::size_t byte_in_page(std::uint64_t index) const {
    return static_cast<std::size_t>(index * sizeof(T) % pager().page_bytes());
  }
};

}  // namespace graphrun
