// SPDX-License-Identifier: Apache-2.0
// Reports beside a run's cost: largest values, a path, files of values in several forms, exit codes.
#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "run/cli.hpp"

namespace graphrun::test {
namespace {

class CliReport : public CliTest {
 protected:
  // 0 -> 1 -> 2, 0 -> 2, and 3 -> 0, which nothing reaches.
  std::string triangle() const { return write("triangle.wel", "0 1 2\n1 2 3\n0 2 9\n3 0 1\n"); }
  std::string named() const { return write("named.csv", "source,target,weight\n\"a,b\",c,1.5\nc,d,1\n\"x y\",d,2\n"); }
  /// Standard output of a run that ends well.
  std::string out_of(const std::string& arguments) const {
    const Said said = graphrun(arguments);
    EXPECT_EQ(said.code, 0) << arguments << "\n" << said.err;
    return said.out;
  }
};

TEST_F(CliReport, LettersStandForCommonOptions) {
  const std::string run = "'" + triangle() + "' --algo bfs --source 0 ";
  EXPECT_EQ(graphrun(run + "-q -j 2 -o '" + path("a.csv") + "'").err, kSaidOfBuild);
  EXPECT_EQ(graphrun(run + "-qj1 -o'" + path("b.csv") + "'").code, 0);
  EXPECT_EQ(contents(path("a.csv")), "vertex,level\n0,0\n1,1\n2,1\n3,\n");
  EXPECT_EQ(contents(path("b.csv")), contents(path("a.csv")));
  EXPECT_EQ(graphconv("'" + triangle() + "' '" + path("t.grf") + "' -q -j 1").err, "");
  expect_error(run + "-o=out.csv", 2, "'-o=out.csv': a letter takes its value without '=': -o out.csv");
  expect_error(run + "-o -j", 2, "--output needs a value, and -j is another option");
}

TEST_F(CliReport, HelpIsACommandToo) {
  EXPECT_EQ(graphrun("help").out, graphrun("--help").out);
  EXPECT_EQ(graphrun("help all").out, graphrun("--help all").out);
  EXPECT_EQ(graphrun("help gather").out, graphrun("gather --help").out);
  EXPECT_EQ(graphrun("help backend bam").out, graphrun("--help backend bam").out);
  EXPECT_EQ(graphrun("help exit").out.rfind("Exit codes:\n", 0), 0U);
  EXPECT_EQ(graphconv("help").out, graphconv("--help").out);
  const std::string formats = graphconv("help formats").out;
  EXPECT_NE(formats.find("Formats that are read"), std::string::npos);
  EXPECT_NE(formats.find("Formats that are written"), std::string::npos);
  EXPECT_EQ(formats.find("Examples"), std::string::npos);
  EXPECT_EQ(graphconv("help generators").out.rfind("Generators, in place of IN:\n", 0), 0U);  // the topic was "generators,"
  expect_error("help exampels", 2, "there is no help on 'exampels' (did you mean 'examples'?)");
}

TEST_F(CliReport, WhatThisMachineRunsAsJson) {
  const std::string text = out_of("--list --json");
  const auto list = nlohmann::json::parse(text);
  std::size_t lines = 0;
  for (const auto& row : list) {
    EXPECT_TRUE(row["available"].is_boolean());
    lines += row["device"] == "cpu";
  }
  EXPECT_EQ(lines, 6U);
  EXPECT_EQ(list[0]["backend"], "incore");
  EXPECT_EQ(out_of("--list --json '" + path("list.json") + "'"), "");
  EXPECT_EQ(contents(path("list.json")), text);
}

TEST_F(CliReport, JsonWithoutANameGoesToStandardOutput) {
  for (const char* arguments : {"path:9 --algo bfs -q --json", "--json --algo bfs path:9 -q", "path:9 --json - --algo bfs -q"})
    EXPECT_EQ(nlohmann::json::parse(out_of(arguments), nullptr, false)["graph"]["name"], "path:9") << arguments;
}

TEST_F(CliReport, FilesOfValuesInSeveralForms) {
  const auto file_of = [&](const std::string& name, const std::string& more) {
    const Said said = graphrun("'" + named() + "' --source a,b -q -o '" + path(name) + "' " + more);
    EXPECT_EQ(said.code, 0) << said.err;
    return contents(path(name));
  };
  const std::string sssp = "--algo sssp";
  EXPECT_EQ(file_of("d.csv", sssp), "vertex,distance\n\"a,b\",0\nc,1.5\nd,2.5\nx y,\n");
  EXPECT_EQ(file_of("d.tsv", sssp), "vertex\tdistance\n\"a,b\"\t0\nc\t1.5\nd\t2.5\nx y\t\n");
  EXPECT_EQ(file_of("d.jsonl", sssp),
            "{\"vertex\": \"a,b\", \"value\": 0}\n{\"vertex\": \"c\", \"value\": 1.5}\n{\"vertex\": \"d\", \"value\": 2.5}\n"
            "{\"vertex\": \"x y\", \"value\": null}\n");
  EXPECT_EQ(file_of("p.jsonl", "--algo bfs --parents"),
            "{\"vertex\": \"a,b\", \"value\": \"a,b\"}\n{\"vertex\": \"c\", \"value\": \"a,b\"}\n"
            "{\"vertex\": \"d\", \"value\": \"c\"}\n{\"vertex\": \"x y\", \"value\": null}\n");
  const auto batch = [&](const std::string& name) {
    EXPECT_EQ(graphrun("path:3 --algo bfs --batch --sources 2 -q -o '" + path(name) + "'").code, 0);
    return contents(path(name));
  };
  const std::string line = batch("b.jsonl");
  EXPECT_EQ(line.rfind("{\"vertex\": 0, \"values\": [", 0), 0U) << line;
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 3);
  for (const std::string form : {"csv", "tsv", "jsonl"}) {
    const std::string plain = file_of("z." + form, sssp);
    EXPECT_EQ(file_of("z." + form + ".gz", sssp).rfind("\x1f\x8b", 0), 0U) << form;
    EXPECT_EQ(say("gzip -dc '" + path("z." + form + ".gz") + "'").out, plain) << form;
  }
  expect_error("path:3 --algo bfs -o '" + path("a.bin.gz") + "'", 2, "must end in .csv or .tsv");
  expect_error("path:3 --algo bfs -o '" + path("a.gz") + "'", 2, "must end in .csv or .tsv");
}

// More than the buffers hold at once.
TEST_F(CliReport, LargeFilesAreCompressedWhole) {
  const std::string run = "path:300000 --algo bfs --source 0 -q -o ";
  ASSERT_EQ(graphrun(run + "'" + path("a.csv") + "'").code, 0);
  ASSERT_EQ(graphrun(run + "'" + path("a.csv.gz") + "'").code, 0);
  EXPECT_EQ(say("gzip -dc '" + path("a.csv.gz") + "' | cmp - '" + path("a.csv") + "'").code, 0);
}

TEST_F(CliReport, TheAnswerAloneOnStandardOutput) {
  const std::string run = "'" + triangle() + "' --algo bfs --source 0 -o - ";
  const Said quiet = graphrun(run + "-q");
  EXPECT_EQ(quiet.out, "vertex,level\n0,0\n1,1\n2,1\n3,\n");
  EXPECT_EQ(quiet.err, kSaidOfBuild);
  const Said said = graphrun(run);
  EXPECT_EQ(said.out, quiet.out);
  EXPECT_NE(said.err.find("digest"), std::string::npos);
}

TEST_F(CliReport, TheLargestValues) {
  const auto far = json_of("'" + triangle() + "' --algo sssp --source 0 --top 2 -q")["top"];
  EXPECT_EQ(far.dump(), R"([{"distance":5,"label":2,"vertex":2},{"distance":2,"label":1,"vertex":1}])");
  const auto all = json_of("'" + triangle() + "' --algo bfs --source 0 --top 9 -q")["top"];
  EXPECT_EQ(all.size(), 3U) << "of those that were reached";
  EXPECT_EQ(all[0]["vertex"], 1) << "equal values by number";
  const auto ranks = json_of("kron:8:4 --algo pagerank --top 12 -q");
  ASSERT_EQ(ranks["top"].size(), 12U);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(ranks["top"][i]["vertex"], ranks["result"]["top"][i]["vertex"]);
  const std::string parts = write("parts.el", "0 1\n1 2\n4 3\n5 6\n7 8\n");
  const auto components = json_of("'" + parts + "' --algo cc --top 2 -q");
  EXPECT_EQ(components["result"]["sizes"].dump(), R"([{"components":1,"size":3},{"components":3,"size":2}])");
  ASSERT_EQ(components["top"].size(), 2U);
  EXPECT_EQ(components["top"][0]["size"], 3);
  EXPECT_LE(components["top"][0]["vertex"], 2) << "a member of it";
  const std::string table = out_of("'" + named() + "' --algo sssp --source a,b --top 1 -q");
  EXPECT_NE(table.find("top  vertex  distance\n  1       d       2.5\n"), std::string::npos) << table;
  EXPECT_EQ(json_of("path:4 --algo bfs -q")["top"], nullptr);
  expect_error("kron:4:4 --undirected --algo tc --top 3", 2, "--top goes with bfs or sssp or cc or pagerank or bc");
  expect_error("path:4 --algo bfs --batch --sources 2 --top 3", 2, "leave out --batch");
}

TEST_F(CliReport, AShortestPath) {
  const std::string weighted = "'" + triangle() + "' --source 0 -q --path-to ";
  const auto path_by = [&](const std::string& algorithm, const std::string& to) {
    return json_of(weighted + to + " --algo " + algorithm)["path"];
  };
  EXPECT_EQ(path_by("sssp", "2").dump(), R"({"distance":5,"to":2,"to_label":2,"vertices":[{"distance":0,"label":0,"vertex":0},)"
                                         R"({"distance":2,"label":1,"vertex":1},{"distance":5,"label":2,"vertex":2}]})");
  EXPECT_EQ(path_by("bfs", "2")["vertices"].size(), 2U);
  EXPECT_EQ(path_by("sssp", "0")["vertices"].size(), 1U);
  EXPECT_EQ(path_by("sssp", "3").dump(), R"({"distance":null,"to":3,"to_label":3,"vertices":[]})");
  EXPECT_NE(out_of(weighted + "2 --algo sssp").find("path       0 (0) -> 1 (2) -> 2 (5)\n"), std::string::npos);
  EXPECT_NE(out_of(weighted + "3 --algo bfs").find("path       none: 3 was not reached\n"), std::string::npos);
  EXPECT_NE(out_of("path:100 --algo bfs --source 0 --path-to 99 -q").find("9 (9) -> (80 more; --json has them) -> 90 (90)"),
            std::string::npos);
  expect_error(weighted + "7 --algo sssp", 2, "7 is not a vertex");
  expect_error(weighted + "2 --algo cc", 2, "--path-to goes with bfs or sssp");
  expect_error("path:4 --algo bfs --sources 2 --path-to 2", 2, "leave out --sources");
}

TEST_F(CliReport, PathsOverArcsThatWeighNothingOrAddUpToRoundedSums) {
  const std::string cycle = write("cycle.wel", "0 1 0\n1 0 0\n1 2 0\n2 1 0\n2 3 1\n3 2 0\n");
  const auto around = json_of("'" + cycle + "' --algo sssp --source 0 --path-to 3 -q --verify")["path"]["vertices"];
  EXPECT_EQ(around.size(), 4U);
  std::string tenths;
  for (int v = 0; v < 5000; ++v) tenths += fmt::format("{} {} 0.1\n", v, v + 1);
  const auto path = json_of("'" + write("tenths.wel", tenths) + "' --algo sssp --source 0 --path-to 5000 -q")["path"];
  EXPECT_EQ(path["vertices"].size(), 5001U);
}

// Each backend, with ranks and with lists that are packed or stored by weight, finds a path along arcs of the graph.
TEST_F(CliReport, APathFromEachBackend) {
  std::mt19937 random(44);
  std::map<std::pair<int, int>, int> arcs;
  for (int i = 0; i < 900; ++i) arcs[{static_cast<int>(random() % 300), static_cast<int>(random() % 300)}] = 1 + random() % 20;
  std::string text;
  for (const auto& [arc, weight] : arcs) text += fmt::format("{} {} {}\n", arc.first, arc.second, weight);
  const std::string list = write("random.wel", text);
  ASSERT_EQ(graphconv("'" + list + "' '" + path("packed.grf") + "' --pack").code, 0);
  ASSERT_EQ(graphconv("'" + list + "' '" + path("sorted.grf") + "' --sort weight").code, 0);
  const auto expect_path = [&](const std::string& run, bool weighted) {
    const auto result = json_of(run + " --source 0 --top 1 -q");
    const int farthest = result["top"][0]["label"];
    const auto path = json_of(run + fmt::format(" --source 0 --path-to {} -q", farthest))["path"];
    const auto& vertices = path["vertices"];
    ASSERT_GT(vertices.size(), 2U) << run;
    EXPECT_EQ(vertices.front()["label"], 0);
    EXPECT_EQ(vertices.back()["label"], farthest);
    const char* const value = weighted ? "distance" : "level";
    for (std::size_t i = 1; i < vertices.size(); ++i) {
      const auto arc = arcs.find({vertices[i - 1]["label"], vertices[i]["label"]});
      ASSERT_NE(arc, arcs.end()) << run;
      EXPECT_EQ(vertices[i][value].get<int>() - vertices[i - 1][value].get<int>(), weighted ? arc->second : 1) << run;
    }
    EXPECT_EQ(path[value], result["top"][0][value]) << run;
  };
  for (const std::string& graph : {list, path("packed.grf"), path("sorted.grf")}) {
    for (const char* how : {"incore", "emogi", "bam --cache 128KiB", "gpuvm --cache 128KiB", "subway", "incore --ranks 3",
                            "bam --ranks 2 --cache 128KiB"}) {
      const std::string run = "'" + graph + "' --threads 3 --backend " + how + " --algo ";
      expect_path(run + "bfs", false);
      expect_path(run + "sssp", true);
    }
  }
  expect_path("'" + path("sorted.grf") + "' --backend incore --algo sssp --variant prefix", true);
}

TEST_F(CliReport, StrictEndsWithThreeWhereSomethingWasNotReached) {
  const std::string sweeps = "kron:8:4 --algo pagerank --max-iterations 1 --tolerance 1e-12 -q ";
  EXPECT_EQ(graphrun(sweeps).code, 0);
  EXPECT_EQ(graphrun(sweeps + "--strict").code, 3);
  EXPECT_EQ(graphrun("kron:8:4 --algo pagerank -q --strict").code, 0);
  const std::string to_3 = "'" + triangle() + "' --algo bfs --source 0 -q --path-to 3 ";
  EXPECT_EQ(graphrun(to_3).code, 0);
  EXPECT_EQ(graphrun(to_3 + "--strict").code, 3);
}

}  // namespace
}  // namespace graphrun::test
