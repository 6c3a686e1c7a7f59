// SPDX-License-Identifier: Apache-2.0

#include "io/entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/raise.hpp"
#include "graph/rows_builder.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/progress.hpp"
#include "io/counts_check.hpp"
#include "io/text_cursor.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

using EntryLines = CountedPieces<std::uint64_t>;

/// Returns the part of reading that counting lines takes: a quarter. Parsing takes the rest.
std::uint64_t counting_part(std::uint64_t bytes) { return bytes / 4; }

/// Counts the entries of a window; calls look_at_comment(p, end) for each comment between them.
template <class LookAtComment>
EntryLines find_entries(const TextCursor& cursor, CommentMarks is_comment, Progress& progress, ThreadPool& pool,
                        const LookAtComment& look_at_comment) {
  return {cursor, pool, [&](const char* begin, const char* end) {
            std::uint64_t count = 0;
            for (const char* p = begin; p < end; p = next_line(p, end)) {
              p = skip_blanks(p, end);
              if (at_line_end(p, end)) continue;
              if (is_comment(*p)) [[unlikely]] {
                look_at_comment(p, end);
              } else {
                ++count;
              }
            }
            progress.advance(counting_part(static_cast<std::uint64_t>(end - begin)));
            return count;
          }};
}

/// Findings in a window beside numbers.
struct Findings {
  explicit Findings(const Text& text) : faults(text), misfits(text), rounded(text), renamed(text), zeros(text) {}

  bool precede(const char* place) const { return faults.precedes(place) || misfits.precedes(place) || renamed.precedes(place); }
  /// Returns whether some entries were left unread.
  bool stop() const { return !faults.empty() || !misfits.empty() || !renamed.empty(); }

  FaultLog faults;
  FaultLog misfits;  ///< values of another kind; its name
  FaultLog rounded;  ///< a whole number that became another
  FaultLog renamed;  ///< an id that no vertex can have
  FaultLog zeros;    ///< an id that is read as a number and begins with 0
};

