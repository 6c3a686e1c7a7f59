// SPDX-License-Identifier: Apache-2.0
// What a fuzz target consists of. Each target is one source that defines what is declared here, linked with libFuzzer
// (libfuzzer_main.cpp) or with the program that replays inputs (replay_main.cpp).
#pragma once

#include <string_view>

namespace graphrun::fuzz {

/// What became of an input. Both are fine; they are told apart so that a run can say whether it saw both.
enum class Verdict { accepted, refused };

/// Name of the target: of a format, as --format takes it, or of another reader.
extern const std::string_view kTarget;

/// Runs one input, which may be anything. Throws when something is wrong with the program: Finding (oracle.hpp), or what
/// the library threw that was not meant for users.
Verdict fuzz_one(std::string_view input);

}  // namespace graphrun::fuzz
