#!/usr/bin/env bash
# From a bare checkout to a verdict: installs what is missing, builds, runs all tests, then runs the tests once more
# under AddressSanitizer with UBSan and under ThreadSanitizer. Exits 0 only when every one of them passed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh

usage() {
  cat <<TEXT
usage: tools/test.sh [--quick]
  --quick   leave the sanitizer builds out
environment: JOBS (parallel compilers and tests; default: processors, bounded by memory), GRAPHRUN_CUDA (AUTO, ON or OFF)
TEXT
}

sanitizers=(asan tsan)
while (($#)); do
  case "$1" in
    --quick) sanitizers=() ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done

exec < /dev/null
bash tools/install_deps.sh --guest
jobs="${JOBS:-$(default_jobs)}"

step "build (in build/, $jobs jobs)"
# Not tuned for this processor, so that the same programs run in the guest of the NVMe tests. Where no GPU is, PTX of one architecture
# is enough to see that the CUDA code compiles, and takes half the time of machine code.
options=(-DCMAKE_BUILD_TYPE=Release -DGRAPHRUN_CUDA="${GRAPHRUN_CUDA:-AUTO}" -DGRAPHRUN_NATIVE=OFF -DGRAPHRUN_BUILD_TESTS=ON
         -DGRAPHRUN_BUILD_BENCH=ON -DGRAPHRUN_BUILD_WIDE=ON)
nvidia-smi -L > /dev/null 2>&1 || options+=(-DCMAKE_CUDA_ARCHITECTURES=90-virtual)
cmake -S . -B build -G Ninja "${options[@]}"
cmake --build build --parallel "$jobs"

step "tests"
rm -f build/ctest.log
main_status=0
ctest --test-dir build --output-on-failure --parallel "$jobs" --output-log build/ctest.log || main_status=$?

# GCC 12's sanitizers cannot map their shadow memory on kernels that randomise addresses with 32 bits.
fixed_addresses=()
if setarch --addr-no-randomize true 2> /dev/null; then fixed_addresses=(setarch --addr-no-randomize); fi
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
export TSAN_OPTIONS="${TSAN_OPTIONS:-halt_on_error=1:second_deadlock_stack=1}"

failed_sanitizers=()
for preset in "${sanitizers[@]}"; do
  step "tests under $preset"
  cmake --preset "$preset"
  # Building runs the test programs too: that is how CTest learns the names of their tests.
  "${fixed_addresses[@]}" cmake --build "build/$preset" --parallel "$jobs"
  "${fixed_addresses[@]}" ctest --test-dir "build/$preset" --output-on-failure --parallel "$jobs" || failed_sanitizers+=("$preset")
done

step "result"
for preset in "${failed_sanitizers[@]}"; do echo "tests FAILED under $preset; see above"; done
if ((${#sanitizers[@]} && ${#failed_sanitizers[@]} == 0)); then echo "all tests passed under: ${sanitizers[*]}"; fi
summary="$(sed -n '/tests passed, .* failed out of/,$p' build/ctest.log)"
sed -n '/^The following tests FAILED/,$p' <<< "$summary" | grep -v -e 'Errors while running CTest' -e ERROR_MESSAGE || true
printf '%d tests were skipped: data or hardware that is not here (build/ctest.log names them)\n' "$(grep -c '(Skipped)$' <<< "$summary")"
grep 'Total Test time' <<< "$summary"
head -n 1 <<< "$summary"
((main_status == 0 && ${#failed_sanitizers[@]} == 0))
