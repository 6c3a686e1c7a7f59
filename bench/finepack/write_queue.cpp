// SPDX-License-Identifier: Apache-2.0

#include "finepack/write_queue.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/raise.hpp"
#include "graphrun/core/error.hpp"

namespace graphrun::bench::finepack {

void check(const QueueOptions& options) {
  if (options.sub_header_bytes < 2 || options.sub_header_bytes > 6) throw UsageError("--sub-header takes from 2 to 6 bytes");
  if (options.windows < 1 || options.entries < options.windows)
    throw UsageError("--entries needs at least one for each of --windows");
  if (options.entries > 4096) throw UsageError("--entries takes at most 4096");
  if (options.packs && options.max_payload < kLineBytes + options.sub_header_bytes)
    raise<UsageError>("a payload of {} bytes has no room for a line and its sub-header", options.max_payload);
}

unsigned WriteQueue::Mask::count() const { return static_cast<unsigned>(std::popcount(low) + std::popcount(high)); }

unsigned WriteQueue::Mask::runs() const {
  // A run begins at each byte whose predecessor is absent.
  return static_cast<unsigned>(std::popcount(low & ~(low << 1)) + std::popcount(high & ~(high << 1 | low >> 63)));
}

WriteQueue::Mask WriteQueue::mask_of(unsigned first, unsigned bytes) {
  const auto below = [](unsigned count) { return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1; };
  const unsigned end = first + bytes;
  return {below(end) & ~below(first), below(end < 64 ? 0 : end - 64) & ~below(first < 64 ? 0 : first - 64)};
}

WriteQueue::WriteQueue(const QueueOptions& options, Send send)
    : options_(options), send_(std::move(send)), windows_(options.windows) {
  check(options);
  for (Window& window : windows_) window.entries.reserve(options.entries / options.windows);
}

std::uint64_t WriteQueue::base_of(std::uint64_t address) const {
  return options_.packs ? address >> offset_bits(options_.sub_header_bytes) << offset_bits(options_.sub_header_bytes) : 0;
}

void WriteQueue::store(const Store& store, const std::uint8_t* data) {
  if (options_.timeout != 0 && stored_ != 0 && store.position > last_position_ + options_.timeout) {
    for (Window& window : windows_) flush(window, Flush::timeout);
  }
  last_position_ = store.position;
  ++stored_;
  if (store.width != 0 && !options_.combines_atomics) return send_alone(store, data);
  std::uint64_t address = store.address;
  for (unsigned left = store.bytes; left != 0;) {
    unsigned taken = left;
    if (options_.packs) {
      const std::uint64_t room = (std::uint64_t{1} << offset_bits(options_.sub_header_bytes)) - (address - base_of(address));
      taken = static_cast<unsigned>(std::min<std::uint64_t>(left, room));
    }
    insert(address, data, taken, store.width, left == store.bytes);
    address += taken, data += taken, left -= taken;
  }
}

void WriteQueue::fence() {
  for (Window& window : windows_) flush(window, Flush::fence);
  last_position_ = 0, stored_ = 0;
}

WriteQueue::Window& WriteQueue::window_for(std::uint64_t address, unsigned width) {
  const std::uint64_t base = base_of(address);
  Window* chosen = &windows_.front();
  for (Window& window : windows_) {
    if (!window.entries.empty() && window.base == base) {
      if (window.width != width) flush(window, Flush::atomic);
      window.width = width;
      return window;
    }
    const bool is_free = window.entries.empty();
    if (is_free != chosen->entries.empty() ? is_free : window.used < chosen->used) chosen = &window;
  }
  flush(*chosen, Flush::window);
  chosen->base = base, chosen->width = width;
  return *chosen;
}

void WriteQueue::insert(std::uint64_t address, const std::uint8_t* data, unsigned bytes, unsigned width, bool is_counted) {
  Window& window = window_for(address, width);
  if (options_.packs && window.payload + bytes + options_.sub_header_bytes > options_.max_payload) flush(window, Flush::payload);
  const std::uint64_t line = address / kLineBytes;
  const auto first = static_cast<unsigned>(address % kLineBytes);
  const Mask mask = mask_of(first, bytes);
  auto entry = std::ranges::find(window.entries, line, &Entry::line);
  if (entry == window.entries.end()) {
    if (window.entries.size() == options_.entries / options_.windows) flush(window, Flush::entries);
    window.entries.emplace_back().line = line;
    entry = std::prev(window.entries.end());
  }
  std::uint8_t* const at = entry->data.data() + first;
  window.payload -= cost(entry->mask);
  if (width != 0 && (entry->mask & mask) == mask) {
    add_integers(at, data, bytes, width);
  } else {
    std::copy_n(data, bytes, at);
  }
  entry->mask = entry->mask | mask;
  entry->stores += is_counted ? 1 : 0;
  window.payload += cost(entry->mask);
  window.used = ++clock_;
}

void WriteQueue::send_alone(const Store& store, const std::uint8_t* data) {
  const Mask mask = mask_of(static_cast<unsigned>(store.address % kLineBytes), store.bytes);
  for (Window& window : windows_) {
    const auto entry = std::ranges::find(window.entries, store.address / kLineBytes, &Entry::line);
    if (entry == window.entries.end() || (entry->mask & mask).count() == 0) continue;
    ++flushes_[static_cast<std::size_t>(Flush::atomic)];
    send(window, &*entry, 1);
    window.payload -= cost(entry->mask);
    window.entries.erase(entry);
  }
  send_({store.address, store.width, true, {data, data + store.bytes}, 1, 0});
}

void WriteQueue::send(const Window& window, const Entry* entries, std::size_t count) {
  Packet packet{window.base, window.width, false, {}, 0, 0};
  packet.payload.reserve(window.payload);
  for (const Entry* entry = entries; entry != entries + count; ++entry) {
    packet.stores += entry->stores;
    for (unsigned byte = 0; byte < kLineBytes;) {
      if (!entry->mask.has(byte)) {
        ++byte;
        continue;
      }
      const unsigned first = byte;
      while (byte < kLineBytes && entry->mask.has(byte)) ++byte;
      const std::uint64_t address = entry->line * kLineBytes + first;
      const std::uint8_t* const data = entry->data.data();
      if (options_.packs) {
        append_sub_packet(packet, options_.sub_header_bytes, address, data + first, byte - first);
      } else {
        send_({address, window.width, true, {data + first, data + byte}, std::exchange(packet.stores, 0), 0});
      }
    }
  }
  if (options_.packs) send_(std::move(packet));
}

void WriteQueue::flush(Window& window, Flush reason) {
  if (window.entries.empty()) return;
  ++flushes_[static_cast<std::size_t>(reason)];
  send(window, window.entries.data(), window.entries.size());
  window.entries.clear();
  window.payload = 0;
}

}  // namespace graphrun::bench::finepack
