// SPDX-License-Identifier: Apache-2.0

#include "graphrun/core/command_line.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "graphrun/core/error.hpp"

namespace graphrun {
namespace {

const OptionText kOptions[] = {
    {"Run", "output", "FILE", "where to"},
    {"Run", "verify", nullptr, "a switch"},
    {"Other", "help", nullptr, "a switch with a letter", 'h'},
    {.group = "Other", .name = "how", .argument = "[H]", .help = "", .range = {.names = {"well", "so-so"}}, .implied = "well"},
    {.group = "Other", .name = "text", .argument = "[T]", .help = "", .implied = "-"},
};

CommandLine parse(const std::vector<const char*>& arguments) { return CommandLine("program", kOptions, arguments); }

std::string refusal(const std::vector<const char*>& arguments) {
  try {
    parse(arguments);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "it was accepted";
}

TEST(CommandLine, OptionsSwitchesAndNames) {
  const CommandLine given = parse({"in", "--output", "-1", "-", "--verify", "--", "--help"});
  EXPECT_EQ(given.value("output"), "-1");
  EXPECT_TRUE(given.has("verify"));
  EXPECT_FALSE(given.has("help"));
  EXPECT_EQ(given.names(), (std::vector<std::string>{"in", "-", "--help"}));
  EXPECT_EQ(parse({"a,b", "c"}).names(), (std::vector<std::string>{"a,b", "c"}));
  EXPECT_EQ(parse({"--output=a=b"}).value("output"), "a=b");
  EXPECT_TRUE(parse({"-h"}).has("help"));
  EXPECT_THROW(given.has("outptu"), std::logic_error);
}

TEST(CommandLine, AValueThatMayBeLeftOutIsTheNextArgumentOnlyWhereThatIsOne) {
  EXPECT_EQ(parse({"--how"}).value("how"), "well");
  EXPECT_EQ(parse({"--how", "--verify"}).value("how"), "well");
  EXPECT_TRUE(parse({"--how", "--verify"}).has("verify"));
  EXPECT_EQ(parse({"--how", "file"}).value("how"), "well");
  EXPECT_EQ(parse({"--how", "file"}).names(), std::vector<std::string>{"file"});
  EXPECT_EQ(parse({"--how", "so-so", "file"}).value("how"), "so-so");
  EXPECT_EQ(parse({"--how", "So_So"}).value("how"), "So_So");
  EXPECT_TRUE(parse({"--how", "so-so"}).names().empty());
  EXPECT_EQ(parse({"--how=badly"}).value("how"), "badly");
  EXPECT_FALSE(parse({"--", "--how"}).has("how"));
  EXPECT_EQ(parse({"--", "--how"}).names(), std::vector<std::string>{"--how"});
  EXPECT_EQ(refusal({"--output", "--how"}), "--output needs a value, and --how is another option");
  EXPECT_EQ(refusal({"--how="}), "--how was given nothing");
}

TEST(CommandLine, AnyTextThatMayBeLeftOutIsTheNextArgumentUnlessThatIsAnOption) {
  EXPECT_EQ(parse({"--text"}).value("text"), "-");
  EXPECT_EQ(parse({"--text", "--verify"}).value("text"), "-");
  EXPECT_EQ(parse({"--text", "-h"}).value("text"), "-");
  EXPECT_EQ(parse({"--text", "file"}).value("text"), "file");
  EXPECT_EQ(parse({"--text", "-"}).value("text"), "-");
  EXPECT_TRUE(parse({"--text", "-"}).names().empty());
}

TEST(CommandLine, LettersStandTogetherAndBeforeTheirValue) {
  const OptionText letters[] = {{"A", "quiet", nullptr, "", 'q'}, {"A", "threads", "N", "", 'j'}, {"A", "name", "NAME", ""}};
  const auto parsed = [&](const std::vector<const char*>& arguments) { return CommandLine("program", letters, arguments); };
  for (const std::vector<const char*>& form :
       std::vector<std::vector<const char*>>{{"-qj4"}, {"-q", "-j", "4"}, {"-qj", "4"}, {"-j4", "-q"}}) {
    EXPECT_TRUE(parsed(form).has("quiet"));
    EXPECT_EQ(parsed(form).value("threads"), "4");
  }
  EXPECT_EQ(parsed({"--name", "-q1"}).value("name"), "-q1");
  EXPECT_THROW(parsed({"-qx"}), UsageError);
}

TEST(CommandLine, EachMistakeIsOneSentence) {
  EXPECT_EQ(refusal({"--ouput", "x"}), "'--ouput' is not an option (did you mean '--output'?): see program --help");
  EXPECT_EQ(refusal({"--ouput=x"}), "'--ouput=x' is not an option (did you mean '--output'?): see program --help");
  EXPECT_EQ(refusal({"-output", "x"}), "'-output' is not an option: write --output");
  EXPECT_EQ(refusal({"-x"}), "'-x' is not an option: see program --help");
  EXPECT_EQ(refusal({"--output"}), "--output needs a value: see program --help");
  EXPECT_EQ(refusal({"--output", "--verify"}), "--output needs a value, and --verify is another option");
  EXPECT_EQ(refusal({"--output", ""}), "--output was given nothing");
  EXPECT_EQ(refusal({"--output="}), "--output was given nothing");
  EXPECT_NE(refusal({"--verify=no"}).find("no"), std::string::npos);
}

TEST(CommandLine, HelpKeepsWithinItsWidth) {
  const std::string longest(400, 'x');
  const std::string words =
      "some words " + longest + " and some more words that go on until a line of a hundred and twenty is full";
  const OptionText options[] = {{"Run", "an-option-with-a-long-name", "ARGUMENT", words.c_str()}};
  std::istringstream help(options_help(options));
  std::string all;
  for (std::string line; std::getline(help, line);) {
    EXPECT_TRUE(line.size() <= 120 || line.find(longest) != std::string::npos) << line;
    all += line;
  }
  EXPECT_NE(all.find("--an-option-with-a-long-name ARGUMENT"), std::string::npos);
  EXPECT_NE(all.find("is full"), std::string::npos);
}

}  // namespace
}  // namespace graphrun
