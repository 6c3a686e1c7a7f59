// SPDX-License-Identifier: Apache-2.0
// The format: "9th DIMACS Implementation Challenge: Shortest Paths", File formats, 2006.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "io/entries.hpp"
#include "io/formats.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

constexpr CommentMarks kDimacsComments{'c', 'c'};

struct ProblemLine {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;
  std::uint64_t line = 0;
};

/// Parses "p sp VERTICES ARCS", after comments and blank lines.
ProblemLine parse_problem_line(TextCursor& cursor) {
  const std::string form = "p sp VERTICES ARCS";
  HeaderLine header(cursor, kDimacsComments, "p line", form);
  if (const std::string letter = header.word(); letter != "p") {
    header.refuse(fmt::format("expected '{}', the first line that is no comment, found {}", form, quote_word(letter)));
  }
  if (const std::string problem = header.word(); problem != "sp") {
    header.refuse(fmt::format("problem {} is not supported, only 'sp' (shortest paths)", quote_word(problem)));
  }
  ProblemLine problem;
  problem.vertices = header.number();
  problem.arcs = header.number();
  problem.line = header.line();
  header.finish(cursor);
  header.check_vertices(problem.vertices, false, fmt::format("a graph of {}", problem.vertices));
  return problem;
}

}  // namespace

std::unique_ptr<EntryStream> open_dimacs(const std::string& path, const ReadOptions& options, ThreadPool& pool) {
  auto cursor = std::make_unique<TextCursor>(path, options.batch_bytes);
  const ProblemLine problem = parse_problem_line(*cursor);
  check_density(path, problem.vertices, problem.arcs);

  EntryFormat format;
  format.comments = kDimacsComments;
  format.rule.tag = 'a';
  format.rule.tag_form = "'a SOURCE TARGET WEIGHT' after the one 'p' line";
  format.rule.sources = {1, problem.vertices, fmt::format("the size that line {} announces", problem.line)};
  format.rule.targets = format.rule.sources;
  format.rule.valued = true;
  format.rule.whole_values = true;
  format.weights = options.weights;
  format.value_kind = first_kind(options);
  format.num_vertices = static_cast<VertexId>(problem.vertices);
  format.announced = problem.arcs;
  format.announcer = "the p line";
  format.entry_name = "arcs";
  return stream_entries(std::move(cursor), std::move(format), pool);
}

}  // namespace graphrun::io::inline GR_IDS
