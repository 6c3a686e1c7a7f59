// graphrun over edges that graphmemd serves: processes on loopback, what they answer, and what becomes of a run when a server
// goes wrong.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <random>
#include <thread>

#include "core/owned_fd.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/transport/fabric.hpp"
#include "run/cli.hpp"
#include "run/server_child.hpp"

namespace graphrun::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr const char* kToken = "a token of the tests, 01234";
constexpr const char* kAlgorithms[] = {"bfs", "sssp", "cc", "pagerank"};

class CliRemote : public CliTest {
 protected:
  void SetUp() override {
    if (const std::string missing = why_no_fabric("tcp"); !missing.empty()) GTEST_SKIP() << missing;
    CliTest::SetUp();
    ::unsetenv("GRAPHMEMD_TOKEN");
  }

  std::string make_graph(const std::string& spec = "kron:12:8", const std::string& name = "k.grf") const {
    EXPECT_EQ(graphconv(spec + " '" + path(name) + "' --weights random:1 --quiet").code, 0);
    return path(name);
  }
  static ServerChild serve(const std::string& graph, const std::string& shard, const std::string& token = "",
                           const std::string& fabric = "tcp") {
    return ServerChild({"--graph", graph, "--listen", "127.0.0.1:0", "--shard", shard, "--fabric", fabric}, token);
  }
  /// The options of a client.
  static std::string reading(const std::string& graph, const std::string& remote, const std::string& fabric = "tcp") {
    return "--graph '" + graph + "' --backend gpuvm --fabric ofi:" + fabric + " --remote '" + remote + "' --quiet ";
  }

  /// A run that a test disturbs: many searches over a cache that holds next to nothing.
  static std::string long_run(const std::string& graph, const std::string& remote, int deadline_ms) {
    return reading(graph, remote) + "--algo bfs --source random:1 --sources 100000 --threads 2 --page 4KiB --cache 12KiB" +
           " --fabric-deadline " + std::to_string(deadline_ms);
  }

  /// Does `disturb` while a run is under way, which must then end with an error that holds `words`, soon.
  template <class Disturb>
  void expect_disturbed_run_to_fail(const std::string& arguments, const Disturb& disturb, const std::string& words) const {
    steady_clock::time_point disturbed;
    std::thread hand([&] {
      std::this_thread::sleep_for(milliseconds(1000));
      disturbed = steady_clock::now();
      disturb();
    });
    expect_error(arguments, 1, words);
    hand.join();
    EXPECT_LT(steady_clock::now() - disturbed, std::chrono::seconds(8));
    EXPECT_GT(steady_clock::now() - disturbed, milliseconds(0)) << "it ended before anything was wrong";
  }

  /// The same bytes but for its edges: neighbours, weights and in-neighbours are zeros.
  std::string without_edges(const std::string& graph) const {
    std::string bytes = contents(graph);
    std::uint32_t sections = 0;
    std::memcpy(&sections, bytes.data() + 28, sizeof(sections));
    int emptied = 0;
    for (std::uint32_t i = 0; i < sections; ++i) {
      const std::size_t entry = 128 + 40 * i;
      std::uint32_t kind = 0;
      std::uint64_t place[2];
      std::memcpy(&kind, bytes.data() + entry, sizeof(kind));
      std::memcpy(place, bytes.data() + entry + 8, sizeof(place));
      if (kind != 2 && kind != 3 && kind != 5) continue;
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(place[0]), place[1], '\0');
      ++emptied;
    }
    EXPECT_GE(emptied, 2);
    return write("without_edges.grf", bytes);
  }

  static void expect_near_ranks(const nlohmann::json& expected, const nlohmann::json& found) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i]["vertex"], expected[i]["vertex"]);
      EXPECT_NEAR(found[i]["score"].get<double>(), expected[i]["score"].get<double>(), 1e-7);
    }
  }

  void expect_same_answers(const std::string& remote_arguments, const std::string& local_graph) const {
    for (const char* algorithm : kAlgorithms) {
      const std::string what = std::string(" --tolerance 1e-9 --algo ") + algorithm;
      const auto local = json_of("--graph '" + local_graph + "' --quiet" + what);
      const auto remote = json_of(remote_arguments + what);
      if (std::string(algorithm) == "pagerank") {  // its iterations depend on the order of updates, so only ranks can be compared
        expect_near_ranks(local["result"]["top"], remote["result"]["top"]);
      } else {
        EXPECT_EQ(remote["result"], local["result"]) << algorithm;
      }
      EXPECT_GT(remote["trials"][0]["bytes_moved"].get<std::uint64_t>(), 0u);
      EXPECT_EQ(remote["emulated"], false);
    }
  }
};

