// SPDX-License-Identifier: Apache-2.0
// Files that are written to while they are read, and files that were damaged all along: one sentence that names them.
#include "../apps/changed_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "graphrun/core/column.hpp"
#include "graphrun/graphrun.hpp"
#include "graphrun/transport/cached_pages.hpp"
#include "run/cli.hpp"

namespace graphrun::test {
namespace {

namespace fs = std::filesystem;

constexpr std::array kBackendNames = {"incore", "emogi", "uvm", "bam", "gpuvm", "subway"};

/// A mapped file and the handlers of a program.
class FaultDeathTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    write("mapped", std::string(1 << 16, 'a'));
  }
  /// What `body(region)` does ends a program with one sentence that names the file.
  template <class Body>
  void expect_explained(const std::string& sentence, const Body& body) const {
    const auto run = [&] {
      const program::ChangedFiles handlers;
      body(*Region::map_file(path("mapped")));
    };
    EXPECT_EXIT(run(), ::testing::ExitedWithCode(1), "^error: " + path("mapped") + sentence + "[^\n]*\n$");
  }
  void overwrite() const {
    std::fstream(path("mapped"), std::ios::in | std::ios::out | std::ios::binary) << "b";
    fs::last_write_time(path("mapped"), fs::last_write_time(path("mapped")) + std::chrono::seconds(1));
  }
  static void touch(const std::byte* at) { [[maybe_unused]] const auto seen = *reinterpret_cast<const volatile std::byte*>(at); }
  /// As an id does that is no vertex.
  static void index_out_of_range() {
    touch(Column<std::uint64_t>::allocate_guarded(10).region()->data() + (std::size_t{3} << 32));
  }
};

TEST_F(FaultDeathTest, AFileThatBecameShorterIsNamed) {
  expect_explained(" was written to", [&](const Region& region) {
    fs::resize_file(path("mapped"), 0);
    touch(region.data() + 5000);
  });
}

// It was called a scratch file once. That it became shorter stands for a disk that fails: no watched file is there.
TEST_F(FaultDeathTest, AFileWhosePagesAreReadInThePageCacheIsNamed) {
  const auto run = [&] {
    const program::ChangedFiles handlers;
    const int fd = ::open(path("mapped").c_str(), O_RDONLY);
    const CachedPages pages(path("mapped"), fd, fs::file_size(path("mapped")));
    fs::resize_file(path("mapped"), 0);
    touch(pages.data() + 5000);
  };
  EXPECT_EXIT(run(), ::testing::ExitedWithCode(1), "error: cannot read " + path("mapped") + ": its disk failed\n$");
}

// graphconv wrote zeros in place of what a disk could not read, and its exit code was 0. A file that was cut and is as before
// when it is looked at stands for a disk that fails.
TEST_F(FaultDeathTest, AFileThatWasReadAsZerosIsNamed) {
  const auto run = [&](const auto& end) {
    const program::ChangedFiles handlers;
    const auto region = Region::map_file(path("mapped"));
    region->file().read_zeros();
    const auto written = fs::last_write_time(path("mapped"));
    fs::resize_file(path("mapped"), 0);
    touch(region->data() + 5000);
    fs::resize_file(path("mapped"), 1 << 16);
    fs::last_write_time(path("mapped"), written);
    end();
  };
  const std::string sentence = "error: cannot read " + path("mapped") + ": its disk failed\n$";
  const auto wait = [] { std::this_thread::sleep_for(std::chrono::seconds(20)); };
  EXPECT_EXIT(run(wait), ::testing::ExitedWithCode(1), sentence);
  const auto finish = [] { std::exit(program::fault_of_files().empty() ? 0 : 3); };
  EXPECT_EXIT(run(finish), ::testing::ExitedWithCode(3), "");
}

TEST_F(FaultDeathTest, AnIdOutOfRangeOfAFileThatWasOverwritten) {
  if (kSanitized) GTEST_SKIP() << "sanitizers end a program themselves where an index is out of range";
  expect_explained(" was written to", [&](const Region&) {
    overwrite();
    index_out_of_range();
  });
}

TEST_F(FaultDeathTest, AnIdOutOfRangeOfAFileThatWasNotChecked) {
  if (kSanitized) GTEST_SKIP() << "sanitizers end a program themselves where an index is out of range";
  expect_explained(" is damaged: without --trust-file", [&](const Region& region) {
    region.file().set_unchecked();
    index_out_of_range();
  });
}

