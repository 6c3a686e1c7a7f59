// SPDX-License-Identifier: Apache-2.0
// Writing the edges of a graph as text, one a line: edge lists, CSV and MatrixMarket.
#include "io/entry_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <ranges>
#include <span>
#include <string_view>
#include <vector>

#include "core/csv.hpp"
#include "core/raise.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/graph/row_windows.hpp"
#include "graphrun/graph/statistics.hpp"
#include "io/row_file.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

constexpr std::size_t kLongestNumber = 24;  // 20 digits of an id, 22 characters of a weight
constexpr std::size_t kTextPieceBytes = std::size_t{1} << 20;
constexpr std::size_t kPiecesPerThread = 4;

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
    const auto begins = [&](std::uint64_t each) { return steps_before(each) <= step; };
    const std::uint64_t row = *std::ranges::partition_point(std::views::iota(first_ + 1, last_), begins) - 1;
    return {row, std::min(csr_.offsets[row] + (step - steps_before(row)), csr_.offsets[row + 1])};
  }

 private:
  std::uint64_t steps_before(std::uint64_t row) const { return (row - first_) + (csr_.offsets[row] - csr_.offsets[first_]); }

  const Csr& csr_;
  std::uint64_t first_;
  std::uint64_t last_;
};

std::size_t longest_name(const VertexNames& names) {
  if (!names.are_strings()) return kLongestNumber;
  const std::size_t n = names.string_offsets().size() - 1;
  std::size_t longest = kLongestNumber;
  for (std::size_t v = 0; v < n; ++v) longest = std::max(longest, names.string(static_cast<VertexId>(v)).size());
  return longest;
}

/// Formats rows on all cores, some pieces at a time, and writes them in order.
class EntryWriter {
 public:
  EntryWriter(OutputFile& file, const std::string& path, const Csr& csr, const EntryStyle& style, ThreadPool& pool)
      : file_(file),
        path_(path),
        csr_(csr),
        style_(style),
        pool_(pool),
        longest_name_(longest_name(style.names)),
        longest_entry_(2 * (csv_bytes(longest_name_) + 1) + kLongestNumber + 3),
        piece_steps_(std::max<std::size_t>(1, kTextPieceBytes / longest_entry_)),
        pieces_(kPiecesPerThread * pool.size()) {
    for (Piece& piece : pieces_) piece.text = std::make_unique_for_overwrite<char[]>(piece_steps_ * longest_entry_);
  }

  void write(VertexId first, VertexId last) {
    const RowSteps steps(csr_, first, last);
    const std::uint64_t size = steps.size();
    for (std::uint64_t begin = 0; begin < size; begin += pieces_.size() * piece_steps_) {
      parallel_tasks(pool_, pieces_.size(), [&](std::size_t i) {
        const std::uint64_t from = std::min(begin + i * piece_steps_, size);
        const std::uint64_t to = std::min(from + piece_steps_, size);
        char* const text = pieces_[i].text.get();
        const std::span room(text, piece_steps_ * longest_entry_);
        char* const end = from == to ? text : put_edges(steps.place(from), steps.place(to), room);
        pieces_[i].length = static_cast<std::size_t>(end - text);
      });
      if (const std::uint64_t misfit = misfits_.get(); misfit != kNoIndex) {
        raise<UsageError>("cannot write {}: the weight of edge {} is {}, but the format holds finite numbers", path_, misfit,
                          std::bit_cast<float>(csr_.weights[misfit]));
      }
      for (const Piece& piece : pieces_) file_.write(piece.text.get(), piece.length);
    }
  }

 private:
  struct Piece {
    std::unique_ptr<char[]> text;
    std::size_t length = 0;
  };

