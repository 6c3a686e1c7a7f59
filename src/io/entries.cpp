#include "io/entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/progress.hpp"
#include "io/row_parser.hpp"
#include "io/text_pieces.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

/// body(p) for each entry line of [p, end), with `p` at its first token; body returns false to stop.
template <class Body>
void for_each_entry(const char* p, const char* end, CommentMarks is_comment, Body&& body) {
  while ((p = seek_content(p, end, is_comment)) < end) {
    if (!body(p)) return;
    p = next_line(p, end);
  }
}

/// Where the entries of a window lie.
struct EntryLines {
  std::vector<const char*> bounds;         ///< of pieces, see cut_at_lines
  std::vector<std::uint64_t> first_entry;  ///< of each piece; the last is the number of entries

  std::size_t pieces() const { return bounds.size() - 1; }
  std::uint64_t bytes(std::size_t piece) const { return static_cast<std::uint64_t>(bounds[piece + 1] - bounds[piece]); }
  std::uint64_t count() const { return first_entry.back(); }
};

// Counting the lines of a window is a quarter of reading it, parsing them the rest.
std::uint64_t counting_part(std::uint64_t bytes) { return bytes / 4; }

EntryLines find_entries(const TextCursor& cursor, CommentMarks is_comment, Progress& progress, ThreadPool& pool) {
  EntryLines lines{cut_at_lines(cursor.position(), cursor.window().end()), {}};
  lines.first_entry.assign(lines.bounds.size(), 0);
  parallel_for(
      pool, lines.pieces(),
      [&](std::size_t piece) {
        std::uint64_t count = 0;
        for_each_entry(lines.bounds[piece], lines.bounds[piece + 1], is_comment, [&](const char*) {
          ++count;
          return true;
        });
        lines.first_entry[piece] = count;
        progress.advance(counting_part(lines.bytes(piece)));
      },
      1);
  exclusive_scan(pool, lines.first_entry.data(), lines.first_entry.size());
  return lines;
}

