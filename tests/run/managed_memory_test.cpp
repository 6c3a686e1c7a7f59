// SPDX-License-Identifier: Apache-2.0
// Sizes of managed memory that uvm takes on a GPU, and which it refuses, without a GPU.
#include "backend/managed_memory.hpp"

#include <gtest/gtest.h>

#include <string>

#include "graphrun/core/error.hpp"

namespace graphrun::test {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

/// Returns the sentence of a refusal; empty where there is none.
template <class Refusal>
std::string refusal_of(const ManagedMemory& memory) {
  try {
    bytes_to_hold(memory);
  } catch (const Refusal& error) {
    return error.what();
  }
  return {};
}

TEST(ManagedMemory, HoldsNothingWithoutALimit) {
  EXPECT_EQ(bytes_to_hold({.needed = 8 * kGiB, .state = 2 * kGiB, .free = 16 * kGiB}), 0u);
  EXPECT_EQ(bytes_to_hold({.needed = 14 * kGiB, .state = 2 * kGiB, .free = 16 * kGiB}), 0u);
}

TEST(ManagedMemory, HoldsWhatIsFreeBesideTheLimitAndTheState) {
  EXPECT_EQ(bytes_to_hold({.needed = 4 * kGiB, .state = 2 * kGiB, .free = 16 * kGiB, .limit = 4 * kGiB}), 10 * kGiB);
  EXPECT_EQ(bytes_to_hold({.needed = 4 * kGiB, .state = 2 * kGiB, .free = 16 * kGiB, .limit = 14 * kGiB}), 0u);
}

TEST(ManagedMemory, MoreThanIsFreeIsRefusedUnlessItIsAskedFor) {
  ManagedMemory memory{.needed = 15 * kGiB, .state = 2 * kGiB, .free = 16 * kGiB};
  EXPECT_NE(refusal_of<UnavailableError>(memory).find("can hang it"), std::string::npos);
  memory.oversubscribe = true;
  EXPECT_EQ(bytes_to_hold(memory), 0u);
}

TEST(ManagedMemory, MoreThanTheLimitIsRefusedUnlessItIsAskedFor) {
  ManagedMemory memory{.needed = 5 * kGiB, .state = 2 * kGiB, .free = 16 * kGiB, .limit = 4 * kGiB};
  EXPECT_NE(refusal_of<UsageError>(memory).find("--oversubscribe"), std::string::npos);
  memory.oversubscribe = true;
  EXPECT_EQ(bytes_to_hold(memory), 10 * kGiB);
}

// To oversubscribe is no leave to take memory that is not there.
TEST(ManagedMemory, ALimitAboveWhatIsFreeIsRefusedAlways) {
  for (const bool oversubscribe : {false, true}) {
    const ManagedMemory memory{
        .needed = kGiB, .state = 2 * kGiB, .free = 16 * kGiB, .limit = 15 * kGiB, .oversubscribe = oversubscribe};
    EXPECT_NE(refusal_of<UnavailableError>(memory).find("--gpu-memory 15.0 GiB"), std::string::npos);
  }
  EXPECT_NE(refusal_of<UnavailableError>({.needed = kGiB, .state = 2 * kGiB, .free = kGiB, .limit = 1}), "");
}

}  // namespace
}  // namespace graphrun::test
