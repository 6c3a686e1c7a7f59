# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the scripts of this folder share.
me="$(basename "$0" .sh)"

fail() { echo "$me: $2" >&2; exit "$1"; }

# options NAMES "$@": sets the variables called NAMES (with _ for -) from --NAME VALUE; others that do not begin with - end up in
# the array `arguments`. Needs a function usage().
options() {
  local names=" $1 " name
  shift
  arguments=()
  while (($#)); do
    case "$1" in
      -h | --help) usage; exit 0 ;;
      --*)
        name="${1#--}"
        [[ "$names" == *" $name "* ]] && (($# >= 2)) || { usage >&2; exit 2; }
        printf -v "${name//-/_}" '%s' "$2"
        shift ;;
      -*) usage >&2; exit 2 ;;
      *) arguments+=("$1") ;;
    esac
    shift
  done
}

# program NAME VARIABLE: the path of a program of this project, from the environment or the build folder.
program() {
  local path="${!2:-$(dirname "${BASH_SOURCE[0]}")/../build/$1}"
  [[ -x "$path" ]] || fail 2 "there is no program $path: build it, or name it in $2"
  echo "$path"
}

# need PROGRAM...: exit 77 when one is not installed.
need() {
  local name
  for name in "$@"; do command -v "$name" > /dev/null || fail 77 "$name is not installed (package $name)"; done
}

# The median of numbers, one a line; empty lines do not count.
median() { sed '/^$/d' | sort -n | awk '{ x[NR] = $1 } END { print NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2 }'; }
