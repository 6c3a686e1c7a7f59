// SPDX-License-Identifier: Apache-2.0

#include "graphrun/core/checkpoint.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "graphrun/core/error.hpp"

namespace graphrun {
namespace {

constexpr const char* kRequest = "--algo\tpagerank\n--damping\t0.85\n";

class CheckpointTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string made = (std::filesystem::temp_directory_path() / "graphrun_checkpoint_XXXXXX").string();
    ASSERT_NE(::mkdtemp(made.data()), nullptr);
    folder_ = made;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Checkpoint open(const std::string& request = kRequest, std::size_t rank = 0, std::size_t ranks = 1) const {
    return {folder_, request, rank, ranks};
  }
  static void save(Checkpoint& to, std::uint64_t value) {
    to.save([&](const Checkpoint::Write& write) { write(&value, sizeof(value)); });
  }
  static std::uint64_t load(Checkpoint& from, std::uint64_t number) {
    std::uint64_t value = 0;
    from.load(number, [&](const Checkpoint::Read& read) { read(&value, sizeof(value)); });
    return value;
  }
  static std::array<std::uint64_t, 2> saves_of(Checkpoint& checkpoint) {
    auto saves = checkpoint.saves();
    std::ranges::sort(saves);
    return saves;
  }

  std::string folder_;
};

using Saves = std::array<std::uint64_t, 2>;

TEST_F(CheckpointTest, HasTheLastTwoSavesAndGoesOnNumberingThem) {
  Checkpoint first = open();
  EXPECT_EQ(saves_of(first), (Saves{0, 0}));
  for (const std::uint64_t value : {11, 22, 33}) save(first, value);
  Checkpoint second = open();
  EXPECT_EQ(saves_of(second), (Saves{2, 3}));
  EXPECT_EQ(load(second, 3), 33u);
  EXPECT_EQ(load(second, 2), 22u);
  EXPECT_TRUE(second.loaded());
  save(second, 44);
  EXPECT_EQ(saves_of(second), (Saves{2, 3})) << "after save 2 comes a new save 3";
  EXPECT_EQ(load(second, 3), 44u);
  Checkpoint::remove_all(folder_);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

// The first save was made after the first round, and took more than all of a short run.
TEST_F(CheckpointTest, TheFirstSaveIsDueByTime) {
  Checkpoint first = open();
  EXPECT_FALSE(first.is_due(0));
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  EXPECT_TRUE(first.is_due(0));
  EXPECT_FALSE(first.is_due(100'000'000));
}

// Where ranks were killed between their saves, one goes on from an older save, and must not keep the newer one.
TEST_F(CheckpointTest, KeepsOnlyTheSaveThatAllRanksHave) {
  Checkpoint rank = open("r", 1, 2);
  for (const std::uint64_t value : {11, 22, 33}) save(rank, value);
  rank.keep_only(2);
  EXPECT_EQ(saves_of(rank), (Saves{0, 2}));
  EXPECT_EQ(load(rank, 2), 22u);
  rank.keep_only(Checkpoint::kNone);
  EXPECT_EQ(saves_of(rank), (Saves{0, 0}));
}

TEST_F(CheckpointTest, RefusesOtherRequestsAndOtherNumbersOfRanks) {
  Checkpoint first = open();
  save(first, 1);
  try {
    open("--algo\tpagerank\n--damping\t0.9\n");
    ADD_FAILURE() << "another request was taken";
  } catch (const DataError& error) {
    const std::string why = error.what();
    EXPECT_EQ(why, folder_ + " holds the state of another run: --damping 0.85, not 0.9. Name another folder, or remove it");
  }
  EXPECT_THROW(open(kRequest, 0, 2), DataError);
  EXPECT_NO_THROW(open());
}

TEST_F(CheckpointTest, DamagedSavesAreNone) {
  Checkpoint first = open();
  for (const std::uint64_t value : {11, 22}) save(first, value);
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    if (entry.path().string().find(".0.state") == std::string::npos) continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-1, std::ios::end);
    file.put('x');
  }
  EXPECT_EQ(saves_of(first), (Saves{0, 1}));
}

// A signal outside of rounds must end the program, and a second one too.
TEST_F(CheckpointTest, OnlyTheFirstSignalDuringRoundsWaits) {
  const auto waits = [] {
    const bool before = Rounds::stop(SIGTERM);
    const Rounds of_one_rank;
    { const Rounds of_another; }
    const bool first = Rounds::stop(SIGTERM), second = Rounds::stop(SIGINT);
    std::exit(!before && first && !second && Rounds::stopped_by() == SIGTERM ? 0 : 1);
  };
  EXPECT_EXIT(waits(), ::testing::ExitedWithCode(0), "");
}

TEST_F(CheckpointTest, NamesTheSaveFromWhichTheSameCommandGoesOn) {
  Checkpoint checkpoint = open();
  const auto said = [&] {
    try {
      checkpoint.end_by(SIGINT);
    } catch (const StoppedError& error) {
      EXPECT_EQ(error.signal, SIGINT);
      EXPECT_EQ(static_cast<int>(error.code()), 130);
      return std::string(error.what());
    }
  };
  EXPECT_EQ(said(), "ended by signal 2 before the first save in " + folder_);
  save(checkpoint, 1);
  EXPECT_EQ(said(), "ended by signal 2 after save 1 in " + folder_ + ": the same command goes on from there");
}

TEST_F(CheckpointTest, StatesOfAnotherSizeAreErrors) {
  Checkpoint first = open();
  save(first, 1);
  std::array<std::uint64_t, 2> two{};
  EXPECT_THROW(first.load(1, [&](const Checkpoint::Read& read) { read(&two, sizeof(two)); }), DataError);
  EXPECT_THROW(first.load(1, [](const Checkpoint::Read&) {}), DataError);
}

}  // namespace
}  // namespace graphrun
