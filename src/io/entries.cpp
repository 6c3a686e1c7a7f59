#include "io/entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/progress.hpp"
#include "io/text_pieces.hpp"

namespace graphrun::io {
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

/// One pass over the entries of a window, with values taken in one way.
template <Values kValues>
class EntryPass {
 public:
  /// At most `allowed` entries are no fault.
  EntryPass(const Text& text, const EntryLines& lines, const EntryFormat& format, std::uint64_t allowed, EdgeList& edges)
      : lines_(lines), format_(format), allowed_(allowed), edges_(edges), faults_(text) {}

  /// Fills arcs, weights and num_vertices = largest id + 1; false when a value asks for f32 instead of u32. Throws DataError.
  bool run(Progress& progress, ThreadPool& pool) {
    parallel_for(
        pool, lines_.pieces(),
        [&](std::size_t piece) {
          parse_piece(piece);
          progress.advance(lines_.bytes(piece) - counting_part(lines_.bytes(piece)));
        },
        1);
    if (needs_f32_.load()) return false;
    faults_.raise();
    edges_.num_vertices = static_cast<VertexId>(num_vertices_.load());
    return true;
  }

 private:
  void parse_piece(std::size_t piece) {
    const char* begin = lines_.bounds[piece];
    const char* end = lines_.bounds[piece + 1];
    if (faults_.precedes(begin) || needs_f32_.load(std::memory_order_relaxed)) return;
    EntryParser entry(format_.rule, end);
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
  }

  bool parse_line(EntryParser& entry, const char*& p, std::uint64_t index) {
    if (index >= allowed_) {
      faults_.report(p, fmt::format("more {} than the {} announced", format_.entry_name, *format_.announced));
      return false;
    }
    if (!entry.parse<kValues>(p)) {
      faults_.report(p, std::move(entry.message));
      return false;
    }
    if (kValues == Values::u32 && entry.needs_f32) {
      needs_f32_.store(true, std::memory_order_relaxed);
      return false;
    }
    return true;
  }

  const EntryLines& lines_;
  const EntryFormat& format_;
  std::uint64_t allowed_;
  EdgeList& edges_;
  FaultLog faults_;
  std::atomic<bool> needs_f32_{false};
  std::atomic<std::uint64_t> num_vertices_{0};
};

class LineStream : public EntryStream {
 public:
  LineStream(std::unique_ptr<TextCursor> cursor, EntryFormat format, ThreadPool& pool)
      : cursor_(std::move(cursor)), format_(std::move(format)), pool_(pool) {}

  bool count_known() const override { return format_.num_vertices.has_value(); }

  bool next(EdgeList& batch) override {
    if (cursor_->at_end()) return false;
    Progress progress("reading", static_cast<std::uint64_t>(cursor_->window().end() - cursor_->position()), "bytes");
    const EntryLines lines = find_entries(*cursor_, format_.comments, progress, pool_);
    EdgeList edges = parse(lines, progress);
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
    format_.prefer_u32 = format_.prefer_u32 && run_pass<Values::u32>(lines, progress, edges);
    if (!format_.prefer_u32) run_pass<Values::f32>(lines, progress, edges);
    edges.weight_kind = format_.prefer_u32 ? WeightKind::u32 : WeightKind::f32;
    return edges;
  }

  template <Values kValues>
  bool run_pass(const EntryLines& lines, Progress& progress, EdgeList& edges) {
    const std::uint64_t allowed = format_.announced ? *format_.announced - entries_ : std::numeric_limits<std::uint64_t>::max();
    return EntryPass<kValues>(cursor_->window(), lines, format_, allowed, edges).run(progress, pool_);
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

void check_density(const std::string& path, std::uint64_t n, std::uint64_t m) {
  constexpr std::uint64_t kFree = std::uint64_t{1} << 20;
  constexpr std::uint64_t kVerticesPerEntry = 512;
  if (n > kFree && (n - kFree - 1) / kVerticesPerEntry >= m) {
    throw DataError(fmt::format("{}: ids too sparse: {} vertices for {} entries; renumber the vertices", path, n, m));
  }
}

}  // namespace graphrun::io
