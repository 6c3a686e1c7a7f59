#include "graphrun/core/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "graphrun/core/error.hpp"

namespace graphrun {
namespace {

constexpr mode_t kMode = 0666;  // less the umask

/// A name that does not exist yet, or leads nowhere, is its own target.
std::string resolve(const std::string& path) {
  std::error_code unresolved;
  const auto real = std::filesystem::canonical(path, unresolved);
  return unresolved ? path : real.string();
}

/// True when `target` exists and is no regular file. Throws when such a thing cannot be the target.
bool is_special(const std::string& target, const std::string& path, SpecialTarget special) {
  struct stat status {};
  if (::stat(target.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return false;
  if (special == SpecialTarget::refuse)
    throw DataError(fmt::format("cannot write {}: it exists and is not a regular file", path));
  if (S_ISDIR(status.st_mode)) throw DataError(fmt::format("cannot write {}: it is a directory", path));
  return true;
}

/// The new name itself must survive a crash. Some file systems refuse this; the data is then safe all the same.
void sync_directory_of(const std::string& target) {
  const std::string directory = std::filesystem::path(target).parent_path().string();
  const int fd = ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

}  // namespace

OutputFile::OutputFile(const std::string& path, SpecialTarget special) : path_(path), target_(resolve(path)) {
  if (is_special(target_, path_, special)) {
    fd_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) fail(errno);
  } else {
    create_temporary();
  }
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::create_temporary() {
  constexpr int kMostNames = 1000;
  const std::string stem = fmt::format("{}.tmp.{}", target_, ::getpid());
  std::string name = stem;
  for (int i = 1;; ++i) {
    fd_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
    if (fd_ >= 0) break;
    if (errno != EEXIST || i == kMostNames) throw DataError(fmt::format("cannot create {}: {}", name, std::strerror(errno)));
    name = fmt::format("{}.{}", stem, i);
  }
  temporary_ = std::move(name);
}

void OutputFile::write(const void* data, std::size_t bytes) {
  constexpr std::size_t kLargestWrite = std::size_t{1} << 30;  // Linux takes at most 2 GiB at once
  const char* p = static_cast<const char*>(data);
  while (bytes != 0) {
    const ssize_t done = ::write(fd_, p, std::min(bytes, kLargestWrite));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail(done < 0 ? errno : ENOSPC);
    p += done;
    bytes -= static_cast<std::size_t>(done);
    written_ += static_cast<std::uint64_t>(done);
  }
}

void OutputFile::commit() {
  if (!temporary_.empty() && ::fsync(fd_) != 0) fail(errno);  // pipes and devices have nothing to flush and refuse
  const int closed = ::close(fd_);
  fd_ = -1;
  if (closed != 0) fail(errno);
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
  sync_directory_of(target_);
}

void OutputFile::fail(int error) const {
  throw DataError(fmt::format("cannot write {} at offset {}: {}", path_, written_, std::strerror(error)));
}

void check_writable(const std::string& path, SpecialTarget special) {
  const std::string target = resolve(path);
  if (!is_special(target, path, special)) {
    const OutputFile probe(path, special);
  } else if (::access(target.c_str(), W_OK) != 0) {
    throw DataError(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  }
}

}  // namespace graphrun
