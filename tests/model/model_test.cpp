// SPDX-License-Identifier: Apache-2.0
// Every interleaving of a few threads at the page table and at the queue pair, and the same for copies of them with bugs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "bugs.hpp"
#include "variants.hpp"

namespace model {
namespace {

std::string text_of(const Report& report) {
  std::string text = report.violation + "\n";
  for (const std::string& line : report.trace) text += "  " + line + "\n";
  return text;
}

TEST(Model, NothingGoesWrongInAnyInterleaving) {
  ASSERT_FALSE(variants()["original"].empty()) << "make_variant could not copy the sources";
  for (const Scenario& scenario : variants()["original"]) {
    const Report report = scenario.explore();
    fmt::print("{:>8} states {:>8} steps {:>4} ends {:>3} fair cycles: {}\n", report.states, report.steps, report.ends,
               report.fair_cycles, scenario.name);
    EXPECT_EQ(report.violation, "") << scenario.name << ": " << text_of(report);
    EXPECT_GT(report.ends, 0u) << scenario.name;
    EXPECT_TRUE(report.fair_cycles == 0 || !scenario.fair_schedules_end) << scenario.name;
  }
}

class BugTest : public ::testing::TestWithParam<Bug> {};

TEST_P(BugTest, IsFound) {
  const auto found = variants().find(std::string(GetParam().name));
  ASSERT_NE(found, variants().end())
      << "it was not built: tests/model/CMakeLists.txt must list it, and make_variant must be able to apply it";
  std::uint64_t states = 0;
  for (const Scenario& scenario : found->second) {
    const Report report = scenario.explore();
    states += report.states;
    ASSERT_FALSE(report.too_many) << "in '" << scenario.name << "'";
    if (report.violation.empty()) continue;
    fmt::print("{} states, in '{}', {} accesses: {}\n", states, scenario.name, report.trace.size(), report.violation);
    return;
  }
  FAIL() << "not found in " << states << " states";
}

INSTANTIATE_TEST_SUITE_P(Model, BugTest, ::testing::ValuesIn(kBugs), [](const auto& bug) { return std::string(bug.param.name); });

TEST(Model, EveryVariantIsABugOrTheOriginal) {
  std::set<std::string> expected{"original"};
  for (const Bug& bug : kBugs) expected.insert(std::string(bug.name));
  std::set<std::string> built;
  for (const auto& [name, scenarios] : variants()) built.insert(name);
  EXPECT_EQ(built, expected);
}

}  // namespace
}  // namespace model
