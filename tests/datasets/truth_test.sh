#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The digests of datasets/manifest.tsv, which graphrun computed, against results that were computed elsewhere: the folder
# truth/ of the shared data sets, whose README has the definitions. Nothing is run here.
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
source_tree="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
# shellcheck source=../../datasets/common.sh
source "$source_tree/datasets/common.sh"
# shellcheck source=../../datasets/answers.sh
source "$source_tree/datasets/answers.sh"

shared="${GRAPHRUN_SHARED:-$source_tree/../shared/datasets}"
if [[ ! -d "$shared/truth" ]]; then
  [[ -z "${GRAPHRUN_SHARED:-}" ]] || { echo "GRAPHRUN_SHARED is $shared, which lacks truth/" >&2; exit 1; }
  echo "skipped: set GRAPHRUN_SHARED to the folder that holds truth/"
  exit 77
fi

failures=0
compared=0

expect_equal() {
  [[ "$2" == "$3" ]] || { echo "FAILED: $1 is $2 in the manifest, $3 in truth/" >&2; failures=$((failures + 1)); }
}

# A rank of six digits against one of all digits.
expect_rank() {
  awk -v found="$2" -v expected="$3" 'BEGIN { d = found - expected; if (d < 0) d = -d; exit !(d <= 1e-5 * expected) }' ||
    { echo "FAILED: $1 is $2 in the manifest, $3 in truth/" >&2; failures=$((failures + 1)); }
}

compare() {
  local name="$1" truth rank
  truth="$(cat "$shared/truth/$name.json")"
  expect_equal "$name: n" "$(field "$name" n)" "$(joined "$truth" n)"
  expect_equal "$name: m" "$(field "$name" m)" "$(joined "$truth" m)"
  expect_equal "$name: bfs" "$(field "$name" bfs)" \
    "$(joined "$truth" source bfs_directed.reached bfs_directed.eccentricity bfs_directed.checksum)"
  expect_equal "$name: sssp" "$(field "$name" sssp)" \
    "$(joined "$truth" source sssp_directed.reached sssp_directed.max_distance sssp_directed.checksum)"
  expect_equal "$name: cc" "$(field "$name" cc)" "$(joined "$truth" wcc.count wcc.largest)"
  rank="$(field "$name" pagerank)"
  [[ "$rank" == '*:'* ]] ||
    expect_equal "$name: vertex of the highest rank" "${rank%:*}" "$(joined "$truth" pagerank.top.vertex)"
  expect_rank "$name: highest rank" "${rank#*:}" "$(joined "$truth" pagerank.top.score)"
  compared=$((compared + 1))
}

for name in $(names_with bfs); do
  [[ ! -f "$shared/truth/$name.json" ]] || compare "$name"
done
echo "$compared graphs compared"
((compared > 0 && failures == 0))
