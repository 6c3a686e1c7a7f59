#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Random 4 KiB reads through the pager of bam, beside what fio reaches on the same file with io_uring and O_DIRECT. Each has its
# best queue depth; then the two take turns, and the ratio of their medians is printed.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat <<TEXT
usage: bench/bam_vs_fio.sh [--size SIZE] [--rounds N] [--seconds S] [--threads N] [--dir DIR] [FILE]
  FILE       what is read (default: one of --size 4G that is written first, in DIR or a temporary folder)
  --rounds   turns of each (default 5), of --seconds (default 3) each
  --threads  of the pager, and most jobs of fio (default 2)
The cache of the pager is a sixteenth of the file.
environment: BAM_SUITE (default: build/bench/bam_suite)
TEXT
}

size=4G rounds=5 seconds=3 threads=2 dir="${TMPDIR:-/tmp}"
options "size rounds seconds threads dir" "$@"
file="${arguments[0]:-}"
suite="$(program bench/bam_suite BAM_SUITE)"
need fio jq

if [[ -z "$file" ]]; then
  file="$(mktemp "$dir/graphrun-fio-XXXXXX")"
  trap 'rm -f "$file"' EXIT
  fio --name=write --filename="$file" --size="$size" --rw=write --bs=1M --direct=1 --ioengine=io_uring --iodepth=8 > /dev/null
fi
[[ -r "$file" ]] || fail 1 "cannot read $file"
cache=$(($(stat -L -c %s "$file") / 16))

# fio_iops JOBS DEPTH SECONDS, DEPTH of all jobs together.
fio_iops() {
  fio --name=read --filename="$file" --readonly --rw=randread --bs=4k --direct=1 --ioengine=io_uring --numjobs="$1" \
    --iodepth=$(($2 / $1)) --runtime="$3" --time_based --group_reporting --randrepeat=0 --output-format=json | jq '.jobs[0].read.iops | floor'
}
# pager_iops THREADS DEPTH SECONDS: reads of storage; what the cache answers does not count.
pager_iops() {
  "$suite" --files "$file" --measures iops --ways pager --threads "$1" --depths "$2" --seconds "$3" --cache "$cache" | jq .iops
}
# best NAME: the "workers depth" with which it reads most in a second.
best() {
  local most=0 workers depth iops chosen
  for ((workers = 1; workers <= threads; ++workers)); do
    for depth in 32 64 128 256 512; do
      iops="$("$1" "$workers" "$depth" 1)"
      if ((iops > most)); then most="$iops" chosen="$workers $depth"; fi
    done
  done
  echo "$chosen"
}

read -r fio_jobs fio_depth <<< "$(best fio_iops)"
read -r pager_threads pager_depth <<< "$(best pager_iops)"
fio_all="" pager_all=""
for ((round = 1; round <= rounds; ++round)); do
  fio_all+="$(fio_iops "$fio_jobs" "$fio_depth" "$seconds")"$'\n'
  pager_all+="$(pager_iops "$pager_threads" "$pager_depth" "$seconds")"$'\n'
  echo "round $round: fio $(tail -n 2 <<< "$fio_all" | head -n 1), pager $(tail -n 2 <<< "$pager_all" | head -n 1) reads of storage a second"
done
fio_median="$(median <<< "$fio_all")"
pager_median="$(median <<< "$pager_all")"
echo "fio:   $fio_jobs jobs, depth $fio_depth: median $fio_median"
echo "pager: $pager_threads threads, depth $pager_depth, cache a sixteenth of the file: median $pager_median"
awk -v p="$pager_median" -v f="$fio_median" 'BEGIN { printf "ratio: %.3f\n", p / f }'
