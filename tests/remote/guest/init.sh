#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
# What runs in the guest of verbs_in_qemu.sh, as its first process: servers of /graph.grf at 10.9.0.1, and clients.
. /guest_init.sh
export GRAPHMEMD_TOKEN='the token of verbs_in_qemu.sh'
address=10.9.0.1

# client FABRIC OPTIONS...: with a cache that is smaller than the graph.
client() {
  fabric="$1"
  shift
  timeout 60 graphrun --graph /graph.grf --backend gpuvm --device cpu --threads 2 --page 4KiB --cache 64KiB --quiet --fabric "$fabric" "$@"
}
# verify OPTIONS...: by verbs.
verify() { expect 0 verified client ofi:verbs --verify "$@"; }
# search OPTIONS...: a run that is under way for long, over a cache that holds next to nothing.
search() { client ofi:verbs --algo bfs --source random:1 --cache 12KiB "$@"; }

# serve PORT SHARD: waits until it listens. Leaves its process in $server.
serve() {
  : > "/tmp/said$1"
  graphmemd --graph /graph.grf --listen "$address:$1" --shard "$2" --fabric verbs >> "/tmp/said$1" 2>&1 &
  server=$!
  wait_for 'listening at' "$1"
}
# wait_for WORDS PORT: until the server there says so.
wait_for() {
  tries=0
  until grep -q "$1" "/tmp/said$2"; do
    tries=$((tries + 1))
    [ "$tries" -lt 200 ] || finish "FAILED: the server at $2 did not say '$1': $(cat "/tmp/said$2")"
    usleep 100000
  done
}
# while_read PORT SECONDS COMMAND...: so long after the next client has come to that server.
while_read() {
  : > "/tmp/said$1"
  (wait_for 'reads by verbs' "$1" && sleep "$2" && shift 2 && "$@") &
}

hostname guest
echo '127.0.0.1 localhost guest' > /etc/hosts  # libfabric asks for the address of this machine's name
ip link set lo up
expect 77 "no one-sided reads by provider 'verbs'" client ofi:verbs --algo bfs

ip address add "$address/24" dev dummy0
ip link set dummy0 up
rdma link add rxe0 type rxe netdev dummy0 || finish 'FAILED: no soft-RoCE over an interface'

serve 7001 1/2
serve 7002 2/2
second=$server
note 'two servers listen'
both="$address:7001,$address:7002"
for algorithm in bfs sssp cc pagerank; do verify --algo $algorithm --remote "$both"; done
verify --algo bfs --remote "$both" --fabric-endpoints 3 --page 64KiB --cache 256KiB
note 'all algorithms are verified'

while_read 7002 1 kill -9 "$second"
expect 1 "graphmemd at $address:7002 (shard 2/2)" search --sources 100000 --remote "$both" --fabric-deadline 2000
note "the client of a killed server said: $said"

serve 7003 2/2
killed=$server
serve 7004 2/2
while_read 7003 1 kill -9 "$killed"
expect 0 "its replica graphmemd at $address:7004 (shard 2/2) goes on" search --sources 60 --verify \
  --remote "$address:7001,$address:7003|$address:7004" --fabric-deadline 2000
note 'a replica took over'

# One that is stopped has endpoints and memory still, and reads need no more.
serve 7005 1/1
stopped=$server
while_read 7005 2 kill -STOP "$stopped"
verify --algo bfs --source random:1 --sources 100 --cache 12KiB --remote "$address:7005" --fabric-deadline 2000
grep -q '(stopped)\|T (' "/proc/$stopped/status" || finish 'FAILED: the run was over before the server was stopped'
note 'a stopped server was read'

verify --algo cc --fabric-endpoints 2
verify --algo bfs --fabric-addresses "$address"
note 'own memory was read'
finish passed
