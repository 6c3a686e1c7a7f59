# SPDX-License-Identifier: Apache-2.0
# A mirror of the collection, a manifest and the scripts of datasets/, in a temporary folder; sourced by tests, never run.
# shellcheck shell=bash
# shellcheck disable=SC2034  # the tests use what is set here

for tool in curl flock sha256sum; do
  command -v "$tool" > /dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done

source_tree="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
root="$(mktemp -d)"
trap 'rm -rf "$root"' EXIT
export XDG_CACHE_HOME="$root/cache"
tree="$root/tree"
data="$root/data"
mirror="$root/mirror"
failures=0

fail() { printf 'FAILED: %s\n' "$*" >&2; failures=$((failures + 1)); }

# Runs a command, whose output goes to $root/out and $root/err, and expects an exit code.
expect() {
  local wanted="$1" status=0
  shift
  "$@" > "$root/out" 2> "$root/err" || status=$?
  ((status == wanted)) || { fail "exit code $status instead of $wanted: $*"; cat "$root/err" >&2; }
}
expect_text() { grep -q -e "$2" "$1" || { fail "no '$2' in $(basename "$1"):"; cat "$1" >&2; }; }

# An archive as the collection packs it, of the matrix on standard input.
pack() {
  local group="$1" name="$2" folder="$root/pack/$2"
  mkdir -p "$folder" "$mirror/$group"
  cat > "$folder/$name.mtx"
  tar -czf "$mirror/$group/$name.tar.gz" -C "$root/pack" "$name"
}

digest_of() { sha256sum "$root/pack/$1/$1.mtx" | cut -d ' ' -f 1; }

# A manifest with the columns of the real one, without graphs.
begin_manifest() {
  mkdir -p "$tree/datasets"
  cp "$source_tree"/datasets/*.sh "$tree/datasets"
  head -n 1 "$source_tree/datasets/manifest.tsv" > "$tree/datasets/manifest.tsv"
}

# The line of a graph of the manifest of whose columns these are known: COLUMN=VALUE...
manifest_line() {
  awk -F '\t' -v OFS='\t' -v known="$(printf '%s\n' "$@")" '
    { count = split(known, pairs, "\n")
      for (i = 1; i <= count; ++i) {
        at = index(pairs[i], "=")
        value[substr(pairs[i], 1, at - 1)] = substr(pairs[i], at + 1)
      }
      for (i = 1; i <= NF; ++i) $i = $i in value ? value[$i] : "-"
      print; exit }' "$source_tree/datasets/manifest.tsv"
}

# Value of a COLUMN of a NAME of the manifest.
manifest_value() {
  awk -F '\t' -v name="$1" -v column="$2" 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i }
    $1 == name { print $at[column] }' "$tree/datasets/manifest.tsv"
}

# Gives a COLUMN of a NAME another VALUE.
set_manifest_value() {
  awk -F '\t' -v OFS='\t' -v name="$1" -v column="$2" -v value="$3" 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i }
    $1 == name { $at[column] = value } { print }' "$tree/datasets/manifest.tsv" > "$root/manifest.new"
  mv "$root/manifest.new" "$tree/datasets/manifest.tsv"
}

start_over() { rm -rf "$data" "$XDG_CACHE_HOME"; }

# Ends a test program.
conclude() {
  ((failures == 0)) || { echo "$failures expectations failed"; exit 1; }
  echo "all expectations held"
}
