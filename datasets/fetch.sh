#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fetches real graphs named in manifest.tsv, verifies them and converts them to the native format: datasets/data/NAME.grf.
#
# Two sources carry the same bytes. The SuiteSparse Matrix Collection's own site has every graph of the manifest. Debian's
# and Ubuntu's source package `suitesparse` has about thirty of them inside one archive of about 40 MB, which any machine
# with a working apt can get, through whatever mirror or proxy its apt is set up for, without privileges and without
# touching the system's own package lists. datasets/README.md tells more.
#
# It may be killed at any moment. A file gets its final name by being renamed when it is complete, verified and on the disk;
# until then it is NAME.part in the cache or lies in $work, and the next call goes on from the last file that got its name.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$here/site.sh"
source "$here/debian.sh"

cache="${XDG_CACHE_HOME:-${HOME:-$data}/.cache}/graphrun"
site="https://sparse.tamu.edu/MM"
source_choice=auto
form=grf
memory=""

usage() {
  cat <<TEXT
usage: datasets/fetch.sh [--dir DIR] [--source auto|site|debian] [--site URL] [--mtx | --memory SIZE] NAME...
       datasets/fetch.sh [--dir DIR] [--source auto|site|debian] [--site URL] [--mtx | --memory SIZE] --all-small
       datasets/fetch.sh --show NAME...
       datasets/fetch.sh --list
  NAME          a graph of the manifest; the path of its NAME.grf is printed on standard output once it is there
  --all-small   every graph that the Debian package carries (14 MB together)
  --list        the manifest, as a table
  --show        everything that the manifest says of these graphs, and where they are published
  --mtx         leave NAME.mtx, the MatrixMarket file as published, and convert nothing
  --memory      stay within this much memory, such as 2GiB, at least 64MiB (default: only graphs that do not fit in what is free
                go through scratch files in DIR)
  --dir         where the files go (default: datasets/data)
  --source      site: only the collection's site; debian: only the package; auto: whichever works
  --site        a mirror of the collection, or file:///FOLDER; GROUP/NAME.tar.gz lie below it (default: $site)
The conversion is done by graphconv: \$GRAPHCONV, else build/graphconv of this tree, else the one on the PATH. Without any,
NAME.mtx is left in place of NAME.grf and the exit code is 77.
Downloads are kept in \${XDG_CACHE_HOME:-~/.cache}/graphrun. A call that was interrupted, by kill -9 too, is gone on with by
the same call: finished files are not made again, partial downloads are resumed.
Exit codes: 0 every graph is there, 1 some could not be had, 2 usage or an unknown name, 77 graphconv is not built.
TEXT
}

list() {
  awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i }
    { sources = NR == 1 ? "sources" : $at["url"] != "-" ? "elsewhere" : $at["debian_member"] == "-" ? "site" : "site, debian"
      printf "%-22s %-12s %10s %11s  %-9s  %-8s  %-12s  %-19s  %s\n", $at["name"], $at["group"], $at["n"], $at["m"],
             $at["directed"], $at["weighted"], sources, $at["used_by"], $at["kind"] }' "$manifest"
}

# Where NAME is published.
url_of() {
  local url
  url="$(field "$1" url)"
  [[ "$url" != - ]] || url="$site/$(field "$1" group)/$1.tar.gz"
  printf '%s\n' "$url"
}

show() {
  known "$1" || return
  awk -F '\t' -v name="$1" -v url="$(url_of "$1")" '
    NR == 1 { for (i = 1; i <= NF; ++i) column[i] = $i; next }
    $1 == name { for (i = 1; i <= NF; ++i) printf "%-13s  %s\n", column[i], column[i] == "url" ? url : $i; exit }' "$manifest"
}

# Rows, columns and entries as the file announces them.
size_line() { grep -m 1 -v -e '^%' -e '^[[:space:]]*$' "$1" | awk '{ print $1, $2, $3 }'; }

# True when FILE has the digest, or where the manifest has none the size line, of graph NAME. Says what differs.
verify() {
  local name="$1" file="$2" expected actual
  expected="$(field "$name" sha256)"
  if [[ "$expected" != - ]]; then
    actual="$(sha256sum "$file" | cut -d ' ' -f 1)"
    [[ "$actual" == "$expected" ]] || { say "$name: SHA-256 is $actual, the manifest says $expected"; return 1; }
    return 0
  fi
  actual="$(size_line "$file")"
  expected="$(field "$name" rows) $(field "$name" cols) $(field "$name" nnz_stored)"
  [[ "$actual" == "$expected" || ("$expected" == *" -" && "$actual" == "${expected%-}"*) ]] ||
    { say "$name: the size line is '$actual', the manifest says '$expected'"; return 1; }
  say "$name: the manifest has no digest for it; only its size line was checked"
}

# Gives FILE its final name, once all of it is on the disk: a crash of the machine must not leave an empty one either.
publish() { sync "$1" && mv "$1" "$2"; }

