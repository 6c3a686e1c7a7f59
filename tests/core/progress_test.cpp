// SPDX-License-Identifier: Apache-2.0

#include "graphrun/core/progress.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <thread>

#include "core/progress_look.hpp"

namespace graphrun {
namespace {

/// What a stage says, up to the last words, which are seconds that pass.
std::string without_time(const Progress& stage) {
  const std::string text = stage.text();
  return text.substr(0, text.rfind(", "));
}

TEST(Progress, SaysHowFarAStageIs) {
  Progress known("reading", 4 << 20, "bytes");
  known.advance(1 << 20);
  EXPECT_EQ(without_time(known), "reading [#####...............] 25 % of 4.00 MiB");
  EXPECT_TRUE(known.text().ends_with(" left")) << known.text();
  Progress unknown("reading", 0, "entries");
  EXPECT_EQ(without_time(unknown), "reading");
  unknown.advance(12345);
  EXPECT_EQ(without_time(unknown), "reading, 12345 entries");
  Progress more_than_announced("building rows", 10);
  more_than_announced.advance(11);
  EXPECT_EQ(without_time(more_than_announced), "building rows [####################] 100 %");
  EXPECT_TRUE(more_than_announced.text().ends_with(" s")) << "nothing is left";
}

TEST(Progress, SaysHowFarAnAlgorithmIs) {
  Progress search("breadth-first search", 0, "level");
  search.end_round(2'000'000);
  search.end_round(500'000);
  EXPECT_EQ(without_time(search), "breadth-first search, level 2, 2.5 M edges");
  Progress ranks("pagerank", 0, "sweep");
  for (const double residual : {0.1, 0.01}) ranks.end_round(10, residual, 0.001);
  EXPECT_EQ(without_time(ranks), "pagerank, sweep 2, 20 edges, residual 0.01");
  EXPECT_TRUE(ranks.text().ends_with(" left")) << ranks.text();
}

/// What a file in place of a terminal was sent.
class Screen {
 public:
  Screen() : descriptor_(::memfd_create("screen", 0)) {}
  int descriptor() const { return descriptor_; }
  std::string shown() const {
    std::string text(static_cast<std::size_t>(::lseek(descriptor_, 0, SEEK_END)), '\0');
    text.resize(static_cast<std::size_t>(::pread(descriptor_, text.data(), text.size(), 0)));
    return text;
  }

 private:
  int descriptor_;  // never closed: the thread that draws goes on
};

TEST(Progress, TheLineNamesOuterStagesAndGoesWithTheInnermost) {
  const Screen screen;
  ASSERT_GE(screen.descriptor(), 0);
  const auto shown = [&] { return screen.shown(); };
  show_progress({.redrawn = true, .descriptor = screen.descriptor(), .patience = std::chrono::milliseconds(1)});
  Progress outer("verifying");
  {
    Progress inner("search anew", 200);
    inner.advance(50);
    const Timer waiting;
    while (shown().find("\rverifying: search anew [#####...............] 25 %") == std::string::npos) {
      ASSERT_LT(waiting.elapsed_ms(), 10000) << shown();
      std::this_thread::yield();
    }
    const ProgressPause others_write;
    EXPECT_TRUE(shown().ends_with("\x1b[K\r\x1b[K")) << shown();
  }
  Progress::enable(std::chrono::milliseconds::max());
  const std::string before = shown();
  const Progress hidden("hidden");
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(shown(), before);
}

// Lines were redrawn ten times a second, as wide as the terminal whatever COLUMNS said.
TEST(Progress, TheLineIsAsWideAsColumnsSays) {
  const Screen screen;
  ASSERT_GE(screen.descriptor(), 0);
  ::setenv("COLUMNS", "12", 1);
  show_progress({.redrawn = true, .descriptor = screen.descriptor(), .patience = std::chrono::milliseconds(1)});
  ::unsetenv("COLUMNS");
  const Progress stage("a stage of a long name");
  const Timer waiting;
  while (screen.shown().empty()) {
    ASSERT_LT(waiting.elapsed_ms(), 10000);
    std::this_thread::yield();
  }
  EXPECT_TRUE(screen.shown().starts_with("\ra stage of \x1b[K")) << screen.shown();
  Progress::enable(std::chrono::milliseconds::max());
}

// Runs of half a minute said nothing in a log.
TEST(Progress, WithoutATerminalLinesStay) {
  const Screen screen;
  ASSERT_GE(screen.descriptor(), 0);
  EXPECT_FALSE(look_for(screen.descriptor()).redrawn);
  show_progress({.redrawn = false,
                 .descriptor = screen.descriptor(),
                 .patience = std::chrono::milliseconds(1),
                 .between_lines = std::chrono::milliseconds(40)});
  Progress stage("reading", 4 << 20, "bytes");
  stage.advance(1 << 20);
  const Timer waiting;
  while (screen.shown().empty()) ASSERT_LT(waiting.elapsed_ms(), 10000);
  EXPECT_GE(waiting.elapsed_ms(), 39);
  Progress::enable(std::chrono::milliseconds::max());
  const std::string shown = screen.shown();
  EXPECT_TRUE(shown.starts_with("reading [#####...............] 25 % of 4.00 MiB, about ")) << shown;
  EXPECT_TRUE(shown.ends_with(" left\n")) << shown;
  EXPECT_EQ(shown.find_first_of("\r\x1b"), std::string::npos);
}

// The time left followed each leap of the pace.
TEST(Progress, TheTimeLeftDoesNotJump) {
  const auto left = [](const Progress& stage) {
    const std::string text = stage.text();
    return std::stod(text.substr(text.find("about ") + 6));
  };
  Progress stage("reading", 1000, "entries");
  stage.advance(500);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_EQ(left(stage), 0) << "as much as has passed";
  Progress slow("reading", 100'000, "entries");
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  slow.advance(1'000);
  const double at_first = left(slow);  // 9.9 s
  EXPECT_GE(at_first, 9);
  slow.advance(79'000);  // at this pace little is left
  EXPECT_GE(left(slow), at_first / 2);
}

}  // namespace
}  // namespace graphrun
