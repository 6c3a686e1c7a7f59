// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "core/raise.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/transport/storage.hpp"
#include "ways.hpp"

namespace graphrun::bench {
namespace {

constexpr std::uint64_t kTileRows = 128;                                    // of a matrix: rows are whole multiples
constexpr std::uint64_t kTileElements = kMostCommandBytes / sizeof(float);  // of a vector: whole pages of any size
constexpr std::size_t kGrain = 1 << 20;
constexpr float kNoResult = 99;        // of va
constexpr std::uint64_t kSelects = 2;  // third number of what queries draw

const std::map<std::string, MatrixKernel>& matrix_kernels() {
  static const std::map<std::string, MatrixKernel> kernels{
      {"mvt", {0, 1, 2, 3, false}}, {"atax", {0, 1, 1, 3, true}}, {"bicg", {0, 1, 2, 3, true}}};
  return kernels;
}

Column<float> make_array(std::uint64_t elements, std::uint64_t array, ThreadPool& pool) {
  auto made = Column<float>::allocate(elements);
  parallel_for(
      pool, elements, [&](std::size_t i) { made[i] = element_value(i, array); }, kGrain);
  return made;
}

/// Draws a query's rows: `selected` of the elements, each as likely as others, are at least kLeastSelected.
std::vector<std::uint64_t> select_rows(Column<float>& column, std::uint64_t selected) {
  std::vector<std::uint64_t> rows;
  for (std::uint64_t draw = 0; rows.size() < selected; ++draw) {
    const std::uint64_t row = number_below(column.size(), splitmix64(draw, 0, kSelects));
    if (column[row] >= kLeastSelected) continue;
    column[row] += kLeastSelected;
    rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

/// Makes a column of whole numbers; in the first one, all are below kLeastSelected.
Column<float> make_column(std::uint64_t rows, std::uint64_t column, ThreadPool& pool) {
  auto made = Column<float>::allocate(rows);
  const auto below = static_cast<std::uint64_t>(column == 0 ? kLeastSelected : 10 * kLeastSelected);
  parallel_for(
      pool, rows, [&](std::size_t i) { made[i] = static_cast<float>(number_below(below, splitmix64(i, column, kSelects + 1))); },
      kGrain);
  return made;
}

}  // namespace

std::uint64_t Problem::needed_bytes(std::uint32_t page_bytes) const {
  if (!is_query()) return all_bytes();
  std::uint64_t pages = 0;
  for (std::size_t i = 0; i < selected.size(); ++i) {
    const auto page_of = [&](std::uint64_t row) { return row * sizeof(float) / page_bytes; };
    pages += i == 0 || page_of(selected[i]) != page_of(selected[i - 1]) ? 1 : 0;
  }
  return array_bytes() + (inputs.size() - 1) * pages * page_bytes;
}

Problem make_problem(const std::string& kernel, std::uint64_t bytes, double selected, ThreadPool& pool) {
  Problem made;
  made.kernel = kernel;
  const bool is_matrix = matrix_kernels().contains(kernel);
  const bool is_query = kernel.size() == 2 && kernel[0] == 'q' && kernel[1] >= '0' && kernel[1] <= '5';
  if (!is_matrix && !is_query && kernel != "va" && kernel != "sum") {
    raise<UsageError>("there is no kernel '{}': mvt, atax, bicg, va, sum, q0 to q5", kernel);
  }
  if (is_matrix) {
    made.rows = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(bytes / sizeof(float)))) / kTileRows * kTileRows;
    if (made.rows > kMostRows) {
      raise<UsageError>("a matrix of {} rows is too large for exact results: at most {}", made.rows, kMostRows);
    }
    made.elements = made.rows * made.rows;
  } else {
    made.elements = bytes / sizeof(float) / kTileElements * kTileElements;
  }
  if (made.elements == 0) throw UsageError("--size is too small: arrays are of at least 1MiB");
  const std::uint64_t inputs = kernel == "va" ? 2 : is_query ? 1 + static_cast<std::uint64_t>(kernel[1] - '0') : 1;
  for (std::uint64_t array = 0; array < inputs; ++array)
    made.inputs.push_back((is_query ? make_column : make_array)(made.elements, array, pool));
  if (is_query)
    made.selected =
        select_rows(made.inputs[0], static_cast<std::uint64_t>(std::llround(selected * static_cast<double>(made.elements))));
  if (kernel == "va") made.output = Column<float>::allocate(made.elements);
  return made;
}

const MatrixKernel& matrix_kernel(const std::string& name) { return matrix_kernels().at(name); }

std::vector<float> first_vector(const Problem& problem, int vector) {
  const MatrixKernel& kernel = matrix_kernel(problem.kernel);
  const bool is_result = vector == kernel.row_out || vector == kernel.column_out;
  std::vector<float> values(problem.rows, 0);
  if (is_result && kernel.starts_at_zero) return values;
  for (std::uint64_t i = 0; i < values.size(); ++i) values[i] = vector_value(i, static_cast<std::uint64_t>(vector));
  return values;
}

double run_cold(Way& way, const Problem& problem, const Reference& expected, ThreadPool& pool, std::uint64_t& wrong) {
  if (problem.is_matrix()) {
    for (int v = 0; v < MatrixKernel::kVectors; ++v) way.set_vector(v, first_vector(problem, v));
  }
  const std::span<float> output = way.output();
  parallel_for(
      pool, output.size(), [&](std::size_t i) { output[i] = kNoResult; }, kGrain);
  way.make_cold();
  std::vector<std::int64_t> sums;
  const Timer timer;
  way.begin();
  if (problem.is_matrix()) {
    const MatrixKernel& kernel = matrix_kernel(problem.kernel);
    way.multiply(kernel.row_in, kernel.row_out);
    way.multiply_transposed(kernel.column_in, kernel.column_out);
  } else if (problem.kernel == "va") {
    way.add();
  } else if (problem.is_query()) {
    sums = way.query();
  } else {
    sums = {way.sum()};
  }
  way.finish();
  const double ms = timer.elapsed_ms();
  wrong += expected.count_wrong(way, sums);
  return ms;
}

Reference::Reference(const Problem& problem, ThreadPool& pool) : problem_(problem), pool_(pool) {
  if (problem.kernel == "sum") {
    sums_ = {parallel_sum<std::int64_t>(
        pool, problem.elements, [](std::size_t i) { return static_cast<std::int64_t>(element_value(i, 0)); }, kGrain)};
  }
  if (problem.is_query()) {
    for (const Column<float>& column : problem.inputs) {
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < column.size(); ++i) {
        if (problem.inputs[0][i] >= kLeastSelected) sum += static_cast<std::int64_t>(column[i]);
      }
      sums_.push_back(sum);
    }
  }
  if (!problem.is_matrix()) return;
  for (int v = 0; v < MatrixKernel::kVectors; ++v) {
    const std::vector<float> first = first_vector(problem, v);
    vectors_.emplace_back(first.begin(), first.end());
  }
  const MatrixKernel& kernel = matrix_kernel(problem.kernel);
  multiply(kernel.row_in, kernel.row_out, false);
  multiply(kernel.column_in, kernel.column_out, true);
  for (const auto& values : vectors_) {
    for (const std::int64_t value : values) {
      if (std::abs(value) >= 1 << 23) throw RunError("the results of this kernel are too large to be exact in floats");
    }
  }
}

