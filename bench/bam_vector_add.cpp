// c = a + b over arrays in files, with memory for a small part of them (Qureshi et al., ASPLOS 2023, section 5.4): over
// PagedArray, whose cache reads ahead and writes back by itself, and by tiles that threads read, add and write.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <span>

#include "bam_plan.hpp"
#include "graphrun/cache/paged_array.hpp"

namespace graphrun::bench {
namespace {

constexpr std::size_t kTile = (1 << 20) / sizeof(float);  // elements

/// A folder that goes away with all that is in it.
class Folder {
 public:
  explicit Folder(const std::string& directory) : path_(directory + "/graphrun-add-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) {
      throw DataError(fmt::format("cannot make a folder in {}: {}", directory, std::strerror(errno)));
    }
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

struct Task {
  std::string a, b, c;
  std::uint64_t tiles;
  std::uint64_t cache_bytes;
  int threads;
};

float value_of_a(std::uint64_t i) { return static_cast<float>(i % 1000); }
float value_of_b(std::uint64_t i) { return static_cast<float>(i % 77); }

void add(const float* x, const float* y, float* z, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) z[i] = x[i] + y[i];
}

/// worker(tiles) on every thread, where tiles() is the next tile, or task.tiles when there are no more.
template <class Worker>
void hand_out_tiles(const Task& task, const Worker& worker) {
  ThreadPool pool(task.threads);
  std::atomic<std::uint64_t> next{0};
  pool.run([&](int) { worker([&] { return std::min(task.tiles, next.fetch_add(1, std::memory_order_relaxed)); }); });
}

PagedArrayOptions array_options(const Task& task, bool writable) {
  return {.page_bytes = 64 << 10, .cache_bytes = task.cache_bytes / 3, .threads = task.threads, .writable = writable};
}

void by_paged_arrays(const Task& task) {
  const PagedArray<float> a(task.a, array_options(task, false));
  const PagedArray<float> b(task.b, array_options(task, false));
  PagedArray<float> c(task.c, array_options(task, true));
  // What is asked for ahead may fill a quarter of a cache.
  const std::uint64_t ahead = std::max<std::uint64_t>(1, task.cache_bytes / 3 / 4 / (kTile * sizeof(float)));
  const auto ask_for = [&](std::uint64_t tile) {
    if (tile >= task.tiles) return;
    a.prefetch(tile * kTile, (tile + 1) * kTile);
    b.prefetch(tile * kTile, (tile + 1) * kTile);
  };
  for (std::uint64_t tile = 0; tile < ahead; ++tile) ask_for(tile);
  hand_out_tiles(task, [&](const auto& next_tile) {
    for (std::uint64_t tile; (tile = next_tile()) < task.tiles;) {
      ask_for(tile + ahead);
      for (std::uint64_t i = tile * kTile, end = i + kTile; i < end;) {
        const auto x = a.pin(i, end);
        const auto y = b.pin(i, end);
        const auto z = c.pin_to_overwrite(i, end);
        add(x.data(), y.data(), z.data(), z.size());
        i += z.size();
      }
    }
  });
  c.flush();
}

/// Element by element, as a program that knows nothing of pages is written.
void by_elements(const Task& task) {
  const PagedArray<float> a(task.a, array_options(task, false));
  const PagedArray<float> b(task.b, array_options(task, false));
  PagedArray<float> c(task.c, array_options(task, true));
  hand_out_tiles(task, [&](const auto& next_tile) {
    for (std::uint64_t tile; (tile = next_tile()) < task.tiles;) {
      a.prefetch(tile * kTile, (tile + 2) * kTile);
      b.prefetch(tile * kTile, (tile + 2) * kTile);
      for (std::uint64_t i = tile * kTile; i < (tile + 1) * kTile; ++i) c[i] = a[i] + b[i];
    }
  });
  c.flush();
}

void sync(const File& file) {
  if (::fdatasync(file.fd()) != 0) throw RunError(fmt::format("cannot flush: {}", std::strerror(errno)));
}

/// One tile after another on every thread.
void by_tiles(const Task& task) {
  const File a(task.a, O_RDONLY | O_DIRECT), b(task.b, O_RDONLY | O_DIRECT), c(task.c, O_WRONLY | O_DIRECT);
  constexpr std::size_t kBytes = kTile * sizeof(float);
  const auto check = [](ssize_t moved) {
    if (moved != static_cast<ssize_t>(kBytes)) throw RunError("a tile was not moved in full");
  };
  hand_out_tiles(task, [&](const auto& next_tile) {
    auto tiles = Column<float>::allocate(3 * kTile);
    float *const x = tiles.data(), *const y = x + kTile, *const z = y + kTile;
    for (std::uint64_t tile; (tile = next_tile()) < task.tiles;) {
      const auto offset = static_cast<off_t>(tile * kBytes);
      check(::pread(a.fd(), x, kBytes, offset));
      check(::pread(b.fd(), y, kBytes, offset));
      add(x, y, z, kTile);
      check(::pwrite(c.fd(), z, kBytes, offset));
    }
  });
  sync(c);
}

/// As many tiles as the memory of the caches has room for are being read or written at a time, with io_uring.
void by_overlapped_tiles(const Task& task) {
  const File a(task.a, O_RDONLY | O_DIRECT), b(task.b, O_RDONLY | O_DIRECT), c(task.c, O_WRONLY | O_DIRECT);
  constexpr std::uint32_t kBytes = kTile * sizeof(float);
  const auto slots = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(task.cache_bytes / (3 * kBytes) / static_cast<std::uint64_t>(task.threads), 1, 16));
  hand_out_tiles(task, [&](const auto& next_tile) {
    PlainRing ring(3 * slots, kBytes);
    struct Slot {
      std::uint64_t tile;
      int reads;
    };
    std::vector<Slot> states(slots);
    std::uint32_t busy = 0;
    const auto begin = [&](std::uint32_t slot) {
      const std::uint64_t tile = next_tile();
      if (tile >= task.tiles) return;
      states[slot] = {tile, 2};
      ring.read(a.fd(), 3 * slot, tile * kBytes);
      ring.read(b.fd(), 3 * slot + 1, tile * kBytes);
      ++busy;
    };
    for (std::uint32_t slot = 0; slot < slots; ++slot) begin(slot);
    const auto tile_of = [&](std::uint32_t buffer) { return reinterpret_cast<float*>(ring.buffer(buffer)); };
    while (busy != 0) {
      ring.wait([&](std::uint32_t buffer) {
        const std::uint32_t slot = buffer / 3;
        if (buffer % 3 == 2) {
          --busy;
          begin(slot);
        } else if (--states[slot].reads == 0) {
          add(tile_of(3 * slot), tile_of(3 * slot + 1), tile_of(3 * slot + 2), kTile);
          ring.write(c.fd(), 3 * slot + 2, states[slot].tile * kBytes);
        }
      });
    }
  });
  sync(c);
}

void make_array(const std::string& path, const Task& task, const std::function<float(std::uint64_t)>& value) {
  PagedArrayOptions options = array_options(task, true);
  options.threads = 1;
  auto array = PagedArray<float>::create(path, task.tiles * kTile, options);
  std::vector<float> values(kTile);
  for (std::uint64_t tile = 0; tile < task.tiles; ++tile) {
    for (std::size_t i = 0; i < kTile; ++i) values[i] = value(tile * kTile + i);
    array.write(tile * kTile, values);
  }
  array.flush();
}

void check_sums(const Task& task) {
  const PagedArray<float> c(task.c, array_options(task, false));
  std::vector<float> sums(kTile);
  for (std::uint64_t tile = 0; tile < task.tiles; ++tile) {
    c.read(tile * kTile, sums);
    for (std::size_t i = 0; i < kTile; ++i) {
      const std::uint64_t at = tile * kTile + i;
      if (sums[i] != value_of_a(at) + value_of_b(at)) throw RunError(fmt::format("element {} of the sum is wrong", at));
    }
  }
}

}  // namespace

