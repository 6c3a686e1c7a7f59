#include "graphrun/io/parts.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>

#include "core/owned_fd.hpp"
#include "core/raise.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/checksum.hpp"
#include "graphrun/core/output_file.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/io/load.hpp"
#include "io/native_layout.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::string_view kPartsMagic{"\x89GRP\r\n\x1a\n", 8};
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kMostParts = 256;
constexpr std::uint64_t kLeastUnitBytes = 4096;
constexpr std::uint64_t kMostUnitBytes = 16 << 20;

/// The first bytes of a part; docs/formats.md says the same in words.
struct PartHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t header_bytes;
  PartInfo info;
  std::uint64_t checksum;  ///< of this header, with 0 here
};
static_assert(sizeof(PartInfo) == 40 && sizeof(PartHeader) == 64);

template <class Bytes>
std::uint64_t checksum_of(const Bytes& bytes) {
  Checksum sum;
  sum.add(bytes.data(), bytes.size());
  return sum.value();
}

std::uint64_t header_checksum(PartHeader header) {
  header.checksum = 0;
  return checksum_of(std::as_bytes(std::span(&header, 1)));
}

bool is_unit(std::uint64_t bytes) { return std::has_single_bit(bytes) && bytes >= kLeastUnitBytes && bytes <= kMostUnitBytes; }

/// Bytes of a container that part `index` takes care of.
std::uint64_t data_bytes(const PartInfo& info) {
  const std::uint64_t round = info.unit_bytes * info.count;
  const std::uint64_t begin = info.index * info.unit_bytes;
  const std::uint64_t rest = info.container_bytes % round;
  return info.container_bytes / round * info.unit_bytes + (rest > begin ? std::min(rest - begin, info.unit_bytes) : 0);
}

/// Opens a pipe without waiting for its writer.
OwnedFd open_file(const std::string& path) { return OwnedFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)); }

OwnedFd open_or_throw(const std::string& path) {
  OwnedFd fd = open_file(path);
  if (!fd.is_open()) raise_errno<DataError>("cannot open {}", path);
  return fd;
}

/// Stretches [first, second) of the container that hold columns which storage is asked for.
std::vector<std::pair<std::uint64_t, std::uint64_t>> edge_stretches(const Graph& graph) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> stretches;
  const auto add = [&](const auto& column) {
    if (column.size() == 0) return;
    if (!column.in_mapped_file())
      throw UsageError("a container whose lists are packed, or whose vertex ids are widened, cannot be dealt out");
    const auto begin = static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(column.data()) - column.region()->data());
    stretches.emplace_back(begin, begin + column.bytes());
  };
  add(graph.out.neighbours);
  add(graph.out.weights);
  if (graph.in) add(graph.in->neighbours);
  return stretches;
}

/// A part that is being written.
struct PartWriter {
  PartWriter(const std::string& path, const PartInfo& known) : info(known), file(path, SpecialTarget::refuse) {
    file.skip(kPartDataOffset);
  }
  void prepare() {
    info.data_checksum = sum.value();
    PartHeader header{{}, kVersion, sizeof(PartHeader), info, 0};
    std::memcpy(header.magic, kPartsMagic.data(), kPartsMagic.size());
    header.checksum = header_checksum(header);
    file.write_at(0, &header, sizeof(header));
    file.prepare();
  }

  PartInfo info;
  OutputFile file;
  Checksum sum;
};

void check_names(const std::string& container, const std::vector<std::string>& parts) {
  if (parts.empty() || parts.size() > kMostParts) {
    raise<UsageError>("a container is dealt out over 1 to {} parts, not {}", kMostParts, parts.size());
  }
  std::vector<std::filesystem::path> seen{real_path(container)};
  for (const std::string& part : parts) {
    if (part.empty()) throw UsageError("the name of a part is empty");
    const auto real = real_path(part);
    if (std::find(seen.begin(), seen.end(), real) != seen.end()) raise<UsageError>("{} is named twice", part);
    seen.push_back(real);
  }
}

}  // namespace

