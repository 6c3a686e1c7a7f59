// SPDX-License-Identifier: Apache-2.0
// Clients and servers of edges, as processes.
#pragma once

#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "graphrun/transport/fabric.hpp"
#include "run/cli.hpp"
#include "run/server_child.hpp"

namespace graphrun::test {

/// Which ask servers for scattered lists with weights, for whole passes, and for both.
inline const std::vector<const char*> kAlgorithms =
    kFewCases ? std::vector{"sssp", "pagerank"} : std::vector{"bfs", "sssp", "cc", "pagerank"};

/// Where a section of a container begins (docs/formats.md).
inline std::uint64_t section_of(const std::string& container, std::uint32_t wanted) {
  for (std::uint32_t entry = 128;; entry += 40) {
    std::uint32_t kind = 0;
    std::uint64_t offset = 0;
    std::memcpy(&kind, container.data() + entry, sizeof(kind));
    std::memcpy(&offset, container.data() + entry + 8, sizeof(offset));
    if (kind == wanted) return offset;
  }
}

/// That a run is under way for long enough.
inline constexpr const char* kManySearches = kThreadSanitized
                                                 ? "--algo bfs --source random:1 --sources 4 --trials 2 --threads 2 "
                                                 : "--algo bfs --source random:1 --sources 12 --trials 4 --threads 2 ";

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

  /// Sends `signal` to the server that a run reads from, which must then end with an error that holds `words`, soon.
  void expect_disturbed_run_to_fail(const std::string& arguments, const ServerChild& server, int signal,
                                    const std::string& words) const {
    std::chrono::steady_clock::time_point disturbed;
    std::thread hand([&] {
      server.wait_for_reader();
      disturbed = std::chrono::steady_clock::now();
      server.send(signal);
    });
    expect_error(arguments, 1, words);
    hand.join();
    EXPECT_LT(std::chrono::steady_clock::now() - disturbed, std::chrono::seconds(8));
    EXPECT_GT(std::chrono::steady_clock::now() - disturbed, std::chrono::milliseconds(0)) << "it ended before anything was wrong";
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

}  // namespace graphrun::test
