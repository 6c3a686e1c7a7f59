// SPDX-License-Identifier: Apache-2.0
// Text of other tools that is no edge list, and would be read as one, or as nothing.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "core/raise.hpp"
#include "graphrun/core/names.hpp"
#include "io/entries.hpp"
#include "io/formats.hpp"
#include "io/line_parser.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

using Words = std::vector<std::string_view>;

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

/// Returns the words between blanks.
Words words_of(std::string_view line) {
  Words words;
  const char* const end = line.data() + line.size();
  for (const char *p = skip_blanks(line.data(), end), *past = p; p < end; p = skip_blanks(past, end)) {
    past = token_end(p, end);
    words.emplace_back(p, static_cast<std::size_t>(past - p));
  }
  return words;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// The first lines of a text, without blank ones.
struct ForeignHead {
  explicit ForeignHead(std::string_view head) {
    constexpr std::size_t kMostLines = 2000;
    while (!head.empty() && lines.size() < kMostLines) {
      const std::size_t length = std::min(head.find('\n'), head.size());
      const std::string_view line = trimmed(head.substr(0, length));
      if (!line.empty()) lines.push_back(line);
      if (!line.empty() && !kEdgeListComments(line.front())) rows.push_back(line);
      head.remove_prefix(std::min(length + 1, head.size()));
    }
  }

  template <class Predicate>
  bool all_rows(const Predicate& holds) const {
    return !rows.empty() && std::all_of(rows.begin(), rows.end(), holds);
  }

  std::vector<std::string_view> lines;
  std::vector<std::string_view> rows;  ///< lines that are no comments of an edge list
};

/// Throws the advice to convert by networkx; `reader` is the argument of write_edgelist.
[[noreturn]] void refuse_for_networkx(const std::string& path, std::string_view what, std::string_view reader) {
  raise<DataError>(
      "{} is {}, which is not read: write its edges by python3 -c \"import networkx as nx; "
      "nx.write_edgelist(nx.{}, 'edges.tsv', delimiter='\\t', data=['weight'])\" (data=False without weights), and read those",
      path, what, fmt::format(fmt::runtime(reader), path));
}

/// Refuses formats that the first line tells.
void refuse_by_first_line(const std::string& path, const ForeignHead& head, std::string_view text) {
  const std::string_view first = head.lines.front();
  const std::string small = in_small_letters(first.substr(0, 64));
  const Words words = words_of(small);
  const std::string_view next = head.lines.size() > 1 ? head.lines[1] : std::string_view();
  const auto opens = [&](char bracket) { return first.find(bracket) != first.npos || next.starts_with(bracket); };
  const auto begins = [&](std::string_view mark) { return small.starts_with(mark); };
  const auto opens_graph = [](std::string_view line) {
    const std::string_view rest = line.starts_with("graph") ? trimmed(line.substr(5)) : "-";
    return rest.empty() || rest == "[";
  };
  const bool is_graph = words[0] == "graph" || words[0].starts_with("graph[");
  const bool is_gml = words[0] == "creator" ? std::ranges::any_of(head.lines, opens_graph) : is_graph && opens('[');
  const bool is_dot = is_graph || words[0] == "digraph" || words[0] == "strict" || words[0].starts_with("digraph{");
  constexpr std::string_view kPajek[] = {"*vertices", "*network", "*arcs", "*edges", "*matrix"};
  const std::string_view json = text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  const std::size_t inner = json.empty() ? json.npos : json.find_first_not_of(" \t\r\n", 1);
  const char after = inner == json.npos ? ' ' : json[inner];
  const bool is_json = (json.starts_with("{") && after == '"') || (json.starts_with("[") && (after == '{' || after == '['));
  const bool is_adjacency = is_json && contains(json, "\"adjacency\"");
  const bool is_node_link =
      is_json && contains(json, "\"source\"") && (contains(json, "\"links\"") || contains(json, "\"edges\""));
  const struct {
    bool is;
    const char* what;
    const char* reader;
  } formats[] = {
      {begins("<") && contains(text, "<graphml"), "GraphML", "read_graphml('{}')"},
      {begins("<") && contains(text, "<gexf"), "GEXF", "read_gexf('{}')"},
      {is_gml, "GML", "read_gml('{}')"},
      {is_dot && opens('{'), "DOT (Graphviz)", "nx_pydot.read_dot('{}')"},
      {std::ranges::any_of(kPajek, begins), "Pajek", "read_pajek('{}')"},
      {begins("leda.graph"), "LEDA", "read_leda('{}')"},
      {is_adjacency, "JSON (adjacency)", "adjacency_graph(__import__('json').load(open('{}')))"},
      {is_node_link, "JSON (node-link)", "node_link_graph(__import__('json').load(open('{}')))"},
  };
  for (const auto& [is, what, reader] : formats) {
    if (is) refuse_for_networkx(path, what, reader);
  }
  std::string sizes = small + in_small_letters(next);  // "DL n = 4", "DL\nN=4"
  std::erase_if(sizes, is_blank);
  if (words[0] == "dl" && contains(sizes, "n="))
    raise<DataError>("{} is UCINET's DL, which is not read: write its edges as CSV, and read those", path);
}

/// Tells a line of graph6, digraph6 (&) or sparse6 (:) of nauty: bits in letters, one of which is the bar. The first letters give
/// the number of vertices, and so the number of letters that follow.
bool is_graph6(std::string_view row) {
  constexpr int kBits = 6;
  constexpr int kFirst = 63;
  const char kind = row.front() == ':' || row.front() == '&' ? row.front() : ' ';
  if (kind != ' ') row.remove_prefix(1);
  if (row.empty() || std::ranges::any_of(row, [](char c) { return c < kFirst || c > kFirst + 63; })) return false;
  const auto n = static_cast<std::size_t>(row.front() - kFirst);
  const std::size_t bits = kind == '&' ? n * n : n * (n - 1) / 2;
  return kind == ':' || (n > 1 && row.size() == 1 + (bits + kBits - 1) / kBits);
}

void refuse_graph6(const std::string& path, const ForeignHead& head) {
  const std::string_view first = head.lines.front();
  if (first.starts_with(">>sparse6<<") || (head.all_rows(is_graph6) && first.starts_with(':')))
    refuse_for_networkx(path, "sparse6", "read_sparse6('{}')");
  if (first.starts_with(">>graph6<<") || head.all_rows(is_graph6)) refuse_for_networkx(path, "graph6", "read_graph6('{}')");
}

/// Refuses adjacency lists of networkx, whose second comment has the time.
void refuse_adjacency_list(const std::string& path, const ForeignHead& head) {
  for (const std::string_view line : head.lines) {
    if (!line.starts_with('#')) return;
    if (!line.starts_with("# GMT ")) continue;
    const bool multiline = std::any_of(head.rows.begin(), head.rows.end(), [](auto row) { return contains(row, "{"); });
    refuse_for_networkx(path, multiline ? "a multiline adjacency list of networkx" : "an adjacency list of networkx",
                        multiline ? "read_multiline_adjlist('{}')" : "read_adjlist('{}')");
  }
}

/// Refuses LGL: a line "# VERTEX" for each vertex, and a line "NEIGHBOUR [WEIGHT]" for each of its edges. As an edge list these
/// are comments, and edges from neighbours to weights.
void refuse_lgl(const std::string& path, const ForeignHead& head) {
  Words titles;
  bool follow_rows = false;
  for (std::size_t i = 0; i < head.lines.size(); ++i) {
    if (!head.lines[i].starts_with('#')) continue;
    const Words words = words_of(head.lines[i]);
    if (words.size() != 2 || words[0] != "#") return;
    titles.push_back(words[1]);
    follow_rows = follow_rows || i >= titles.size();
  }
  if (titles.empty() || !head.lines.front().starts_with('#')) return;
  const auto reads_like_entry = [](std::string_view row) {
    const Words words = words_of(row);
    return !words.empty() && words.size() <= 2 && row.find_first_of(",;\t") == row.npos;
  };
  if (!head.all_rows(reads_like_entry)) return;
  const auto has_one_word = [](std::string_view row) { return words_of(row).size() == 1; };
  const bool unweighted = std::any_of(head.rows.begin(), head.rows.end(), has_one_word);
  if (!follow_rows && !unweighted) {  // "# edges" before an edge list, unless the word is a vertex of it
    const auto is_vertex = [&](std::string_view title) {
      return reads_like_id(title) || std::ranges::any_of(head.rows, [&](auto row) { return words_of(row)[0] == title; });
    };
    if (std::ranges::none_of(titles, is_vertex)) return;
  }
  raise<DataError>(
      "{} reads like LGL, with a line '# VERTEX' before the neighbours of each: write its edges by python3 -c \"import igraph; "
      "igraph.Graph.Read_Lgl('{}').write_ncol('edges.txt')\", or say --format el if lines with # are comments",
      path, path);
}

/// Refuses TGF: a line "#" between its vertices, an id and a label each, and its edges.
void refuse_tgf(const std::string& path, const ForeignHead& head) {
  const auto between = std::find(head.lines.begin(), head.lines.end(), "#");
  const auto is_row = [](std::string_view line) { return !line.starts_with('#'); };
  if (between == head.lines.end() || std::none_of(head.lines.begin(), between, is_row) ||
      std::none_of(between, head.lines.end(), is_row))
    return;
  raise<DataError>(
      "{} reads like TGF, with a line '#' between vertices and edges: write its edges by sed '1,/^#$/d' {} > edges.txt, and read "
      "those, or say --format el if that line is a comment",
      path, path);
}

/// Refuses "a -> b", "a--b", "(1, 2)", "[1, 2]" and the like.
void refuse_decorated(const std::string& path, const ForeignHead& head) {
  constexpr std::array<std::string_view, 6> kArrows = {"->", "=>", "<-", "--", "<->", "\xe2\x86\x92"};
  const auto has_arrow = [&](std::string_view row) {
    const Words words = words_of(row);
    const auto has = [&](std::string_view arrow) { return contains(row.substr(1), arrow) && !row.ends_with(arrow); };
    if (words.size() >= 3 && std::ranges::find(kArrows, words[1]) != kArrows.end()) return true;
    return words.size() == 1 && row.find_first_of(",;\t") == row.npos && std::ranges::any_of(kArrows, has);
  };
  if (head.all_rows(has_arrow)) {
    raise<DataError>(
        "{} has arrows or dashes between its vertices ('{}'): replace them by tabs, as in sed -E 's/[ ]*(<->|<-|->|=>|--)[ "
        "]*/\\t/' "
        "{} | graphconv - OUT.grf; --columns 1,3 takes the first and third word of each line",
        path, printable(head.rows.front()), path);
  }
  const auto in_brackets = [](std::string_view row) {
    while (row.ends_with(',') || row.ends_with(';')) row.remove_suffix(1);
    row = trimmed(row);
    constexpr std::string_view kOpen = "([{";
    const std::size_t kind = row.empty() ? kOpen.npos : kOpen.find(row.front());
    if (row.starts_with("{\"")) return false;  // JSON
    return kind != kOpen.npos && row.size() > 2 && row.back() == ")]}"[kind] && row.find_first_of(", \t;") != row.npos;
  };
  if (head.all_rows(in_brackets)) {
    raise<DataError>(
        "{} has its edges in brackets ('{}'): write an edge a line, without them, as in tr -d '()[]{{}}' < {} | graphconv - "
        "OUT.grf; "
        "--format csv or el takes brackets for a part of names",
        path, printable(head.rows.front()), path);
  }
  const auto is_tagged = [](std::string_view row) {
    const Words words = words_of(row);
    return words.size() >= 3 && words[0] == "e" && reads_like_id(words[1]) && reads_like_id(words[2]);
  };
  if (head.all_rows(is_tagged)) {
    raise<DataError>(
        "{} has lines 'e U V' as DIMACS has them for colouring: --columns 2,3 takes U and V, --columns 1,2 takes vertices "
        "called e",
        path);
  }
}

}  // namespace

void refuse_foreign_text(const std::string& path, std::string_view text) {
  const ForeignHead head(text);
  if (head.lines.empty()) return;
  refuse_by_first_line(path, head, text);
  refuse_graph6(path, head);
  refuse_adjacency_list(path, head);
  refuse_lgl(path, head);
  refuse_tgf(path, head);
  refuse_decorated(path, head);
}

}  // namespace graphrun::io::inline GR_IDS
