// SPDX-License-Identifier: Apache-2.0
// Seeds as files, for libFuzzer; and what an input stands for, for people and for graphconv.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "fuzz/packing.hpp"
#include "fuzz/seeds.hpp"

namespace graphrun::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUsage =
    "usage: fuzz_corpus seeds TARGET DIRECTORY          write the seeds of a target, a file each\n"
    "       fuzz_corpus unpack TARGET INPUT DIRECTORY   write the file or files that an input stands for\n";

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

void write_seeds(const std::string& target, const fs::path& directory) {
  const std::vector<Seed> seeds = seeds_of(target);
  if (seeds.empty()) throw std::runtime_error("there is no target " + target);
  fs::create_directories(directory);
  for (const Seed& seed : seeds) write_file(directory / seed.name, seed.bytes);
}

void unpack_input(const std::string& target, const fs::path& input, const fs::path& directory) {
  std::ifstream file(input, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  if (!file.is_open() || file.bad()) throw std::runtime_error("cannot read " + input.string());
  fs::create_directories(directory);
  for (const InputFile& made : unpack(target, bytes)) {
    const fs::path path = directory / ("input" + made.suffix);
    write_file(path, made.bytes);
    fmt::print("{}\n", path.string());
  }
}

}  // namespace
}  // namespace graphrun::fuzz

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    if (words.size() == 3 && words[0] == "seeds") {
      graphrun::fuzz::write_seeds(words[1], words[2]);
    } else if (words.size() == 4 && words[0] == "unpack") {
      graphrun::fuzz::unpack_input(words[1], words[2], words[3]);
    } else {
      fmt::print(stderr, graphrun::fuzz::kUsage);
      return 2;
    }
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "fuzz_corpus: {}\n", error.what());
    return 1;
  }
}
