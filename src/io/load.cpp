#include "graphrun/io/load.hpp"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <utility>

#include "graphrun/core/error.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/io/generate.hpp"
#include "graphrun/io/readers.hpp"

namespace graphrun {
namespace {

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

/// "word:..." without a slash: somebody meant a generator.
bool reads_like_generator(const std::string& spec) {
  std::size_t letters = 0;
  while (letters < spec.size() && std::isalpha(static_cast<unsigned char>(spec[letters])) != 0) ++letters;
  return letters > 0 && letters < spec.size() && spec[letters] == ':' && spec.find('/') == std::string::npos;
}

/// File name without its directory and the suffixes of formats and compression.
std::string graph_name(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  for (const char* suffix : {".gz", ".mtx", ".grf", ".txt", ".el", ".wel"}) {
    const std::string text = suffix;
    if (name.size() > text.size() && name.ends_with(text)) name.resize(name.size() - text.size());
  }
  return name;
}

Graph load_native(const std::string& path, const LoadOptions& options, ThreadPool& pool, LoadTimes& times) {
  if (options.drop_self_loops || options.drop_duplicates) {
    throw UsageError(fmt::format(
        "{} is a native container: self loops and duplicates can only be dropped when it is made from another format", path));
  }
  const Timer reading;
  Graph graph = read_native(path, options.check, pool);
  times.read_ms = reading.elapsed_ms();
  const Timer building;
  if (options.undirected) graph = symmetrise(std::move(graph), pool);
  times.build_ms = building.elapsed_ms();
  return graph;
}

Graph build(EdgeList&& edges, const LoadOptions& options, ThreadPool& pool, LoadTimes& times) {
  const Timer building;
  BuildOptions how;
  how.symmetrise = options.undirected;
  how.drop_self_loops = options.drop_self_loops;
  how.drop_duplicates = options.drop_duplicates;
  Graph graph = build_graph(std::move(edges), how, pool);
  times.build_ms = building.elapsed_ms();
  return graph;
}

EdgeList read_text(FileFormat format, const std::string& path, const LoadOptions& options, ThreadPool& pool) {
  return format == FileFormat::matrix_market ? read_matrix_market(path, options.bipartite, pool) : read_edge_list(path, pool);
}

}  // namespace

Loaded load_graph(const std::string& spec, const LoadOptions& options, ThreadPool& pool) {
  Loaded loaded;
  const bool is_file = exists(spec);
  if (is_file || !(is_generator(spec) || reads_like_generator(spec))) {
    const FileFormat format = sniff_format(spec);
    loaded.format = format_name(format);
    if (format == FileFormat::native) {
      loaded.graph = load_native(spec, options, pool, loaded.times);
    } else {
      const Timer reading;
      EdgeList edges = read_text(format, spec, options, pool);
      loaded.times.read_ms = reading.elapsed_ms();
      loaded.graph = build(std::move(edges), options, pool, loaded.times);
    }
    loaded.graph.name = graph_name(spec);
  } else {
    const Timer reading;
    EdgeList edges = generate(spec, pool);
    loaded.times.read_ms = reading.elapsed_ms();
    loaded.format = "generator";
    loaded.graph = build(std::move(edges), options, pool, loaded.times);
    loaded.graph.name = spec;
  }
  if (options.need_transpose && loaded.graph.transpose() == nullptr) {
    const Timer transposing;
    loaded.graph.in = transpose(loaded.graph.out, pool);
    loaded.times.build_ms += transposing.elapsed_ms();
  }
  return loaded;
}

}  // namespace graphrun
