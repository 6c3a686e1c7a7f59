// SPDX-License-Identifier: Apache-2.0
// The kernels of paged_kernels, apart from how arrays are reached: the transfer-bound kernels of Nazaraliyev et al. (GPUVM,
// section 5.3, figure 13), which have Polybench's names, a sum that reads everything once (section 5.1, figure 8), and queries of
// columns (section 5.5, figure 15, and Qureshi et al., BaM, section 5.3, figure 12).
//
//   mvt   x1 += A y1,  x2 += A^T y2          va    c = a + b, and c goes back to where it came from
//   atax  y = A^T (A x)                      sum   of all elements of a
//   bicg  q = A p,  s = A^T r             q0   of the elements of column 0 that are at least 3000
//                                         q1   of those, and of those beside them in another column; to q5, in five others
//
// A is square and row-major. Each matrix kernel is two passes, out += A in and out += A^T in, and differs from the others in its
// vectors; so a way of reaching A is a pair of passes, and the kernels are written once, over all ways.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graphrun/core/column.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/scratch.hpp"
#include "graphrun/transport/controller.hpp"

namespace graphrun::bench {

/// Returns element `index` of the matrix, or of input `array` of va and sum: -1, 0 or 1. Sums of n of them, and sums of n such
/// sums, are whole numbers far below 2^24 for all accepted n: floats add them exactly in any order, and a wrong page shows in a
/// result.
inline float element_value(std::uint64_t index, std::uint64_t array) {
  const std::uint64_t bits = splitmix64(index / 32 + (array << 56)) >> (2 * (index % 32));
  return static_cast<float>(static_cast<int>(bits & 1) - static_cast<int>(bits >> 1 & 1));
}
/// Returns an element of a kernel's input vectors: -2 to 2.
inline float vector_value(std::uint64_t index, std::uint64_t vector) {
  return static_cast<float>(static_cast<int>(splitmix64(index, vector, 1) % 5) - 2);
}

/// The least element of the first column that a query selects. All are whole numbers, as of cents.
inline constexpr float kLeastSelected = 3000;

inline constexpr std::uint64_t kMostRows = 1 << 17;

/// A kernel over a matrix, and which of its vectors the passes read and write.
struct MatrixKernel {
  static constexpr int kVectors = 4;
  int row_in, row_out;        ///< vectors[row_out] += A vectors[row_in]
  int column_in, column_out;  ///< vectors[column_out] += A^T vectors[column_in], afterwards
  bool starts_at_zero;        ///< what is added to; otherwise it has values of its own
};

struct Problem {
  std::string kernel;
  std::uint64_t rows = 0;      ///< of the matrix; 0 for others
  std::uint64_t elements = 0;  ///< of each array
  std::vector<Column<float>> inputs;
  Column<float> output;                 ///< of va
  std::vector<std::uint64_t> selected;  ///< that a query finds, ascending

  bool is_matrix() const { return rows != 0; }
  bool is_query() const { return kernel[0] == 'q'; }
  std::uint64_t array_bytes() const { return elements * sizeof(float); }
  bool writes() const { return !output.empty(); }
  /// Returns an array: inputs first, and after them the output of va.
  Column<float>& array(std::size_t i) { return i < inputs.size() ? inputs[i] : output; }
  std::size_t arrays() const { return inputs.size() + writes(); }
  std::uint64_t all_bytes() const { return arrays() * array_bytes(); }
  /// Returns the bytes that have to move once: everything, but of a query the first column, and the pages with its selected rows.
  std::uint64_t needed_bytes(std::uint32_t page_bytes) const;
};

/// Makes arrays of about `bytes` each: a matrix of whole tiles, or vectors of whole pages of any size. A query selects the share
/// `selected` of the rows, at random. Throws UsageError.
Problem make_problem(const std::string& kernel, std::uint64_t bytes, double selected, ThreadPool& pool);

/// Returns a matrix kernel. Throws UsageError for another name.
const MatrixKernel& matrix_kernel(const std::string& name);
/// Returns the initial values of vector `vector` of a kernel.
std::vector<float> first_vector(const Problem& problem, int vector);

/// One variant of reaching the arrays of one problem, on one processor.
class Way {
 public:
  virtual ~Way() = default;
  /// Drops the arrays from the fast tier, before the clock runs.
  virtual void make_cold() {}

  // The clock runs.
  virtual void begin() {}
  /// Adds to out[i] the sum of A[i][j] in[j], or to out[j] the sum of A[i][j] in[i], for vectors of the kernel.
  virtual void multiply(int in, int out) = 0;
  virtual void multiply_transposed(int in, int out) = 0;
  virtual void add() = 0;
  virtual std::int64_t sum() = 0;
  /// Returns the query's result of each column.
  virtual std::vector<std::int64_t> query() = 0;
  /// Returns when all is computed, and written pages are back.
  virtual void finish() {}

