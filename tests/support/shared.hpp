// SPDX-License-Identifier: Apache-2.0
// Where the data sets are that are not part of this tree.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

namespace graphrun::test {

/// The folder that holds suitesparse/ and truth/: the environment variable GRAPHRUN_SHARED or, when it is not set,
/// ../shared/datasets beside the source tree. Nothing when that is missing: skip the test. A variable that names no such
/// folder is a mistake and throws.
inline std::optional<std::filesystem::path> shared_datasets() {
  const auto complete = [](const std::filesystem::path& folder) {
    return std::filesystem::is_directory(folder / "suitesparse") && std::filesystem::is_directory(folder / "truth");
  };
  if (const char* named = std::getenv("GRAPHRUN_SHARED"); named != nullptr && *named != '\0') {
    if (!complete(named))
      throw std::runtime_error(std::string("GRAPHRUN_SHARED is ") + named + ", which lacks suitesparse/ or truth/");
    return named;
  }
  const auto beside = std::filesystem::path(GRAPHRUN_SOURCE_DIR).parent_path() / "shared" / "datasets";
  if (complete(beside)) return beside;
  return std::nullopt;
}

}  // namespace graphrun::test
