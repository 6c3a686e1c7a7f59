#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Each wrong functor of functors_that_fail.cpp is refused, in the words that say why. usage: functors_that_fail_test.sh COMPILER INCLUDE
set -uo pipefail
source="$(dirname "${BASH_SOURCE[0]}")/functors_that_fail.cpp"
failed=0
compile() { "$1" -std=c++20 -fsyntax-only -I "$2" -DGRAPHRUN_VERTEX_BITS=32 -DCASE="$3" "$source" 2>&1; }

lacks="declares a capability and lacks its function"
undeclared="does not declare it in Can"
words=("$lacks" "$lacks" "$undeclared" "Prepair" "$undeclared" "$lacks" "declare Share" "is of a Correct push" "$lacks" "$undeclared")
if ! said=$(compile "$1" "$2" 0); then
  echo "a functor that is right was refused: $said"
  failed=1
fi
for i in "${!words[@]}"; do
  if said=$(compile "$1" "$2" $((i + 1))); then
    echo "case $((i + 1)) compiled"
    failed=1
  elif [[ $said != *"${words[i]}"* ]]; then
    echo "case $((i + 1)) was not refused as '${words[i]}': $said"
    failed=1
  fi
done
exit "$failed"
