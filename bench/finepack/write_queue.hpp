// SPDX-License-Identifier: Apache-2.0
// FinePack's remote write queue and packetizer, of one rank for one peer (section IV.B), with the extensions of the discussion.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "finepack/packet.hpp"
#include "finepack/traffic.hpp"

namespace graphrun::bench::finepack {

struct QueueOptions {
  unsigned sub_header_bytes = 5;  ///< 2 to 6
  unsigned entries = 64;          ///< lines of 128 bytes, shared evenly by the windows
  unsigned windows = 1;           ///< packets that are open at a time
  unsigned max_payload = 4096;    ///< bytes of a packet, sub-headers among them
  std::uint64_t timeout = 0;      ///< instructions of warps without a store after which all is sent; 0: never
  bool combines_atomics = false;  ///< additions meet in the queue; else each goes alone and sends what its line has
  bool packs = true;              ///< false: write combining alone, where each run of bytes is a packet of its own
};

/// Throws UsageError: what does not fit together.
void check(const QueueOptions& options);

enum class Flush { fence, window, payload, entries, timeout, atomic };
constexpr std::array<const char*, 6> kFlushNames = {"fence", "window", "payload", "entries", "timeout", "atomic"};

/// Stores are overwritten by later ones to the same bytes. A store outside every open window opens one in place of the least
/// recently used; one that does not fit what its packet has left sends the packet first. Stores that cross the end of a window
/// are split there.
class WriteQueue {
 public:
  using Send = std::function<void(Packet&&)>;
  WriteQueue(const QueueOptions& options, Send send);

  void store(const Store& store, const std::uint8_t* data);
  void fence();
  /// Returns how many flushes each reason caused.
  const std::array<std::uint64_t, 6>& flushes() const { return flushes_; }

 private:
  struct Mask {
    std::uint64_t low = 0, high = 0;
    Mask operator|(const Mask& other) const { return {low | other.low, high | other.high}; }
    Mask operator&(const Mask& other) const { return {low & other.low, high & other.high}; }
    bool operator==(const Mask&) const = default;
    bool has(unsigned byte) const { return ((byte < 64 ? low >> byte : high >> (byte - 64)) & 1) != 0; }
    unsigned count() const;
    unsigned runs() const;
  };
  struct Entry {
    std::uint64_t line = 0;
    Mask mask;
    std::uint64_t stores = 0;
    std::array<std::uint8_t, kLineBytes> data;
  };
  struct Window {
    std::uint64_t base = 0;
    unsigned width = 0;  ///< Store::width
    unsigned payload = 0;
    std::uint64_t used = 0;  ///< the clock at its last store
    std::vector<Entry> entries;
  };

  static Mask mask_of(unsigned first, unsigned bytes);
  std::uint64_t base_of(std::uint64_t address) const;
  unsigned cost(const Mask& mask) const { return mask.count() + mask.runs() * options_.sub_header_bytes; }
  Window& window_for(std::uint64_t address, unsigned width);
  void insert(std::uint64_t address, const std::uint8_t* data, unsigned bytes, unsigned width, bool is_counted);
  void send_alone(const Store& store, const std::uint8_t* data);
  /// Packs entries of the window into one packet, or sends each run of bytes.
  void send(const Window& window, const Entry* entries, std::size_t count);
  void flush(Window& window, Flush reason);

  QueueOptions options_;
  Send send_;
  std::vector<Window> windows_;
  std::uint64_t stored_ = 0;  ///< since the last fence
  std::uint64_t clock_ = 0;
  std::uint64_t last_position_ = 0;
  std::array<std::uint64_t, 6> flushes_ = {};
};

}  // namespace graphrun::bench::finepack
