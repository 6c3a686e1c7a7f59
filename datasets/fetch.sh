#!/usr/bin/env bash
# Fetches real graphs named in manifest.tsv into datasets/data/NAME.mtx, each checked against its digest.
#
# Two sources carry the same bytes. The SuiteSparse Matrix Collection's own site has every graph of the manifest. Debian's
# and Ubuntu's source package `suitesparse` has about thirty of them inside one archive of about 40 MB, which any machine
# with a working apt can get, through whatever mirror or proxy its apt is set up for, without privileges and without
# touching the system's own package lists. datasets/README.md tells more.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
manifest="$here/manifest.tsv"
data="$here/data"
cache="${XDG_CACHE_HOME:-${HOME:-$data}/.cache}/graphrun"
site="https://sparse.tamu.edu/MM"
connect_seconds=8
source_choice=auto

usage() {
  cat <<TEXT
usage: datasets/fetch.sh [--dir DIR] [--source auto|site|debian] NAME...
       datasets/fetch.sh [--dir DIR] [--source auto|site|debian] --all-small
       datasets/fetch.sh --list
  NAME          a graph of the manifest; its path is printed on standard output once it is there
  --all-small   every graph that the Debian package carries (14 MB together)
  --list        the manifest, as a table
  --dir         where the files go (default: datasets/data)
  --source      site: only the collection's site; debian: only the package; auto: whichever works
Downloads are kept in \${XDG_CACHE_HOME:-~/.cache}/graphrun and resumed when they were interrupted.
TEXT
}

say() { printf 'fetch: %s\n' "$*" >&2; }

# Column of a graph's manifest line; fails when there is no such graph.
field() { awk -F '\t' -v name="$1" -v column="$2" \
  'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next } $1 == name { print $at[column]; found = 1; exit }
   END { exit !found }' "$manifest"; }

list() {
  awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i }
    { small = NR == 1 ? "sources" : $at["debian_member"] == "-" ? "site" : "site, debian"
      printf "%-22s %-12s %10s %10s %11s  %-9s  %-12s  %s\n", $1, $2, $3, $4, $5, $at["directed"], small, $at["kind"] }' "$manifest"
}

# True when FILE has the digest, or where the manifest has none the size line, of graph NAME. Says what differs.
verify() {
  local name="$1" file="$2" expected actual size
  expected="$(field "$name" sha256)"
  if [[ "$expected" != - ]]; then
    actual="$(sha256sum "$file" | cut -d ' ' -f 1)"
    [[ "$actual" == "$expected" ]] || { say "$name: SHA-256 is $actual, the manifest says $expected"; return 1; }
    return 0
  fi
  size="$(grep -m 1 -v -e '^%' -e '^[[:space:]]*$' "$file" | awk '{ print $1, $2, $3 }')"
  expected="$(field "$name" rows) $(field "$name" cols) $(field "$name" nnz_stored)"
  [[ "$size" == "${expected% -}"* ]] || { say "$name: the size line is '$size', the manifest says '$expected'"; return 1; }
  say "$name: the manifest has no digest for it; only its size line was checked"
}

# Writes one file of the network to TARGET, going on where an earlier attempt stopped; with RETRIES after a failure.
download() {
  local url="$1" target="$2" retries="$3"
  if command -v curl > /dev/null; then
    curl --fail --silent --show-error --location --connect-timeout "$connect_seconds" --speed-limit 1000 --speed-time 30 \
         --retry "$retries" --continue-at - --output "$target.part" "$url" >&2 || return 1
  elif command -v wget > /dev/null; then
    wget --quiet --connect-timeout="$connect_seconds" --read-timeout=30 --tries="$((retries + 1))" --continue \
         --output-document="$target.part" "$url" >&2 || return 1
  else
    say "neither curl nor wget is installed"
    return 1
  fi
  mv "$target.part" "$target"
}

# Asked once a run: without network every graph would wait for its own timeout.
site_state=unknown
site_answers() {
  if [[ "$site_state" == unknown ]]; then
    local answer="$cache/site-answer" reason
    rm -f "$answer" "$answer.part"
    if reason="$(download "$site/Newman/karate.tar.gz" "$answer" 0 2>&1)"; then
      site_state=up
    else
      site_state=down
      say "the collection's site (${site%/MM}) cannot be reached from here: ${reason:-it did not answer}"
    fi
    rm -f "$answer" "$answer.part"
  fi
  [[ "$site_state" == up ]]
}

