#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpirun with a process on each of two hosts, as far as network, files of names and processes go: a network namespace and a host name
# each, and a link between them: two_hosts_test.sh GRAPHRUN GRAPHCONV. Exits 77 where namespaces cannot be made, or MPI is missing.
set -euo pipefail

(($# == 2)) || { echo "usage: two_hosts_test.sh GRAPHRUN GRAPHCONV" >&2; exit 2; }
graphrun="$1" graphconv="$2"

skip() { echo "skipped: $*"; exit 77; }
fail() { echo "FAILED: $*" >&2; cat "$scratch/said" "$scratch/errors" >&2 || true; exit 1; }

for tool in ip jq mpirun unshare; do command -v "$tool" > /dev/null || skip "there is no $tool here"; done
scratch="$(mktemp -d)"
prefix="gr$$"
clean_up() {
  for host in one two; do ip netns del "$prefix$host" 2> /dev/null || true; rm -rf "/etc/netns/$prefix$host"; done
  rm -rf "$scratch"
}
trap clean_up EXIT

ip netns add "${prefix}one" 2> "$scratch/why" || skip "network namespaces cannot be made: $(cat "$scratch/why")"
ip netns exec "${prefix}one" unshare --uts true 2> "$scratch/why" || skip "namespaces cannot be entered: $(cat "$scratch/why")"
ip netns add "${prefix}two"
ip link add e0 netns "${prefix}one" type veth peer name e0 netns "${prefix}two" 2> "$scratch/why" ||
  skip "links between namespaces cannot be made: $(cat "$scratch/why")"
number=0
for host in one two; do
  number=$((number + 1))
  ip netns exec "$prefix$host" ip address add "10.78.0.$number/24" dev e0
  ip netns exec "$prefix$host" ip link set e0 up
  ip netns exec "$prefix$host" ip link set lo up
  mkdir -p "/etc/netns/$prefix$host"
  printf '127.0.0.1 localhost\n10.78.0.1 one\n10.78.0.2 two\n' > "/etc/netns/$prefix$host/hosts"
done

# What mpirun starts processes of other hosts with, in place of ssh: on_host HOST COMMAND...
cat > "$scratch/on_host" << SCRIPT
#!/usr/bin/env bash
host="\$1"
shift
exec ip netns exec "$prefix\$host" unshare --uts sh -c "hostname \$host; \$*"
SCRIPT
chmod +x "$scratch/on_host"

# start FIRST SECOND: a command line on each of the two hosts.
start() {
  timeout 100 "$scratch/on_host" one mpirun --allow-run-as-root --mca plm_rsh_agent "$scratch/on_host" --mca btl_tcp_if_include e0 \
    --mca oob_tcp_if_include e0 -n 1 --host one "$1" : -n 1 --host two "$2" > "$scratch/said" 2> "$scratch/errors"
}
# runs FIRST SECOND: the options of graphrun on the two hosts.
runs() { start "$graphrun $1" "$graphrun $2"; }

start hostname hostname || skip "mpirun does not start processes in namespaces: $(head -n 3 "$scratch/errors")"
[[ "$(sort "$scratch/said" | tr '\n' ' ')" == "one two " ]] || fail "the processes are not on two hosts"
run="$scratch/k.grf --trust-file --device cpu --threads 1 --backend emogi"
"$graphconv" kron:12:8 "$scratch/k.grf" --quiet
status=0
runs "path:9 --algo bfs --device cpu" "path:9 --algo bfs --device cpu" || status=$?
grep -q "built without MPI" "$scratch/errors" && skip "graphrun was built without MPI"
((status == 0)) || fail "two hosts do not run (exit code $status)"

for algorithm in bfs cc pagerank; do
  "$graphrun" $run --algo "$algorithm" --quiet --json "$scratch/one.json" > /dev/null
  runs "$run --algo $algorithm --verify --json $scratch/two.json" "$run --algo $algorithm --verify" || fail "$algorithm ends with $?"
  jq -e '.verdict == "verified" and .placement.ranks == 2' "$scratch/two.json" > /dev/null || fail "$algorithm is not verified"
  [[ "$algorithm" == pagerank ]] || cmp <(jq .result "$scratch/one.json") <(jq .result "$scratch/two.json") || fail "$algorithm differs"
done

# The copy of the graph on the second host is another one.
"$graphconv" kron:12:7 "$scratch/other.grf" --quiet
! runs "$run --algo bfs" "${run/k.grf/other.grf} --algo bfs" || fail "another graph is taken"
grep -q "rank 1 has another" "$scratch/errors" || fail "the rank with another graph is not named"

# The process of the second host dies.
long="$run --algo pagerank --trials 100000"
(runs "$long" "$long" && echo went-on || echo ended) > "$scratch/end" &
for ((tries = 0; tries < 100; ++tries)); do
  victim="$(ip netns pids "${prefix}two" | xargs -r ps -o pid=,comm= -p | awk '$2 == "graphrun" { print $1 }')"
  [[ -z "$victim" ]] || break
  sleep 0.1
done
[[ -n "$victim" ]] || fail "no process runs on the second host"
sleep 1
kill -KILL "$victim"
begun="$SECONDS"
wait
[[ "$(cat "$scratch/end")" == ended ]] || fail "the run goes on without its second host"
((SECONDS - begun < 30)) || fail "the run took $((SECONDS - begun)) s to end"
grep -q "on node two" "$scratch/errors" "$scratch/said" || fail "the host is not named"
[[ -z "$(ip netns pids "${prefix}one")$(ip netns pids "${prefix}two")" ]] || fail "processes are left"
echo "two hosts: three algorithms, another graph, a death"
