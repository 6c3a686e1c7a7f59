#!/usr/bin/env bash
# The sensitivities of bam that Qureshi et al. (ASPLOS 2023) show for graphs: to what the cache does (figure 8), to the storage
# device (figure 9), to the size of the cache (figure 10) and to the number of queue pairs (figure 11). One JSON object a line.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat <<TEXT
usage: bench/bam_figures.sh [--figures LIST] [--algos LIST] [--trials N] [--device NAME] [--storage WHICH] [--dir DIR] [GRAPH]
  GRAPH      a .grf file (default: kron:20:16, made in DIR or a temporary folder)
  --figures  default: 8,9,10,11; 8 needs a GPU, and is left out with a message where --device is cpu
  --algos    default: bfs
  --trials   runs of each setting, from different sources; medians are printed (default 3)
  --device   as graphrun has it (default: cpu)
  --storage  of figures 8, 10 and 11 (default: file)
environment: GRAPHRUN, GRAPHCONV (default: build/graphrun, build/graphconv)
The cache is an eighth of the edges where it is not what changes.
TEXT
}

figures=8,9,10,11 algos=bfs trials=3 device=cpu storage=file dir="${TMPDIR:-/tmp}"
options "figures algos trials device storage dir" "$@"
graph="${arguments[0]:-}"
graphrun="$(program graphrun GRAPHRUN)"
need jq

if [[ -z "$graph" ]]; then
  graphconv="$(program graphconv GRAPHCONV)"
  work="$(mktemp -d "$dir/graphrun-figures-XXXXXX")"
  trap 'rm -rf "$work"' EXIT
  graph="$work/k20.grf"
  "$graphconv" kron:20:16 "$graph" --quiet
fi
[[ -r "$graph" ]] || fail 1 "cannot read $graph"

# run FIGURE SETTING ALGO [OPTION...]: a line of medians.
run() {
  local figure="$1" setting="$2" algo="$3"
  shift 3
  case "$algo" in
    bfs | sssp) set -- "$@" --source random:27491095 --sources "$trials" ;;
    *) set -- "$@" --trials "$trials" ;;
  esac
  "$graphrun" --graph "$graph" --trust-file --algo "$algo" --backend bam --device "$device" --quiet --json - "$@" |
    jq -c --arg figure "$figure" --arg setting "$setting" '
      def median: sort | if length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
      {figure: ($figure | tonumber), algo: .options.algo, device: .options.device, setting: $setting, emulated,
       cache_bytes: .options.cache_bytes, time_ms: (.trials | map(.time_ms) | median),
       bytes_moved: (.trials | map(.bytes_moved) | median), requests: (.trials | map(.requests) | median)}'
}

edges="$("$graphrun" --graph "$graph" --trust-file --algo cc --backend incore --device cpu --quiet --json - | jq .graph.m)"
eighth=$((edges * 4 / 8))
figure_8() {
  if [[ "$device" == cpu ]]; then
    echo "$me: figure 8 is about lanes of a warp and is left out: say --device cuda" >&2
    return
  fi
  local how=(--cache "$eighth" --storage "$storage")
  run 8 "no cache" "$1" "${how[@]}" --bam-cache none --bam-coalesce off --bam-reuse off
  run 8 "cache" "$1" "${how[@]}" --bam-coalesce off --bam-reuse off
  run 8 "cache, coalescing" "$1" "${how[@]}" --bam-reuse off
  run 8 "cache, coalescing, reuse" "$1" "${how[@]}"
}
figure_9() {
  local profile
  for profile in unlimited optane-p5800x pm1735 980pro; do run 9 "$profile" "$1" --cache "$eighth" --storage "ram:$profile"; done
}
figure_10() {
  local share
  for share in 64 32 16 8 4 2 1; do run 10 "1/$share of the edges" "$1" --cache $((edges * 4 / share + 65536)) --storage "$storage"; done
}
figure_11() {
  local queues
  for queues in 1 2 4 8 16 32 64 128; do run 11 "$queues queue pairs" "$1" --cache "$eighth" --storage "$storage" --queues "$queues" --queue-depth 16; done
}

for figure in ${figures//,/ }; do
  declare -F "figure_$figure" > /dev/null || fail 2 "there is no figure '$figure': 8, 9, 10, 11"
  for algo in ${algos//,/ }; do "figure_$figure" "$algo"; done
done
