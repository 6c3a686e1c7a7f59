// SPDX-License-Identifier: Apache-2.0

#include "algorithms/algorithm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <variant>

#include "core/raise.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/parallel.hpp"

namespace graphrun::inline GR_IDS {

const AlgorithmInfo& info_of(Algorithm algorithm) {
#define GR_INFO(name, Options) name##_info,
  constexpr const AlgorithmInfo& (*kAll[])() = {GR_FOR_EACH_ALGORITHM(GR_INFO)};
#undef GR_INFO
  return kAll[static_cast<std::size_t>(algorithm)]();
}

LoadEstimate what_is_known_of(const Graph& graph) {
  LoadEstimate known{.vertices = graph.num_vertices(),
                     .arcs = graph.num_edges(),
                     .directed = !graph.symmetric,
                     .weighted = graph.weight_kind != WeightKind::none,
                     .weight_table_bytes = graph.weight_table.bytes(),
                     .records = graph.has_records(),
                     .reversed_records = graph.by_target.has_value(),
                     .lengths = {},
                     .mapped = graph.out.neighbours.in_mapped_file() || graph.out.packed.lines.in_mapped_file()};
  if (graph.out.neighbours.empty() && is_packed(graph)) {
    known.packed_bytes = graph.out.packed.lines.bytes();
    known.unpacked_bytes = graph.num_edges() * sizeof(VertexId);
  }
  return known;
}

namespace {

/// Calls body(values), for a column with one value a vertex.
template <class Body>
auto of_single(const AnswerColumn& column, const Body& body) {
  return std::visit(
      [&]<class Values>(const Values& values) -> decltype(body(std::span<const double>())) {
        if constexpr (std::is_same_v<Values, const BfsBatchOutput*>) {
          throw std::logic_error("a batch has several values a vertex");
        } else {
          return body(values);
        }
      },
      column.values);
}

/// Returns for example "1,234" for whole numbers, also floating ones.
std::string number_text(const std::variant<std::monostate, std::uint64_t, double>& value) {
  constexpr double kExact = 0x1p53;
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) return grouped(*whole);
  const double floating = std::get<double>(value);
  const bool is_whole = floating >= 0 && floating < kExact && floating == std::floor(floating);
  return is_whole ? grouped(static_cast<std::uint64_t>(floating)) : fmt::format("{:.6g}", floating);
}

std::string with_blanks(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return c == '_' || c == '.'; }, ' ');
  return name;
}

EdgeId out_edges_of_reached(const AnswerColumn& column, const Csr& out, ThreadPool& pool) {
  return std::visit(
      [&]<class Values>(const Values& values) {
        constexpr bool kBatch = std::is_same_v<Values, const BfsBatchOutput*>;
        const auto edges_of = [&](std::size_t v) -> EdgeId {
          const EdgeId degree = out.degree(static_cast<VertexId>(v));
          if constexpr (kBatch) {
            return degree * static_cast<EdgeId>(std::popcount(values->words_of(v)[0]));
          } else {
            return values[v] == kNoValue<std::remove_const_t<typename Values::element_type>> ? 0 : degree;
          }
        };
        if constexpr (kBatch) return parallel_sum<EdgeId>(pool, values->num_vertices(), edges_of);
        if constexpr (!kBatch) return parallel_sum<EdgeId>(pool, values.size(), edges_of);
      },
      column.values);
}

}  // namespace

Json column_value(const AnswerColumn& column, VertexId v) {
  return of_single(column,
                   [&]<class T>(std::span<const T> values) { return values[v] == kNoValue<T> ? Json() : Json(values[v]); });
}

TopValues top_of(const AnswerColumn& column, std::size_t k) {
  TopValues top{column.name, {}};
  of_single(column, [&]<class T>(std::span<const T> values) {
    if constexpr (std::is_same_v<T, VertexId>) {
      if (column.digest == DigestBy::groups) {
        top.of = std::exchange(top.name, "size");
        const std::vector<std::uint64_t> sizes = group_sizes(values);
        for (const auto& [v, size] : largest_of<std::uint64_t>(sizes, k, 0)) top.rows.emplace_back(v, size);
        return;
      }
    }
    for (const auto& [v, value] : largest_of<T>(values, k, kNoValue<T>)) top.rows.emplace_back(v, value);
  });
  return top;
}

