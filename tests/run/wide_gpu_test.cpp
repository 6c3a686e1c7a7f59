// SPDX-License-Identifier: Apache-2.0
// Runs of GPUs with 64-bit ids, and how others are rejected or left to the CPU. No test needs a GPU: it is only described.
#include <gtest/gtest.h>

#include <string>

#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/graphrun.hpp"
#include "graphrun/run/resolve.hpp"
#include "support/refusal.hpp"

namespace graphrun::test {
namespace {

const Device kGpu{DeviceKind::cuda, 0};

RunOptions request(const std::string& algorithm, const std::string& backend, const std::string& variant = "") {
  RunOptions options;
  set_option(options, "algo", algorithm);
  set_option(options, "backend", backend);
  if (!variant.empty()) set_option(options, "variant", variant);
  return options;
}

ResolvedRun resolve_on_gpu(const RunOptions& options, const std::string& device) {
  static const Graph graph = open("kron:6:4");
  RunOptions placed = options;
  placed.device = device;
  return resolve(placed, graph, kGpu, nullptr, false);
}

/// Expects that a GPU that is named refuses `options`, and that "auto" leaves it to the CPU and says why. With 32-bit ids it is
/// run.
void expect_left_to_the_cpu(const RunOptions& options, const std::string& what) {
  SCOPED_TRACE(what);
  if (kGpusRunAll) {
    EXPECT_EQ(resolve_on_gpu(options, "cuda:0").device.kind, DeviceKind::cuda);
    EXPECT_EQ(resolve_on_gpu(options, "auto").why_device, "");
    return;
  }
  const std::string sentence = "a GPU does not run " + what +
                               " with 64-bit ids, but bfs, sssp, cc, pagerank over incore, emogi, uvm: choose --device cpu, or "
                               "32-bit ids for a graph of fewer than 2^32 vertices";
  EXPECT_EQ(refusal([&] { resolve_on_gpu(options, "cuda:0"); }), sentence);
  const ResolvedRun run = resolve_on_gpu(options, "auto");
  EXPECT_EQ(run.device.kind, DeviceKind::cpu);
  EXPECT_EQ(run.why_device, sentence);
}

TEST(WideIdsOnAGpu, RunDirectViewsOfTheAlgorithmsOfPapers) {
  for (const char* algorithm : {"bfs", "sssp", "cc", "pagerank"}) {
    for (const char* backend : {"incore", "emogi", "uvm"}) {
      for (const char* device : {"cuda:0", "auto"}) {
        const ResolvedRun run = resolve_on_gpu(request(algorithm, backend), device);
        EXPECT_EQ(run.device.kind, DeviceKind::cuda) << algorithm << backend;
        EXPECT_EQ(run.why_device, "");
      }
    }
  }
}

TEST(WideIdsOnAGpu, LeaveTheRestToTheCpu) {
  for (const char* algorithm : {"bc", "tc"}) {
    for (const char* backend : {"incore", "bam", "auto"}) {
      if (kGpusRunAll && std::string(backend) == "auto") continue;  // plans look at the GPU itself
      expect_left_to_the_cpu(request(algorithm, backend), algorithm);
    }
  }
  for (const char* algorithm : {"bfs", "sssp", "cc", "pagerank"}) {
    for (const char* backend : {"bam", "gpuvm", "subway"})
      expect_left_to_the_cpu(request(algorithm, backend), std::string(algorithm) + " over " + backend);
  }
  expect_left_to_the_cpu(request("sssp", "emogi", "prefix"), "sssp by prefix");
  RunOptions batch = request("bfs", "emogi");
  batch.batch = true;
  expect_left_to_the_cpu(batch, "batches of bfs");
}

// Records used to be preferred wherever a file has them.
TEST(WideIdsOnAGpu, LeaveNoChoiceOfAVariantToRecords) {
  ThreadPool pool(1);
  Graph graph = open("kron:8:32");
  assign_weights(graph, {.kind = WeightSource::Kind::random, .seed = 1}, pool);
  add_records(graph, pool);
  const auto variant = [&](const Device& device) {
    return resolve(request("sssp", "emogi"), graph, device, nullptr, false).text();
  };
  EXPECT_EQ(variant({}), "sssp by prefix");
  EXPECT_EQ(variant(kGpu), kGpusRunAll ? "sssp by prefix" : "sssp by delta-stepping");
}

TEST(WideIdsOnAGpu, AnotherDeviceIsAnotherPlacement) {
  const Graph graph = open("kron:6:4");
  const ResolvedRun first = resolve(request("cc", "incore"), graph, kGpu, nullptr, false);
  EXPECT_TRUE(resolve(request("cc", "incore"), graph, kGpu, &first, true).stays);
  const ResolvedRun second = resolve(request("tc", "incore"), graph, kGpu, &first, true);
  EXPECT_EQ(second.stays, kGpusRunAll);
  EXPECT_EQ(second.device.kind, kGpusRunAll ? DeviceKind::cuda : DeviceKind::cpu);
}

// Where a GPU has no room for the edges, nor the host, there is no bam to fall back to.
TEST(WideIdsOnAGpu, WithoutRoomAutoTakesTheCpu) {
  if (why_no_cuda(0).empty()) GTEST_SKIP() << "there is a GPU, which has room";
  const RunOptions options = request("bfs", "auto");
  EXPECT_THROW(resolve_on_gpu(options, "cuda:0"), UnavailableError);
  if (kGpusRunAll) return;
  const ResolvedRun run = resolve_on_gpu(options, "auto");
  EXPECT_EQ(run.device.kind, DeviceKind::cpu);
  EXPECT_NE(run.why_device.find("bam: a GPU does not run it with 64-bit ids"), std::string::npos) << run.why_device;
}

TEST(WideIdsOnAGpu, AnEngineTakesTheGpuAndTheCpuInTurn) {
  if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
  Engine engine(open("kron:8:8"), {.backend = "incore"});
  for (const char* algorithm : {"cc", "tc", "cc"}) {
    const Answer answer = engine.run(algorithm, {{"verify", "serial"}});
    EXPECT_TRUE(answer.verified()) << algorithm;
    const bool on_gpu = kGpusRunAll || std::string(algorithm) == "cc";
    EXPECT_EQ(answer.result().run->device.kind, on_gpu ? DeviceKind::cuda : DeviceKind::cpu) << algorithm;
  }
}

TEST(WideIdsOnAGpu, LeaveSamplesToTheCpu) {
  if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
  const Sampling what{.starts = {1}, .fanouts = {2}};
  Engine named(open("kron:8:8"), {.backend = "incore", .device = "cuda"});
  const std::string said = refusal([&] { named.run(what); });
  EXPECT_EQ(said.find("a GPU does not run sample with 64-bit ids") == 0, !kGpusRunAll) << said;
  Engine open_to_all(open("kron:8:8"), {.backend = "incore"});
  EXPECT_EQ(open_to_all.run(what).values().hops.size(), 1u);
}

TEST(WideIdsOnAGpu, SessionsOverOtherViewsAreRefused) {
  const auto is_accepted = [](const Device& device, const BackendOptions& options) {
    return refusal([&] { check_ids(device, options); }) == "it was accepted";
  };
  BackendOptions options;
  for (const Preset& preset : kPresets) {
    options.kind = preset.kind;
    EXPECT_EQ(is_accepted(kGpu, options), has_gpu_views(preset));
    EXPECT_TRUE(is_accepted({}, options));
  }
  options.kind = BackendKind::emogi;
  options.records = true;
  EXPECT_EQ(is_accepted(kGpu, options), kGpusRunAll);
}

}  // namespace
}  // namespace graphrun::test
