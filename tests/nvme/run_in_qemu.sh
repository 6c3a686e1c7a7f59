#!/usr/bin/env bash
# Boots a guest whose NVMe devices hold a graph, and has graphrun run from them by its own driver: run_in_qemu.sh GRAPHCONV GRAPHRUN
# DEVICE_CHECK, of which the last two are built for any processor. QEMU emulates processor, IOMMU and devices in software, so that it
# works anywhere. Exits 77 where QEMU, busybox or a kernel with VFIO is missing (tools/install_deps.sh --guest).
#
# GRAPHRUN_GUEST_KERNEL: a directory with boot/vmlinuz-* and lib/modules/*, instead of looking for one.
# GRAPHRUN_GUEST_IOMMU=off: no IOMMU, for kernels with VFIO's no-IOMMU mode (Debian's lack it, Ubuntu's have it).
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
readonly limit_s=100

skip() { echo "skipped: $*"; exit 77; }

for program in qemu-system-x86_64 busybox cpio; do
  command -v "$program" > /dev/null || skip "there is no $program here"
done
(($# == 3)) || skip "the programs for the guest were not built: QEMU was not there when CMake looked; run cmake again"
graphconv="$1" graphrun="$2" device_check="$3"

# Sets kernel and modules: the newest kernel whose modules have VFIO.
find_kernel() {
  local root image release
  for root in "${GRAPHRUN_GUEST_KERNEL:-}" "${XDG_CACHE_HOME:-$HOME/.cache}/graphrun/guest-kernel" /; do
    [[ -n "$root" ]] || continue
    while read -r image; do
      release="${image##*/vmlinuz-}"
      modules="${root%/}/lib/modules/$release"
      [[ -r "$image" && -d "$modules/kernel/drivers/vfio/pci" ]] && { kernel="$image"; return; }
    done < <(find "${root%/}/boot" -maxdepth 1 -name 'vmlinuz-*' 2> /dev/null | sort -rV)
  done
  skip "there is no kernel with VFIO to boot a guest with"
}
find_kernel

scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
root="$scratch/root"
mkdir -p "$root"/{bin,modules,proc,sys,dev,tmp}

# Copies a program and the libraries that it loads.
add_program() {
  local library
  install -D "$1" "$root/bin/$2"
  while read -r library; do
    [[ -e "$root$library" ]] || install -D "$library" "$root$library"
  done < <(ldd "$1" 2> /dev/null | grep -o '/[^ ]*')
}

# Modules that some kernels have built in, or do not have yet or any more, are left out.
add_modules() {
  local name file
  touch "$root/modules/order"
  for name in irqbypass iommufd vfio vfio_virqfd vfio_iommu_type1 vfio-pci-core vfio-pci; do
    file="$(find "$modules/kernel" -name "$name.ko*" -print -quit)"
    case "$file" in
      '') continue ;;
      *.zst) zstd -qdc "$file" > "$root/modules/$name.ko" ;;
      *.xz) xz -dc "$file" > "$root/modules/$name.ko" ;;
      *) cp "$file" "$root/modules/$name.ko" ;;
    esac
    echo "$name.ko" >> "$root/modules/order"
  done
}

"$graphconv" kron:12:8 "$root/graph.grf" --weights random:1 --quiet
"$graphconv" path:100 "$root/other.grf" --quiet
add_program "$graphrun" graphrun
add_program "$device_check" device_check
add_program "$(command -v busybox)" busybox
add_modules
install "$here/guest/init.sh" "$root/init"
(cd "$root" && find . -print0 | cpio -0 -o -H newc --quiet) > "$scratch/initramfs"

# A device is larger than its file, by an odd number of pages.
for disk in small large; do
  cp "$root/graph.grf" "$scratch/$disk"
  truncate -s "$(($(stat -c %s "$root/graph.grf") + 1024 * 1024 + 4096))" "$scratch/$disk"
done

iommu=(-device 'intel-iommu,intremap=on,caching-mode=on')
[[ "${GRAPHRUN_GUEST_IOMMU:-on}" == on ]] || iommu=()

timeout "$limit_s" qemu-system-x86_64 \
  -M q35,kernel-irqchip=split -accel tcg,thread=multi -cpu max -smp 1 -m 512 -nodefaults -no-user-config -display none -no-reboot \
  -serial "file:$scratch/console" -kernel "$kernel" -initrd "$scratch/initramfs" \
  -append 'console=ttyS0 intel_iommu=on quiet panic=-1 tsc=reliable mitigations=off' \
  "${iommu[@]}" \
  -drive "id=n0,if=none,format=raw,file=$scratch/small" -device nvme,serial=small,drive=n0,addr=4 \
  -drive "id=n1,if=none,format=raw,file=$scratch/large" \
  -device nvme,serial=large,drive=n1,addr=5,logical_block_size=4096,physical_block_size=4096,mdts=3,max_ioqpairs=1 ||
  echo "QEMU ended with $? (124: it took longer than $limit_s s)"
cat "$scratch/console"
grep -q '^VERDICT: skipped' "$scratch/console" && exit 77
grep -q '^VERDICT: passed' "$scratch/console"