from_site() {
  local name="$1" target="$2" group archive
  site_answers || return 1
  group="$(field "$name" group)"
  archive="$cache/$group-$name.tar.gz"
  if [[ ! -f "$archive" ]]; then
    say "$name: downloading $site/$group/$name.tar.gz"
    download "$site/$group/$name.tar.gz" "$archive" 2 || { say "$name: the download failed; run again to go on with it"; return 1; }
  fi
  # Whatever is in it, this archive has served: a damaged one must not be tried again.
  local status=0
  tar -xzOf "$archive" "$name/$name.mtx" > "$target" || status=1
  rm -f "$archive"
  ((status == 0)) || { say "$name: the archive has no readable $name/$name.mtx"; return 1; }
}

# Private apt configuration under DIR: the system's mirrors, proxies and keys, but deb-src entries of its base release and
# lists of its own. Prints the options file's path.
private_apt() {
  local dir="$1" codename list parts
  # shellcheck source=/dev/null
  codename="$(. /etc/os-release && echo "${VERSION_CODENAME:-}")"
  [[ -n "$codename" ]] || { say "/etc/os-release names no release"; return 1; }
  eval "$(apt-config shell list Dir::Etc::sourcelist/f parts Dir::Etc::sourceparts/d)"
  mkdir -p "$dir/sources" "$dir/lists/partial" "$dir/cache/archives/partial"
  chmod 700 "$dir/sources"  # a mirror's address may hold a password
  rm -f "$dir"/sources/*
  # A release may be named by its code name or by its role; other suites (updates, security, backports) are not needed.
  local suites="^($codename|stable|oldstable|testing|unstable|sid)\$"
  find "$list" -maxdepth 0 -type f -exec cat {} + 2> /dev/null | cat - <(find "$parts" -maxdepth 1 -name '*.list' -exec cat {} + 2> /dev/null) |
    awk -v suites="$suites" '/^deb(-src)?[ \t]/ {
      i = 2
      if ($2 ~ /^\[/) { while (i <= NF && $i !~ /\]$/) ++i; ++i }
      if ($(i + 1) ~ suites && NF > i + 1) { sub(/^deb(-src)?/, "deb-src"); if (!seen[$0]++) print } }' > "$dir/sources/private.list"
  find "$parts" -maxdepth 1 -name '*.sources' -exec awk '{ print } END { print "" }' {} \; 2> /dev/null |
    awk -v suites="$suites" '
      function flush(  i, n, words, kept) {
        n = split(wanted, words, /[ \t]+/)
        for (i = 1; i <= n; ++i) if (words[i] ~ suites) kept = words[i]
        if (kept != "" && enabled) printf "Types: deb-src\nSuites: %s\n%s\n", kept, body
        body = wanted = name = ""; enabled = 1 }
      BEGIN { enabled = 1 }
      /^[ \t]*$/ { flush(); next }
      /^#/ { next }
      /^[^ \t]/ { name = tolower($0); sub(/:.*/, "", name) }
      name == "suites" { value = $0; sub(/^[^ \t]*:/, "", value); wanted = wanted " " value; next }
      name == "types" { next }
      name == "enabled" { enabled = tolower($2) != "no"; next }
      { body = body $0 "\n" }
      END { flush() }' > "$dir/sources/private.sources"
  [[ -s "$dir/sources/private.list" || -s "$dir/sources/private.sources" ]] || {
    say "apt's sources ($list, $parts) name no mirror of $codename"; return 1; }
  # The system's hooks (cleaning its cache, refreshing its software centre) have no business here. As root, apt would
  # download as a user who cannot write into the cache.
  cat > "$dir/apt.conf" <<TEXT
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
Dir::Etc::SourceList "/dev/null";
Dir::Etc::SourceParts "$dir/sources";
Dir::State::Lists "$dir/lists";
Dir::Cache "$dir/cache";
APT::Sandbox::User "$(id -un)";
Acquire::Languages "none";
Acquire::Retries "2";
TEXT
}

