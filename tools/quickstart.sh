#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# First contact: installs what is missing, builds the programs, fetches one real graph (a crawl of the web site of Notre
# Dame, 325,729 pages, 929,849 links) and runs the four algorithms on it and on a generated graph, each answer verified.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh

case "${1:-}" in
  "") ;;
  -h | --help) echo "usage: tools/quickstart.sh    (environment: JOBS, GRAPHRUN_CUDA)"; exit 0 ;;
  *) echo "usage: tools/quickstart.sh" >&2; exit 2 ;;
esac

exec < /dev/null
jobs="${JOBS:-$(default_jobs)}"
log=build/quickstart.log
processor_minutes=8  # of compiling; CUDA code for two generations of GPUs takes more
if [[ "${GRAPHRUN_CUDA:-AUTO}" != OFF ]] && command -v nvcc > /dev/null; then
  processor_minutes=23
  cuda=", with CUDA (GRAPHRUN_CUDA=OFF in the environment leaves it out, which takes a third of the time)"
fi
cat <<TEXT
1. installs packages that are missing (tools/install_deps.sh --check lists them)
2. builds the programs in build/ by $jobs jobs${cuda:-}: about $(((processor_minutes + jobs - 1) / jobs)) minutes on an idle machine; the log is $log
3. fetches a crawl of a web site (325,729 pages), and runs BFS, SSSP, CC and PageRank on it and on a generated graph: a minute
TEXT

step "packages"
bash tools/install_deps.sh

step "build"
quietly "$log" configure -DGRAPHRUN_BUILD_TESTS=OFF -DGRAPHRUN_BUILD_BENCH=OFF -DGRAPHRUN_BUILD_WIDE=OFF
quietly "$log" cmake --build build --parallel "$jobs"

step "fetch NotreDame_www"
real_graph=""
if fetched="$(bash datasets/fetch.sh --mtx NotreDame_www)"; then
  real_graph="$fetched"
else
  echo "the real graph could not be fetched (reason above); going on with a generated one only"
fi

# Gives both graphs the same seeded weights for SSSP; the crawl has none.
run_all() {
  local graph="$1" algorithm
  for algorithm in bfs sssp cc pagerank; do
    local arguments=(--graph "$graph" --algo "$algorithm" --backend emogi --verify)
    [[ "$algorithm" != sssp ]] || arguments+=(--weights random:1)
    step "graphrun ${arguments[*]}"
    build/graphrun "${arguments[@]}"
  done
}

if [[ -n "$real_graph" ]]; then
  run_all "$real_graph"
  container="${real_graph%.mtx}.grf"
  step "graphconv $real_graph $container, then BFS on edges that stay in that file"
  build/graphconv "$real_graph" "$container"
  build/graphrun --graph "$container" --algo bfs --backend emogi --verify
fi
run_all kron:18:16

step "done"
if [[ -z "$real_graph" ]]; then
  echo "note: only the generated graph was run, because NotreDame_www could not be fetched; datasets/README.md has the sources"
fi
echo "every answer above was verified, after $SECONDS s in all; build/graphrun --help has the options, datasets/fetch.sh --list more graphs"
