// SPDX-License-Identifier: Apache-2.0
// graphrun over edges that graphmemd serves: processes on loopback, what they answer, and what becomes of a run when a server
// goes wrong.
#include "run/remote.hpp"

#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

namespace graphrun::test {
namespace {

using std::chrono::milliseconds;

TEST_F(CliRemote, TwoShardsAnswerWhatTheFileAnswersAndTheClientReadsNoEdges) {
  for (const char* spec : {"kron:12:8", "web:11:8"}) {
    if (kFewCases && spec == std::string("web:11:8")) continue;  // the same code on another graph
    const std::string graph = make_graph(spec);
    const std::string empty = without_edges(graph);
    const ServerChild first = serve(graph, "1/2", "", "tcp,shm");
    const ServerChild second = serve(graph, "2/2", "", "tcp,shm");
    const std::string servers = first.address() + "," + second.address();
    expect_same_answers(reading(empty, servers) + "--page 4KiB --cache 32KiB --fabric-endpoints 2", graph);
    expect_same_answers(reading(empty, servers), graph);
    expect_same_answers(reading(empty, servers, "shm") + "--page 64KiB --cache 256KiB", graph);
  }
}

TEST_F(CliRemote, ThePartsOfAPageSizeThatIsNoShardsEndComeTogether) {
  const std::string graph = make_graph("kron:10:5");
  std::vector<ServerChild> servers;
  std::string names;
  for (const char* shard : {"1/3", "2/3", "3/3"}) {
    servers.push_back(serve(graph, shard));
    names += (names.empty() ? "" : ",") + servers.back().address();
  }
  for (const char* page : {"512", "16KiB", "64KiB", "1MiB"})
    expect_same_answers(reading(without_edges(graph), names) + "--page " + page, graph);
}

TEST_F(CliRemote, AServerThatIsKilledEndsTheRunWithItsName) {
  const std::string graph = make_graph();
  const ServerChild first = serve(graph, "1/2");
  const ServerChild second = serve(graph, "2/2");
  expect_disturbed_run_to_fail(long_run(graph, first.address() + "," + second.address(), 3000), second, SIGKILL,
                               "graphmemd at " + second.address() + " (shard 2/2) ");
}

TEST_F(CliRemote, AServerThatStallsEndsTheRunWithItsNameAtTheDeadline) {
  const std::string graph = make_graph();
  const ServerChild server = serve(graph, "1/1");
  expect_disturbed_run_to_fail(long_run(graph, server.address(), 1500), server, SIGSTOP,
                               "graphmemd at " + server.address() + " (shard 1/1) did not answer within 1500 ms");
}

TEST_F(CliRemote, AReplicaGoesOnForAServerThatIsKilledOrStalls) {
  const std::string graph = make_graph("kron:14:8");
  for (const int signal : {SIGKILL, SIGSTOP}) {
    const ServerChild first = serve(graph, "1/2");
    const ServerChild replica = serve(graph, "1/2");
    const ServerChild second = serve(graph, "2/2");
    std::thread hand([&] {
      first.wait_for_reader();
      second.wait_for_reader();
      first.send(signal);
    });
    const Said said =
        graphrun(reading(graph, first.address() + "|" + replica.address() + "," + second.address()) + kManySearches +
                 "--page 4KiB --cache 12KiB --verify --json - --fabric-deadline 4000");  // busy servers are late, too
    hand.join();
    ASSERT_EQ(said.code, 0) << said.err;
    EXPECT_NE(said.err.find("graphmemd at " + first.address() + " (shard 1/2)"), std::string::npos) << said.err;
    EXPECT_NE(said.err.find("its replica graphmemd at " + replica.address() + " (shard 1/2) goes on"), std::string::npos)
        << said.err;
    EXPECT_EQ(nlohmann::json::parse(said.out)["verdict"], "verified");
  }
}

TEST_F(CliRemote, AServerAtTwoAddressesIsReadOverBoth) {
  const std::string graph = make_graph();
  const ServerChild server({"--graph", graph, "--listen", "127.0.0.1:0+127.0.0.2:0", "--fabric", "tcp,shm"});
  ASSERT_NE(server.address().find("+127.0.0.2:"), std::string::npos) << server.address();
  for (const char* fabric : {"tcp", "shm"}) {
    expect_same_answers(reading(without_edges(graph), server.address(), fabric) + "--page 4KiB --cache 32KiB", graph);
  }
  const std::string first = server.address().substr(0, server.address().find('+'));
  const Said said = graphrun(reading(graph, "127.0.0.1:1+" + first) + "--algo bfs --verify");
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.err.find("cannot reach 127.0.0.1:1"), std::string::npos) << said.err;
}

TEST_F(CliRemote, WhatSharesTheReadsGoesOnAloneWhenTheOtherIsKilled) {
  const std::string graph = make_graph("kron:14:8");
  const ServerChild first = serve(graph, "1/1");
  const ServerChild second = serve(graph, "1/1");
  std::thread hand([&] {
    first.wait_for_reader();
    first.send(SIGKILL);
  });
  const Said said = graphrun(reading(graph, first.address() + "+" + second.address()) + kManySearches +
                             "--page 4KiB --cache 12KiB --verify --json -");
  hand.join();
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.err.find("graphmemd at " + first.address() + " (shard 1/1)"), std::string::npos) << said.err;
  EXPECT_NE(said.err.find("; graphmemd at " + second.address() + " (shard 1/1) goes on"), std::string::npos) << said.err;
  EXPECT_EQ(nlohmann::json::parse(said.out)["verdict"], "verified");
}

