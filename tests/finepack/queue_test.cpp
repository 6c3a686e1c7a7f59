// SPDX-License-Identifier: Apache-2.0
// The write queue and packetizer beside a slow model: another reading of the paper, which keeps a map of bytes for each open
// packet and counts everything anew at each store. It shares no code with the queue, nor the format of packets.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <list>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "finepack/write_queue.hpp"
#include "graphrun/core/error.hpp"

namespace graphrun::bench::finepack {
namespace {

using Bytes = std::map<std::uint64_t, std::uint8_t>;

/// A packet, by what it does.
struct Seen {
  std::uint64_t base = 0;
  Bytes bytes;
  std::size_t sub_packets = 0, payload = 0;
  std::uint64_t stores = 0;
  unsigned width = 0;
  bool is_bare = false;
  bool operator==(const Seen&) const = default;
};

class SlowQueue {
 public:
  explicit SlowQueue(const QueueOptions& options) : options_(options) {
    for (unsigned bit = 10; bit < 8 * options.sub_header_bytes; ++bit) range_ *= 2;
  }

  void store(std::uint64_t address, const std::vector<std::uint8_t>& data, unsigned width, std::uint64_t position) {
    if (options_.timeout != 0 && last_ && position - *last_ > options_.timeout) close_all();
    last_ = position;
    if (width != 0 && !options_.combines_atomics) return store_alone(address, data, width);
    std::size_t done = 0;
    while (done < data.size()) {
      const std::uint64_t at = address + done;
      const std::size_t piece = static_cast<std::size_t>(std::min<std::uint64_t>(data.size() - done, range_ - at % range_));
      put(at, {data.begin() + static_cast<std::ptrdiff_t>(done), data.begin() + static_cast<std::ptrdiff_t>(done + piece)}, width,
          done == 0);
      done += piece;
    }
  }
  void fence() {
    close_all();
    last_.reset();
  }
  std::vector<Seen> sent;

 private:
  /// A packet that is not sent yet. Stores count where their first bytes lie, by line.
  struct Open {
    std::uint64_t base = 0;
    unsigned width = 0;
    Bytes bytes;
    std::map<std::uint64_t, std::uint64_t> stores;
  };
  using Opens = std::list<Open>;  // the least recently used first

  std::size_t sub_packets(const Bytes& bytes) const {
    std::size_t count = 0;
    for (const auto& [address, value] : bytes) count += address % 128 == 0 || !bytes.contains(address - 1) ? 1 : 0;
    return count;
  }
  std::size_t size(const Bytes& bytes) const { return bytes.size() + options_.sub_header_bytes * sub_packets(bytes); }

  void send(const Open& packet) {
    Seen seen{packet.base, packet.bytes, sub_packets(packet.bytes), size(packet.bytes), 0, packet.width, false};
    for (const auto& [line, count] : packet.stores) seen.stores += count;
    sent.push_back(seen);
  }
  void close(Opens::iterator packet) {
    send(*packet);
    open_.erase(packet);
  }
  /// Packets may leave in any order then.
  void close_all() {
    while (!open_.empty()) close(open_.begin());
  }

  void store_alone(std::uint64_t address, const std::vector<std::uint8_t>& data, unsigned width) {
    for (auto packet = open_.begin(); packet != open_.end();) {
      bool meets = false;
      for (std::size_t byte = 0; byte < data.size(); ++byte) meets |= packet->bytes.contains(address + byte);
      if (meets) {
        Open line{packet->base, packet->width, {}, {}};
        const std::uint64_t begin = address / 128 * 128;
        for (std::uint64_t byte = begin; byte < begin + 128; ++byte) {
          if (const auto node = packet->bytes.extract(byte); !node.empty()) line.bytes[byte] = node.mapped();
        }
        line.stores[begin] = packet->stores[begin / 128];
        packet->stores.erase(begin / 128);
        send(line);
      }
      packet = packet->bytes.empty() ? open_.erase(packet) : std::next(packet);
    }
    Seen seen{address, {}, 0, data.size(), 1, width, true};
    for (std::size_t byte = 0; byte < data.size(); ++byte) seen.bytes[address + byte] = data[byte];
    sent.push_back(seen);
  }

  void put(std::uint64_t address, const std::vector<std::uint8_t>& data, unsigned width, bool is_first) {
    const std::uint64_t base = address - address % range_;
    auto packet = open_.begin();
    while (packet != open_.end() && packet->base != base) ++packet;
    if (packet != open_.end()) {
      std::set<std::uint64_t> lines{address / 128};
      for (const auto& [byte, value] : packet->bytes) lines.insert(byte / 128);
      if (packet->width != width || size(packet->bytes) + data.size() + options_.sub_header_bytes > options_.max_payload ||
          lines.size() > options_.entries / options_.windows) {
        close(packet);
        packet = open_.end();
      }
    } else if (open_.size() == options_.windows) {
      close(open_.begin());
    }
    if (packet == open_.end()) {
      open_.push_back({base, width, {}, {}});
    } else {
      open_.splice(open_.end(), open_, packet);
    }
    Bytes& bytes = open_.back().bytes;
    if (width != 0 && bytes.contains(address)) {
      std::uint64_t sum = 0;
      for (unsigned byte = width; byte-- > 0;) sum = sum * 256 + bytes[address + byte];
      std::uint64_t added = 0;
      for (unsigned byte = width; byte-- > 0;) added = added * 256 + data[byte];
      sum += added;
      for (unsigned byte = 0; byte < width; ++byte) bytes[address + byte] = static_cast<std::uint8_t>(sum >> (8 * byte));
    } else {
      for (std::size_t byte = 0; byte < data.size(); ++byte) bytes[address + byte] = data[byte];
    }
    open_.back().stores[address / 128] += is_first ? 1 : 0;
  }

