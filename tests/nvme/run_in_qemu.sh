#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Boots a guest whose NVMe devices hold a graph, and has graphrun run from them by its own driver: run_in_qemu.sh GRAPHCONV GRAPHRUN
# DEVICE_CHECK, of which the last two are built for any processor. QEMU emulates processor, IOMMU and devices in software, so that it
# works anywhere. Exits 77 where QEMU, busybox or a kernel with VFIO is missing (tools/install_deps.sh --guest).
#
# GRAPHRUN_GUEST_IOMMU=off: no IOMMU, for kernels with VFIO's no-IOMMU mode (Debian's lack it, Ubuntu's have it).
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../guest/guest.sh"

(($# == 3)) || skip "the programs for the guest were not built: QEMU was not there when CMake looked; run cmake again"
graphconv="$1" graphrun="$2" device_check="$3"

begin_guest drivers/vfio/pci "$here/guest/init.sh"
"$graphconv" kron:12:8 "$guest_root/graph.grf" --weights random:1 --quiet
"$graphconv" path:100 "$guest_root/other.grf" --quiet
add_program "$graphrun" graphrun
add_program "$device_check" device_check
add_modules nvme crc32c_generic ext4 irqbypass iommufd vfio vfio_virqfd vfio_iommu_type1 vfio-pci-core vfio-pci

# A device is larger than its file, by an odd number of pages.
for disk in small large; do
  cp "$guest_root/graph.grf" "$guest_scratch/$disk"
  truncate -s "$(($(stat -c %s "$guest_root/graph.grf") + 1024 * 1024 + 4096))" "$guest_scratch/$disk"
done

iommu=(-device 'intel-iommu,intremap=on,caching-mode=on')
[[ "${GRAPHRUN_GUEST_IOMMU:-on}" == on ]] || iommu=()

boot_guest -smp 1 -m 512 "${iommu[@]}" \
  -drive "id=n0,if=none,format=raw,file=$guest_scratch/small" -device nvme,serial=small,drive=n0,addr=4 \
  -drive "id=n1,if=none,format=raw,file=$guest_scratch/large" \
  -device nvme,serial=large,drive=n1,addr=5,logical_block_size=4096,physical_block_size=4096,mdts=3,max_ioqpairs=1
