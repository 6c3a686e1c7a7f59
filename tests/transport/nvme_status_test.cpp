// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "graphrun/transport/nvme.hpp"

namespace graphrun::nvme {
namespace {

// Messages said "status 0x281".
TEST(NvmeStatus, IsSaidInWords) {
  constexpr std::uint32_t kDoNotRetry = 1 << 14;
  EXPECT_EQ(status_text(static_cast<std::uint32_t>(Status::unrecovered_read_error) | kDoNotRetry), "unrecovered read error");
  EXPECT_EQ(status_text(static_cast<std::uint32_t>(Status::out_of_range)), "blocks outside of the device");
  EXPECT_EQ(status_text(0x109), "NVMe status of type 1, code 9");
}

}  // namespace
}  // namespace graphrun::nvme
