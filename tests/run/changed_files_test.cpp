// Files that are written to while they are read, and files that were damaged all along: one sentence that names them.
#include "../apps/changed_files.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <thread>

#include "graphrun/core/column.hpp"
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
    if (said.code == 77) return;  // uvm where userfaultfd is not allowed
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
  EXPECT_NE(said.err.find("error: " + path("arcs.el")), std::string::npos) << said.err;
  EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
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
    if (said.code == 0 || said.code == 77) continue;
    EXPECT_EQ(said.code, 1) << run << "\n" << said.err;
    EXPECT_EQ(said.err.rfind("error: " + path("damaged.grf"), 0), 0u) << run << "\n" << said.err;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << run << "\n" << said.err;
  }
}

}  // namespace
}  // namespace graphrun::test
