// SPDX-License-Identifier: Apache-2.0

#include "io/head_comments.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "io/entries.hpp"
#include "io/line_parser.hpp"
#include "io/text_source.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

/// Returns a count, also with commas between its digits.
std::optional<std::uint64_t> count_in(std::string text) {
  std::erase(text, ',');
  return whole_number(text);
}

/// Reads the first two comments of KONECT.
void take_konect(const std::vector<std::vector<std::string>>& comments, HeadComments& found) {
  constexpr std::array<std::string_view, 10> kWeights = {"unweighted",       "positive", "posweighted",   "signed",
                                                         "multisigned",      "weighted", "multiweighted", "dynamic",
                                                         "multiposweighted", "sparse"};
  if (comments.empty() || comments[0].size() < 3 || comments[0][0] != "%") return;
  const std::string& kind = comments[0][1];
  const std::string& weights = comments[0][2];
  if (kind != "bip" && kind != "sym" && kind != "asym") return;
  if (std::find(kWeights.begin(), kWeights.end(), weights) == kWeights.end()) return;
  found.bipartite = kind == "bip";
  found.undirected = kind == "sym";
  if (comments.size() < 2 || comments[1].size() < 4 || comments[1][0] != "%") return;
  const auto edges = count_in(comments[1][1]), left = count_in(comments[1][2]), right = count_in(comments[1][3]);
  if (!edges || !left || !right) return;
  found.sizes = {*left, *right};
  if (weights != "positive") found.announced.edges = edges;  // there a line may stand for several
  if (!found.bipartite && left == right) found.announced.vertices = left;
}

/// Reads a comment of SNAP.
void take_snap(const std::vector<std::string>& words, HeadComments& found) {
  if (words.size() >= 3 && words[0] == "#" && words[1] == "Undirected" && words[2].starts_with("graph")) found.undirected = true;
  if (words.size() < 3 || words[0] != "#" || words[1] != "Nodes:") return;
  found.announced.vertices = count_in(words[2]);
  if (words.size() >= 5 && words[3] == "Edges:") found.announced.edges = count_in(words[4]);
}

}  // namespace

HeadComments read_head_comments(const std::string& path) {
  constexpr std::size_t kCommentsHeadBytes = 4096;
  const std::string head = read_head(path, kCommentsHeadBytes);
  const char* const end = head.data() + head.size();
  std::vector<std::vector<std::string>> comments;
  HeadComments found;
  for (const char* p = head.data() + size_of_mark(head); p < end; p = next_line(p, end)) {
    p = skip_blanks(p, end);
    if (at_line_end(p, end)) continue;
    if (!kEdgeListComments(*p)) break;
    comments.push_back(fields_of_line(p, end, '\0'));
    take_snap(comments.back(), found);
  }
  take_konect(comments, found);
  return found;
}

}  // namespace graphrun::io::inline GR_IDS
