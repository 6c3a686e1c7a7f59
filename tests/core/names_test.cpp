// SPDX-License-Identifier: Apache-2.0

#include "graphrun/core/names.hpp"

#include <gtest/gtest.h>

#include "graphrun/core/error.hpp"

namespace graphrun {
namespace {

constexpr std::string_view kAlgorithms[] = {"bfs", "sssp", "cc", "pagerank"};
constexpr ShortForm kForms[] = {{"pr", "pagerank"}};

TEST(Names, CaseAndDashesDoNotCount) {
  EXPECT_TRUE(spells("Read_Mostly", "read-mostly"));
  EXPECT_TRUE(spells("readmostly", "read-mostly"));
  EXPECT_FALSE(spells("read", "read-mostly"));
  EXPECT_FALSE(spells("", "bfs"));
}

TEST(Names, ShortFormsStandForTheirNames) {
  EXPECT_EQ(choose_name("PR", "algorithm", kAlgorithms, kForms), 3u);
  EXPECT_EQ(choose_name("page-rank", "algorithm", kAlgorithms, kForms), 3u);
  EXPECT_THROW(choose_name("pr", "algorithm", kAlgorithms), UsageError);
}

TEST(Names, TheClosestIsNamedAndAllAreListed) {
  try {
    choose_name("bsf", "algorithm", kAlgorithms);
    FAIL() << "there is no bsf";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "there is no algorithm 'bsf' (did you mean 'bfs'?): choose among bfs, sssp, cc, pagerank");
  }
}

TEST(Names, WhatIsFarFromAllSuggestsNone) {
  EXPECT_EQ(did_you_mean("PagRenk", kAlgorithms), " (did you mean 'pagerank'?)");
  EXPECT_EQ(did_you_mean("page", kAlgorithms), " (did you mean 'pagerank'?)") << "cut short";
  EXPECT_EQ(did_you_mean("pageranks", kAlgorithms), " (did you mean 'pagerank'?)");
  for (const std::string& text : {std::string(), std::string("x"), std::string("triangles"), std::string(1 << 20, 'b')}) {
    EXPECT_EQ(did_you_mean(text, kAlgorithms), "") << text.substr(0, 20);
  }
}

}  // namespace
}  // namespace graphrun
