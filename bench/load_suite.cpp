// Times reading: one graph, written in every format, loaded several times from the page cache.
//
//   load_suite --graph kron:20:16 --trials 5
//
// One line a format: size of the file, median times of reading (parsing or copying) and of building rows, and how many
// megabytes of file a second of reading takes. The native container is mapped, so its time should not depend on its size:
// the last lines open containers of growing size.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cxxopts.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "frame.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/output_file.hpp"
#include "graphrun/io/convert.hpp"
#include "graphrun/io/load.hpp"

namespace {

using namespace graphrun;
namespace fs = std::filesystem;

/// A folder that goes away with the program.
class Folder {
 public:
  explicit Folder(const std::string& parent) {
    std::string name = (fs::path(parent) / "graphrun-load-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw DataError(fmt::format("cannot make a folder in {}", parent));
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

/// Text formats that graphconv only reads. `line` appends what stands for the arcs of one vertex.
template <class Line>
void write_text(const Graph& graph, const std::string& path, const std::string& header, const Line& line) {
  OutputFile file(path);
  fmt::memory_buffer buffer;
  buffer.append(header);
  for (VertexId v = 0; v < graph.num_vertices(); ++v) {
    line(buffer, v);
    if (buffer.size() < (1 << 20)) continue;
    file.write(buffer.data(), buffer.size());
    buffer.clear();
  }
  file.write(buffer.data(), buffer.size());
  file.commit();
}

template <class Each>
void for_each_arc(const Graph& graph, VertexId v, const Each& each) {
  for (EdgeId e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; ++e) each(graph.out.neighbours[e], graph.out.weights[e]);
}

void write_texts(const Graph& graph, const Folder& folder) {
  const auto out = [](fmt::memory_buffer& buffer) { return fmt::appender(buffer); };
  write_text(graph, folder.file("g.el"), "", [&](auto& buffer, VertexId v) {
    for_each_arc(graph, v, [&](VertexId u, std::uint32_t) { fmt::format_to(out(buffer), "{} {}\n", v, u); });
  });
  write_text(graph, folder.file("g.wel"), "", [&](auto& buffer, VertexId v) {
    for_each_arc(graph, v, [&](VertexId u, std::uint32_t w) { fmt::format_to(out(buffer), "{} {} {}\n", v, u, w); });
  });
  write_text(graph, folder.file("g.gr"), fmt::format("p sp {} {}\n", graph.num_vertices(), graph.num_edges()),
             [&](auto& buffer, VertexId v) {
               for_each_arc(graph, v, [&](VertexId u, std::uint32_t w) {
                 fmt::format_to(out(buffer), "a {} {} {}\n", std::uint64_t{v} + 1, std::uint64_t{u} + 1, w);
               });
             });
  write_text(graph, folder.file("g.graph"), fmt::format("{} {}\n", graph.num_vertices(), graph.num_edges() / 2),
             [&](auto& buffer, VertexId v) {
               for_each_arc(graph, v,
                            [&](VertexId u, std::uint32_t) { fmt::format_to(out(buffer), "{} ", std::uint64_t{u} + 1); });
               buffer.push_back('\n');
             });
}

std::uint64_t bytes_of(const std::string& path) {
  std::uint64_t bytes = 0;
  for (const char* part : {"", ".col", ".dst", ".val"}) {
    std::error_code absent;
    const auto size = fs::file_size(path + part, absent);
    if (!absent) bytes += size;
  }
  return bytes;
}

void time_loading(const std::string& label, const std::string& path, LoadOptions how, int trials, ThreadPool& pool) {
  std::vector<double> read_ms;
  std::vector<double> build_ms;
  for (int i = 0; i < trials; ++i) {
    const Loaded loaded = load_graph(path, how, pool);
    read_ms.push_back(loaded.times.read_ms);
    build_ms.push_back(loaded.times.build_ms);
  }
  const double bytes = static_cast<double>(bytes_of(path));
  fmt::print("{:<26} {:>10.1f} {:>10.2f} {:>10.2f} {:>10.0f}\n", label, bytes / 1e6, bench::median(read_ms),
             bench::median(build_ms), bytes / 1e3 / bench::median(read_ms));
  std::fflush(stdout);
}

void run(const cxxopts::ParseResult& given) {
  const int trials = given["trials"].as<int>();
  if (trials < 1) throw UsageError("--trials must be 1 or more");
  ThreadPool pool(given["threads"].as<int>());
  const Folder folder(given["dir"].as<std::string>());
  const std::string spec = given["graph"].as<std::string>();

  ConvertOptions weighted;
  weighted.weights = WeightSource{.kind = WeightSource::Kind::random};
  weighted.load.drop_self_loops = weighted.load.drop_duplicates = true;  // METIS knows neither
  weighted.load.undirected = true;
  convert_graph(spec, folder.file("g.grf"), weighted, pool);
  {
    const Graph graph = load_graph(folder.file("g.grf"), {}, pool).graph;
    fmt::print("{}: {} vertices, {} stored edges, {} threads, {} trials\n\n", spec, graph.num_vertices(), graph.num_edges(),
               pool.size(), trials);
    write_texts(graph, folder);
  }
  for (const char* name : {"g.mtx", "g.bel", "g.wsg", "g.bwcsr", "g.sg", "g.bcsr"}) {
    convert_graph(folder.file("g.grf"), folder.file(name), {}, pool);
  }
  fmt::print("{:<26} {:>10} {:>10} {:>10} {:>10}\n", "format", "MB", "read ms", "build ms", "MB/s");
  LoadOptions metis;
  metis.format = FileFormat::metis;
  for (const char* name : {"g.el", "g.wel", "g.mtx", "g.gr"}) time_loading(name, folder.file(name), {}, trials, pool);
  time_loading("g.graph", folder.file("g.graph"), metis, trials, pool);
  for (const char* name : {"g.bel", "g.sg", "g.wsg", "g.bcsr", "g.bwcsr", "g.grf"}) {
    time_loading(name, folder.file(name), {}, trials, pool);
  }
  for (const int scale : {12, 16, 20}) {
    const std::string path = folder.file(fmt::format("open{}.grf", scale));
    convert_graph(fmt::format("kron:{}:16", scale), path, {}, pool);
    time_loading(fmt::format("open kron:{}:16 (.grf)", scale), path, {}, trials, pool);
  }
}

}  // namespace

int main(int argc, char** argv) {
  cxxopts::Options options("load_suite", "Times reading one graph in every format.");
  auto add = options.add_options();
  add("graph", "graph or generator", cxxopts::value<std::string>()->default_value("kron:20:16"));
  add("trials", "loads of each", cxxopts::value<int>()->default_value("5"));
  add("threads", "host threads; 0: one a processor", cxxopts::value<int>()->default_value("0"));
  add("dir", "where the files go for the time being",
      cxxopts::value<std::string>()->default_value(fs::temp_directory_path().string()));
  return bench::run_program(options, argc, argv, run);
}
