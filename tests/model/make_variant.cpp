// SPDX-License-Identifier: Apache-2.0
// make_variant NAME OUT ROOT...: copies the sources under test, found below the roots, into the folder OUT. NAME is "original"
// or a bug, which the copy then has. Where the list of bugs no longer fits the sources, the copy is empty.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "bugs.hpp"

namespace {

/// The sources have changed, and the list of bugs has not.
struct Stale : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::filesystem::path find_source(std::string_view source, const std::vector<std::filesystem::path>& roots) {
  for (const auto& root : roots) {
    if (std::filesystem::exists(root / source)) return root / source;
  }
  throw std::runtime_error("there is no " + std::string(source));
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

void apply(const model::Change& change, std::string& text) {
  const std::size_t found = text.find(change.from);
  if (found == std::string::npos || text.find(change.from, found + 1) != std::string::npos) {
    throw Stale("tests/model/bugs.hpp changes a text that " + std::string(change.source) +
                " must have exactly once: " + std::string(change.from));
  }
  text.replace(found, change.from.size(), change.to);
}

std::vector<model::Change> changes_of(const std::string& name) {
  if (name == "original") return {};
  const auto bug = std::find_if(model::kBugs.begin(), model::kBugs.end(), [&](const auto& one) { return one.name == name; });
  if (bug == model::kBugs.end()) throw std::runtime_error("tests/model/bugs.hpp has no bug " + name);
  return bug->changes;
}

std::string changed(std::string_view source, std::string text, const std::vector<model::Change>& changes) {
  for (const model::Change& change : changes) {
    if (change.source == source) apply(change, text);
  }
  return text;
}

void make(const std::string& name, const std::filesystem::path& out, const std::vector<std::filesystem::path>& roots) {
  std::vector<model::Change> changes = model::kInstrumentation;
  const std::vector<model::Change> bug = changes_of(name);
  changes.insert(changes.end(), bug.begin(), bug.end());
  for (const std::string_view source : model::kSources)
    write(out / source, changed(source, read(find_source(source, roots)), changes));
}

/// Without scenarios the test of the variant fails; who works on the sources can build everything else meanwhile.
void make_empty(const std::filesystem::path& out) {
  for (const std::string_view source : model::kSources) write(out / source, "");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: make_variant NAME OUT ROOT...\n");
    return 2;
  }
  try {
    make(argv[1], argv[2], {argv + 3, argv + argc});
  } catch (const Stale& stale) {
    std::fprintf(stderr, "make_variant: %s: %s\n", argv[1], stale.what());
    make_empty(argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_variant: %s\n", error.what());
    return 1;
  }
  return 0;
}
