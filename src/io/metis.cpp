// SPDX-License-Identifier: Apache-2.0
// Graphs of METIS. The format: G. Karypis, "METIS: A Software Package for Partitioning Unstructured Graphs, ...", version
// 5.1.0, 2013, section 4.1.1.
//
// Line i after the header lists the neighbours of vertex i; the header says what else stands there. Every undirected edge is
// listed from both its ends. METIS forbids self loops and gives no rule for listing or counting them, so a file that has some
// is read as it stands: each listing is one arc, and a loop may count as an edge that is listed once or twice. The E edges of
// the header must stand for 2 E listed neighbours, or for one less a loop.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/raise.hpp"
#include "graphrun/core/parallel.hpp"
#include "io/entries.hpp"
#include "io/entry_parser.hpp"
#include "io/formats.hpp"
#include "io/text_cursor.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

constexpr CommentMarks kMetisComments{'%', '%'};

struct Header {
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  std::uint64_t vertex_words = 0;  ///< words of a line before its neighbours: a size, weights
  bool edge_weights = false;
  IdRange ids;
};

/// Parses FMT, up to three digits of 0 and 1 (vertex sizes, vertex weights, edge weights), and NCON, the weights a vertex.
void parse_columns(HeaderLine& line, Header& header) {
  const std::string format = line.word();
  if (format.size() > 3 || format.find_first_not_of("01") != std::string::npos) {
    line.refuse(fmt::format("format {} in the header should be up to three digits of 0 and 1", quote_word(format)));
  }
  const auto digit = [&](std::size_t place) { return format.size() > place && format[format.size() - 1 - place] == '1'; };
  header.edge_weights = digit(0);
  const bool vertex_weights = digit(1);
  const std::uint64_t count = line.done() ? 0 : line.number();
  if (count > 0 && !vertex_weights) {
    line.refuse(fmt::format("{} weights a vertex are announced, but format {} has none", count, quote_word(format)));
  }
  if (count > std::numeric_limits<std::uint32_t>::max()) line.refuse(fmt::format("{} weights a vertex cannot be", count));
  header.vertex_words = (digit(2) ? 1 : 0) + (vertex_weights ? std::max<std::uint64_t>(count, 1) : 0);
}

/// Parses "VERTICES EDGES [FMT [NCON]]", after comments and blank lines.
Header parse_header(TextCursor& cursor) {
  HeaderLine line(cursor, kMetisComments, "header", "VERTICES EDGES [FMT [NCON]]");
  Header header;
  header.vertices = line.number();
  header.edges = line.number();
  if (!line.done()) parse_columns(line, header);
  line.finish(cursor);
  line.check_vertices(header.vertices, false, fmt::format("a graph of {}", header.vertices));
  constexpr std::uint64_t kMostEdges = std::numeric_limits<std::uint64_t>::max() / 2;
  if (header.edges > kMostEdges) line.refuse(fmt::format("{} edges cannot be", header.edges));
  header.ids = {1, header.vertices, fmt::format("the vertices that line {} announces", line.line())};
  return header;
}

/// Calls body(p) for each line of [p, end) that is no comment, with `p` at its first token or its end, until it returns false.
template <class Body>
void for_each_vertex(const char* p, const char* end, Body&& body) {
  for (; p < end; p = next_line(p, end)) {
    p = skip_blanks(p, end);
    if (p < end && kMetisComments(*p)) continue;
    if (!body(p)) return;
  }
}

struct ListCounts {
  std::uint64_t vertices = 0;
  std::uint64_t neighbours = 0;
  void operator+=(const ListCounts& other) {
    vertices += other.vertices;
    neighbours += other.neighbours;
  }
};
using ListLines = CountedPieces<ListCounts>;

std::uint64_t count_words(const char*& p, const char* end) {
  std::uint64_t words = 0;
  for (; !at_line_end(p, end); p = skip_blanks(token_end(p, end), end)) ++words;
  return words;
}

ListLines find_lists(const TextCursor& cursor, const Header& header, ThreadPool& pool) {
  const std::uint64_t words_a_neighbour = header.edge_weights ? 2 : 1;
  return {cursor, pool, [&](const char* begin, const char* end) {
            ListCounts counts;
            for_each_vertex(begin, end, [&](const char*& p) {
              const std::uint64_t words = count_words(p, end);
              counts += {1, (words - std::min(words, header.vertex_words)) / words_a_neighbour};
              return true;
            });
            return counts;
          }};
}

