#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a static site of README.md and docs/, with search, by MkDocs of Debian and without a network. A link to a page, a file or a
# heading that is not there fails. usage: tools/docs.sh [FOLDER]    (default: build/site)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "${1:-}" in
  -h | --help | --*) sed -n '3,4s/^# //p' "$0"; [[ "$1" == -h || "$1" == --help ]]; exit ;;
esac
if ! command -v mkdocs > /dev/null; then
  echo "docs: mkdocs is missing: apt-get install mkdocs" >&2
  exit 77
fi
site="$(realpath -m "${1:-build/site}")"
pages="$(mktemp -d)"
trap 'rm -rf "$pages"' EXIT
# Copies the pages to their places in the tree, so that their links stay valid, with the files that they link to.
for name in README.md CHANGELOG.md CONTRIBUTING.md LICENSE NOTICE CITATION.cff docs configs datasets apps/python/examples include tools bench tests/package; do
  mkdir -p "$pages/$(dirname "$name")"
  cp -r "$name" "$pages/$name"
done
rm -rf "$pages/datasets/data"
GRAPHRUN_PAGES="$pages" GRAPHRUN_SITE="$site" mkdocs build --strict --clean --config-file tools/site/mkdocs.yml
echo "docs: python3 -m http.server --directory $site shows the site"