/// Adds the opposite of every arc with the negated value, which Arcs::mirror cannot express. The opposite follows its arc;
/// a self loop has none.
EdgeList add_negated_mirrors(const EdgeList& edges, ThreadPool& pool) {
  const auto arcs_of = [&](std::size_t begin, std::size_t end, const auto& sink) {
    for (std::size_t i = begin; i < end; ++i) {
      const VertexId u = edges.sources[i];
      const VertexId v = edges.targets[i];
      sink(0, WeightedArc(v, u, edges.weights[i]));
      if (u != v) sink(0, WeightedArc(u, v, edges.weights[i] ^ 0x8000'0000u));  // the sign of an f32
    }
  };
  Partition arcs(pool, edges.sources.size(), 1, arcs_of);
  EdgeList both;
  both.num_vertices = edges.num_vertices;
  both.weight_kind = edges.weight_kind;
  both.arcs = Arcs::mirrored;
  both.allocate(arcs.total());
  arcs.place(arcs_of, [&](EdgeId place, const WeightedArc& arc) {
    both.sources[place] = arc.row;
    both.targets[place] = arc.target;
    both.weights[place] = arc.weight;
  });
  return both;
}

class LineStream : public EntryStream {
 public:
  LineStream(std::unique_ptr<TextCursor> cursor, EntryFormat format, ThreadPool& pool)
      : cursor_(std::move(cursor)), format_(std::move(format)), pool_(pool), counts_(format_.counts) {
    // Floats were asked for, or the format has them.
    if (format_.value_kind == WeightKind::f32 && format_.weights == WeightUse::exact) format_.weights = WeightUse::kept;
  }

  bool count_known() const override { return format_.num_vertices.has_value(); }
  bool must_reread(ReadOptions& reading) const override {
    reading.left_out_counts = reading.left_out_counts || has_counts_;
    return must_reread_;
  }

  bool next(EdgeList& batch) override {
    if (cursor_->at_end()) return false;
    Progress progress("reading", static_cast<std::uint64_t>(cursor_->window().end() - cursor_->position()), "bytes");
    FaultLog commented(cursor_->window());
    const EntryLines lines = find_entries(*cursor_, format_.comments, progress, pool_, [&](const char* p, const char* end) {
      if (format_.tells_of_comments) look_at_comment(p, end, commented);
    });
    tell_once(commented, told_comment_);
    EdgeList edges = parse(lines, progress);
    if (must_reread_) return false;
    entries_ += lines.total();
    cursor_->next_window();
    if (cursor_->at_end() && entries_ != format_.announced.value_or(entries_)) {
      raise<DataError>("{}: {} announces {} {}, but the file ends after {}", cursor_->path(), format_.announcer,
                       *format_.announced, format_.entry_name, entries_);
    }
    if (in_doubt_ && has_counts(edges)) return false;
    largest_count_ = std::max(largest_count_, edges.num_vertices);
    edges.num_vertices = format_.num_vertices.value_or(largest_count_);
    edges.arcs = format_.arcs;
    batch = format_.negates_mirrors ? add_negated_mirrors(edges, pool_) : std::move(edges);
    return true;
  }

 private:
  void assume(std::string sentence) const { ReadOptions{.assumptions = format_.assumptions}.assume(std::move(sentence)); }

  void tell_once(const FaultLog& found, bool& told) const {
    if (!found.empty() && !std::exchange(told, true)) assume(found.sentence());
  }

  /// Reports a comment such as "#tag,ann", which has as many fields as entries.
  void look_at_comment(const char* p, const char* end, FaultLog& commented) const {
    if (commented.precedes(p) || at_token_end(p + 1, end)) return;
    const char separator = format_.columns ? format_.columns->separator : '\0';
    const std::size_t fields = fields_of_line(p, end, separator).size();
    const std::size_t wanted = format_.columns && format_.columns->most != EdgeColumns::kAnyNumber ? format_.columns->most
                               : format_.rule.valued                                               ? 3
                                                                                                   : 2;
    if (fields != wanted) return;
    commented.report(p,
                     fmt::format("{} begins a comment, which is left out, though the line reads like an edge: a name that begins "
                                 "so stands in double quotes",
                                 quote_token(p, end)));
  }

  /// Returns whether the first line, which was read as an edge, holds counts and the entries must be read again without it.
  bool has_counts(const EdgeList& batch) {
    const bool is_last = cursor_->at_end();
    const CountsLine& line = counts_.line();
    const bool numbers = format_.names == nullptr || format_.names->kind == NameKind::none;
    in_doubt_ = (numbers || line.is_left_out) && counts_.goes_on(batch, is_last, pool_);
    if (!in_doubt_ || !is_last) return false;
    const std::string& path = cursor_->path();
    const std::string said = fmt::format("{}: line {}, '{}',", path, line.line, fmt::join(line.numbers, " "));
    const std::string as_edge = format_.rule.valued ? "--columns 1,2,3" : "--columns 1,2";
    switch (counts_.verdict()) {
      case CountsCheck::Verdict::edge:
        return false;
      case CountsCheck::Verdict::counts:
        assume(fmt::format("{} holds counts and is left out, as {} edges follow{}", said, counts_.edges(),
                           line.is_left_out ? "" : fmt::format(" ({} takes it as an edge)", as_edge)));
        must_reread_ = has_counts_ = !line.is_left_out;
        return has_counts_;
      case CountsCheck::Verdict::few:
        assume(fmt::format("{} is taken as an edge; if it holds counts, as {} more follow, leave it out: {}", said,
                           counts_.edges(), command_without_line(path, line.line)));
        return false;
      case CountsCheck::Verdict::unclear:
        raise<DataError>("{} is an edge, or the count of the {} edges that follow: {} takes it as an edge, {} leaves it out",
                         said, counts_.edges(), as_edge, command_without_line(path, line.line));
      case CountsCheck::Verdict::no_counts:
        break;
    }
    raise<DataError>(
        "{}:{}: the line has other columns ({}) than the next ones ({}), and does not count the {} edges that follow: {} "
        "leaves it out{}",
        path, line.line, line.numbers.size(), line.columns, counts_.edges(), command_without_line(path, line.line),
        line.numbers.size() > 1 ? ", --columns 1,2 takes it as an edge" : "");
  }

  EdgeList parse(const EntryLines& lines, Progress& progress) {
    for (EdgeList edges;;) {
      edges.weight_kind = format_.rule.valued ? format_.value_kind : WeightKind::none;
      edges.allocate(lines.total());
      switch (edges.weight_kind) {
        case WeightKind::none:
          run_pass<WeightKind::none>(lines, progress, edges);
          break;
        case WeightKind::u32:
          run_pass<WeightKind::u32>(lines, progress, edges);
          break;
        case WeightKind::f32:
          run_pass<WeightKind::f32>(lines, progress, edges);
          break;
        case WeightKind::u64:
          run_pass<WeightKind::u64>(lines, progress, edges);
          break;
      }
      if (!format_.rule.valued || must_reread_ || edges.weight_kind == format_.value_kind) return edges;
    }
  }

  template <WeightKind kWeights>
  void run_pass(const EntryLines& lines, Progress& progress, EdgeList& edges) {
    if (!format_.columns) return run_pass_with<EntryParser, kWeights>(lines, progress, edges);
    switch (format_.names == nullptr ? NameKind::none : format_.names->kind) {
      case NameKind::none:
        return run_pass_with<RowParser<NameKind::none>, kWeights>(lines, progress, edges);
      case NameKind::numbers:
        return run_pass_with<RowParser<NameKind::numbers>, kWeights>(lines, progress, edges);
      case NameKind::strings:
        return run_pass_with<RowParser<NameKind::strings>, kWeights>(lines, progress, edges);
    }
  }

  /// Fills arcs, weights and num_vertices = largest id + 1, or finds that the entries must be read in another way.
  template <class Parser, WeightKind kWeights>
  void run_pass_with(const EntryLines& lines, Progress& progress, EdgeList& edges) {
    Findings found(cursor_->window());
    std::uint64_t num_vertices = 0;
    const auto parse = [&](std::size_t piece, NameTable* names) {
      const std::uint64_t count = parse_piece<Parser, kWeights>(lines, piece, names, edges, found);
      const std::lock_guard lock(mutex_);
      num_vertices = std::max(num_vertices, count);
      const auto bytes = static_cast<std::uint64_t>(lines.bounds[piece + 1] - lines.bounds[piece]);
      progress.advance(bytes - counting_part(bytes));
    };
    if constexpr (Parser::kNames) {
      parse_naming(lines, parse, edges, found);
      num_vertices = format_.names->size();
    } else {
      parallel_tasks(pool_, lines.size(), [&](std::size_t piece) { parse(piece, nullptr); });
    }
    if (!found.renamed.empty()) {
      format_.names->kind = NameKind::numbers;
      must_reread_ = true;
    } else if (!found.misfits.empty()) {
      format_.value_kind = parse_name<WeightKind>(found.misfits.message());
    } else {
      found.faults.raise();
      edges.num_vertices = static_cast<VertexId>(num_vertices);
      tell_once(found.zeros, told_zeros_);
      tell_once(found.rounded, told_rounding_);
    }
  }

  /// Numbers the names of each piece, and then of all pieces in their order: so numbers do not depend on threads.
  template <class Parse>
  void parse_naming(const EntryLines& lines, const Parse& parse, EdgeList& edges, const Findings& found) {
    const std::size_t wave = std::size_t{2} * static_cast<std::size_t>(pool_.size());
    for (std::size_t first = 0; first < lines.size(); first += wave) {
      const std::size_t count = std::min(wave, lines.size() - first);
      std::vector<NameTable> own(count);
      parallel_tasks(pool_, count, [&](std::size_t i) { parse(first + i, &own[i]); });
      if (found.stop()) return;  // some pieces were left before their end, by threads that happened to see why
      std::vector<std::vector<VertexId>> numbers(count);
      for (std::size_t i = 0; i < count; ++i) {
        for (VertexId name = 0; name < own[i].size(); ++name) numbers[i].push_back(format_.names->number_of(own[i].name(name)));
      }
      if (format_.names->bytes() > format_.most_name_bytes) {
        raise<UnavailableError>("{}: the names of its first {} vertices do not fit in memory, of which {} are for names",
                                cursor_->path(), format_.names->size(), format_bytes(format_.most_name_bytes));
      }
      parallel_tasks(pool_, count, [&](std::size_t i) {
        for (std::uint64_t e = lines.before[first + i]; e < lines.before[first + i + 1]; ++e) {
          edges.sources[e] = numbers[i][edges.sources[e]];
          edges.targets[e] = numbers[i][edges.targets[e]];
        }
      });
    }
  }

  /// Returns the largest id + 1.
  template <class Parser, WeightKind kWeights>
  std::uint64_t parse_piece(const EntryLines& lines, std::size_t piece, NameTable* names, EdgeList& edges,
                            Findings& found) const {
    const char* begin = lines.bounds[piece];
    const char* end = lines.bounds[piece + 1];
    if (found.precede(begin)) return 0;
    Parser entry = [&] {
      if constexpr (std::is_same_v<Parser, EntryParser>)
        return Parser(format_.rule, end);
      else
        return Parser(format_.rule, *format_.columns, end);
    }();
    const std::uint64_t allowed = format_.announced ? *format_.announced - entries_ : std::numeric_limits<std::uint64_t>::max();
    std::uint64_t index = lines.before[piece];
    std::uint64_t vertices = 0;
    for (const char* p = begin; (p = seek_content(p, end, format_.comments)) < end; p = next_line(p, end)) {
      if (index >= allowed) {
        found.faults.report(p, fmt::format("more {} than the {} announced", format_.entry_name, *format_.announced));
        break;
      }
      if (!parse_line<Parser, kWeights>(entry, p, found)) break;
      edges.sources[index] = static_cast<VertexId>(entry.source);
      edges.targets[index] = static_cast<VertexId>(entry.target);
      if constexpr (kWeights == WeightKind::u64) edges.wide_weights[index] = entry.wide;
      if constexpr (kWeights == WeightKind::u32 || kWeights == WeightKind::f32) edges.weights[index] = entry.word;
      vertices = std::max({vertices, entry.source + 1, entry.target + 1});
      ++index;
    }
    if (entry.leading_zero != nullptr && format_.tells_of_zeros) {
      const char* const id = entry.leading_zero;
      const std::string digits(id, std::find_if(id, end, [](char c) { return c < '0' || c > '9'; }));
      found.zeros.report(id,
                         fmt::format("id '{}' begins with 0, and is read as a number (--vertices names keeps such names apart)",
                                     printable(digits)));
    }
    if constexpr (Parser::kNames) *names = std::move(entry.names());
    return vertices;
  }

  template <class Parser, WeightKind kWeights>
  [[gnu::always_inline]] bool parse_line(Parser& entry, const char*& p, Findings& found) const {
    const char* line = p;
    if (!entry.template parse<kWeights>(p)) {
      if (entry.id_out_of_range && format_.names != nullptr) {
        found.renamed.report(line, "");
      } else {
        found.faults.report(p, std::move(entry.message));
      }
      return false;
    }
    if (kWeights == WeightKind::none) return true;
    if (entry.too_large != nullptr && format_.weights != WeightUse::unread) {
      found.faults.report(entry.too_large, std::move(entry.message));
      return false;
    }
    if ((kWeights == WeightKind::u32 || kWeights == WeightKind::u64) && entry.needs != WeightKind::none) {
      const bool is_unused = format_.weights == WeightUse::unread;
      found.misfits.report(line, name_of(is_unused ? WeightKind::f32 : entry.needs));
      return false;
    }
    if (kWeights == WeightKind::f32 && entry.rounded_beyond_u32 && format_.weights == WeightUse::exact) {
      found.faults.report(
          line,
          "this weight is rounded, because all are 32-bit floats where one is negative, not whole or beyond 64 bits: "
          "--float-weights takes them so");
      return false;
    }
    if (kWeights == WeightKind::f32 && entry.rounded && format_.weights != WeightUse::unread && !found.rounded.precedes(line)) {
      found.rounded.report(
          line,
          std::bit_cast<float>(entry.word) == 0
              ? "this weight is too small for a 32-bit float, and becomes 0"
              : "this weight is rounded: weights are 32-bit floats, which are whole from 2^24 on, and no longer all numbers");
    }
    return true;
  }

  std::unique_ptr<TextCursor> cursor_;
  EntryFormat format_;
  ThreadPool& pool_;
  std::mutex mutex_;
  std::uint64_t entries_ = 0;
  VertexId largest_count_ = 0;
  bool must_reread_ = false;
  bool told_rounding_ = false;
  bool told_zeros_ = false;
  bool told_comment_ = false;
  bool has_counts_ = false;
  CountsCheck counts_;
  bool in_doubt_ = true;  // whether the first line is an edge
};

}  // namespace

WeightKind first_kind(const ReadOptions& options) {
  return options.float_weights ? WeightKind::f32 : options.wide_weights ? WeightKind::u64 : WeightKind::u32;
}

std::unique_ptr<EntryStream> stream_entries(std::unique_ptr<TextCursor> cursor, EntryFormat format, ThreadPool& pool) {
  return std::make_unique<LineStream>(std::move(cursor), std::move(format), pool);
}

std::uint64_t most_vertices(std::uint64_t entries) {
  constexpr std::uint64_t kFree = std::uint64_t{1} << 20;
  constexpr std::uint64_t kVerticesPerEntry = 512;
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  return entries < (kMost - kFree) / kVerticesPerEntry ? kFree + kVerticesPerEntry * entries : kMost;
}

void check_density(const std::string& path, std::uint64_t n, std::uint64_t m) {
  if (n > most_vertices(m)) raise<DataError>("{}: ids too sparse: {} vertices for {} entries; renumber the vertices", path, n, m);
}

}  // namespace graphrun::io::inline GR_IDS
