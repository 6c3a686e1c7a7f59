// SPDX-License-Identifier: Apache-2.0
// Edges of a text by the names that it gives vertices, and what is said of it.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "graphrun/io/load.hpp"
#include "io/io_fixture.hpp"

namespace graphrun::test {

class ColumnsTest : public IoTest {
 protected:
  /// The arcs as "source>target:weight" in the file's names; the same in memory, in scratch files, and by any number of threads.
  std::string arcs(const std::string& name, const std::string& content, const LoadOptions& options = {}) {
    const std::string file = write(name, content);
    const std::string whole = arcs_of(load_graph(file, options, pool).graph);
    EXPECT_EQ(arcs_of(load_graph(file, options, one_thread).graph), whole);
    for (const std::uint64_t memory : {std::uint64_t{1'000'000}, std::uint64_t{1} << 25}) {
      const Workspace space = Workspace::on_disk(directory.string(), memory);
      EXPECT_EQ(arcs_of(load_graph(file, options, pool, space).graph), whole);
    }
    return whole;
  }

  static std::string arcs_of(const Graph& graph) {
    std::string text;
    for (VertexId v = 0; v < graph.num_vertices(); ++v) {
      for (EdgeId e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; ++e) {
        text += fmt::format("{}{}>{}", text.empty() ? "" : " ", graph.names.text(v), graph.names.text(graph.out.neighbours[e]));
        if (graph.weight_kind != WeightKind::none) text += ":" + graph.weight_text(graph.out.weights[e]);
      }
    }
    return text;
  }

  /// What the log says of it.
  std::string log_of(const std::string& name, const std::string& content, const LoadOptions& options = {}) {
    const std::string file = write(name, content);
    ::testing::internal::CaptureStderr();
    load_graph(file, options, pool);
    return ::testing::internal::GetCapturedStderr();
  }

  template <class E>
  std::string fault(const std::string& name, const std::string& content, const LoadOptions& options = {}) {
    const std::string file = write(name, content);
    const std::string message = error_of<E>([&] { load_graph(file, options, pool); });
    const Workspace space = Workspace::on_disk(directory.string(), 10'000);
    EXPECT_EQ(error_of<E>([&] { load_graph(file, options, pool, space); }), message);
    return message;
  }

  static LoadOptions columns(std::vector<std::string> names) {
    LoadOptions options;
    options.columns = std::move(names);
    return options;
  }
  static LoadOptions ids(IdPolicy policy) {
    LoadOptions options;
    options.ids = policy;
    return options;
  }

  ThreadPool one_thread{1};
};

}  // namespace graphrun::test
