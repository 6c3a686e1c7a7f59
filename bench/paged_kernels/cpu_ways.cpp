#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "../plain_io.hpp"
#include "graphrun/cache/paged_array.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/parallel.hpp"
#include "ways.hpp"

namespace graphrun::bench {
namespace {

constexpr std::uint64_t kRowsAtATime = 16;
constexpr std::uint64_t kElementsAtATime = (64 << 10) / sizeof(float);  // whole pages of any size

/// Elements in memory, as PagedArray has them on pages.
class PlainArray {
 public:
  explicit PlainArray(std::span<float> elements) : elements_(elements) {}
  std::uint64_t size() const { return elements_.size(); }
  std::span<const float> pin(std::uint64_t begin, std::uint64_t end) const { return elements_.subspan(begin, end - begin); }
  std::span<float> pin_to_overwrite(std::uint64_t begin, std::uint64_t end) { return elements_.subspan(begin, end - begin); }

 private:
  std::span<float> elements_;
};

/// use(first, elements, how many) for elements [begin, end) of an array, stretches that lie together in turn.
template <class Array, class Use>
void for_each_stretch(const Array& array, std::uint64_t begin, std::uint64_t end, const Use& use) {
  while (begin < end) {
    const auto stretch = array.pin(begin, end);
    use(begin, stretch.data(), stretch.size());
    begin += stretch.size();
  }
}

/// The sum of term(i) for i < count. Several sums at a time, which the compiler turns into vectors: the order makes no difference
/// to these numbers.
template <class Term>
float sum_of(std::size_t count, const Term& term) {
  constexpr std::size_t kSums = 64;
  std::array<float, kSums> sums{};
  std::size_t i = 0;
  for (; i + kSums <= count; i += kSums) {
    for (std::size_t k = 0; k < kSums; ++k) sums[k] += term(i + k);
  }
  float sum = 0;
  for (; i < count; ++i) sum += term(i);
  for (const float part : sums) sum += part;
  return sum;
}

/// The kernels, over any kind of array.
template <class Array>
class CpuWay : public Way {
 public:
  CpuWay(Problem& problem, ThreadPool& pool) : problem_(problem), pool_(pool) {}

  void multiply(int in, int out) override {
    const std::vector<float>& factors = at(in);
    std::vector<float>& sums = at(out);
    for_each_row([&](std::uint64_t row, std::uint64_t column, const float* values, std::size_t count, int) {
      const float* mine = factors.data() + column;
      sums[row] += sum_of(count, [&](std::size_t i) { return values[i] * mine[i]; });
    });
  }
  /// Every thread has sums of its own for all columns.
  void multiply_transposed(int in, int out) override {
    const std::vector<float>& factors = at(in);
    PerThread<std::vector<float>> partial(pool_, std::vector<float>(problem_.rows, 0));
    for_each_row([&](std::uint64_t row, std::uint64_t column, const float* values, std::size_t count, int rank) {
      float* sums = partial[rank].data() + column;
      for (std::size_t i = 0; i < count; ++i) sums[i] += values[i] * factors[row];
    });
    for (const auto& slot : partial) {
      for (std::size_t i = 0; i < slot.value.size(); ++i) at(out)[i] += slot.value[i];
    }
  }
  void add() override {
    Array& a = arrays_[0];
    Array& b = arrays_[1];
    Array& c = arrays_[2];
    for_each_piece([&](std::uint64_t begin, std::uint64_t end, int) {
      while (begin < end) {
        const auto x = a.pin(begin, end);
        const auto y = b.pin(begin, end);
        const auto z = c.pin_to_overwrite(begin, end);
        for (std::size_t i = 0; i < z.size(); ++i) z.data()[i] = x.data()[i] + y.data()[i];
        begin += z.size();
      }
    });
  }
  std::int64_t sum() override {
    PerThread<std::int64_t> sums(pool_);
    for_each_piece([&](std::uint64_t begin, std::uint64_t end, int rank) {
      for_each_stretch(arrays_[0], begin, end, [&](std::uint64_t, const float* values, std::size_t count) {
        sums[rank] += static_cast<std::int64_t>(sum_of(count, [&](std::size_t i) { return values[i]; }));
      });
    });
    std::int64_t total = 0;
    for (const auto& slot : sums) total += slot.value;
    return total;
  }

  std::span<float> output() override { return {problem_.output.data(), problem_.output.size()}; }
  void set_vector(int vector, const std::vector<float>& values) override { at(vector) = values; }
  std::vector<float> vector(int vector) override { return at(vector); }

 protected:
  bool writes() const { return !problem_.output.empty(); }

  std::vector<Array> arrays_;  ///< inputs, and the output of va behind them
  Problem& problem_;
  ThreadPool& pool_;

 private:
  std::vector<float>& at(int vector) { return vectors_[static_cast<std::size_t>(vector)]; }

