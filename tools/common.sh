# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts of this folder; sourced, never run.
# shellcheck shell=bash

step() { printf '\n== %s\n' "$*"; }

# Prints this process's processors, at most one for each 1.5 GiB of available memory: an optimising compiler of an algorithm
# template takes about 1 GiB.
default_jobs() {
  local processors available_kib by_memory
  processors="$(nproc)"
  available_kib="$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo)"
  by_memory=$((${available_kib:-0} / 1572864))
  if ((by_memory >= 1 && by_memory < processors)); then echo "$by_memory"; else echo "$processors"; fi
}

# Compiles many sources at a time: shared headers take half of the time of most.
unity=(-DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=20)

# configure [OPTION...]: configures the optimised build in build/.
configure() {
  local options=(-DCMAKE_BUILD_TYPE=Release -DGRAPHRUN_CUDA="${GRAPHRUN_CUDA:-AUTO}" "${unity[@]}")
  cmake -S . -B build -G Ninja "${options[@]}" "$@"
}

# quietly LOG COMMAND...: runs it with its output in LOG, and shows the end of LOG on failure. Prints Ninja's progress every half
# minute.
quietly() {
  local log="$1" begun="$SECONDS" status=0 ticker
  shift
  mkdir -p "$(dirname "$log")"
  : > "$log"
  (
    while sleep 30 > /dev/null 2>&1 && kill -0 $$ 2> /dev/null; do
      printf '   %d s %s\n' $((SECONDS - begun)) "$(tail -c 4096 "$log" | grep -o '^\[[0-9]*/[0-9]*\]' | tail -n 1)"
    done
  ) &
  ticker=$!
  "$@" > "$log" 2>&1 || status=$?
  kill "$ticker" 2> /dev/null
  wait "$ticker" 2> /dev/null || true
  if ((status == 0)); then return 0; fi
  printf '\nfailed (exit code %d): %s\nthe last lines of %s:\n\n' "$status" "$*" "$log" >&2
  tail -n 40 "$log" >&2
  return "$status"
}
