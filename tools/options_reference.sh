#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes docs/options.md from the programs' options. usage: tools/options_reference.sh [BUILD_FOLDER]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
page="$(mktemp)"
trap 'rm -f "$page"' EXIT
cat > "$page" <<'TEXT'
# Options

What `graphrun`, `graphconv` and `graphmemd` say of their options; `tools/options_reference.sh` writes this page. Neither case nor `-` and `_`
count in what options choose among; sizes have units of 1024: `4096`, `4KiB`, `1.5GB`. An option that several programs share stands with the first.

TEXT
for program in graphrun graphconv graphmemd; do "${1:-build}/$program" --help markdown; done | awk '!/^- / || !seen[$0]++' >> "$page"
cp "$page" docs/options.md
