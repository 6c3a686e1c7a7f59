// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <atomic>

#include "../plain_io.hpp"
#include "core/raise.hpp"
#include "graphrun/cache/paged_array.hpp"
#include "graphrun/core/parallel.hpp"
#include "ways.hpp"

namespace graphrun::bench {
namespace {

constexpr std::uint64_t kRowsAtATime = 16;
constexpr std::uint64_t kMostAhead = (4 << 20) / sizeof(float);  // of a column that a query looks through
constexpr std::size_t kMostWaiting = 128;
constexpr std::uint64_t kElementsAtATime = (64 << 10) / sizeof(float);  // or a larger page

/// Elements in memory, with the interface of PagedArray.
class PlainArray {
 public:
  explicit PlainArray(std::span<float> elements) : elements_(elements) {}
  std::uint64_t size() const { return elements_.size(); }
  std::span<const float> pin(std::uint64_t begin, std::uint64_t end) const { return elements_.subspan(begin, end - begin); }
  std::span<float> pin_to_overwrite(std::uint64_t begin, std::uint64_t end) { return elements_.subspan(begin, end - begin); }
  void prefetch(std::uint64_t, std::uint64_t) const {}

 private:
  std::span<float> elements_;
};

/// Calls use(first, elements, how many) for elements [begin, end) of an array, in contiguous stretches.
template <class Array, class Use>
void for_each_stretch(const Array& array, std::uint64_t begin, std::uint64_t end, const Use& use) {
  while (begin < end) {
    const auto stretch = array.pin(begin, end);
    use(begin, stretch.data(), stretch.size());
    begin += stretch.size();
  }
}

/// Returns the sum of term(i) for i < count. Adds several sums at a time, which the compiler turns into vectors: the order makes
/// no difference to these numbers.
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

/// Calls use(i) for the values that a query selects. Tests many at a time first, which the compiler turns into vectors.
template <class Use>
void for_each_selected(const float* values, std::size_t count, const Use& use) {
  constexpr std::size_t kAtATime = 64;
  for (std::size_t begin = 0; begin < count; begin += kAtATime) {
    const std::size_t end = std::min(count, begin + kAtATime);
    int found = 0;
    for (std::size_t i = begin; i < end; ++i) found |= values[i] >= kLeastSelected ? 1 : 0;
    if (found == 0) continue;
    for (std::size_t i = begin; i < end; ++i) {
      if (values[i] >= kLeastSelected) use(i);
    }
  }
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
  /// Multiplies with sums of each thread's own for all columns.
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
      for (Array* array : {&a, &b}) {
        if (ahead_ != 0) array->prefetch(begin == 0 ? 0 : begin + ahead_, end + ahead_);
      }
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

  /// Prefetches the rows that a piece selects, and adds them up some pieces later.
  std::vector<std::int64_t> query() override {
    struct Found {
      std::vector<std::uint64_t> rows;
      std::vector<std::int64_t> sums;
    };
    PerThread<Found> found(pool_, Found{{}, std::vector<std::int64_t>(arrays_.size())});
    for_each_piece([&](std::uint64_t begin, std::uint64_t end, int rank) {
      auto& [rows, sums] = found[rank];
      const std::size_t known = rows.size();
      arrays_[0].prefetch(begin, end + std::min(ahead_ / 2, kMostAhead));
      for_each_stretch(arrays_[0], begin, end, [&](std::uint64_t first, const float* values, std::size_t count) {
        for_each_selected(values, count, [&](std::size_t i) {
          rows.push_back(first + i);
          sums[0] += static_cast<std::int64_t>(values[i]);
        });
      });
      for (std::size_t c = 1; c < arrays_.size(); ++c) ask_for(arrays_[c], std::span(rows).subspan(known));
      if (rows.size() < most_waiting_) return;
      const std::size_t oldest = (rows.size() + 1) / 2;
      add_up(std::span(rows).first(oldest), sums);
      rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(oldest));
    });
    std::vector<std::int64_t> total(arrays_.size());
    for (auto& slot : found) {
      add_up(slot.value.rows, slot.value.sums);
      for (std::size_t c = 0; c < total.size(); ++c) total[c] += slot.value.sums[c];
    }
    return total;
  }