  QueueOptions options_;
  std::uint64_t range_ = 1;
  std::optional<std::uint64_t> last_;
  Opens open_;
};

/// Reads a packet by table I and II, byte by byte.
Seen read(const Packet& packet, unsigned header) {
  Seen seen{packet.base, {}, 0, packet.payload.size(), packet.stores, packet.width, packet.is_bare};
  if (packet.is_bare) {
    for (std::size_t byte = 0; byte < packet.payload.size(); ++byte) seen.bytes[packet.base + byte] = packet.payload[byte];
    return seen;
  }
  std::size_t at = 0;
  while (at < packet.payload.size()) {
    unsigned __int128 field = 0;
    for (unsigned byte = header; byte-- > 0;) field = field * 256 + packet.payload.at(at + byte);
    at += header;
    const auto length = static_cast<std::size_t>(field % 1024);
    const auto offset = static_cast<std::uint64_t>(field / 1024);
    EXPECT_GT(length, 0u);
    for (std::size_t byte = 0; byte < length; ++byte) {
      EXPECT_TRUE(seen.bytes.emplace(packet.base + offset + byte, packet.payload.at(at + byte)).second) << "a byte twice";
    }
    at += length, ++seen.sub_packets;
  }
  EXPECT_EQ(at, packet.payload.size());
  return seen;
}

TEST(FinePackQueue, AgreesWithASlowModelPacketByPacket) {
  std::mt19937_64 random(7);
  // Sub-header, entries, windows, payload, timeout, whether additions combine.
  const QueueOptions shapes[] = {{2, 64, 1, 4096, 0, false}, {3, 64, 1, 4096, 0, false}, {4, 64, 1, 4096, 0, false},
                                 {5, 64, 1, 4096, 0, true},  {6, 64, 1, 4096, 5, true},  {5, 1, 1, 4096, 0, false},
                                 {4, 7, 1, 4096, 30, false}, {5, 64, 1, 256, 0, true},   {2, 8, 4, 300, 0, true},
                                 {3, 64, 2, 4096, 9, true},  {3, 9, 3, 512, 0, false},   {4, 64, 4, 1024, 2, false}};
  std::size_t packets = 0;
  for (const QueueOptions& options : shapes) {
    for (int round = 0; round < 40; ++round) {
      std::vector<Seen> sent;
      WriteQueue queue(options, [&](Packet&& packet) { sent.push_back(read(packet, options.sub_header_bytes)); });
      SlowQueue slow(options);
      const std::uint64_t spread = std::uint64_t{1} << (7 + random() % 27);
      const unsigned largest = round % 3 == 0 ? 8 : kLineBytes;
      std::uint64_t position = 0;
      for (int count = 0; count < 300; ++count) {
        const std::size_t before = sent.size();
        std::uint64_t address = (std::uint64_t{3} << 40) - spread / 2 + random() % spread;
        unsigned width = 0;
        std::size_t bytes = 1 + random() % std::min<std::uint64_t>(largest, kLineBytes - address % kLineBytes);
        if (round % 2 == 0 && random() % 4 == 0) bytes = width = random() % 2 == 0 ? 4 : 8, address -= address % width;
        std::vector<std::uint8_t> data(bytes);
        for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random());
        position += random() % 4 == 0 ? random() % 12 : 0;
        queue.store({address, 0, position, static_cast<std::uint16_t>(bytes), static_cast<std::uint8_t>(width)}, data.data());
        slow.store(address, data, width, position);
        if (random() % 100 == 0) queue.fence(), slow.fence(), position = 0;
        ASSERT_EQ(sent.size(), slow.sent.size()) << "after store " << count;
        // Windows that leave at once leave in any order.
        const auto first = static_cast<std::ptrdiff_t>(before);
        ASSERT_TRUE(std::is_permutation(sent.begin() + first, sent.end(), slow.sent.begin() + first, slow.sent.end()))
            << "sub-header " << options.sub_header_bytes << ", entries " << options.entries << ", windows " << options.windows
            << ", store " << count;
      }
      packets += sent.size();
    }
  }
  EXPECT_GT(packets, 10'000u);
}

class Recorded {
 public:
  explicit Recorded(const QueueOptions& options)
      : queue_(options, [this](Packet&& packet) { packets.push_back(std::move(packet)); }) {}
  void store(std::uint64_t address, std::vector<std::uint8_t> data, std::uint64_t position = 0, std::uint8_t width = 0) {
    queue_.store({address, 0, position, static_cast<std::uint16_t>(data.size()), width}, data.data());
  }
  void fence() { queue_.fence(); }
  std::vector<Packet> packets;

