// SPDX-License-Identifier: Apache-2.0
// Long columns and files are mapped, and a mapping ends with a page: accesses between the end of the data and of the page go
// unnoticed. Here AddressSanitizer is told of that gap. The linker replaces the library's calls by these (--wrap).
#include <sanitizer/asan_interface.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstddef>

namespace {

std::size_t whole_pages(std::size_t bytes) {
  static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

}  // namespace

extern "C" {

void* __real_mmap(void* wanted, std::size_t bytes, int protection, int flags, int fd, off_t offset);
int __real_munmap(void* base, std::size_t bytes);

void* __wrap_mmap(void* wanted, std::size_t bytes, int protection, int flags, int fd, off_t offset) {
  void* base = __real_mmap(wanted, bytes, protection, flags, fd, offset);
  if (base == MAP_FAILED) return base;
  ASAN_UNPOISON_MEMORY_REGION(base, whole_pages(bytes));
  ASAN_POISON_MEMORY_REGION(static_cast<std::byte*>(base) + bytes, whole_pages(bytes) - bytes);
  return base;
}

int __wrap_munmap(void* base, std::size_t bytes) {
  ASAN_UNPOISON_MEMORY_REGION(base, whole_pages(bytes));
  return __real_munmap(base, bytes);
}

}  // extern "C"