  std::span<float> output() override { return {problem_.output.data(), problem_.output.size()}; }
  void set_vector(int vector, const std::vector<float>& values) override { at(vector) = values; }
  std::vector<float> vector(int vector) override { return at(vector); }

 protected:
  template <class Use>
  void for_each_piece(const Use& use) {
    parallel_chunks(pool_, problem_.elements, std::max(kElementsAtATime, in_page_),
                    [&](std::size_t begin, std::size_t end, int rank) { use(begin, end, rank); });
  }

  std::vector<Array> arrays_;     ///< inputs, and the output of va behind them
  std::uint64_t ahead_ = 0;       ///< elements that va asks for before it needs them
  std::uint64_t in_page_ = 1;     ///< elements of a page
  std::size_t most_waiting_ = 1;  ///< rows of a query that a thread has asked for
  Problem& problem_;
  ThreadPool& pool_;

 private:
  std::vector<float>& at(int vector) { return vectors_[static_cast<std::size_t>(vector)]; }

  /// Asks for consecutive pages by one command.
  void ask_for(const Array& column, std::span<const std::uint64_t> rows) const {
    for (std::size_t i = 0, j = 0; i < rows.size(); i = j) {
      for (j = i + 1; j < rows.size() && rows[j] / in_page_ <= rows[j - 1] / in_page_ + 1;) ++j;
      column.prefetch(rows[i], rows[j - 1] + 1);
    }
  }
  /// Adds up rows, and asks again for rows that the queues had no room for.
  void add_up(std::span<const std::uint64_t> rows, std::vector<std::int64_t>& sums) const {
    for (std::size_t c = 1; c < arrays_.size(); ++c) {
      ask_for(arrays_[c], rows);
      for (const std::uint64_t row : rows) sums[c] += static_cast<std::int64_t>(*arrays_[c].pin(row, row + 1).data());
    }
  }

  /// Calls use(row, first column, values, how many, rank) for all of the matrix.
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
  std::array<std::vector<float>, MatrixKernel::kVectors> vectors_;
};

class InCore final : public CpuWay<PlainArray> {
 public:
  InCore(Problem& problem, ThreadPool& pool) : CpuWay(problem, pool) {
    for (std::size_t i = 0; i < problem.arrays(); ++i) {
      arrays_.emplace_back(std::span(problem.array(i).data(), problem.elements));
    }
  }
};

/// Paged arrays over the memory of the problem, or over files.
class Paged : public CpuWay<PagedArray<float>> {
 public:
  Paged(Problem& problem, const WayPlan& plan, ThreadPool& pool, bool in_files) : CpuWay(problem, pool) {
    if (in_files) files_ = make_files(problem, plan.directory);
    PagedArrayOptions options{plan.page_bytes, plan.cache_bytes / problem.arrays(), pool.size()};
    if (in_files) ahead_ = options.cache_bytes / sizeof(float) / 4;
    in_page_ = plan.page_bytes / sizeof(float);
    const std::uint64_t frames = options.cache_bytes / plan.page_bytes;
    most_waiting_ = std::min<std::size_t>(kMostWaiting, frames / (8 * static_cast<std::size_t>(pool.size())));
    for (std::size_t i = 0; i < problem.arrays(); ++i) {
      options.writable = i == problem.inputs.size();
      const std::span<float> memory(problem.array(i).data(), problem.elements);
      arrays_.push_back(in_files ? PagedArray<float>(files_[i].path(), options) : PagedArray<float>::over(memory, options));
    }
  }
  void make_cold() override {
    for (FileArray& file : files_) file.drop();
    for (auto& array : arrays_) array.drop();
  }
  void finish() override { arrays_.back().flush(); }
  std::span<float> output() override {
    return problem_.writes() && !files_.empty() ? files_.back().elements() : CpuWay::output();
  }
  std::optional<PagerCounters> moved() const override {
    PagerCounters sum;
    for (const auto& array : arrays_) sum += array.counters();
    return sum;
  }

