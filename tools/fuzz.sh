#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fuzzes the readers of tests/fuzz with libFuzzer, AddressSanitizer and UBSan, one by one. Exits 0 without findings, 1 with one
# (and prints how to reproduce it), 2 on wrong usage, 77 without libFuzzer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh

build=build/fuzz
programs=$build/tests/fuzz
dictionaries=tests/fuzz/dictionaries

usage() {
  cat <<TEXT
usage: tools/fuzz.sh [--seconds N] [READER...]
  --seconds N   time for each reader (default 60)
  READER        grf mtx el csv dimacs metis bel sg bcsr liberator galois gunrock gbbs compressed sniff spec (default: all of them)
Everything is kept in $build: inputs that reached something new in corpus/READER, inputs that something is wrong with in
findings/, libFuzzer's output in log/. A further run goes on from there.
environment: JOBS (parallel compilers; default: processors, bounded by memory)
TEXT
}

all_readers=(grf mtx el csv dimacs metis bel sg bcsr liberator galois gunrock gbbs compressed sniff spec)
readers=()
seconds=60
while (($#)); do
  case "$1" in
    --seconds)
      [[ "${2:-}" =~ ^[1-9][0-9]*$ ]] || { usage >&2; exit 2; }
      seconds="$2"
      shift
      ;;
    -h | --help) usage; exit 0 ;;
    *)
      [[ " ${all_readers[*]} " == *" $1 "* ]] || { usage >&2; exit 2; }
      readers+=("$1")
      ;;
  esac
  shift
done
((${#readers[@]})) || readers=("${all_readers[@]}")

exec < /dev/null

can_link_libfuzzer() {
  clang++ -x c++ -fsanitize=fuzzer - -o /dev/null 2> /dev/null <<< \
    'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }'
}
if ! can_link_libfuzzer; then
  echo "fuzz: there is no clang++ with libFuzzer; install it (Debian 12: apt-get install clang libclang-rt-14-dev," \
       "Ubuntu 24.04: apt-get install clang libclang-rt-18-dev)" >&2
  exit 77
fi

step "build (in $build)"
cmake --preset fuzz > /dev/null
cmake --build --preset fuzz --parallel "${JOBS:-$(default_jobs)}"

# Inputs are files, in memory where possible.
memory=/dev/shm
[[ -w "$memory" ]] || memory="${TMPDIR:-/tmp}"
TMPDIR="$(mktemp -d "$memory/graphrun_fuzz.XXXXXX")"
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

# Sanitizers of older compilers cannot map their shadow memory on kernels that randomise addresses with 32 bits.
fixed_addresses=()
if setarch --addr-no-randomize true 2> /dev/null; then fixed_addresses=(setarch --addr-no-randomize); fi
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1:quarantine_size_mb=16}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"

# Sets inputs just long enough for every feature of a format: containers are packed in grf, and are not in sniff. Profiles of
# compared values help with sizes and checks of binary formats, and only cost time in text.
options_of() {
  case "$1" in
    mtx | el | csv | dimacs | metis | compressed) echo "-max_len=2048" ;;
    spec) echo "-max_len=64" ;;
    sniff) echo "-max_len=32768 -use_value_profile=1" ;;
    *) echo "-max_len=2048 -use_value_profile=1" ;;
  esac
}

dictionary_of() {
  if [[ -e "$dictionaries/$1.dict" ]]; then echo "$dictionaries/$1.dict"; else echo "$dictionaries/binary.dict"; fi
}

# Runs one reader; fails on a finding.
fuzz() {
  local reader="$1" log="$build/log/$1.log" options
  read -ra options <<< "$(options_of "$reader")"
  "${fixed_addresses[@]}" "$programs/fuzz_$reader" -max_total_time="$seconds" "${options[@]}" \
    -dict="$(dictionary_of "$reader")" -timeout=20 -rss_limit_mb=512 -print_final_stats=1 \
    -artifact_prefix="$build/findings/$reader-" "$build/corpus/$reader" "$build/seeds/$reader" > "$log" 2>&1
}

# Prints "coverage 1234 -> 1300, 5678 inputs run, 99 of them new to the corpus".
summary() {
  awk '/(INITED|DONE) +cov: / { for (i = 1; i < NF; ++i) if ($i == "cov:") coverage[++seen] = $(i + 1) }
       /^stat::number_of_executed_units:/ { executed = $2 }
       /^stat::new_units_added:/ { added = $2 }
       END { printf "coverage %s -> %s, %s inputs run, %s of them new to the corpus\n", coverage[1], coverage[seen], executed, added }' \
    "$build/log/$1.log"
}

found=()
for reader in "${readers[@]}"; do
  step "$reader, $seconds s"
  mkdir -p "$build/corpus/$reader" "$build/findings" "$build/log"
  "$programs/fuzz_corpus" seeds "$reader" "$build/seeds/$reader"
  if fuzz "$reader"; then
    summary "$reader"
  else
    grep -m 1 -A 20 -E 'ERROR: |runtime error: |terminate called' "$build/log/$reader.log" || tail -n 20 "$build/log/$reader.log"
    found+=("$reader")
  fi
done

step "result"
for reader in "${found[@]}"; do
  input="$(sed -n 's/.*Test unit written to //p' "$build/log/$reader.log" | tail -n 1)"
  echo "$reader: FAILED; all of it is in $build/log/$reader.log"
  [[ -n "$input" ]] || continue
  echo "  again:         $programs/fuzz_$reader $input"
  echo "  as files:      $programs/fuzz_corpus unpack $reader $input DIRECTORY"
done
if ((${#found[@]})); then exit 1; fi
echo "nothing was found in: ${readers[*]}"
