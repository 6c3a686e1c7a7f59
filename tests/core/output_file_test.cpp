// SPDX-License-Identifier: Apache-2.0

#include "graphrun/core/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "graphrun/core/error.hpp"
#include "support/file_size_limit.hpp"

namespace graphrun {
namespace {

using test::FileSizeLimit;

class OutputFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string made = (std::filesystem::temp_directory_path() / "graphrun_output_XXXXXX").string();
    ASSERT_NE(::mkdtemp(made.data()), nullptr);
    directory_ = made;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  void put(const std::string& name, const std::string& text) const { std::ofstream(path(name), std::ios::binary) << text; }
  std::string get(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator(directory_), std::filesystem::directory_iterator());
  }

  std::filesystem::path directory_;
};

/// Message of the DataError that `action` ends with; a failed test when it ends otherwise.
template <class Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const DataError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(OutputFileTest, TakesItsNameWhenCommitted) {
  OutputFile file(path("a"));
  file.write("one ");
  file.write("two\0", 4);
  EXPECT_EQ(file.written(), 8u);
  EXPECT_FALSE(std::filesystem::exists(path("a")));
  file.commit();
  EXPECT_EQ(get("a"), std::string("one two\0", 8));
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, AnEmptyFileIsAFile) {
  OutputFile(path("a")).commit();
  EXPECT_TRUE(std::filesystem::is_regular_file(path("a")));
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, WhatIsSkippedIsZerosWithoutRoom) {
  constexpr std::uint64_t kHole = 1 << 20;
  OutputFile file(path("holes"));
  file.write("a");
  file.skip(kHole);
  file.write("b");
  file.skip(kHole);
  EXPECT_EQ(file.written(), 2 + 2 * kHole);
  file.commit();
  EXPECT_EQ(get("holes"), "a" + std::string(kHole, '\0') + "b" + std::string(kHole, '\0'));
  struct stat status {};
  ASSERT_EQ(::stat(path("holes").c_str(), &status), 0);
  EXPECT_LT(static_cast<std::uint64_t>(status.st_blocks) * 512, kHole);
}

TEST_F(OutputFileTest, RelativeNamesWork) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory_);
  {
    OutputFile file("a");
    file.write("x");
    file.commit();
  }
  std::filesystem::current_path(before);
  EXPECT_EQ(get("a"), "x");
}

