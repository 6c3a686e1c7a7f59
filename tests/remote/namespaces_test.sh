#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# graphrun and graphmemd on machines of their own, as far as the network goes: a network namespace for the client and one for each
# server, with links that are slow, lose packets, or are cut: namespaces_test.sh CASE GRAPHRUN GRAPHCONV GRAPHMEMD. Exits 77 where
# namespaces cannot be made, or the kernel lacks what the case needs.
set -euo pipefail

usage() {
  echo "usage: namespaces_test.sh plain|congested|lossy|interrupted|cut|cut_with_replica|cut_amid_answers|two_links|two_links_cut GRAPHRUN GRAPHCONV" \
       "GRAPHMEMD" >&2
  exit 2
}
(($# == 4)) || usage
case_name="$1" graphrun="$2" graphconv="$3" graphmemd="$4"

skip() { echo "skipped: $*"; exit 77; }
fail() { echo "FAILED: $*" >&2; exit 1; }

for tool in ip tc jq; do command -v "$tool" > /dev/null || skip "there is no $tool here"; done
scratch="$(mktemp -d)"
prefix="gr$$"
servers=()
clean_up() {
  local id name
  for id in "${servers[@]}"; do kill "$id" 2> /dev/null || true; done
  for id in "${servers[@]}"; do wait "$id" 2> /dev/null || true; done
  for name in c s1 s2; do ip netns del "$prefix$name" 2> /dev/null || true; done
  rm -rf "$scratch"
}
trap clean_up EXIT

ip netns add "${prefix}c" 2> "$scratch/why" || skip "network namespaces cannot be made: $(cat "$scratch/why")"
ip netns exec "${prefix}c" true 2> "$scratch/why" || skip "network namespaces cannot be entered: $(cat "$scratch/why")"
ip netns exec "${prefix}c" ip link set lo up
# Server N is at 10.77.N.2, the client's end of its link, eN, at 10.77.N.1.
add_server_machine() {
  ip netns add "${prefix}s$1"
  ip netns exec "${prefix}s$1" ip link set lo up
  add_link "$1" "e$1" e0 "10.77.$1"
}
# add_link N CLIENTS_END SERVERS_END SUBNET
add_link() {
  local machine="${prefix}s$1"
  ip link add "$2" netns "${prefix}c" type veth peer name "$3" netns "$machine" 2> "$scratch/why" ||
    skip "links between namespaces cannot be made: $(cat "$scratch/why")"
  ip netns exec "${prefix}c" ip address add "$4.1/24" dev "$2"
  ip netns exec "${prefix}c" ip link set "$2" up
  ip netns exec "$machine" ip address add "$4.2/24" dev "$3"
  ip netns exec "$machine" ip link set "$3" up
}
on_server() { ip netns exec "${prefix}s$1" "${@:2}"; }
on_client() { ip netns exec "${prefix}c" "$@"; }

status=0
"$graphrun" --graph path:9 --algo bfs --device cpu --backend gpuvm --fabric ofi:tcp --quiet > /dev/null 2> "$scratch/why" || status=$?
((status != 77)) || skip "$(cat "$scratch/why")"
export GRAPHMEMD_TOKEN="the token of namespaces_test.sh"
"$graphconv" kron:12:8 "$scratch/k.grf" --weights random:1 --quiet
# start_server N SHARD [ADDRESSES]
start_server() {
  : > "$scratch/said$1"
  # exec: the server itself is what is killed in the end.
  (exec ip netns exec "${prefix}s$1" "$graphmemd" --graph "$scratch/k.grf" --listen "${3:-10.77.$1.2}" --shard "$2" --quiet > "$scratch/said$1") &
  servers+=($!)
  local tries
  for ((tries = 0; tries < 200; ++tries)); do
    ! grep -q listening "$scratch/said$1" || return 0
    sleep 0.1
  done
  fail "server $1 did not start"
}

# run_client REMOTE [OPTION...]: what it prints, as JSON. Its times are limited from outside, too.
run_client() {
  on_client timeout 60 "$graphrun" --graph "$scratch/k.grf" --device cpu --threads 2 --backend gpuvm --fabric ofi:tcp --remote "$1" \
    --page 4KiB --cache 64KiB --quiet --json - "${@:2}"
}
expect_verified() {
  local verdict
  verdict="$(run_client "$@" --verify 2> "$scratch/errors" | jq -r .verdict)" || fail "the run ended with: $(cat "$scratch/errors")"
  [[ "$verdict" == verified ]] || fail "the answer is $verdict"
}
many_searches=(--algo bfs --source random:1)
both="10.77.1.2,10.77.2.2"
two_links="10.77.1.2+10.78.1.2"
# Milliseconds of PageRank over what REMOTE names, which is bound by the links.
time_of_pagerank() {
  run_client "$1" --algo pagerank --tolerance 1e-30 --max-iterations 20 2> "$scratch/errors" | jq '.trials[0].time_ms | floor' ||
    fail "the run ended with: $(cat "$scratch/errors")"
}
received_by() { on_client cat "/sys/class/net/$1/statistics/rx_bytes"; }

add_server_machine 1
add_server_machine 2
[[ "$case_name" != two_links* ]] || add_link 1 e1b e0b 10.78.1
case "$case_name" in
  plain)
    start_server 1 1/2
    start_server 2 2/2
    for algorithm in bfs sssp cc pagerank; do expect_verified "$both" --algo "$algorithm"; done
    ;;
  congested)
    # Links of 40 Mbit/s whose queues hold four packets: they are full most of the time and drop the rest.
    for n in 1 2; do
      on_server "$n" tc qdisc add dev e0 root tbf rate 40mbit burst 4kb limit 6kb 2> "$scratch/why" || skip "$(cat "$scratch/why")"
    done
    start_server 1 1/2
    start_server 2 2/2
    expect_verified "$both" --algo bfs
    expect_verified "$both" --algo cc
    dropped="$(on_server 1 tc -s qdisc show dev e0 | sed -n 's/.*dropped \([0-9]*\).*/\1/p' | head -n 1)"
    echo "server 1's link dropped $dropped packets"
    ((dropped > 0)) || fail "the link was not congested: this tests nothing"
    ;;
  lossy)
    for n in 1 2; do
      on_server "$n" tc qdisc add dev e0 root netem delay 5ms 2ms loss 2% 2> "$scratch/why" || skip "$(cat "$scratch/why")"
    done
    start_server 1 1/2
    start_server 2 2/2
    expect_verified "$both" --algo bfs
    expect_verified "$both" --algo cc
    ;;
  interrupted)
    start_server 1 1/2
    start_server 2 2/2
    (sleep 1.5 && on_server 2 ip link set e0 down && sleep 0.7 && on_server 2 ip link set e0 up) &
    expect_verified "$both" "${many_searches[@]}" --sources 300 --fabric-deadline 10000
    wait $!
    ;;
  cut)
    start_server 1 1/2
    start_server 2 2/2
    (sleep 2 && on_server 2 ip link set e0 down && date +%s%N > "$scratch/cut") &
    if run_client "$both" "${many_searches[@]}" --sources 100000 --cache 12KiB --fabric-deadline 2000 > /dev/null 2> "$scratch/errors"; then
      fail "the run went on without its server"
    fi
    now="$(date +%s%N)"
    [[ -e "$scratch/cut" ]] || fail "the run ended before the link was cut: $(cat "$scratch/errors")"
    grep -q 'graphmemd at 10.77.2.2 (shard 2/2) did not answer within 2000 ms' "$scratch/errors" || fail "it said: $(cat "$scratch/errors")"
    took=$(((now - $(cat "$scratch/cut")) / 1000000))
    echo "$took ms after the cut: $(cat "$scratch/errors")"
    ((took < 10000)) || fail "it took $took ms to say so"
    ;;
  cut_with_replica)
    start_server 1 1/1
    start_server 2 1/1
    (sleep 2 && on_server 1 ip link set e0 down) &
    expect_verified "10.77.1.2|10.77.2.2" "${many_searches[@]}" --sources 400 --cache 12KiB --fabric-deadline 1500
    grep -q 'graphmemd at 10.77.1.2 (shard 1/1) did not answer.*its replica graphmemd at 10.77.2.2' "$scratch/errors" ||
      fail "no replica took over: $(cat "$scratch/errors")"
    cat "$scratch/errors"
    ;;
  cut_amid_answers)
    # Large commands over a slow link: when it is cut an answer has arrived in part.
    "$graphconv" kron:16:16 "$scratch/k.grf" --quiet
    on_server 1 tc qdisc add dev e0 root tbf rate 400mbit burst 256kb latency 100ms 2> "$scratch/why" || skip "$(cat "$scratch/why")"
    start_server 1 1/1
    start_server 2 1/1
    (sleep 2 && on_server 1 ip link set e0 down) &
    expect_verified "10.77.1.2|10.77.2.2" --algo pagerank --tolerance 1e-12 --trials 4 --page 64KiB --cache 1MiB \
      --fabric-deadline 1500
    grep -q 'its replica graphmemd at 10.77.2.2' "$scratch/errors" || fail "no replica took over: $(cat "$scratch/errors")"
    ;;
  two_links)
    # Links of 40 Mbit/s.
    for end in e0 e0b; do
      on_server 1 tc qdisc add dev "$end" root tbf rate 40mbit burst 64kb latency 100ms 2> "$scratch/why" || skip "$(cat "$scratch/why")"
    done
    start_server 1 1/1 "$two_links"
    for algorithm in bfs sssp cc pagerank; do expect_verified "$two_links" --algo "$algorithm"; done
    for attempt in 1 2 3 4 5; do  # other processes of the machine may take the time of one of the two
      over_one="$(time_of_pagerank 10.77.1.2)"
      first="$(received_by e1)" second="$(received_by e1b)"
      over_both="$(time_of_pagerank "$two_links")"
      first=$(($(received_by e1) - first)) second=$(($(received_by e1b) - second))
      echo "attempt $attempt: $over_one ms over one link, $over_both ms over both, which brought $first and $second bytes"
      ((first < 2 * second && second < 2 * first)) || fail "the links do not share the reads"
      ((over_both * 3 >= over_one * 2)) || break
    done
    ((over_both * 3 < over_one * 2)) || fail "two links are not 1.5 times faster than one"
    ;;
  two_links_cut)
    start_server 1 1/1 "$two_links"
    (sleep 2 && on_client ip link set e1 down) &
    expect_verified "$two_links" "${many_searches[@]}" --sources 400 --cache 12KiB --fabric-deadline 1500
    grep -q 'graphmemd at 10.77.1.2 (shard 1/1) did not answer.*; graphmemd at 10.78.1.2 (shard 1/1) goes on' "$scratch/errors" ||
      fail "the other link did not take over: $(cat "$scratch/errors")"
    on_client ip link set e1 up
    (sleep 2 && on_client ip link set e1 down && on_client ip link set e1b down) &
    if run_client "$two_links" "${many_searches[@]}" --sources 100000 --cache 12KiB --fabric-deadline 1500 > /dev/null 2> "$scratch/errors"; then
      fail "the run went on without its server"
    fi
    grep -q '^error:.*graphmemd at 10.7[78].1.2 (shard 1/1) .*no other server of its edges is left' "$scratch/errors" ||
      fail "it said: $(cat "$scratch/errors")"
    cat "$scratch/errors"
    ;;
  *) usage ;;
esac
echo "passed: $case_name"