Json digest_json(const Digest& digest, const VertexNames& names) {
  Json all;
  if (digest.source) all = {{"source", *digest.source}, {"source_label", name_json(names, *digest.source)}};
  for (const auto& [name, value] : digest.scalars) {
    Json* in = &all;
    std::string its = name;
    if (const std::size_t point = its.find('.'); point != its.npos) in = &all[its.substr(0, point)], its.erase(0, point + 1);
    std::visit(
        [&]<class T>(const T& number) {
          if constexpr (std::is_same_v<T, std::monostate>) {
            (*in)[its] = nullptr;
          } else {
            (*in)[its] = number;
          }
        },
        value);
  }
  if (digest.checksum) all["checksum"] = std::to_string(*digest.checksum);  // many readers round 64-bit numbers
  if (digest.sizes) {
    all["sizes"] = Json::array();
    for (const auto& [size, groups] : *digest.sizes)
      all["sizes"].push_back({{"size", size}, {digest.scalars.front().first, groups}});
  }
  if (digest.top) {
    all["top"] = Json::array();
    for (const auto& [v, score] : *digest.top)
      all["top"].push_back({{"vertex", v}, {"label", name_json(names, v)}, {"score", score}});
  }
  return all;
}

std::string digest_text(const Digest& digest, const VertexNames& names) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> all;
  if (digest.source) all.push_back(fmt::format("source {}", names.text(*digest.source)));
  for (const auto& [name, value] : digest.scalars) {
    if (!std::holds_alternative<std::monostate>(value)) all.push_back(with_blanks(name) + ' ' + number_text(value));
  }
  if (digest.checksum) all.push_back(fmt::format("checksum {}", *digest.checksum));
  std::string text = fmt::format("{}", fmt::join(all, ", "));
  for (std::size_t i = 0; digest.top && i < std::min(kShown, digest.top->size()); ++i) {
    const auto& [v, score] = (*digest.top)[i];
    text += fmt::format("{} {} ({:.6g})", i == 0 ? "; highest" : ",", names.text(v), score);
  }
  return text;
}

std::optional<double> counted_edges(Rate rate, const Graph& graph, const AnswerData& answer, ThreadPool& pool) {
  if (rate == Rate::examined) return std::nullopt;
  if (rate == Rate::reached && answer.columns.empty()) return 0;
  const EdgeId edges = rate == Rate::graph ? graph.num_edges() : out_edges_of_reached(answer.columns.front(), graph.out, pool);
  return static_cast<double>(edges) / (graph.symmetric ? 2 : 1);
}

Json name_json(const VertexNames& names, VertexId v) { return names.are_strings() ? Json(names.text(v)) : Json(names.number(v)); }

/// Returns the pattern of some passes over all lists.
AccessPattern AlgorithmInfo::access_pattern(const RunOptions&, const LoadEstimate&) const {
  constexpr double kPasses = 4;
  return {.passes = kPasses, .touched = 1, .reads_per_vertex = kPasses, .reads_per_arc = kPasses / 2, .in_order = true};
}

LinkTraffic AlgorithmInfo::link_traffic(const RunOptions& options, const LoadEstimate& graph, double) const {
  return {.all = kWholeLists * access_pattern(options, graph).passes, .linear = link_traffic_of_pass(graph).linear};
}

verify::Verdict AlgorithmInfo::check(const Graph&, const AnswerData&, const RunOptions&, bool, const verify::Passes&) const {
  raise<UsageError>("{} has no oracle to verify its answer by", facts.name);
}

std::vector<std::string_view> AlgorithmInfo::variants() const {
  return *facts.variant == '\0' ? std::vector<std::string_view>{} : std::vector<std::string_view>{facts.variant};
}

void AlgorithmInfo::set_variant(RunOptions&, const std::string& name) const {
  choose_name(name, std::string("variant of ") + facts.name, variants());
}

std::uint64_t AlgorithmInfo::taken_bytes(const RunOptions& options, const LoadEstimate& graph) const {
  const StateBytes bytes = state(options);
  const std::uint64_t each = !options.verify                           ? bytes.run
                             : *options.verify == VerifyBy::properties ? bytes.verified
                                                                       : bytes.by_serial;
  return graph.vertices * each + buffer_bytes(options, graph.arcs);
}

}  // namespace graphrun::inline GR_IDS
