// An array in a file that need not fit into memory: BaM's array (Qureshi et al., ASPLOS 2023, section 3.5) for host threads. Or
// one in memory, of which a cache holds some pages (Nazaraliyev et al., GPUVM). For threads of a GPU: device_paged_array.hpp.
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

#include "graphrun/cache/host_pager.hpp"
#include "graphrun/cache/paged_column.hpp"
#include "graphrun/transport/memory_storage.hpp"

namespace graphrun {

struct PagedArrayOptions {
  std::uint32_t page_bytes = 4096;                      ///< a power of two, 512 B to 64 KiB
  std::uint64_t cache_bytes = std::uint64_t{64} << 20;  ///< of memory for pages
  int threads = 1;                                      ///< that use the array at a time
  bool writable = false;
};

class ArrayFile;

/// A file, or memory, under a pager: what PagedArray is for bytes.
class PagedStore {
 public:
  /// An existing file; when it is writable, of a whole number of pages. Throws DataError, UsageError.
  static PagedStore open(const std::string& path, const PagedArrayOptions& options);
  /// Makes a file of `bytes` zeros, rounded up to whole pages, in the place of what was there, which is untouched when that
  /// fails. Throws DataError, UsageError.
  static PagedStore create(const std::string& path, std::uint64_t bytes, PagedArrayOptions options);
  /// Memory that outlives it. Throws UsageError.
  static PagedStore over(std::span<std::byte> memory, const PagedArrayOptions& options);
  /// Memory that is only read. Throws UsageError also when the options say that it is writable.
  static PagedStore over(std::span<const std::byte> memory, const PagedArrayOptions& options);
  /// What was not flushed is written; what goes wrong then is only logged.
  ~PagedStore();
  PagedStore(PagedStore&&) noexcept;
  PagedStore& operator=(PagedStore&&) = delete;

  std::uint64_t bytes() const { return bytes_; }
  HostPager& pager() const { return *pager_; }
  /// For writing. Throws UsageError when it was opened for reading.
  HostPager& writable_pager() const {
    if (!writable_) refuse_writing();
    return *pager_;
  }
  /// Throws UsageError: not all of those elements are in an array of `size`.
  [[noreturn]] void refuse_range(std::uint64_t begin, std::uint64_t count, std::uint64_t size) const;
  /// Returns when the disk, or the memory, has all that was written. Throws RunError.
  void flush();

 private:
  PagedStore(std::unique_ptr<ArrayFile> file, const PagedArrayOptions& options);
  PagedStore(const MemoryStretch& memory, const PagedArrayOptions& options);
  [[noreturn]] void refuse_writing() const;

  std::unique_ptr<ArrayFile> file_;  ///< null for memory
  std::string name_;                 ///< for messages
  std::uint64_t bytes_;
  bool writable_;
  std::unique_ptr<HostPager> pager_;
};

/// `size()` elements. T is trivially copyable, of 1 to 512 bytes, a power of two, so that none lies on two pages.
/// Any thread may call any member, as many at a time as PagedArrayOptions says. Members throw RunError when storage fails, and
/// UsageError for elements past the end.
template <class T>
class PagedArray {
  static_assert(std::is_trivially_copyable_v<T> && std::has_single_bit(sizeof(T)) && sizeof(T) <= 512);

 public:
  /// Throws as PagedStore.
  explicit PagedArray(const std::string& path, const PagedArrayOptions& options = {})
      : PagedArray(PagedStore::open(path, options)) {}
  /// A new file of zeros, writable.
  static PagedArray create(const std::string& path, std::uint64_t size, const PagedArrayOptions& options = {}) {
    PagedArray array(PagedStore::create(path, array_bytes(size, sizeof(T)), options));
    array.size_ = size;
    return array;
  }
  /// Elements in memory that outlives the array; written ones go back to it.
  static PagedArray over(std::span<T> memory, const PagedArrayOptions& options = {}) {
    return PagedArray(PagedStore::over(std::as_writable_bytes(memory), options));
  }
  /// The same for memory that is only read.
  static PagedArray over(std::span<const T> memory, const PagedArrayOptions& options = {}) {
    return PagedArray(PagedStore::over(std::as_bytes(memory), options));
  }

  /// Of a file that exists: what fits into it.
  std::uint64_t size() const { return size_; }

