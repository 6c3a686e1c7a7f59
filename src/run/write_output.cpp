// Files of values. Little-endian hosts only, which is what the container format already assumes.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <type_traits>
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

template <class T>
void write_text(OutputFile& file, const std::vector<T>& values, T absent) {
  constexpr std::size_t kFlushBytes = 1 << 20;
  fmt::memory_buffer buffer;
  for (const T value : values) {
    if (value == absent) {
      fmt::format_to(std::back_inserter(buffer), "-1\n");
    } else if constexpr (std::is_same_v<T, double>) {
      fmt::format_to(std::back_inserter(buffer), "{:.17g}\n", value);
    } else {
      fmt::format_to(std::back_inserter(buffer), "{}\n", value);
    }
    if (buffer.size() < kFlushBytes) continue;
    file.write(buffer.data(), buffer.size());
    buffer.clear();
  }
  file.write(buffer.data(), buffer.size());
}

template <class T>
void write_values(const std::vector<T>& values, T absent, const std::string& path) {
  const bool text = wants_text(path);
  OutputFile file(path);
  if (text) {
    write_text(file, values, absent);
  } else {
    file.write(values.data(), values.size() * sizeof(T));
  }
  file.commit();
}

struct Writer {
  bool parents;
  const std::string& path;

  void operator()(const BfsOutput& output) const {
    if (parents) return write_values(output.parents, kNoVertex, path);
    write_values(output.levels, kUnreachedLevel, path);
  }
  void operator()(const SsspOutput& output) const { std::visit(*this, output.distances); }
  void operator()(const std::vector<std::uint64_t>& distances) const { write_values(distances, kUnreachedDistance, path); }
  void operator()(const std::vector<float>& distances) const { write_values(distances, HUGE_VALF, path); }
  void operator()(const CcOutput& output) const { write_values(output.labels, kNoVertex, path); }
  void operator()(const PagerankOutput& output) const { write_values(output.ranks, HUGE_VAL, path); }
};

}  // namespace

void check_output_path(const std::string& path) {
  wants_text(path);
  check_writable(path);
}

void write_output(const Output& output, bool parents, const std::string& path) { std::visit(Writer{parents, path}, output); }

void check_json_path(const std::string& path) { check_writable(path); }

void write_json(const RunResult& result, const std::string& path) {
  OutputFile file(path);
  file.write(json_text(result));
  file.commit();
}

}  // namespace graphrun