void raise_to(std::atomic<std::uint64_t>& largest, std::uint64_t value) {
  std::uint64_t seen = largest.load(std::memory_order_relaxed);
  while (value > seen && !largest.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

/// One pass over the entries of a window, with lines and values taken in one way.
template <class Parser, Values kValues>
class EntryPass {
 public:
  /// At most `allowed` entries are no fault.
  EntryPass(const Text& text, const EntryLines& lines, const EntryFormat& format, std::uint64_t allowed, EdgeList& edges)
      : lines_(lines),
        format_(format),
        allowed_(allowed),
        edges_(edges),
        faults_(text),
        f32_(text),
        rounded_(text),
        renamed_(text) {}

  /// Fills arcs, weights and num_vertices = largest id + 1; false when the entries must be read in another way. Throws DataError.
  bool run(Progress& progress, ThreadPool& pool) {
    if constexpr (Parser::kNames) {
      run_naming(progress, pool);
    } else {
      parallel_for(
          pool, lines_.pieces(),
          [&](std::size_t piece) {
            parse_piece(piece, nullptr);
            advance(progress, piece);
          },
          1);
    }
    if (needs_f32() || needs_names()) return false;
    faults_.raise();
    edges_.num_vertices = Parser::kNames ? format_.names->size() : static_cast<VertexId>(num_vertices_.load());
    return true;
  }

  /// A value asks for f32 instead of u32.
  bool needs_f32() const { return !f32_.empty(); }
  /// Why, where that is worth a sentence; otherwise empty.
  std::string why_f32() const { return f32_.message().empty() ? "" : f32_.sentence(); }
  /// Says which whole number no f32 has, when there is one; otherwise empty.
  std::string what_was_rounded() const { return rounded_.empty() ? "" : rounded_.sentence(); }
  /// An id is none that a vertex can have.
  bool needs_names() const { return !renamed_.empty(); }

 private:
  /// Each piece numbers its own names; then they get the numbers of all, piece after piece, so that these do not depend on
  /// threads.
  void run_naming(Progress& progress, ThreadPool& pool) {
    const std::size_t wave = std::size_t{2} * static_cast<std::size_t>(pool.size());
    for (std::size_t first = 0; first < lines_.pieces(); first += wave) {
      const std::size_t count = std::min(wave, lines_.pieces() - first);
      std::vector<NameTable> own(count);
      parallel_for(
          pool, count,
          [&](std::size_t i) {
            parse_piece(first + i, &own[i]);
            advance(progress, first + i);
          },
          1);
      if (stopped()) return;  // some pieces were left before their end, by threads that happened to see why
      std::vector<std::vector<VertexId>> numbers(count);
      for (std::size_t i = 0; i < count; ++i) {
        for (VertexId name = 0; name < own[i].size(); ++name) numbers[i].push_back(format_.names->number_of(own[i].name(name)));
      }
      check_room();
      parallel_for(
          pool, count, [&](std::size_t i) { renumber_piece(first + i, numbers[i]); }, 1);
    }
  }

  void advance(Progress& progress, std::size_t piece) const {
    progress.advance(lines_.bytes(piece) - counting_part(lines_.bytes(piece)));
  }

  void renumber_piece(std::size_t piece, const std::vector<VertexId>& numbers) {
    for (std::uint64_t i = lines_.first_entry[piece]; i < lines_.first_entry[piece + 1]; ++i) {
      edges_.sources[i] = numbers[edges_.sources[i]];
      edges_.targets[i] = numbers[edges_.targets[i]];
    }
  }

  void check_room() const {
    if (format_.names->bytes() <= format_.most_name_bytes) return;
    throw UnavailableError(fmt::format("{}: the names of its first {} vertices do not fit in memory, of which {} are for names",
                                       faults_.path(), format_.names->size(), format_bytes(format_.most_name_bytes)));
  }

  bool stopped() const { return !faults_.empty() || needs_f32() || needs_names(); }

  void parse_piece(std::size_t piece, NameTable* names) {
    const char* begin = lines_.bounds[piece];
    const char* end = lines_.bounds[piece + 1];
    if (faults_.precedes(begin) || f32_.precedes(begin) || renamed_.precedes(begin)) return;
    Parser entry = make_parser(end);
    std::uint64_t index = lines_.first_entry[piece];
    std::uint64_t vertices = 0;
    for_each_entry(begin, end, format_.comments, [&](const char*& p) {
      if (!parse_line(entry, p, index)) return false;
      edges_.sources[index] = static_cast<VertexId>(entry.source);
      edges_.targets[index] = static_cast<VertexId>(entry.target);
      if constexpr (kValues != Values::none) edges_.weights[index] = entry.word;
      vertices = std::max({vertices, entry.source + 1, entry.target + 1});
      ++index;
      return true;
    });
    raise_to(num_vertices_, vertices);
    if constexpr (Parser::kNames) *names = std::move(entry.names());
  }

  Parser make_parser(const char* end) const {
    if constexpr (std::is_same_v<Parser, EntryParser>) {
      return Parser(format_.rule, end);
    } else {
      return Parser(format_.rule, *format_.columns, end);
    }
  }

  bool parse_line(Parser& entry, const char*& p, std::uint64_t index) {
    if (index >= allowed_) {
      faults_.report(p, fmt::format("more {} than the {} announced", format_.entry_name, *format_.announced));
      return false;
    }
    const char* line = p;
    if (!entry.template parse<kValues>(p)) {
      if (entry.id_out_of_range && format_.names != nullptr) {
        renamed_.report(line, "");
      } else {
        faults_.report(p, std::move(entry.message));
      }
      return false;
    }
    if (kValues == Values::u32 && entry.needs_f32) {
      f32_.report(line,
                  entry.beyond_u32 ? "this weight does not fit 32 bits: all weights are f32, which is exact up to 2^24" : "");
      return false;
    }
    if (kValues == Values::f32 && entry.rounded && !rounded_.precedes(line)) {
      rounded_.report(
          line,
          std::bit_cast<float>(entry.word) == 0
              ? "this weight is too small for a 32-bit float, and becomes 0"
              : "this weight is rounded: weights are 32-bit floats, which are whole from 2^24 on, and no longer all numbers");
    }
    return true;
  }

  const EntryLines& lines_;
  const EntryFormat& format_;
  std::uint64_t allowed_;
  EdgeList& edges_;
  FaultLog faults_;
  FaultLog f32_;      // where values ask for it
  FaultLog rounded_;  // where a whole number became another
  FaultLog renamed_;  // where ids are none
  std::atomic<std::uint64_t> num_vertices_{0};
};

class LineStream : public EntryStream {
 public:
  LineStream(std::unique_ptr<TextCursor> cursor, EntryFormat format, ThreadPool& pool)
      : cursor_(std::move(cursor)), format_(std::move(format)), pool_(pool) {}

  bool count_known() const override { return format_.num_vertices.has_value(); }
  bool must_reread() const override { return must_reread_; }

  bool next(EdgeList& batch) override {
    if (cursor_->at_end()) return false;
    Progress progress("reading", static_cast<std::uint64_t>(cursor_->window().end() - cursor_->position()), "bytes");
    const EntryLines lines = find_entries(*cursor_, format_.comments, progress, pool_);
    EdgeList edges = parse(lines, progress);
    if (must_reread_) return false;
    entries_ += lines.count();
    cursor_->next_window();
    if (cursor_->at_end()) check_entry_count();
    largest_count_ = std::max(largest_count_, edges.num_vertices);
    edges.num_vertices = format_.num_vertices.value_or(largest_count_);
    edges.arcs = format_.arcs;
    batch = std::move(edges);
    return true;
  }

 private:
  EdgeList parse(const EntryLines& lines, Progress& progress) {
    EdgeList edges;
    edges.sources = Column<VertexId>::allocate(lines.count());
    edges.targets = Column<VertexId>::allocate(lines.count());
    if (!format_.rule.valued) {
      run_pass<Values::none>(lines, progress, edges);
      return edges;
    }
    edges.weights = Column<std::uint32_t>::allocate(lines.count());
    if (format_.prefer_u32) run_pass<Values::u32>(lines, progress, edges);
    if (!format_.prefer_u32 && !must_reread_) run_pass<Values::f32>(lines, progress, edges);
    edges.weight_kind = format_.prefer_u32 ? WeightKind::u32 : WeightKind::f32;
    return edges;
  }

  template <Values kValues>
  void run_pass(const EntryLines& lines, Progress& progress, EdgeList& edges) {
    if (!format_.columns) return run_pass_with<EntryParser, kValues>(lines, progress, edges);
    switch (format_.names == nullptr ? NameKind::none : format_.names->kind) {
      case NameKind::none:
        return run_pass_with<RowParser<NameKind::none>, kValues>(lines, progress, edges);
      case NameKind::numbers:
        return run_pass_with<RowParser<NameKind::numbers>, kValues>(lines, progress, edges);
      case NameKind::strings:
        return run_pass_with<RowParser<NameKind::strings>, kValues>(lines, progress, edges);
    }
  }

  template <class Parser, Values kValues>
  void run_pass_with(const EntryLines& lines, Progress& progress, EdgeList& edges) {
    const std::uint64_t allowed = format_.announced ? *format_.announced - entries_ : std::numeric_limits<std::uint64_t>::max();
    EntryPass<Parser, kValues> pass(cursor_->window(), lines, format_, allowed, edges);
    if (pass.run(progress, pool_)) {
      if (const std::string what = pass.what_was_rounded(); !what.empty() && !std::exchange(told_rounding_, true))
        log::warn(what);
      return;
    }
    if (pass.needs_names()) {
      format_.names->kind = NameKind::numbers;
      must_reread_ = true;
      return;
    }
    format_.prefer_u32 = false;
    if (const std::string why = pass.why_f32(); !why.empty()) log::warn(why);
  }

  void check_entry_count() const {
    if (!format_.announced || entries_ == *format_.announced) return;
    throw DataError(fmt::format("{}: {} announces {} {}, but the file ends after {}", cursor_->path(), format_.announcer,
                                *format_.announced, format_.entry_name, entries_));
  }

  std::unique_ptr<TextCursor> cursor_;
  EntryFormat format_;
  ThreadPool& pool_;
  std::uint64_t entries_ = 0;
  VertexId largest_count_ = 0;
  bool must_reread_ = false;
  bool told_rounding_ = false;
};

}  // namespace

std::unique_ptr<EntryStream> stream_entries(std::unique_ptr<TextCursor> cursor, EntryFormat format, ThreadPool& pool) {
  return std::make_unique<LineStream>(std::move(cursor), std::move(format), pool);
}

EdgeList take_only_batch(std::unique_ptr<EntryStream> stream) {
  EdgeList edges;
  stream->next(edges);
  return edges;
}

std::uint64_t most_vertices(std::uint64_t entries) {
  constexpr std::uint64_t kFree = std::uint64_t{1} << 20;
  constexpr std::uint64_t kVerticesPerEntry = 512;
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  return entries < (kMost - kFree) / kVerticesPerEntry ? kFree + kVerticesPerEntry * entries : kMost;
}

void check_density(const std::string& path, std::uint64_t n, std::uint64_t m) {
  if (n > most_vertices(m)) {
    throw DataError(fmt::format("{}: ids too sparse: {} vertices for {} entries; renumber the vertices", path, n, m));
  }
}

}  // namespace graphrun::io::inline GR_IDS