  /// Formats the edges from `begin` to `end` into `piece`, with room for longest_entry_ each. Returns the end of the text. Stops
  /// at a weight that is no number of the format and reports its edge. Throws DataError when the room is too small: the mapped
  /// input was written to.
  char* put_edges(RowSteps::Place begin, RowSteps::Place end, std::span<char> piece) {
    char* to = piece.data();
    const char* const past_piece = to + piece.size();
    for (std::uint64_t row = begin.row; row <= end.row; ++row) {
      const EdgeId first = row == begin.row ? begin.edge : csr_.offsets[row];
      const EdgeId last = row == end.row ? end.edge : csr_.offsets[row + 1];
      const char* source = nullptr;  // its name, where it was written first
      std::size_t source_bytes = 0;
      for (EdgeId e = first; e < last; ++e) {
        if (style_.lower_only && csr_.neighbours[e] > row) continue;
        if (static_cast<std::size_t>(past_piece - to) < longest_entry_) input_changed();
        if (source == nullptr) {
          char* const past = put_name(to, static_cast<VertexId>(row), style_.separator);
          source = to;
          source_bytes = static_cast<std::size_t>(past - to);
          to = past;
        } else {
          std::memcpy(to, source, source_bytes);
          to += source_bytes;
        }
        to = put_name(to, csr_.neighbours[e], style_.weights == WeightKind::none ? '\n' : style_.separator);
        if (style_.weights == WeightKind::none) continue;
        if (!put_weight(to, csr_.weights[e])) {
          misfits_.report(e);
          return to;
        }
      }
    }
    return to;
  }

  char* put_name(char* to, VertexId v, char separator) const {
    if (!style_.names.are_strings()) {
      to = std::to_chars(to, to + kLongestNumber, style_.names.number(v)).ptr;
    } else {
      const std::string_view name = style_.names.string(v);
      if (name.size() > longest_name_) input_changed();
      to = style_.separator == ',' ? put_csv_field(to, name) : std::copy(name.begin(), name.end(), to);
    }
    *to++ = separator;
    return to;
  }

  [[noreturn]] void input_changed() const {
    const bool named = style_.names.are_strings() && style_.names.string_bytes().in_mapped_file();
    raise<DataError>("{} was written to while it was read: start again when it is complete",
                     named ? style_.names.string_bytes().region()->path() : "the input");
  }

  bool put_weight(char*& to, std::uint32_t word) const {
    if (style_.weights == WeightKind::f32) {
      const auto value = std::bit_cast<float>(word);
      if (!std::isfinite(value)) return false;
      to = put_float(to, to + kLongestNumber, value);
    } else {
      const std::uint64_t whole = style_.weights == WeightKind::u64 ? style_.weight_table[word] : word;
      to = std::to_chars(to, to + kLongestNumber, whole).ptr;
    }
    *to++ = '\n';
    return true;
  }

  OutputFile& file_;
  const std::string& path_;
  const Csr& csr_;
  const EntryStyle& style_;
  ThreadPool& pool_;
  std::size_t longest_name_;
  std::size_t longest_entry_;
  std::size_t piece_steps_;
  std::vector<Piece> pieces_;
  FirstIndex misfits_;
};

/// Throws UsageError when the words of a line would not be the names.
void check_words(const VertexNames& names, VertexId n, const std::string& path) {
  if (!names.are_strings()) return;
  for (VertexId v = 0; v < n; ++v) {
    const std::string_view name = names.string(v);
    if (!name.empty() && name.find_first_of(" \t,;") == std::string_view::npos && name.find_first_of("#%\"") != 0) continue;
    raise<UsageError>(
        "cannot write {}: a word of an edge list cannot be '{}', which holds a blank, a comma or a semicolon, or begins "
        "as a comment or a quote does: write CSV (--to csv)",
        path, name);
  }
}

void warn_of_isolated(const Graph& graph, const std::string& path, const Workspace& space, ThreadPool& pool) {
  const VertexId isolated = count_isolated(graph, pool, space);
  if (isolated == 0) return;
  const std::string sentences = fmt::format(
      "{} {} no edges, so {} missing from {}. Reading it gives {}", isolated, isolated == 1 ? "vertex has" : "vertices have",
      isolated == 1 ? "it is" : "they are", path == kStandardOutputPath ? "the output" : path,
      graph.names.are_indices()
          ? fmt::format("{} back with --num-vertices {}", isolated == 1 ? "it" : "them", graph.num_vertices())
          : "back those with numbers below the largest in it, and none with --vertices compact");
  // The number 0 of a list that counts from 1 is no loss.
  const bool known = graph.symmetric || (graph.in && graph.in->degree(0) == 0);  // without a transpose it may be another
  const bool is_only_0 = isolated == 1 && graph.names.are_indices() && graph.out.degree(0) == 0 && known;
  (is_only_0 ? log::info : log::warn)(sentences);
}