TEST_F(FaultDeathTest, ALoopThatDoesNotEndIsEnded) {
  expect_explained(" was written to", [&](const Region&) {
    overwrite();
    for (;;) std::this_thread::yield();
  });
}

// The watcher once waited for the end of a program that waited for the watcher.
TEST_F(FaultDeathTest, AProgramThatFailsWhileItsFileChangesEnds) {
  const auto run = [&] {
    {
      program::ChangedFiles handlers;
      const auto region = Region::map_file(path("mapped"));
      handlers.begin_to_end();
      overwrite();
      std::this_thread::sleep_for(std::chrono::milliseconds(150));  // a watcher would have looked
    }
    std::exit(2);
  };
  EXPECT_EXIT(run(), ::testing::ExitedWithCode(2), "^$");
}

TEST_F(FaultDeathTest, AFaultOfTheProgramStaysOne) {
  const auto run = [&] {
    const program::ChangedFiles handlers;
    const auto region = Region::map_file(path("mapped"));
    std::raise(SIGSEGV);
  };
  EXPECT_EXIT(run(), ::testing::KilledBySignal(SIGSEGV), "");
}

class ChangedFiles : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    ASSERT_EQ(graphconv("kron:11:8 " + path("whole.grf") + " --weights random:1 --quiet").code, 0);
    whole_ = contents(path("whole.grf"));
  }

  /// Runs over a fresh copy of the container; once its edges are placed, and long before the run could end, `change` is called.
  Said disturb(const std::string& arguments, const std::function<void()>& change) const {
    fs::remove(path("graph.grf"));
    fs::remove(path("stderr"));
    write("graph.grf", whole_);
    const std::jthread changer([&](const std::stop_token& stop) {
      while (!stop.stop_requested() && contents(path("stderr")).find("placed in") == std::string::npos) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      change();
    });
    return graphrun("--graph " + path("graph.grf") + " --verbose --threads 2 " + arguments);
  }

  void expect_named(const std::string& arguments, const std::function<void()>& change) const {
    const Said said = disturb(arguments + " --trials 1000000", change);
    if (said.code == 77 && arguments.find("uvm") != std::string::npos) return;  // where userfaultfd is not allowed
    EXPECT_EQ(said.code, 1) << arguments << "\n" << said.err;
    EXPECT_TRUE(said.out.empty()) << said.out;
    const std::size_t error = said.err.find("error");
    ASSERT_NE(error, std::string::npos) << arguments;
    EXPECT_EQ(said.err.substr(error), "error: " + path("graph.grf") + kWasWrittenTo + "\n") << arguments;
  }

  void put(std::size_t offset, const std::string& bytes) const {
    std::fstream file(path("graph.grf"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(offset));
    file << bytes;
  }

  std::string whole_;
};

std::string rubbish(std::size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  std::string text(bytes, '\0');
  for (char& byte : text) byte = static_cast<char>(random());
  return text;
}

/// Another process that does to a file what a seed says, until this goes.
class Disturber {
 public:
  enum class Kind { page_cache, same_bytes, other_bytes, size };  ///< what changes

  Disturber(const std::string& path, const std::string& whole, Kind kind, unsigned seed) : child_(::fork()) {
    if (child_ == 0) disturb(path, whole, kind, seed);
  }
  ~Disturber() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  Disturber(const Disturber&) = delete;
  Disturber& operator=(const Disturber&) = delete;

 private:
  [[noreturn]] static void disturb(const std::string& path, const std::string& whole, Kind kind, unsigned seed) {
    constexpr std::size_t kMostPages = 64;
    constexpr unsigned kMostDelayUs = 30'000;  // at any time of a run, also while the file is opened and checked
    constexpr unsigned kMostPauseUs = 500;
    const int fd = ::open(path.c_str(), O_RDWR);
    std::mt19937 random(seed);
    std::vector<char> memory(kMostPages * 4096);
    if (kind != Kind::page_cache) ::usleep(random() % kMostDelayUs);
    for (;; ::usleep(random() % kMostPauseUs)) {
      const std::size_t begin = random() % (whole.size() / 4096) * 4096;
      const std::size_t bytes = std::min(whole.size() - begin, (1 + random() % kMostPages) * 4096);
      const auto at = static_cast<off_t>(begin);
      [[maybe_unused]] ssize_t moved = 0;
      switch (random() % 4) {
        case 0:
          ::posix_fadvise(fd, at, static_cast<off_t>(bytes), POSIX_FADV_DONTNEED);
          break;
        case 1:
          moved = ::pread(fd, memory.data(), bytes, at);
          break;
        case 2:
          ::fdatasync(fd);
          ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
          break;
        default:
          if (kind == Kind::same_bytes) moved = ::pwrite(fd, whole.data() + begin, bytes, at);
          if (kind == Kind::other_bytes) moved = ::pwrite(fd, rubbish(bytes, seed).data(), bytes, at);
          if (kind == Kind::size) moved = ::ftruncate(fd, at + static_cast<off_t>(random() % 2 * whole.size()));
      }
    }
  }

