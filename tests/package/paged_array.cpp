// SPDX-License-Identifier: Apache-2.0
// An array of 80 MB in a file, of which 1 MiB is in memory at a time: the squares of the first ten million numbers.
#include "graphrun/cache/paged_array.hpp"

#include <cstdio>

int main(int argc, char** argv) {
  const char* path = argc > 1 ? argv[1] : "squares.bin";
  constexpr std::uint64_t kSize = 10'000'000;
  auto squares = graphrun::PagedArray<std::uint64_t>::create(path, kSize, {.cache_bytes = 1 << 20});
  for (std::uint64_t i = 0; i < kSize; ++i) squares[i] = i * i;
  squares.flush();  // from here on they are in the file, also when this program is killed

  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < kSize; i += 99'991) sum += squares[i];
  const auto moved = squares.counters();
  std::printf("sum %llu, %llu MB written, %llu MB read\n", static_cast<unsigned long long>(sum),
              static_cast<unsigned long long>(moved.bytes_written >> 20),
              static_cast<unsigned long long>(moved.bytes_read >> 20));
  return sum == 3382890997406350 ? 0 : 1;
}
