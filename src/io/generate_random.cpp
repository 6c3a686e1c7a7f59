// SPDX-License-Identifier: Apache-2.0
// Random graphs: kron, urand, web. Draw d of edge e is a hash of the seed and of e * draws + d, so an edge does not
// depend on which thread makes it, or on how many there are.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "graphrun/core/random.hpp"
#include "io/generate_internal.hpp"

namespace graphrun::generators::inline GR_IDS {
namespace {

/// Words drawn for one edge after another.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t edge, std::uint64_t draws_per_edge)
      : state_(splitmix64(seed) + edge * draws_per_edge * kStep) {}
  std::uint64_t operator()() {
    const std::uint64_t word = splitmix64(state_);
    state_ += kStep;
    return word;
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ull;  // splitmix64's own, so this is its stream
  std::uint64_t state_;
};

/// A bijection of the numbers below 2^bits, chosen by the seed. Odd factors, sums and xor-shifts are bijections each, and
/// a permutation needs no table of one.
class Shuffle {
 public:
  Shuffle(int bits, std::uint64_t seed) : mask_((std::uint64_t{1} << bits) - 1), shift_(bits / 2 + 1) {
    for (int round = 0; round < kRounds; ++round) {
      factors_[round] = splitmix64(~seed, 2 * static_cast<std::uint64_t>(round), 0) | 1;
      summands_[round] = splitmix64(~seed, 2 * static_cast<std::uint64_t>(round) + 1, 0);
    }
  }
  std::uint64_t operator()(std::uint64_t x) const {
    for (int round = 0; round < kRounds; ++round) {
      x = (x * factors_[round] + summands_[round]) & mask_;
      x ^= x >> shift_;
    }
    return x;
  }

 private:
  static constexpr int kRounds = 4;
  std::uint64_t mask_;
  int shift_;
  std::uint64_t factors_[kRounds];
  std::uint64_t summands_[kRounds];
};

/// R-MAT (Chakrabarti, Zhan and Faloutsos, SDM 2004) with the parameters of Graph500: at each level an edge falls into one of
/// four quadrants. Walker's alias method does four levels at once: the 256 outcomes share 256 equal columns, two in a column, and
/// a number below 2^24 picks a column and one of the two.
class QuadrantTable {
 public:
  static constexpr int kLevels = 4;

  QuadrantTable() {
    constexpr std::array<double, 4> kShares = {.57, .19, .19, .05};  // quadrant = bit of u * 2 + bit of v
    std::array<double, kColumns> height;
    std::vector<unsigned> low;
    std::vector<unsigned> high;
    for (unsigned outcome = 0; outcome < kColumns; ++outcome) {
      height[outcome] = kColumns;
      for (int level = 0; level < kLevels; ++level) height[outcome] *= kShares[outcome >> 2 * level & 3];
      columns_[outcome] = {1u << 16, {ends_of(outcome), ends_of(outcome)}};
      (height[outcome] < 1 ? low : high).push_back(outcome);
    }
    while (!low.empty() && !high.empty()) {
      const unsigned column = low.back();
      const unsigned giver = high.back();
      low.pop_back();
      columns_[column].threshold = static_cast<std::uint32_t>(std::lround(height[column] * 0x1p16));
      columns_[column].ends[1] = ends_of(giver);
      height[giver] -= 1 - height[column];
      if (height[giver] >= 1) continue;
      high.pop_back();
      low.push_back(giver);
    }
  }

  /// Appends four bits to both ends; uses the lower 24 bits of `random`.
  void descend(std::uint32_t random, Ends& ends) const {
    const Column& column = columns_[random & (kColumns - 1)];
    const std::uint32_t chosen = column.ends[(random >> 8 & 0xffff) >= column.threshold];  // a branch would be a coin toss
    ends.u = ends.u << kLevels | chosen >> kLevels;
    ends.v = ends.v << kLevels | (chosen & 15);
  }

 private:
  static constexpr unsigned kColumns = 256;
  struct Column {
    std::uint32_t threshold;
    std::array<std::uint8_t, 2> ends;  // below and above the threshold: four bits of u, four bits of v
  };