# The package's archive, as $cache/debian/suitesparse.orig.tar once it is complete (apt has checked its signature).
debian_archive() {
  local dir="$cache/debian" archive
  [[ -f "$dir/suitesparse.orig.tar" ]] && return 0
  command -v apt-get > /dev/null || { say "this system has no apt, so the package suitesparse cannot be had from it"; return 1; }
  mkdir -p "$dir"
  private_apt "$dir" || return 1
  say "downloading Debian's source package suitesparse (about 40 MB, once)"
  # An unreachable third-party mirror must not matter, so the status of 'update' is not what counts.
  apt-get -q=2 -c "$dir/apt.conf" update > "$dir/apt.log" 2>&1 < /dev/null || true
  (cd "$dir" && apt-get -q=2 -c "$dir/apt.conf" source --download-only --tar-only suitesparse) >> "$dir/apt.log" 2>&1 < /dev/null || {
    say "apt could not get it; its last words:"; tail -n 4 "$dir/apt.log" >&2; return 1; }
  archive="$(find "$dir" -maxdepth 1 -name 'suitesparse_*.orig.tar.*' | sort | tail -n 1)"
  [[ -n "$archive" ]] || { say "apt downloaded no archive; see $dir/apt.log"; return 1; }
  mv "$archive" "$dir/suitesparse.orig.tar"
  rm -rf "$dir/lists" "$dir/cache" "$dir/sources" "$dir/apt.conf"
}

# All members that the manifest names, unpacked in one pass, because reading a compressed archive of 40 MB takes seconds.
debian_state=unknown
debian_members() {
  local dir="$cache/debian"
  [[ "$debian_state" == unknown ]] || return 0
  debian_state=tried
  command -v xz > /dev/null || { say "xz is not installed (package xz-utils)"; return 1; }
  debian_archive || return 1
  mkdir -p "$dir/members"
  # Other releases of the package may lack single members, about which tar complains and goes on.
  awk -F '\t' 'NR > 1 && $NF != "-" { print "*/" $NF }' "$manifest" |
    tar -xf "$dir/suitesparse.orig.tar" -C "$dir/members" --strip-components=1 --wildcards --no-wildcards-match-slash -T - \
      2> "$dir/tar.log" || true
}

from_debian() {
  local name="$1" target="$2" member
  member="$(field "$name" debian_member)"
  [[ "$member" != - ]] || { say "$name: the Debian package does not carry it"; return 1; }
  [[ -f "$cache/debian/members/$member" ]] || debian_members || return 1
  [[ -f "$cache/debian/members/$member" ]] || { say "$name: not in the Debian package's archive, or no archive"; return 1; }
  cp "$cache/debian/members/$member" "$target"
}

# Two fetches at once must not write the same download. Held until this program ends.
lock_cache() {
  command -v flock > /dev/null || return 0
  { : >&9; } 2> /dev/null || exec 9> "$cache/lock"
  flock 9
}

fetch() {
  local name="$1" target="$data/$1.mtx" partial="$data/.$1.mtx.$$" origin order
  field "$name" group > /dev/null || { say "no graph is called '$name'; --list shows all"; return 2; }
  # A finished file was verified before it got its name, so that a second run costs nothing.
  [[ -f "$target" ]] && { echo "$target"; return 0; }
  case "$source_choice" in
    site | debian) order=("$source_choice") ;;
    auto) if [[ -f "$cache/debian/suitesparse.orig.tar" ]]; then order=(debian site); else order=(site debian); fi ;;
  esac
  mkdir -p "$data" "$cache"
  lock_cache
  for origin in "${order[@]}"; do
    if "from_$origin" "$name" "$partial" && verify "$name" "$partial"; then
      chmod 644 "$partial"
      mv "$partial" "$target"
      echo "$target"
      return 0
    fi
    rm -f "$partial"
    # A wrong copy is unpacked again next time.
    [[ "$origin" == site ]] || rm -f "$cache/debian/members/$(field "$name" debian_member)"
  done
  say "$name: not fetched"
  return 1
}

names=()
all_small=no
while (($#)); do
  case "$1" in
    -h | --help) usage; exit 0 ;;
    --list) list; exit 0 ;;
    --all-small) all_small=yes ;;
    --dir | --source)
      (($# >= 2)) || { usage >&2; exit 2; }
      if [[ "$1" == --dir ]]; then data="$2"; else source_choice="$2"; fi
      shift ;;
    -*) usage >&2; exit 2 ;;
    *) names+=("$1") ;;
  esac
  shift
done
[[ "$source_choice" =~ ^(auto|site|debian)$ ]] || { usage >&2; exit 2; }
[[ "$all_small" == no ]] || mapfile -t -O "${#names[@]}" names < <(awk -F '\t' 'NR > 1 && $NF != "-" { print $1 }' "$manifest")
((${#names[@]})) || { usage >&2; exit 2; }

status=0
for name in "${names[@]}"; do
  result=0
  fetch "$name" || result=$?
  ((result <= status)) || status=$result
done
exit "$status"