  T read(std::uint64_t index) const {
    check_range(index, 1);
    T value;
    HostPager& pager = store_.pager();
    std::memcpy(&value, pager.acquire(page_of(index)) + byte_in_page(index), sizeof(T));
    pager.release(page_of(index));
    return value;
  }
  /// Throws UsageError when the file was opened for reading.
  void write(std::uint64_t index, const T& value) {
    check_range(index, 1);
    HostPager& pager = store_.writable_pager();
    std::memcpy(pager.acquire_to_write(page_of(index)) + byte_in_page(index), &value, sizeof(T));
    pager.release_written(page_of(index));
  }
  /// Elements from `begin` on, as many as `values` has: a page at a time, and so much faster than one by one.
  void read(std::uint64_t begin, std::span<T> values) const {
    for_each_page(begin, values.size(), [&](PageId page, std::size_t offset, std::size_t from, std::size_t count) {
      HostPager& pager = store_.pager();
      std::memcpy(values.data() + from, pager.acquire(page) + offset, count * sizeof(T));
      pager.release(page);
    });
  }
  /// The same for writing. Pages that are written in full are not read before. Throws UsageError as write() does.
  void write(std::uint64_t begin, std::span<const T> values) {
    HostPager& pager = store_.writable_pager();
    for_each_page(begin, values.size(), [&](PageId page, std::size_t offset, std::size_t from, std::size_t count) {
      const bool whole = count * sizeof(T) == pager.page_bytes();
      std::byte* data = whole ? pager.acquire_to_overwrite(page) : pager.acquire_to_write(page);
      std::memcpy(data + offset, values.data() + from, count * sizeof(T));
      pager.release_written(page);
      if (whole) pager.send_back(page);
    });
    pager.send();
  }

  /// Elements that lie on one page, in the cache, where they stay while this lives. A thread may have one of an array at a time
  /// and must not use the array in other ways meanwhile; arrays do not disturb each other.
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
  /// Elements from `begin` on, up to `end`, which is behind `begin` and not past the array's, or to the end of the page.
  Pinned<const T> pin(std::uint64_t begin, std::uint64_t end) const {
    HostPager& pager = store_.pager();
    return pinned<const T>(pager, begin, end, [&](PageId page, bool) { return pager.acquire(page); });
  }
  /// The same for elements of which every one will be written; a page that they fill is not read before. Throws UsageError as
  /// write() does.
  Pinned<T> pin_to_overwrite(std::uint64_t begin, std::uint64_t end) {
    HostPager& pager = store_.writable_pager();
    return pinned<T>(pager, begin, end, [&](PageId page, bool whole) {
      return whole ? pager.acquire_to_overwrite(page) : pager.acquire_to_write(page);
    });
  }
  /// Asks for elements [begin, end) that will be used soon, as far as there are so many and the cache has room. Does not wait.
  void prefetch(std::uint64_t begin, std::uint64_t end) const {
    end = std::min(end, size_);
    if (begin >= end) return;
    store_.pager().prefetch(page_of(begin), page_of(end - 1));
    store_.pager().send();
  }

  /// Stands for an element.
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

  /// Returns when the disk, or the memory, has all that was written. No other thread may use the array meanwhile.
  void flush() { store_.flush(); }
  /// Empties the cache, after a flush, so that later accesses miss. No other thread may use the array meanwhile.
  void drop() {
    flush();
    store_.pager().drop();
    store_.pager().reset_counters();
  }
  PagerCounters counters() const { return store_.pager().counters(); }

 private:
  explicit PagedArray(PagedStore store) : store_(std::move(store)), size_(store_.bytes() / sizeof(T)) {}

  template <class Element, class Acquire>
  Pinned<Element> pinned(HostPager& pager, std::uint64_t begin, std::uint64_t end, const Acquire& acquire) const {
    if (begin >= end || end > size_) store_.refuse_range(begin, end - begin, size_);
    const std::size_t in_page = pager.page_bytes() / sizeof(T);
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(end - begin, in_page - begin % in_page));
    auto* data = acquire(page_of(begin), count == in_page) + byte_in_page(begin);
    return {pager, page_of(begin), reinterpret_cast<Element*>(data), count};
  }

  /// use(page, byte in it, first of the elements, how many) for the pages that `count` elements from `begin` on lie on.
  template <class Use>
  void for_each_page(std::uint64_t begin, std::size_t count, const Use& use) const {
    check_range(begin, count);
    const std::size_t in_page = store_.pager().page_bytes() / sizeof(T);
    for (std::size_t done = 0; done < count;) {
      const std::uint64_t index = begin + done;
      const std::size_t here = std::min(count - done, in_page - static_cast<std::size_t>(index % in_page));
      use(page_of(index), byte_in_page(index), done, here);
      done += here;
    }
  }

  void check_range(std::uint64_t begin, std::uint64_t count) const {
    if (begin > size_ || count > size_ - begin) store_.refuse_range(begin, count, size_);
  }
  PageId page_of(std::uint64_t index) const { return index * sizeof(T) / store_.pager().page_bytes(); }
  std::size_t byte_in_page(std::uint64_t index) const {
    return static_cast<std::size_t>(index * sizeof(T) % store_.pager().page_bytes());
  }

  PagedStore store_;
  std::uint64_t size_ = 0;
};

}  // namespace graphrun