 private:
  WriteQueue queue_;
};

TEST(FinePackQueue, BytesOfAPacketAreThoseWrittenByHand) {
  Recorded queue({});
  queue.store(0x4000'0010, {1, 2, 3, 4});
  queue.store(0x4000'0020, {5, 6});
  queue.store(0x4000'0012, {9});
  EXPECT_TRUE(queue.packets.empty());
  queue.fence();
  ASSERT_EQ(queue.packets.size(), 1u);
  EXPECT_EQ(queue.packets[0].base, 0x4000'0000u);
  EXPECT_EQ(queue.packets[0].stores, 3u);
  // 0x10 << 10 | 4 and 0x20 << 10 | 2, the lowest byte first.
  EXPECT_EQ(queue.packets[0].payload, (std::vector<std::uint8_t>{0x04, 0x40, 0, 0, 0, 1, 2, 9, 4, 0x02, 0x80, 0, 0, 0, 5, 6}));
}

TEST(FinePackQueue, AFenceWithoutStoresSendsNothing) {
  Recorded queue({});
  queue.fence();
  EXPECT_TRUE(queue.packets.empty());
}

TEST(FinePackQueue, AStoreOutsideTheWindowSendsThePacketUnlessAnotherMayBeOpen) {
  for (const unsigned windows : {1u, 2u}) {
    Recorded queue({3, 64, windows});
    queue.store(0, {1}), queue.store(1 << 14, {2}), queue.store(1, {3});
    EXPECT_EQ(queue.packets.size(), windows == 1 ? 2u : 0u);
  }
}

TEST(FinePackQueue, ATimeoutSendsAfterItAndNotAtIt) {
  Recorded queue({5, 64, 1, 4096, 10});
  queue.store(0, {1}, 5), queue.store(4, {1}, 15);
  EXPECT_TRUE(queue.packets.empty());
  queue.store(8, {1}, 26);
  EXPECT_EQ(queue.packets.size(), 1u);
}

TEST(FinePackQueue, AnAdditionSendsTheLineThatItMeetsAndGoesAlone) {
  Recorded queue({});
  queue.store(0, {1, 0, 0, 0}), queue.store(256, {2});
  queue.store(0, {3, 0, 0, 0}, 0, 4);
  ASSERT_EQ(queue.packets.size(), 2u);
  EXPECT_EQ(read(queue.packets[0], 5).bytes, (Bytes{{0, 1}, {1, 0}, {2, 0}, {3, 0}}));
  EXPECT_TRUE(queue.packets[1].is_bare);
  queue.fence();
  ASSERT_EQ(queue.packets.size(), 3u);
  EXPECT_EQ(read(queue.packets[2], 5).bytes, (Bytes{{256, 2}}));
}

TEST(FinePackQueue, AdditionsCombineWithCarriesInTheirOwnWidth) {
  Recorded queue({5, 64, 1, 4096, 0, true});
  queue.store(0, {0xff, 0xff, 0xff, 0xff}, 0, 4), queue.store(4, {1, 0, 0, 0}, 0, 4), queue.store(0, {2, 0, 0, 0}, 0, 4);
  queue.fence();
  ASSERT_EQ(queue.packets.size(), 1u);
  EXPECT_EQ(queue.packets[0].width, 4u);
  EXPECT_EQ(read(queue.packets[0], 5).bytes, (Bytes{{0, 1}, {1, 0}, {2, 0}, {3, 0}, {4, 1}, {5, 0}, {6, 0}, {7, 0}}));
}

TEST(FinePackQueue, RefusesWhatDoesNotFitTogether) {
  for (const QueueOptions& options : {QueueOptions{1}, QueueOptions{7}, QueueOptions{5, 0}, QueueOptions{5, 2, 3},
                                      QueueOptions{5, 64, 0}, QueueOptions{5, 64, 1, 132}}) {
    EXPECT_THROW(check(options), UsageError);
  }
  check(QueueOptions{5, 64, 1, 133});
}

TEST(FinePackQueue, ADamagedPacketIsRefused) {
  const auto ignore = [](std::uint64_t, const std::uint8_t*, unsigned) {};
  EXPECT_THROW(unpack({0, 0, false, {4, 0, 0, 0}, 0, 0}, 5, ignore), DataError);
  EXPECT_THROW(unpack({0, 0, false, {4, 0, 0, 0, 0, 1, 2, 3}, 0, 0}, 5, ignore), DataError);
  EXPECT_THROW(unpack({0, 0, false, {0, 0, 0, 0, 0, 1}, 0, 0}, 5, ignore), DataError);
}

}  // namespace
}  // namespace graphrun::bench::finepack
