#include "io/entry_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/csv.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/graph/row_windows.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

constexpr std::size_t kLongestNumber = 24;  // 20 digits of an id, 22 characters of a weight
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
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

std::size_t longest_name(const VertexNames& names) {
  if (!names.are_strings()) return kLongestNumber;
  const std::size_t n = names.string_offsets().size() - 1;
  std::size_t longest = kLongestNumber;
  for (std::size_t v = 0; v < n; ++v) longest = std::max(longest, names.string(static_cast<VertexId>(v)).size());
  return longest;
}

class EntryText {
 public:
  EntryText(const Csr& csr, const EntryStyle& style)
      : csr_(csr),
        style_(style),
        longest_name_(longest_name(style.names)),
        longest_entry_(2 * (csv_bytes(longest_name_) + 1) + kLongestNumber + 3) {}

  std::size_t longest_entry() const { return longest_entry_; }

  /// The lines of the edges from `begin` to `end`, in `piece`, which has room for longest_entry() each. Returns their end.
  /// Stops at a weight that is no number of the format and reports its edge to `misfits`. Throws DataError when more is to be
  /// written than there was when the room was measured: the mapped input was written to.
  char* write(RowSteps::Place begin, RowSteps::Place end, std::span<char> piece, FirstIndex& misfits) const {
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
          misfits.report(e);
          return to;
        }
      }
    }
    return to;
  }

 private:
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
    throw DataError(fmt::format("{} was written to while it was read: start again when it is complete",
                                named ? style_.names.string_bytes().region()->path() : "the input"));
  }

  bool put_weight(char*& to, std::uint32_t word) const {
    if (style_.weights == WeightKind::f32) {
      const auto value = std::bit_cast<float>(word);
      if (!std::isfinite(value)) return false;
      to = put_float(to, to + kLongestNumber, value);
    } else {
      to = std::to_chars(to, to + kLongestNumber, word).ptr;
    }
    *to++ = '\n';
    return true;
  }

  const Csr& csr_;
  const EntryStyle& style_;
  std::size_t longest_name_;
  std::size_t longest_entry_;
};

/// Formats rows on all cores, some pieces at a time, and writes them in order.
class EntryWriter {
 public:
  EntryWriter(OutputFile& file, const std::string& path, const Csr& csr, const EntryText& text, ThreadPool& pool)
      : file_(file),
        path_(path),
        csr_(csr),
        text_(text),
        pool_(pool),
        piece_steps_(std::max<std::size_t>(1, kPieceBytes / text.longest_entry())),
        pieces_(kPiecesPerThread * pool.size()) {
    for (Piece& piece : pieces_) piece.text = std::make_unique_for_overwrite<char[]>(piece_steps_ * text.longest_entry());
  }

  void write(VertexId first, VertexId last) {
    const RowSteps steps(csr_, first, last);
    const std::uint64_t size = steps.size();
    for (std::uint64_t begin = 0; begin < size; begin += pieces_.size() * piece_steps_) {
      parallel_for(
          pool_, pieces_.size(),
          [&](std::size_t i) {
            const std::uint64_t from = std::min(begin + i * piece_steps_, size);
            const std::uint64_t to = std::min(from + piece_steps_, size);
            char* const text = pieces_[i].text.get();
            const std::span room(text, piece_steps_ * text_.longest_entry());
            char* const end = from == to ? text : text_.write(steps.place(from), steps.place(to), room, misfits_);
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
    throw UsageError(fmt::format("cannot write {}: the weight of edge {} is {}, but the format holds finite numbers", path_,
                                 misfits_.get(), std::bit_cast<float>(csr_.weights[misfits_.get()])));
  }

  OutputFile& file_;
  const std::string& path_;
  const Csr& csr_;
  const EntryText& text_;
  ThreadPool& pool_;
  std::size_t piece_steps_;
  std::vector<Piece> pieces_;
  FirstIndex misfits_;
};

}  // namespace

void write_entries(OutputFile& file, const std::string& path, const Csr& csr, const EntryStyle& style, const Workspace& space,
                   ThreadPool& pool) {
  const EntryText text(csr, style);
  EntryWriter writer(file, path, csr, text, pool);
  for_each_row_window(csr, space, [&](VertexId first, VertexId last) { writer.write(first, last); });
}

}  // namespace graphrun::io::inline GR_IDS
