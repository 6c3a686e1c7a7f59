// SPDX-License-Identifier: Apache-2.0
// Mutations for runs without libFuzzer: blind, but the same every time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/seeds.hpp"

namespace graphrun::fuzz {

/// Mutation number `index` of `seeds`, of which there must be one. The same arguments give the same bytes.
std::string mutation(const std::vector<Seed>& seeds, std::uint64_t random_seed, std::uint64_t index);

}  // namespace graphrun::fuzz
