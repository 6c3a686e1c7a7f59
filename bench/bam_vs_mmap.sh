#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bam on the CPU, with a cache of an eighth of the edges, beside the same algorithms over a mapped file (backend emogi on the
# CPU) under the same limit of memory. The two take turns, every trial begins cold, and the ratios of their medians are printed.
#
# The limit is what bam needs: the most anonymous memory it had in a run of its own, and a little for programs and page tables.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat <<TEXT
usage: bench/bam_vs_mmap.sh [--algos LIST] [--rounds N] [--iterations N] [--slack MIB] [--patience S] [--hot WHICH]
                            [--dir DIR] [GRAPH]
  GRAPH         a weighted .grf file (default: kron:22:16 with random weights, made in DIR or a temporary folder)
  --algos       default: bfs,cc,pagerank,sssp
  --rounds      trials of each (default 3)
  --iterations  of pagerank (default 5)
  --slack       MiB added to the limit (default 32)
  --hot         what bam keeps near for good (default: auto), filled before the clock
  --patience    seconds after which a run is given up, which then counts as that long (default 300)
environment: GRAPHRUN, GRAPHCONV (default: build/graphrun, build/graphconv)
Needs to be allowed to make memory control groups below its own (version 1 or 2); exit 77 where it is not.
TEXT
}

algos=bfs,cc,pagerank,sssp rounds=3 iterations=5 slack=32 patience=300 hot=auto dir="${TMPDIR:-/tmp}"
options "algos rounds iterations slack patience hot dir" "$@"
graph="${arguments[0]:-}"
graphrun="$(program graphrun GRAPHRUN)"
need jq

work="$(mktemp -d "$dir/graphrun-mmap-XXXXXX")"
group=""
clean_up() {
  rm -rf "$work"
  [[ -z "$group" ]] || rmdir "$group" 2> /dev/null || { sleep 1 && rmdir "$group"; }
}
trap clean_up EXIT

# Makes a control group below our own, and says in `limit_file` where its limit of memory is written.
make_group() {
  local own
  if own="$(grep -m 1 ':memory:' /proc/self/cgroup | cut -d : -f 3)" && [[ -n "$own" ]]; then
    group="/sys/fs/cgroup/memory$own/graphrun-$$" limit_file=memory.limit_in_bytes
  else
    own="$(grep -m 1 '^0::' /proc/self/cgroup | cut -d : -f 3)"
    group="/sys/fs/cgroup$own/graphrun-$$" limit_file=memory.max
  fi
  if ! mkdir "$group" 2> /dev/null || [[ ! -w "$group/$limit_file" ]]; then
    [[ ! -d "$group" ]] || rmdir "$group"
    group=""
    fail 77 "memory control groups cannot be made here"
  fi
}
make_group

if [[ -z "$graph" ]]; then
  graphconv="$(program graphconv GRAPHCONV)"
  graph="$work/k22.grf"
  "$graphconv" kron:22:16 "$graph" --weights random:1 --quiet
fi
[[ "$graph" == *.grf ]] || fail 2 "$graph is no .grf file: others are not read in place"

# run ALGO BACKEND [OPTION...], by the command in the array `by`. --memory: the limit is measured here, and graphrun's estimate of
# what a run takes is larger.
by=()
run() {
  local algo="$1" backend="$2"
  shift 2
  [[ "$algo" != pagerank ]] || set -- "$@" --variant pull --max-iterations "$iterations"
  exec "${by[@]}" "$graphrun" --graph "$graph" --trust-file --memory 1TiB --algo "$algo" --backend "$backend" --quiet --json - "$@"
}
# limited LIMIT ALGO BACKEND [OPTION...]: milliseconds
limited() {
  local by=(timeout "$patience") status=0
  echo "$1" > "$group/$limit_file"
  shift
  (echo "$BASHPID" > "$group/cgroup.procs" && run "$@") > "$work/result.json" 2> "$work/errors" || status=$?
  if ((status == 124)); then echo $((patience * 1000)) && return; fi
  ((status == 0)) || { cat "$work/errors" >&2; fail 1 "$* failed under its limit of memory"; }
  jq '.trials[0].time_ms' "$work/result.json"
}
# The most anonymous memory, in KiB, that a run has.
anonymous_kib() {
  local pid now most=0
  (run "$@") > "$work/result.json" 2> /dev/null &
  pid=$!
  while now="$(awk '/^RssAnon/ { print $2 }' "/proc/$pid/status" 2> /dev/null)" && [[ -n "$now" ]]; do
    ((now <= most)) || most="$now"
    sleep 0.02
  done
  wait "$pid"
  echo "$most"
}

edges="$( (run bfs emogi) | jq .graph.m)"
printf '%s: %s stored edges; the kernel reads up to %s KiB ahead\n' "$graph" "$edges" \
  "$(cat "/sys/class/bdi/$(mountpoint -d "$(stat -c %m "$graph")")/read_ahead_kb" 2> /dev/null || echo '?')"
printf '%-9s %10s %10s %12s %12s %8s\n' algorithm cache limit 'bam ms' 'mmap ms' ratio
for algo in ${algos//,/ }; do
  bytes=4
  [[ "$algo" != sssp ]] || bytes=8  # and a weight
  cache=$((edges * bytes / 8))
  limit=$((($(anonymous_kib "$algo" bam --cache "$cache" --hot "$hot") + slack * 1024) * 1024))
  bam="" mmap=""
  for ((round = 1; round <= rounds; ++round)); do
    bam+="$(limited "$limit" "$algo" bam --cache "$cache" --hot "$hot")"$'\n'
    same=()  # buckets of the same width
    [[ "$algo" != sssp ]] || same=(--delta "$(jq .chosen.delta "$work/result.json")")
    mmap+="$(limited "$limit" "$algo" emogi "${same[@]}")"$'\n'
  done
  bam="$(median <<< "$bam")" mmap="$(median <<< "$mmap")"
  awk -v a="$algo" -v c="$cache" -v l="$limit" -v b="$bam" -v m="$mmap" \
    'BEGIN { printf "%-9s %6.0f MiB %6.0f MiB %12.1f %12.1f %8.2f\n", a, c / 1048576, l / 1048576, b, m, m / b }'
done
