// The format: R. Boisvert, R. Pozo, K. Remington, "The Matrix Market Exchange Formats: Initial Design", NISTIR 5935, 1996.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/io/readers.hpp"
#include "io/entries.hpp"
#include "io/formats.hpp"
#include "io/text_pieces.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

constexpr CommentMarks kMatrixMarketComments{'%', '%'};

enum class Field { real, integer, pattern };
enum class Symmetry { general, symmetric, skew };

struct Banner {
  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
};

struct Size {
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t entries = 0;
  std::uint64_t vertices = 0;  ///< that rows and columns stand for
  std::uint64_t line = 0;

  bool square() const { return rows == columns; }
};

std::string lower(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word;
}

std::vector<std::string> words_of_line(const char* p, const char* end) {
  std::vector<std::string> words;
  for (p = skip_blanks(p, end); !at_line_end(p, end); p = skip_blanks(p, end)) {
    const char* last = token_end(p, end);
    words.push_back(lower(std::string(p, last)));
    p = last;
  }
  return words;
}

/// "%%MatrixMarket matrix coordinate FIELD SYMMETRY".
Banner parse_banner(const TextCursor& cursor) {
  const Text& text = cursor.window();
  const auto refuse = [&](const std::string& message) { throw_at(text, 0, message); };
  Banner banner;
  const std::vector<std::string> words = words_of_line(cursor.position(), text.end());
  if (words.size() != 5 || words[0] != "%%matrixmarket") {
    refuse("the first line should read '%%MatrixMarket matrix coordinate FIELD SYMMETRY'");
  }
  if (words[1] != "matrix") refuse(fmt::format("object {} is not supported, only 'matrix'", quote_word(words[1])));
  if (words[2] == "array") refuse("format 'array' (a dense matrix) is not supported, only 'coordinate'");
  if (words[2] != "coordinate") refuse(fmt::format("format {} is not supported, only 'coordinate'", quote_word(words[2])));
  if (words[3] == "real" || words[3] == "double") {
    banner.field = Field::real;
  } else if (words[3] == "integer") {
    banner.field = Field::integer;
  } else if (words[3] == "pattern") {
    banner.field = Field::pattern;
  } else {
    refuse(fmt::format("field {} is not supported, only real, integer and pattern", quote_word(words[3])));
  }
  if (words[4] == "general") {
    banner.symmetry = Symmetry::general;
  } else if (words[4] == "symmetric") {
    banner.symmetry = Symmetry::symmetric;
  } else if (words[4] == "skew-symmetric") {
    banner.symmetry = Symmetry::skew;
  } else {
    refuse(fmt::format("symmetry {} is not supported, only general, symmetric and skew-symmetric", quote_word(words[4])));
  }
  return banner;
}

/// "rows columns entries", after comments and blank lines.
Size parse_size_line(TextCursor& cursor, const Banner& banner, bool bipartite) {
  const std::string form = "rows columns entries";
  if (!cursor.seek_line(kMatrixMarketComments))
    throw DataError(fmt::format("{} ends before its size line ('{}')", cursor.path(), form));
  HeaderLine header(cursor, "the size line", form);
  Size size;
  size.rows = header.number();
  size.columns = header.number();
  size.entries = header.number();
  size.line = header.line();
  header.finish(cursor);
  if (!size.square() && banner.symmetry != Symmetry::general) {
    header.refuse(fmt::format("a symmetric matrix of {} x {} cannot be", size.rows, size.columns));
  }
  if (!size.square() && !bipartite) {
    throw UsageError(fmt::format(
        "{} is a rectangular matrix ({} x {}): load it with --bipartite, which makes the columns vertices of their own",
        cursor.path(), size.rows, size.columns));
  }
  const std::uint64_t more = size.square() ? 0 : size.columns;
  if (size.rows > kNoVertex || more > kNoVertex - size.rows) {
    header.refuse_vertices(fmt::format("a matrix of {} x {}", size.rows, size.columns));
  }
  size.vertices = size.rows + more;
  return size;
}

