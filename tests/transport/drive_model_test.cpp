// SPDX-License-Identifier: Apache-2.0

#include "graphrun/transport/drive_model.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/core/random.hpp"

namespace graphrun::test {
namespace {

constexpr std::uint64_t kStoreBytes = std::uint64_t{1} << 20;

class DriveModel : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::ftruncate(::fileno(file_), static_cast<off_t>(kStoreBytes)), 0);
    files_ = {{"store", ::fileno(file_), true}};
  }
  void TearDown() override { std::fclose(file_); }

  /// Returns the requests a second of many that come at once, to random places.
  double rate(const std::string& array, nvme::Opcode opcode, std::uint32_t bytes) const {
    constexpr std::uint64_t kRequests = 100'000;
    RamDevice device(parse_drive_array(array), files_);
    std::int64_t finish = 0;
    for (std::uint64_t i = 0; i < kRequests; ++i) {
      const std::uint64_t place = splitmix64(i) % (kStoreBytes / bytes) * bytes;
      finish = std::max(finish, device.finish_time({opcode, place, bytes, nullptr, 0}, 0));
    }
    return static_cast<double>(kRequests) / (static_cast<double>(finish) * 1e-9);
  }

  std::FILE* file_ = std::tmpfile();
  std::vector<StoreFile> files_;
};

void expect_near(double value, double expected, double tolerance, const std::string& what) {
  EXPECT_NEAR(value / expected, 1, tolerance) << what << ": " << value << " instead of " << expected;
}

TEST_F(DriveModel, ADriveReachesTheRatesOfThePapersTable) {
  for (const DeviceProfile& profile : kDeviceProfiles) {
    if (profile.reads.iops_512 == 0) continue;
    const std::string name(profile.name);
    expect_near(rate(name, nvme::Opcode::read, 512), profile.reads.iops_512, 0.03, name + ", reads of 512");
    expect_near(rate(name, nvme::Opcode::read, 4096), profile.reads.iops_4k, 0.03, name + ", reads of 4096");
    expect_near(rate(name, nvme::Opcode::write, 512), profile.writes.iops_512, 0.03, name + ", writes of 512");
    expect_near(rate(name, nvme::Opcode::write, 4096), profile.writes.iops_4k, 0.03, name + ", writes of 4096");
  }
}

// Figure 4 of BaM's paper: ten drives read 45.8 and write 10.6 million blocks a second.
TEST_F(DriveModel, RatesGrowWithTheDrives) {
  for (const std::uint32_t drives : {2u, 4u, 10u}) {
    const std::string array = "optane-p5800x:" + std::to_string(drives);
    expect_near(rate(array, nvme::Opcode::read, 512), drives * 5.1e6, 0.05, array);
    expect_near(rate(array, nvme::Opcode::write, 512), drives * 1e6, 0.05, array);
  }
}

TEST_F(DriveModel, ALongRequestIsSharedByTheDrives) {
  const double one = rate("980pro", nvme::Opcode::read, 64 << 10);
  expect_near(one, 750e3 / 16, 0.03, "a drive");
  expect_near(rate("980pro:4", nvme::Opcode::read, 64 << 10), 4 * one, 0.03, "four drives");
}

TEST_F(DriveModel, DrivesWaitForThemselvesAlone) {
  RamDevice device(parse_drive_array("optane-p5800x:2"), files_);
  const auto read = [&](std::uint64_t place) { return device.finish_time({nvme::Opcode::read, place, 4096, nullptr, 0}, 0); };
  std::int64_t busy = 0;
  for (int i = 0; i < 1000; ++i) busy = read(0);
  EXPECT_GT(busy, 600'000);
  EXPECT_LT(read(4096), 60'000) << "the second drive has nothing else to do";
}

TEST_F(DriveModel, LatenciesHaveTheMeanAndTheSpreadOfTheProfile) {
  for (const DeviceProfile& profile : kDeviceProfiles) {
    if (profile.latency_us == 0) continue;
    constexpr int kRequests = 20'000;
    RamDevice device({profile, 1}, files_);
    const double work_us = 1e6 / profile.reads.iops_4k;
    double sum = 0, squares = 0, least = 1e9;
    for (int i = 0; i < kRequests; ++i) {
      const std::int64_t now = std::int64_t{1'000'000} * i;  // the drive is idle again
      const std::int64_t end = device.finish_time({nvme::Opcode::read, 0, 4096, nullptr, 0}, now);
      const double us = static_cast<double>(end - now) * 1e-3 - work_us;
      sum += us, squares += us * us, least = std::min(least, us);
    }
    const double mean = sum / kRequests;
    expect_near(mean, profile.latency_us, 0.02, std::string(profile.name) + ", mean");
    expect_near(std::sqrt(squares / kRequests - mean * mean), profile.spread * profile.latency_us, 0.05, "deviation");
    EXPECT_GE(least, (1 - profile.spread) * profile.latency_us - 0.01);
  }
}

TEST_F(DriveModel, TheEngineKeepsThePaceAndMovesTheBytes) {
  const auto device = std::make_shared<RamDevice>(parse_drive_array("980pro:2"), files_);
  const auto engine = open_ram_engine(device, 64);
  EXPECT_EQ(engine->description(), "a model of 2 striped drives (980pro) over memory");
  constexpr std::uint64_t kPages = 256, kWords = 512;
  std::vector<std::uint64_t> written(kPages * kWords), read(kPages * kWords);
  for (std::uint64_t i = 0; i < written.size(); ++i) written[i] = splitmix64(i);
  for (const auto opcode : {nvme::Opcode::write, nvme::Opcode::read}) {
    const bool writes = opcode == nvme::Opcode::write;
    const std::int64_t start = device->now();
    for (std::uint64_t begun = 0, ended = 0; ended < kPages;) {
      const auto data = [&] { return (writes ? written : read).data() + begun * kWords; };
      while (begun < kPages && engine->start({opcode, begun * 4096, 4096, data(), begun})) ++begun;
      BlockEngine::Done done[64];
      const std::size_t count = engine->poll(done, 64);
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(done[i].status, nvme::Status::success);
      ended += count;
    }
    const double least_s = static_cast<double>(kPages) / 2 / (writes ? 172e3 : 750e3);
    EXPECT_GE(device->now() - start, static_cast<std::int64_t>(least_s * 1e9));
  }
  EXPECT_EQ(read, written);
}

TEST_F(DriveModel, ArraysThatCannotBeAreRefused) {
  for (const char* text :
       {"drum", "optane-p5800x:0", "optane-p5800x:65", "optane-p5800x:", "optane-p5800x:4:4", "optane-p5800x:x"})
    EXPECT_THROW(parse_drive_array(text), UsageError) << text;
  EXPECT_EQ(parse_drive_array("optane-p5800x").drives, 1u);
  EXPECT_EQ(parse_drive_array("pm1735:64").drives, 64u);
}

}  // namespace
}  // namespace graphrun::test
