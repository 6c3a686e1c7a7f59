// vectorAdd on a GPU over files: c = a + b, of elements of 8 bytes (Qureshi et al., ASPLOS 2023, section 5.4, where BaM was 1.51
// times slower than tiling).
//
//   bam_gpu_vector_add --elements 64000000 --cache 64MiB --dir /disk
//
// "paged": kernels read and write DevicePagedArrays, and pages go back as they must. "tiled": the host reads tiles of a and b,
// copies them to the device, starts a kernel, copies the sum back and writes it, all of it for several tiles at once. Both go
// through io_uring with O_DIRECT, and end when the disk has the sum. One JSON object a trial, the ways in turn.
#include "bam_gpu_vector_add.hpp"

#include <cuda_runtime.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cxxopts.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "exec/cuda/pinned_memory.hpp"
#include "frame.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/timer.hpp"

namespace graphrun {
namespace {

using Word = std::uint64_t;

/// A file that goes away.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }
  int open() const {
    const int fd = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) throw DataError("cannot open " + path_);
    return fd;
  }

 private:
  std::string path_;
};

struct Plan {
  std::uint64_t elements;
  std::uint64_t tile_bytes;
  DevicePagedArrayOptions paged;
  std::uint64_t warps;
};

double add_by_pages(CudaExecutor& exec, const Plan& plan, const std::array<TemporaryFile, 3>& files) {
  const DevicePagedArray<Word> a(files[0].path(), exec, plan.paged), b(files[1].path(), exec, plan.paged);
  auto sum = DevicePagedArray<Word>::create(files[2].path(), plan.elements, exec, plan.paged);
  const Timer timer;
  add_paged(exec, a.view(), b.view(), sum.view(), plan.warps);
  a.throw_if_failed();
  b.throw_if_failed();
  sum.flush();
  return timer.elapsed_ms();
}

/// A tile on its way: read twice, added, written.
class Tile {
 public:
  explicit Tile(std::uint64_t most_bytes) : host_(2 * most_bytes), bytes_(most_bytes), device_(2 * most_bytes) {
    cuda::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream");
  }
  ~Tile() { cudaStreamDestroy(stream_); }
  Tile(const Tile&) = delete;
  Tile& operator=(const Tile&) = delete;

  enum class Stage { free, reading, adding, writing };
  Stage stage = Stage::free;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  int reads = 0;

  std::byte* half(int which) { return host_.data() + which * bytes_; }
  /// The sum comes where the first half was.
  void add() {
    std::byte* second = device_.data() + bytes_;
    cuda::check(cudaMemcpyAsync(device_.data(), half(0), bytes, cudaMemcpyHostToDevice, stream_), "copy a tile");
    cuda::check(cudaMemcpyAsync(second, half(1), bytes, cudaMemcpyHostToDevice, stream_), "copy a tile");
    auto* first = reinterpret_cast<Word*>(device_.data());
    add_in_memory(stream_, first, reinterpret_cast<const Word*>(second), first, bytes / sizeof(Word));
    cuda::check(cudaMemcpyAsync(half(0), device_.data(), bytes, cudaMemcpyDeviceToHost, stream_), "copy a tile");
  }
  bool is_added() const { return cudaStreamQuery(stream_) == cudaSuccess; }

 private:
  cuda::PinnedMemory host_;
  std::uint64_t bytes_;
  DeviceArray<std::byte> device_;
  cudaStream_t stream_ = nullptr;
};

double add_by_tiles(const Plan& plan, const std::array<TemporaryFile, 3>& files) {
  constexpr std::size_t kTiles = 6;
  constexpr std::uint64_t kFile[] = {0, kFileStride, 2 * kFileStride};
  const std::uint64_t total = plan.elements * sizeof(Word);
  std::vector<std::unique_ptr<Tile>> tiles;
  for (std::size_t i = 0; i < kTiles; ++i) tiles.push_back(std::make_unique<Tile>(plan.tile_bytes));
  const std::vector<StoreFile> store{
      {"a", files[0].open()}, {"b", files[1].open()}, {.name = "c", .fd = files[2].open(), .writable = true}};
  // As new as the file of the other way.
  if (::ftruncate(store[2].fd, 0) != 0 || ::posix_fallocate(store[2].fd, 0, static_cast<off_t>(total)) != 0) {
    throw DataError("cannot make room for the sum");
  }
  const auto engine = open_uring_engine(store, 3 * kTiles);
  const Timer timer;
  std::uint64_t next = 0, written = 0;
  const auto start = [&](nvme::Opcode opcode, int file, std::size_t i, int half) {
    Tile& tile = *tiles[i];
    if (!engine->start({opcode, kFile[file] + tile.offset, static_cast<std::uint32_t>(tile.bytes), tile.half(half), i}))
      throw RunError("the engine takes no more");
  };
  while (written < total) {
    for (std::size_t i = 0; i < kTiles; ++i) {
      Tile& tile = *tiles[i];
      if (tile.stage == Tile::Stage::free && next < total) {
        tile.offset = next;
        tile.bytes = std::min(plan.tile_bytes, total - next);
        next += tile.bytes;
        tile.reads = 2;
        tile.stage = Tile::Stage::reading;
        start(nvme::Opcode::read, 0, i, 0);
        start(nvme::Opcode::read, 1, i, 1);
      } else if (tile.stage == Tile::Stage::adding && tile.is_added()) {
        tile.stage = Tile::Stage::writing;
        start(nvme::Opcode::write, 2, i, 0);
      }
    }
    BlockEngine::Done done[3 * kTiles];
    const std::size_t count = engine->poll(done, std::size(done));
    for (std::size_t k = 0; k < count; ++k) {
      if (done[k].status != nvme::Status::success) throw RunError(engine->last_error());
      Tile& tile = *tiles[done[k].tag];
      if (tile.stage == Tile::Stage::writing) {
        written += tile.bytes;
        tile.stage = Tile::Stage::free;
      } else if (--tile.reads == 0) {
        tile.stage = Tile::Stage::adding;
        tile.add();
      }
    }
  }
  if (::fdatasync(store[2].fd) != 0) throw RunError("cannot flush the sum");
  const double ms = timer.elapsed_ms();
  for (const StoreFile& file : store) ::close(file.fd);
  return ms;
}