TEST_F(CliRemote, WhoeverHasAnotherGraphOrLacksAShardIsTold) {
  const std::string graph = make_graph();
  const std::string other = make_graph("kron:12:9", "other.grf");
  const ServerChild first = serve(graph, "1/2");
  const ServerChild second = serve(graph, "2/2");
  expect_error(reading(other, first.address() + "," + second.address()) + "--algo bfs", 1,
               "graphmemd at " + first.address() + " serves another graph");
  expect_error(reading(graph, first.address()) + "--algo bfs", 2, "shard 2/2 is missing");
  const ServerChild third = serve(graph, "4/4");
  expect_error(reading(graph, first.address() + "," + third.address()) + "--algo bfs", 2,
               "shards 1/2, 4/4 do not make up a whole");
  expect_error(reading(graph, first.address() + "," + second.address() + "," + first.address()) + "--algo bfs", 2,
               "are not named as replicas");
  expect_error(reading(graph, first.address() + "|" + second.address() + "," + second.address()) + "--algo bfs", 2,
               "serve different edges");
  expect_error(reading(graph, "127.0.0.1:1") + "--algo bfs", 1, "cannot reach 127.0.0.1:1");
  expect_error(reading(graph, first.address() + "," + second.address(), "shm") + "--algo bfs", 1,
               "does not serve by provider 'shm'");
  expect_error("--graph kron:8:8 --quiet --backend gpuvm --fabric ofi:tcp --algo bfs --remote " + first.address(), 2,
               "what is in a .grf container");
  expect_error(reading(graph, first.address() + "," + second.address()) + "--algo sssp --weights random:5", 2,
               "what is in a .grf container");
  expect_error("--graph '" + graph + "' --backend gpuvm --algo bfs --remote 127.0.0.1:1", 2,
               "and not with fabric auto, which is memory or sm");
  const Said said = graphrun(reading(graph, "127.0.0.1:1|" + first.address() + "," + second.address()) + "--algo bfs");
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.err.find("cannot reach 127.0.0.1:1"), std::string::npos) << said.err;
}