  pid_t child_;
};

// SPIN's promise (section 4.4): a page is the file's by every route. GRAPHRUN_ROUTE_RUNS: number of runs.
TEST_F(ChangedFiles, RunsAreRightOrNameTheFileWhileAnotherProcessDisturbsThePageCache) {
  constexpr std::array kAlgorithms = {"bfs", "sssp", "cc", "pagerank --tolerance 1e-7"};
  constexpr std::array kRoutes = {"auto", "page-cache", "direct"};
  const char* wanted = std::getenv("GRAPHRUN_ROUTE_RUNS");
  const unsigned runs = wanted != nullptr ? static_cast<unsigned>(std::atoi(wanted)) : 24;
  std::vector<nlohmann::json> expected;
  for (const char* algorithm : kAlgorithms) {
    expected.push_back(
        json_of(fmt::format("--graph {} --backend incore --quiet --algo {}", path("whole.grf"), algorithm))["result"]);
  }
  unsigned right = 0;
  for (unsigned run = 0; run < runs; ++run) {
    std::mt19937 random(run);
    const std::size_t algorithm = run % kAlgorithms.size();
    const auto kind = kSanitized ? Disturber::Kind::page_cache
                                 : static_cast<Disturber::Kind>(std::max(2u, static_cast<unsigned>(random() % 6)) - 2);
    fs::remove(path("graph.grf"));
    write("graph.grf", whole_);  // which leaves it cached and not on the disk
    if (random() % 2 == 0) say("sync " + path("graph.grf"));
    const bool keeps_bytes = kind == Disturber::Kind::page_cache || kind == Disturber::Kind::same_bytes;
    const std::string options =
        fmt::format("--algo {} --route {}{}{}", kAlgorithms[algorithm], kRoutes[random() % kRoutes.size()],
                    random() % 2 == 0 ? " --warm" : "", keeps_bytes && random() % 2 == 0 ? " --trust-file" : "");
    const Disturber disturber(path("graph.grf"), whole_, kind, run);
    const Said said = graphrun(fmt::format("--graph {} --backend bam --threads 2 --cache 64KiB --trials 3 --verify --quiet "
                                           "--json - {}",
                                           path("graph.grf"), options),
                               "exec timeout 60 ");
    const std::string what = fmt::format("run {}, {}: {}", run, options, said.err);
    if (said.code != 0) {
      EXPECT_NE(kind, Disturber::Kind::page_cache) << what;
      EXPECT_EQ(said.code, 1) << what;
      EXPECT_EQ(said.err.rfind("error: ", 0), 0u) << what;
      EXPECT_NE(said.err.find(path("graph.grf")), std::string::npos) << what;
      EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << what;
      continue;
    }
    ++right;
    nlohmann::json result = nlohmann::json::parse(said.out, nullptr, false);
    EXPECT_EQ(result["verdict"], "verified") << what;
    result = result["result"];
    if (result.contains("top")) {
      // Threads race. A run ends when a sweep changes 1e-7 in sum, and is then within d / (1 - d) of the solution.
      constexpr double kApart = 2 * 1e-7 * 0.85 / (1 - 0.85);
      EXPECT_NEAR(result["top"][0]["score"].get<double>(), expected[algorithm]["top"][0]["score"].get<double>(), kApart) << what;
    } else {
      EXPECT_EQ(result, expected[algorithm]) << what;
    }
  }
  fmt::print("{} of {} runs were right, the others named the file\n", right, runs);
}

// Neighbours are indices into arrays, and kernels do not check them.
TEST_F(ChangedFiles, RandomBytesUnderARunNameTheFile) {
  if (kSanitized) GTEST_SKIP() << "sanitizers end a program themselves where an index is out of range";
  unsigned seed = 1;
  for (const char* backend : kBackendNames) {
    for (const char* run : {"--algo bfs --verify", "--algo sssp", "--algo cc --verify", "--algo pagerank"}) {
      expect_named(fmt::format("{} --backend {}", run, backend), [&] { put(4096, rubbish(whole_.size() - 4096, ++seed)); });
    }
  }
}

