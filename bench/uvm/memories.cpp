// SPDX-License-Identifier: Apache-2.0

#include "uvm/memories.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "core/raise.hpp"
#include "graphrun/core/error.hpp"

namespace graphrun::bench::uvm {
namespace {

/// Returns the milliseconds of so many bytes at a rate of GB/s.
double ms_of(double bytes, double gb_s) { return bytes / gb_s / 1e6; }

// A block that is read in order takes six batches of one block each (driver.hpp). Host times of the two papers' machines follow
// from one number of each: EMOGI's UVM reads 9 GB/s over a link of 12.3, so a batch takes 10.4 us; in GPUVM's figure 2 the host
// takes 7 times the transfer of 64 KiB, so 38 us. Half of either is a batch's, half a block's: an assumption.
// Tags have 8 bits up to PCIe 3, and 10 bits, of which 768 values count, in PCIe 4.
constexpr Machine kMachines[] = {
    {"emogi-v100", 12.3, 256, 900, 80 * 64, 80 * 128 + 6144, 8, 0.42, 5.2, 5.2,
     "Min, table 2.1, section 2.5.3: 14.2 GB beside vertices, of 33.8 of GK"},
    {"emogi-a100-pcie3", 12.3, 256, 1555, 108 * 64, 108 * 192 + 40960, 8, 0.42, 5.2, 5.2, "Min, section 2.5.6: memory throttled to 16 GB"},
    {"emogi-a100-pcie4", 24, 768, 1555, 108 * 64, 108 * 192 + 40960, 8, 0.42, 5.2, 5.2, "Min, section 2.5.6: memory throttled to 16 GB"},
    {"gpuvm-v100", 12, 256, 900, 80 * 64, 80 * 128 + 6144, 4, 1, 19, 19, "GPUVM, table 1, figures 2 and 8"},
};

class Managed final : public Memory {
 public:
  Managed(const Machine& machine, const DriverOptions& options, bool advised)
      : machine_(machine), driver_(options), advised_(advised) {}

  std::uint64_t add(std::uint64_t bytes, bool written) override { return driver_.add(bytes, advised_ && !written); }
  std::uint64_t unit_bytes() const override { return driver_.options().basic_bytes; }
  bool load(std::uint64_t address, std::uint64_t) override {
    if (driver_.is_resident(address)) return true;
    driver_.fault(address);
    return false;
  }
  void serve() override {
    const DriverCounters before = driver_.counters();
    driver_.serve();
    const DriverCounters served = driver_.counters() - before;
    totals_.ms += (machine_.batch_us + static_cast<double>(served.served_blocks) * machine_.block_us) / 1e3 +
                  ms_of(static_cast<double>(served.bytes_in + served.bytes_out), machine_.link_gb_s);
  }
  void end_step(double compute_bytes) override { totals_.ms += kLaunchUs / 1e3 + ms_of(compute_bytes, machine_.memory_gb_s); }
  void drop() override { driver_.drop(); }
  Totals totals() const override {
    const DriverCounters& counted = driver_.counters();
    return {totals_.ms,     counted.bytes_in, counted.bytes_out, (counted.bytes_in + counted.bytes_out) / unit_bytes(),
            counted.faults, counted.batches};
  }

 private:
  const Machine& machine_;
  Driver driver_;
  bool advised_;
  Totals totals_;
};

class Paged final : public Memory {
 public:
  Paged(const Machine& machine, std::uint64_t cache_bytes, unsigned cards)
      : machine_(machine), rate_(kNicGbS[cards - 1]), frames_(cache_bytes / kGpuvmPage, kNone) {
    if (frames_.empty()) raise<UsageError>("{} bytes of cache hold no page of {}", cache_bytes, kGpuvmPage);
  }

  std::uint64_t add(std::uint64_t bytes, bool written) override {
    const std::uint64_t address = pages_.size() * kGpuvmPage;
    pages_.resize(pages_.size() + (bytes + kGpuvmPage - 1) / kGpuvmPage, Page{State::absent, written});
    return address;
  }
  std::uint64_t unit_bytes() const override { return kGpuvmPage; }
  bool load(std::uint64_t address, std::uint64_t) override {
    Page& page = pages_[address / kGpuvmPage];
    if (page.state == State::resident) return true;
    if (page.state == State::absent) {
      page.state = State::awaited;
      awaited_.push_back(address / kGpuvmPage);
    }
    return false;
  }
  /// A page is in use until the warps that wait for it have asked again: at most as many come at a time as there are frames.
  void serve() override {
    const std::size_t count = std::min({awaited_.size(), frames_.size(), static_cast<std::size_t>(kGpuvmPages)});
    std::uint64_t written_back = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t page = awaited_.front();
      awaited_.pop_front();
      std::uint64_t& frame = frames_[next_++ % frames_.size()];
      if (frame != kNone) {
        pages_[frame].state = State::absent;
        written_back += pages_[frame].written ? kGpuvmPage : 0;
      }
      frame = page;
      pages_[page].state = State::resident;
    }
    ++totals_.batches;
    totals_.faults += count;
    totals_.requests += count + written_back / kGpuvmPage;
    totals_.bytes_in += count * kGpuvmPage;
    totals_.bytes_out += written_back;
    step_ms_ += std::max(kPageUs / 1e3, ms_of(static_cast<double>(count * kGpuvmPage + written_back), rate_));
  }
  /// Pages come while other warps compute.
  void end_step(double compute_bytes) override {
    totals_.ms += kLaunchUs / 1e3 + std::max(step_ms_, ms_of(compute_bytes, machine_.memory_gb_s));
    step_ms_ = 0;
  }
  void drop() override {
    for (Page& page : pages_) page.state = State::absent;
    std::ranges::fill(frames_, kNone);
    awaited_.clear();
  }
  Totals totals() const override { return totals_; }