TEST_F(CliRemote, TwoShardsAnswerWhatTheFileAnswersAndTheClientReadsNoEdges) {
  for (const char* spec : {"kron:12:8", "web:11:8"}) {
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
  for (const char* page : {"512", "16KiB", "64KiB"})
    expect_same_answers(reading(without_edges(graph), names) + "--page " + page, graph);
}

TEST_F(CliRemote, AServerThatIsKilledEndsTheRunWithItsName) {
  const std::string graph = make_graph();
  const ServerChild first = serve(graph, "1/2");
  const ServerChild second = serve(graph, "2/2");
  expect_disturbed_run_to_fail(
      long_run(graph, first.address() + "," + second.address(), 3000), [&] { second.send(SIGKILL); },
      "graphmemd at " + second.address() + " (shard 2/2) ");
}

TEST_F(CliRemote, AServerThatStallsEndsTheRunWithItsNameAtTheDeadline) {
  const std::string graph = make_graph();
  const ServerChild server = serve(graph, "1/1");
  expect_disturbed_run_to_fail(
      long_run(graph, server.address(), 1500), [&] { server.send(SIGSTOP); },
      "graphmemd at " + server.address() + " (shard 1/1) did not answer within 1500 ms");
}

TEST_F(CliRemote, AReplicaGoesOnForAServerThatIsKilledOrStalls) {
  const std::string graph = make_graph("kron:14:8");
  for (const int signal : {SIGKILL, SIGSTOP}) {
    const ServerChild first = serve(graph, "1/2");
    const ServerChild replica = serve(graph, "1/2");
    const ServerChild second = serve(graph, "2/2");
    std::thread hand([&] {
      std::this_thread::sleep_for(milliseconds(700));
      first.send(signal);
    });
    const Said said =
        graphrun(reading(graph, first.address() + "|" + replica.address() + "," + second.address()) +
                 "--algo bfs --source random:1 --sources 12 --trials 4 --page 4KiB --cache 12KiB --threads 2 --verify "
                 "--fabric-deadline 800 --json -");
    hand.join();
    ASSERT_EQ(said.code, 0) << said.err;
    EXPECT_NE(said.err.find("graphmemd at " + first.address() + " (shard 1/2)"), std::string::npos) << said.err;
    EXPECT_NE(said.err.find("its replica graphmemd at " + replica.address() + " (shard 1/2) goes on"), std::string::npos)
        << said.err;
    EXPECT_EQ(nlohmann::json::parse(said.out)["verdict"], "verified");
  }
}

TEST_F(CliRemote, WhoeverHasAnotherGraphOrLacksAShardIsTold) {
  const std::string graph = make_graph();
  const std::string other = make_graph("kron:12:9", "other.grf");
  const ServerChild first = serve(graph, "1/2");
  const ServerChild second = serve(graph, "2/2");
  expect_error(reading(other, first.address() + "," + second.address()) + "--algo bfs", 1,
               "graphmemd at " + first.address() + " serves another graph");
  expect_error(reading(graph, first.address()) + "--algo bfs", 2, "a shard is missing");
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
  expect_error("--graph '" + graph + "' --backend gpuvm --algo bfs --remote 127.0.0.1:1", 2, "--remote needs a fabric");
  const Said said = graphrun(reading(graph, "127.0.0.1:1|" + first.address() + "," + second.address()) + "--algo bfs");
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.err.find("cannot reach 127.0.0.1:1"), std::string::npos) << said.err;
}