// A server that did not check its file, and whose file was damaged after its header was written.
TEST_F(CliRemote, NeighboursThatAreNoVerticesEndTheRun) {
  const std::string graph = make_graph();
  std::string bytes = contents(graph);
  bytes[section_of(bytes, 2) + 20'000 + sizeof(VertexId) / 2] = '\x7f';  // of 64 bits, its upper half
  const ServerChild server({"--graph", write("damaged.grf", bytes), "--listen", "127.0.0.1:0", "--trust-file"});
  expect_error(reading(graph, server.address()) + "--algo cc", 1, "and the graph has 4096 vertices");
}

TEST_F(CliRemote, AServerStopsWhenItIsTold) {
  const std::string graph = make_graph();
  for (const int signal : {SIGTERM, SIGINT}) {
    ServerChild server = serve(graph, "1/1");
    EXPECT_EQ(graphrun(reading(graph, server.address()) + "--algo bfs").code, 0);
    server.send(signal);
    ASSERT_TRUE(server.ends_within(milliseconds(3000)));
    const int status = server.wait();
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
}

TEST_F(CliRemote, OwnMemoryIsReadThroughAFabricToo) {
  for (const char* fabric : {"tcp", "shm"}) {
    for (const char* algorithm : kAlgorithms) {
      const auto result = json_of(std::string("--graph kron:11:8 --backend gpuvm --page 4KiB --cache 64KiB --verify --quiet ") +
                                  "--fabric-endpoints 2 --fabric ofi:" + fabric + " --algo " + algorithm);
      EXPECT_EQ(result["verdict"], "verified") << algorithm << " by " << fabric;
      EXPECT_EQ(result["placement"]["fabric"], std::string("ofi:") + fabric);
    }
  }
  const std::string at_two =
      "--graph kron:11:8 --backend gpuvm --page 4KiB --cache 64KiB --algo cc --quiet --fabric ofi:tcp --fabric-addresses ";
  EXPECT_EQ(json_of(at_two + "127.0.0.1+127.0.0.2 --verify")["verdict"], "verified");
}

// They used to end with exit code 77, as if the machine lacked something.
TEST_F(CliRemote, OwnAddressesThatAreNoneOfThisMachineAreWrongAndNotUnavailable) {
  const std::string run = "--graph kron:8:8 --backend gpuvm --algo bfs --fabric ofi:tcp --fabric-addresses ";
  expect_error(run + "127.0.0.1:7117", 2, "leave the port out of '127.0.0.1:7117'");
  expect_error(run + "::1", 2, "--fabric-addresses: '::1' is not an address");
  expect_error(run + "0.0.0.0", 2, "names no address");
  expect_error(run + "192.0.2.1", 1, "--fabric-addresses: 192.0.2.1 cannot be used as an address of this machine");
  expect_error(run + "127.0.0.1+no.such.machine.invalid", 1, "there is no machine 'no.such.machine.invalid'");
  expect_error("--graph kron:8:8 --backend gpuvm --algo bfs --fabric ofi:shm --fabric-addresses 127.0.0.1", 2, "not with shm");
}

TEST_F(CliRemote, AListWithAnEmptyNameIsRefusedBeforeAnythingIsRead) {
  // The graph does not exist: it is not even looked for.
  const std::string run = "--graph '" + path("none.grf") + "' --algo bfs --backend gpuvm --fabric ofi:tcp ";
  for (const char* servers : {"a:1,", "a:1,,", ",a:1", "a:1,,b:1", "a:1|", "|a:1", "a:1+", "a:1,b:1++c:1", "a:1,b:1||c:1"}) {
    expect_error(run + "--remote '" + servers + "'", 2, "--remote has an empty name in '");
  }
  expect_error(run + "--remote a:1,b:x", 2, "--remote: 'b:x' is not an address");
  expect_error(run + "--fabric-addresses 127.0.0.1+", 2, "--fabric-addresses has an empty name in '127.0.0.1+'");
}

}  // namespace
}  // namespace graphrun::test
