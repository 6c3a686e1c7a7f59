// SPDX-License-Identifier: Apache-2.0
// What must be true of a reader with any input.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>

#include "fuzz/target.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/graph/scratch.hpp"
#include "graphrun/io/load.hpp"

namespace graphrun::fuzz {

/// Something is wrong with the program under test.
struct Finding : std::logic_error {
  using std::logic_error::logic_error;
};

/// What loading came to: a graph, or the sentence that a user is told.
struct Outcome {
  std::optional<Graph> graph;
  std::string refusal;

  Verdict verdict() const { return graph ? Verdict::accepted : Verdict::refused; }
};

/// The threads that everything runs on: one, because inputs are too small to share, and because that is repeatable.
ThreadPool& pool();

/// load_graph; errors that are meant for users become refusals, all others fly on.
Outcome load(const std::string& spec, const LoadOptions& options, const Workspace& space = {});

/// Finding unless the outcomes are the same graph, in every column and fact, or refused in the same words. `how` ends the
/// sentence "... loaded ".
void expect_same(const Outcome& expected, const Outcome& actual, const std::string& how);

/// Loads `spec` and checks what came of it:
///  - a refusal is one line of printable text that names the file;
///  - a graph is consistent, comes out the same when it is put together in scratch files within as little memory as can be,
///    survives being written to the native container and read back, and when it is written in some other format, that
///    format's reader takes it.
Outcome check_load(const std::string& spec, const LoadOptions& options);

/// check_load with options that leave a graph as it is, and again with all that change one. Accepted when one of them was.
Verdict check_file(const std::string& path, const std::optional<FileFormat>& format);

}  // namespace graphrun::fuzz
