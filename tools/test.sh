#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests a bare checkout: installs missing packages, builds and runs all tests. With --sanitizers it runs them under
# AddressSanitizer with UBSan and under ThreadSanitizer instead. Exits 0 only when every test passed. At the end it prints where
# the time went.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh

usage() {
  cat <<TEXT
usage: tools/test.sh [--sanitizers]
  --sanitizers   run the tests under AddressSanitizer with UBSan, and under ThreadSanitizer, each in a build of its own
environment: JOBS (parallel compilers and tests; default: processors, bounded by memory), GRAPHRUN_CUDA (AUTO, ON or OFF),
  GRAPHRUN_WIDE_OPTIONS (of the C++ compiler for 64-bit ids; not with --sanitizers)
TEXT
}

sanitizers=()
while (($#)); do
  case "$1" in
    --sanitizers) sanitizers=(asan tsan) ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done

exec < /dev/null
step "packages"
bash tools/install_deps.sh --guest
jobs="${JOBS:-$(default_jobs)}"

# build_and_test FOLDER [LAUNCHER...]: builds and tests a configured folder. CTest's output goes to FOLDER/ctest.log, too.
build_and_test() {
  local folder="$1" begun="$SECONDS" built status=0
  shift
  rm -f "$folder/ctest.log"
  # Building runs the test programs: CTest learns the names of their tests by that.
  quietly "$folder/build.log" "$@" cmake --build "$folder" --parallel "$jobs"
  built="$SECONDS"
  "$@" ctest --test-dir "$folder" --output-on-failure --parallel "$at_a_time" --output-log "$folder/ctest.log" || status=$?
  printf '\n%s: built in %d s, tested in %d s\n' "$folder" $((built - begun)) $((SECONDS - built))
  python3 tools/slowest.py "$folder" || true  # a report; Python may be missing
  return "$status"
}

# cases FOLDER: prints a line for each failed GoogleTest case of CTest's last run, and their number.
cases() {
  awk '
    / Testing: / { name = $3; sub(/\.shard_[0-9]+$/, "", name); running = ""; split("", bad) }
    /^\[ RUN      \] / { ++ran; running = $4 }
    /^\[ +(OK|SKIPPED|FAILED) +\] .* \([0-9]+ ms\)$/ { running = "" }
    /^\[  SKIPPED \] .* \([0-9]+ ms\)$/ { ++skipped }
    /^\[  FAILED  \] .* \([0-9]+ ms\)$/ { sub(/^\[  FAILED  \] /, ""); bad[$0] }
    /^Test Failed\.$/ {
      for (each in bad) print "failed: " name "." each
      if (running != "") print "failed: " name "." running " did not end"
    }
    END { printf "%d cases of GoogleTest, of which %d were skipped\n", ran, skipped }
  ' "$1/Testing/Temporary/LastTest.log"
}

failed=()
at_a_time=$((jobs + 1))  # some tests wait for deadlines, disks and servers
if ((${#sanitizers[@]})); then
  # GCC 12's sanitizers cannot map their shadow memory on kernels that randomise addresses with 32 bits.
  fixed_addresses=(env)
  if setarch --addr-no-randomize true 2> /dev/null; then fixed_addresses=(setarch --addr-no-randomize); fi
  export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1}"
  export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
  # A program whose graph changes during a run ends while its threads run, or wait for a join: no leak.
  export TSAN_OPTIONS="${TSAN_OPTIONS:-halt_on_error=1:second_deadlock_stack=1:report_thread_leaks=0}"
  for preset in "${sanitizers[@]}"; do
    step "tests under $preset (in build/$preset, $jobs compilers)"
    quietly "build/$preset/configure.log" cmake --preset "$preset" "${unity[@]}" -DCMAKE_UNITY_BUILD_BATCH_SIZE=30  # slow anyway: the larger the better
    build_and_test "build/$preset" "${fixed_addresses[@]}" || failed+=("build/$preset")
  done
  folders=("${sanitizers[@]/#/build/}")
else
  step "tests (in build, $jobs compilers)"
  quietly build/configure.log configure -DGRAPHRUN_BUILD_TESTS=ON -DGRAPHRUN_BUILD_BENCH=ON -DGRAPHRUN_BUILD_WIDE=ON -DGRAPHRUN_PYTHON=AUTO -DGRAPHRUN_WIDE_OPTIONS="${GRAPHRUN_WIDE_OPTIONS:-}"
  build_and_test build || failed+=(build)
  folders=(build)
fi

step "result"
for folder in "${folders[@]}"; do
  summary="$(sed -n '/tests passed, .* failed out of/,$p' "$folder/ctest.log")"
  sed -n '/^The following tests FAILED/,$p' <<< "$summary" | grep -v -e 'Errors while running CTest' -e ERROR_MESSAGE || true
  cases "$folder"
  printf '%s: CTest skipped %d (%s/ctest.log and Testing/Temporary/LastTest.log name what lacked data or hardware)\n' \
    "$folder" "$(grep -c '(Skipped)$' <<< "$summary")" "$folder"
  grep 'Total Test time' <<< "$summary"
  head -n 1 <<< "$summary"
done
((${#failed[@]} == 0))
