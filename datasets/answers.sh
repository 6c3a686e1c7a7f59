# SPDX-License-Identifier: Apache-2.0
# Runs graphrun and condenses its answers into the columns of the manifest; sourced, never run.
# shellcheck shell=bash
# shellcheck disable=SC2154  # graphrun is the caller's: the program's path

# shellcheck disable=SC2034  # the scripts use it
answer_columns=(n m bfs sssp cc pagerank)

# Values at PATH, such as result.top.score, of the JSON on standard input, one a line; elements of a list share their list's
# path. Reads indented JSON with one value a line, as graphrun writes it; quotes are dropped, escapes stay.
json_values() {
  awk -v wanted="$1" '
    { line = $0; sub(/^ */, "", line); sub(/,$/, "", line); path = parent[depth]
      if (match(line, /^"[^"]*": /)) {
        path = path (path == "" ? "" : ".") substr(line, 2, RLENGTH - 4)
        line = substr(line, RLENGTH + 1) } }
    line ~ /^[]}]/ { --depth; next }
    line ~ /[[{]$/ { parent[++depth] = path; next }
    path == wanted { gsub(/"/, "", line); print line }'
}

# First values at the PATHs of REPORT, joined by colons; whole numbers without ".0". Fails when one is missing.
joined() {
  local report="$1" path value result=""
  shift
  for path; do
    value="$(json_values "$path" <<< "$report" | head -n 1)"
    [[ -n "$value" ]] || { say "graphrun reported no $path"; return 1; }
    result+="${result:+:}${value%.0}"
  done
  printf '%s\n' "$result"
}

# Vertex of the highest rank in REPORT and that rank; '*' for the vertex when the second highest is as high but for
# rounding, so that either may come first.
highest_rank() {
  local report="$1"
  joined "$report" result.top.vertex result.top.score > /dev/null || return 1
  paste <(json_values result.top.vertex <<< "$report") <(json_values result.top.score <<< "$report") |
    awk 'NR == 1 { vertex = $1; score = $2 }
         NR == 2 && score - $2 < 1e-6 * score { vertex = "*" }
         END { printf "%s:%.6g\n", vertex, score }'
}

# The answer_columns of FILE, separated by tabs; OPTIONS go to graphrun. Returns graphrun's exit code when it fails.
answers_of() {
  local file="$1" n m bfs sssp cc pagerank
  shift
  local run=("$graphrun" --graph "$file" --json - --quiet "$@" --algo)
  bfs="$("${run[@]}" bfs)" && sssp="$("${run[@]}" sssp --weights truth)" && cc="$("${run[@]}" cc)" &&
    pagerank="$("${run[@]}" pagerank --tolerance 1e-12)" || return
  n="$(joined "$bfs" graph.n)" && m="$(joined "$bfs" graph.m)" &&
    bfs="$(joined "$bfs" result.source result.reached result.max_level result.checksum)" &&
    sssp="$(joined "$sssp" result.source result.reached result.max_distance result.checksum)" &&
    cc="$(joined "$cc" result.components result.largest)" && pagerank="$(highest_rank "$pagerank")" || return
  printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$n" "$m" "$bfs" "$sssp" "$cc" "$pagerank"
}

# Graphs of the manifest that are there as NAME.grf, in the manifest's order.
fetched_names() {
  local name
  names_with name | while read -r name; do [[ ! -f "$data/$name.grf" ]] || printf '%s\n' "$name"; done
}

# Path of NAME's container; without one, says how it is made.
container_of() {
  known "$1" || return
  [[ -f "$data/$1.grf" ]] || { say "$1: there is no $data/$1.grf; datasets/fetch.sh $1 makes it"; return 1; }
  printf '%s\n' "$data/$1.grf"
}

# Sets graphrun; ends the script when there is none.
need_graphrun() {
  graphrun="$(find_program graphrun)"
  [[ -n "$graphrun" ]] || { say "graphrun is not built (\$GRAPHRUN, build/graphrun or the PATH)"; exit 77; }
}