void add_vectors(int threads, std::uint64_t bytes, std::uint64_t cache_bytes, const std::string& directory, int rounds) {
  const Folder folder(directory);
  const Task task{folder.path("a"), folder.path("b"), folder.path("c"), bytes / (kTile * sizeof(float)), cache_bytes, threads};
  make_array(task.a, task, value_of_a);
  make_array(task.b, task, value_of_b);
  struct Way {
    const char* name;
    void (*run)(const Task&);
  };
  constexpr Way kWays[] = {{"paged arrays, pages", by_paged_arrays},
                           {"tiles", by_tiles},
                           {"tiles, overlapped", by_overlapped_tiles},
                           {"paged arrays, elements", by_elements}};
  for (int round = 0; round < rounds; ++round) {
    for (const Way& way : kWays) {
      make_array(task.c, task, [](std::uint64_t) { return -1.0f; });
      const Timer timer;
      way.run(task);
      const double seconds = timer.elapsed_ms() / 1e3;
      check_sums(task);
      const double moved = 3.0 * static_cast<double>(task.tiles * kTile * sizeof(float));
      fmt::print(
          "{{\"measure\": \"vectoradd\", \"way\": \"{}\", \"threads\": {}, \"round\": {}, \"array_bytes\": {}, \"cache_bytes\": "
          "{}, "
          "\"seconds\": {:.3f}, \"bytes_per_second\": {:.0f}}}\n",
          way.name, threads, round, task.tiles * kTile * sizeof(float), cache_bytes, seconds, moved / seconds);
      std::fflush(stdout);
    }
  }
}

}  // namespace graphrun::bench
