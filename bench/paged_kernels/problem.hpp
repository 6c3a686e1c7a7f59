// What paged_kernels computes, apart from how arrays are reached: the transfer-bound kernels of Nazaraliyev et al. (GPUVM,
// section 5.3, figure 13), which have Polybench's names, and a sum that reads everything once (section 5.1, figure 8).
//
//   mvt   x1 += A y1,  x2 += A^T y2          va    c = a + b, and c goes back to where it came from
//   atax  y = A^T (A x)                      sum   of all elements of a
//   bicg  q = A p,  s = A^T r
//
// A is square and row-major. Each matrix kernel is two passes, out += A in and out += A^T in, and differs from the others in its
// vectors; so a way of reaching A is a pair of passes, and the kernels are written once, over all ways.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graphrun/cache/pager_counters.hpp"
#include "graphrun/core/column.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/core/thread_pool.hpp"

namespace graphrun::bench {

/// Element `index` of the matrix, or of input `array` of va and sum: -1, 0 or 1. Sums of n of them, and sums of n such sums, are
/// whole numbers of a few hundred times less than 2^24 for all n that are accepted: floats add them exactly in any order, and
/// what a wrong page does to a result shows.
inline float element_value(std::uint64_t index, std::uint64_t array) {
  const std::uint64_t bits = splitmix64(index / 32 + (array << 56)) >> (2 * (index % 32));
  return static_cast<float>(static_cast<int>(bits & 1) - static_cast<int>(bits >> 1 & 1));
}
/// Of a kernel's input vectors: -2 to 2.
inline float vector_value(std::uint64_t index, std::uint64_t vector) {
  return static_cast<float>(static_cast<int>(splitmix64(index, vector, 1) % 5) - 2);
}

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
  std::uint64_t rows = 0;      ///< of the matrix; 0 for va and sum
  std::uint64_t elements = 0;  ///< of each array
  std::vector<Column<float>> inputs;
  Column<float> output;  ///< of va

  bool is_matrix() const { return rows != 0; }
  std::uint64_t array_bytes() const { return elements * sizeof(float); }
  bool writes() const { return !output.empty(); }
  /// Inputs first, and the output of va behind them.
  Column<float>& array(std::size_t i) { return i < inputs.size() ? inputs[i] : output; }
  std::size_t arrays() const { return inputs.size() + writes(); }
  /// That have to go over the link once, whatever the way.
  std::uint64_t needed_bytes() const { return arrays() * array_bytes(); }
};

/// Arrays of about `bytes` each: a matrix of whole tiles, or vectors of whole pages of any size. Throws UsageError.
Problem make_problem(const std::string& kernel, std::uint64_t bytes, ThreadPool& pool);

/// Of the matrix kernels. Throws UsageError for another name.
const MatrixKernel& matrix_kernel(const std::string& name);
/// What vector `vector` of a kernel holds at first.
std::vector<float> first_vector(const Problem& problem, int vector);

/// One way of reaching the arrays of one problem, on one processor.
class Way {
 public:
  virtual ~Way() = default;
  /// The clock does not run: near memory holds nothing of the arrays.
  virtual void make_cold() {}

  // The clock runs.
  virtual void begin() {}
  /// out[i] += sum of A[i][j] in[j]; out[j] += sum of A[i][j] in[i]. Between vectors of the kernel.
  virtual void multiply(int in, int out) = 0;
  virtual void multiply_transposed(int in, int out) = 0;
  virtual void add() = 0;
  virtual std::int64_t sum() = 0;
  /// Returns when all is computed, and written pages are back.
  virtual void finish() {}

  // Afterwards.
  virtual void set_vector(int vector, const std::vector<float>& values) = 0;
  virtual std::vector<float> vector(int vector) = 0;
  /// Of va, where the way has it. To be written to before make_cold().
  virtual std::span<float> output() = 0;
  /// Since make_cold(); all 0 for a way that does not count.
  virtual PagerCounters moved() const { return {}; }
};

/// The results, computed from the values' definitions by plain loops over whole numbers.
class Reference {
 public:
  /// Throws RunError when a result is too large to be exact in floats.
  Reference(const Problem& problem, ThreadPool& pool);
  std::uint64_t count_wrong(Way& way, std::int64_t sum) const;

 private:
  /// vectors[out] += A vectors[in], or A^T.
  void multiply(int in, int out, bool transposed);

  const Problem& problem_;
  ThreadPool& pool_;
  std::vector<std::vector<std::int64_t>> vectors_;
  std::int64_t sum_ = 0;
};

/// Milliseconds of one cold run; adds to `wrong` the elements of its results that are not those of `expected`.
double run_cold(Way& way, const Problem& problem, const Reference& expected, ThreadPool& pool, std::uint64_t& wrong);

}  // namespace graphrun::bench
