// SPDX-License-Identifier: Apache-2.0
// Where fuzzing begins: small inputs of each target. Binary ones are made by the library's own writers, texts are written by
// hand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace graphrun::fuzz {

struct Seed {
  std::string name;   ///< a file name
  std::string bytes;  ///< packed (packing.hpp)
  bool sound = true;  ///< must be accepted; the others are odd, and often refused
};

/// All of a target. Binary seeds are written by way of directory().
std::vector<Seed> seeds_of(std::string_view target);

/// Parts of seeds_of.
std::vector<Seed> text_seeds(std::string_view target);
std::vector<Seed> graph_seeds(std::string_view target);

}  // namespace graphrun::fuzz
