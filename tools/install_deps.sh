#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the build and test dependencies of graphrun, on Debian 12, Ubuntu 24.04 and their relatives. Requests only missing
# packages, so a prepared machine needs neither network nor privileges.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/common.sh"
log="$here/../build/install_deps.log"

required=(g++ cmake ninja-build libcxxopts-dev libspdlog-dev libfmt-dev nlohmann-json3-dev libgtest-dev zlib1g-dev
          libxxhash-dev liburing-dev ca-certificates curl xz-utils)
# graphbench needs python3 and python3-jsonschema; its reports are drawn with the next two. libfabric gives reads of other
# machines' memory, libssl-dev tokens for them; iproute2 and jq are for their tests, which are skipped without. Open MPI (12 MB of
# 154) lets mpirun start graphrun. The Python module needs pybind11 and the packages up to python3-venv; its tests pytest, SciPy,
# networkx, tqdm and mypy. mkdocs checks links of pages, patchelf makes wheels for other distributions. A build without
# libzstd-dev, liblzma-dev, libbz2-dev or libarchive-dev rejects text in these formats.
optional=(ccache python3 python3-jsonschema python3-matplotlib python3-jinja2 libzstd-dev liblzma-dev libbz2-dev libarchive-dev
          libfabric-dev libssl-dev libopenmpi-dev openmpi-bin iproute2 jq pybind11-dev python3-dev python3-numpy python3-pip
          python3-venv python3-pytest python3-scipy python3-networkx python3-tqdm mypy mkdocs patchelf)
# For guests in which graphrun drives NVMe devices and reads over RDMA ones (tests/guest): 18 MB with dependencies, and 70 MB of
# kernel. Tests that need them are skipped without, so nothing here fails for it.
guest=(qemu-system-x86 busybox-static cpio ibverbs-providers)
guest_kernel=linux-image-amd64  # with soft-RoCE, which Debian's kernels for clouds lack
guest_kernel_directory="${XDG_CACHE_HOME:-$HOME/.cache}/graphrun/guest-kernel"

usage() {
  cat <<TEXT
usage: tools/install_deps.sh [--check] [--guest]
  --check   only say what is missing; exit 1 when something required is
  --guest   also what tests with NVMe and RDMA devices need (90 MB): QEMU, and a Linux kernel that is unpacked into
            $guest_kernel_directory (400 MB) and not installed
TEXT
}

say() { printf 'install_deps: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

check_only=no
want_guest=no
while (($#)); do
  case "$1" in
    --check) check_only=yes ;;
    --guest) want_guest=yes ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done

command -v dpkg-query > /dev/null && command -v apt-get > /dev/null ||
  fail "this system has no apt; install by other means: a C++20 compiler, CMake 3.25, Ninja, cxxopts, spdlog, fmt," \
       "nlohmann-json, GoogleTest, xxHash, liburing and zlib (with their headers), then call cmake directly"

installed() { [[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2> /dev/null)" == installed ]]; }

missing=()
for package in "${required[@]}"; do installed "$package" || missing+=("$package"); done
wanted=()
[[ "$want_guest" == no ]] || optional+=("${guest[@]}")
for package in "${optional[@]}"; do installed "$package" || wanted+=("$package"); done

if [[ "$check_only" == yes ]]; then
  ((${#wanted[@]} == 0)) || say "optional and missing: ${wanted[*]}"
  ((${#missing[@]} == 0)) || fail "missing: ${missing[*]}"
  exit 0
fi
if ((${#missing[@]} == 0)) && [[ "$want_guest" == no ]]; then
  say "everything required is installed"
  exit 0
fi

# Ends with an error when something required is missing; otherwise continues without.
give_up() {
  ((${#missing[@]} == 0)) || fail "$*"
  say "$*"
  say "went on without: ${wanted[*]}"
  exit 0
}

# Unpacks a kernel and its modules; installs nothing of it.
fetch_guest_kernel() {
  local package scratch
  [[ "$want_guest" == yes && "$(dpkg --print-architecture)" == amd64 ]] || return 0
  [[ -z "$(compgen -G "$guest_kernel_directory/lib/modules/*/kernel/drivers/infiniband/sw/rxe")" ]] || return 0
  package="$(apt-cache depends "$guest_kernel" 2> /dev/null | sed -n 's/^ *Depends: *\(linux-image-[0-9].*\)$/\1/p' | head -n 1)"
  [[ -n "$package" ]] || { say "went on without a kernel for a guest: there is no $guest_kernel here"; return 0; }
  scratch="$(mktemp -d)"
  if (cd "$scratch" && quietly "$log" apt-get -q -o APT::Sandbox::User=root download "$package") && dpkg -x "$scratch"/*.deb "$scratch/kernel"; then
    mkdir -p "$guest_kernel_directory"
    cp -a "$scratch/kernel/." "$guest_kernel_directory"
    say "unpacked $package into $guest_kernel_directory"
  else
    say "went on without a kernel for a guest: $package could not be fetched"
  fi
  rm -rf "$scratch"
}

if ((${#missing[@]} + ${#wanted[@]} == 0)); then
  fetch_guest_kernel
  exit 0
fi

as_root=()
if ((EUID != 0)); then
  command -v sudo > /dev/null ||
    give_up "not root and no sudo here; ask an administrator for: apt-get install ${missing[*]} ${wanted[*]}"
  as_root=(sudo)
  # Without a terminal sudo could only hang or fail at its password prompt.
  [[ -t 0 ]] || as_root=(sudo -n)
  "${as_root[@]}" true || give_up "sudo refused; run as root: apt-get install ${missing[*]} ${wanted[*]}"
fi
apt() { quietly "$log" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0 "$@" < /dev/null; }

say "installing $((${#missing[@]} + ${#wanted[@]})) packages with what they depend on, some 300 MB: ${missing[*]} ${wanted[*]}"
apt update || give_up "'apt-get update' failed: check the network and the files under /etc/apt"
install() { apt install -y --no-install-recommends "$@"; }
if ((${#missing[@]})); then
  install "${missing[@]}" ||
    fail "'apt-get install' failed for one of: ${missing[*]} (graphrun is tested on Debian 12 and Ubuntu 24.04)"
fi
# Installs one by one, which takes several times as long, on systems that lack some.
if ((${#wanted[@]})) && ! { apt-get install -s "${wanted[@]}" > /dev/null 2>&1 && install "${wanted[@]}"; }; then
  for package in "${wanted[@]}"; do install "$package" || say "went on without: $package"; done
fi
fetch_guest_kernel
