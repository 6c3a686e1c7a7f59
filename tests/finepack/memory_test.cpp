// SPDX-License-Identifier: Apache-2.0
// What packets leave in the receiver's memory is what plain stores leave, at every fence, in every order of a small set of
// stores.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "finepack/write_queue.hpp"

namespace graphrun::bench::finepack {
namespace {

constexpr std::uint64_t kBase = (std::uint64_t{1} << 40) + (2 << 20);

/// Memory behind a queue, and the memory of plain stores. Sums are those of the host, not of add_integers().
class Both {
 public:
  explicit Both(const QueueOptions& options, std::size_t bytes)
      : options_(options), packed_(bytes), plain_(bytes), queue_(options, [this](Packet&& packet) { receive(packet); }) {}

  void store(const Store& store, const std::uint8_t* data) {
    std::uint8_t* const at = plain_.data() + (store.address - kBase);
    std::uint64_t sum = 0, added = 0;
    std::memcpy(&sum, at, store.width), std::memcpy(&added, data, store.width);
    sum += added;
    std::memcpy(at, store.width == 0 ? data : reinterpret_cast<const std::uint8_t*>(&sum), store.bytes);
    queue_.store(store, data);
  }
  void fence() { queue_.fence(); }
  bool agree() const { return packed_ == plain_; }

 private:
  void receive(const Packet& packet) {
    unpack(packet, options_.sub_header_bytes, [&](std::uint64_t address, const std::uint8_t* data, unsigned bytes) {
      apply(packed_, kBase, address, data, bytes, packet.width);
    });
  }

  QueueOptions options_;
  std::vector<std::uint8_t> packed_, plain_;
  WriteQueue queue_;
};

std::vector<QueueOptions> small_queues() {
  std::vector<QueueOptions> queues;
  for (const unsigned header : {2u, 3u, 5u}) {
    for (const unsigned entries : {2u, 64u}) {
      for (const unsigned windows : {1u, 2u}) {
        for (const bool combines : {false, true}) {
          for (const std::uint64_t timeout : {0, 1}) queues.push_back({header, entries, windows, 140, timeout, combines, true});
        }
      }
    }
  }
  queues.push_back({5, 2, 1, 140, 0, true, false});
  queues.push_back({5, 2, 1, 140, 1, false, false});
  return queues;
}

TEST(FinePackMemory, EveryOrderOfAFewStoresAndFencesLeavesWhatPlainStoresLeave) {
  // Stores that overlap, cross a window of 64 bytes, lie in another line and another window, and additions of both widths.
  const Store kinds[] = {
      {kBase, 0, 0, 8, 0},         {kBase + 4, 0, 0, 1, 0}, {kBase + 56, 0, 0, 16, 0}, {kBase + 128, 0, 0, 4, 0},
      {kBase + 16384, 0, 0, 4, 0}, {kBase, 0, 0, 4, 4},     {kBase, 0, 0, 8, 8},
  };
  constexpr std::size_t kKinds = std::size(kinds) + 1;  // and a fence
  constexpr int kLength = 5;
  for (const QueueOptions& options : small_queues()) {
    std::size_t orders = 1;
    for (int at = 0; at < kLength; ++at) orders *= kKinds;
    for (std::size_t order = 0; order < orders; ++order) {
      Both both(options, 16388);
      std::size_t rest = order;
      std::uint8_t value = 0xf0;
      for (int at = 0; at < kLength; ++at, rest /= kKinds) {
        if (rest % kKinds == std::size(kinds)) {
          both.fence();
          ASSERT_TRUE(both.agree()) << "order " << order << " after fence " << at;
          continue;
        }
        Store store = kinds[rest % kKinds];
        store.position = static_cast<std::uint64_t>(at) * (order % 3);
        std::vector<std::uint8_t> data(store.bytes, value);
        value = static_cast<std::uint8_t>(value + 7);
        both.store(store, data.data());
      }
      both.fence();
      ASSERT_TRUE(both.agree()) << "order " << order << ", sub-header " << options.sub_header_bytes << ", entries "
                                << options.entries << ", windows " << options.windows << ", combines "
                                << options.combines_atomics;
    }
  }
}

TEST(FinePackMemory, LongRandomStreamsLeaveWhatPlainStoresLeave) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 300; ++round) {
    QueueOptions options;
    options.sub_header_bytes = 2 + random() % 5;
    options.windows = 1 + random() % 4;
    options.entries = options.windows + random() % 64;
    options.max_payload = 256 << random() % 5;
    options.timeout = random() % 3 * 20;
    options.combines_atomics = random() % 2 == 0;
    options.packs = random() % 8 != 0;
    const std::uint64_t spread = std::uint64_t{256} << random() % 10;
    Both both(options, spread + kLineBytes);
    std::uint64_t position = 0;
    for (int count = 0; count < 2000; ++count) {
      Store store;
      store.address = kBase + random() % spread;
      store.width = static_cast<std::uint8_t>(random() % 3 == 0 ? 4 + 4 * (random() % 2) : 0);
      if (store.width != 0) store.address -= store.address % store.width;
      store.bytes =
          static_cast<std::uint16_t>(store.width != 0 ? store.width : 1 + random() % (kLineBytes - store.address % kLineBytes));
      store.position = position += random() % 4 == 0 ? random() % 40 : 0;
      std::vector<std::uint8_t> data(store.bytes);
      for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random());
      both.store(store, data.data());
      if (random() % 200 != 0) continue;
      both.fence();
      position = 0;
      ASSERT_TRUE(both.agree()) << "round " << round << ", store " << count;
    }
    both.fence();
    ASSERT_TRUE(both.agree()) << "round " << round;
  }
}

}  // namespace
}  // namespace graphrun::bench::finepack
