#!/usr/bin/env bash
# Prints docs/options.md: what the programs of a build say of their options.
# usage: tools/options_reference.sh [BUILD_FOLDER] > docs/options.md
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cat <<'TEXT'
# Options

What `graphrun`, `graphconv` and `graphmemd` say of their options; `tools/options_reference.sh` prints this page. Case does not count in
names, sizes have units of 1024: `4096`, `4KiB`, `1.5GB`.

TEXT
for program in graphrun graphconv graphmemd; do "${1:-build}/$program" --help markdown; done