TEST_F(ChangedFiles, AGraphThatIsCutOrLengthenedUnderARunIsNamed) {
  for (const char* backend : kBackendNames) {
    const std::string run = fmt::format("--algo bfs --backend {}", backend);
    expect_named(run, [&] { fs::resize_file(path("graph.grf"), 4096); });
    expect_named(run + " --verify", [&] { put(whole_.size(), "more"); });
  }
  for (const char* route : {"page-cache", "auto"}) {
    const std::string run = fmt::format("--algo pagerank --backend bam --warm --route {}", route);
    expect_named(run, [&] { fs::resize_file(path("graph.grf"), 4096); });
    expect_named(run, [&] { put(4096, rubbish(4096, 1)); });
  }
}

TEST_F(ChangedFiles, AnotherFileOfTheSameNameIsNoChange) {
  const Said said = disturb("--algo bfs --backend bam --trials 50 --verify", [&] {
    write("other", "something else");
    fs::rename(path("other"), path("graph.grf"));
  });
  EXPECT_EQ(said.code, 0) << said.err;
}

TEST_F(ChangedFiles, TextThatIsCutWhileItIsReadIsNamed) {
  std::string lines;
  while (lines.size() < std::size_t{8} << 20) lines += "123456 234567\n";
  write("arcs.el", lines);
  const std::string writer = "(while [ -e " + path("arcs.el") + " ]; do truncate -c -s 5000000 " + path("arcs.el") +
                             "; truncate -c -s 8000000 " + path("arcs.el") + "; done) & ";
  const Said said = graphconv(path("arcs.el") + " " + path("out.grf") + " --quiet --threads 1", writer);
  EXPECT_EQ(said.code, 1);
  // Another thread may warn of what it read before and while the error is said.
  std::istringstream said_lines(said.err);
  int errors = 0;
  for (std::string line; std::getline(said_lines, line);) {
    if (line.starts_with("error: " + path("arcs.el")))
      ++errors;
    else
      EXPECT_TRUE(line.starts_with("[W] ")) << line;
  }
  EXPECT_EQ(errors, 1) << said.err;
}

// Offsets that fall, and ids that are no vertices, once kept some backends busy for ever.
TEST_F(ChangedFiles, DamagedContainersThatAreTrustedEnd) {
  if (kSanitized) GTEST_SKIP() << "sanitizers end a program themselves where an index is out of range";
  std::mt19937 random(1);
  for (int i = 0; i < 48; ++i) {
    std::string bytes = whole_;
    const int damages = 1 << random() % 8;
    for (int k = 0; k < damages; ++k) bytes[4096 + random() % (bytes.size() - 4096)] = static_cast<char>(random());
    write("damaged.grf", bytes);
    constexpr std::array kRuns = {"bfs", "bfs --variant push", "sssp", "cc", "cc --variant hooking --verify", "pagerank"};
    const std::string run = fmt::format("--graph {} --trust-file --quiet --backend {} --algo {}", path("damaged.grf"),
                                        kBackendNames[i % kBackendNames.size()], kRuns[i / kBackendNames.size() % kRuns.size()]);
    const Said said = graphrun(run, "exec timeout 20 ");
    if (said.code == 0 || (said.code == 77 && run.find("--backend uvm") != std::string::npos)) continue;
    EXPECT_EQ(said.code, 1) << run << "\n" << said.err;
    EXPECT_EQ(said.err.rfind("error: " + path("damaged.grf"), 0), 0u) << run << "\n" << said.err;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << run << "\n" << said.err;
  }
}

// A program of one's own died of SIGBUS where graphrun said what had happened.
TEST_F(ChangedFiles, ACutContainerIsAnErrorOfTheLibrary) {
  for (const char* backend : {"emogi", "incore", "bam"}) {
    for (const std::uint64_t left : {std::uint64_t{0}, std::uint64_t{8192}, whole_.size() / 2}) {
      const bool placed = left != 8192;
      write("cut.grf", whole_);
      const Graph graph = open(path("cut.grf"));
      Engine engine(graph, {.backend = backend, .device = "cpu"});
      if (placed) engine.run(Bfs{});
      fs::resize_file(path("cut.grf"), left);
      try {
        engine.run(ConnectedComponents{.verify = true});
        ADD_FAILURE() << "an answer over " << backend << ", of " << left << " bytes";
      } catch (const DataError& error) {
        EXPECT_EQ(error.what(), path("cut.grf") + kWasWrittenTo);
      }
      fs::remove(path("cut.grf"));
    }
  }
}

}  // namespace
}  // namespace graphrun::test