void Reference::multiply(int in, int out, bool transposed) {
  const std::vector<std::int64_t>& factors = vectors_[static_cast<std::size_t>(in)];
  const std::uint64_t n = problem_.rows;
  PerThread<std::vector<std::int64_t>> partial(pool_, std::vector<std::int64_t>(n, 0));
  parallel_chunks(pool_, n, 16, [&](std::size_t begin, std::size_t end, int rank) {
    for (std::uint64_t row = begin; row < end; ++row) {
      for (std::uint64_t column = 0; column < n; ++column) {
        const auto value = static_cast<std::int64_t>(element_value(row * n + column, 0));
        partial[rank][transposed ? column : row] += value * factors[transposed ? row : column];
      }
    }
  });
  for (const auto& slot : partial) {
    for (std::uint64_t i = 0; i < n; ++i) vectors_[static_cast<std::size_t>(out)][i] += slot.value[i];
  }
}

std::uint64_t Reference::count_wrong(Way& way, const std::vector<std::int64_t>& sums) const {
  if (!sums_.empty()) return sums == sums_ ? 0 : 1;
  if (problem_.kernel == "va") {
    const std::span<const float> written = way.output();
    return parallel_sum<std::uint64_t>(
        pool_, problem_.elements,
        [&](std::size_t i) { return written[i] != element_value(i, 0) + element_value(i, 1) ? 1u : 0u; }, kGrain);
  }
  std::uint64_t wrong = 0;
  for (int v = 0; v < MatrixKernel::kVectors; ++v) {
    const std::vector<float> found = way.vector(v);
    const std::vector<std::int64_t>& expected = vectors_[static_cast<std::size_t>(v)];
    for (std::uint64_t i = 0; i < found.size(); ++i) wrong += found[i] != static_cast<float>(expected[i]);
  }
  return wrong;
}

}  // namespace graphrun::bench
