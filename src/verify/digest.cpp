// SPDX-License-Identifier: Apache-2.0

#include "graphrun/verify/digest.hpp"

#include <bit>
#include <functional>
#include <limits>
#include <map>
#include <type_traits>

#include "graphrun/core/parallel.hpp"
#include "graphrun/core/random.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::size_t kTopScores = 10;
constexpr std::size_t kPiece = 1 << 16;  // values that one thread adds up

template <class T>
std::uint64_t bits_of(T value) {
  if constexpr (std::is_integral_v<T>) return value;
  return std::bit_cast<std::conditional_t<sizeof(T) == sizeof(std::uint64_t), std::uint64_t, std::uint32_t>>(value);
}

/// Adds up `count` values, which value(v) gives. Levels are whole in results, distances floating.
template <class Sum, class Value>
void digest_reach(std::string_view name, std::size_t count, const Value& value, ThreadPool& pool, Digest& digest) {
  struct Reach {
    std::uint64_t reached = 0, checksum = 0;
    Sum largest = 0, sum = 0;
  };
  std::vector<Reach> pieces((count + kPiece - 1) / kPiece);  // added in order: floating sums are alike for all pools
  parallel_chunks(pool, count, kPiece, [&](std::size_t begin, std::size_t end, int) {
    Reach piece;
    for (std::size_t v = begin; v < end; ++v) {
      const auto found = value(v);
      if (found == kNoValue<std::decay_t<decltype(found)>>) continue;
      ++piece.reached;
      piece.largest = std::max(piece.largest, static_cast<Sum>(found));
      piece.sum += static_cast<Sum>(found);
      piece.checksum += (std::uint64_t{v} + 1) * (bits_of(found) + 1);
    }
    pieces[begin / kPiece] = piece;
  });
  Reach all;
  for (const Reach& piece : pieces) {
    all.reached += piece.reached;
    all.largest = std::max(all.largest, piece.largest);
    all.sum += piece.sum;
    all.checksum += piece.checksum;
  }
  digest.scalars.emplace_back("reached", all.reached);
  digest.scalars.emplace_back("max_" + std::string(name), all.largest);
  digest.scalars.emplace_back("sum_" + std::string(name) + "s", all.sum);
  digest.checksum = all.checksum;
}

void digest_groups(std::string_view name, std::span<const VertexId> values, Digest& digest) {
  std::map<std::uint64_t, std::uint64_t, std::greater<>> counts;
  std::uint64_t groups = 0;
  for (const std::uint64_t size : group_sizes(values)) {
    if (size != 0) ++counts[size], ++groups;
  }
  const std::uint64_t largest = counts.empty() ? 0 : counts.begin()->first;
  digest.scalars.insert(digest.scalars.begin(), {{std::string(name) + "s", groups}, {"largest", largest}});  // sizes take its name
  digest.sizes.emplace(counts.begin(), counts.end());
}

void digest_scores(std::span<const double> scores, Digest& digest) {
  double sum = 0;
  for (const double score : scores) sum += score;
  digest.scalars.emplace_back("sum", sum);
  digest.top = largest_of(scores, kTopScores);
}

/// Digests a column; `search` is the index of a search in a batch.
void digest_column(const AnswerColumn& column, std::size_t search, ThreadPool& pool, Digest& digest) {
  const auto add = [&]<class Values>(const Values& values) {
    if constexpr (std::is_same_v<Values, const BfsBatchOutput*>) {
      digest_reach<std::uint64_t>(
          column.name, values->num_vertices(), [&](std::size_t v) { return values->level(v, search); }, pool, digest);
    } else {
      using Value = std::remove_const_t<typename Values::element_type>;
      if (column.digest == DigestBy::reach) {
        using Sum = std::conditional_t<std::is_same_v<Value, std::uint32_t>, std::uint64_t, double>;
        digest_reach<Sum>(
            column.name, values.size(), [&](std::size_t v) { return values[v]; }, pool, digest);
      }
      if constexpr (std::is_same_v<Value, VertexId>) {
        if (column.digest == DigestBy::groups) digest_groups(column.name, values, digest);
      }
      if constexpr (std::is_same_v<Value, double>) {
        if (column.digest == DigestBy::scores) digest_scores(values, digest);
      }
    }
  };
  std::visit(add, column.values);
}

/// Returns the sum modulo 2^64 over cells with a vertex of splitmix64(cell) * vertex: alike at both widths of ids.
std::uint64_t checksum_of(const VertexTable& table) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < table.vertices.size(); ++i) {
    if (table.vertices[i] != kNoVertex) sum += splitmix64(i) * table.vertices[i];
  }
  return sum;
}

template <class Number>
Number number_of(const Digest& digest, std::string_view name) {
  for (const auto& [its_name, value] : digest.scalars) {
    if (its_name != name) continue;
    if (const auto* whole = std::get_if<std::uint64_t>(&value)) return static_cast<Number>(*whole);
    if (const auto* floating = std::get_if<double>(&value)) return static_cast<Number>(*floating);
  }
  return 0;
}

}  // namespace

double Digest::number(std::string_view name) const { return number_of<double>(*this, name); }
std::uint64_t Digest::count(std::string_view name) const { return number_of<std::uint64_t>(*this, name); }

std::vector<Digest> digests_of(const AnswerData& answer, ThreadPool& pool) {
  if (answer.columns.empty() && answer.scalars.empty()) return {};
  std::vector<Digest> all(std::max<std::size_t>(1, answer.sources.size()));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!answer.sources.empty()) all[i].source = answer.sources[i];
    for (const Scalar& scalar : answer.scalars) all[i].scalars.emplace_back(scalar.name, scalar.value);
    for (const AnswerColumn& column : answer.columns) digest_column(column, i, pool, all[i]);
    if (!answer.table.name.empty()) all[i].checksum = checksum_of(answer.table);
  }
  return all;
}

std::vector<std::uint64_t> group_sizes(std::span<const VertexId> values) {
  std::vector<std::uint64_t> sizes(values.size(), 0);
  for (const VertexId value : values) {
    if (value < sizes.size()) ++sizes[value];
  }
  return sizes;
}

}  // namespace graphrun::inline GR_IDS
