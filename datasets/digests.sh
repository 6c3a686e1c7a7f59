#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes the manifest's columns n, m, bfs, sssp, cc and pagerank anew, from answers that graphrun's serial oracles verified.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$here/answers.sh"

usage() {
  cat <<TEXT
usage: datasets/digests.sh [--dir DIR] NAME... | --all
  NAME    a graph that datasets/fetch.sh has fetched
  --all   all of them
  --dir   where the graphs are (default: datasets/data)
The lines of these graphs in datasets/manifest.tsv are rewritten; the other lines stay. graphrun is found as by check.sh.
Exit codes: 0 done, 1 a wrong answer or a missing graph (nothing is written), 2 usage, 77 graphrun is not there.
TEXT
}

# The manifest with the columns that the file ANSWERS has for its graphs: the name, then answer_columns.
merged() {
  awk -F '\t' -v OFS='\t' -v columns="${answer_columns[*]}" '
    BEGIN { count = split(columns, column, " ") }
    FILENAME == ARGV[1] { for (i = 1; i <= count; ++i) answer[$1, column[i]] = $(i + 1); next }
    FNR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i }
    { for (i = 1; i <= count; ++i) if (($1, column[i]) in answer) $at[column[i]] = answer[$1, column[i]]; print }
  ' "$1" "$manifest"
}

names=()
all=no
while (($#)); do
  case "$1" in
    -h | --help) usage; exit 0 ;;
    --all) all=yes ;;
    --dir) data="$(value_of "$@")"; shift ;;
    -*) usage >&2; exit 2 ;;
    *) names+=("$1") ;;
  esac
  shift
done
[[ "$all" == no ]] || mapfile -t names < <(fetched_names)
((${#names[@]})) || { usage >&2; exit 2; }
need_graphrun

partial="$manifest.part"
trap 'rm -f "$partial" "$partial.answers"' EXIT
for name in "${names[@]}"; do
  container="$(container_of "$name")"
  answers="$(answers_of "$container" --device cpu --verify serial)" ||
    { say "$name: no digests; the manifest stays as it was"; exit 1; }
  printf '%s\t%s\n' "$name" "$answers"
  say "$name: verified"
done > "$partial.answers"
merged "$partial.answers" > "$partial"
mv "$partial" "$manifest"
