// SPDX-License-Identifier: Apache-2.0
// A region of memory with columns that page faults fill, up to a cap: as a GPU's driver does with managed memory (UVM), on a CPU
// by userfaultfd.
//
// One thread serves all faults. A fault brings in the missing pages of the aligned range around it. Above the cap, whole blocks
// are evicted first, those that faulted longest ago: the thread sees no use of resident pages. Pages are never written to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "cache/resident_set.hpp"
#include "cache/userfault.hpp"
#include "core/owned_fd.hpp"
#include "graphrun/core/column.hpp"

namespace graphrun {

/// The source of a column's pages: its file, through the page cache, or memory. One thread at a time.
class ColumnSource {
 public:
  /// Takes memory that outlives the source.
  static ColumnSource in_memory(const void* data, std::uint64_t bytes);
  /// Opens the file, or an open descriptor again: another file may have its name by now. Throws DataError.
  static ColumnSource in_file(const std::string& path, std::uint64_t offset, std::uint64_t bytes, int descriptor = -1);

  std::uint64_t bytes() const { return bytes_; }
  /// Returns bytes [offset, offset + count), with zeros past the end, in `buffer` or in place. Throws DataError naming the file
  /// when it was cut or cannot be read.
  const std::byte* read(std::uint64_t offset, std::size_t count, std::byte* buffer) const;

 private:
  ColumnSource() = default;

  std::uint64_t bytes_ = 0;
  const std::byte* memory_ = nullptr;
  std::string path_;
  OwnedFd fd_;
  std::uint64_t file_offset_ = 0;
};

/// Sizes in bytes. Page, prefetch and block are powers of two, each at least as large as the one before.
struct FaultOptions {
  std::uint64_t page = 4096;                        ///< brought in by a fault at least; not less than a page of the system
  std::uint64_t prefetch = 64 << 10;                ///< brought in by a fault at most, with what lies around
  std::uint64_t block = std::uint64_t{2} << 20;     ///< evicted at a time
  std::optional<std::uint64_t> cap = std::nullopt;  ///< most that is resident; none: all
  int readers = 1;                                  ///< threads that read at the same time
};

/// Counts since the last reset.
struct FaultCounters {
  std::uint64_t faults = 0;  ///< that brought something in
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_evicted = 0;
};

/// A region that faults fill. Any thread may read columns, except during fill() and drop(); other members are one thread's.
class FaultRegion {
 public:
  /// Throws UsageError when a size is impossible or the cap too small, UnavailableError where userfaultfd is not allowed.
  FaultRegion(const FaultOptions& options, std::vector<ColumnSource> sources);
  ~FaultRegion();

  /// Returns the first byte of a column, on a block of its own; null when it is empty. After a failure missing pages read as
  /// zeros.
  const std::byte* column(std::size_t index) const;
  /// Returns the most bytes that are ever resident.
  std::uint64_t most_resident_bytes() const { return most_pages_ * options_.page; }

  /// Brings in everything. Throws UsageError when the cap is smaller, DataError when it cannot be read.
  void fill();
  /// Evicts everything, without counting it.
  void drop();
  FaultCounters counters() const;
  void reset_counters();
  /// Throws RunError when a fault could not be served since it was made.
  void throw_if_failed() const;

 private:
  struct Part {
    ColumnSource source;
    std::size_t first_page = 0;
    std::size_t pages = 0;  ///< those that hold bytes of the column
  };
  /// Pages [begin, end).
  struct Pages {
    std::size_t begin;
    std::size_t end;
  };

  /// Returns the smallest cap with which readers do not take pages from each other for ever.
  std::size_t least_pages() const;
  void serve_faults();
  void serve(std::span<const std::byte* const> addresses);
  const Part& part_of(std::size_t page) const;
  /// Returns the aligned range around a page, within its column.
  Pages around(const Part& part, std::size_t page) const;
  std::size_t missing(Pages pages) const;
  /// Makes room for the missing pages of `pages` and brings them in. Under mutex_.
  void bring_in(const Part& part, Pages pages);
  void copy_in(const Part& part, Pages pages);
  void forget(std::size_t begin, std::size_t bytes);
  void fail(const std::string& message);
  const std::byte* place_of(std::size_t page) const { return memory_.data() + page * options_.page; }

  FaultOptions options_;
  std::size_t pages_per_block_;
  std::vector<Part> parts_;
  std::size_t blocks_ = 0;
  std::size_t pages_with_bytes_ = 0;
  std::size_t most_pages_ = 0;
  Column<std::byte> memory_;
  Userfault userfault_;  ///< after the memory: closed before that goes
  std::vector<std::byte> buffer_;
  mutable std::mutex mutex_;  ///< of what follows, the buffer and the descriptor; never waited for by a thread that faults
  ResidentSet resident_;
  FaultCounters counters_;
  std::string failure_;
  std::thread server_;
};

}  // namespace graphrun
