// SPDX-License-Identifier: Apache-2.0
// Reads a device whose first bytes are those of a file, in every way there is, and compares. Run in a guest by run_in_qemu.sh:
//
//   device_check ADDRESS FILE LARGEST_PAGE
//
// LARGEST_PAGE is the largest transfer that the device takes, or 64 KiB if that is less. The last block of the device is
// overwritten, and put back.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/transport/nvme_device.hpp"

namespace {

using namespace graphrun;

void require(bool holds, const std::string& what) {
  if (!holds) throw RunError("device_check: " + what);
}

template <class Expected>
void require_error(const std::string& words, const std::function<void()>& act) {
  try {
    act();
  } catch (const Expected& error) {
    require(std::string(error.what()).find(words) != std::string::npos,
            fmt::format("'{}' does not say '{}'", error.what(), words));
    return;
  }
  require(false, fmt::format("nothing said '{}'", words));
}

std::vector<std::byte> contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

/// The file as the device holds it: zeros behind it, to the end of a block.
class Expected {
 public:
  explicit Expected(const std::string& path) : bytes_(contents(path)) {
    require(!bytes_.empty(), path + " cannot be read");
    bytes_.resize((bytes_.size() + 4095) / 4096 * 4096);
  }
  std::uint64_t size() const { return bytes_.size(); }
  bool matches(std::uint64_t offset, const std::byte* data, std::size_t size) const {
    const std::size_t known = std::min<std::size_t>(size, bytes_.size() - offset);
    return std::memcmp(bytes_.data() + offset, data, known) == 0;
  }

 private:
  std::vector<std::byte> bytes_;
};

void read_everything(NvmeDevice& device, const Expected& expected) {
  std::vector<std::byte> data(expected.size());
  device.read(0, data);
  require(expected.matches(0, data.data(), data.size()), "the device does not hold the file");
}

/// Threads that share frames' queues, each with a frame of its own at a time.
class Readers {
 public:
  Readers(NvmeDevice& device, const Expected& expected, std::uint32_t page_bytes, std::size_t threads)
      : device_(device), expected_(expected), frames_(device.make_frames(threads, page_bytes)) {}

  void run(std::uint64_t commands_each) {
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < frames_.count; ++t) {
      threads.emplace_back([this, t, commands_each] {
        for (std::uint64_t i = 0; i < commands_each; ++i) read_one(t, splitmix64(t, i, frames_.bytes));
      });
    }
    for (auto& thread : threads) thread.join();
    require(failed_ == 0, fmt::format("{} of the commands failed with pages of {} bytes", failed_.load(), frames_.bytes));
    require(wrong_ == 0, fmt::format("{} pages of {} bytes were wrong", wrong_.load(), frames_.bytes));
  }

  /// The status of a read.
  std::uint32_t read(std::size_t frame, std::uint64_t offset) {
    const QueuePair& queue = device_.queues()[frame % device_.queues().size()];
    const QueuePair::Ticket ticket = queue.draw_ticket();
    // Sleeps, because the guest's processors and the emulated device share those of the host.
    const auto reap = [&] {
      if (queue.reap([](std::uint32_t, std::uint32_t) {}) == 0) std::this_thread::sleep_for(std::chrono::microseconds(20));
    };
    while (!queue.has_turn(ticket)) reap();
    queue.write(ticket, device_.name_space().transfer(nvme::Opcode::read, frames_.address(frame), offset, frames_.bytes));
    while (!queue.ring(ticket)) reap();
    while (queue.outcome(ticket) == QueuePair::kPending) reap();
    const std::uint32_t status = queue.outcome(ticket) - QueuePair::kDone;
    queue.finish(queue.slot_of(ticket));
    return status;
  }

 private:
  void read_one(std::size_t frame, std::uint64_t draw) {
    const std::uint64_t pages = (expected_.size() + frames_.bytes - 1) / frames_.bytes;
    const std::uint64_t offset = draw % pages * frames_.bytes;
    std::byte* data = frames_.data + frame * frames_.bytes;
    std::memset(data, 0xee, frames_.bytes);
    if (read(frame, offset) != 0) ++failed_;
    if (!expected_.matches(offset, data, frames_.bytes)) ++wrong_;
  }

  NvmeDevice& device_;
  const Expected& expected_;
  Frames frames_;
  std::atomic<std::uint64_t> failed_{0};
  std::atomic<std::uint64_t> wrong_{0};
};

/// Pages of a part of the device's page, one, two, and as many as it takes, with fewer slots than threads, so that rings go round
/// many times.
void read_through_queues(NvmeDevice& device, const Expected& expected, std::uint32_t largest_page) {
  constexpr std::size_t kThreads = 5;
  constexpr std::uint64_t kCommandsEach = 100;
  for (const std::uint32_t page : {device.name_space().block_bytes(), 4096u, 8192u, largest_page}) {
    Readers(device, expected, page, kThreads).run(kCommandsEach);
  }
  require_error<UsageError>("a page of", [&] { device.make_frames(1, 2 * largest_page); });
  require_error<UsageError>("a page of", [&] { device.make_frames(1, device.name_space().block_bytes() / 2); });
}

void read_at_the_end(NvmeDevice& device, const Expected& expected) {
  const nvme::Namespace space = device.name_space();
  Readers readers(device, expected, 8192, 1);
  require(readers.read(0, space.bytes - space.block_bytes()) == 0, "a page over the end of the device was not cut there");
  std::vector<std::byte> block(space.block_bytes());
  require_error<UsageError>("do not lie on", [&] { device.read(space.bytes, block); });
  require_error<UsageError>("no whole blocks", [&] { device.read(1, block); });
}

void write_where_it_is_allowed(const std::string& address) {
  const auto opened = open_nvme_device(address, {.allow_write = true});
  NvmeDevice& device = *opened;
  std::vector<std::byte> before(device.name_space().block_bytes());
  const std::uint64_t offset = device.name_space().bytes - before.size();
  device.read(offset, before);
  std::vector<std::byte> pattern(before.size());
  for (std::size_t i = 0; i < pattern.size(); ++i) pattern[i] = static_cast<std::byte>(splitmix64(i));
  std::vector<std::byte> after(before.size());
  device.write(offset, pattern);
  device.read(offset, after);
  require(after == pattern, "what was written is not what is read");
  device.write(offset, before);
}

void read_and_never_write(const std::string& address, const Expected& expected, std::uint32_t largest_page) {
  const auto opened = open_nvme_device(address, {.queues = 2, .queue_depth = 4});
  NvmeDevice& device = *opened;
  fmt::print("{}\n", device.description());
  require_error<UnavailableError>("one program at a time", [&] { open_nvme_device(address, {}); });
  read_everything(device, expected);
  read_through_queues(device, expected, largest_page);
  read_at_the_end(device, expected);
  const std::vector<std::byte> block(device.name_space().block_bytes());
  require_error<UsageError>("for reading only", [&] { device.write(0, block); });
}

}  // namespace

int main(int argc, char** argv) {
  try {
    require(argc == 4, "usage: device_check ADDRESS FILE LARGEST_PAGE");
    const std::string address = argv[1];
    const Expected expected(argv[2]);
    read_and_never_write(address, expected, static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10)));
    write_where_it_is_allowed(address);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.code());
  }
  fmt::print("device_check {}: passed\n", argv[1]);
  return 0;
}
