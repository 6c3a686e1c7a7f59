# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts of this folder; sourced, never run.
# shellcheck shell=bash

export LC_ALL=C  # numbers with a point, and messages that can be recognised
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
manifest="$here/manifest.tsv"
# shellcheck disable=SC2034  # the scripts use it
data="$here/data"

say() { printf '%s: %s\n' "$(basename "$0" .sh)" "$*" >&2; }

# The value of the option that is the first argument, as in `data="$(value_of "$@")"`. Without one, usage ends the script.
value_of() { (($# >= 2)) || { usage >&2; return 2; }; printf '%s' "$2"; }

# Column of a graph's manifest line; fails when there is no such graph.
field() { awk -F '\t' -v name="$1" -v column="$2" \
  'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next } $1 == name { print $at[column]; found = 1; exit }
   END { exit !found }' "$manifest"; }

# Says so when the manifest has no such graph.
known() { field "$1" name > /dev/null || { say "no graph is called '$1'; datasets/fetch.sh --list shows all"; return 2; }; }

# Names of the graphs whose COLUMN is not '-', in the manifest's order.
names_with() { awk -F '\t' -v column="$1" \
  'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next } $at[column] != "-" { print $1 }' "$manifest"; }

# Path of one of the project's programs: what the environment says (GRAPHCONV, GRAPHRUN), else this tree's build, else the
# PATH's; empty when there is none. A wrong variable is an error, not a reason to look elsewhere.
find_program() {
  local name="$1" variable="${1^^}"
  if [[ -n "${!variable:-}" ]]; then
    command -v "${!variable}" || { say "$variable names no program: ${!variable}"; return 2; }
  elif [[ -x "$here/../build/$name" ]]; then
    printf '%s\n' "$(cd "$here/../build" && pwd)/$name"
  else
    command -v "$name" || true
  fi
}

# The worse of two exit codes. A failure says more than 77, "not available here", which says more than 0.
worse() {
  local code
  for code in 2 1 77; do
    if (($1 == code || $2 == code)); then echo "$code"; return; fi
  done
  echo $(($1 > $2 ? $1 : $2))
}
