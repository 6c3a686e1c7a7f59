#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Converts a graph into every format that is written and back, within a limit of memory, and sees that what comes back is
# what went out, byte for byte. Prints sizes, times and the largest resident set of each conversion. Or times reading every format.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat <<TEXT
usage: bench/formats.sh [--memory SIZE | --loads N] [--dir DIR] [GRAPH]
  GRAPH     a file or generator (default: kron:22:24, 100.7 million edges, 201 million stored; with --loads kron:20:16)
  --loads   reads every format N times from the page cache instead, and prints medians of reading (parsing or copying) and of
            building rows. The native container is mapped, so the last lines open ones of growing size
  --memory  limit of each conversion (default: 512MiB; 'none' converts in memory)
  --dir     where the files go (default: a temporary folder); about 8 times the graph is needed
environment: GRAPHCONV, GRAPHRUN (default: build/graphconv, build/graphrun)
TEXT
}

memory=512MiB dir="" loads=0
options "memory dir loads" "$@"
graphconv="$(program graphconv GRAPHCONV)"
[[ -z "$dir" || -w "$dir" ]] || fail 2 "$dir is no folder that can be written to"
command -v /usr/bin/time > /dev/null || fail 77 "/usr/bin/time is not installed (package time)"
most_kib=0
[[ "$memory" == none ]] || most_kib="$(numfmt --from=iec "${memory%[iI][bB]}" 2> /dev/null | awk '{ printf "%d", $1 / 1024 }')"
[[ "$memory" == none || -n "$most_kib" ]] || fail 2 "'$memory' is no size"
limit=()
[[ "$memory" == none ]] || limit=(--memory "$memory")
made_dir="$(mktemp -d "${dir:-${TMPDIR:-/tmp}}/graphrun-formats-XXXXXX")"
trap 'rm -rf "$made_dir"' EXIT

# load LABEL FILE [OPTION...]: a line of medians.
load() {
  local label="$1" file="$2" times="" i
  for ((i = 0; i < loads; ++i)); do
    times+="$("$graphrun" "$file" --algo bfs --source index:0 --quiet --json - "${@:3}" |
      jq -r '.phases_ms | "\(.read) \(.build)"')"$'\n'
  done
  awk -v label="$label" -v bytes="$(du -cb "$file" "$file".{col,dst,val} 2> /dev/null | tail -n 1 | cut -f 1)" \
    -v ms="$(cut -d ' ' -f 1 <<< "$times" | median)" -v build="$(cut -d ' ' -f 2 <<< "$times" | median)" \
    'BEGIN { printf "%-24s %10.1f %10.2f %10.2f %10.0f\n", label, bytes / 1e6, ms, build, bytes / 1e3 / ms }'
}
# Everything but the native container comes from it; METIS knows neither self loops nor parallel edges.
load_all() {
  local format
  "$graphconv" "$1" "$made_dir/g.grf" --weights random:1 --undirected --drop-self-loops --drop-duplicates --quiet
  for format in mtx bel sg wsg bcsr bwcsr; do "$graphconv" "$made_dir/g.grf" "$made_dir/g.$format" --quiet; done
  cd "$made_dir"
  arcs() { awk '/^%/ { next } n++ { print $1, $2, $3; print $2, $1, $3 }' g.mtx; }
  arcs | awk '{ print $1 - 1, $2 - 1 }' > g.el
  arcs | awk '{ print $1 - 1, $2 - 1, $3 }' > g.wel
  { awk '/^%/ { next } { print "p sp", $1, 2 * $3; exit }' g.mtx && arcs | sed 's/^/a /'; } > g.gr
  awk '/^%/ { next } !n { n = $1; print n, $3; next } { list[$1] = list[$1] " " $2; list[$2] = list[$2] " " $1 }
       END { for (v = 1; v <= n; ++v) print substr(list[v], 2) }' g.mtx > g.graph
  printf '%-24s %10s %10s %10s %10s\n' format MB 'read ms' 'build ms' MB/s
  for format in el wel mtx gr; do load "g.$format" "g.$format"; done
  load g.graph g.graph --format metis
  for format in bel sg wsg bcsr bwcsr grf; do load "g.$format" "g.$format"; done
  for scale in 12 16 20; do
    "$graphconv" "kron:$scale:16" "open$scale.grf" --quiet
    load "open kron:$scale:16 (.grf)" "open$scale.grf"
  done
}
if ((loads > 0)); then
  graphrun="$(realpath "$(program graphrun GRAPHRUN)")" graphconv="$(realpath "$graphconv")"
  need jq
  load_all "${arguments[0]:-kron:20:16}"
  exit
fi
graph="${arguments[0]:-kron:22:24}"

status=0
# Runs a conversion and prints a line: what, seconds, MiB of the largest resident set, MB written.
convert() {
  local label="$1" output="$3" figures bytes
  shift
  figures="$( { /usr/bin/time -q -f '%e %M' "$graphconv" "$@" "${limit[@]}" --quiet; } 2>&1)" || { head -n -1 <<< "$figures" >&2; return 1; }
  if ((most_kib > 0)) && (($(tail -n 1 <<< "$figures" | cut -d ' ' -f 2) > most_kib)); then
    echo "    MORE THAN $memory resident" && status=1
  fi
  bytes="$(du -cb "$output"* | tail -n 1 | cut -f 1)"
  awk -v label="$label" -v bytes="$bytes" '{ printf "%-24s %8.2f s %8.0f MiB %10.0f MB %8.0f MB/s\n", label, $1, $2 / 1024, bytes / 1e6, bytes / 1e6 / $1 }' \
    <<< "$(tail -n 1 <<< "$figures")"
}

same() { cmp "$made_dir/$1" "$made_dir/$2" > /dev/null && echo "    identical" || { echo "    DIFFERENT: $1 and $2"; status=1; }; }

printf '%s, --memory %s\n\n%-24s %10s %12s %13s %13s\n' "$graph" "$memory" conversion time resident written rate
convert "grf" "$graph" "$made_dir/plain.grf"
convert "grf, weighted" "$graph" "$made_dir/weighted.grf" --weights random:1
for kind in plain weighted; do
  formats=(mtx bel sg bcsr liberator galois) note=""
  [[ "$kind" == plain ]] || formats=(mtx bel wsg bwcsr galois) note=", weighted"
  for format in "${formats[@]}"; do
    convert "grf -> $format$note" "$made_dir/$kind.grf" "$made_dir/out.$format" --to "$format"
    convert "$format -> grf$note" "$made_dir/out.$format" "$made_dir/back.grf"
    same "$kind.grf" back.grf
    rm -f "$made_dir"/out.* "$made_dir/back.grf"
  done
done
# Gunrock's weights are f32, so what goes there and back must be compared in that form.
convert "grf -> gunrock" "$made_dir/weighted.grf" "$made_dir/out.csr" --to gunrock
convert "gunrock -> grf" "$made_dir/out.csr" "$made_dir/floats.grf" --format gunrock
convert "grf -> gunrock, again" "$made_dir/floats.grf" "$made_dir/again.csr" --to gunrock
same out.csr again.csr
rm -f "$made_dir"/*.csr
echo
((status == 0)) && echo "everything came back identical, within $memory" || echo "something was DIFFERENT or too large"
exit "$status"
