#include "backend/hot_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>

#include "graphrun/core/checksum.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/output_file.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/progress.hpp"

namespace graphrun::inline GR_IDS {
namespace {

using Scores = std::vector<std::uint64_t>;

constexpr std::size_t kMarkedAPiece = 1 << 14;
constexpr int kSurfs = 5;                                      // Min's: later ones forget where it began
constexpr std::uint64_t kAllSurfers = std::uint64_t{1} << 58;  // 17 times that is a word: sums that no order of threads changes

/// Where surfers are who began as `scores` says, and begin anew with 3 in 20 steps; the others go on to a neighbour. They read
/// the lists that the run reads: of the in-lists that Min's samplers read this is the reverse PageRank.
Scores surf(const ListColumn& lists, Scores scores, ThreadPool& pool, std::uint64_t& read) {
  const Rows& rows = lists.rows;
  const Scores begin = scores;
  auto next = Column<std::uint64_t>::allocate_guarded(scores.size());  // indexed by ids of a file
  Progress progress("choosing lists to keep", kSurfs, "passes");
  for (int surfed = 0; surfed < kSurfs; ++surfed) {
    std::fill_n(next.data(), next.size(), 0);
    parallel_chunks(pool, rows.num_vertices, kMarkedAPiece, [&](std::size_t first, std::size_t last, int) {
      for (std::size_t v = first; v < last; ++v) {
        const EdgeId degree = rows.offsets[v + 1] - rows.offsets[v];
        const std::uint64_t share = degree == 0 ? 0 : scores[v] / degree;
        if (share == 0) continue;
        lists.walk(static_cast<VertexId>(v), degree, [&](const VertexId* words, const std::uint32_t*, std::size_t count) {
          for (std::size_t i = 0; i < count; i += lists.words_an_edge())
            std::atomic_ref(next[words[i]]).fetch_add(share, std::memory_order_relaxed);
        });
      }
      lists.release(static_cast<VertexId>(first), static_cast<VertexId>(last));
    });
    parallel_for(pool, scores.size(), [&](std::size_t v) { scores[v] = begin[v] / 20 * 3 + next[v] / 20 * 17; });
    read += lists.bytes();
    progress.advance(1);
  }
  return scores;
}

constexpr char kProfileMagic[8] = {'G', 'R', 'R', 'E', 'A', 'D', 'S', '1'};

/// Before the words of out-lists, and of in-lists where there are such.
struct ProfileHeader {
  char magic[8];
  std::uint64_t num_vertices;
  std::uint64_t directions;
  std::uint64_t graph;   ///< XXH3 of its offsets
  std::uint64_t counts;  ///< XXH3 of what follows
};

std::uint64_t checksum_of(const Graph& graph) {
  Checksum sum;
  sum.add(graph.out.offsets.data(), graph.out.offsets.bytes());
  return sum.value();
}

std::uint64_t checksum_of(const ListReads& reads) {
  Checksum sum;
  for (const auto* counts : {&reads.out, &reads.in}) sum.add(counts->data(), counts->size() * sizeof(std::uint64_t));
  return sum.value();
}

}  // namespace

ListColumn::ListColumn(const Rows& of, const Csr& csr, Reads what) : rows(of), csr_(csr), what_(what) {
  if (what != Reads::records && !csr.packed.empty()) packed_ = packed_lists(csr);
}

DirectView ListColumn::view() const {
  if (what_ == Reads::records) return {.neighbours = csr_.records.data()};
  return {.neighbours = csr_.neighbours.data(),
          .weights = weighted() ? csr_.weights.data() : nullptr,
          .packed = packed_.groups != nullptr ? &packed_ : nullptr};
}

std::uint64_t ListColumn::bytes() const {
  if (packed_.groups != nullptr) return packed_.bytes;
  return what_ == Reads::records ? csr_.records.bytes() : csr_.neighbours.bytes();
}

void ListColumn::release(VertexId first, VertexId last) const {
  const auto from = [](const auto& column, std::uint64_t begin, std::uint64_t end) {
    if (column.in_mapped_file()) column.release(begin, std::min<std::uint64_t>(end, column.size()));
  };
  const EdgeId begin = rows.offsets[first];
  const EdgeId end = rows.offsets[last];
  if (what_ == Reads::records) return from(csr_.records, 2 * begin, 2 * end);
  if (packed_.groups != nullptr)
    from(csr_.packed.lines, std::min(packed_.start(first), packed_.bytes), packed_.start(last));
  else
    from(csr_.neighbours, begin, end);
  const packed::WeightCode& code = csr_.packed.weight_code;
  if (weighted() && code.is_packed())
    from(csr_.packed.weights, code.byte_of(begin), code.byte_of(end));
  else if (weighted())
    from(csr_.weights, begin, end);
}

std::vector<std::uint64_t> list_scores(const ListColumn& lists, const std::vector<std::uint64_t>& profile,
                                       const BackendOptions& how, ThreadPool& pool, std::uint64_t& read) {
  const std::size_t n = lists.rows.num_vertices;
  Scores scores(how.hot == HotEdges::degree ? 0 : n);
  if (how.hot == HotEdges::pagerank) {
    std::fill(scores.begin(), scores.end(), kAllSurfers / std::max<std::size_t>(n, 1));
    return surf(lists, std::move(scores), pool, read);
  }
  if (how.hot == HotEdges::weighted) {
    if (how.hot_sources.empty() && n != 0) {
      throw UsageError("--hot weighted goes by where searches begin, and this run begins nowhere: choose --hot pagerank");
    }
    for (const std::uint64_t source : how.hot_sources) {
      if (source >= n) throw UsageError(fmt::format("--hot weighted: {} is not a vertex of the graph, which has {}", source, n));
      scores[source] += kAllSurfers / how.hot_sources.size();
    }
    return surf(lists, std::move(scores), pool, read);
  }
  if (how.hot == HotEdges::profile) {
    constexpr std::uint64_t kParts = 1 << 10;  // of a read
    parallel_for(pool, n, [&](std::size_t v) {
      const EdgeId degree = lists.rows.offsets[v + 1] - lists.rows.offsets[v];
      scores[v] = degree == 0 ? 0 : profile[v] * kParts / degree;
    });
  }
  return scores;
}

std::vector<VertexId> hottest_lists(const ListColumn& lists, const std::vector<std::uint64_t>& profile, const BackendOptions& how,
                                    const RankPart& part, ThreadPool& pool, std::uint64_t& read) {
  const Rows& rows = lists.rows;
  const Scores scores = list_scores(lists, profile, how, pool, read);
  std::vector<VertexId> order;
  for (std::uint64_t v = part.first; v < std::min<std::uint64_t>(part.last, rows.num_vertices); ++v) {
    if (rows.degree(static_cast<VertexId>(v)) != 0) order.push_back(static_cast<VertexId>(v));
  }
  std::sort(order.begin(), order.end(), [&](VertexId a, VertexId b) {
    if (!scores.empty() && scores[a] != scores[b]) return scores[a] > scores[b];
    const EdgeId of_a = rows.degree(a);
    const EdgeId of_b = rows.degree(b);
    return of_a != of_b ? of_a > of_b : a < b;
  });
  return order;
}

void write_list_reads(const std::string& path, const Graph& graph, const ListReads& reads) {
  if (reads.out.size() != graph.num_vertices())
    throw UsageError(
        fmt::format("the session counts no reads of lists that {} could have: see BackendOptions::count_reads", path));
  ProfileHeader header{{}, graph.num_vertices(), reads.in.empty() ? 1u : 2u, checksum_of(graph), checksum_of(reads)};
  std::copy(std::begin(kProfileMagic), std::end(kProfileMagic), header.magic);
  OutputFile file(path);
  file.write(&header, sizeof(header));
  for (const auto* counts : {&reads.out, &reads.in}) file.write(counts->data(), counts->size() * sizeof(std::uint64_t));
  file.commit();
}

ListReads read_list_reads(const std::string& path, const Graph& graph) {
  if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path))
    throw DataError(fmt::format("{} is no profile: it is no regular file", path));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw DataError(fmt::format("cannot open the profile {}", path));
  ProfileHeader header;
  const auto read = [&](void* to, std::size_t bytes) {
    file.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
    if (!file) throw DataError(fmt::format("the profile {} is cut off", path));
  };
  read(&header, sizeof(header));
  if (!std::equal(std::begin(kProfileMagic), std::end(kProfileMagic), header.magic))
    throw DataError(fmt::format("{} is no profile: graphrun --profile FILE writes one", path));
  if (header.num_vertices != graph.num_vertices() || header.graph != checksum_of(graph))
    throw UsageError(fmt::format("the profile {} is of another graph than {}: its lists have other lengths", path, graph.name));
  ListReads reads;
  const auto read_counts = [&](std::vector<std::uint64_t>& counts) {
    counts.resize(graph.num_vertices());
    read(counts.data(), counts.size() * sizeof(std::uint64_t));
  };
  read_counts(reads.out);
  if (header.directions == 2) read_counts(reads.in);
  const bool has_directions = header.directions == 1 || header.directions == 2;
  if (!has_directions || header.counts != checksum_of(reads) || file.peek() != std::ifstream::traits_type::eof())
    throw DataError(fmt::format("the profile {} is damaged", path));
  return reads;
}

}  // namespace graphrun::inline GR_IDS