  /// use(row, first column, values, how many, rank) for all of the matrix.
  template <class Use>
  void for_each_row(const Use& use) {
    const std::uint64_t n = problem_.rows;
    parallel_chunks(pool_, n, kRowsAtATime, [&](std::size_t first, std::size_t last, int rank) {
      for (std::uint64_t row = first; row < last; ++row) {
        for_each_stretch(arrays_[0], row * n, (row + 1) * n, [&](std::uint64_t begin, const float* values, std::size_t count) {
          use(row, begin - row * n, values, count, rank);
        });
      }
    });
  }
  template <class Use>
  void for_each_piece(const Use& use) {
    parallel_chunks(pool_, problem_.elements, kElementsAtATime,
                    [&](std::size_t begin, std::size_t end, int rank) { use(begin, end, rank); });
  }

  std::array<std::vector<float>, MatrixKernel::kVectors> vectors_;
};

class InCore final : public CpuWay<PlainArray> {
 public:
  InCore(Problem& problem, ThreadPool& pool) : CpuWay(problem, pool) {
    for (Column<float>& input : problem.inputs) arrays_.emplace_back(std::span(input.data(), input.size()));
    if (!problem.output.empty()) arrays_.emplace_back(std::span(problem.output.data(), problem.output.size()));
  }
  void make_cold() override {}
  void finish() override {}
  PagerCounters moved() const override { return {}; }
};

/// Paged arrays over the memory of the problem.
class Paged final : public CpuWay<PagedArray<float>> {
 public:
  Paged(Problem& problem, const WayPlan& plan, ThreadPool& pool) : CpuWay(problem, pool) {
    PagedArrayOptions options{plan.page_bytes, plan.cache_bytes / problem.arrays(), pool.size()};
    for (const Column<float>& input : problem.inputs) arrays_.push_back(PagedArray<float>::over(input.span(), options));
    if (problem.output.empty()) return;
    options.writable = true;
    arrays_.push_back(PagedArray<float>::over(std::span(problem.output.data(), problem.output.size()), options));
  }
  void make_cold() override {
    for (auto& array : arrays_) array.drop();
  }
  void finish() override { arrays_.back().flush(); }
  PagerCounters moved() const override {
    PagerCounters sum;
    for (const auto& array : arrays_) sum += array.counters();
    return sum;
  }
};

/// A file without a name, with the bytes of an array, and mapped.
class MappedArray {
 public:
  MappedArray(const Column<float>& values, const std::string& directory) : file_(directory, O_TMPFILE | O_RDWR) {
    if (::posix_fallocate(file_.fd(), 0, static_cast<off_t>(values.bytes())) != 0) {
      throw DataError(fmt::format("there is no room for {} in {}", format_bytes(values.bytes()), directory));
    }
    const auto region = Region::map_scratch(file_.fd(), values.bytes());
    mapped_ = Column<float>::window(region, 0, values.size());
    std::memcpy(mapped_.data(), values.data(), values.bytes());
  }
  std::span<float> elements() { return {mapped_.data(), mapped_.size()}; }

  /// Returns when the disk has what was written.
  void flush() {
    if (::msync(mapped_.data(), mapped_.bytes(), MS_SYNC) != 0)
      throw DataError(fmt::format("cannot flush a mapping: {}", std::strerror(errno)));
  }
  /// Takes its pages out of this process and out of the page cache.
  void drop() {
    flush();
    mapped_.release(0, mapped_.size());
    ::posix_fadvise(file_.fd(), 0, 0, POSIX_FADV_DONTNEED);
  }

 private:
  File file_;
  Column<float> mapped_;
};

class Mapped final : public CpuWay<PlainArray> {
 public:
  Mapped(Problem& problem, const WayPlan& plan, ThreadPool& pool) : CpuWay(problem, pool) {
    for (const Column<float>& input : problem.inputs) mapped_.emplace_back(input, plan.directory);
    if (!problem.output.empty()) mapped_.emplace_back(problem.output, plan.directory);
    for (MappedArray& array : mapped_) arrays_.emplace_back(array.elements());
  }
  void make_cold() override {
    for (MappedArray& array : mapped_) array.drop();
  }
  void finish() override {
    if (writes()) mapped_.back().flush();
  }
  std::span<float> output() override { return writes() ? mapped_.back().elements() : std::span<float>(); }
  PagerCounters moved() const override { return {}; }

 private:
  std::vector<MappedArray> mapped_;
};

}  // namespace

const std::vector<WayKind>& cpu_ways() {
  static const std::vector<WayKind> kinds{
      {.name = "incore", .holds_all = true}, {.name = "memory", .has_pages = true, .has_cache = true}, {.name = "mmap"}};
  return kinds;
}

std::unique_ptr<Way> open_cpu_way(const WayKind& kind, Problem& problem, const WayPlan& plan, ThreadPool& pool) {
  if (kind.name == "incore") return std::make_unique<InCore>(problem, pool);
  if (kind.name == "memory") return std::make_unique<Paged>(problem, plan, pool);
  return std::make_unique<Mapped>(problem, plan, pool);
}

}  // namespace graphrun::bench
