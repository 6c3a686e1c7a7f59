#include "graphrun/core/progress.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <thread>

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

TEST(Progress, TheLineNamesOuterStagesAndGoesWithTheInnermost) {
  const int screen = ::memfd_create("screen", 0);
  ASSERT_GE(screen, 0);
  const auto shown = [screen] {
    std::string text(static_cast<std::size_t>(::lseek(screen, 0, SEEK_END)), '\0');
    text.resize(static_cast<std::size_t>(::pread(screen, text.data(), text.size(), 0)));
    return text;
  };
  Progress::enable(std::chrono::milliseconds(1), screen);
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
  Progress::enable(std::chrono::hours(1), screen);  // to stages of other tests the screen stays what it is
}

}  // namespace
}  // namespace graphrun
