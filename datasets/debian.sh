# SPDX-License-Identifier: Apache-2.0
# The source package `suitesparse` of Debian and Ubuntu as a source of graphs; sourced by fetch.sh, never run.
#
# Everything lies under $cache/debian: first apt's private state, then suitesparse.orig.tar, then members/ with all files of
# it that the manifest names. The last two get their names when they are complete.
# shellcheck shell=bash
# shellcheck disable=SC2154  # cache is fetch.sh's

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
  { find "$list" -maxdepth 0 -type f -exec cat {} +
    find "$parts" -maxdepth 1 -name '*.list' -exec cat {} +; } 2> /dev/null |
    awk -v suites="$suites" '/^deb(-src)?[ \t]/ {
      i = 2
      if ($2 ~ /^\[/) { while (i <= NF && $i !~ /\]$/) ++i; ++i }
      if ($(i + 1) ~ suites && NF > i + 1) { sub(/^deb(-src)?/, "deb-src"); if (!seen[$0]++) print } }
    ' > "$dir/sources/private.list"
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
  command -v apt-get > /dev/null ||
    { say "this system has no apt, so the package suitesparse cannot be had from it"; return 1; }
  mkdir -p "$dir" && private_apt "$dir" || return 1
  say "downloading Debian's source package suitesparse (about 40 MB, once)"
  # An unreachable third-party mirror must not matter, so the status of 'update' is not what counts.
  apt-get -q=2 -c "$dir/apt.conf" update > "$dir/apt.log" 2>&1 < /dev/null || true
  (cd "$dir" && apt-get -q=2 -c "$dir/apt.conf" source --download-only --tar-only suitesparse) \
    >> "$dir/apt.log" 2>&1 < /dev/null ||
    { say "apt could not get it; its last words:"; tail -n 4 "$dir/apt.log" >&2; return 1; }
  archive="$(find "$dir" -maxdepth 1 -name 'suitesparse_*.orig.tar.*' | sort | tail -n 1)"
  [[ -n "$archive" ]] || { say "apt downloaded no archive; see $dir/apt.log"; return 1; }
  publish "$archive" "$dir/suitesparse.orig.tar" || return 1
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
  rm -rf "$dir/members" "$dir/members.part"
  mkdir "$dir/members.part" || return 1
  # Other releases of the package may lack single members, about which tar complains and goes on.
  names_with debian_member | while read -r name; do printf '*/%s\n' "$(field "$name" debian_member)"; done |
    tar -xf "$dir/suitesparse.orig.tar" -C "$dir/members.part" --strip-components=1 --wildcards --no-wildcards-match-slash \
        -T - 2> "$dir/tar.log" || true
  mv "$dir/members.part" "$dir/members"
}

debian_copy() { printf '%s\n' "$cache/debian/members/$(field "$1" debian_member)"; }

from_debian() {
  local name="$1" target="$2" copy
  [[ "$(field "$name" debian_member)" != - ]] || { say "$name: the Debian package does not carry it"; return 1; }
  copy="$(debian_copy "$name")"
  [[ -f "$copy" ]] || debian_members || return 1
  [[ -f "$copy" ]] || { say "$name: not in the Debian package's archive, or no archive"; return 1; }
  cat "$copy" > "$target"
}

# A wrong copy is unpacked again next time.
drop_debian() { rm -f "$(debian_copy "$1")"; }
