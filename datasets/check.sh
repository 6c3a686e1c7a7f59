#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the four algorithms on fetched graphs and compares the answers with the manifest's digests.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$here/answers.sh"

usage() {
  cat <<TEXT
usage: datasets/check.sh [--dir DIR] [--backend NAME] NAME... [-- OPTION...]
       datasets/check.sh [--dir DIR] [--backend NAME] --all [-- OPTION...]
  NAME        a graph that datasets/fetch.sh has fetched and for which the manifest has digests
  --all       all such graphs
  --dir       where the graphs are (default: datasets/data)
  --backend   graphrun's backend (default: graphrun's)
  OPTION      further options of graphrun, such as: -- --device cuda --cache 4MiB
graphrun is \$GRAPHRUN, else build/graphrun of this tree, else the one on the PATH.
Exit codes: 0 all answers agree, 1 one differs or a graph is not there, 2 usage, 77 graphrun, or what it needs, is not there.
TEXT
}

# Ranks agree to a unit of the sixth digit, everything else to the letter.
agrees() {
  local column="$1" expected="$2" found="$3"
  [[ "$column" == pagerank ]] || { [[ "$expected" == "$found" ]]; return; }
  [[ "${expected%:*}" == "${found%:*}" ]] &&
    awk -v a="${expected#*:}" -v b="${found#*:}" 'BEGIN { d = a - b; exit !(d <= 1e-5 * a && -d <= 1e-5 * a) }'
}

# Says on standard output what came of NAME.
check() {
  local name="$1" container answers found expected column status=0
  container="$(container_of "$name")" || return
  [[ "$(field "$name" bfs)" != - ]] || { say "$name: the manifest has no digests for it"; return 1; }
  answers="$(answers_of "$container" "${options[@]}")" || return
  IFS=$'\t' read -r -a found <<< "$answers"
  for i in "${!answer_columns[@]}"; do
    column="${answer_columns[i]}"
    expected="$(field "$name" "$column")"
    agrees "$column" "$expected" "${found[i]}" && continue
    printf '%s: %s is %s, the manifest says %s\n' "$name" "$column" "${found[i]}" "$expected"
    status=1
  done
  ((status != 0)) || printf '%s: agrees\n' "$name"
  return "$status"
}

names=()
options=()
all=no
while (($#)); do
  case "$1" in
    -h | --help) usage; exit 0 ;;
    --all) all=yes ;;
    --dir) data="$(value_of "$@")"; shift ;;
    --backend) options+=(--backend "$(value_of "$@")"); shift ;;
    --) shift; options+=("$@"); break ;;
    -*) usage >&2; exit 2 ;;
    *) names+=("$1") ;;
  esac
  shift
done
if [[ "$all" == yes ]]; then
  mapfile -t names < <(comm -12 <(fetched_names | sort) <(names_with bfs | sort))
  ((${#names[@]})) || { say "no graph with digests is in $data; datasets/fetch.sh --all-small fetches some"; exit 1; }
fi
((${#names[@]})) || { usage >&2; exit 2; }
need_graphrun

status=0
for name in "${names[@]}"; do
  result=0
  check "$name" || result=$?
  status="$(worse "$status" "$result")"
done
exit "$status"