 private:
  std::vector<FileArray> files_;
};

class PagedElements final : public Paged {
 public:
  using Paged::Paged;
  void add() override {
    const PagedArray<float>&a = arrays_[0], &b = arrays_[1];
    for_each_piece([&](std::uint64_t begin, std::uint64_t end, int) {
      a.prefetch(begin, end + (end - begin));
      b.prefetch(begin, end + (end - begin));
      for (std::uint64_t i = begin; i < end; ++i) arrays_[2][i] = a[i] + b[i];
    });
  }
};

class Mapped : public CpuWay<PlainArray> {
 public:
  Mapped(Problem& problem, const WayPlan& plan, ThreadPool& pool)
      : CpuWay(problem, pool), files_(make_files(problem, plan.directory)) {
    for (FileArray& file : files_) arrays_.emplace_back(file.elements());
  }
  void make_cold() override {
    for (FileArray& file : files_) file.drop();
  }
  void finish() override {
    if (problem_.writes()) files_.back().flush();
  }
  std::span<float> output() override { return problem_.writes() ? files_.back().elements() : std::span<float>(); }
  /// Returns what the kernel brought into the page cache; its writes are not seen there.
  std::optional<PagerCounters> moved() const override {
    if (problem_.writes()) return std::nullopt;
    PagerCounters all;
    for (const FileArray& file : files_) all.bytes_read += file.cached_bytes();
    return all;
  }

 protected:
  std::vector<FileArray> files_;
};

/// Reads whole files into memory, past the page cache and before the kernel, in pieces of which every thread has one under way.
class Bulk final : public CpuWay<PlainArray> {
 public:
  Bulk(Problem& problem, const WayPlan& plan, ThreadPool& pool)
      : CpuWay(problem, pool), files_(make_files(problem, plan.directory)), readers_(plan.copy_threads) {
    for (std::size_t i = 0; i < problem.arrays(); ++i) {
      memory_.push_back(Column<float>::allocate(problem.elements));
      arrays_.emplace_back(std::span(memory_[i].data(), problem.elements));
    }
  }
  void make_cold() override {
    for (FileArray& file : files_) file.drop();
  }
  void begin() override {
    for (std::size_t i = 0; i < problem_.inputs.size(); ++i) transfer(i, false);
  }
  void finish() override {
    if (!problem_.writes()) return;
    transfer(problem_.inputs.size(), true);
    files_.back().sync();
  }
  std::span<float> output() override { return problem_.writes() ? files_.back().elements() : std::span<float>(); }
  std::optional<PagerCounters> moved() const override {
    PagerCounters all;
    all.bytes_read = problem_.inputs.size() * problem_.array_bytes();
    all.bytes_written = problem_.output.bytes();
    return all;
  }

 private:
  void transfer(std::size_t array, bool writes) {
    constexpr std::size_t kPieceBytes = 1 << 20;
    const File file(files_[array].fd(), O_RDWR | O_DIRECT);
    auto* const memory = reinterpret_cast<std::byte*>(memory_[array].data());
    parallel_chunks(readers_, problem_.array_bytes(), kPieceBytes, [&](std::size_t begin, std::size_t end, int) {
      const auto offset = static_cast<off_t>(begin);
      const ssize_t done = writes ? ::pwrite(file.get(), memory + begin, end - begin, offset)
                                  : ::pread(file.get(), memory + begin, end - begin, offset);
      if (done != static_cast<ssize_t>(end - begin)) raise<RunError>("a plain transfer ended with {}", done);
    });
  }

