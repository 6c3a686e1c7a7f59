// What the program knows of an algorithm beside how it computes: names, needs, and how to run, verify and show it. One class
// each, in the files beside this one.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "graphrun/graph/graph.hpp"
#include "graphrun/io/estimate.hpp"
#include "graphrun/run/result.hpp"
#include "graphrun/verify/properties.hpp"
#include "graphrun/verify/verify.hpp"
#include "run/algorithms/habits.hpp"

namespace graphrun::inline GR_IDS {

using Json = nlohmann::ordered_json;

/// Bytes a vertex that an algorithm takes beside the rows: state, frontiers, queues and the answer. Measured on graphs of degree
/// 4 and 32 and rounded up; searches over subgraphs have labels of 64 bits.
struct StateBytes {
  std::uint64_t run;
  std::uint64_t verified;   ///< with those of a check of properties
  std::uint64_t by_serial;  ///< with the serial oracle's
};

/// An answer as files have it: a value a vertex, or one for each search.
struct AnswerValues {
  const char* name;
  /// The largest number, or infinity, stands for none.
  std::variant<const std::vector<std::uint32_t>*, const std::vector<std::uint64_t>*, const std::vector<float>*,
               const std::vector<double>*, const BfsBatchOutput*>
      values;
  bool are_vertices = false;
};

/// The value of v; null where it has none. Not of a batch.
Json answer_json(const AnswerValues& answer, VertexId v);

/// What --top lists: vertices with the largest values, in descending order.
struct TopValues {
  const char* name;  ///< of the values
  std::vector<std::pair<VertexId, Json>> rows;
};

class AlgorithmInfo {
 public:
  virtual ~AlgorithmInfo() = default;

  virtual bool has_sources() const { return false; }
  /// Where a trial that starts from several vertices has them; null for those that do not.
  using SourceSet = std::vector<std::uint64_t>& (*)(RunOptions&);
  virtual SourceSet source_set() const { return nullptr; }
  /// Whether sources are drawn where none is named, and how many at a time; 0: a trial starts from all vertices.
  virtual bool needs_sources() const { return has_sources(); }
  virtual int usual_sources(const RunOptions&) const { return 1; }
  /// Whether sources are drawn among all vertices, each once, and not by GAP's rule.
  virtual bool draws_distinct(const RunOptions&) const { return false; }
  virtual bool needs_undirected() const { return false; }
  virtual bool needs_weights() const { return false; }
  /// Whether it walks in-edges, so that a directed graph needs its transpose.
  virtual bool needs_transpose(const RunOptions&) const { return false; }
  virtual StateBytes state(const RunOptions& options) const = 0;
  /// Bytes that it takes beside that for a graph with so many arcs.
  virtual std::uint64_t buffer_bytes(const RunOptions&, std::uint64_t) const { return 0; }
  /// Bytes that a run takes beside rows and edges, with those of the check that it asks for.
  virtual std::uint64_t taken_bytes(const RunOptions& options, const LoadEstimate& graph) const;

  virtual Habits habits(const RunOptions&, const LoadEstimate&) const = 0;
  /// `first`: how many edges of each list are near.
  virtual LinkHabits link_habits(const RunOptions&, const LoadEstimate&, double first) const = 0;
  /// Of the bytes that a cold trial on a CPU moves over lists that are not thin, the share left when so many leading edges of
  /// each are near.
  virtual double share_behind_heads(const RunOptions&, const LoadEstimate&, double) const { return 1; }

  /// Whether it reads Csr::records, and no neighbours.
  virtual bool reads_records(const RunOptions&) const { return false; }

  virtual std::vector<std::string_view> variants() const = 0;
  /// Replaces a variant that is left to the run by one that suits the graph; returns why, or nothing where one was named.
  virtual std::string settle(RunOptions&, const LoadEstimate&) const { return {}; }
  virtual void set_variant(RunOptions& options, const std::string& name) const = 0;
  virtual const char* variant(const RunOptions& options) const = 0;

