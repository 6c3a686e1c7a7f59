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

#include "graphrun/core/bytes.hpp"
#include "graphrun/core/checksum.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/output_file.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/io/load.hpp"
#include "io/native_layout.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::string_view kMagic{"\x89GRP\r\n\x1a\n", 8};
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kMostParts = 256;
constexpr std::uint64_t kLeastUnitBytes = 4096;
constexpr std::uint64_t kMostUnitBytes = 16 << 20;

/// The first bytes of a part; docs/formats.md says the same in words.
struct PartHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t header_bytes;
  std::uint32_t index;
  std::uint32_t count;
  std::uint64_t unit_bytes;
  std::uint64_t container_bytes;
  std::uint64_t container_digest;
  std::uint64_t data_checksum;
  std::uint64_t checksum;  ///< of this header, with 0 here
};
static_assert(sizeof(PartHeader) == 64);

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

/// A file that is closed again.
class Opened {
 public:
  /// Opens a pipe without waiting for its writer.
  explicit Opened(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~Opened() {
    if (fd_ >= 0) ::close(fd_);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  int fd() const { return fd_; }
  int fd_or_throw(const std::string& path) const {
    if (fd_ < 0) throw DataError(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
    return fd_;
  }

 private:
  int fd_;
};

/// Stretches of the container that hold columns which storage is asked for.
class EdgeStretches {
 public:
  explicit EdgeStretches(const Graph& graph) {
    add(graph.out.neighbours);
    add(graph.out.weights);
    if (graph.in) add(graph.in->neighbours);
  }
  bool meets(std::uint64_t begin, std::uint64_t end) const {
    return std::any_of(stretches_.begin(), stretches_.end(),
                       [&](const Stretch& stretch) { return stretch.begin < end && begin < stretch.end; });
  }

 private:
  struct Stretch {
    std::uint64_t begin;
    std::uint64_t end;
  };
  template <class T>
  void add(const Column<T>& column) {
    if (column.size() == 0) return;
    if (!column.in_mapped_file()) throw UsageError("a container whose vertex ids are widened cannot be dealt out");
    const auto begin = static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(column.data()) - column.region()->data());
    stretches_.push_back({begin, begin + column.bytes()});
  }
  std::vector<Stretch> stretches_;
};

/// A part that is being written.
class PartWriter {
 public:
  PartWriter(const std::string& path, const PartInfo& info) : info_(info), file_(path, SpecialTarget::refuse) {
    file_.skip(kPartDataOffset);
  }
  void write(const std::byte* data, std::uint64_t bytes) {
    sum_.add(data, bytes);
    file_.write(data, bytes);
  }
  void skip(const std::vector<std::byte>& zeros, std::uint64_t bytes) {
    sum_.add(zeros.data(), bytes);
    file_.skip(bytes);
  }
  void prepare() {
    PartHeader header{{},
                      kVersion,
                      sizeof(PartHeader),
                      info_.index,
                      info_.count,
                      info_.unit_bytes,
                      info_.container_bytes,
                      info_.container_digest,
                      sum_.value(),
                      0};
    std::memcpy(header.magic, kMagic.data(), kMagic.size());
    header.checksum = header_checksum(header);
    file_.write_at(0, &header, sizeof(header));
    file_.prepare();
  }
  void commit() { file_.commit(); }

 private:
  PartInfo info_;
  OutputFile file_;
  Checksum sum_;
};

void check_names(const std::string& container, const std::vector<std::string>& parts) {
  if (parts.empty() || parts.size() > kMostParts) {
    throw UsageError(fmt::format("a container is dealt out over 1 to {} parts, not {}", kMostParts, parts.size()));
  }
  std::vector<std::filesystem::path> seen{real_path(container)};
  for (const std::string& part : parts) {
    if (part.empty()) throw UsageError("the name of a part is empty");
    const auto real = real_path(part);
    if (std::find(seen.begin(), seen.end(), real) != seen.end()) throw UsageError(fmt::format("{} is named twice", part));
    seen.push_back(real);
  }
}

}  // namespace

void write_parts(const std::string& container, const std::vector<std::string>& parts, std::uint64_t unit_bytes,
                 ThreadPool& pool) {
  check_names(container, parts);
  if (!is_unit(unit_bytes)) {
    throw UsageError(fmt::format("a unit of {} bytes is not possible: choose a power of two from {} to {}", unit_bytes,
                                 kLeastUnitBytes, kMostUnitBytes));
  }
  LoadOptions load;
  load.check = true;  // or damage would go on under new checksums
  const Loaded loaded = load_graph(container, load, pool);
  if (loaded.format != "native container") {
    throw UsageError(fmt::format("{} is no .grf container: make one with graphconv first", container));
  }
  const std::shared_ptr<Region> file = loaded.graph.out.offsets.region();
  const EdgeStretches edges(loaded.graph);
  PartInfo info;
  info.count = static_cast<std::uint32_t>(parts.size());
  info.unit_bytes = unit_bytes;
  info.container_bytes = file->bytes();
  info.container_digest = container_digest(Opened(container).fd_or_throw(container), container);
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
    if (edges.meets(begin, begin + bytes)) {
      writer.write(file->data() + begin, bytes);
    } else {
      writer.skip(zeros, bytes);
    }
    file->release(begin, bytes);
    progress.advance(bytes);
  }
  for (auto& writer : writers) writer->prepare();
  for (auto& writer : writers) writer->commit();
}