  static std::uint8_t ends_of(unsigned outcome) {
    unsigned u = 0;
    unsigned v = 0;
    for (int level = 0; level < kLevels; ++level) {
      u |= (outcome >> (2 * level + 1) & 1) << level;
      v |= (outcome >> 2 * level & 1) << level;
    }
    return static_cast<std::uint8_t>(u << kLevels | v);
  }

  std::array<Column, kColumns> columns_;
};

}  // namespace

Recipe kron(int scale, std::uint64_t num_edges, std::uint64_t seed) {
  const QuadrantTable table;
  const int steps = (scale + QuadrantTable::kLevels - 1) / QuadrantTable::kLevels;
  const auto draws = static_cast<std::uint64_t>(std::max(1, (steps + 1) / 2));
  const std::uint64_t mask = (std::uint64_t{1} << scale) - 1;
  const Shuffle shuffle(scale, seed);
  return make_recipe(std::uint64_t{1} << scale, num_edges, [=](std::uint64_t e) {
    Draws draw(seed, e, draws);
    Ends ends{0, 0};
    for (int step = 0; step < steps; step += 2) {
      const std::uint64_t word = draw();
      table.descend(static_cast<std::uint32_t>(word), ends);
      table.descend(static_cast<std::uint32_t>(word >> 32), ends);
    }
    return Ends{shuffle(ends.u & mask), shuffle(ends.v & mask)};  // levels are alike, so any `scale` of them do
  });
}

Recipe urand(int scale, std::uint64_t num_edges, std::uint64_t seed) {
  const std::uint64_t mask = (std::uint64_t{1} << scale) - 1;
  return make_recipe(std::uint64_t{1} << scale, num_edges, [=](std::uint64_t e) {
    Draws draw(seed, e, 2);
    const std::uint64_t u = draw() & mask;
    return Ends{u, draw() & mask};
  });
}

// Two kinds of edges, as links inside and between web sites.
//
// Short, four fifths: a site is a block of 1024 consecutive ids; the vertex of rank r in a site has a share that falls as
// r^(-1/2). The other end is d away, with a likelihood that falls as d^(-1/2), d < 1024.
//
// Long: the vertex of rank r has a share that falls as r^(s-1), where s is such that rank 0 has n/5 of them: the share of
// ranks below r is (r/n)^s, and there are n * edge factor / 5. The other end is uniform.
Recipe web(int scale, std::uint64_t num_edges, std::uint64_t seed) {
  constexpr int kSiteBits = 10;
  const std::uint64_t n = std::uint64_t{1} << scale;
  const double edge_factor = static_cast<double>(num_edges) / static_cast<double>(n);
  const double share = scale == 0 ? 1 : std::clamp(std::log2(edge_factor) / scale, 0.05, 1.0);
  const std::uint64_t site = std::min(n, std::uint64_t{1} << kSiteBits);
  const std::uint64_t reach = std::min(site - 1, n / 2);
  const Shuffle within_site(std::min(scale, kSiteBits), seed);
  const Shuffle anywhere(scale, seed);
  const auto scaled = [](double unit, std::uint64_t size) {
    return static_cast<std::uint64_t>(unit * static_cast<double>(size));
  };
  return make_recipe(std::uint64_t{1} << scale, num_edges, [=](std::uint64_t e) {
    Draws draw(seed, e, 4);
    const std::uint64_t place = draw();
    const double rank = unit_interval(draw());
    if (place % 5 == 0) {
      return Ends{anywhere(scaled(std::pow(rank, 1 / share), n)), draw() & (n - 1)};
    }
    const std::uint64_t u = (place >> 8 & (n - 1) & ~(site - 1)) | within_site(scaled(rank * rank, site));
    if (reach == 0) return Ends{u, u};
    const double distance_draw = unit_interval(draw());
    const std::uint64_t distance = 1 + scaled(distance_draw * distance_draw, reach);
    const bool up = (draw() & 1) != 0 ? u + distance < n : u < distance;  // turned round where the ids end
    return Ends{u, up ? u + distance : u - distance};
  });
}

}  // namespace graphrun::generators::inline GR_IDS
