#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/core/output_file.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/graph/row_windows.hpp"
#include "io/binary_formats.hpp"
#include "io/row_file_pieces.hpp"
#include "io/row_file_write.hpp"

namespace graphrun::io {
namespace {

constexpr std::size_t kLongestEntry = 72;  // two ids of 20 digits, a weight of 22 characters, blanks
constexpr std::size_t kPieceSteps = std::size_t{1} << 14;
constexpr std::size_t kPiecesPerThread = 4;

/// What has to be known before the first line is written.
struct Survey {
  std::uint64_t lower_entries = 0;  ///< arcs on and below the diagonal
  std::uint64_t imbalance = 0;      ///< hash of the weighted arcs less that of the reversed ones
  Survey& operator+=(const Survey& other) {
    lower_entries += other.lower_entries;
    imbalance += other.imbalance;
    return *this;
  }
};

Survey survey_row(const Csr& csr, std::uint64_t row, bool weighted) {
  Survey seen;
  for (EdgeId e = csr.offsets[row]; e < csr.offsets[row + 1]; ++e) {
    const std::uint64_t column = csr.neighbours[e];
    const std::uint64_t weight = weighted ? csr.weights[e] : 0;
    seen.lower_entries += column <= row ? 1 : 0;
    seen.imbalance += splitmix64(row, column, weight) - splitmix64(column, row, weight);
  }
  return seen;
}

Survey survey_rows(const Csr& csr, bool weighted, const Workspace& space, ThreadPool& pool) {
  Survey all;
  for_each_row_window(csr, space, [&](VertexId first, VertexId last) {
    all += parallel_sum<Survey>(pool, last - first, [&](std::size_t i) { return survey_row(csr, first + i, weighted); });
  });
  return all;
}

/// Rows [first, last) as a sequence of steps, one for each edge and one behind each row, so that pieces of equally many steps
/// are equal work whether lists are long or empty.
class RowSteps {
 public:
  struct Place {
    std::uint64_t row;
    EdgeId edge;
  };

  RowSteps(const Csr& csr, std::uint64_t first, std::uint64_t last) : csr_(csr), first_(first), last_(last) {}

  std::uint64_t size() const { return steps_before(last_); }
  Place place(std::uint64_t step) const {
    std::uint64_t row = first_;
    for (std::uint64_t past = last_; past - row > 1;) {
      const std::uint64_t middle = row + (past - row) / 2;
      (steps_before(middle) <= step ? row : past) = middle;
    }
    return {row, std::min(csr_.offsets[row] + (step - steps_before(row)), csr_.offsets[row + 1])};
  }

 private:
  std::uint64_t steps_before(std::uint64_t row) const { return (row - first_) + (csr_.offsets[row] - csr_.offsets[first_]); }

  const Csr& csr_;
  std::uint64_t first_;
  std::uint64_t last_;
};

class EntryText {
 public:
  EntryText(const Csr& csr, WeightKind kind, bool lower_only) : csr_(csr), kind_(kind), lower_only_(lower_only) {}

  /// The lines of the edges from `begin` to `end`; `to` has room for kLongestEntry each. Returns their end. Stops at a weight
  /// that is no number of the format and reports its edge to `misfits`.
  char* write(RowSteps::Place begin, RowSteps::Place end, char* to, FirstIndex& misfits) const {
    for (std::uint64_t row = begin.row; row <= end.row; ++row) {
      char prefix[kLongestEntry];
      char* const prefix_end = put_id(prefix, row, ' ');
      const auto prefix_length = static_cast<std::size_t>(prefix_end - prefix);
      const EdgeId first = row == begin.row ? begin.edge : csr_.offsets[row];
      const EdgeId last = row == end.row ? end.edge : csr_.offsets[row + 1];
      for (EdgeId e = first; e < last; ++e) {
        if (lower_only_ && csr_.neighbours[e] > row) continue;
        std::memcpy(to, prefix, prefix_length);
        to = put_id(to + prefix_length, csr_.neighbours[e], kind_ == WeightKind::none ? '\n' : ' ');
        if (kind_ == WeightKind::none) continue;
        if (!put_weight(to, csr_.weights[e])) {
          misfits.report(e);
          return to;
        }
      }
    }
    return to;
  }

 private:
  static char* put_id(char* to, std::uint64_t vertex, char separator) {
    to = std::to_chars(to, to + kLongestEntry, vertex + 1).ptr;
    *to++ = separator;
    return to;
  }

