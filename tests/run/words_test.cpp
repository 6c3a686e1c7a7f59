// SPDX-License-Identifier: Apache-2.0
// Code calls things by the names of the field, so that a reader needs no glossary of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>

namespace graphrun::test {
namespace {

// Names that were private to this project; one that ends in '_' stands for all that begin so.
constexpr std::string_view kPrivateNames[] = {
    "Heads",      "ListHeads",      "DeviceHeads",      "lets_kernels_stay", "DeviceStayingView",
    "pages_stay", "meet_after_",    "hand_out",         "hand_out_",         "is_thin",
    "Habits",     "LinkHabits",     "Attendance",       "why_unread",        "refuse_unread",
    "Places",     "PlacedOn",       "as_rank_0_has_it", "alone()",           "heads_of",
    "HeadLength", "kMostHeadEdges", "HandedOut",        "HeadPart"};

// Clauses of comments in place of nouns.
constexpr std::string_view kClauses[] = {"those of which", "in place of which", "none of which there may be"};

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Returns whether `text` holds the identifier, or one with this prefix where `name` ends in '_'.
bool has_name(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool ends = name.back() == '_' || name.back() == ')' || end == text.size() || !is_letter(text[end]);
    if (ends && (at == 0 || !is_letter(text[at - 1]))) return true;
  }
  return false;
}

/// The comments of a source, with sentences that go on in the next line joined.
std::string comments_of(std::istream& source) {
  std::string comments;
  for (std::string line; std::getline(source, line);) {
    const std::size_t begin = line.find("//");
    const std::size_t text = begin == line.npos ? begin : line.find_first_not_of("/< ", begin);
    comments += text == line.npos ? "\n" : line.substr(text) + " ";
  }
  return comments;
}

void for_each_source(const std::function<void(const std::string& name, std::ifstream& source)>& use) {
  const std::filesystem::path root = GRAPHRUN_SOURCE_DIR;
  constexpr std::string_view kSuffixes[] = {".cpp", ".hpp", ".cu", ".cuh"};
  int files = 0;
  for (const char* folder : {"src", "include", "apps"}) {
    for (const auto& file : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (std::ranges::find(kSuffixes, file.path().extension().string()) == std::end(kSuffixes)) continue;
      std::ifstream source(file.path());
      use(file.path().lexically_relative(root).string(), source);
      ++files;
    }
  }
  EXPECT_GT(files, 300);
}

// Readers looked in vain for "heads", "habits" and "meetings" in papers and in other codes.
TEST(Words, OfIdentifiersWerePrivate) {
  EXPECT_TRUE(has_name("return alone() ? 1 : 2;", "alone()") && has_name("hand_out_list(x)", "hand_out_"));
  EXPECT_FALSE(has_name("pushes_alone()", "alone()") || has_name("kPlacesAhead", "Places"));
  for_each_source([](const std::string& name, std::ifstream& source) {
    int number = 0;
    for (std::string line; std::getline(source, line);) {
      ++number;
      for (const std::string_view word : kPrivateNames)
        EXPECT_FALSE(has_name(line, word)) << name << ":" << number << ": " << line;
    }
  });
}

// "heads of lists, none of which there may be" had to be read twice.
TEST(Words, OfCommentsWereClausesInPlaceOfNouns) {
  for_each_source([](const std::string& name, std::ifstream& source) {
    const std::string comments = comments_of(source);
    for (const std::string_view clause : kClauses) EXPECT_EQ(comments.find(clause), comments.npos) << name << ": " << clause;
  });
}

}  // namespace
}  // namespace graphrun::test
