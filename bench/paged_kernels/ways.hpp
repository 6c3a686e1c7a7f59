// The ways of reaching arrays that paged_kernels compares, on each processor.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/graph/scratch.hpp"
#include "problem.hpp"

namespace graphrun::bench {

/// A file without a name, with the bytes of an array, and mapped.
class FileArray {
 public:
  FileArray(const Column<float>& values, const std::string& directory) : file_(directory) {
    file_.append(values.data(), values.bytes());
    mapped_ = file_.map<float>();
  }
  int fd() const { return file_.descriptor(); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd()); }
  std::span<float> elements() { return {mapped_.data(), mapped_.size()}; }
  /// Returns when the disk has what was written through the mapping.
  void flush() {
    if (::msync(mapped_.data(), mapped_.bytes(), MS_SYNC) != 0)
      throw RunError(std::string("cannot flush: ") + std::strerror(errno));
  }
  /// Returns when the disk has what was written in other ways.
  void sync() const {
    if (::fdatasync(fd()) != 0) throw RunError(std::string("cannot flush: ") + std::strerror(errno));
  }
  /// Takes its pages out of this process and out of the page cache.
  void drop() {
    flush();
    mapped_.release(0, mapped_.size());
    ::posix_fadvise(fd(), 0, 0, POSIX_FADV_DONTNEED);
  }

 private:
  ScratchFile file_;
  Column<float> mapped_;
};

inline std::vector<FileArray> make_files(Problem& problem, const std::string& directory) {
  std::vector<FileArray> files;
  for (std::size_t i = 0; i < problem.arrays(); ++i) files.emplace_back(problem.array(i), directory);
  return files;
}

struct WayPlan {
  std::uint32_t page_bytes = 8192;
  std::uint64_t cache_bytes = 0;  ///< of near memory, for all arrays together
  std::uint32_t queues = 84;
  std::uint32_t queue_depth = 64;
  int copy_threads = 16;  ///< of the host, that copy chunks
  std::uint64_t tile_bytes = 4 << 20;
  std::string directory;  ///< where files are made that have no names
};

struct WayKind {
  std::string name;
  bool has_pages = false;   ///< or chunks: page_bytes means something
  bool has_queues = false;  ///< queues and queue_depth do
  bool has_tiles = false;   ///< tile_bytes does; it knows va alone
  bool has_cache = false;   ///< cache_bytes does, and what moves is counted
  bool holds_all = false;   ///< it takes as much near memory as the arrays have
  bool in_files = false;    ///< of --dir, written first; only where it is asked for
};

/// incore: all in memory. memory: paged arrays over memory. mmap: mapped files. files, elements: paged arrays over files, whose
/// pages are asked for ahead, and element by element, as a program that knows nothing of pages is written. tiles,
/// tiles-overlapped: tiles of files that threads read, add and write, one after another, or as many at a time as the caches of
/// paged arrays would have room for.
const std::vector<WayKind>& cpu_ways();
std::unique_ptr<Way> open_cpu_way(const WayKind& kind, Problem& problem, const WayPlan& plan, ThreadPool& pool);

/// sm, proxy: paged arrays over host memory, whose pages are copied by warps, or by host threads. uvm, uvm-read-mostly,
/// uvm-prefetch: managed memory that the driver pages, without advice, with it, or brought to the device ahead of the kernels.
/// bulk: whole arrays are copied before the kernels. chunks: so they are, by several host threads, a chunk at a time. files:
/// paged arrays over files. tiles: the host reads tiles of files, copies them to the device, adds them there, copies the sums
/// back and writes them, all of it for several tiles at once.
const std::vector<WayKind>& gpu_ways();
/// Throws UnavailableError where there is no such thing, and where the device has no room.
std::unique_ptr<Way> open_gpu_way(const WayKind& kind, Problem& problem, const WayPlan& plan, ThreadPool& pool);

}  // namespace graphrun::bench
