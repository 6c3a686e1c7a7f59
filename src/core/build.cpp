// SPDX-License-Identifier: Apache-2.0

#include "graphrun/core/build.hpp"

#include <fmt/format.h>

namespace graphrun {
namespace {

std::string_view or_else(std::string_view text, std::string_view other) { return text.empty() ? other : text; }

}  // namespace

const Build& build() {
  static constexpr Build kBuild{.version = GRAPHRUN_VERSION,
                                .commit = GRAPHRUN_COMMIT,
                                .type = GRAPHRUN_BUILD_TYPE,
                                .sanitizers = GRAPHRUN_SANITIZERS,
                                .cuda = GRAPHRUN_CUDA_BUILD,
                                .features = GRAPHRUN_FEATURES,
                                .missing = GRAPHRUN_MISSING,
                                .id_bits = GRAPHRUN_ID_BITS};
  return kBuild;
}

std::string version_text(std::string_view program) {
  const Build& facts = build();
  return fmt::format("{} {} (commit {})\n{}{}\nfeatures: {}\nnot built: {}\nvertex ids: {} bits\n", program, facts.version,
                     or_else(facts.commit, "unknown"), facts.cuda.empty() ? "without CUDA" : "CUDA ", facts.cuda, facts.features,
                     or_else(facts.missing, "none"), facts.id_bits);
}

}  // namespace graphrun
