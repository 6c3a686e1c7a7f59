// SPDX-License-Identifier: Apache-2.0
// How much memory is available, and large vectors in huge pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphrun {

/// Returns the bytes that this process can take without swapping or being killed: the least of what the machine, its control
/// groups (v1 and v2, up to the root) and its limit of data (ulimit -d) leave. Files in a group's memory count as free. Nothing
/// where the system does not say. `root` is for tests: where /proc and /sys are.
std::optional<std::uint64_t> available_memory(const std::string& root = "");

/// Returns the bytes of addresses that this process may still take, where they are limited (ulimit -v).
std::optional<std::uint64_t> available_addresses();

/// Returns the number after `name` in a file of lines "NAME NUMBER", as /proc has; nothing where there is none.
std::optional<std::uint64_t> read_entry(const std::string& path, std::string_view name);

/// Asks for huge pages where memory that was not touched yet holds whole ones.
void prefer_huge_pages(void* memory, std::size_t bytes);

/// Gives `values` room for `size` elements, and drops its own where they have less. New memory is in huge pages, which spare
/// faults, and page walks of random access.
template <class T>
void reserve_huge(std::vector<T>& values, std::size_t size) {
  if (values.capacity() >= size) return;
  values = {};
  values.reserve(size);
  prefer_huge_pages(values.data(), size * sizeof(T));
}

}  // namespace graphrun
