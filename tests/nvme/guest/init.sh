#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
# What runs in the guest of run_in_qemu.sh, as its first process.
#
# The device 0000:00:04.0 holds /graph.grf in blocks of 512 bytes, 0000:00:05.0 holds it in blocks of 4096 bytes, has one queue pair and
# takes at most 32 KiB a command.
. /guest_init.sh
small=0000:00:04.0
large=0000:00:05.0

# run OPTIONS...: with a cache that is smaller than the graph.
run() { graphrun --graph /graph.grf --backend bam --device cpu --threads 2 --cache 64KiB --quiet "$@"; }

iommu_groups="$(ls /sys/kernel/iommu_groups)"
if [ -z "$iommu_groups" ]; then
  echo 1 > /sys/module/vfio/parameters/enable_unsafe_noiommu_mode || finish 'skipped: this kernel lends nothing without an IOMMU'
fi
modprobe() { :; }  # for the commands that graphrun tells: it is loaded

expect 2 'is not a PCI address' run --algo bfs --storage nvme:disk
expect 77 'there is no PCI device' run --algo bfs --storage nvme:0000:77:00.0
expect 77 'is of class' run --algo bfs --storage nvme:0000:00:00.0

# The kernel has both devices: one that is mounted is refused, another is had by the commands that the refusal tells.
disk="/dev/$(basename /sys/bus/pci/devices/$large/nvme/nvme*/nvme[0-9]n1)"
dd if="$disk" of=/tmp/large.image bs=64k 2> /dev/null
mke2fs -F -b 4096 "$disk" > /dev/null 2>&1 || finish "FAILED: mke2fs $disk"
mkdir /mnt
mount -t ext2 "$disk" /mnt || finish "FAILED: mount $disk"
expect 77 "$disk is mounted on /mnt" run --algo bfs --storage nvme:$large
umount /mnt
dd if=/tmp/large.image of="$disk" bs=64k conv=fsync 2> /dev/null
for device in $small $large; do
  expect 77 'belongs to the driver nvme; to lend it' run --algo bfs --storage nvme:$device
  eval "${said#*as root: }"
done

# One device is reset by the kernel whenever it is opened and closed, the other never.
echo > /sys/bus/pci/devices/$large/reset_method
note 'devices are lent'
if [ -z "$iommu_groups" ]; then
  expect 1 'huge pages of 2 MiB' run --algo bfs --storage nvme:$small
  echo 16 > /proc/sys/vm/nr_hugepages
fi

device_check $small /graph.grf 65536 || finish "FAILED: device_check $small"
device_check $large /graph.grf 32768 || finish "FAILED: device_check $large"
note 'device_check is over'

run --algo bfs --storage nvme:$small --verify --trials 2 || finish "FAILED: bfs from $small"
expect 0 'verified' run --algo bfs --storage nvme:$large --verify --page 32KiB --cache 1MiB
expect 2 'is not possible' run --algo bfs --storage nvme:$large --page 64KiB --cache 1MiB
expect 2 'reads a .grf container' run --algo sssp --weights random:2 --storage nvme:$large
expect 1 'does not hold /other.grf' graphrun --graph /other.grf --backend bam --device cpu --algo bfs --storage nvme:$large --quiet

# What a program leaves behind that was killed with commands out: nothing.
graphrun --graph /graph.grf --backend bam --device cpu --cache 64KiB --algo pagerank --tolerance 1e-30 --storage nvme:$small \
  > /dev/null 2>&1 &
usleep 700000
kill -9 $! || finish "FAILED: what was to be killed had ended before"
wait $! 2> /dev/null
run --algo sssp --storage nvme:$small --verify || finish "FAILED: sssp from $small"
note 'graphrun is over'
finish passed