void write_edges(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
                 ThreadPool& pool, char separator) {
  const bool csv = separator == ',';
  check_graph_to_write(graph, path, options, space, pool);
  if (!csv) check_words(graph.names, graph.num_vertices(), path);
  warn_of_isolated(graph, path, space, pool);
  const WeightKind weights = options.weighted ? graph.weight_kind : WeightKind::none;
  OutputFile file(path);
  if (!csv && graph.num_edges() == 0) file.write("# no edges\n");  // an empty file may be what a failed program left
  if (csv) file.write(weights == WeightKind::none ? "source,target\n" : "source,target,weight\n");
  write_entries(file, path, graph.out,
                {.weights = weights, .weight_table = graph.weight_table.span(), .names = graph.names, .separator = separator},
                space, pool);
  file.commit();
}

/// Returns whether a weight is beyond signed 64 bits, which readers of "integer" take.
bool beyond_i64(const Graph& graph) {
  const auto table = graph.weight_table.span();
  return !table.empty() && table.back() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
}

/// Facts of a graph that the first line needs.
struct Survey {
  std::uint64_t lower_entries = 0;  ///< arcs on and below the diagonal
  std::uint64_t imbalance = 0;      ///< hash of the weighted arcs minus the reversed ones'
  Survey& operator+=(const Survey& other) {
    lower_entries += other.lower_entries;
    imbalance += other.imbalance;
    return *this;
  }
};

Survey survey(const Csr& csr, bool weighted, const Workspace& space, ThreadPool& pool) {
  Survey all;
  for_each_row_window(csr, space, [&](VertexId first, VertexId last) {
    all += parallel_sum<Survey>(pool, last - first, [&](std::size_t i) {
      Survey seen;
      const std::uint64_t row = first + i;
      for (EdgeId e = csr.offsets[row]; e < csr.offsets[row + 1]; ++e) {
        const std::uint64_t column = csr.neighbours[e];
        const std::uint64_t weight = weighted ? csr.weights[e] : 0;
        seen.lower_entries += column <= row ? 1 : 0;
        seen.imbalance += splitmix64(row, column, weight) - splitmix64(column, row, weight);
      }
      return seen;
    });
  });
  return all;
}

}  // namespace

void write_entries(OutputFile& file, const std::string& path, const Csr& csr, const EntryStyle& style, const Workspace& space,
                   ThreadPool& pool) {
  EntryWriter writer(file, path, csr, style, pool);
  for_each_row_window(csr, space, [&](VertexId first, VertexId last) { writer.write(first, last); });
}

void write_edge_list(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
                     ThreadPool& pool) {
  write_edges(graph, path, options, space, pool, ' ');
}

void write_csv(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
               ThreadPool& pool) {
  write_edges(graph, path, options, space, pool, ',');
}

void write_matrix_market(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
                         ThreadPool& pool) {
  check_graph_to_write(graph, path, options, space, pool);
  const WeightKind kind = options.weighted ? graph.weight_kind : WeightKind::none;
  // A hash of 64 bits tells multisets of arcs apart but for one chance in 2^64, in one pass and without memory.
  const Survey seen = graph.symmetric ? survey(graph.out, options.weighted, space, pool) : Survey{};
  const bool symmetric = graph.symmetric && seen.imbalance == 0;
  const std::uint64_t entries = symmetric ? seen.lower_entries : graph.num_edges();

  OutputFile file(path);
  file.write(fmt::format("%%MatrixMarket matrix coordinate {} {}\n{} {} {}\n",
                         kind == WeightKind::none                       ? "pattern"
                         : kind == WeightKind::f32                      ? "real"
                         : kind == WeightKind::u64 && beyond_i64(graph) ? "unsigned-integer"
                                                                        : "integer",
                         symmetric ? "symmetric" : "general", graph.num_vertices(), graph.num_vertices(), entries));
  write_entries(
      file, path, graph.out,
      {.weights = kind, .weight_table = graph.weight_table.span(), .names = VertexNames::consecutive(1), .lower_only = symmetric},
      space, pool);
  file.commit();
}

}  // namespace graphrun::io::inline GR_IDS
