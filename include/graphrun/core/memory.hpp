// How much memory there is to take.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace graphrun {

/// Bytes that this process could take without swapping and without being killed: what the machine has to spare, or what the
/// limits of its control groups (v1 and v2, up to the root) and its own limit of data (ulimit -d) leave: the least of these. What
/// groups hold of files counts as free, because the kernel takes it back. Nothing where the system does not say. `root` is for
/// tests: where /proc and /sys are.
std::optional<std::uint64_t> available_memory(const std::string& root = "");

/// Bytes of addresses that this process may still take, where they are limited (ulimit -v).
std::optional<std::uint64_t> available_addresses();

}  // namespace graphrun