  /// The fewest digits that read back as `value`, also by a program that reads a double and rounds it. For one float in all
  /// (every one was tried) the two roundings lead elsewhere than one; that takes the digits of a double.
  static char* put_float(char* to, float value) {
    constexpr float kRoundsTwice = 0x1.5c87fap-84f;  // 7.038531e-26
    if (std::abs(value) == kRoundsTwice) return std::to_chars(to, to + kLongestEntry, static_cast<double>(value)).ptr;
    return std::to_chars(to, to + kLongestEntry, value).ptr;
  }

  bool put_weight(char*& to, std::uint32_t word) const {
    if (kind_ == WeightKind::f32) {
      const auto value = std::bit_cast<float>(word);
      if (!std::isfinite(value)) return false;
      to = put_float(to, value);
    } else {
      to = std::to_chars(to, to + kLongestEntry, word).ptr;
    }
    *to++ = '\n';
    return true;
  }

  const Csr& csr_;
  WeightKind kind_;
  bool lower_only_;
};

/// Formats rows on all cores, some pieces at a time, and writes them in order.
class EntryWriter {
 public:
  EntryWriter(OutputFile& file, const std::string& path, const Csr& csr, const EntryText& text, ThreadPool& pool)
      : file_(file), path_(path), csr_(csr), text_(text), pool_(pool), pieces_(kPiecesPerThread * pool.size()) {
    for (Piece& piece : pieces_) piece.text = std::make_unique_for_overwrite<char[]>(kPieceSteps * kLongestEntry);
  }

  void write(VertexId first, VertexId last) {
    const RowSteps steps(csr_, first, last);
    const std::uint64_t size = steps.size();
    for (std::uint64_t begin = 0; begin < size; begin += pieces_.size() * kPieceSteps) {
      parallel_for(
          pool_, pieces_.size(),
          [&](std::size_t i) {
            const std::uint64_t from = std::min(begin + i * kPieceSteps, size);
            const std::uint64_t to = std::min(from + kPieceSteps, size);
            char* const text = pieces_[i].text.get();
            char* const end = from == to ? text : text_.write(steps.place(from), steps.place(to), text, misfits_);
            pieces_[i].length = static_cast<std::size_t>(end - text);
          },
          1);
      refuse_misfits();
      for (const Piece& piece : pieces_) file_.write(piece.text.get(), piece.length);
    }
  }

 private:
  struct Piece {
    std::unique_ptr<char[]> text;
    std::size_t length = 0;
  };

  void refuse_misfits() const {
    if (misfits_.get() == kNoIndex) return;
    throw UsageError(fmt::format("cannot write {}: the weight of edge {} is {}, but MatrixMarket holds finite numbers", path_,
                                 misfits_.get(), std::bit_cast<float>(csr_.weights[misfits_.get()])));
  }

  OutputFile& file_;
  const std::string& path_;
  const Csr& csr_;
  const EntryText& text_;
  ThreadPool& pool_;
  std::vector<Piece> pieces_;
  FirstIndex misfits_;
};

const char* field_name(WeightKind kind) {
  return kind == WeightKind::none ? "pattern" : kind == WeightKind::u32 ? "integer" : "real";
}

}  // namespace

void write_matrix_market(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
                         ThreadPool& pool) {
  check_graph_to_write(graph, path, options, space, pool);
  const WeightKind kind = options.weighted ? graph.weight_kind : WeightKind::none;
  // A hash of 64 bits tells multisets of arcs apart but for one chance in 2^64, in one pass and without memory.
  const Survey survey = graph.symmetric ? survey_rows(graph.out, options.weighted, space, pool) : Survey{};
  const bool symmetric = graph.symmetric && survey.imbalance == 0;
  const std::uint64_t entries = symmetric ? survey.lower_entries : graph.num_edges();

  OutputFile file(path);
  file.write(fmt::format("%%MatrixMarket matrix coordinate {} {}\n{} {} {}\n", field_name(kind),
                         symmetric ? "symmetric" : "general", graph.num_vertices(), graph.num_vertices(), entries));
  const EntryText text(graph.out, kind, symmetric);
  EntryWriter writer(file, path, graph.out, text, pool);
  for_each_row_window(graph.out, space, [&](VertexId first, VertexId last) { writer.write(first, last); });
  file.commit();
}

}  // namespace graphrun::io
