// SPDX-License-Identifier: Apache-2.0
// Stencils on slabs of a grid, and Jacobi's method on slabs of a banded matrix. Ranks own ranges of cells; the cells at the ends
// of a range, a halo, go to the neighbour as they are computed. A warp computes 32 neighbouring cells.
#include <array>
#include <utility>

#include "core/raise.hpp"
#include "finepack/warps.hpp"
#include "finepack/work.hpp"
#include "graphrun/core/error.hpp"

namespace graphrun::bench::finepack {
namespace {

/// `Rule` has Element, kCellBytes (moved for a cell), halo(), and value(cell, read): the new value of a cell, where read(cell) is
/// an old one at most halo() cells away.
template <class Rule>
class Slabs : public Work {
  using Element = typename Rule::Element;

 public:
  Slabs(const Rule& rule, std::uint64_t cells, const WorkOptions& options)
      : Work(options.ranks), rule_(rule), steps_left_(options.steps), old_(cells), new_(cells) {
    const std::uint64_t halo = rule.halo();
    const std::uint64_t planes = cells / halo;
    for (int rank = 0; rank <= options.ranks; ++rank) firsts_.push_back(planes * rank / options.ranks * halo);
    if (planes < static_cast<std::uint64_t>(options.ranks))
      raise<UsageError>("--grid has {} planes for {} ranks", planes, options.ranks);
    for (std::uint64_t cell = 0; cell < cells; ++cell) old_[cell] = rule.start(cell);
    for (int rank = 0; rank < options.ranks; ++rank) {
      if (rank > 0) place_halo(rank, rank - 1, firsts_[rank]);
      if (rank + 1 < options.ranks) place_halo(rank, rank + 1, firsts_[rank + 1] - halo);
    }
    receive();
  }

  bool step() override {
    if (steps_left_-- <= 0) return false;
    begin_step();
    for (int rank = 0; rank < traffic_.ranks; ++rank) compute(rank);
    std::swap(old_, new_);
    receive();
    return true;
  }

  unsigned element_bytes() const override { return sizeof(Element); }
  std::vector<double> answer() const override { return {old_.begin(), old_.end()}; }

 private:
  void place_halo(int from, int to, std::uint64_t first) {
    const std::uint64_t bytes = rule_.halo() * sizeof(Element);
    place(from, to, bytes, 0, bytes);
    std::memcpy(traffic_.channel(from, to).memory.data(), old_.data() + first, bytes);
  }

  /// Lets readers see what has been stored, as after a fence.
  void receive() {
    arrived_.clear();
    for (const Channel& channel : traffic_.channels) arrived_.push_back(channel.memory);
  }

  void compute(int rank) {
    const std::uint64_t first = firsts_[rank], last = firsts_[rank + 1], halo = rule_.halo();
    const auto halo_of = [&](int from) { return arrived_[static_cast<std::size_t>(from) * traffic_.ranks + rank].data(); };
    // Cells of a neighbour come from what it stored here before the last fence.
    const auto read = [&](std::uint64_t cell) {
      if (cell >= first && cell < last) return old_[cell];
      const std::uint8_t* const from = cell < first ? halo_of(rank - 1) + (cell - (first - halo)) * sizeof(Element)
                                                    : halo_of(rank + 1) + (cell - last) * sizeof(Element);
      Element value;
      std::memcpy(&value, from, sizeof value);
      return value;
    };
    Lanes<Element> down, up;
    std::uint64_t position = 0;
    for (std::uint64_t begin = first; begin < last; begin += kWarpLanes, ++position) {
      for (std::uint64_t cell = begin; cell < std::min(begin + kWarpLanes, last); ++cell) {
        new_[cell] = rule_.value(cell, read);
        if (rank > 0 && cell < first + halo) down.add((cell - first) * sizeof(Element), new_[cell]);
        if (rank + 1 < traffic_.ranks && cell >= last - halo) up.add((cell - (last - halo)) * sizeof(Element), new_[cell]);
      }
      if (rank > 0) down.put(traffic_.channel(rank, rank - 1), position, false);
      if (rank + 1 < traffic_.ranks) up.put(traffic_.channel(rank, rank + 1), position, false);
    }
    traffic_.compute_bytes[rank] = static_cast<double>(last - first) * Rule::kCellBytes;
  }

  Rule rule_;
  int steps_left_;
  std::vector<std::uint64_t> firsts_;
  std::vector<Element> old_, new_;
  std::vector<std::vector<std::uint8_t>> arrived_;  ///< halos by channel, as they were at the fence
};

/// An explicit step of the heat equation; outside the grid it is 0.
struct Diffusion {
  using Element = float;
  static constexpr double kCellBytes = 2 * sizeof(float);
  std::array<std::uint64_t, 3> grid;

  std::uint64_t halo() const { return grid[2] > 1 ? grid[0] * grid[1] : grid[0]; }
  float start(std::uint64_t cell) const { return static_cast<float>(cell * 2654435761u % 1000) / 1000.0f; }
  template <class Read>
  float value(std::uint64_t cell, const Read& read) const {
    const float here = read(cell);
    float sum = -6.0f * here;
    std::uint64_t stride = 1, rest = cell;
    for (const std::uint64_t extent : grid) {
      const std::uint64_t at = rest % extent;
      if (at > 0) sum += read(cell - stride);
      if (at + 1 < extent) sum += read(cell + stride);
      rest /= extent, stride *= extent;
    }
    return here + 0.1f * sum;
  }
};

/// Ax = 1 with 5 on the diagonal, and -1 beside it and `band` away.
struct Jacobi {
  using Element = double;
  static constexpr double kCellBytes = 8 * sizeof(double);  ///< five coefficients, right side, old and new value
  std::uint64_t cells, band;

  std::uint64_t halo() const { return band; }
  double start(std::uint64_t) const { return 0; }
  template <class Read>
  double value(std::uint64_t cell, const Read& read) const {
    double sum = 1;
    for (const std::uint64_t away : {std::uint64_t{1}, band}) {
      if (cell >= away) sum += read(cell - away);
      if (cell + away < cells) sum += read(cell + away);
    }
    return sum / 5;
  }
};

}  // namespace

std::unique_ptr<Work> grid_work(const std::string& name, const WorkOptions& options) {
  if (name != "jacobi" && name != "diffusion2d" && name != "diffusion3d") return nullptr;
  if (options.grid.size() != 3) throw UsageError("--grid takes three extents");
  std::uint64_t cells = 1;
  for (const std::uint64_t extent : options.grid) {
    if (extent == 0 || extent > 4096) throw UsageError("--grid takes extents from 1 to 4096");
    cells *= extent;
  }
  if (cells > std::uint64_t{1} << 31) throw UsageError("--grid has more than 2^31 cells");
  const std::uint64_t plane = options.grid[0] * options.grid[1];
  if (name == "jacobi") return std::make_unique<Slabs<Jacobi>>(Jacobi{cells, plane}, cells, options);
  const bool is_flat = name == "diffusion2d";
  const Diffusion rule{is_flat ? std::array<std::uint64_t, 3>{plane, options.grid[2], 1}
                               : std::array<std::uint64_t, 3>{options.grid[0], options.grid[1], options.grid[2]}};
  return std::make_unique<Slabs<Diffusion>>(rule, cells, options);
}

}  // namespace graphrun::bench::finepack
