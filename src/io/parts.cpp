// SPDX-License-Identifier: Apache-2.0

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
#include <map>
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
constexpr std::uint32_t kVersion = 2;  ///< version 1 lacks records and packed lists
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
  std::uint32_t num_sections;
  std::uint32_t reserved;                        ///< 0
  io::SectionEntry sections[io::kMostSections];  ///< of the container, those that have edges; then zeros
};
static_assert(sizeof(PartInfo) == 40 && sizeof(PartHeader) == 72 + io::kMostSections * sizeof(io::SectionEntry));
static_assert(sizeof(PartHeader) <= kPartDataOffset);

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

/// Returns the bytes of a container that a part has.
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

/// Returns the sections of a container that runs read from storage.
std::vector<io::SectionEntry> sections_with_edges(const std::string& container) {
  std::vector<io::SectionEntry> sections = io::read_container_head(container).sections;
  std::erase_if(sections, [](const io::SectionEntry& entry) { return !io::has_edges(entry.kind) || entry.bytes == 0; });
  return sections;
}

/// A part that is being written.
struct PartWriter {
  PartWriter(const std::string& path, const PartInfo& known) : info(known), file(path, SpecialTarget::refuse) {
    file.skip(kPartDataOffset);
  }
  void prepare(const std::vector<io::SectionEntry>& sections) {
    info.data_checksum = sum.value();
    PartHeader header{};
    std::memcpy(header.magic, kPartsMagic.data(), kPartsMagic.size());
    header.version = kVersion;
    header.header_bytes = sizeof(header);
    header.info = info;
    header.num_sections = static_cast<std::uint32_t>(sections.size());
    std::ranges::copy(sections, header.sections);
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

/// Reads a header. Throws as read_part().
PartHeader read_header(int fd, const std::string& name) {
  const auto refuse = [&](const std::string& what) { raise<DataError>("{}: {}", name, what); };
  PartHeader header{};
  if (!is_part(fd) || ::pread(fd, &header, sizeof(header), 0) < static_cast<ssize_t>(sizeof(kPartsMagic) + sizeof(kVersion))) {
    refuse("not a part of a container");
  }
  if (header.version != kVersion) {
    refuse(fmt::format("version {} of a part, and this program reads version {}{}: make the parts anew with graphconv stripe",
                       header.version, kVersion, header.version == 1 ? " (the first one left records out)" : ""));
  }
  if (header_checksum(header) != header.checksum) refuse("the checksum of the part's header is wrong");
  const PartInfo& info = header.info;
  if (info.count == 0 || info.count > kMostParts || info.index >= info.count || !is_unit(info.unit_bytes) ||
      header.num_sections > io::kMostSections) {
    refuse(fmt::format("part {} of {} with units of {} bytes cannot be", info.index, info.count, info.unit_bytes));
  }
  struct stat status {};
  if (::fstat(fd, &status) != 0) refuse(std::strerror(errno));
  const std::uint64_t expected = kPartDataOffset + data_bytes(info);
  if (static_cast<std::uint64_t>(status.st_size) != expected) {
    refuse(fmt::format("damaged: {} bytes belong in this part, the file has {}", expected, status.st_size));
  }
  return header;
}

constexpr std::uint64_t kWindowBytes = 4 << 20;

/// Throws DataError when the bytes of a part differ from their checksum.
void check_part_data(const std::string& path, const PartInfo& info) {
  const std::shared_ptr<Region> region = Region::map_file(path);
  Checksum sum;
  for (std::uint64_t begin = kPartDataOffset; begin < region->bytes(); begin += kWindowBytes) {
    const std::uint64_t bytes = std::min(kWindowBytes, region->bytes() - begin);
    sum.add(region->data() + begin, bytes);
    region->release(begin, bytes);
  }
  if (sum.value() != info.data_checksum) raise<DataError>("{}: the checksum of the part's data is wrong", path);
}

/// Returns the checksum of bytes [begin, end) of the container.
std::uint64_t checksum_over_parts(const std::vector<std::shared_ptr<Region>>& parts, std::uint64_t unit_bytes,
                                  std::uint64_t begin, std::uint64_t end) {
  Checksum sum;
  while (begin < end) {
    const std::uint64_t unit = begin / unit_bytes;
    const std::uint64_t in_unit = begin % unit_bytes;
    const std::uint64_t bytes = std::min(unit_bytes - in_unit, end - begin);
    const Region& part = *parts[unit % parts.size()];
    const std::uint64_t at = kPartDataOffset + unit / parts.size() * unit_bytes + in_unit;
    sum.add(part.data() + at, bytes);
    part.release(at, bytes);
    begin += bytes;
  }
  return sum.value();
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
  load.keep_packed = true;
  const Loaded loaded = load_graph(container, load, pool);
  if (loaded.format != "native container") raise<UsageError>("{} is no .grf container: make one with graphconv first", container);
  const std::shared_ptr<Region> file = loaded.graph.out.offsets.region();
  const std::vector<io::SectionEntry> sections = sections_with_edges(container);
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
    const bool held = std::ranges::any_of(sections, [&](const io::SectionEntry& section) {
      return section.offset < begin + bytes && begin < section.offset + section.bytes;
    });
    const std::byte* data = held ? file->data() + begin : zeros.data();
    writer.sum.add(data, bytes);
    held ? writer.file.write(data, bytes) : writer.file.skip(bytes);
    file->release(begin, bytes);
    progress.advance(bytes);
  }
  for (auto& writer : writers) writer->prepare(sections);
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

PartInfo read_part(int fd, const std::string& name) { return read_header(fd, name).info; }

PartInfo read_part_file(const std::string& path) { return read_part(open_or_throw(path).get(), path); }

std::uint64_t container_digest(int fd, const std::string& name) {
  std::array<char, io::kSectionAlignment> head{};
  const ssize_t got = ::pread(fd, head.data(), head.size(), 0);
  if (got < 0) raise_errno<DataError>("cannot read {}", name);
  return checksum_of(std::span(head).first(static_cast<std::size_t>(got)));
}

std::size_t check_parts(const std::vector<PartFile>& parts) {
  std::size_t unknown = 0;
  const PartHeader header = read_header(parts.front().fd, parts.front().name);
  std::vector<std::shared_ptr<Region>> regions;
  for (const PartFile& part : parts) regions.push_back(Region::map_file(part.name));
  for (const io::SectionEntry& section : std::span(header.sections).first(header.num_sections)) {
    if (section.checksum_kind == static_cast<std::uint32_t>(io::ChecksumKind::none)) {
      ++unknown;
      continue;
    }
    const std::uint64_t end = section.offset + section.bytes;
    if (checksum_over_parts(regions, header.info.unit_bytes, section.offset, end) == section.checksum) continue;
    for (const PartFile& part : parts) check_part_data(part.name, part.info);
    raise<DataError>("{}: the parts lack edges of their container (its section of kind {}): make them anew with graphconv stripe",
                     parts.front().name, section.kind);
  }
  return unknown;
}

std::string check_part_file(const std::string& path) {
  const PartInfo info = read_part_file(path);
  check_part_data(path, info);
  return fmt::format("{}: sound (part {} of {} of a container, units of {})\n", path, info.index + 1, info.count,
                     format_bytes(info.unit_bytes));
}

std::string check_whole_sets(const std::vector<std::string>& paths) {
  std::vector<OwnedFd> opened;
  std::map<std::array<std::uint64_t, 3>, std::map<std::uint32_t, PartFile>> sets;  // by container, unit and number of parts
  for (const std::string& path : paths) {
    if (!is_part_file(path)) continue;
    opened.push_back(open_or_throw(path));
    const PartInfo info = read_part(opened.back().get(), path);
    sets[{info.container_digest, info.unit_bytes, info.count}][info.index] = {path, opened.back().get(), info};
  }
  std::string lines;
  for (const auto& [key, set] : sets) {
    std::vector<PartFile> parts;
    std::vector<std::string> names;
    for (const auto& [index, part] : set) parts.push_back(part), names.push_back(part.name);
    const std::uint32_t count = parts.front().info.count;
    if (parts.size() != count) {
      lines += fmt::format("{}: {} of the {} parts of a container: whether they hold all its edges was not checked\n",
                           fmt::join(names, ", "), parts.size(), count);
      continue;
    }
    const std::size_t unknown = check_parts(parts);
    lines += unknown == 0 ? fmt::format("{}: all edges of their container\n", fmt::join(names, ", "))
                          : fmt::format("{}: whole, but {} sections of their container carry no checksum and were not checked\n",
                                        fmt::join(names, ", "), unknown);
  }
  return lines;
}

}  // namespace graphrun::inline GR_IDS
