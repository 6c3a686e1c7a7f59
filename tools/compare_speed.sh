#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Finds slowdowns between two commits: runs both in turn over a table of cells, and exits 1 when a cell became slower.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh

usage() {
  cat <<TEXT
usage: tools/compare_speed.sh OLD [NEW] [option...]
  OLD, NEW          each a commit, which is built (Release), or an executable graphrun with graphconv beside it;
                    NEW is this checkout as it is where none is named
  --turns N         turns of OLD and NEW for each cell, whose medians are compared (default 5)
  --trials N        trials of each turn, whose median is its time (default 3)
  --scale N         graphs of 2^N vertices (default 18, or 22 on a GPU)
  --device NAME     cpu or cuda (default: cuda where there is a GPU)
  --threads N       host threads (default: as graphrun's)
  --cells PATTERN   cells to compare, a regular expression over "ALGORITHM GRAPH BACKEND" (default: all)
  --limit PERCENT   a cell lost when NEW takes so much longer (default 5)
  --scratch FOLDER  keeps builds and graphs there, and takes builds that are there (default: a folder that is removed)
exit: 0 no cell lost, 1 some did, 2 usage, or a build or a run failed
TEXT
}

fail() { printf 'compare_speed: %s\n' "$*" >&2; exit 2; }
whole() { [[ "$2" =~ ^[1-9][0-9]*$ ]] || fail "$1 takes a whole number from 1, not '$2'"; }

turns=5 trials=3 scale='' device='' threads=() cells='' limit=5 scratch='' named=()
while (($#)); do
  case "$1" in
    -h | --help) usage; exit 0 ;;
    --turns | --trials | --scale | --device | --threads | --cells | --limit | --scratch)
      (($# > 1)) || fail "$1 needs a value"
      case "$1" in
        --turns) whole "$@"; turns="$2" ;;
        --trials) whole "$@"; trials="$2" ;;
        --scale) whole "$@"; scale="$2" ;;
        --device) [[ "$2" == cpu || "$2" == cuda ]] || fail "--device takes cpu or cuda, not '$2'"; device="$2" ;;
        --threads) whole "$@"; threads=(--threads "$2") ;;
        --cells) cells="$2" ;;
        --limit) [[ "$2" =~ ^[0-9]+(\.[0-9]+)?$ ]] || fail "--limit takes a number, not '$2'"; limit="$2" ;;
        --scratch) scratch="$2" ;;
      esac
      shift 2 ;;
    -*) usage >&2; fail "there is no option $1" ;;
    *) named+=("$1"); shift ;;
  esac