EntryFormat format_of(const Banner& banner, const Size& size) {
  EntryFormat format;
  format.comments = kMatrixMarketComments;
  format.rule.sources = {1, size.rows, fmt::format("the size that line {} announces", size.line)};
  format.rule.targets = {1, size.columns, format.rule.sources.reason};
  format.rule.target_shift = size.square() ? 0 : size.rows;
  format.rule.valued = banner.field != Field::pattern;
  format.rule.whole_values = banner.field == Field::integer;
  format.prefer_u32 = banner.field == Field::integer && banner.symmetry != Symmetry::skew;
  format.arcs = banner.symmetry == Symmetry::general ? Arcs::directed : Arcs::mirror;
  format.num_vertices = static_cast<VertexId>(size.vertices);
  format.announced = size.entries;
  format.announcer = "the size line";
  return format;
}

/// Adds the opposite of every arc with the negated value, which Arcs::mirror cannot express. The opposite follows its arc;
/// a self loop has none.
EdgeList add_skew_mirrors(const EdgeList& edges, ThreadPool& pool) {
  constexpr std::size_t kBlock = std::size_t{1} << 16;
  const std::size_t stored = edges.sources.size();
  const std::size_t blocks = (stored + kBlock - 1) / kBlock;
  const auto is_loop = [&](std::size_t i) { return edges.sources[i] == edges.targets[i]; };
  const auto for_blocks = [&](auto&& body) {
    parallel_for(
        pool, blocks, [&](std::size_t block) { body(block, block * kBlock, std::min(stored, (block + 1) * kBlock)); }, 1);
  };

  std::vector<std::size_t> first(blocks + 1, 0);  // arc of the result, a block
  for_blocks([&](std::size_t block, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) first[block] += is_loop(i) ? 1 : 2;
  });
  const std::size_t total = exclusive_scan(pool, first.data(), first.size());

  EdgeList both;
  both.num_vertices = edges.num_vertices;
  both.sources = Column<VertexId>::allocate(total);
  both.targets = Column<VertexId>::allocate(total);
  both.weights = Column<std::uint32_t>::allocate(total);
  both.weight_kind = edges.weight_kind;
  both.arcs = Arcs::mirrored;
  for_blocks([&](std::size_t block, std::size_t begin, std::size_t end) {
    std::size_t used = first[block];
    const auto add = [&](VertexId source, VertexId target, float value) {
      both.sources[used] = source;
      both.targets[used] = target;
      both.weights[used++] = std::bit_cast<std::uint32_t>(value);
    };
    for (std::size_t i = begin; i < end; ++i) {
      const auto value = std::bit_cast<float>(edges.weights[i]);
      add(edges.sources[i], edges.targets[i], value);
      if (!is_loop(i)) add(edges.targets[i], edges.sources[i], -value);
    }
  });
  return both;
}

/// A stream of the arcs of a skew-symmetric matrix.
class SkewStream : public EntryStream {
 public:
  SkewStream(std::unique_ptr<EntryStream> stored, ThreadPool& pool) : stored_(std::move(stored)), pool_(pool) {}

  bool next(EdgeList& batch) override {
    EdgeList stored;
    if (!stored_->next(stored)) return false;
    batch = add_skew_mirrors(stored, pool_);
    return true;
  }

 private:
  std::unique_ptr<EntryStream> stored_;
  ThreadPool& pool_;
};

}  // namespace

std::unique_ptr<EntryStream> open_matrix_market(const std::string& path, const ReadOptions& options, ThreadPool& pool) {
  auto cursor = std::make_unique<TextCursor>(path, options.batch_bytes);
  const Banner banner = parse_banner(*cursor);
  const Size size = parse_size_line(*cursor, banner, options.bipartite);
  check_density(path, size.vertices, size.entries);
  EntryFormat format = format_of(banner, size);
  if (options.float_weights) format.prefer_u32 = false;
  auto stream = stream_entries(std::move(cursor), std::move(format), pool);
  if (banner.symmetry != Symmetry::skew || banner.field == Field::pattern) return stream;
  return std::make_unique<SkewStream>(std::move(stream), pool);
}

}  // namespace graphrun::io::inline GR_IDS

namespace graphrun::inline GR_IDS {

EdgeList read_matrix_market(const std::string& path, bool bipartite, ThreadPool& pool) {
  io::ReadOptions options;
  options.bipartite = bipartite;
  return io::take_only_batch(io::open_matrix_market(path, options, pool));
}

}  // namespace graphrun::inline GR_IDS