/// Elements of the sum that are not 3 i, of some all over it.
std::uint64_t count_wrong(const Plan& plan, const TemporaryFile& file) {
  const int fd = file.open();
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < plan.elements; i += 4099) {
    Word word = 0;
    wrong += ::pread(fd, &word, sizeof(word), static_cast<off_t>(i * sizeof(word))) != sizeof(word) || word != 3 * i;
  }
  ::close(fd);
  return wrong;
}

void run(const cxxopts::ParseResult& given) {
  CudaExecutor exec(0);
  Plan plan;
  plan.paged.page_bytes = static_cast<std::uint32_t>(parse_bytes(given["page"].as<std::string>()));
  plan.paged.cache_bytes = parse_bytes(given["cache"].as<std::string>());
  plan.tile_bytes = parse_bytes(given["tile"].as<std::string>());
  const std::uint64_t in_page = plan.paged.page_bytes / sizeof(Word);
  plan.elements = given["elements"].as<std::uint64_t>() / in_page * in_page;  // whole pages, so that O_DIRECT writes them
  plan.warps = std::min<std::uint64_t>(plan.paged.cache_bytes / plan.paged.page_bytes / 2, exec.multiprocessors() * 32u);
  const std::string prefix = given["dir"].as<std::string>() + fmt::format("/graphrun_vector_add_{}_", ::getpid());
  const std::array<TemporaryFile, 3> files{TemporaryFile(prefix + "a"), TemporaryFile(prefix + "b"), TemporaryFile(prefix + "c")};
  for (int i = 0; i < 2; ++i) {
    auto array = DevicePagedArray<Word>::create(files[i].path(), plan.elements, exec, plan.paged);
    fill_paged(exec, array.view(), i + 1, plan.warps);
    array.flush();
  }
  for (int trial = 1; trial <= given["trials"].as<int>(); ++trial) {
    for (const bool paged : {true, false}) {
      const double ms = paged ? add_by_pages(exec, plan, files) : add_by_tiles(plan, files);
      fmt::print(
          "{{\"way\": \"{}\", \"trial\": {}, \"elements\": {}, \"page_bytes\": {}, \"cache_bytes\": {}, \"tile_bytes\": {}, "
          "\"ms\": {:.2f}, \"gb_s\": {:.3f}, \"wrong\": {}}}\n",
          paged ? "paged" : "tiled", trial, plan.elements, plan.paged.page_bytes, plan.paged.cache_bytes, plan.tile_bytes, ms,
          static_cast<double>(3 * plan.elements * sizeof(Word)) / ms / 1e6, count_wrong(plan, files[2]));
      std::fflush(stdout);
    }
  }
}

}  // namespace
}  // namespace graphrun

int main(int argc, char** argv) {
  cxxopts::Options parser("bam_gpu_vector_add", "c = a + b over files, through a page cache on a GPU and by tiles");
  parser.add_options()("elements", "of 8 bytes, in each array", cxxopts::value<std::uint64_t>()->default_value("33554432"))(
      "cache", "device memory for the pages of each array", cxxopts::value<std::string>()->default_value("32MiB"))(
      "page", "bytes of a page", cxxopts::value<std::string>()->default_value("64KiB"))(
      "tile", "bytes of a tile", cxxopts::value<std::string>()->default_value("4MiB"))("trials", "of both ways, in turn",
                                                                                       cxxopts::value<int>()->default_value("3"))(
      "dir", "where the files are made", cxxopts::value<std::string>()->default_value("/tmp"));
  return graphrun::bench::run_program(parser, argc, argv, graphrun::run);
}
