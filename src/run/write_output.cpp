// Files of values. Little-endian hosts only, which is what the container format already assumes.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/core/output_file.hpp"
#include "graphrun/run/result.hpp"

namespace graphrun {
namespace {

static_assert(std::endian::native == std::endian::little);

bool ends_with(const std::string& text, const std::string& suffix) {
  return text.size() > suffix.size() && text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}

bool wants_text(const std::string& path) {
  if (ends_with(path, ".txt")) return true;
  if (ends_with(path, ".bin")) return false;
  throw UsageError(fmt::format("the output file {} must end in .txt (a value a line) or .bin (little-endian words)", path));
}

/// Appends to a file in large pieces.
class TextWriter {
 public:
  explicit TextWriter(OutputFile& file) : file_(file) {}
  template <class... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Values>(values)...);
    if (buffer_.size() >= kFlushBytes) flush();
  }
  void flush() {
    file_.write(buffer_.data(), buffer_.size());
    buffer_.clear();
  }

 private:
  static constexpr std::size_t kFlushBytes = 1 << 20;
  OutputFile& file_;
  fmt::memory_buffer buffer_;
};

/// Writes one array of values to a file.
class Writer {
 public:
  Writer(const RunResult& result, bool parents, const std::string& path) : names_(result.names), parents_(parents), path_(path) {}

  void operator()(const BfsOutput& output) const {
    if (parents_) return write(output.parents, kNoVertex, true);
    write(output.levels, kUnreachedLevel, false);
  }
  void operator()(const SsspOutput& output) const { std::visit(*this, output.distances); }
  void operator()(const std::vector<std::uint64_t>& distances) const { write(distances, kUnreachedDistance, false); }
  void operator()(const std::vector<float>& distances) const { write(distances, HUGE_VALF, false); }
  void operator()(const CcOutput& output) const { write(output.labels, kNoVertex, true); }
  void operator()(const PagerankOutput& output) const { write(output.ranks, HUGE_VAL, false); }

 private:
  template <class T>
  void write(const std::vector<T>& values, T absent, bool names_vertices) const {
    const bool text = wants_text(path_);
    OutputFile file(path_);
    if (text) {
      write_text(file, values, absent, names_vertices);
    } else {
      file.write(values.data(), values.size() * sizeof(T));
    }
    file.commit();
  }

  template <class T>
  void write_text(OutputFile& file, const std::vector<T>& values, T absent, bool names_vertices) const {
    TextWriter writer(file);
    for (std::size_t v = 0; v < values.size(); ++v) {
      if (!names_.are_indices()) writer.add("{} ", names_.text(static_cast<VertexId>(v)));
      if (values[v] == absent) {
        writer.add("-1\n");
      } else if constexpr (std::is_same_v<T, double>) {
        writer.add("{:.17g}\n", values[v]);
      } else if (names_vertices) {
        writer.add("{}\n", names_.text(static_cast<VertexId>(values[v])));
      } else {
        writer.add("{}\n", values[v]);
      }
    }
    writer.flush();
  }

  const VertexNames& names_;
  bool parents_;
  const std::string& path_;
};

}  // namespace

void check_output_path(const std::string& path) {
  wants_text(path);
  check_writable(path);
}

void write_output(const RunResult& result, bool parents, const std::string& path) {
  std::visit(Writer(result, parents, path), result.output);
}

void check_json_path(const std::string& path) { check_writable(path); }

void write_json(const RunResult& result, const std::string& path) {
  OutputFile file(path);
  file.write(json_text(result));
  file.commit();
}

}  // namespace graphrun
