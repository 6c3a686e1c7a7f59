// SPDX-License-Identifier: Apache-2.0
// Graphs out of pipes, which can be read only once.
#include "io/pipe_input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "graphrun/io/convert.hpp"
#include "graphrun/io/estimate.hpp"
#include "graphrun/io/load.hpp"
#include "io/io_fixture.hpp"

namespace graphrun::test {
namespace {

class PipeTest : public IoTest {
 protected:
  void SetUp() override {
    IoTest::SetUp();
    ASSERT_EQ(::mkfifo(pipe().c_str(), 0600), 0);
  }
  std::string pipe() const { return path("pipe"); }

  /// Calls `use` while `content` goes through the pipe.
  template <class Use>
  void send(const std::string& content, const Use& use) {
    std::thread writer([&] { write("pipe", content); });
    use();
    writer.join();
  }
};

TEST_F(PipeTest, TextIsReadOnceAndUsedOften) {
  const std::string text = "# comment\n0 1 1\n1 2 0.5\n2 3 1\n";
  for (const std::string& content : {text, gzipped(text)}) {
    send(content, [&] {
      EXPECT_GT(estimate_load(pipe(), {}).peak_bytes, 0u);
      const Loaded loaded = load_graph(pipe(), {}, pool);
      EXPECT_EQ(loaded.graph.num_edges(), 3u);
      EXPECT_EQ(loaded.graph.weight_kind, WeightKind::f32);
      EXPECT_EQ(loaded.graph.name, "pipe");
    });
    // In windows weights that turn out to be f32 are a second pass.
    send(content, [&] {
      const Workspace space = Workspace::on_disk(directory.string(), 1000);
      EXPECT_EQ(load_graph(pipe(), {}, pool, space).graph.num_edges(), 3u);
    });
  }
}

// Without --memory the estimate read the pipe first, into the directory of temporary files.
TEST_F(PipeTest, AConversionKeepsItInTheScratchDirectory) {
  const int open_end = ::open(pipe().c_str(), O_RDWR);
  ASSERT_EQ(::write(open_end, "0 1\n", 4), 4);
  ConvertOptions options;
  options.scratch_directory = "/proc";  // where no file can be made
  EXPECT_CONTAINS(error_of<DataError>([&] { convert_graph(pipe(), path("g.grf"), options, pool); }), "/proc");
  ::close(open_end);
}

TEST_F(PipeTest, FaultsNameThePipe) {
  send("0 1\n1 x\n", [&] { EXPECT_CONTAINS(error_of<DataError>([&] { load_graph(pipe(), {}, pool); }), "pipe:2: expected"); });
  send("", [&] {
    EXPECT_CONTAINS(error_of<DataError>([&] { load_graph(pipe(), {}, pool); }), "pipe is empty: nothing came through the pipe");
  });
}

TEST_F(PipeTest, ContainersCannotComeThroughIt) {
  write_native(load_graph("path:3", {}, pool).graph, path("g.grf"), pool);
  const std::string container = read("g.grf");
  send(container, [&] {
    EXPECT_CONTAINS(error_of<DataError>([&] { load_graph(pipe(), {}, pool); }),
                    "pipe is a pipe, through which only text is read, and native container is binary: save it to a file first");
  });
}

TEST_F(PipeTest, ADashIsStandardInput) {
  const int kept = ::dup(STDIN_FILENO);
  std::thread writer([&] { write("pipe", "0 1\n1 2\n"); });
  const int fd = ::open(pipe().c_str(), O_RDONLY);
  ::dup2(fd, STDIN_FILENO);
  const Loaded loaded = load_graph("-", {}, pool);
  writer.join();
  ::close(fd);
  EXPECT_EQ(loaded.graph.num_edges(), 2u);
  EXPECT_EQ(loaded.graph.name, "stdin");

  const int file = ::open(write("e.txt", "0 1\n").c_str(), O_RDONLY);
  ::dup2(file, STDIN_FILENO);
  ::close(file);
  EXPECT_EQ(load_graph("-", {}, pool).graph.num_edges(), 1u);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::close(nothing);
  EXPECT_CONTAINS(error_of<DataError>([&] { load_graph("-", {}, pool); }), "/dev/stdin is empty");
  ::dup2(kept, STDIN_FILENO);
  ::close(kept);
}

}  // namespace
}  // namespace graphrun::test
