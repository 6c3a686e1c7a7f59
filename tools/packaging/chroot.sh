#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tries packages in the root folder of a bare Debian 12, as: debootstrap --variant=minbase bookworm ROOT. Wants root and the network.
# It changes that folder: give it a copy.
#   chroot.sh ROOT deb FILE.deb      installs a package that cpack made, and runs its programs
#   chroot.sh ROOT library FILE.deb  the same, and builds a program over its library
#   chroot.sh ROOT docker TARGET     does the steps of the Dockerfile beside this script, up to the target: programs or tests
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source_folder="$(cd "$here/../.." && pwd)"

usage() { sed -n '3,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[[ $# == 3 && -x "$1/bin/sh" ]] || usage
root="$(realpath "$1")"
[[ "$root" != / ]] || usage

# inside COMMAND: runs a line of shell there; its mounts end with it.
inside() {
  printf '+ %s\n' "$*"
  # shellcheck disable=SC2016  # the inner shell expands them
  unshare --mount --pid --fork --mount-proc="$root/proc" env -i PATH="${path:-/usr/sbin:/usr/bin:/sbin:/bin}" HOME=/root LANG=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive sh -c 'mount -t devpts -o newinstance,ptmxmode=0666 devpts "$0/dev/pts" && exec chroot "$0" sh -c "$1"' \
    "$root" "cd '${folder:-/root}' && $*"
}

install_deb() {
  cp "$1" "$root/root/graphrun.deb"
  inside apt-get -qq update
  inside apt-get -qq install -y --no-install-recommends /root/graphrun.deb "> install.log 2>&1 || { tail install.log; exit 1; }"
  inside graphrun --version
  inside graphconv kron:12 kron12.grf --quiet
  inside graphrun kron12.grf --algo bfs --backend bam --cache 64KiB --verify --quiet
  inside "graphrun kron:10 --algo bfs --ids 64 --verify --quiet | grep -w verified"
  inside "bash -c 'source /usr/share/bash-completion/completions/graphrun; complete -p graphrun'"
  for program in graphrun graphconv graphmemd; do inside "test -s /usr/share/man/man1/$program.1.gz"; done
}

build_over_library() {
  cp -r "$source_folder/tests/package" "$root/root/consumer"
  inside "apt-get -qq install -y --no-install-recommends cmake make g++ \$(dpkg-query -W -f '\${Suggests}' graphrun | tr -d , | tr ' ' '\n' | grep -e -dev) > suggested.log 2>&1"
  inside cmake -S consumer -B consumer/build "> consumer.log"
  inside cmake --build consumer/build --target consumer both ">> consumer.log"
  inside "consumer/build/consumer && consumer/build/both"
}

# Follows the Dockerfile's instructions. COPY makes a clone of the commit.
follow_dockerfile() {
  local target="$1" stage="" instruction rest
  while read -r instruction rest; do
    case "$instruction" in
      FROM)
        [[ "$stage" != "$target" ]] || return 0
        stage="${rest##* AS }"
        ;;
      WORKDIR) folder="$rest"; mkdir -p "$root$rest" ;;
      COPY) rm -rf "${root:?}$folder"; git clone -q "$source_folder" "$root$folder" ;;
      ENV) path="${rest#PATH=}" ;;
      RUN) inside "$rest" ;;
      "" | "#"* | CMD) ;;
      *) printf 'chroot.sh: %s is no instruction that it knows\n' "$instruction" >&2; exit 2 ;;
    esac
  done < "$here/Dockerfile"
  [[ "$stage" == "$target" ]] || usage
}

cp /etc/resolv.conf "$root/etc/resolv.conf"
case "$2" in
  deb) install_deb "$3" ;;
  library) install_deb "$3"; build_over_library ;;
  docker) follow_dockerfile "$3" ;;
  *) usage ;;
esac
