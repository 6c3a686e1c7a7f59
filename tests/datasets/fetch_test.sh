#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# datasets/fetch.sh, digests.sh and check.sh on a mirror of their own in a temporary folder: what they make, what they
# refuse, and that fetch.sh goes on after kill -9 wherever it comes.
set -euo pipefail
(($# == 2)) || { echo "usage: fetch_test.sh GRAPHCONV GRAPHRUN" >&2; exit 2; }
export GRAPHCONV="$1" GRAPHRUN="$2"
# shellcheck source-path=SCRIPTDIR
# shellcheck source=mirror.sh
source "$(dirname "${BASH_SOURCE[0]}")/mirror.sh"

fetch() { bash "$tree/datasets/fetch.sh" --dir "$data" --source site --site "file://$mirror" "$@"; }

set_up() {
  { echo '%%MatrixMarket matrix coordinate pattern general'; echo '400 400 2000'
    awk 'BEGIN { for (i = 0; i < 2000; ++i) print 1 + i % 400, 1 + (i * i + 7 * int(i / 400)) % 400 }'; } | pack Square mesh
  printf '%%%%MatrixMarket matrix coordinate pattern general\n2 3 3\n1 1\n1 3\n2 2\n' | pack Wide wide
  begin_manifest
  missing="$(manifest_line name=missing group=Square rows=1 cols=1 nnz_stored=1 url=-)"
  { manifest_line name=mesh group=Square rows=400 cols=400 nnz_stored=2000 "sha256=$(digest_of mesh)"
    manifest_line name=wide group=Wide rows=2 cols=3 nnz_stored=3
    printf '%s\n' "$missing"
    manifest_line name=far group=Elsewhere url=http://elsewhere.example/far/; } >> "$tree/datasets/manifest.tsv"
  "$GRAPHCONV" "$root/pack/mesh/mesh.mtx" "$root/mesh.grf"
}

makes_containers_and_nothing_twice() {
  start_over
  expect 0 fetch mesh wide
  printf '%s\n' "$data/mesh.grf" "$data/wide.grf" | cmp - "$root/out" || fail "the paths are not what was printed"
  cmp "$data/mesh.grf" "$root/mesh.grf" || fail "mesh.grf is not what graphconv makes of mesh.mtx"
  [[ "$(ls "$data")" == $'mesh.grf\nwide.grf' ]] || fail "there is more than containers: $(ls "$data")"
  expect_text "$root/err" 'wide: the manifest has no digest'
  GRAPHCONV=/bin/false expect 0 fetch --site file:///nowhere mesh wide
}

leaves_matrices_when_asked() {
  start_over
  expect 0 fetch --mtx mesh
  cmp "$data/mesh.mtx" "$root/pack/mesh/mesh.mtx" || fail "mesh.mtx is not the published file"
  [[ ! -e "$data/mesh.grf" ]] || fail "--mtx made a container"
  expect 0 fetch mesh
  cmp "$data/mesh.mtx" "$root/pack/mesh/mesh.mtx" || fail "the conversion took the matrix away that was asked for before"
}

says_that_graphconv_is_missing() {
  start_over
  GRAPHCONV="" PATH="/usr/bin:/bin" expect 77 fetch mesh
  [[ ! -s "$root/out" ]] || fail "a path was printed though there is no container"
  expect_text "$root/err" "$data/mesh.mtx"
  GRAPHCONV="$root/nowhere" expect 2 fetch mesh
  expect_text "$root/err" 'GRAPHCONV names no program'
}

refuses_what_is_wrong() {
  start_over
  expect 2 fetch nonsense
  expect 2 fetch --dir
  expect 1 fetch missing
  expect_text "$root/err" 'missing: not fetched'
  cp "$mirror/Square/mesh.tar.gz" "$root/good.tar.gz"
  sed 's/^1 1$/1 2/' "$root/pack/mesh/mesh.mtx" > "$root/other.mtx"
  cp "$root/pack/mesh/mesh.mtx" "$root/published.mtx"
  pack Square mesh < "$root/other.mtx"
  expect 1 fetch mesh
  expect_text "$root/err" 'mesh: SHA-256 is'
  head -c 500 "$root/good.tar.gz" > "$mirror/Square/mesh.tar.gz"
  expect 1 fetch mesh
  expect_text "$root/err" 'no readable mesh/mesh.mtx'
  [[ ! -e "$data/mesh.grf" && ! -e "$data/mesh.mtx" ]] || fail "a wrong file got a final name"
  cp "$root/good.tar.gz" "$mirror/Square/mesh.tar.gz"
  cp "$root/published.mtx" "$root/pack/mesh/mesh.mtx"
  expect 0 fetch mesh
}

checks_against_digests() {
  local column right wrong
  start_over
  expect 0 fetch mesh wide
  expect 1 bash "$tree/datasets/check.sh" --dir "$data" mesh
  expect_text "$root/err" 'no digests'
  expect 0 bash "$tree/datasets/digests.sh" --dir "$data" --all
  grep -q -x -F -e "$missing" "$tree/datasets/manifest.tsv" || fail "a line of another graph changed"
  [[ "$(manifest_value wide n) $(manifest_value wide m) $(manifest_value wide cc)" == "5 3 2:3" ]] ||
    fail "wide: n, m and cc are not 5, 3, 2:3"
  expect 0 bash "$tree/datasets/check.sh" --dir "$data" --backend emogi --all -- --threads 1
  [[ "$(cat "$root/out")" == $'mesh: agrees\nwide: agrees' ]] || fail "check.sh --all printed: $(cat "$root/out")"
  for column in n m bfs sssp cc pagerank; do
    right="$(manifest_value mesh "$column")"
    # Another last digit, but for ranks, where it would be within the tolerance.
    if [[ "$column" == pagerank ]]; then wrong="${right%:*}:0.9"; else wrong="${right}9"; fi
    set_manifest_value mesh "$column" "$wrong"
    expect 1 bash "$tree/datasets/check.sh" --dir "$data" mesh
    expect_text "$root/out" "^mesh: $column is .*, the manifest says"
    set_manifest_value mesh "$column" "$right"
  done
  expect 1 bash "$tree/datasets/check.sh" --dir "$data" missing
}

says_where_graphs_are() {
  expect 0 fetch --show mesh far
  expect_text "$root/out" "^url  *file://$mirror/Square/mesh.tar.gz$"
  expect_text "$root/out" '^url  *http://elsewhere.example/far/$'
  expect 2 fetch --show nonsense
  expect 1 fetch far
  expect_text "$root/err" 'the collection does not carry it, and what http://elsewhere.example/far/ has'
}

two_at_once_share_the_work() {
  local other
  start_over
  fetch mesh > "$root/other.out" 2> "$root/other.err" &
  other=$!
  expect 0 fetch mesh
  wait "$other" || fail "the other fetch failed: $(cat "$root/other.err")"
  cmp "$root/out" "$root/other.out" || fail "they printed different paths"
  (($(cat "$root/err" "$root/other.err" | grep -c downloading) == 1)) || fail "the graph was downloaded twice"
}

# Programs that stand before the real ones on the PATH: the one numbered $KILL_AT, in the order of their calls, ends fetch.sh
# with SIGKILL. A writer among them first writes half of what it should.
make_killers() {
  local tool
  mkdir -p "$root/killers"
  for tool in awk basename cat curl cut dirname find flock grep graphconv head mkdir mv rm sed sha256sum sort stat sync tail tar; do
    cat > "$root/killers/$tool" <<'KILLER'
#!/bin/bash
tool="${0##*/}"
export PATH="$REAL_PATH"
# Its number is its line's in the file: the programs of a pipeline start at once, and a line is appended as a whole. A lock would be
# a process more, which takes longer than all else here.
echo "$tool $$" >> "$CALLS"
mapfile -t calls < "$CALLS"
for ((number = ${#calls[@]}; number > 0; --number)); do [[ "${calls[number - 1]}" != "$tool $$" ]] || break; done
real="$tool"
[[ "$tool" != graphconv ]] || real="$REAL_GRAPHCONV"
[[ "$number" == "$KILL_AT" ]] || exec "$real" "$@"
half_of() { head -c "$(($(stat -c %s "$1") / 2))" "$1"; }
case "$tool" in
  curl) for last; do [[ "$previous" != --output ]] || part="$last"; previous="$last"; done
        half_of "${last#file://}" > "$part" ;;
  graphconv) "$real" "$1" "$2.whole" "${@:3}"; half_of "$2.whole" > "$2" ;;
  tar | cat) "$real" "$@" | head -c 1000 ;;
esac
kill -KILL "$(cat "$FETCH_PID")"
exit 1
KILLER
    chmod +x "$root/killers/$tool"
  done
}

killed_fetch() {
  # Truncated by the shell that becomes fetch.sh, so that the killers know whom to kill.
  (export REAL_PATH="$PATH" REAL_GRAPHCONV="$GRAPHCONV" CALLS="$root/calls" FETCH_PID="$root/pid" KILL_AT="$1"
   export PATH="$root/killers:$PATH" GRAPHCONV="$root/killers/graphconv"
   shift
   : > "$CALLS"
   exec bash -c 'echo $$ > "$FETCH_PID"; exec bash "$@"' - "$tree/datasets/fetch.sh" --dir "$data" --source site \
     --site "file://$mirror" "$@") 2> /dev/null
}

# Kills at one call after another until one run gets through: with CARRY=yes each run goes on from where the one before was killed.
# Without, each begins from nothing and is killed at every other call, of containers at the odd ones and of matrices at the even.
goes_on_after_kill() {
  local form="$1" options="$2" wanted="$3" carry="$4" at=1 step=1 status killed=0
  [[ "$carry" == yes ]] || step=2
  [[ "$step $form" != "2 mtx" ]] || at=2
  start_over
  for (( ; at < 1000; at += step)); do
    [[ "$carry" == yes ]] || start_over
    status=0
    # shellcheck disable=SC2086  # no or one option
    { killed_fetch "$at" $options mesh > "$root/out"; } 2> /dev/null || status=$?
    [[ ! -e "$data/mesh.$form" ]] || cmp "$data/mesh.$form" "$wanted" || fail "killed at call $at: half of mesh.$form is left"
    ((status != 0)) || break
    ((status == 137)) || fail "exit code $status instead of a kill at call $at"
    killed=$((killed + 1))
    [[ "$carry" == yes ]] || {
      # shellcheck disable=SC2086
      expect 0 fetch $options mesh
      cmp "$data/mesh.$form" "$wanted" ||
        fail "killed at call $at ($(tail -n 1 "$root/calls")), then gone on with: wrong mesh.$form"
      [[ "$(ls "$data")" == "mesh.$form" ]] || fail "killed at call $at: $(ls "$data") is left"
    }
  done
  ((killed > 10)) || fail "only $killed calls were killed; the killers do not work"
  cmp "$data/mesh.$form" "$wanted" || fail "mesh.$form is wrong"
  printf '%d kills survived (%s, carry %s)\n' "$killed" "$form" "$carry"
}

# The part of the download that came is kept and only the rest is asked for: of the archive on the mirror the first half is
# overwritten in between, so that only a resumed download can be whole.
resumes_a_download() {
  local archive="$mirror/Square/mesh.tar.gz" part="$XDG_CACHE_HOME/graphrun/Square-mesh.tar.gz.part" half
  start_over
  half=$(($(stat -c %s "$archive") / 2))
  cp "$archive" "$root/good.tar.gz"
  mkdir -p "$(dirname "$part")"
  head -c "$half" "$archive" > "$part"
  { head -c "$half" /dev/zero; tail -c +$((half + 1)) "$root/good.tar.gz"; } > "$archive"
  expect 0 fetch mesh
  cmp "$data/mesh.grf" "$root/mesh.grf" || fail "the resumed download gave another graph"
  cp "$root/good.tar.gz" "$archive"
}

set_up
makes_containers_and_nothing_twice
leaves_matrices_when_asked
says_that_graphconv_is_missing
refuses_what_is_wrong
checks_against_digests
says_where_graphs_are
two_at_once_share_the_work
resumes_a_download
make_killers
goes_on_after_kill grf "" "$root/mesh.grf" no
goes_on_after_kill grf "" "$root/mesh.grf" yes
goes_on_after_kill mtx --mtx "$root/pack/mesh/mesh.mtx" no
conclude
