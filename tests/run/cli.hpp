// SPDX-License-Identifier: Apache-2.0
// Runs the real programs and keeps what they said.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "graphrun/core/types.hpp"
#include "support/sanitized.hpp"

namespace graphrun::test {

/// A quiet run's text on its build.
inline constexpr const char* kSaidOfBuild =
    kSanitized ? "[W] this program was built without optimisation or with sanitizers: its times mean nothing\n" : "";

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Said {
  int code = -1;
  std::string out;
  std::string err;
};

/// A directory of its own for each test.
class CliTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::path(::testing::TempDir()) / ("graphrun_cli_" + std::to_string(::getpid()) + "_" +
                                                                ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  /// `arguments` as a shell reads them. On the CPU unless they say otherwise.
  /// `before`: what the shell does first, such as setting a limit.
  Said graphrun(const std::string& arguments, const std::string& before = "") const {
    const std::string device = arguments.find("--device") == std::string::npos ? " --device cpu" : "";
    return say(before + std::string(GRAPHRUN_PROGRAM) + kWide + " " + arguments + device);
  }
  Said graphconv(const std::string& arguments, const std::string& before = "") const {
    return say(before + std::string(GRAPHCONV_PROGRAM) + (arguments.starts_with("stripe") ? "" : kWide) + " " + arguments);
  }
  /// Runs with --json and expects success.
  nlohmann::json json_of(const std::string& arguments) const {
    const Said said = graphrun(arguments + " --json -");
    EXPECT_EQ(said.code, 0) << said.err;
    return nlohmann::json::parse(said.out, nullptr, false);
  }
  /// Expects the exit code and a single sentence on stderr that holds `words`.
  void expect_error(const std::string& arguments, int code, const std::string& words, const std::string& before = "") const {
    expect_sentence(graphrun(arguments + " --quiet", before), arguments, code, words);
  }
  void expect_graphconv_error(const std::string& arguments, int code, const std::string& words,
                              const std::string& before = "") const {
    expect_sentence(graphconv(arguments + " --quiet", before), arguments, code, words);
  }

  /// Any command of the shell.
  Said say(const std::string& command) const {
    const int status = std::system(fmt::format("{{ {}; }} >'{}' 2>'{}'", command, path("stdout"), path("stderr")).c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(path("stdout")), contents(path("stderr"))};
  }

  std::filesystem::path directory_;

 private:
  static constexpr const char* kWide = kVertexBits == 64 ? " --ids 64" : "";  // a test of 64-bit ids asks the programs for them

  static void expect_sentence(const Said& said, const std::string& arguments, int code, const std::string& words) {
    EXPECT_EQ(said.code, code) << arguments << "\n" << said.err;
    // A build without optimisation warns before it runs anything.
    std::string sentence;
    std::istringstream lines(said.err);
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("[W] ", 0) == 0) continue;
      EXPECT_TRUE(sentence.empty()) << "more than one sentence:\n" << said.err;
      sentence = line;
    }
    EXPECT_EQ(sentence.rfind("error: ", 0), 0u) << arguments << "\n" << said.err;
    EXPECT_NE(sentence.find(words), std::string::npos) << arguments << "\n" << said.err;
    EXPECT_TRUE(said.out.empty()) << said.out;
  }
};

}  // namespace graphrun::test