void write_parts(const std::string& container, const std::vector<std::string>& parts, std::uint64_t unit_bytes,
                 ThreadPool& pool) {
  check_names(container, parts);
  if (!is_unit(unit_bytes)) {
    raise<UsageError>("a unit of {} bytes is not possible: choose a power of two from {} to {}", unit_bytes, kLeastUnitBytes,
                      kMostUnitBytes);
  }
  LoadOptions load;
  load.check = true;  // or damage would go on under new checksums
  const Loaded loaded = load_graph(container, load, pool);
  if (loaded.format != "native container") raise<UsageError>("{} is no .grf container: make one with graphconv first", container);
  const std::shared_ptr<Region> file = loaded.graph.out.offsets.region();
  const auto edges = edge_stretches(loaded.graph);
  PartInfo info;
  info.count = static_cast<std::uint32_t>(parts.size());
  info.unit_bytes = unit_bytes;
  info.container_bytes = file->bytes();
  info.container_digest = container_digest(open_or_throw(container).get(), container);
  std::vector<std::unique_ptr<PartWriter>> writers;
  for (const std::string& part : parts) {
    writers.push_back(std::make_unique<PartWriter>(part, info));
    ++info.index;
  }
  Progress progress("dealing out", file->bytes(), "bytes");
  const std::vector<std::byte> zeros(unit_bytes);
  for (std::uint64_t begin = 0, unit = 0; begin < file->bytes(); begin += unit_bytes, ++unit) {
    const std::uint64_t bytes = std::min(unit_bytes, file->bytes() - begin);
    PartWriter& writer = *writers[unit % writers.size()];
    const bool held =
        std::ranges::any_of(edges, [&](const auto& stretch) { return stretch.first < begin + bytes && begin < stretch.second; });
    const std::byte* data = held ? file->data() + begin : zeros.data();
    writer.sum.add(data, bytes);
    held ? writer.file.write(data, bytes) : writer.file.skip(bytes);
    file->release(begin, bytes);
    progress.advance(bytes);
  }
  for (auto& writer : writers) writer->prepare();
  for (auto& writer : writers) writer->file.commit();
}

bool is_part(int fd) {
  std::array<char, kPartsMagic.size()> magic{};
  return ::pread(fd, magic.data(), magic.size(), 0) == static_cast<ssize_t>(magic.size()) &&
         std::memcmp(magic.data(), kPartsMagic.data(), magic.size()) == 0;
}

bool is_part_file(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return false;
  const OwnedFd file = open_file(path);
  return file.is_open() && is_part(file.get());
}

PartInfo read_part(int fd, const std::string& name) {
  const auto refuse = [&](const std::string& what) { raise<DataError>("{}: {}", name, what); };
  PartHeader header{};
  if (!is_part(fd) || ::pread(fd, &header, sizeof(header), 0) != static_cast<ssize_t>(sizeof(header))) {
    refuse("not a part of a container");
  }
  if (header.version != kVersion) {
    refuse(fmt::format("version {} of a part; this program reads version {}", header.version, kVersion));
  }
  if (header_checksum(header) != header.checksum) refuse("the checksum of the part's header is wrong");
  const PartInfo& info = header.info;
  if (info.count == 0 || info.count > kMostParts || info.index >= info.count || !is_unit(info.unit_bytes)) {
    refuse(fmt::format("part {} of {} with units of {} bytes cannot be", info.index, info.count, info.unit_bytes));
  }
  struct stat status {};
  if (::fstat(fd, &status) != 0) refuse(std::strerror(errno));
  const std::uint64_t expected = kPartDataOffset + data_bytes(info);
  if (static_cast<std::uint64_t>(status.st_size) != expected) {
    refuse(fmt::format("damaged: {} bytes belong in this part, the file has {}", expected, status.st_size));
  }
  return info;
}

PartInfo read_part_file(const std::string& path) { return read_part(open_or_throw(path).get(), path); }

std::uint64_t container_digest(int fd, const std::string& name) {
  std::array<char, io::kSectionAlignment> head{};
  const ssize_t got = ::pread(fd, head.data(), head.size(), 0);
  if (got < 0) raise_errno<DataError>("cannot read {}", name);
  return checksum_of(std::span(head).first(static_cast<std::size_t>(got)));
}

void check_part_data(const std::string& path, const PartInfo& info) {
  const std::shared_ptr<Region> region = Region::map_file(path);
  Checksum sum;
  constexpr std::uint64_t kWindow = 4 << 20;
  for (std::uint64_t begin = kPartDataOffset; begin < region->bytes(); begin += kWindow) {
    const std::uint64_t bytes = std::min(kWindow, region->bytes() - begin);
    sum.add(region->data() + begin, bytes);
    region->release(begin, bytes);
  }
  if (sum.value() != info.data_checksum) raise<DataError>("{}: the checksum of the part's data is wrong", path);
}

std::string check_part_file(const std::string& path) {
  const PartInfo info = read_part_file(path);
  check_part_data(path, info);
  return fmt::format("{}: sound (part {} of {} of a container, units of {})\n", path, info.index + 1, info.count,
                     format_bytes(info.unit_bytes));
}

}  // namespace graphrun::inline GR_IDS
