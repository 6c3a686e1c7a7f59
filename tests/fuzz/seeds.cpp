// SPDX-License-Identifier: Apache-2.0
// Seeds of all targets, and those that are made of others'.
#include "fuzz/seeds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fuzz/compress.hpp"
#include "fuzz/packing.hpp"

namespace graphrun::fuzz {
namespace {

using namespace std::string_view_literals;

/// Every text in two members: sound, sound and filled up in both ways, cut off, with a bit flipped; each in one compression after
/// the other.
std::vector<Seed> compressed_seeds() {
  constexpr std::string_view kChoices[] = {"\0\0"sv, "\0\x04"sv, "\0\x05"sv, "\x09\0"sv, "\x40\0"sv};
  std::vector<Seed> seeds;
  for (const std::string_view target : {"el", "csv", "mtx", "dimacs", "metis"}) {
    for (const Seed& seed : text_seeds(target)) {
      if (seed.bytes.empty()) continue;
      std::string cut = seed.bytes;
      const std::size_t line_end = std::min(cut.find('\n', cut.size() / 2), cut.size() - 1);
      cut.insert(line_end + 1, kCut);
      for (const std::string_view choice : kChoices) {
        const char compression = static_cast<char>(seeds.size() % kCompressions);
        const std::string name = fmt::format("{}_{}_{:02x}_{:02x}", target, seed.name, choice[0], choice[1]);
        seeds.push_back({name, std::string(choice) + compression + cut, false});
      }
    }
  }
  return seeds;
}

struct SniffedTarget {
  std::string_view target;
  std::string_view suffix;
};

/// The seeds of readers, every other one under a name that fits it.
std::vector<Seed> sniff_seeds() {
  constexpr std::array<SniffedTarget, 11> kTargets = {{{"grf", ".grf"},
                                                       {"mtx", ".mtx"},
                                                       {"el", ".el"},
                                                       {"csv", ".csv"},
                                                       {"dimacs", ".gr"},
                                                       {"metis", ".graph"},
                                                       {"sg", ".sg"},
                                                       {"sg", ".wsg"},
                                                       {"bcsr", ".bcsr"},
                                                       {"liberator", ".bcsr"},
                                                       {"galois", ".gr"}}};
  std::vector<Seed> seeds = text_seeds("sniff");
  for (const auto& [target, fitting_suffix] : kTargets) {
    for (const Seed& seed : seeds_of(target)) {
      const std::string_view suffix = seeds.size() % 2 == 0 ? fitting_suffix : "";
      const std::string bytes = target == "grf" ? unpack_container(seed.bytes) : seed.bytes;
      seeds.push_back(
          {fmt::format("{}_{}{}", target, seed.name, suffix), std::string(1, choice_of_suffix(suffix)) + bytes, false});
    }
  }
  return seeds;
}

}  // namespace

std::vector<Seed> seeds_of(std::string_view target) {
  if (target == "compressed") return compressed_seeds();
  if (target == "sniff") return sniff_seeds();
  std::vector<Seed> seeds = text_seeds(target);
  for (Seed& seed : graph_seeds(target)) seeds.push_back(std::move(seed));
  return seeds;
}

}  // namespace graphrun::fuzz
