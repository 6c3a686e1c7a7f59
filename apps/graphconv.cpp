// graphconv: any readable graph to the native container, and what a graph file holds.
#include <fmt/format.h>

#include <cstdio>
#include <cxxopts.hpp>
#include <string>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/io/generate.hpp"
#include "graphrun/io/load.hpp"
#include "graphrun/io/readers.hpp"

namespace {

using namespace graphrun;

const char* weight_name(WeightKind kind) {
  switch (kind) {
    case WeightKind::none:
      return "none";
    case WeightKind::u32:
      return "u32";
    case WeightKind::f32:
      return "f32";
  }
  return "unknown";
}

cxxopts::Options make_options() {
  cxxopts::Options options("graphconv",
                           "Converts graphs to the native container.\n  graphconv IN OUT.grf   IN: MatrixMarket or edge list "
                           "(also .gz), native container, or a generator\n  graphconv info FILE    what a graph holds");
  options.positional_help("IN OUT.grf | info FILE");
  auto add = options.add_options();
  add("undirected", "add the opposite of every arc");
  add("bipartite", "allow rectangular matrices: columns become vertices of their own");
  add("drop-self-loops", "leave out arcs from a vertex to itself");
  add("drop-duplicates", "keep one of several parallel arcs, the lightest");
  add("weights", "file, unit, truth, random:SEED or random:SEED:LOW:HIGH (default: what the input holds)",
      cxxopts::value<std::string>());
  add("no-transpose", "store no transpose of a directed graph");
  add("check", "read and check all of a native container, not only its header");
  add("threads", "host threads; 0: one a processor", cxxopts::value<int>()->default_value("0"));
  add("h,help", "this text");
  options.add_options("hidden")("positional", "", cxxopts::value<std::vector<std::string>>());
  options.parse_positional({"positional"});
  return options;
}

LoadOptions load_options(const cxxopts::ParseResult& given) {
  LoadOptions load;
  load.undirected = given.count("undirected") != 0;
  load.bipartite = given.count("bipartite") != 0;
  load.drop_self_loops = given.count("drop-self-loops") != 0;
  load.drop_duplicates = given.count("drop-duplicates") != 0;
  load.check = given.count("check") != 0;
  return load;
}

void print_info(const Loaded& loaded, ThreadPool& pool) {
  const Graph& graph = loaded.graph;
  fmt::print("name        {}\nformat      {}\nvertices    {}\nedges       {}\n", graph.name, loaded.format, graph.num_vertices(),
             graph.num_edges());
  fmt::print("directed    {}\ntranspose   {}\nweights     {}\n", graph.symmetric ? "no" : "yes",
             graph.symmetric ? "itself"
             : graph.in      ? "stored"
                             : "none",
             weight_name(graph.weight_kind));
  if (graph.num_vertices() == 0) return;
  const VertexId hub = max_degree_vertex(graph.out, pool);
  fmt::print("max degree  {} (vertex {})\n", graph.out.degree(hub), hub);
}

void convert(const std::string& input, const std::string& output, const cxxopts::ParseResult& given, ThreadPool& pool) {
  LoadOptions load = load_options(given);
  load.need_transpose = given.count("no-transpose") == 0;
  // Parsed first: a typing error should not cost the reading of the input.
  const bool reweigh = given.count("weights") != 0;
  const WeightSource weights = reweigh ? parse_weight_source(given["weights"].as<std::string>()) : WeightSource{};
  Loaded loaded = load_graph(input, load, pool);
  if (!load.need_transpose) loaded.graph.in.reset();
  if (reweigh) assign_weights(loaded.graph, weights, pool);
  write_native(loaded.graph, output);
}

void run(int argc, char** argv) {
  cxxopts::Options options = make_options();
  const cxxopts::ParseResult given = options.parse(argc, argv);
  if (given.count("help") != 0) {
    fmt::print("{}\nGenerators:\n{}\n", options.help({""}), generator_help());
    return;
  }
  const auto names =
      given.count("positional") != 0 ? given["positional"].as<std::vector<std::string>>() : std::vector<std::string>{};
  if (names.size() != 2) throw UsageError("two names are needed: graphconv IN OUT.grf, or graphconv info FILE (see --help)");
  ThreadPool pool(given["threads"].as<int>());
  if (names[0] == "info") {
    if (given.count("weights") + given.count("no-transpose") != 0)
      throw UsageError("--weights and --no-transpose mean nothing to graphconv info");
    print_info(load_graph(names[1], load_options(given), pool), pool);
  } else {
    convert(names[0], names[1], given, pool);
  }
}

int report(const char* message, ExitCode code) {
  fmt::print(stderr, "error: {}\n", message);
  return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc, argv);
    if (std::fflush(stdout) != 0) return report("cannot write to the standard output", ExitCode::failed);
    return static_cast<int>(ExitCode::done);
  } catch (const Error& error) {
    return report(error.what(), error.code());
  } catch (const cxxopts::exceptions::exception& error) {
    return report(error.what(), ExitCode::usage);
  } catch (const std::exception& error) {
    return report(error.what(), ExitCode::failed);
  }
}
