#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# datasets/fetch.sh and servers that break off, lie about lengths, cannot send ranges, change the file in between or refuse: the right
# container comes out or none, what came before is not asked for again, and nothing that is wrong stays.
set -euo pipefail
(($# == 1)) || { echo "usage: http_test.sh GRAPHCONV" >&2; exit 2; }
export GRAPHCONV="$1"
# shellcheck source-path=SCRIPTDIR
# shellcheck source=mirror.sh
source "$(dirname "${BASH_SOURCE[0]}")/mirror.sh"
command -v python3 > /dev/null || { echo "skipped: python3 is not installed"; exit 77; }

server_pid=""
stop_server() { [[ -z "$server_pid" ]] || kill "$server_pid" 2> /dev/null || true; }
trap 'stop_server; rm -rf "$root"' EXIT

fetch() { bash "$tree/datasets/fetch.sh" --dir "$data" --source site --site "$address/$how" "$@"; }
archive="$mirror/Square/mesh.tar.gz"
part="$XDG_CACHE_HOME/graphrun/Square-mesh.tar.gz.part"

set_up() {
  { echo '%%MatrixMarket matrix coordinate pattern general'; echo '400 400 8000'
    awk 'BEGIN { srand(1); for (i = 0; i < 8000; ++i) print 1 + int(400 * rand()), 1 + int(400 * rand()) }'; } | pack Square mesh
  begin_manifest
  # Without a digest, so that nothing but the archive tells whether all of it is right.
  manifest_line name=mesh group=Square rows=400 cols=400 nnz_stored=8000 >> "$tree/datasets/manifest.tsv"
  "$GRAPHCONV" "$root/pack/mesh/mesh.mtx" "$root/mesh.grf"
}

# A server that has answered nothing yet, for requests of the kind HOW.
begin() {
  local port
  how="$1"
  stop_server
  start_over
  : > "$root/requests"
  : > "$root/port"
  python3 "$source_tree/tests/datasets/unreliable_server.py" "$mirror" "$root/requests" > "$root/port" &
  server_pid=$!
  for _ in {1..100}; do
    port="$(cat "$root/port")"
    [[ -z "$port" ]] || break
    sleep 0.1
  done
  [[ -n "$port" ]] || { echo "the server does not start" >&2; exit 1; }
  address="http://127.0.0.1:$port"
}

expect_mesh() {
  local left
  expect 0 fetch mesh
  cmp "$data/mesh.grf" "$root/mesh.grf" || fail "$how: another graph"
  left="$(find "$XDG_CACHE_HOME/graphrun" -type f ! -name lock)"
  [[ -z "$left" ]] || fail "$how: left $left"
}
expect_none() {
  expect 1 fetch mesh
  expect_text "$root/err" 'mesh: not fetched'
  [[ ! -e "$data/mesh.grf" && ! -e "$data/.fetch/mesh.mtx" ]] || fail "$how: something got a final name"
}
# The requests that were made: first byte asked for, and status.
expect_requests() {
  local made
  made="$(awk '{ printf "%s%s %s", NR == 1 ? "" : ", ", $2, $4 }' "$root/requests")"
  [[ "$made" == "$1" ]] || fail "$how: requests were '$made' instead of '$1'"
}

goes_on_where_a_connection_broke_off() {
  local size third
  size="$(stat -c %s "$archive")"
  third=$((size / 3))
  begin cut
  expect_mesh
  expect_requests "- 200, $third 206, $((2 * third)) 206$( ((size % 3 == 0)) || echo ", $((3 * third)) 206")"
  (($(grep -c '"right"' "$root/requests") >= 2)) || fail "the tag of the first bytes was not sent along"
}

begins_anew_where_ranges_are_not_understood() {
  begin deaf-once
  expect_mesh
  # curl asks once more, wget takes the rest of what came.
  expect_text "$root/requests" "^deaf-once $(($(stat -c %s "$archive") / 3)) .* 200$"
}

gives_up_in_the_end() {
  begin deaf
  expect_none
  (($(wc -l < "$root/requests") <= 20)) || fail "it asked $(wc -l < "$root/requests") times"
}

sees_through_wrong_lengths() {
  begin short
  expect_none
  [[ ! -e "$part" && ! -e "${part%.part}" ]] || fail "half of an archive is kept"
  how=plain
  expect_mesh
  begin long
  expect_mesh
  expect_text "$root/err" 'complete already'
}

does_not_mix_two_files() {
  begin changed
  expect_mesh
  begin careless
  expect_mesh
  begin shrunk
  expect_mesh
  expect_text "$root/requests" ' 416$'
}

follows_to_another_address() {
  begin moved
  expect_mesh
  expect_requests "- 302, - 200"
}

says_what_a_server_refuses() {
  begin missing
  expect_none
  expect_text "$root/err" 404
  expect_requests "- 404"
  begin busy
  expect_none
  expect_text "$root/err" 503
  begin refusing
  expect_none
  stop_server
  expect_none
  expect_text "$root/err" 'cannot be reached'
}

# What came before a refusal is kept: servers recover.
keeps_what_came_when_a_server_is_busy() {
  begin busy
  mkdir -p "$(dirname "$part")"
  head -c 1000 "$archive" > "$part"
  expect_none
  cmp -n 1000 "$part" "$archive" || fail "what had come is gone"
  how=plain
  expect_mesh
  expect_requests "1000 503, 1000 206"
}

goes_on_after_a_kill() {
  local pid came
  begin slow
  # A process group of its own, so that what it started dies as well.
  setsid bash "$tree/datasets/fetch.sh" --dir "$data" --source site --site "$address/slow" mesh > /dev/null 2>&1 &
  pid=$!
  for _ in {1..100}; do
    [[ ! -s "$part" ]] || break
    sleep 0.1
  done
  kill -KILL -- "-$pid"
  wait "$pid" 2> /dev/null || true
  came="$(stat -c %s "$part")"
  ((came > 0)) || fail "nothing had come before the kill"
  how=plain
  expect_mesh
  expect_requests "- 200, $came 206"
}

all_of_it() {
  goes_on_where_a_connection_broke_off
  begins_anew_where_ranges_are_not_understood
  gives_up_in_the_end
  sees_through_wrong_lengths
  does_not_mix_two_files
  follows_to_another_address
  says_what_a_server_refuses
  keeps_what_came_when_a_server_is_busy
  goes_on_after_a_kill
}

# Programs of the PATH but curl, so that wget has to do.
hide_curl() {
  local folder file
  mkdir "$root/bin"
  while IFS= read -r -d : folder; do
    for file in "$folder"/*; do
      [[ ! -x "$file" || "${file##*/}" == curl || -e "$root/bin/${file##*/}" ]] || ln -s "$file" "$root/bin/${file##*/}"
    done
  done <<< "$PATH:"
  PATH="$root/bin"
}

set_up
all_of_it
if command -v wget > /dev/null; then
  hide_curl
  all_of_it
else
  echo "wget is not installed: tried with curl alone"
fi
conclude