done
((${#named[@]} == 1 || ${#named[@]} == 2)) || { usage >&2; exit 2; }
if [[ -z "$device" ]]; then
  if nvidia-smi -L > /dev/null 2>&1; then device=cuda; else device=cpu; fi
fi
if [[ -z "$scale" ]]; then
  if [[ "$device" == cuda ]]; then scale=22; else scale=18; fi
fi

is_program() { [[ -f "$1" && -x "$1" ]]; }
for each in "${named[@]}"; do
  is_program "$each" || git rev-parse --verify --quiet "$each^{commit}" > /dev/null || fail "'$each' is no commit and no executable"
done
worktrees=()
finish() {
  for each in "${worktrees[@]}"; do git worktree remove --force "$each"; done
  if [[ "$is_temporary" == 1 ]]; then rm -rf "$scratch"; fi
}
is_temporary=0
if [[ -z "$scratch" ]]; then
  scratch="$(mktemp -d)"
  is_temporary=1
fi
trap finish EXIT
mkdir -p "$scratch"
scratch="$(cd "$scratch" && pwd)"

# build SOURCES FOLDER: graphrun and graphconv.
build() {
  local options=(-DCMAKE_BUILD_TYPE=Release -DGRAPHRUN_BUILD_TESTS=OFF -DGRAPHRUN_BUILD_BENCH=OFF -DGRAPHRUN_BUILD_WIDE=OFF "${unity[@]}")
  if [[ "$device" == cpu ]]; then options+=(-DGRAPHRUN_CUDA=OFF); fi
  if cmake -S "$1" -B "$2" -G Ninja "${options[@]}" > "$2.log" 2>&1 &&
    cmake --build "$2" --parallel "${JOBS:-$(default_jobs)}" --target graphrun graphconv >> "$2.log" 2>&1; then return; fi
  tail -n 20 "$2.log" >&2
  fail "the build of $1 failed"
}

# Sets `program` to the graphrun of OLD or NEW.
choose() {
  if [[ -z "$1" ]]; then
    build . "$scratch/checkout"
    program="$scratch/checkout/graphrun"
  elif is_program "$1"; then
    program="$(realpath "$1")"
    is_program "${program%/*}/graphconv" || fail "there is no graphconv beside $1"
  else
    local commit sources
    commit="$(git rev-parse --verify "$1^{commit}")"
    program="$scratch/$commit/graphrun"
    if is_program "$program" && is_program "$scratch/$commit/graphconv"; then return; fi
    sources="$scratch/sources-$commit"
    git worktree add --quiet --force --detach "$sources" "$commit" > /dev/null
    worktrees+=("$sources")
    build "$sources" "$scratch/$commit"
  fi
}
choose "${named[0]}"
old="$program"
choose "${named[1]:-}"
new="$program"

side=$((1 << (scale / 2)))
declare -A graphs=([kron]="kron:$scale" [urand]="urand:$scale" [web]="web:$scale" [grid]="grid:$side:$(((1 << scale) / side))")

# make_graphs SIDE PROGRAM: makes containers with and without weights by that program.
make_graphs() {
  local folder="$scratch/graphs-$1" name
  mkdir -p "$folder"
  for name in "${!graphs[@]}"; do
    "${2%/*}/graphconv" "${graphs[$name]}" "$folder/$name.grf" --quiet || fail "$2: graphconv ${graphs[$name]} failed"
    "${2%/*}/graphconv" "${graphs[$name]}" "$folder/$name-weights.grf" --weights random:1 --quiet ||
      fail "$2: graphconv ${graphs[$name]} --weights random:1 failed"
  done
}
make_graphs old "$old"
make_graphs new "$new"

# run_once SIDE PROGRAM ALGORITHM GRAPH BACKEND: prints milliseconds; exits 77 where the machine cannot run the cell.
run_once() {
  local file="$scratch/graphs-$1/$4.grf" cache=() status=0 json bytes
  if [[ "$3" == sssp ]]; then file="$scratch/graphs-$1/$4-weights.grf"; fi
  if [[ "$5" == bam ]]; then
    bytes="$(stat -c %s "$file")"
    cache=(--cache $((bytes < 8388608 ? 1048576 : bytes / 8)))
  fi
  json="$("$2" "$file" --algo "$3" --backend "$5" "${cache[@]}" --device "$device" "${threads[@]}" --trials "$trials" --warm --quiet \
    --json - 2> "$scratch/error")" || status=$?
  if ((status == 77)); then return 77; fi
  ((status == 0)) || fail "$2 $file --algo $3 --backend $5 ${cache[*]} ended with $status: $(tail -n 1 "$scratch/error")"
  sed -n 's/.*"median_ms": *\([0-9.e+-]*\).*/\1/p' <<< "$json" | grep . || fail "$2: the JSON has no median_ms"
}
median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

printf '%-9s %-6s %-7s %12s %12s %9s\n' algorithm graph backend 'old (ms)' 'new (ms)' 'new / old'
lost=() compared=0
for algorithm in bfs sssp cc pagerank; do
  for graph in kron urand web grid; do
    for backend in incore emogi bam; do
      cell="$algorithm $graph $backend"
      [[ "$cell" =~ $cells ]] || continue
      : > "$scratch/times-old"
      : > "$scratch/times-new"
      status=0
      for ((turn = 0; turn < turns && status == 0; ++turn)); do
        for which in old new; do
          run_once "$which" "${!which}" "$algorithm" "$graph" "$backend" >> "$scratch/times-$which" || { status=$?; break; }
        done
      done
      if ((status == 77)); then
        printf '%-9s %-6s %-7s not available here: %s\n' "$algorithm" "$graph" "$backend" "$(tail -n 1 "$scratch/error")"
        continue
      fi
      ((status == 0)) || exit 2
      before="$(median < "$scratch/times-old")" after="$(median < "$scratch/times-new")"
      ratio="$(awk -v a="$before" -v b="$after" 'BEGIN { printf "%.3f", (a > 0 ? b / a : 1) }')"
      printf '%-9s %-6s %-7s %12.3f %12.3f %9s\n' "$algorithm" "$graph" "$backend" "$before" "$after" "$ratio"
      compared=$((compared + 1))
      if awk -v a="$before" -v b="$after" -v limit="$limit" 'BEGIN { exit !(b > a * (1 + limit / 100)) }'; then
        lost+=("$cell: $before ms, then $after ms ($ratio)")
      fi
    done
  done
done
((compared > 0)) || fail "no cell was compared"
if ((${#lost[@]} == 0)); then
  echo "$compared cells, none lost more than $limit %"
else
  echo "${#lost[@]} of $compared cells lost more than $limit %:"
  printf '  %s\n' "${lost[@]}"
  exit 1
fi
