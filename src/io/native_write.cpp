#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/io/readers.hpp"
#include "io/native_layout.hpp"

namespace graphrun {
namespace {

/// A file that takes its name only when it is complete: a process that dies before commit() leaves the target as it was.
class PendingFile {
 public:
  explicit PendingFile(std::string target)
      : target_(std::move(target)), temporary_(fmt::format("{}.tmp.{}", target_, ::getpid())) {
    // rename() would replace a device or a socket by a file without asking.
    struct stat status {};
    if (::stat(target_.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
      throw DataError(fmt::format("{} exists and is not a regular file", target_));
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ < 0) throw DataError(fmt::format("cannot create {}: {}", temporary_, std::strerror(errno)));
  }
  ~PendingFile() {
    if (fd_ >= 0) ::close(fd_);
    if (!committed_) ::unlink(temporary_.c_str());
  }
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  std::uint64_t written() const { return written_; }

  void write(const void* data, std::size_t bytes) {
    constexpr std::size_t kLargestWrite = std::size_t{1} << 30;  // Linux takes at most 2 GiB at once
    const char* p = static_cast<const char*>(data);
    while (bytes != 0) {
      const ssize_t done = ::write(fd_, p, std::min(bytes, kLargestWrite));
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) fail("write", done < 0 ? errno : ENOSPC);
      p += done;
      bytes -= static_cast<std::size_t>(done);
      written_ += static_cast<std::uint64_t>(done);
    }
  }

  void pad_to(std::uint64_t offset) {
    const std::vector<char> zeros(offset - written_);
    write(zeros.data(), zeros.size());
  }

  void commit() {
    if (::fsync(fd_) != 0) fail("write", errno);
    const int closed = ::close(fd_);
    fd_ = -1;
    if (closed != 0) fail("close", errno);
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("rename", errno);
    committed_ = true;
    sync_directory();
  }

 private:
  [[noreturn]] void fail(const char* what, int error) const {
    throw DataError(fmt::format("cannot {} {} at offset {}: {}", what, temporary_, written_, std::strerror(error)));
  }

  /// The new name itself must survive a crash. Some file systems refuse this; the data is then safe all the same.
  void sync_directory() const {
    std::string directory = std::filesystem::path(target_).parent_path().string();
    const int fd = ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    ::fsync(fd);
    ::close(fd);
  }

  std::string target_;
  std::string temporary_;
  int fd_ = -1;
  std::uint64_t written_ = 0;
  bool committed_ = false;
};

struct Section {
  io::SectionKind kind;
  std::uint32_t element_bytes;
  const void* data;
  std::uint64_t bytes;
};

template <class T>
Section section_of(io::SectionKind kind, const Column<T>& column) {
  return {kind, sizeof(T), column.data(), column.bytes()};
}

std::vector<Section> sections_of(const Graph& graph) {
  std::vector<Section> sections{section_of(io::SectionKind::out_offsets, graph.out.offsets),
                                section_of(io::SectionKind::out_neighbours, graph.out.neighbours)};
  if (graph.weight_kind != WeightKind::none) sections.push_back(section_of(io::SectionKind::out_weights, graph.out.weights));
  if (graph.in && !graph.symmetric) {
    sections.push_back(section_of(io::SectionKind::in_offsets, graph.in->offsets));
    sections.push_back(section_of(io::SectionKind::in_neighbours, graph.in->neighbours));
  }
  return sections;
}

/// A file that its own reader would refuse must not come into being.
void check_writable(const Graph& graph, const std::string& path, ThreadPool& pool) {
  check_csr(graph.out, path + " (graph to write)", pool);
  const std::size_t expected = graph.weight_kind == WeightKind::none ? 0 : graph.num_edges();
  if (graph.out.weights.size() != expected) {
    throw DataError(
        fmt::format("{}: the graph to write has {} weights where {} belong", path, graph.out.weights.size(), expected));
  }
  if (graph.in && !graph.symmetric) {
    check_csr(*graph.in, path + " (transpose to write)", pool);
    if (graph.in->num_vertices() != graph.num_vertices() || graph.in->num_edges() != graph.num_edges()) {
      throw DataError(fmt::format("{}: the transpose to write has another size than the graph", path));
    }
  }
}

}  // namespace

void write_native(const Graph& graph, const std::string& path) {
  ThreadPool pool;
  check_writable(graph, path, pool);
  const io::ListFacts facts = io::examine_lists(graph.out, pool);
  const std::vector<Section> sections = sections_of(graph);

  io::FileHeader header{};
  std::memcpy(header.magic, io::kMagic.data(), io::kMagic.size());
  header.version = io::kNativeVersion;
  header.header_bytes = sizeof(header);
  header.vertex_bytes = sizeof(VertexId);
  header.flags = facts.flags | (graph.symmetric ? io::kSymmetric : 0u);
  header.weight_kind = static_cast<std::uint32_t>(graph.weight_kind);
  header.num_sections = static_cast<std::uint32_t>(sections.size());
  header.num_vertices = graph.num_vertices();
  header.num_edges = graph.num_edges();
  header.max_degree = facts.max_degree;

  std::vector<io::SectionEntry> table;
  std::uint64_t end = sizeof(header) + sections.size() * sizeof(io::SectionEntry);
  for (const Section& section : sections) {
    io::SectionEntry entry{};
    entry.kind = static_cast<std::uint32_t>(section.kind);
    entry.element_bytes = section.element_bytes;
    entry.offset = io::align_section(end);
    entry.bytes = section.bytes;
    end = entry.offset + entry.bytes;
    table.push_back(entry);
  }
  // Whole pages, so that O_DIRECT can read the last section to its end.
  header.file_bytes = io::align_section(end);

  PendingFile file(path);
  file.write(&header, sizeof(header));
  file.write(table.data(), table.size() * sizeof(io::SectionEntry));
  for (std::size_t i = 0; i < sections.size(); ++i) {
    file.pad_to(table[i].offset);
    file.write(sections[i].data, sections[i].bytes);
  }
  file.pad_to(header.file_bytes);
  file.commit();
}

}  // namespace graphrun
