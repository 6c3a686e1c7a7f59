#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Boots a guest with an RDMA device, in which graphrun reads edges from graphmemd over verbs: verbs_in_qemu.sh GRAPHCONV GRAPHRUN
# GRAPHMEMD, of which the last two are built for any processor. The device is the kernel's soft-RoCE, which does what a NIC does, over
# an Ethernet interface. Exits 77 where QEMU, a kernel with that, or verbs' libraries are missing (tools/install_deps.sh --guest).
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../guest/guest.sh"

(($# == 3)) || skip "the programs for the guest were not built: QEMU or libfabric was not there when CMake looked; run cmake again"
graphconv="$1" graphrun="$2" graphmemd="$3"

# Where the loader finds a library.
path_of() { ldconfig -p | sed -n "s/^[[:space:]]*$1 .*x86-64.*=> //p" | head -n 1; }
rdma="$(command -v rdma)" || skip "there is no program rdma here (package iproute2)"
fabric="$(path_of libfabric.so.1)"
verbs="$(path_of libibverbs.so.1)"
[[ -n "$fabric" && -n "$verbs" ]] || skip "there is no libfabric with verbs here"
driver="$(compgen -G "$(dirname "$(realpath "$verbs")")/libibverbs/librxe-*.so")" ||
  skip "there is no driver of soft-RoCE here (package ibverbs-providers)"

begin_guest drivers/infiniband/sw/rxe "$here/guest/init.sh"
"$graphconv" kron:11:8 "$guest_root/graph.grf" --weights random:1 --quiet
add_program "$graphrun" graphrun
add_program "$graphmemd" graphmemd
add_program "$rdma" rdma
add_file "$fabric" "$driver" /etc/libibverbs.d/rxe.driver
add_modules crc32_generic dummy ib_uverbs rdma_ucm rdma_rxe
guest_limit_s=540
boot_guest -smp 2 -m 768