/// Parses lines of neighbours, word by word.
class ListParser : public FieldParser {
 public:
  ListParser(const Header& header, WeightKind kind, bool weights_unread, const char* end)
      : FieldParser(end), header_(header), kind_(kind), weights_unread_(weights_unread) {}

  std::uint64_t neighbour = 0;
  std::uint64_t weight = 0;  ///< bits, as `kind` has them

  bool done(const char* p) const { return at_line_end(p, end_); }

  bool skip_vertex_words(const char*& p) {
    std::uint64_t ignored = 0;
    for (std::uint64_t i = 0; i < header_.vertex_words; ++i, p = skip_blanks(p, end_)) {
      if (parse_unsigned(p, end_, ignored) != Parsed::ok)
        return expected("the size or a weight of the vertex, a whole number", p);
    }
    return true;
  }

  bool parse_neighbour(const char*& p) {
    if (!parse_id(p, header_.ids, neighbour)) return false;
    p = skip_blanks(p, end_);
    if (!header_.edge_weights) return true;
    std::uint64_t value = 0;
    const char* last = p;
    const Parsed parsed = parse_unsigned(last, end_, value);
    if (parsed == Parsed::not_a_number) return expected("the weight of an edge, a whole number", p);
    if (parsed != Parsed::ok && !weights_unread_)
      return fault(fmt::format("weight {} does not fit 64 bits", quote_token(p, end_)));
    if (parsed != Parsed::ok || (weights_unread_ && value > kLargestWord)) value = kLargestWord;
    if (kind_ == WeightKind::u32 && value > kLargestWord) needs = WeightKind::u64;
    weight = kind_ == WeightKind::f32 ? std::bit_cast<std::uint32_t>(static_cast<float>(value)) : value;
    p = skip_blanks(token_end(last, end_), end_);
    return true;
  }

 private:
  const Header& header_;
  WeightKind kind_;
  bool weights_unread_;
};

class MetisStream : public EntryStream {
 public:
  MetisStream(std::unique_ptr<TextCursor> cursor, const ReadOptions& options, ThreadPool& pool)
      : cursor_(std::move(cursor)),
        header_(parse_header(*cursor_)),
        kind_(header_.edge_weights ? first_kind(options) : WeightKind::none),
        weights_unread_(options.weights == WeightUse::unread),
        pool_(pool) {}

  bool next(EdgeList& batch) override {
    if (cursor_->at_end()) return false;
    const ListLines lines = find_lists(*cursor_, header_, pool_);
    EdgeList edges = parse(lines);
    vertices_ += lines.total().vertices;
    neighbours_ += lines.total().neighbours;
    cursor_->next_window();
    if (cursor_->at_end()) check_counts();
    batch = std::move(edges);
    return true;
  }

 private:
  EdgeList parse(const ListLines& lines) {
    EdgeList edges;
    edges.num_vertices = static_cast<VertexId>(header_.vertices);
    edges.arcs = Arcs::mirrored;
    const std::uint64_t loops_before = loops_.load();
    do {
      loops_.store(loops_before);
      edges.weight_kind = kind_;
      edges.allocate(lines.total().neighbours);
      FaultLog faults(cursor_->window());
      std::atomic<bool> beyond_u32{false};
      parallel_tasks(pool_, lines.size(), [&](std::size_t piece) { parse_piece(lines, piece, edges, faults, beyond_u32); });
      faults.raise();
      if (beyond_u32.load()) kind_ = WeightKind::u64;
    } while (edges.weight_kind != kind_);
    return edges;
  }

  void parse_piece(const ListLines& lines, std::size_t piece, EdgeList& edges, FaultLog& faults, std::atomic<bool>& beyond_u32) {
    const char* end = lines.bounds[piece + 1];
    if (faults.precedes(lines.bounds[piece])) return;
    ListParser list(header_, kind_, weights_unread_, end);
    std::uint64_t vertex = vertices_ + lines.before[piece].vertices;
    std::uint64_t index = lines.before[piece].neighbours;
    for_each_vertex(lines.bounds[piece], end, [&](const char*& p) {
      if (parse_list(list, p, vertex++, index, edges)) return true;
      faults.report(p, std::move(list.message));
      return false;
    });
    if (list.needs == WeightKind::u64) beyond_u32.store(true, std::memory_order_relaxed);
  }