bool is_part(int fd) {
  std::array<char, kMagic.size()> magic{};
  return ::pread(fd, magic.data(), magic.size(), 0) == static_cast<ssize_t>(magic.size()) &&
         std::memcmp(magic.data(), kMagic.data(), magic.size()) == 0;
}

bool is_part_file(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return false;
  const Opened file(path);
  return file.fd() >= 0 && is_part(file.fd());
}

PartInfo read_part(int fd, const std::string& name) {
  const auto refuse = [&](const std::string& what) { throw DataError(fmt::format("{}: {}", name, what)); };
  PartHeader header{};
  if (!is_part(fd) || ::pread(fd, &header, sizeof(header), 0) != static_cast<ssize_t>(sizeof(header))) {
    refuse("not a part of a container");
  }
  if (header.version != kVersion) {
    refuse(fmt::format("version {} of a part; this program reads version {}", header.version, kVersion));
  }
  if (header_checksum(header) != header.checksum) refuse("the checksum of the part's header is wrong");
  if (header.count == 0 || header.count > kMostParts || header.index >= header.count || !is_unit(header.unit_bytes)) {
    refuse(fmt::format("part {} of {} with units of {} bytes cannot be", header.index, header.count, header.unit_bytes));
  }
  const PartInfo info{header.index,        header.count, header.unit_bytes, header.container_bytes, header.container_digest,
                      header.data_checksum};
  struct stat status {};
  if (::fstat(fd, &status) != 0) refuse(std::strerror(errno));
  const std::uint64_t expected = kPartDataOffset + data_bytes(info);
  if (static_cast<std::uint64_t>(status.st_size) != expected) {
    refuse(fmt::format("damaged: {} bytes belong in this part, the file has {}", expected, status.st_size));
  }
  return info;
}

PartInfo read_part_file(const std::string& path) { return read_part(Opened(path).fd_or_throw(path), path); }

std::uint64_t container_digest(int fd, const std::string& name) {
  std::array<char, io::kSectionAlignment> head{};
  const ssize_t got = ::pread(fd, head.data(), head.size(), 0);
  if (got < 0) throw DataError(fmt::format("cannot read {}: {}", name, std::strerror(errno)));
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
  if (sum.value() != info.data_checksum) throw DataError(fmt::format("{}: the checksum of the part's data is wrong", path));
}

std::string check_part_file(const std::string& path) {
  const PartInfo info = read_part_file(path);
  check_part_data(path, info);
  return fmt::format("{}: sound (part {} of {} of a container, units of {})\n", path, info.index + 1, info.count,
                     format_bytes(info.unit_bytes));
}

}  // namespace graphrun::inline GR_IDS
