#include "run/algorithms/algorithm_info.hpp"

namespace graphrun::inline GR_IDS {

const AlgorithmInfo& info_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::bfs:
      return bfs_info();
    case Algorithm::sssp:
      return sssp_info();
    case Algorithm::cc:
      return cc_info();
    case Algorithm::pagerank:
      return pagerank_info();
  }
  throw UsageError("there is no such algorithm");
}

Json name_json(const VertexNames& names, VertexId v) { return names.are_strings() ? Json(names.text(v)) : Json(names.number(v)); }

std::string edges_of_reached_in_words(bool symmetric) {
  const char* const half = symmetric ? ", halved because each undirected edge is stored twice" : "";
  return std::string("input edges within the traversed component (out-degrees of the reached vertices added up") + half +
         ") / time";
}

}  // namespace graphrun::inline GR_IDS
