// SPDX-License-Identifier: Apache-2.0
// graphconv --device: what is no device, devices that are not there, and the same bytes on those that are.
#include <fmt/format.h>

#include "graphrun/exec/cuda_device.hpp"
#include "run/cli.hpp"

namespace graphrun::test {
namespace {

class GraphconvDevice : public CliTest {
 protected:
  std::string grf(const std::string& name) const { return fmt::format("'{}'", path(name + ".grf")); }
  /// Returns a conversion's output.
  std::string converted(const std::string& options) const {
    const Said said = graphconv(fmt::format("kron:8:8 {} --weights random:1 {}", grf("made"), options));
    EXPECT_EQ(said.code, 0) << said.err;
    return contents(path("made.grf"));
  }
  void expect_the_bytes_of_the_cpu(const std::string& device) const {
    for (const char* options :
         {"", "--sort hubs-first", "--sort weight", "--relabel degree", "--drop-duplicates --drop-self-loops --undirected"}) {
      EXPECT_TRUE(converted(fmt::format("{} --device {}", options, device)) == converted(options)) << options;
    }
    for (const char* command : {"info", "check"}) {
      EXPECT_EQ(graphconv(fmt::format("{} {} --device {}", command, grf("made"), device)).out,
                graphconv(fmt::format("{} {}", command, grf("made"))).out);
    }
  }
};

TEST_F(GraphconvDevice, NoDevices) {
  for (const char* name : {"tpu", "cuda:", "cuda:x", "cuda:-1", "cpu:0"}) {
    expect_graphconv_error(fmt::format("path:4 {} --device {}", grf("out"), name), 2, "--device: ");
  }
  expect_graphconv_error(fmt::format("stripe {} --parts a,b --device cpu", grf("out")), 2, "means nothing to graphconv stripe");
  expect_graphconv_error(fmt::format("path:4 {} --device cuda --memory 64MiB", grf("out")), 2,
                         "--memory goes through scratch files");
}

TEST_F(GraphconvDevice, DevicesThatAreNotThere) {
  const std::string none = " --device cuda:999";
  const std::string words = "device cuda:999 cannot be used: ";
  expect_graphconv_error("path:4 " + grf("out") + none, 77, words);
  EXPECT_FALSE(std::filesystem::exists(path("out.grf")));
  expect_graphconv_error("info path:4" + none, 77, words);
  expect_graphconv_error("check path:4" + none, 77, words);
}

TEST_F(GraphconvDevice, AutomaticSaysWhatItChose) {
  const std::string made = converted("");
  const Said said = graphconv(fmt::format("kron:8:8 {} --weights random:1 --device AUTO", grf("made")));
  EXPECT_NE(said.err.find("device auto: using "), std::string::npos) << said.err;
  EXPECT_TRUE(contents(path("made.grf")) == made);
  expect_the_bytes_of_the_cpu("auto");
  EXPECT_TRUE(converted("--device auto --memory 64MiB") == converted(""));
}

TEST_F(GraphconvDevice, Cuda) {
  if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
  expect_the_bytes_of_the_cpu("cuda");
}

}  // namespace
}  // namespace graphrun::test