  // Afterwards.
  virtual void set_vector(int vector, const std::vector<float>& values) = 0;
  virtual std::vector<float> vector(int vector) = 0;
  /// Returns the output of va, where the variant has it. To be written to before make_cold().
  virtual std::span<float> output() = 0;
  /// Returns counts since make_cold(), where the variant counts.
  virtual std::optional<PagerCounters> moved() const { return std::nullopt; }
};

/// The results, computed from the values' definitions by plain loops over whole numbers.
class Reference {
 public:
  /// Throws RunError when a result is too large to be exact in floats.
  Reference(const Problem& problem, ThreadPool& pool);
  /// Counts wrong elements; `sums` are the results of sum, and of a query's columns.
  std::uint64_t count_wrong(Way& way, const std::vector<std::int64_t>& sums) const;

 private:
  /// Adds A vectors[in], or A^T vectors[in], to vectors[out].
  void multiply(int in, int out, bool transposed);

  const Problem& problem_;
  ThreadPool& pool_;
  std::vector<std::vector<std::int64_t>> vectors_;
  std::vector<std::int64_t> sums_;
};

/// Returns the milliseconds of one cold run; adds to `wrong` the number of its elements that differ from `expected`.
double run_cold(Way& way, const Problem& problem, const Reference& expected, ThreadPool& pool, std::uint64_t& wrong);

/// A file without a name, with the bytes of an array, and mapped.
class FileArray {
 public:
  FileArray(const Column<float>& values, const std::string& directory) : file_(directory) {
    file_.append(values.data(), values.bytes());
    mapped_ = file_.map<float>();
  }
  int fd() const { return file_.descriptor(); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd()); }
  std::span<float> elements() { return {mapped_.data(), mapped_.size()}; }
  /// Returns the bytes that the page cache holds.
  std::uint64_t cached_bytes() const {
    const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> pages((mapped_.bytes() + page_bytes - 1) / page_bytes);
    if (::mincore(const_cast<float*>(mapped_.data()), mapped_.bytes(), pages.data()) != 0)
      throw RunError(std::string("cannot ask for what is cached: ") + std::strerror(errno));
    return page_bytes *
           static_cast<std::uint64_t>(std::ranges::count_if(pages, [](unsigned char page) { return (page & 1) != 0; }));
  }
  /// Waits until the disk has what was written through the mapping.
  void flush() {
    if (::msync(mapped_.data(), mapped_.bytes(), MS_SYNC) != 0)
      throw RunError(std::string("cannot flush: ") + std::strerror(errno));
  }
  /// Waits until the disk has what was written in other ways.
  void sync() const {
    if (::fdatasync(fd()) != 0) throw RunError(std::string("cannot flush: ") + std::strerror(errno));
  }
  /// Drops its pages from this process and from the page cache.
  void drop() {
    flush();
    mapped_.release(0, mapped_.size());
    ::posix_fadvise(fd(), 0, 0, POSIX_FADV_DONTNEED);
  }

 private:
  ScratchFile file_;
  Column<float> mapped_;
};

inline std::vector<FileArray> make_files(Problem& problem, const std::string& directory) {
  std::vector<FileArray> files;
  for (std::size_t i = 0; i < problem.arrays(); ++i) files.emplace_back(problem.array(i), directory);
  return files;
}

struct WayPlan {
  std::uint32_t page_bytes = 8192;
  std::uint64_t cache_bytes = 0;  ///< of the fast tier, for all arrays together
  std::uint32_t queues = 84;
  std::uint32_t queue_depth = 64;
  int copy_threads = 16;  ///< of the host, that copy chunks
  std::uint64_t tile_bytes = 4 << 20;
  std::string directory;  ///< where files are made that have no names
};

struct WayKind {
  std::string name;
  bool has_pages = false;   ///< or chunks: page_bytes means something
  bool has_queues = false;  ///< queues and queue_depth do
  bool has_tiles = false;   ///< tile_bytes does; it knows va alone
  bool has_cache = false;   ///< cache_bytes does
  bool holds_all = false;   ///< it takes as much of the fast tier as the arrays have
  bool in_files = false;    ///< of --dir, written first; only where it is asked for
};

/// Returns the variants of the CPU. incore: all in memory. memory: paged arrays over memory. mmap: mapped files. bulk: whole
/// files are read first. files, elements: paged arrays over files, with prefetched pages, and element by element, as by a program
/// that knows no pages. tiles, tiles-overlapped: threads read, add and write tiles of files, one after another, or as many at a
/// time as paged arrays' caches could hold.
const std::vector<WayKind>& cpu_ways();
std::unique_ptr<Way> open_cpu_way(const WayKind& kind, Problem& problem, const WayPlan& plan, ThreadPool& pool);

/// Returns the variants of a GPU. sm, proxy: paged arrays over host memory, with pages copied by warps, or by host threads. uvm,
/// uvm-read-mostly, uvm-prefetch: managed memory that the driver pages, without advice, with it, or brought to the device ahead
/// of the kernels. bulk: whole arrays are copied before the kernels. chunks: the same by several host threads, a chunk at a time.
/// files: paged arrays over files. tiles: the host reads tiles of files, copies them to the device, adds them there, copies the
/// sums back and writes them, for several tiles at once.
const std::vector<WayKind>& gpu_ways();
/// Opens a variant. Throws UnavailableError where it does not exist, and where the device has no room.
std::unique_ptr<Way> open_gpu_way(const WayKind& kind, Problem& problem, const WayPlan& plan, ThreadPool& pool);

}  // namespace graphrun::bench
