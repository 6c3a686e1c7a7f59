// SPDX-License-Identifier: Apache-2.0

#include "graphrun/io/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/raise.hpp"
#include "graphrun/core/names.hpp"
#include "io/generate_internal.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::uint64_t kMostGeneratedVertices = kNoVertex;
constexpr std::uint64_t kUsualEdgeFactor = 16;                // Graph500's and GAP's
constexpr std::uint64_t kMostEdges = std::uint64_t{1} << 48;  // an address space holds no more; less may exceed the memory

/// A parsed spec. Throws UsageError with a sentence that shows the right form.
struct Request {
  const std::string& spec;
  std::string_view form;
  std::vector<std::uint64_t> numbers;

  UsageError refusal(std::string_view why) const { return UsageError(fmt::format("'{}' {}: write {}", spec, why, form)); }

  void check_edges(std::optional<std::uint64_t> edges) const {
    if (!edges || *edges > kMostEdges) throw refusal(fmt::format("has more than {} edges", kMostEdges));
  }
  std::uint64_t checked_vertices(std::optional<std::uint64_t> vertices) const {
    if (vertices == 0u) throw refusal("has no vertex");
    if (!vertices) throw refusal(fmt::format("has more vertices than 64-bit ids can name"));
    if (*vertices <= kMostGeneratedVertices) return *vertices;
    raise<WideIdsError>("'{}' has more vertices than {}-bit ids can name ({})", spec, kVertexBits, kMostGeneratedVertices);
  }
};

std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
}

using generators::Ends;
using generators::make_recipe;
using generators::Recipe;
using RandomGenerator = Recipe (*)(int scale, std::uint64_t num_edges, std::uint64_t seed);

template <RandomGenerator kGenerator>
Recipe make_random(const Request& request) {
  const std::uint64_t scale = request.numbers[0];
  const std::uint64_t edge_factor = request.numbers.size() > 1 ? request.numbers[1] : kUsualEdgeFactor;
  const std::uint64_t seed = request.numbers.size() > 2 ? request.numbers[2] : 1;
  constexpr std::uint64_t kMostScale = 63;
  if (scale > kMostScale) throw request.refusal(fmt::format("has SCALE {}, which must be 0 to {}", scale, kMostScale));
  const std::uint64_t n = request.checked_vertices(std::uint64_t{1} << scale);
  if (edge_factor == 0) throw request.refusal("has EDGEFACTOR 0, which must be 1 or more");
  const auto edges = product(n, edge_factor);
  request.check_edges(edges);
  return kGenerator(static_cast<int>(scale), *edges, seed);
}

// Graphs known in every detail.

/// Makes a grid: vertex y * width + x has the neighbours left, right, above and below.
Recipe grid(const Request& request) {
  const std::uint64_t width = request.numbers[0];
  const std::uint64_t height = request.numbers[1];
  const std::uint64_t n = request.checked_vertices(product(width, height));
  request.check_edges(product(n, 2));
  const std::uint64_t across = (width - 1) * height;
  return make_recipe(n, across + width * (height - 1), [=](std::uint64_t e) {
    if (e >= across) return Ends{e - across, e - across + width};
    const std::uint64_t u = e / (width - 1) * width + e % (width - 1);
    return Ends{u, u + 1};
  });
}

/// Makes the path 0 - 1 - ... - n-1, or a star: vertex 0 joined to all others.
template <bool kStar>
Recipe tree(const Request& request) {
  const std::uint64_t n = request.checked_vertices(request.numbers[0]);
  request.check_edges(n - 1);
  return make_recipe(n, n - 1, [](std::uint64_t e) { return Ends{kStar ? 0 : e, e + 1}; });
}

Recipe complete(const Request& request) {
  const std::uint64_t n = request.checked_vertices(request.numbers[0]);
  request.check_edges(product(n, n - 1));
  const auto edges_among = [](std::uint64_t vertices) {
    return vertices % 2 == 0 ? vertices / 2 * (vertices - 1) : (vertices - 1) / 2 * vertices;
  };
  return make_recipe(n, edges_among(n), [=](std::uint64_t e) {
    // Vertex v brings edges to all vertices before it, so e lies between edges_among(v) and edges_among(v + 1).
    auto v = static_cast<std::uint64_t>((1 + std::sqrt(1 + 8 * static_cast<double>(e))) / 2);
    while (edges_among(v) > e) --v;
    while (edges_among(v + 1) <= e) ++v;
    return Ends{e - edges_among(v), v};
  });
}

struct Generator {
  std::string_view name;
  std::string_view form;
  std::string_view meaning;
  std::size_t least_numbers;
  std::size_t most_numbers;
  Recipe (*make)(const Request& request);
};