 private:
  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  enum class State : std::uint8_t { absent, awaited, resident };
  struct Page {
    State state;
    bool written;
  };

  const Machine& machine_;
  double rate_;
  std::vector<Page> pages_;
  std::vector<std::uint64_t> frames_;  ///< a ring of pages
  std::size_t next_ = 0;
  std::deque<std::uint64_t> awaited_;
  double step_ms_ = 0;
  Totals totals_;
};

class ZeroCopy final : public Memory {
 public:
  ZeroCopy(const Machine& machine, Access access) : machine_(machine), access_(access) {}

  std::uint64_t add(std::uint64_t bytes, bool) override {
    const std::uint64_t address = end_;
    end_ += (bytes + kRequestBytes - 1) / kRequestBytes * kRequestBytes;
    return address;
  }
  std::uint64_t unit_bytes() const override { return kRequestBytes; }
  /// Counts the sectors of a part of a line: one read, or of a thread on its own one each.
  bool load(std::uint64_t address, std::uint64_t bytes) override {
    const std::uint64_t sectors = (address + bytes - 1) / kSectorBytes - address / kSectorBytes + 1;
    step_requests_ += access_ == Access::naive ? sectors : 1;
    step_bytes_ += sectors * kSectorBytes;
    return true;
  }
  /// The wire's own rate is that of copies, whose reads have the largest size.
  void end_step(double compute_bytes) override {
    const double times = access_ == Access::naive ? reads_of_sector() : 1;
    const double requests = static_cast<double>(step_requests_) * times, bytes = static_cast<double>(step_bytes_) * times;
    const double wire_gb_s = machine_.link_gb_s * (kRequestBytes + kHeaderBytes) / kRequestBytes;
    const double by_tags = requests * kRoundTripUs / machine_.tags / 1e3;
    totals_.ms += kLaunchUs / 1e3 + std::max({by_tags, ms_of(bytes + requests * kHeaderBytes, wire_gb_s),
                                              ms_of(compute_bytes, machine_.memory_gb_s)});
    totals_.requests += static_cast<std::uint64_t>(requests);
    totals_.bytes_in += static_cast<std::uint64_t>(bytes);
    step_requests_ = step_bytes_ = 0;
  }
  bool aligns() const override { return access_ != Access::merged; }
  Totals totals() const override { return totals_; }

 private:
  /// Returns how often a thread that reads alone brings in a sector. Its line stays cached between two elements with a probability
  /// that is the share of all threads for whose lines the caches have room.
  double reads_of_sector() const {
    const double lines = machine_.cache_kib * 1024.0 / kRequestBytes, threads = machine_.resident_warps * 32.0;
    return 1 + (static_cast<double>(kSectorBytes) / machine_.edge_bytes - 1) * (1 - std::min(1.0, lines / threads));
  }

  const Machine& machine_;
  Access access_;
  std::uint64_t end_ = 0;
  std::uint64_t step_requests_ = 0, step_bytes_ = 0;
  Totals totals_;
};

}  // namespace

const Machine& machine_named(const std::string& name) {
  std::string known;
  for (const Machine& machine : kMachines) {
    if (name == machine.name) return machine;
    known += (known.empty() ? "" : ", ") + std::string(machine.name);
  }
  raise<UsageError>("there is no machine '{}': {}", name, known);
}

std::unique_ptr<Memory> managed_memory(const Machine& machine, const DriverOptions& options, bool advised) {
  return std::make_unique<Managed>(machine, options, advised);
}
std::unique_ptr<Memory> paged_memory(const Machine& machine, std::uint64_t cache_bytes, unsigned cards) {
  return std::make_unique<Paged>(machine, cache_bytes, cards);
}
std::unique_ptr<Memory> zero_copy(const Machine& machine, Access access) { return std::make_unique<ZeroCopy>(machine, access); }

}  // namespace graphrun::bench::uvm
