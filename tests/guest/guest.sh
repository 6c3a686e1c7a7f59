# SPDX-License-Identifier: Apache-2.0
# Guests of QEMU, which emulates processor and devices in software, so that they work anywhere. Sourced by scripts that boot one, never
# run; what the guests themselves share is guest_init.sh.
# shellcheck shell=bash
#
# GRAPHRUN_GUEST_KERNEL: a directory with boot/vmlinuz-* and lib/modules/*, instead of looking for one.

readonly guest_directory="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
guest_limit_s=100

skip() { echo "skipped: $*"; exit 77; }

# begin_guest NEEDED INIT: an empty guest in $guest_root that will run INIT, for a kernel whose modules have the file or directory
# NEEDED. What is in $guest_scratch goes when the script ends.
begin_guest() {
  local program
  for program in qemu-system-x86_64 busybox cpio; do
    command -v "$program" > /dev/null || skip "there is no $program here (tools/install_deps.sh --guest)"
  done
  find_guest_kernel "$1"
  guest_scratch="$(mktemp -d)"
  trap 'rm -rf "$guest_scratch"' EXIT
  guest_root="$guest_scratch/root"
  mkdir -p "$guest_root"/{bin,modules,proc,sys,dev,tmp}
  touch "$guest_root/modules/order"
  install "$guest_directory/guest_init.sh" "$guest_root/guest_init.sh"
  install "$2" "$guest_root/init"
  add_program "$(command -v busybox)" busybox
}

# Sets kernel and modules: the newest kernel whose modules have what is needed.
find_guest_kernel() {
  local root image release
  for root in "${GRAPHRUN_GUEST_KERNEL:-}" "${XDG_CACHE_HOME:-$HOME/.cache}/graphrun/guest-kernel" /; do
    [[ -n "$root" ]] || continue
    while read -r image; do
      release="${image##*/vmlinuz-}"
      modules="${root%/}/lib/modules/$release"
      [[ -r "$image" && -d "$modules/kernel" ]] || continue
      [[ -n "$(compgen -G "$modules/kernel/$1")" ]] && { kernel="$image"; return; }
    done < <(find "${root%/}/boot" -maxdepth 1 -name 'vmlinuz-*' 2> /dev/null | sort -rV)
  done
  skip "there is no kernel with $1 to boot a guest with (tools/install_deps.sh --guest)"
}

# Copies the libraries that a program or a library loads.
add_libraries_of() {
  local library
  while read -r library; do
    [[ -e "$guest_root$library" ]] || install -D "$library" "$guest_root$library"
  done < <(ldd "$1" 2> /dev/null | grep -o '/[^ ]*')
}

# add_program FILE NAME: with its libraries.
add_program() {
  install -D "$1" "$guest_root/bin/$2"
  add_libraries_of "$1"
}

# add_file FILE...: at the same place; libraries with those that they load.
add_file() {
  local file
  for file in "$@"; do
    install -D "$file" "$guest_root$file"
    add_libraries_of "$file"
  done
}

# add_modules NAME...: after the modules that they need. Those that the kernel has built in, or does not have, are left out.
add_modules() {
  local name file needed
  for name in "$@"; do
    ! grep -qx "${name//-/_}.ko" "$guest_root/modules/order" || continue
    file="$(find "$modules/kernel" -name "${name//[-_]/[-_]}.ko*" -print -quit)"
    local copy="$guest_root/modules/${name//-/_}.ko"
    case "$file" in
      '') continue ;;
      *.zst) zstd -qdc "$file" > "$copy" ;;
      *.xz) xz -dc "$file" > "$copy" ;;
      *) cp "$file" "$copy" ;;
    esac
    needed="$(grep -za '^depends=' "$copy" | tr -d '\0')"
    needed="${needed#depends=}"
    [[ -z "$needed" ]] || add_modules ${needed//,/ }
    echo "${name//-/_}.ko" >> "$guest_root/modules/order"
  done
}

# boot_guest QEMU_OPTION...: prints what the guest says, and ends this script with its verdict.
boot_guest() {
  (cd "$guest_root" && find . -print0 | cpio -0 -o -H newc --quiet) > "$guest_scratch/initramfs"
  timeout "$guest_limit_s" qemu-system-x86_64 \
    -M q35,kernel-irqchip=split -accel tcg,thread=multi -cpu max -nodefaults -no-user-config -display none -no-reboot \
    -serial "file:$guest_scratch/console" -kernel "$kernel" -initrd "$guest_scratch/initramfs" \
    -append 'console=ttyS0 intel_iommu=on quiet panic=-1 tsc=reliable no_timer_check mitigations=off' "$@" ||
    echo "QEMU ended with $? (124: it took longer than $guest_limit_s s)"
  cat "$guest_scratch/console"
  ! grep -q '^VERDICT: skipped' "$guest_scratch/console" || exit 77
  grep -q '^VERDICT: passed' "$guest_scratch/console"
}