// A server that did not check its file, and whose file was damaged after its header was written.
TEST_F(CliRemote, NeighboursThatAreNoVerticesEndTheRun) {
  const std::string graph = make_graph();
  std::string bytes = contents(graph);
  for (std::uint32_t entry = 128;; entry += 40) {
    std::uint32_t kind = 0;
    std::uint64_t offset = 0;
    std::memcpy(&kind, bytes.data() + entry, sizeof(kind));
    std::memcpy(&offset, bytes.data() + entry + 8, sizeof(offset));
    if (kind != 2) continue;
    bytes[offset + 20'000 + sizeof(VertexId) - 1] = '\x7f';  // the highest byte of one neighbour
    break;
  }
  const ServerChild server({"--graph", write("damaged.grf", bytes), "--listen", "127.0.0.1:0", "--trust-file"});
  expect_error(reading(graph, server.address()) + "--algo cc", 1, "and the graph has 4096 vertices");
}

TEST_F(CliRemote, OnlyWhoKnowsTheTokenReads) {
  const std::string graph = make_graph();
  const ServerChild server = serve(graph, "1/1", kToken);
  const std::string run = reading(graph, server.address()) + "--algo bfs";
  expect_error(run, 1, "wants a token, and the client showed none");
  write("wrong", "another token of 16 or more\n");
  write("right", std::string(kToken) + "\n");
  write("short", "123\n");
  for (const char* name : {"right", "wrong", "short"}) std::filesystem::permissions(path(name), std::filesystem::perms(0600));
  expect_error(run + " --token-file '" + path("wrong") + "'", 1, "has another token than the client");
  expect_error(run + " --token-file '" + path("short") + "'", 2, "has 3 characters, and 16 are the least");
  expect_error(run + " --token-file '" + path("none") + "'", 1, "cannot open the token file");
  EXPECT_EQ(graphrun(run + " --token-file '" + path("right") + "'").code, 0);
  std::filesystem::permissions(path("right"), std::filesystem::perms(0644));
  expect_error(run + " --token-file '" + path("right") + "'", 2, "chmod 600");
  // A client that has a token does not read from whoever has none, either.
  const ServerChild open = serve(graph, "1/1");
  ::setenv("GRAPHMEMD_TOKEN", kToken, 1);
  EXPECT_EQ(graphrun(run).code, 0);
  expect_error(reading(graph, open.address()) + "--algo bfs", 1, "has another token than the client");
  ::unsetenv("GRAPHMEMD_TOKEN");
}

TEST_F(CliRemote, AServerRefusesWhatItCannotServe) {
  const std::string graph = make_graph();
  const auto expect = [&](const std::string& arguments, int code, const std::string& words) {
    const std::string command =
        std::string("timeout 20 ") + GRAPHMEMD_PROGRAM + " " + arguments + " > /dev/null 2> '" + path("err") + "'";
    const int status = std::system(command.c_str());
    EXPECT_EQ(WEXITSTATUS(status), code) << arguments << "\n" << contents(path("err"));
    EXPECT_NE(contents(path("err")).find(words), std::string::npos) << arguments << "\n" << contents(path("err"));
  };
  const std::string serving = "--graph '" + graph + "' --listen ";
  expect("--listen 127.0.0.1", 2, "--graph is missing");
  expect(serving + "192.0.2.1", 2, "without a token graphmemd listens on loopback only");
  expect(serving + "0.0.0.0", 2, "names no address");
  expect(serving + "127.0.0.1:x", 2, "is not an address");
  expect(serving + "127.0.0.1:0 --shard 3/2", 2, "the number of the shard");
  expect(serving + "127.0.0.1:0 --fabric semaphore", 77, "semaphore");
  expect("--graph '" + path("none") + "' --listen 127.0.0.1:0", 1, "cannot open");
  expect("--graph '" + write("text.el", "0 1\n") + "' --listen 127.0.0.1:0", 2, "is no .grf container");
  std::string damaged = contents(graph);
  damaged[damaged.size() / 2] ^= 1;
  expect("--graph '" + write("damaged.grf", damaged) + "' --listen 127.0.0.1:0", 1, "damaged.grf");
}

OwnedFd connect_to(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
  ::inet_pton(AF_INET, address.substr(0, colon).c_str(), &where.sin_addr);
  OwnedFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval limit{.tv_sec = 10, .tv_usec = 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  EXPECT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&where), sizeof(where)), 0);
  return fd;
}

