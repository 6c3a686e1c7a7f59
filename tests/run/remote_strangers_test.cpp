// SPDX-License-Identifier: Apache-2.0
// graphmemd and whoever should not read from it, or talks nonsense to it, and graphrun and servers that are not to be believed.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/owned_fd.hpp"
#include "graphrun/core/types.hpp"
#include "run/remote.hpp"

namespace graphrun::test {
namespace {

constexpr const char* kToken = "a token of the tests, 01234";

// Weights that are no numbers were refused, and infinite ones were not.
TEST_F(CliRemote, InfiniteWeightsAreRefused) {
  const std::string graph = path("w.grf");
  ASSERT_EQ(graphconv(write("w.el", "0 1 0.5\n1 2 1.5\n2 0 2.5\n") + " '" + graph + "'").code, 0);
  std::string bytes = contents(graph);
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  std::memcpy(bytes.data() + section_of(bytes, 3) + sizeof(kInfinite), &kInfinite, sizeof(kInfinite));
  const ServerChild server({"--graph", write("damaged.grf", bytes), "--listen", "127.0.0.1:0", "--trust-file"});
  expect_error(reading(graph, server.address()) + "--algo sssp", 2, "infinite");
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
  expect_error(reading(graph, open.address()) + "--algo bfs", 1, "has no token, and the client shows one");
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
  expect("--listen 127.0.0.1", 2, "the graph is missing");
  expect(serving + "192.0.2.1", 2, "without a token graphmemd listens on loopback only");
  expect(serving + "0.0.0.0", 2, "names no address");
  expect(serving + "127.0.0.1:x", 2, "--listen: '127.0.0.1:x' is not an address");
  for (const char* listen : {"127.0.0.1:0+", "+127.0.0.1:0", "127.0.0.1:0++127.0.0.2:0"}) {
    expect(serving + listen, 2, std::string("--listen has an empty name in '") + listen + "'");
  }
  for (const char* fabric : {"tcp,", ",tcp", "tcp,,shm"}) {
    expect(serving + "127.0.0.1:0 --fabric " + fabric, 2, std::string("--fabric has an empty name in '") + fabric + "'");
  }
  expect(serving + "127.0.0.1:0 --fabric ''", 2, "--fabric was given nothing");
  expect(serving + "127.0.0.1:0 --shard 3/2", 2, "the number of the shard");
  expect(serving + "127.0.0.1:0 --fabric semaphore", 2, "semaphore");
  expect("--graph '" + path("none") + "' --listen 127.0.0.1:0", 1, "cannot open");
  expect("--graph '" + directory_.string() + "' --listen 127.0.0.1:0", 1, "Is a directory");
  expect(serving + "127.0.0.1:0 --fabric ^tcp", 2, "'^tcp' is no provider");
  expect(serving + "127.0.0.1:99999", 2, "a port up to 65535");
  expect("--graph '" + write("text.el", "0 1\n") + "' --listen 127.0.0.1:0", 2, "is no .grf container");
  std::string other_width = contents(graph);
  other_width[16] = kVertexBits == 32 ? 8 : 4;  // bytes of an id
  expect("--graph '" + write("other_width.grf", other_width) + "' --listen 127.0.0.1:0", GRAPHRUN_HAS_WIDE ? 1 : 77,
         "other_width.grf");
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

}  // namespace
}  // namespace graphrun::test