TEST_F(OutputFileTest, WithoutCommitTheTargetStaysAndNothingElse) {
  put("a", "old");
  {
    OutputFile file(path("a"));
    file.write("new");
  }
  { OutputFile file(path("b")); }
  EXPECT_EQ(get("a"), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, TheTargetIsReplacedNotRewritten) {
  put("a", "a long old text");
  std::ifstream reader(path("a"));
  OutputFile file(path("a"));
  file.write("new");
  EXPECT_EQ(get("a"), "a long old text");
  file.commit();
  EXPECT_EQ(get("a"), "new");
  const std::string seen{std::istreambuf_iterator<char>(reader), {}};
  EXPECT_EQ(seen, "a long old text") << "a reader that had opened the old file must see it whole";
  EXPECT_EQ(files(), 1);
}

// A file that its owner alone may read became one for all.
TEST_F(OutputFileTest, TheTargetKeepsItsMode) {
  put("a", "old");
  const auto secret = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
  std::filesystem::permissions(path("a"), secret);
  OutputFile file(path("a"));
  file.write("new");
  file.commit();
  EXPECT_EQ(std::filesystem::status(path("a")).permissions(), secret);
}

TEST_F(OutputFileTest, LinksStayLinks) {
  std::filesystem::create_directory(path("elsewhere"));
  put("elsewhere/a", "old");
  std::filesystem::create_symlink(path("elsewhere/a"), path("link"));
  OutputFile file(path("link"), SpecialTarget::refuse);
  file.write("new");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(get("elsewhere/a"), "new");
  EXPECT_EQ(files(), 2);
}

TEST_F(OutputFileTest, TheRemainsOfAKilledProcessHinderNobody) {
  const std::string remains = "a.tmp." + std::to_string(::getpid());  // process ids come back
  put(remains, "remains");
  {
    OutputFile file(path("a"));
    file.write("new");
    file.commit();
  }
  EXPECT_EQ(get("a"), "new");
  EXPECT_EQ(get(remains), "remains");
  EXPECT_EQ(files(), 2);
}

TEST_F(OutputFileTest, TwoWritersOfOneTargetDoNotMix) {
  OutputFile first(path("a"));
  OutputFile second(path("a"));
  first.write("first, longer");
  second.write("second");
  second.commit();
  EXPECT_EQ(get("a"), "second");
  first.commit();
  EXPECT_EQ(get("a"), "first, longer");
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, AFullDiskLeavesTheOldFileAndNothingElse) {
  put("a", "old");
  std::string message;
  {
    const FileSizeLimit limit(1000);
    message = error_of([&] {
      OutputFile file(path("a"));
      file.write(std::string(1500, 'x'));  // written in part, then refused
      file.commit();
    });
  }
  EXPECT_TRUE(contains(message, "cannot write " + path("a") + " at offset 1000")) << message;
  EXPECT_EQ(get("a"), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, FoldersThatAreMissingOrNotWritableAreFoundEarly) {
  for (const auto special : {SpecialTarget::write_directly, SpecialTarget::refuse}) {
    const std::string message = error_of([&] { OutputFile file(path("no/such/a"), special); });
    EXPECT_TRUE(contains(message, "cannot write " + path("no/such/a"))) << message;
    EXPECT_EQ(error_of([&] { check_writable(path("no/such/a"), special); }), message);
  }
}

TEST_F(OutputFileTest, AFolderWithoutPermissionIsFoundEarly) {
  std::filesystem::create_directory(path("locked"));
  put("locked/a", "old");
  ::chmod(path("locked").c_str(), 0555);
  ::chmod(directory_.c_str(), 0755);
  const bool root = ::geteuid() == 0;  // who may write into every folder
  if (root && ::seteuid(65534) != 0) GTEST_SKIP() << "root, and cannot be anybody else";
  const std::string writing = error_of([&] { OutputFile file(path("locked/a")); });
  const std::string checking = error_of([&] { check_writable(path("locked/b")); });
  ASSERT_TRUE(!root || ::seteuid(0) == 0);
  ::chmod(path("locked").c_str(), 0755);
  EXPECT_TRUE(contains(writing, "locked/a") && contains(writing, "ermission")) << writing;
  EXPECT_TRUE(contains(checking, "locked/b") && contains(checking, "ermission")) << checking;
  EXPECT_EQ(get("locked/a"), "old");
}

TEST_F(OutputFileTest, AFolderIsNoTarget) {
  std::filesystem::create_directory(path("folder"));
  EXPECT_TRUE(contains(error_of([&] { OutputFile file(path("folder")); }), "directory"));
  EXPECT_TRUE(contains(error_of([&] { check_writable(path("folder")); }), "directory"));
  EXPECT_TRUE(contains(error_of([&] { OutputFile file(path("folder"), SpecialTarget::refuse); }), "not a regular file"));
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, CheckingChangesNothing) {
  put("a", "old");
  check_writable(path("a"));
  check_writable(path("a"), SpecialTarget::refuse);
  check_writable(path("b"));
  EXPECT_EQ(get("a"), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, APipeIsWrittenDirectlyOrRefused) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  check_writable(path("pipe"));  // returns although no reader is there yet
  EXPECT_TRUE(contains(error_of([&] { check_writable(path("pipe"), SpecialTarget::refuse); }), "not a regular file"));
  const int reader = ::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  {
    OutputFile file(path("pipe"));
    file.write("through");
    file.commit();
  }
  char seen[16] = {};
  EXPECT_EQ(::read(reader, seen, sizeof(seen)), 7);
  EXPECT_STREQ(seen, "through");
  ::close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(path("pipe")));
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, AFullDeviceIsAnErrorAndStaysADevice) {
  if (!std::filesystem::is_character_file("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  check_writable("/dev/full");
  OutputFile file("/dev/full");
  const std::string message = error_of([&] { file.write("x"); });
  EXPECT_TRUE(contains(message, "cannot write /dev/full")) << message;
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

}  // namespace
}  // namespace graphrun