  /// One trial; `sources` is for those that have sources: one, or a batch. Fills `output` unless it is null, and what `result`
  /// has of choices.
  virtual Trial run(Session& session, std::span<const VertexId> sources, RunResult& result, Output* output) const = 0;
  /// Whether there is a check that costs less than the answer computed anew.
  virtual bool has_properties() const { return true; }
  /// As result.options.verify says; `how` is for checks of properties.
  virtual verify::Verdict check(const Graph& graph, const Output& output, const RunResult& result, bool converged,
                                const verify::Passes& how) const = 0;

  virtual Digest digest(const Output& output) const = 0;
  /// One a source.
  virtual std::vector<Digest> digests(const Output& output) const { return {digest(output)}; }
  virtual Json digest_json(const Digest& digest, const VertexNames& names) const = 0;
  virtual std::string digest_text(const Digest& digest, const VertexNames& names) const = 0;
  /// What it chose or found out about itself; in words each begins with a comma.
  virtual Json chosen_json(const RunResult&) const { return Json::object(); }
  virtual std::string chosen_text(const RunResult&) const { return {}; }
  /// Why there are no values(); empty: there are.
  virtual std::string why_no_values() const { return {}; }
  virtual AnswerValues values(const Output& output, bool parents) const = 0;
  virtual TopValues top(const Output& output, std::size_t k) const;

  /// Edges that GTEPS counts; none: those that a trial examined. Walks the answer once.
  virtual std::optional<double> input_edges(const Graph& graph, const Output& output) const = 0;
  virtual std::string input_edges_in_words(bool symmetric) const = 0;

  /// Whether packed lists are what a GPU is to decode for it. Only those compiled for PackedPlaces can.
  virtual bool gpus_decode(const RunOptions&) const { return false; }
};

/// What is alike where an algorithm's options, with a variant among them, are in a field of RunOptions.
template <auto kOptions, class OutputType>
class AlgorithmOf : public AlgorithmInfo {
 public:
  std::vector<std::string_view> variants() const override { return names_of<Variant>(); }
  void set_variant(RunOptions& options, const std::string& name) const override {
    (options.*kOptions).variant = parse_name<Variant>(name);
  }
  const char* variant(const RunOptions& options) const override { return name_of((options.*kOptions).variant); }
  Digest digest(const Output& output) const override { return graphrun::digest(std::get<OutputType>(output)); }

 protected:
  /// Where the answer of a trial goes; null: nowhere.
  template <class Type = OutputType>
  static Type* made_in(Output* output) {
    return output == nullptr ? nullptr : &output->emplace<Type>();
  }

 private:
  using Variant = decltype((RunOptions{}.*kOptions).variant);
};

const AlgorithmInfo& info_of(Algorithm algorithm);

/// For settle() and plans: what estimate_load() tells of a file before it is read.
LoadEstimate what_is_known_of(const Graph& graph);

template <class Info>
const AlgorithmInfo& only_one() {
  static const Info kInfo;
  return kInfo;
}
// For info_of().
const AlgorithmInfo& bfs_info();
const AlgorithmInfo& sssp_info();
const AlgorithmInfo& cc_info();
const AlgorithmInfo& pagerank_info();
const AlgorithmInfo& bc_info();
const AlgorithmInfo& tc_info();

/// A number where the input calls vertices by numbers.
Json name_json(const VertexNames& names, VertexId v);

// The highest of a digest.
Json top_json(const std::vector<std::pair<VertexId, double>>& top, const VertexNames& names);
std::string top_text(const std::vector<std::pair<VertexId, double>>& top, const VertexNames& names);

/// Input edges of a graph, undirected ones counted once; in words.
double edges_of_graph(const Graph& graph);
std::string edges_of_graph_in_words(bool symmetric);

/// Out-degrees of the vertices that were reached, added up; half of it when each edge is stored twice.
template <class T>
double edges_of_reached(const Graph& graph, const std::vector<T>& values, T unreached) {
  EdgeId edges = 0;
  for (std::size_t v = 0; v < values.size(); ++v) {
    if (values[v] != unreached) edges += graph.out.degree(static_cast<VertexId>(v));
  }
  return static_cast<double>(edges) / (graph.symmetric ? 2 : 1);
}
std::string edges_of_reached_in_words(bool symmetric);

}  // namespace graphrun::inline GR_IDS
