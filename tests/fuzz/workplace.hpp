// SPDX-License-Identifier: Apache-2.0
// Where a fuzz target puts its files, and what the process may take.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/packing.hpp"

namespace graphrun::fuzz {

/// To be called once, before the first input: only warnings are logged, and the process gets no more than a gigabyte of
/// address space beyond what it has, so that a reader that believes a header's counts is found out. Sanitizers' shadow memory
/// is mapped before and does not count.
void prepare_process();

/// A directory of this process's own, in TMPDIR or else in memory (/dev/shm) where there is such a thing. It is removed when
/// the process ends normally.
const std::string& directory();

/// Puts `files` into directory(), in place of those of the call before, and returns the path that they have without suffixes.
std::string place(const std::vector<InputFile>& files);

}  // namespace graphrun::fuzz