# Leaves the verified matrix as $work/NAME.mtx.
obtain() {
  local name="$1" matrix="$work/$1.mtx" origin order
  [[ ! -f "$matrix" ]] || return 0
  if [[ "$(field "$name" url)" != - ]]; then
    say "$name: the collection does not carry it, and what $(url_of "$name") has needs a program of its own: convert it to one" \
        "of graphconv's formats, and that to $data/$name.grf"
    return 1
  fi
  case "$source_choice" in
    site | debian) order=("$source_choice") ;;
    auto) if [[ -f "$cache/debian/suitesparse.orig.tar" ]]; then order=(debian site); else order=(site debian); fi ;;
  esac
  for origin in "${order[@]}"; do
    if ! "from_$origin" "$name" "$matrix.part"; then
      :
    elif verify "$name" "$matrix.part"; then
      publish "$matrix.part" "$matrix" || return 1
      # The site's archive has served; the package's is for the other graphs, too.
      [[ "$origin" != site ]] || drop_site "$name"
      return 0
    else
      "drop_$origin" "$name"
    fi
    rm -f "$matrix.part"
  done
  say "$name: not fetched"
  return 1
}

# Leaves $data/NAME.grf, made from MATRIX.
convert() {
  local name="$1" matrix="$2" container="$work/$1.grf" rows cols options=()
  read -r rows cols _ < <(size_line "$matrix")
  [[ "$rows" == "$cols" ]] || options+=(--bipartite)
  [[ -z "$memory" ]] || options+=(--memory "$memory")
  "$graphconv" "$matrix" "$container" "${options[@]}" >&2 ||
    { say "$name: $graphconv could not convert it; the verified matrix is kept for the next call"; return 1; }
  publish "$container" "$data/$name.grf"
}

# Two fetches at once must not write the same files. Held until this program and all that it started have ended, so that
# after a kill a download or a conversion that still runs is waited for.
lock() {
  local file="$1/lock" descriptor
  command -v flock > /dev/null || { say "flock is not installed (package util-linux)"; return 1; }
  exec {descriptor}> "$file" || return 1
  flock --nonblock "$descriptor" && return 0
  say "another fetch is at work in $1; waiting for it"
  flock "$descriptor"
}

# Folders and locks, when the first graph needs them: a folder of finished files may be read-only. What an interrupted call
# left is removed, but for verified matrices that still wait for their conversion.
work=""
prepare() {
  local matrix
  [[ -z "$work" ]] || return 0
  mkdir -p "$cache" "$data/.fetch" && lock "$cache" && lock "$data/.fetch" || return 1
  work="$data/.fetch"
  find "$work" -type f ! -name '*.mtx' ! -name lock -delete
  for matrix in "$work"/*.mtx; do
    [[ ! -f "$data/$(basename "$matrix" .mtx).grf" ]] || rm -f "$matrix"
  done
}

# Prints the path of NAME's file in the wanted form. Returns 77 when there is only the matrix, because graphconv is missing.
fetch() {
  local name="$1" target="$data/$1.$form" matrix="$data/$1.mtx"
  known "$name" || return
  if [[ ! -f "$target" ]]; then
    prepare || return 1
    # Another call may have made it while this one waited for the lock.
    [[ -f "$target" || -f "$matrix" ]] || obtain "$name" || return 1
    if [[ "$form" == mtx || -z "$graphconv" ]]; then
      [[ -f "$matrix" ]] || publish "$work/$name.mtx" "$matrix" || return 1
    elif [[ ! -f "$target" ]]; then
      [[ -f "$matrix" ]] || matrix="$work/$name.mtx"
      convert "$name" "$matrix" || return 1
      rm -f "$work/$name.mtx"
    fi
  fi
  [[ -f "$target" ]] || { say "$name: graphconv is not built, so it stays MatrixMarket: $matrix"; return 77; }
  echo "$target"
}

# As value_of, for an option whose value graphconv is to take as a size: better refused now than after a long download.
size_of() {
  local size
  size="$(value_of "$@")" || return
  [[ "$size" =~ ^[0-9]+(\.[0-9]+)?([KMGT](iB|B)?|B)?$ ]] ||
    { say "$1 is '$size', which is no size: write for example 512MiB or 8G"; return 2; }
  printf '%s' "$size"
}

names=()
show_only=no
all_small=no
while (($#)); do
  case "$1" in
    -h | --help) usage; exit 0 ;;
    --list) list; exit 0 ;;
    --show) show_only=yes ;;
    --all-small) all_small=yes ;;
    --mtx) form=mtx ;;
    --memory) memory="$(size_of "$@")"; shift ;;
    --dir) data="$(value_of "$@")"; shift ;;
    --source) source_choice="$(value_of "$@")"; shift ;;
    --site) site="$(value_of "$@")"; shift ;;
    -*) usage >&2; exit 2 ;;
    *) names+=("$1") ;;
  esac
  shift
done
[[ "$source_choice" =~ ^(auto|site|debian)$ ]] || { usage >&2; exit 2; }
[[ -z "$memory" || "$form" == grf ]] || { say "--memory is for conversions, and --mtx converts nothing"; exit 2; }
[[ "$all_small" == no ]] || mapfile -t -O "${#names[@]}" names < <(names_with debian_member)
((${#names[@]})) || { usage >&2; exit 2; }
graphconv=""
[[ "$form" == mtx || "$show_only" == yes ]] || graphconv="$(find_program graphconv)"

status=0
for name in "${names[@]}"; do
  result=0
  if [[ "$show_only" == yes ]]; then show "$name"; else fetch "$name"; fi || result=$?
  status="$(worse "$status" "$result")"
done
exit "$status"