constexpr std::array kGenerators = {
    Generator{"kron", "kron:SCALE[:EDGEFACTOR[:SEED]]", "Kronecker graph of Graph500 and GAP, 2^SCALE vertices", 1, 3,
              make_random<generators::kron>},
    Generator{"urand", "urand:SCALE[:EDGEFACTOR[:SEED]]", "uniform random endpoints, 2^SCALE vertices", 1, 3,
              make_random<generators::urand>},
    Generator{"web", "web:SCALE[:EDGEFACTOR[:SEED]]", "power-law degrees, four fifths of the edges short, 2^SCALE vertices", 1, 3,
              make_random<generators::web>},
    Generator{"grid", "grid:WIDTH:HEIGHT", "4-neighbour mesh", 2, 2, grid},
    Generator{"path", "path:N", "a chain of N vertices", 1, 1, tree<false>},
    Generator{"star", "star:N", "vertex 0 joined to N-1 others", 1, 1, tree<true>},
    Generator{"complete", "complete:N", "every pair of N vertices joined", 1, 1, complete},
};

const Generator* find_generator(const std::string& spec) {
  const auto colon = spec.find(':');
  const auto is_named = [&](const Generator& each) { return spells(std::string_view(spec).substr(0, colon), each.name); };
  const auto* found = std::ranges::find_if(kGenerators, is_named);
  return colon == std::string::npos || found == kGenerators.end() ? nullptr : found;
}

Recipe recipe_of(const std::string& spec) {
  const bool bare = spec.find(':') == std::string::npos;
  const Generator* generator = find_generator(bare ? spec + ":" : spec);
  if (generator == nullptr) {
    const auto names = names_in(kGenerators);
    const std::string typed = spec.substr(0, spec.find(':'));
    raise<UsageError>("'{}' names no generator{}: there are {}", spec, did_you_mean(typed, names), joined(names));
  }
  Request request{spec, generator->form, {}};
  if (bare) throw request.refusal("has no parameters");
  const auto numbers = parse_numbers(std::string_view(spec).substr(spec.find(':') + 1));
  if (!numbers) throw request.refusal("is not made of whole numbers below 2^64");
  if (numbers->size() < generator->least_numbers || numbers->size() > generator->most_numbers) {
    throw request.refusal(fmt::format("has {} parameter{}", numbers->size(), numbers->size() == 1 ? "" : "s"));
  }
  request.numbers = *numbers;
  return generator->make(request);
}

class GeneratorStream final : public io::EntryStream {
 public:
  GeneratorStream(const std::string& spec, const io::ReadOptions& options, ThreadPool& pool)
      : recipe_(recipe_of(spec)),
        batch_edges_(std::max<std::size_t>(1, options.batch_bytes / (2 * sizeof(VertexId)))),
        pool_(pool) {}

  bool next(EdgeList& batch) override {
    if (begun_ && made_ == recipe_.num_edges) return false;  // a graph without edges is one empty batch
    begun_ = true;
    const std::uint64_t count = std::min<std::uint64_t>(batch_edges_, recipe_.num_edges - made_);
    batch = {};
    batch.num_vertices = recipe_.num_vertices;
    batch.arcs = Arcs::mirror;
    batch.allocate(count);
    recipe_.fill(made_, count, batch.sources.data(), batch.targets.data(), pool_);
    made_ += count;
    return true;
  }

 private:
  Recipe recipe_;
  std::size_t batch_edges_;
  ThreadPool& pool_;
  std::uint64_t made_ = 0;
  bool begun_ = false;
};

}  // namespace

bool is_generator(const std::string& spec) { return find_generator(spec) != nullptr; }

std::vector<GeneratorText> known_generators() {
  std::vector<GeneratorText> all;
  for (const Generator& generator : kGenerators) all.push_back({generator.form, generator.meaning});
  return all;
}

std::string generator_help() {
  std::string help;
  for (const Generator& generator : kGenerators) help += fmt::format("{:<32}{}\n", generator.form, generator.meaning);
  return help;
}

EdgeList generate(const std::string& spec, ThreadPool& pool) {
  EdgeList all;
  io::open_generator(spec, {}, pool)->next(all);
  return all;
}

}  // namespace graphrun::inline GR_IDS

namespace graphrun::io::inline GR_IDS {

std::unique_ptr<EntryStream> open_generator(const std::string& spec, const ReadOptions& options, ThreadPool& pool) {
  return std::make_unique<GeneratorStream>(spec, options, pool);
}

GeneratedSize generated_size(const std::string& spec) {
  const Recipe recipe = recipe_of(spec);
  return {recipe.num_vertices, recipe.num_edges};
}

}  // namespace graphrun::io::inline GR_IDS
