// SPDX-License-Identifier: Apache-2.0
// What is said of devices that cannot be had, on trees that look like the kernel's.
#include "transport/nvme/pci_function.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "graphrun/core/error.hpp"

namespace graphrun::test {
namespace {

namespace fs = std::filesystem;
using nvme::PciFunction;

class PciFunctionTest : public ::testing::Test {
 protected:
  static constexpr const char* kAddress = "0000:01:00.0";

  void SetUp() override {
    root_ = fs::path(::testing::TempDir()) / ("graphrun_pci_" + std::to_string(::getpid()) + "_" +
                                              ::testing::UnitTest::GetInstance()->current_test_info()->name());
    write("bus/pci/devices/0000:01:00.0/class", "0x010802\n");
    write("mounts", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
    write("swaps", "Filename Type Size Used Priority\n");
  }
  void TearDown() override { fs::remove_all(root_); }

  fs::path device() const { return root_ / "bus/pci/devices" / kAddress; }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name, std::ios::app) << text;
  }
  void give_driver(const std::string& name) const { fs::create_symlink("../../../bus/pci/drivers/" + name, device() / "driver"); }
  /// As the kernel shows a device with a disk of two partitions.
  void give_disk(const std::string& under_controller = "nvme0n1") const {
    give_driver("nvme");
    fs::create_directories(device() / "nvme/nvme0" / under_controller);
    write("class/block/nvme0n1/dev", "259:0\n");
    write("class/block/nvme0n1/nvme0n1p1/partition", "1\n");
    write("class/block/nvme0n1/nvme0n1p1/dev", "259:1\n");
    write("class/block/nvme0n1/nvme0n1p2/partition", "2\n");
    write("class/block/nvme0n1/nvme0n1p2/dev", "259:2\n");
  }
  PciFunction open() const { return PciFunction(kAddress, {root_, root_ / "mounts", root_ / "swaps"}); }
  std::string refusal() const {
    try {
      open().require_lent();
    } catch (const UnavailableError& error) {
      return error.what();
    }
    return "";
  }
  void expect_refused(const std::string& words) const {
    const std::string said = refusal();
    EXPECT_NE(said.find(words), std::string::npos) << said;
  }

  fs::path root_;
};

TEST(PciAddress, IsReadInBothSpellings) {
  EXPECT_EQ(nvme::parse_pci_address("0000:01:00.0"), "0000:01:00.0");
  EXPECT_EQ(nvme::parse_pci_address("0A:1f.7"), "0000:0a:1f.7");
  EXPECT_EQ(nvme::parse_pci_address("10AB:0a:1F.7"), "10ab:0a:1f.7");
  for (const char* text : {"", ":", "1:0.0", "0000:01:00", "0000:01:00.", "0000:01:00.0 ", "000g:01:00.0", "/dev/nvme0n1",
                           "0000:01:00/0", "00000:01:00.0", "../../../../../x"}) {
    EXPECT_THROW(nvme::parse_pci_address(text), UsageError) << text;
  }
}

TEST_F(PciFunctionTest, ADeviceThatIsLentIsAccepted) {
  give_driver("vfio-pci");
  fs::create_symlink("../../../kernel/iommu_groups/7", device() / "iommu_group");
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(open().iommu_group(), "7");
}

TEST_F(PciFunctionTest, WithoutAnIommuThereIsNoGroup) { EXPECT_EQ(open().iommu_group(), std::nullopt); }

TEST_F(PciFunctionTest, OnlyNvmeControllersAreDevices) {
  EXPECT_THROW(PciFunction("0000:02:00.0", {root_, root_ / "mounts", root_ / "swaps"}), UnavailableError);
  write("bus/pci/devices/0000:03:00.0/class", "0x020000\n");
  EXPECT_THROW(PciFunction("0000:03:00.0", {root_, root_ / "mounts", root_ / "swaps"}), UnavailableError);
}

TEST_F(PciFunctionTest, TheRefusalTellsTheCommandsThatLendIt) {
  expect_refused("has no driver");
  EXPECT_EQ(refusal().find("unbind"), std::string::npos);
  give_disk();
  const std::string where = device().string();
  expect_refused("belongs to the driver nvme");
  expect_refused("modprobe vfio-pci; echo vfio-pci > " + where + "/driver_override; echo 0000:01:00.0 > " + where +
                 "/driver/unbind; echo 0000:01:00.0 > ");
}

TEST_F(PciFunctionTest, AMountedDiskIsRefused) {
  give_disk();
  write("mounts", "30 22 259:0 / /data rw,relatime shared:1 - xfs /dev/nvme0n1 rw\n");
  expect_refused("/dev/nvme0n1 is mounted on /data");
}

TEST_F(PciFunctionTest, AMountedPartitionIsRefused) {
  give_disk();
  write("mounts", "30 22 259:2 / /home rw - ext4 /dev/nvme0n1p2 rw\n");
  expect_refused("/dev/nvme0n1p2 is mounted on /home");
}

// btrfs, for one, gives its mounts numbers of their own.
TEST_F(PciFunctionTest, AMountIsKnownByItsNameToo) {
  give_disk();
  write("mounts", "30 22 0:44 / /pool rw shared:5 master:2 - btrfs /dev/nvme0n1p1 rw\n");
  expect_refused("/dev/nvme0n1p1 is mounted on /pool");
}

TEST_F(PciFunctionTest, TheDiskBehindSeveralPathsIsFound) {
  give_disk("nvme0c3n1");
  write("mounts", "30 22 259:1 / /boot rw - ext4 /dev/nvme0n1p1 rw\n");
  expect_refused("/dev/nvme0n1p1 is mounted on /boot");
}

TEST_F(PciFunctionTest, SwapAndHoldersCountAsUse) {
  give_disk();
  fs::create_directories(root_ / "class/block/nvme0n1/nvme0n1p1/holders/dm-3");
  expect_refused("/dev/nvme0n1p1 is a part of /dev/dm-3");
  write("swaps", "/dev/nvme0n1p1 partition 1024 0 -2\n");
  expect_refused("/dev/nvme0n1p1 is swap space");
}

}  // namespace
}  // namespace graphrun::test
