#include "graphrun/io/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/core/names.hpp"
#include "io/generate_internal.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::uint64_t kMostGeneratedVertices = kNoVertex;
constexpr std::uint64_t kUsualEdgeFactor = 16;                // Graph500's and GAP's
constexpr std::uint64_t kMostEdges = std::uint64_t{1} << 48;  // an address space holds no more; less may exceed the memory

/// A spec taken apart; refuses it with a sentence that shows the form it should have.
struct Request {
  const std::string& spec;
  std::string_view form;
  std::vector<std::uint64_t> numbers;

  UsageError refusal(std::string_view why) const { return UsageError(fmt::format("'{}' {}: write {}", spec, why, form)); }

  void check_edges(std::optional<std::uint64_t> edges) const {
    if (!edges || *edges > kMostEdges) throw refusal(fmt::format("has more than {} edges", kMostEdges));
  }
  void check_vertices(std::optional<std::uint64_t> vertices) const {
    if (vertices == 0u) throw refusal("has no vertex");
    if (!vertices) throw refusal(fmt::format("has more vertices than 64-bit ids can name"));
    if (*vertices > kMostGeneratedVertices) {
      throw WideIdsError(
          fmt::format("'{}' has more vertices than {}-bit ids can name ({})", spec, kVertexBits, kMostGeneratedVertices));
    }
  }
};

std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
}

using generators::Recipe;
using RandomGenerator = Recipe (*)(int scale, std::uint64_t num_edges, std::uint64_t seed);
using ShapeGenerator = Recipe (*)(std::uint64_t n);

template <RandomGenerator kGenerator>
Recipe make_random(const Request& request) {
  const std::uint64_t scale = request.numbers[0];
  const std::uint64_t edge_factor = request.numbers.size() > 1 ? request.numbers[1] : kUsualEdgeFactor;
  const std::uint64_t seed = request.numbers.size() > 2 ? request.numbers[2] : 1;
  constexpr std::uint64_t kMostScale = 63;
  if (scale > kMostScale) throw request.refusal(fmt::format("has SCALE {}, which must be 0 to {}", scale, kMostScale));
  request.check_vertices(std::uint64_t{1} << scale);
  if (edge_factor == 0) throw request.refusal("has EDGEFACTOR 0, which must be 1 or more");
  const auto edges = product(std::uint64_t{1} << scale, edge_factor);
  request.check_edges(edges);
  return kGenerator(static_cast<int>(scale), *edges, seed);
}

Recipe make_grid(const Request& request) {
  const auto vertices = product(request.numbers[0], request.numbers[1]);
  request.check_vertices(vertices);
  request.check_edges(product(*vertices, 2));
  return generators::grid(request.numbers[0], request.numbers[1]);
}

template <ShapeGenerator kGenerator>
Recipe make_sparse(const Request& request) {
  const std::uint64_t n = request.numbers[0];
  request.check_vertices(n);
  request.check_edges(n - 1);
  return kGenerator(n);
}

Recipe make_complete(const Request& request) {
  const std::uint64_t n = request.numbers[0];
  request.check_vertices(n);
  request.check_edges(product(n, n - 1));
  return generators::complete(n);
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
    Generator{"grid", "grid:WIDTH:HEIGHT", "4-neighbour mesh", 2, 2, make_grid},
    Generator{"path", "path:N", "a chain of N vertices", 1, 1, make_sparse<generators::path>},
    Generator{"star", "star:N", "vertex 0 joined to N-1 others", 1, 1, make_sparse<generators::star>},
    Generator{"complete", "complete:N", "every pair of N vertices joined", 1, 1, make_complete},
};

const Generator* find_generator(const std::string& spec) {
  const auto colon = spec.find(':');
  if (colon == std::string::npos) return nullptr;
  for (const Generator& generator : kGenerators) {
    if (spells(std::string_view(spec).substr(0, colon), generator.name)) return &generator;
  }
  return nullptr;
}

/// Decimal numbers separated by colons; nothing when `text` is anything else.
std::optional<std::vector<std::uint64_t>> parse_numbers(std::string_view text) {
  std::vector<std::uint64_t> numbers;
  const char* at = text.data();
  const char* end = at + text.size();
  while (true) {
    std::uint64_t number = 0;
    const auto [rest, status] = std::from_chars(at, end, number);
    if (status != std::errc{}) return std::nullopt;
    numbers.push_back(number);
    if (rest == end) return numbers;
    if (*rest != ':') return std::nullopt;
    at = rest + 1;
  }
}

Recipe recipe_of(const std::string& spec) {
  const bool bare = spec.find(':') == std::string::npos;
  const Generator* generator = find_generator(bare ? spec + ":" : spec);
  if (generator == nullptr) {
    std::vector<std::string_view> names;
    for (const Generator& each : kGenerators) names.push_back(each.name);
    const std::string typed = spec.substr(0, spec.find(':'));
    throw UsageError(fmt::format("'{}' names no generator{}: there are {}", spec, did_you_mean(typed, names), joined(names)));
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
    EdgeList made;
    made.num_vertices = recipe_.num_vertices;
    made.sources = Column<VertexId>::allocate(count);
    made.targets = Column<VertexId>::allocate(count);
    made.arcs = Arcs::mirror;
    recipe_.fill(made_, count, made.sources.data(), made.targets.data(), pool_);
    made_ += count;
    batch = std::move(made);
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
  for (const GeneratorText& generator : known_generators()) help += fmt::format("{:<32}{}\n", generator.form, generator.meaning);
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