  std::vector<FileArray> files_;
  ThreadPool readers_;
  std::vector<Column<float>> memory_;
};

/// Reads tiles past the page cache, with io_uring: a slot reads two, adds them and writes the sum.
class Tiled final : public Mapped {
 public:
  Tiled(Problem& problem, const WayPlan& plan, ThreadPool& pool, bool overlapped)
      : Mapped(problem, plan, pool), overlapped_(overlapped) {
    while (bytes_ * 2 <= plan.tile_bytes && problem.array_bytes() % (bytes_ * 2) == 0) bytes_ *= 2;
    const std::uint64_t room = plan.cache_bytes / (3 * bytes_) / static_cast<std::uint64_t>(pool.size());
    if (overlapped) slots_ = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(room, 1, 16));
  }
  void add() override {
    const File a = direct(0), b = direct(1), c = direct(2);
    const std::uint64_t tiles = problem_.array_bytes() / bytes_;
    std::atomic<std::uint64_t> next{0};
    pool_.run([&](int) {
      PlainRing ring(3 * slots_, bytes_);
      std::vector<std::uint64_t> tile(slots_);
      std::vector<int> reads(slots_);
      std::uint32_t busy = 0;
      const auto begin = [&](std::uint32_t slot) {
        tile[slot] = next.fetch_add(1, std::memory_order_relaxed);
        if (tile[slot] >= tiles) return;
        ++busy;
        reads[slot] = 2;
        ring.start(false, a.get(), 3 * slot, tile[slot] * bytes_);
        if (overlapped_) ring.start(false, b.get(), 3 * slot + 1, tile[slot] * bytes_);
      };
      for (std::uint32_t slot = 0; slot < slots_; ++slot) begin(slot);
      const auto elements = [&](std::uint32_t buffer) { return reinterpret_cast<float*>(ring.buffer(buffer)); };
      while (busy != 0) {
        ring.wait([&](std::uint32_t buffer) {
          const std::uint32_t slot = buffer / 3;
          const float *const x = elements(3 * slot), *const y = elements(3 * slot + 1);
          if (buffer % 3 == 2) {
            --busy;
            begin(slot);
          } else if (--reads[slot] == 0) {
            for (std::size_t i = 0; i < bytes_ / sizeof(float); ++i) elements(3 * slot + 2)[i] = x[i] + y[i];
            ring.start(true, c.get(), 3 * slot + 2, tile[slot] * bytes_);
          } else if (!overlapped_) {
            ring.start(false, b.get(), 3 * slot + 1, tile[slot] * bytes_);
          }
        });
      }
    });
  }
  void finish() override { files_.back().sync(); }
  std::optional<PagerCounters> moved() const override {
    PagerCounters all;
    all.bytes_read = 2 * problem_.array_bytes();
    all.bytes_written = problem_.array_bytes();
    return all;
  }

 private:
  File direct(std::size_t array) const { return {files_[array].fd(), O_RDWR | O_DIRECT}; }

  bool overlapped_;
  std::uint32_t bytes_ = kElementsAtATime * sizeof(float);
  std::uint32_t slots_ = 1;
};

}  // namespace

const std::vector<WayKind>& cpu_ways() {
  static const std::vector<WayKind> kinds{{.name = "incore", .holds_all = true},
                                          {.name = "memory", .has_pages = true, .has_cache = true},
                                          {.name = "mmap"},
                                          {.name = "bulk", .holds_all = true, .in_files = true},
                                          {.name = "files", .has_pages = true, .has_cache = true, .in_files = true},
                                          {.name = "elements", .has_pages = true, .has_cache = true, .in_files = true},
                                          {.name = "tiles", .has_tiles = true, .has_cache = true, .in_files = true},
                                          {.name = "tiles-overlapped", .has_tiles = true, .has_cache = true, .in_files = true}};
  return kinds;
}

std::unique_ptr<Way> open_cpu_way(const WayKind& kind, Problem& problem, const WayPlan& plan, ThreadPool& pool) {
  if (kind.name == "incore") return std::make_unique<InCore>(problem, pool);
  if (kind.name == "bulk") return std::make_unique<Bulk>(problem, plan, pool);
  if (kind.name == "mmap") return std::make_unique<Mapped>(problem, plan, pool);
  if (kind.name == "elements") return std::make_unique<PagedElements>(problem, plan, pool, true);
  if (kind.has_tiles) return std::make_unique<Tiled>(problem, plan, pool, kind.name != "tiles");
  return std::make_unique<Paged>(problem, plan, pool, kind.in_files);
}

}  // namespace graphrun::bench
