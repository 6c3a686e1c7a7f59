// SPDX-License-Identifier: Apache-2.0
// A fuzz target without libFuzzer: runs files, or the seeds and a number of mutations of them. The test fuzz.NAME is this.
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "fuzz/mutate.hpp"
#include "fuzz/seeds.hpp"
#include "fuzz/target.hpp"
#include "fuzz/workplace.hpp"
#include "graphrun/core/timer.hpp"

namespace graphrun::fuzz {
namespace {

std::string program;  ///< fuzz_NAME, fuzz_NAME64

constexpr std::string_view kUsage =
    "usage: {0} [--mutations N] [--seed S] [--seconds T] [FILE...]\n"
    "  FILE           run these inputs instead of what follows\n"
    "  --mutations N  run the seeds and N mutations of them (default 1000)\n"
    "  --seed S       draw other mutations (default 1)\n"
    "  --seconds T    stop early, after this time (default: never)\n"
    "What is wrong is said on stderr, with exit code 1. When the process dies, the input is in {0}.last_input.\n";

struct Arguments {
  std::uint64_t mutations = 1000;
  std::uint64_t seed = 1;
  std::uint64_t seconds = ~std::uint64_t{0};
  std::vector<std::string> files;
};

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  return status == std::errc{} && rest == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::optional<Arguments> parse(const std::vector<std::string>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uint64_t* number = words[i] == "--mutations" ? &arguments.mutations
                            : words[i] == "--seed"    ? &arguments.seed
                            : words[i] == "--seconds" ? &arguments.seconds
                                                      : nullptr;
    if (number == nullptr) {
      if (words[i].starts_with("-")) return std::nullopt;
      arguments.files.push_back(words[i]);
      continue;
    }
    const auto value = i + 1 < words.size() ? parse_number(words[++i]) : std::nullopt;
    if (!value) return std::nullopt;
    *number = *value;
  }
  return arguments;
}

/// A file with the input that runs, for when the process does not survive it. It stays open: some file systems write a file to
/// the disk whenever it is closed after it was emptied.
class LastInput {
 public:
  LastInput() : path_(program + ".last_input"), file_(path_, std::ios::binary) {}

  std::string path() const { return std::filesystem::absolute(path_).string(); }
  void set(std::string_view input) {
    file_.seekp(0);
    file_.write(input.data(), static_cast<std::streamsize>(input.size()));
    if (!file_.flush()) throw std::runtime_error("cannot write " + path());
    std::filesystem::resize_file(path_, input.size());
  }
  void remove() const { std::filesystem::remove(path_); }

 private:
  std::string path_;
  std::ofstream file_;
};

/// Runs inputs until something is wrong with one.
class Runner {
 public:
  ~Runner() {
    if (!failed_) last_input_.remove();
  }

  /// `name` is for people.
  void run(const std::string& name, std::string_view input, bool must_be_accepted = false) {
    constexpr unsigned kMostSeconds = 30;
    if (failed_) return;
    last_input_.set(input);
    ::alarm(kMostSeconds);
    try {
      const Verdict verdict = fuzz_one(input);
      if (must_be_accepted && verdict == Verdict::refused) fail(name, "refused, though it is sound");
      ++(verdict == Verdict::accepted ? accepted_ : refused_);
    } catch (const std::exception& error) {
      fail(name, error.what());
    }
    ::alarm(0);
  }

  bool failed() const { return failed_; }
  void report(const std::string& what) {
    fmt::print("{}: {}: {} accepted, {} refused\n", program, what, accepted_, refused_);
    accepted_ = refused_ = 0;
  }

 private:
  void fail(const std::string& name, const std::string& what) {
    failed_ = true;
    fmt::print(stderr, "{0}: {1}: {2}\n  the input is in {3}; run it again: {0} FILE\n", program, name, what, last_input_.path());
  }

  LastInput last_input_;
  std::uint64_t accepted_ = 0;
  std::uint64_t refused_ = 0;
  bool failed_ = false;
};

void run_files(Runner& runner, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    std::ifstream file(path, std::ios::binary);
    const std::string input(std::istreambuf_iterator<char>(file), {});
    if (!file.is_open() || file.bad()) throw std::runtime_error("cannot read " + path);
    runner.run(path, input);
  }
  runner.report("files");
}

void run_mutations(Runner& runner, const Arguments& arguments) {
  const std::vector<Seed> seeds = seeds_of(kTarget);
  for (const Seed& seed : seeds) runner.run("seed " + seed.name, seed.bytes, seed.sound);
  runner.report("seeds");
  const Timer timer;
  std::uint64_t index = 0;
  for (; index < arguments.mutations && !runner.failed() && timer.elapsed_ms() < 1000.0 * static_cast<double>(arguments.seconds);
       ++index) {
    runner.run(fmt::format("mutation {} of seed {}", index, arguments.seed), mutation(seeds, arguments.seed, index));
  }
  runner.report(fmt::format("{} of {} mutations in {:.1f} s", index, arguments.mutations, timer.elapsed_ms() / 1000));
}

int run_with(const std::vector<std::string>& words) {
  const auto arguments = parse(words);
  if (!arguments) {
    fmt::print(stderr, kUsage, program);
    return 2;
  }
  prepare_process();
  Runner runner;
  if (arguments->files.empty()) {
    run_mutations(runner, *arguments);
  } else {
    run_files(runner, arguments->files);
  }
  return runner.failed() ? 1 : 0;
}

}  // namespace
}  // namespace graphrun::fuzz

int main(int argc, char** argv) {
  graphrun::fuzz::program = std::filesystem::path(argv[0]).filename().string();
  try {
    return graphrun::fuzz::run_with({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", graphrun::fuzz::program, error.what());
    return 1;
  }
}