  /// Makes entries from `index` on of the neighbours of `vertex`. On a fault `p` stays at it.
  bool parse_list(ListParser& list, const char*& p, std::uint64_t vertex, std::uint64_t& index, EdgeList& edges) {
    if (vertex >= header_.vertices) {
      if (list.done(p)) return true;  // blank lines at the end are no vertices
      list.message = fmt::format("more lines than the {} vertices announced", header_.vertices);
      return false;
    }
    if (!list.skip_vertex_words(p)) return false;
    std::uint64_t loops = 0;
    for (; !list.done(p); ++index) {
      if (neighbours_ + index >= 2 * header_.edges) {
        list.message = fmt::format("more neighbours than {} edges can have, the number announced", header_.edges);
        return false;
      }
      if (!list.parse_neighbour(p)) return false;
      edges.sources[index] = static_cast<VertexId>(vertex);
      edges.targets[index] = static_cast<VertexId>(list.neighbour);
      if (kind_ == WeightKind::u64) edges.wide_weights[index] = list.weight;
      if (kind_ == WeightKind::u32 || kind_ == WeightKind::f32) edges.weights[index] = static_cast<std::uint32_t>(list.weight);
      loops += list.neighbour == vertex ? 1 : 0;
    }
    if (loops != 0) loops_.fetch_add(loops, std::memory_order_relaxed);
    return true;
  }

  void check_counts() const {
    if (vertices_ < header_.vertices) {
      raise<DataError>("{}: the header announces {} vertices, but the file ends after {}", cursor_->path(), header_.vertices,
                       vertices_);
    }
    const std::uint64_t announced = 2 * header_.edges;
    if (neighbours_ != announced && neighbours_ + loops_.load() != announced) {
      raise<DataError>("{}: the header announces {} edges, which is {} neighbours in all, but the lines list {}", cursor_->path(),
                       header_.edges, announced, neighbours_);
    }
  }

  std::unique_ptr<TextCursor> cursor_;
  Header header_;
  WeightKind kind_;
  bool weights_unread_;
  ThreadPool& pool_;
  std::uint64_t vertices_ = 0;  ///< lines before the window
  std::uint64_t neighbours_ = 0;
  std::atomic<std::uint64_t> loops_{0};
};

/// Returns the whole numbers of a line; nothing where it holds something else.
std::optional<std::vector<std::uint64_t>> whole_numbers_of_line(std::string_view line) {
  std::vector<std::uint64_t> numbers;
  const char* const end = line.data() + line.size();
  for (const char* p = skip_blanks(line.data(), end); p < end; p = skip_blanks(p, end)) {
    if (parse_unsigned(p, end, numbers.emplace_back()) != Parsed::ok) return std::nullopt;
  }
  return numbers;
}

}  // namespace

std::unique_ptr<EntryStream> open_metis(const std::string& path, const ReadOptions& options, ThreadPool& pool) {
  return std::make_unique<MetisStream>(std::make_unique<TextCursor>(path, options.batch_bytes), options, pool);
}

bool is_metis_text(std::string_view text) {
  std::vector<std::vector<std::uint64_t>> lines;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    if (line.starts_with('%')) continue;
    auto numbers = whole_numbers_of_line(line);
    if (!numbers) return false;
    lines.push_back(std::move(*numbers));
  }
  if (lines.empty() || lines[0].size() < 2 || lines[0].size() > 3) return false;
  const std::uint64_t n = lines[0][0];
  const std::uint64_t m = lines[0][1];
  const std::uint64_t form = lines[0].size() > 2 ? lines[0][2] : 0;
  if (form > 1) return false;  // sizes and weights of vertices are told by the name alone
  const std::size_t step = 1 + static_cast<std::size_t>(form);
  while (lines.size() - 1 > n && lines.back().empty()) lines.pop_back();
  if (m == 0 || lines.size() - 1 != n) return false;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> arcs, back;
  for (std::uint64_t v = 1; v <= n; ++v) {
    if (lines[v].size() % step != 0) return false;
    for (std::size_t i = 0; i < lines[v].size(); i += step) {
      if (lines[v][i] < 1 || lines[v][i] > n) return false;
      arcs.emplace_back(v, lines[v][i]);
      back.emplace_back(lines[v][i], v);
    }
  }
  if (arcs.size() != 2 * m) return false;
  std::sort(arcs.begin(), arcs.end());
  std::sort(back.begin(), back.end());
  return arcs == back;
}

}  // namespace graphrun::io::inline GR_IDS
