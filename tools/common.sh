# Shared by the scripts of this folder; sourced, never run.
# shellcheck shell=bash

step() { printf '\n== %s\n' "$*"; }

# Processors this process may use, but one for each 1.5 GiB of available memory at most: an optimising compiler on one
# of the algorithm templates takes about 1 GiB.
default_jobs() {
  local processors available_kib by_memory
  processors="$(nproc)"
  available_kib="$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo)"
  by_memory=$((${available_kib:-0} / 1572864))
  if ((by_memory >= 1 && by_memory < processors)); then echo "$by_memory"; else echo "$processors"; fi
}

# Many sources are compiled at a time: half of the time of most is the headers that they share.
unity=(-DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=20)

# configure [OPTION...]: the optimised build in build/, of CUDA code for all GPUs from Ampere on where none is at hand.
configure() {
  local options=(-DCMAKE_BUILD_TYPE=Release -DGRAPHRUN_CUDA="${GRAPHRUN_CUDA:-AUTO}" "${unity[@]}")
  nvidia-smi -L > /dev/null 2>&1 || options+=(-DCMAKE_CUDA_ARCHITECTURES=80-virtual)
  cmake -S . -B build -G Ninja "${options[@]}" "$@"
}
