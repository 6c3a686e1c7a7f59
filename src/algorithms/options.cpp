// The options of single algorithms.
#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace graphrun::inline GR_IDS {

std::vector<RunOption> algorithm_options() {
  using Make = OptionMaker<RunOptions>;
  constexpr std::uint64_t kMostSources = 1'000'000;
  constexpr char kLetterless = '\0';
  constexpr bool kOften = true;
  const ReadBy starting = {.algorithms = {Algorithm::bfs, Algorithm::sssp, Algorithm::pagerank, Algorithm::bc}};
  const ReadBy sssp = {.algorithms = {Algorithm::sssp}};
  const ReadBy pagerank = {.algorithms = {Algorithm::pagerank}};
  const auto no_buckets = [](const RunOptions& options) -> std::string {
    return orders_by_distance(options) ? "" : "bellman-ford";
  };
  return {
      {Make::text({"Run", "source", "WHICH",
                   "bfs, sssp: a vertex by its name in the input, max-degree (default), random:SEED, or index:N, a vertex by its "
                   "number from 0; bc: the same, or several with commas between (names with commas in double quotes), from which "
                   "a trial starts (default: random); pagerank: restart there, also at several (default: at all vertices)",
                   kLetterless, kOften},
                  GR_FIELD(source), parse_source),
       starting},
      {Make::whole(
           {"Run", "sources", "K",
            "bfs, sssp: how many random sources to run from, drawn among vertices with out-edges, also twice (default 1); "
            "bc: how many a trial starts from (default 4 with gap, else all vertices); pagerank, with --source random:SEED: how "
            "many such vertices to "
            "restart at",
            kLetterless, kOften},
           GR_FIELD(num_sources), 1, kMostSources),
       starting},
      {Make::flag(
           {"Run", "batch", nullptr,
            "bfs: search from up to 64 of the --sources at once, so that a list is read once for many; finds levels without "
            "parents, and has a time for each batch and no GTEPS"},
           GR_FIELD(batch)),
       {.algorithms = {Algorithm::bfs}, .required = true}},
      {Make::positive({"Run", "delta", "D", "sssp: width of a bucket of distances (default: chosen from the weights)"},
                      GR_FIELD(sssp.delta)),
       {.algorithms = {Algorithm::sssp}, .when = "not bellman-ford", .unmet = no_buckets}},
      {Make::name(
           {"Run", "distances", "WIDTH",
            "sssp, float weights: f64 (default), or f32, whose relative error may be 2^-24 for each edge of a path, and which "
            "results show; over incore, emogi and uvm"},
           GR_FIELD(sssp.distances)),
       sssp},
      {Make::positive({"Run", "damping", "F", "pagerank: damping factor (default 0.85)"}, GR_FIELD(pagerank.damping)), pagerank},
      {Make::positive({"Run", "tolerance", "F", "pagerank: stop when less than this is left to change (default 1e-4)"},
                      GR_FIELD(pagerank.tolerance)),
       pagerank},
      {Make::name(
           {"Run", "stop", "RULE",
            "pagerank: what the tolerance is on: sum (default), of the changes of all ranks, which sum to 1; or largest, the "
            "true residual of each vertex, in units of the mean rank 1/n, which one more pass certifies"},
           GR_FIELD(pagerank.stop)),
       pagerank},
      {Make::whole(
           {"Run", "max-iterations", "N", "pagerank: stop after this many sweeps, or pushes along as many edges (default 1000)"},
           GR_FIELD(pagerank.max_iterations), 1),
       pagerank},
      {Make::name(
           {"Run", "definition", "NAME",
            "bc: gap (default), from 4 sources that also depend on themselves, divided by the largest sum; exact, from all "
            "vertices, and normalized, divided by (n-1)(n-2): as NetworkX's betweenness_centrality()"},
           GR_FIELD(bc.definition)),
       {.algorithms = {Algorithm::bc}}},
      {Make::flag(
           {"Run", "certify", nullptr,
            "pagerank: find the true residual of the ranks that are returned, by one more pass over the in-edges within the "
            "clock; not converged where it is not below the tolerance"},
           GR_FIELD(pagerank.certify)),
       pagerank},
  };
}

}  // namespace graphrun::inline GR_IDS
