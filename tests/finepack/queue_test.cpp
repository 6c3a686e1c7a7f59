// SPDX-License-Identifier: Apache-2.0
// The write queue and packetizer beside a slow model: another reading of the paper, which keeps a map of bytes for each open
// packet and counts everything anew at each store. It shares no code with the queue, nor the format of packets.
#include <gtest/gtest.h>

#include <list>
#include <map>
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
  bool operator==(const Seen&) const = default;
};

class SlowQueue {
 public:
  SlowQueue(unsigned header, std::size_t lines, std::size_t windows, std::size_t payload)
      : header_(header), lines_(lines / windows), windows_(windows), payload_(payload) {
    for (unsigned bit = 10; bit < 8 * header; ++bit) range_ *= 2;
  }

  void store(std::uint64_t address, const std::vector<std::uint8_t>& data) {
    std::size_t done = 0;
    while (done < data.size()) {
      const std::uint64_t at = address + done;
      const std::size_t piece = static_cast<std::size_t>(std::min<std::uint64_t>(data.size() - done, range_ - at % range_));
      put(at, {data.begin() + static_cast<std::ptrdiff_t>(done), data.begin() + static_cast<std::ptrdiff_t>(done + piece)},
          done == 0);
      done += piece;
    }
  }
  /// Packets of a fence may come in any order.
  void fence() {
    while (!open_.empty()) close(open_.begin());
  }
  std::vector<Seen> sent;

 private:
  using Open = std::list<Seen>;  // the least recently used first

  std::size_t sub_packets(const Bytes& bytes) const {
    std::size_t count = 0;
    for (const auto& [address, value] : bytes) count += address % 128 == 0 || !bytes.contains(address - 1) ? 1 : 0;
    return count;
  }
  std::size_t size(const Bytes& bytes) const { return bytes.size() + header_ * sub_packets(bytes); }

  void close(Open::iterator packet) {
    packet->sub_packets = sub_packets(packet->bytes);
    packet->payload = size(packet->bytes);
    sent.push_back(*packet);
    open_.erase(packet);
  }

  void put(std::uint64_t address, const std::vector<std::uint8_t>& data, bool is_first) {
    const std::uint64_t base = address - address % range_;
    auto packet = open_.begin();
    while (packet != open_.end() && packet->base != base) ++packet;
    if (packet != open_.end()) {
      std::set<std::uint64_t> lines{address / 128};
      for (const auto& [byte, value] : packet->bytes) lines.insert(byte / 128);
      if (size(packet->bytes) + data.size() + header_ > payload_ || lines.size() > lines_) {
        close(packet);
        packet = open_.end();
      }
    } else if (open_.size() == windows_) {
      close(open_.begin());
    }
    if (packet == open_.end()) {
      open_.push_back({base, {}, 0, 0, 0});
    } else {
      open_.splice(open_.end(), open_, packet);
    }
    for (std::size_t byte = 0; byte < data.size(); ++byte) open_.back().bytes[address + byte] = data[byte];
    open_.back().stores += is_first ? 1 : 0;
  }

  unsigned header_;
  std::size_t lines_, windows_, payload_;
  std::uint64_t range_ = 1;
  Open open_;
};

/// Reads a packet by table I and II, byte by byte.
Seen read(const Packet& packet, unsigned header) {
  Seen seen{packet.base, {}, 0, packet.payload.size(), packet.stores};
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

struct Shape {
  unsigned header, lines, windows, payload;
};

TEST(FinePackQueue, AgreesWithASlowModelPacketByPacket) {
  std::mt19937_64 random(7);
  const Shape shapes[] = {{2, 64, 1, 4096}, {3, 64, 1, 4096}, {4, 64, 1, 4096}, {5, 64, 1, 4096},
                          {6, 64, 1, 4096}, {5, 1, 1, 4096},  {4, 7, 1, 4096},  {5, 64, 1, 256},
                          {2, 8, 4, 300},   {3, 64, 2, 4096}, {3, 9, 3, 512},   {4, 64, 4, 1024}};
  std::size_t packets = 0;
  for (const Shape& shape : shapes) {
    for (int round = 0; round < 40; ++round) {
      std::vector<Seen> sent;
      const QueueOptions options{shape.header, shape.lines, shape.windows, shape.payload, 0, false, true};
      WriteQueue queue(options, [&](Packet&& packet) { sent.push_back(read(packet, shape.header)); });
      SlowQueue slow(shape.header, shape.lines, shape.windows, shape.payload);
      const std::uint64_t spread = std::uint64_t{1} << (7 + random() % 27);
      const unsigned largest = round % 3 == 0 ? 8 : kLineBytes;
      for (int count = 0; count < 300; ++count) {
        const std::uint64_t address = (std::uint64_t{3} << 40) - spread / 2 + random() % spread;
        std::vector<std::uint8_t> data(1 + random() % std::min<std::uint64_t>(largest, kLineBytes - address % kLineBytes));
        for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random());
        queue.store({address, 0, 0, static_cast<std::uint16_t>(data.size()), 0}, data.data());
        slow.store(address, data);
        ASSERT_EQ(sent.size(), slow.sent.size()) << "after store " << count;
        if (random() % 100 == 0) {
          const std::size_t before = sent.size();
          queue.fence(), slow.fence();
          const auto by_base = [](const Seen& a, const Seen& b) { return a.base < b.base; };
          std::sort(sent.begin() + static_cast<std::ptrdiff_t>(before), sent.end(), by_base);
          std::sort(slow.sent.begin() + static_cast<std::ptrdiff_t>(before), slow.sent.end(), by_base);
        }
      }
      ASSERT_TRUE(sent == slow.sent) << "sub-header " << shape.header << ", lines " << shape.lines << ", windows "
                                     << shape.windows;
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