std::string message(const std::string& text) {
  const auto size = static_cast<std::uint32_t>(text.size());
  return std::string(reinterpret_cast<const char*>(&size), sizeof(size)) + text;
}

/// What the server says before it ends the connection, which it must do in time.
std::string answer_to(const std::string& address, const std::string& bytes) {
  const OwnedFd fd = connect_to(address);
  (void)!::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  std::string said;
  char buffer[4096];
  for (;;) {
    const ssize_t count = ::recv(fd.get(), buffer, sizeof(buffer), 0);
    if (count < 0 && errno == EAGAIN) ADD_FAILURE() << "the server keeps a connection that it should have ended";
    if (count <= 0) return said;
    said.append(buffer, static_cast<std::size_t>(count));
  }
}

TEST_F(CliRemote, GarbageOnTheControlPortHurtsNobody) {
  const std::string graph = make_graph();
  ServerChild server = serve(graph, "1/1");
  const std::string hello = message(R"({"graphmemd": 1, "nonce": "00"})");
  const std::vector<std::string> garbage = {
      "GET / HTTP/1.1\r\n\r\n",
      std::string(100'000, '\xff'),
      std::string("\0\0\0\0", 4),
      message("{"),
      message("[]"),
      message(std::string(60'000, '[')),
      message(R"({"graphmemd": "one", "nonce": 3})"),
      message(R"({"graphmemd": 2, "nonce": "00"})"),
      hello + message("{}"),
      hello + message(R"({"provider": [], "graph": null, "proof": {}})"),
      hello + message(R"({"provider": "tcp", "graph": "x", "proof": ""})"),
      hello + message(std::string("\xf0\x28\x8c\x28\0\"", 6)),
  };
  for (std::size_t i = 0; i < garbage.size(); ++i) {
    answer_to(server.address(), garbage[i]);
    ASSERT_TRUE(server.is_running()) << "case " << i;
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; ++i) {
    std::string bytes = i % 2 == 0 ? hello : hello + message(R"({"provider": "tcp", "graph": "0123456789abcdef", "proof": ""})");
    for (int k = 0; k < 1 + i % 5; ++k) bytes[random() % bytes.size()] = static_cast<char>(random());
    const OwnedFd fd = connect_to(server.address());
    (void)!::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  EXPECT_NE(answer_to(server.address(), message(R"({"graphmemd": 2, "nonce": "00"})")).find("version 2"), std::string::npos);
  ASSERT_TRUE(server.is_running());
  EXPECT_EQ(graphrun(reading(graph, server.address()) + "--algo bfs --verify").code, 0);
}

// Whoever connects and says nothing, or half of something, is sent away; meanwhile others are served.
TEST_F(CliRemote, SilentClientsKeepNobodyOut) {
  const std::string graph = make_graph();
  ServerChild server = serve(graph, "1/1");
  std::vector<OwnedFd> silent;
  for (int i = 0; i < 50; ++i) {
    silent.push_back(connect_to(server.address()));
    (void)!::send(silent.back().get(), "\x20\0\0\0{", 5, MSG_NOSIGNAL);
  }
  EXPECT_EQ(graphrun(reading(graph, server.address()) + "--algo bfs --verify").code, 0);
  char byte = 0;
  for (const OwnedFd& fd : silent) EXPECT_EQ(::recv(fd.get(), &byte, 1, 0), 0) << "it is still there after ten seconds";
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
    }
  }
}

}  // namespace
}  // namespace graphrun::test
