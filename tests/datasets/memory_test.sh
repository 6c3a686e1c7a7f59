#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# datasets/fetch.sh --memory: a graph of more than three times the memory becomes the same container, and graphconv stays within the
# limit, also when it is killed on its way and fetch.sh is called again.
set -euo pipefail
(($# == 1)) || { echo "usage: memory_test.sh GRAPHCONV" >&2; exit 2; }
export GRAPHCONV="$1"
# shellcheck source-path=SCRIPTDIR
# shellcheck source=mirror.sh
source "$(dirname "${BASH_SOURCE[0]}")/mirror.sh"
command -v python3 > /dev/null || { echo "skipped: python3 is not installed"; exit 77; }

limit=$((64 << 20))
fetch() { bash "$tree/datasets/fetch.sh" --dir "$data" --source site --site "file://$mirror" "$@"; }

# The matrix lies where fetch.sh leaves one that is verified, so that no time goes into packing it.
set_up() {
  mkdir -p "$data/.fetch"
  "$GRAPHCONV" kron:20:24 "$data/.fetch/large.mtx" --quiet
  "$GRAPHCONV" "$data/.fetch/large.mtx" "$root/whole.grf" --quiet
  begin_manifest
  manifest_line name=large group=Large >> "$tree/datasets/manifest.tsv"
  (($(stat -c %s "$root/whole.grf") > 3 * limit)) || fail "the graph is not large enough"
  cat > "$root/measured" <<MEASURED
#!/usr/bin/env python3
"""graphconv, whose most resident bytes go to the file peak; with KILL_AFTER seconds it is killed then, and its parent with it."""
import os, resource, subprocess, sys
kill_after = os.environ.get("KILL_AFTER")
try:
    code = subprocess.run(["$GRAPHCONV", *sys.argv[1:]], timeout=float(kill_after) if kill_after else None).returncode
except subprocess.TimeoutExpired:
    os.kill(os.getppid(), 9)
    sys.exit(1)
with open("$root/peak", "w") as peak:
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10, file=peak)
sys.exit(code)
MEASURED
  chmod +x "$root/measured"
}

stays_within_the_limit() {
  KILL_AFTER=0.5 GRAPHCONV="$root/measured" expect 137 fetch --memory 64MiB large
  [[ ! -e "$data/large.grf" && -e "$data/.fetch/large.mtx" ]] || fail "killed, and what is left is not the matrix: $(ls "$data")"
  GRAPHCONV="$root/measured" expect 0 fetch --memory 64MiB large
  cmp "$data/large.grf" "$root/whole.grf" || fail "another container"
  (($(cat "$root/peak") <= limit)) || fail "$(cat "$root/peak") bytes were resident"
  [[ ! -e "$data/.fetch/large.mtx" ]] || fail "the matrix is left"
}

refuses_what_makes_no_sense() {
  expect 2 fetch --mtx --memory 1GiB large
  expect 2 fetch --memory
  expect 2 fetch --memory lots large
  expect_text "$root/err" 'lots'
}

set_up
refuses_what_makes_no_sense
stays_within_the_limit
conclude
