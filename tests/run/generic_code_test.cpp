// SPDX-License-Identifier: Apache-2.0
// Code that serves all algorithms and backends knows none of them: what differs is data of their own.
#include <gtest/gtest.h>

#include <cctype>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "graphrun/core/names.hpp"
#include "graphrun/run/options.hpp"

namespace graphrun::test {
namespace {

template <class T>
std::string any_of() {
  std::string names;
  for (const auto& choice : ChoicesOf<T>::kAll) names += (names.empty() ? "" : "|") + std::string(choice.name);
  return "(" + names + ")";
}

/// "(Bfs|...)": how types of algorithms begin.
std::string any_type_of_algorithm() {
  std::string names = any_of<Algorithm>();
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (names[i - 1] == '(' || names[i - 1] == '|') names[i] = static_cast<char>(std::toupper(names[i]));
  }
  return names;
}

// Each new algorithm changed generic code in ten places.
TEST(GenericCode, NamesNoAlgorithmAndNoBackend) {
  const std::string algorithm = any_of<Algorithm>(), backend = any_of<BackendKind>();
  const std::regex named("Algorithm::" + algorithm + "|BackendKind::" + backend + "|\"" + algorithm + "\"|\"" + backend +
                         "\"|\\." + algorithm + "\\b|\\b(run|check|serial)_" + algorithm + "\\b|\\b" + any_type_of_algorithm() +
                         "(Options|Output|Digest|Info|Choice|Variant|Run)\\b");
  ASSERT_TRUE(std::regex_search("options.sssp.delta", named));
  ASSERT_TRUE(std::regex_search("kind == BackendKind::bam", named));
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(GRAPHRUN_SOURCE_DIR "/src/run")) {
    if (!file.is_regular_file()) continue;
    ++files;
    std::ifstream source(file.path());
    int number = 0;
    for (std::string line; std::getline(source, line);) {
      ++number;
      const std::string code = line.substr(0, line.find("//"));
      EXPECT_FALSE(std::regex_search(code, named)) << file.path().filename() << ":" << number << ": " << line;
    }
  }
  EXPECT_GT(files, 20);
}

// A third of one algorithm asked whether it had other ranks. What ranks share, functors declare, and operators exchange.
TEST(GenericCode, AlgorithmsDoNotAskWhetherTheyAreAlone) {
  const std::regex asks(R"(is_single_rank|\bexchange\s*(==|!=|->)|(ranks|in_this_process)\([^)]*\)\s*[=!<>]=?\s*1\b)");
  ASSERT_TRUE(std::regex_search("if (exec_.part().is_single_rank()) return;", asks));
  ASSERT_TRUE(std::regex_search("exec_.part().exchange->size()", asks));
  ASSERT_TRUE(std::regex_search("if (exec_.part().ranks() > 1)", asks));
  int files = 0;
  for (const char* folder : {"/src/algorithms", "/include/graphrun/algorithms"}) {
    for (const auto& file : std::filesystem::recursive_directory_iterator(std::string(GRAPHRUN_SOURCE_DIR) + folder)) {
      if (!file.is_regular_file()) continue;
      ++files;
      std::ifstream source(file.path());
      int number = 0;
      for (std::string line; std::getline(source, line);) {
        ++number;
        EXPECT_FALSE(std::regex_search(line, asks)) << file.path().filename() << ":" << number << ": " << line;
      }
    }
  }
  EXPECT_GT(files, 40);
}

}  // namespace
}  // namespace graphrun::test
