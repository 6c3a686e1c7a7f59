#!/usr/bin/env bash
# Installs what building and testing graphrun needs, on Debian 12, Ubuntu 24.04 and their relatives.
# Only packages that are missing are asked for, so on a prepared machine this needs neither network nor privileges.
set -euo pipefail

required=(g++ cmake ninja-build libcxxopts-dev libspdlog-dev libfmt-dev nlohmann-json3-dev libgtest-dev libbenchmark-dev
          zlib1g-dev libxxhash-dev liburing-dev ca-certificates curl xz-utils)
optional=(ccache)

usage() {
  cat <<TEXT
usage: tools/install_deps.sh [--check]
  --check   only say what is missing; exit 1 when something required is
TEXT
}

say() { printf 'install_deps: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

check_only=no
while (($#)); do
  case "$1" in
    --check) check_only=yes ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done

command -v dpkg-query > /dev/null && command -v apt-get > /dev/null ||
  fail "this system has no apt; install by other means: a C++20 compiler, CMake 3.25, Ninja, cxxopts, spdlog, fmt," \
       "nlohmann-json, GoogleTest, Google Benchmark, xxHash, liburing and zlib (with their headers), then call cmake directly"

installed() { [[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2> /dev/null)" == installed ]]; }

missing=()
for package in "${required[@]}"; do installed "$package" || missing+=("$package"); done
wanted=()
for package in "${optional[@]}"; do installed "$package" || wanted+=("$package"); done

if [[ "$check_only" == yes ]]; then
  ((${#wanted[@]} == 0)) || say "optional and missing: ${wanted[*]}"
  ((${#missing[@]} == 0)) || fail "missing: ${missing[*]}"
  exit 0
fi
((${#missing[@]})) || { say "everything required is installed"; exit 0; }

as_root=()
if ((EUID != 0)); then
  command -v sudo > /dev/null ||
    fail "not root and no sudo here; ask an administrator for: apt-get install ${missing[*]}"
  as_root=(sudo)
  # Without a terminal sudo could only hang or fail at its password prompt.
  [[ -t 0 ]] || as_root=(sudo -n)
  "${as_root[@]}" true || fail "sudo refused; run as root: apt-get install ${missing[*]}"
fi
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0 "$@" < /dev/null; }

say "installing: ${missing[*]}"
apt update || fail "'apt-get update' failed: check the network and the files under /etc/apt"
apt install -y --no-install-recommends "${missing[@]}" ||
  fail "'apt-get install' failed for one of: ${missing[*]} (graphrun is tested on Debian 12 and Ubuntu 24.04)"
if ((${#wanted[@]})); then
  apt install -y --no-install-recommends "${wanted[@]}" || say "went on without: ${wanted[*]}"
fi
