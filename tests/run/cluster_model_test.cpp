// SPDX-License-Identifier: Apache-2.0
// --plan --assume: the model's arithmetic on cases by hand, and what it refuses.
#include "graphrun/run/cluster_model.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "algorithms/algorithm.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/run/options.hpp"
#include "run/cli.hpp"

namespace graphrun::test {
namespace {

constexpr double kModelGiB = 1 << 30;
constexpr double kModelVertices = 1 << 20;
constexpr double kModelArcs = 32 * kModelVertices;

/// The size of kron:20:16.
LoadEstimate kron20_size() {
  LoadEstimate graph;
  graph.vertices = std::uint64_t{1} << 20;
  graph.arcs = 32 * graph.vertices;
  graph.directed = false;
  return graph;
}

RunOptions modelled_run(Algorithm algorithm) {
  RunOptions options = usual_options();
  options.graph = "kron:20:16";
  options.algorithm = algorithm;
  return options;
}

/// A machine with two threads, each of which makes 50 million reads a second.
Machine two_core_machine() {
  Machine machine;
  machine.memory_bytes = std::uint64_t{8} << 30;
  machine.threads = 2;
  machine.rates = {
      .memory_reads_s = 100e6, .copied_bytes_s = 4e9, .mapped_bytes_s = 1e9, .storage_bytes_s = 2e9, .storage_latency_s = 1e-4};
  return machine;
}

std::string cluster_refusal(const auto& act) {
  try {
    act();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "it was accepted";
}

double model_term(const ClusterModel& model, const std::string& what) {
  for (const ClusterModel::Seconds& each : model.terms) {
    if (each.what == what) return each.seconds;
  }
  return 0;
}
double model_held(const ClusterModel& model, const std::string& what) {
  for (const ClusterModel::Bytes& each : model.held) {
    if (each.what == what) return each.bytes;
  }
  return 0;
}

TEST(ClusterModel, TakesWhatIsNotNamedFromTheMachine) {
  const Cluster here = parse_cluster("ranks=2", two_core_machine());
  EXPECT_EQ(here.hosts, 1);
  EXPECT_EQ(here.ranks, 2);
  EXPECT_EQ(here.cores, 2);
  EXPECT_EQ(here.memory_bytes, 8 * kModelGiB);
  EXPECT_EQ(here.core_reads_s, 50e6);
  EXPECT_EQ(here.disk_bytes_s, 2e9);
  const Cluster there =
      parse_cluster("hosts=64,memory=512GiB,link=50GB/s,latency=20us,cores=32,reads=1e8,disk=4GiB/s", two_core_machine());
  EXPECT_EQ(there.all_ranks(), 64);
  EXPECT_EQ(there.memory_bytes, 512 * kModelGiB);
  EXPECT_EQ(there.link_bytes_s, 50e9);
  EXPECT_DOUBLE_EQ(there.latency_s, 20e-6);
  EXPECT_EQ(there.core_reads_s, 1e8);
  EXPECT_EQ(there.disk_bytes_s, 4 * kModelGiB);
}

TEST(ClusterModel, RefusesWhatItDoesNotKnow) {
  const auto said = [](const std::string& text) { return cluster_refusal([&] { parse_cluster(text, two_core_machine()); }); };
  EXPECT_EQ(
      said("memry=1GiB"),
      "there is no key of --assume 'memry' (did you mean 'memory'?): choose among hosts, ranks, cores, memory, link, latency, "
      "disk, reads");
  EXPECT_EQ(said("hosts"), "--assume takes KEY=VALUE, and 'hosts' has no '='");
  EXPECT_EQ(said("hosts=2"), "--assume with several hosts needs their link: add for example link=50GB/s");
  const std::string no_unit = " has no unit, or an unknown one: write for example ";
  EXPECT_EQ(said("hosts=2,link=50GB"), "--assume link=50GB" + no_unit + "link=50GB/s, or in bits 400Gb/s");
  EXPECT_EQ(said("link=400gb/s"), "--assume link=400gb/s" + no_unit + "link=50GB/s, or in bits 400Gb/s");
  EXPECT_EQ(said("link=400Gbit/s"), "--assume link=400Gbit/s" + no_unit + "link=50GB/s, or in bits 400Gb/s");
  EXPECT_EQ(said("latency=20"), "--assume latency=20" + no_unit + "latency=20us");
  EXPECT_EQ(said("link=5EB/s"), "--assume link must be a number, not '5E'");
  EXPECT_EQ(said("latency=-1ms"), "--assume latency must be more than 0, not '-1ms'");
  EXPECT_EQ(said("cores=2,cores=4"), "--assume names cores twice");
  EXPECT_NE(said("hosts=0").find("--assume hosts"), std::string::npos);
  EXPECT_EQ(said("reads=0"), "--assume reads must be more than 0, not '0'");
  EXPECT_EQ(said("hosts=3,link=1e300GB/s"), "--assume link is too large: '1e300GB/s'");
  EXPECT_NE(cluster_refusal([] {
              model_run(modelled_run(Algorithm::tc), kron20_size(), parse_cluster("ranks=2", two_core_machine()));
            }).find("are bfs, sssp, cc, pagerank"),
            std::string::npos);
  LoadEstimate tiny = kron20_size();
  tiny.vertices = 3;
  EXPECT_NE(cluster_refusal([&] {
              model_run(modelled_run(Algorithm::cc), tiny, parse_cluster("ranks=4", two_core_machine()));
            }).find("has fewer vertices than the "),
            std::string::npos);
}

TEST(ClusterModel, ReadsUnitsOfRatesAndTimes) {
  const auto with = [](const std::string& text) { return parse_cluster(text, two_core_machine()); };
  EXPECT_EQ(with("link=400Gb/s").link_bytes_s, 50e9);  // bits
  EXPECT_EQ(with("link=50GB/s").link_bytes_s, 50e9);
  EXPECT_EQ(with("link=1.5GiB/s").link_bytes_s, 1.5 * kModelGiB);
  EXPECT_EQ(with("disk=500MB/s").disk_bytes_s, 500e6);
  EXPECT_EQ(with("link=1000B/s").link_bytes_s, 1000);
  EXPECT_DOUBLE_EQ(with("latency=500ns").latency_s, 500e-9);
  EXPECT_DOUBLE_EQ(with("latency=20us").latency_s, 20e-6);
  EXPECT_DOUBLE_EQ(with("latency=20ms").latency_s, 0.02);
  EXPECT_EQ(with("latency=1s").latency_s, 1);
}

TEST(ClusterModel, DividesByHand) {
  for (const Algorithm algorithm : {Algorithm::bfs, Algorithm::sssp, Algorithm::cc, Algorithm::pagerank}) {
    const RunOptions options = modelled_run(algorithm);
    const AlgorithmInfo& info = info_of(options);
    const LoadEstimate graph = kron20_size();
    const Cluster cluster = parse_cluster("hosts=4,ranks=2,cores=8,memory=4GiB,link=1GiB/s,latency=10us", two_core_machine());
    const ClusterModel model = model_run(options, graph, cluster);
    const RankBytes state = info.rank_state(options);
    EXPECT_DOUBLE_EQ(model_held(model, "state of all vertices"), state.of_all * kModelVertices);
    EXPECT_DOUBLE_EQ(model_held(model, "state of its own vertices"), state.of_own * kModelVertices / 8);
    EXPECT_DOUBLE_EQ(model_held(model, "offsets of its own lists"), 8 * kModelVertices / 8);
    const double arc = sizeof(VertexId) + (algorithm == Algorithm::sssp ? 4 : 0);
    EXPECT_DOUBLE_EQ(model.edge_bytes, arc * kModelArcs / 8);
    EXPECT_EQ(model.cached_share, 1);
    EXPECT_DOUBLE_EQ(model_held(model, "edges of its lists"), model.edge_bytes);
    EXPECT_DOUBLE_EQ(model.answer.bytes, state.answer * kModelVertices);

    const AccessPattern pattern = info.access_pattern(options, graph);
    const RankTraffic traffic = *info.rank_traffic(options, graph);
    EXPECT_DOUBLE_EQ(
        model_term(model, "computing"),
        traffic.work * (pattern.reads_per_vertex * kModelVertices + pattern.reads_per_arc * kModelArcs) / (4 * 8 * 50e6));
    EXPECT_DOUBLE_EQ(model_term(model, "merging"), traffic.merged_reads * kModelVertices * 2 / (8 * 50e6));
    // Each of two ranks of a host receives three quarters over the link, and an eighth from the other one.
    const double published = traffic.bytes_a_vertex * kModelVertices;
    EXPECT_DOUBLE_EQ(model_term(model, "exchange"), 2 * published * 0.75 / kModelGiB + published / 8 / 4e9);
    EXPECT_DOUBLE_EQ(model_term(model, "latency"), traffic.steps * 10e-6 * 3);
    EXPECT_EQ(model_term(model, "disk"), 0);
    EXPECT_EQ(model.refused, "");

    double bytes = 0, seconds = 0;
    for (const auto& part : model.held) bytes += part.bytes;
    for (const auto& each : model.terms) seconds += each.seconds;
    EXPECT_DOUBLE_EQ(model.bytes_a_rank(), bytes);
    EXPECT_DOUBLE_EQ(model.seconds(), seconds);
  }
}

TEST(ClusterModel, ReadsWhatDoesNotFitOnceAPass) {
  const RunOptions options = modelled_run(Algorithm::pagerank);
  const Cluster cluster = parse_cluster("memory=100MiB,disk=1GiB/s", two_core_machine());
  const ClusterModel model = model_run(options, kron20_size(), cluster);
  EXPECT_EQ(model.refused, "");
  EXPECT_GT(model.cached_share, 0);
  EXPECT_LT(model.cached_share, 1);
  EXPECT_LE(model.bytes_a_rank(), cluster.memory_bytes);
  const AccessPattern pattern = info_of(options).access_pattern(options, kron20_size());
  EXPECT_DOUBLE_EQ(
      model_term(model, "disk"),
      model.edge_bytes * (pattern.touched + (pattern.passes - pattern.touched) * (1 - model.cached_share)) / kModelGiB);
  EXPECT_EQ(model_term(model, "exchange"), 0);  // of one rank

  const ClusterModel small = model_run(options, kron20_size(), parse_cluster("ranks=2,memory=40MiB", two_core_machine()));
  EXPECT_NE(small.refused.find("each rank takes"), std::string::npos) << small.refused;
}

// The answer of kron:36:16 is more than a host has, with the edges on disks, too.
TEST(ClusterModel, SaysWhatWouldFitWhereTheAnswerDoesNot) {
  LoadEstimate graph = kron20_size();
  graph.vertices = std::uint64_t{1} << 36;
  graph.arcs = 32 * graph.vertices;
  const RunOptions options = modelled_run(Algorithm::pagerank);
  const auto on = [&](const std::string& memory) {
    return model_run(options, graph, parse_cluster("hosts=64,link=50GB/s,memory=" + memory, two_core_machine()));
  };
  const ClusterModel small = on("512GiB");
  EXPECT_NE(small.refused.find("rank 0 takes"), std::string::npos) << small.refused;
  EXPECT_LE(small.bytes_a_rank(), 512 * kModelGiB);
  const std::size_t named = small.refused.find("memory=") + 7;
  ASSERT_NE(small.refused.find("a host would fit, and more hosts would not"), std::string::npos) << small.refused;
  const std::string fits = small.refused.substr(named, small.refused.find(' ', named) - named);
  EXPECT_EQ(on(fits).refused, "");
  EXPECT_LE(on(fits).bytes_a_rank() + on(fits).answer.bytes, on(fits).cached_share == 1 ? 1e15 : parse_bytes(fits));
}

TEST(ClusterModel, NamesTheHostsThatWouldFit) {
  const RunOptions options = modelled_run(Algorithm::pagerank);
  const auto on = [&](const std::string& hosts) {
    return model_run(options, kron20_size(), parse_cluster("hosts=" + hosts + ",memory=28MiB,link=50GB/s", two_core_machine()));
  };
  const ClusterModel few = on("2");
  ASSERT_NE(few.refused.find("hosts="), std::string::npos) << few.refused;
  const std::size_t named = few.refused.find("hosts=") + 6;
  const std::string enough = few.refused.substr(named, few.refused.find(',', named) - named);
  EXPECT_EQ(on(enough).refused, "");
  EXPECT_NE(on(std::to_string(std::stoi(enough) - 1)).refused, "");
}

// Over directed graphs pulls scan in-edges alone, and others both directions' lists.
TEST(ClusterModel, ReadsTheDirectionThatIsScanned) {
  RunOptions options = modelled_run(Algorithm::pagerank);
  LoadEstimate graph = kron20_size();
  graph.directed = true;
  const Cluster cluster = parse_cluster("memory=100MiB,disk=1GiB/s", two_core_machine());
  const ClusterModel model = model_run(options, graph, cluster);
  const AccessPattern pattern = info_of(options).access_pattern(options, graph);
  ASSERT_TRUE(pattern.in_edges_alone);
  EXPECT_DOUBLE_EQ(
      model_term(model, "disk"),
      model.edge_bytes / 2 * (pattern.touched + (pattern.passes - pattern.touched) * (1 - model.cached_share)) / kModelGiB);
}

// The state of all vertices is what more hosts do not divide.
TEST(ClusterModel, MoreHostsTakeLessEach) {
  double before = 1e300;
  for (const char* const hosts : {"2", "4", "16", "64"}) {
    const auto cluster = parse_cluster(std::string("hosts=") + hosts + ",memory=64GiB,link=50GB/s", two_core_machine());
    const double bytes = model_run(modelled_run(Algorithm::pagerank), kron20_size(), cluster).bytes_a_rank();
    EXPECT_LT(bytes, before);
    before = bytes;
  }
}

// State of bfs and cc grew with ids as a whole: bitmaps, levels and sizes have one width.
TEST(ClusterModel, HoldsForGraphsWithWideIds) {
  LoadEstimate graph = kron20_size();
  graph.vertices = std::uint64_t{1} << 36;
  graph.arcs = 32 * graph.vertices;
  const Cluster cluster = parse_cluster("hosts=64,memory=512GiB,link=50GB/s", two_core_machine());
  for (const Algorithm algorithm : {Algorithm::bfs, Algorithm::sssp, Algorithm::cc, Algorithm::pagerank}) {
    const ClusterModel model = model_run(modelled_run(algorithm), graph, cluster);
    for (const ClusterModel::Seconds& term : model.terms) {
      EXPECT_GT(term.seconds, 0) << term.what;
      EXPECT_LT(term.seconds, 1e5) << term.what;
    }
    const double vertices = static_cast<double>(graph.vertices);
    EXPECT_GT(model.bytes_a_rank(), sizeof(std::uint32_t) * vertices);
    EXPECT_LT(model.bytes_a_rank(), 24 * vertices);
    EXPECT_EQ(model.answer.bytes, (algorithm == Algorithm::bfs  ? sizeof(VertexId) + 4
                                   : algorithm == Algorithm::cc ? sizeof(VertexId) + 8
                                                                : 12) *
                                      vertices);
    EXPECT_FALSE(model.refused.empty());
  }
}

class ClusterPlans : public CliTest {};

TEST_F(ClusterPlans, AreMadeOfAName) {
  const Said said =
      graphrun("kron:30:16 --algo pagerank --plan --assume hosts=64,memory=512GiB,link=50GB/s --json " + path("m.json"));
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(
      said.out.rfind("MODEL      pagerank over kron:30:16, 1,073,741,824 vertices, 34,359,738,368 arcs, hosts 64, ranks 1", 0),
      0u);
  const auto model = nlohmann::json::parse(contents(path("m.json")));
  double seconds = 0;
  for (const auto& each : model["terms"]) seconds += each["seconds"].get<double>();
  EXPECT_DOUBLE_EQ(model["seconds"], seconds);
  EXPECT_EQ(model["assumed"]["hosts"], 64);

  const Said large = graphrun("kron:30:16 --algo bfs --plan --assume hosts=4,memory=4GiB,link=50GB/s");
  EXPECT_EQ(large.code, 77);
  EXPECT_NE(large.out.find("does not fit: each rank takes"), std::string::npos) << large.out;
  EXPECT_NE(large.out.find("link       50 GB/s a host\nlatency    50 us a round\n"), std::string::npos) << large.out;
}

TEST_F(ClusterPlans, AreRefusedInASentence) {
  expect_error("kron:8 --algo bfs --assume hosts=2", 2, "--assume goes with --plan");
  expect_error("--list --assume hosts=2", 2, "--assume goes with --plan");
  expect_error("kron:8 --algo bfs --plan --assume hosts=2", 2, "needs their link");
  expect_error("kron:8 --algo bfs --plan --assume hots=2", 2, "did you mean 'hosts'?");
  expect_error("kron:8 --algo tc --plan --assume ranks=2", 2, "no model of its ranks");
  expect_error(path("none.grf") + " --algo bfs --plan --assume ranks=2", 2, "no graph of known size");
  const std::string plan = "kron:8 --algo bfs --plan --assume ranks=2 --";
  for (const std::string named : {"backend bam", "cache 1MiB", "memory 1GiB", "ranks 2", "page 4096", "threads 2", "trials 3",
                                  "verify", "top 3", "path-to 1", "strict", "parents", "output o.csv"}) {
    const std::string option = named.substr(0, named.find(' '));
    expect_error(plan + named, 2, "--" + option + " says nothing to --assume");
  }
  expect_error(plan + "device cuda", 2, "leave out --device cuda");
  EXPECT_NE(graphrun(plan + "damping 0.5").err.find("--damping has no effect on bfs"), std::string::npos);
  EXPECT_EQ(graphrun(plan + "backend auto --device cpu").code, 0);
  // The variant for shares is push, which has no model of its ranks.
  expect_error("kron:8 --algo pagerank --source 1 --source 2 --shares 3,1 --plan --assume ranks=2", 2, "no model of its ranks");
  expect_error("kron:8 --algo pagerank --weights unit --plan --assume ranks=2", 2, "no model of its ranks");
}

}  // namespace
}  // namespace graphrun::test
