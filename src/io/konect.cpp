#include "io/konect.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <sstream>
#include <string_view>

#include "io/text_source.hpp"

namespace graphrun::io::inline GR_IDS {

std::optional<KonectHeader> konect_header(const std::string& path) {
  constexpr std::size_t kHeadBytes = 4096;
  constexpr std::array<std::string_view, 10> kWeights = {"unweighted",       "positive", "posweighted",   "signed",
                                                         "multisigned",      "weighted", "multiweighted", "dynamic",
                                                         "multiposweighted", "sparse"};
  std::istringstream lines(read_head(path, kHeadBytes));
  std::string line;
  std::string mark, kind, weights;
  if (!std::getline(lines, line) || !(std::istringstream(line) >> mark >> kind >> weights) || mark != "%") return std::nullopt;
  if (kind != "bip" && kind != "sym" && kind != "asym") return std::nullopt;
  if (std::find(kWeights.begin(), kWeights.end(), weights) == kWeights.end()) return std::nullopt;
  KonectHeader header{.bipartite = kind == "bip", .undirected = kind == "sym"};
  std::uint64_t edges = 0, left = 0, right = 0;
  if (std::getline(lines, line) && (std::istringstream(line) >> mark >> edges >> left >> right) && mark == "%") {
    header.sizes = {left, right};
  }
  return header;
}

}  // namespace graphrun::io::inline GR_IDS
