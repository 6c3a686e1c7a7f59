// SPDX-License-Identifier: Apache-2.0
// What a user may write in place of a file, or beside it: generators, sources of weights, sizes, names of formats.
#include "fuzz/oracle.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/io/convert.hpp"
#include "graphrun/io/generate.hpp"
#include "io/generate_internal.hpp"

namespace graphrun::fuzz {
namespace {

/// True unless `parse` refuses.
template <class Parse>
bool takes(const Parse& parse) {
  try {
    parse();
    return true;
  } catch (const UsageError&) {
    return false;
  } catch (const WideIdsError&) {
    return false;
  }
}

bool check_generator(const std::string& spec) {
  constexpr std::uint64_t kMostEdges = 2048;
  if (!is_generator(spec)) return false;
  std::uint64_t edges = 0;
  if (!takes([&] { edges = io::generated_size(spec).edges; })) return false;
  if (edges > kMostEdges) return true;  // a large graph is what was asked for
  if (!check_load(spec, {}).graph) throw Finding("a generator that counts its edges generates none: " + spec);
  return true;
}

bool check_weights(const std::string& text) {
  WeightSource source;
  if (!takes([&] { source = parse_weight_source(text); })) return false;
  Graph graph = std::move(*load("complete:5", {}).graph);
  if (source.kind != WeightSource::Kind::file) assign_weights(graph, source, pool());
  if (source.kind != WeightSource::Kind::random) return true;
  for (const std::uint32_t weight : graph.out.weights.span()) {
    if (weight < source.low || weight > source.high) throw Finding("a weight outside of what was asked for: " + text);
  }
  return true;
}

bool check_size(const std::string& text) {
  std::uint64_t bytes = 0;
  return takes([&] { bytes = parse_bytes(text); }) && !format_bytes(bytes).empty();
}

bool check_format(const std::string& text) {
  FileFormat format{};
  return takes([&] { format = parse_file_format(text); }) && !to_string(format).empty();
}

}  // namespace

const std::string_view kTarget = "spec";

Verdict fuzz_one(std::string_view input) {
  const std::string text(input);
  const bool taken[] = {check_generator(text), check_weights(text), check_size(text), check_format(text)};
  return taken[0] || taken[1] || taken[2] || taken[3] ? Verdict::accepted : Verdict::refused;
}

}  // namespace graphrun::fuzz
