// SPDX-License-Identifier: Apache-2.0

#include "graphrun/core/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/owned_fd.hpp"
#include "core/raise.hpp"

namespace graphrun {
namespace {

constexpr mode_t kMode = 0666;                                     // less the umask
constexpr std::uint64_t kFlushedAtOnce = std::uint64_t{64} << 20;  // bytes

/// Resolves symbolic links. A name that does not exist yet is its own target.
std::string resolve(const std::string& path) {
  std::error_code unresolved;
  const auto real = std::filesystem::canonical(path, unresolved);
  if (!unresolved) return real.string();
  std::error_code no_link;
  const auto leads_to = std::filesystem::read_symlink(path, no_link);
  return no_link ? path : (std::filesystem::path(path).parent_path() / leads_to).string();
}

/// Returns whether `target` exists and is no regular file. Throws when such a thing cannot be the target.
bool is_special(const std::string& target, const std::string& path, SpecialTarget special) {
  struct stat status {};
  if (::stat(target.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return false;
  if (special == SpecialTarget::refuse) raise<DataError>("cannot write {}: it exists and is not a regular file", path);
  if (S_ISDIR(status.st_mode)) raise<DataError>("cannot write {}: it is a directory", path);
  return true;
}

std::string directory_of(const std::string& target) {
  const std::string directory = std::filesystem::path(target).parent_path().string();
  return directory.empty() ? "." : directory;
}

/// Makes the new name survive a crash. Some file systems refuse; the data is safe all the same.
void sync_directory_of(const std::string& target) {
  const OwnedFd directory(::open(directory_of(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.is_open()) ::fsync(directory.get());
}

}  // namespace

OutputFile::OutputFile(const std::string& path, SpecialTarget special) : path_(path), target_(resolve(path)) {
  if (path.empty()) throw DataError("cannot write a file without a name");
  if (path == kStandardOutputPath && special == SpecialTarget::write_directly) {
    direct_ = true;  // also when it is a file, which is appended to, or a socket, without a path
    fd_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  } else if (is_special(target_, path_, special)) {
    direct_ = true;
    fd_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  }
  if (direct_ && fd_ < 0) fail(errno);
  if (direct_) return;
  // Renaming would not ask whether the file may be written.
  if (::access(target_.c_str(), F_OK) == 0 && ::access(target_.c_str(), W_OK) != 0) fail(errno);
  if (!open_unnamed()) open_named();
  struct stat old {};  // the new file keeps the old one's permissions, where the file system has modes
  if (::stat(target_.c_str(), &old) == 0 && ::fchmod(fd_, old.st_mode & 0777) != 0 && errno != EPERM) fail(errno);
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

bool OutputFile::open_unnamed() {
  if (::access("/proc/self/fd", X_OK) != 0) return false;  // naming it later goes through there
  fd_ = ::open(directory_of(target_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kMode);
  return fd_ >= 0;
}

void OutputFile::open_named() {
  temporary_ = name_beside_target([this](const std::string& name) {
    fd_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
    return fd_ >= 0;
  });
}

template <class Create>
std::string OutputFile::name_beside_target(const Create& create) const {
  constexpr int kMostNames = 1000;
  const std::string stem = fmt::format("{}.tmp.{}", target_, ::getpid());
  std::string name = stem;
  for (int i = 1; !create(name); ++i) {
    if (errno != EEXIST || i == kMostNames) fail(errno);
    name = fmt::format("{}.{}", stem, i);
  }
  return name;
}

template <class Some>
void OutputFile::put(const void* data, std::size_t bytes, const Some& put_some) const {
  constexpr std::size_t kLargestWrite = std::size_t{1} << 30;  // Linux takes at most 2 GiB at once
  for (const char* from = static_cast<const char*>(data); bytes != 0;) {
    const ssize_t done = put_some(from, std::min(bytes, kLargestWrite));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail(done < 0 ? errno : ENOSPC);
    from += done;
    bytes -= static_cast<std::size_t>(done);
  }
}

void OutputFile::write(const void* data, std::size_t bytes) {
  put(data, bytes, [this](const char* from, std::size_t count) {
    const ssize_t done = ::write(fd_, from, count);
    written_ += static_cast<std::uint64_t>(std::max<ssize_t>(done, 0));
    return done;
  });
  if (direct_ || written_ - flushing_ < kFlushedAtOnce) return;
  ::sync_file_range(fd_, static_cast<off_t>(flushing_), static_cast<off_t>(written_ - flushing_), SYNC_FILE_RANGE_WRITE);
  flushing_ = written_;
}

void OutputFile::skip(std::uint64_t bytes) {
  written_ += bytes;
  if (::ftruncate(fd_, static_cast<off_t>(written_)) != 0 || ::lseek(fd_, static_cast<off_t>(written_), SEEK_SET) < 0)
    fail(errno);
}

void OutputFile::write_at(std::uint64_t offset, const void* data, std::size_t bytes) {
  put(data, bytes, [&](const char* from, std::size_t count) {
    const ssize_t done = ::pwrite(fd_, from, count, static_cast<off_t>(offset));
    offset += static_cast<std::uint64_t>(std::max<ssize_t>(done, 0));
    return done;
  });
}

void OutputFile::reserve(std::uint64_t bytes) {
  int error = 0;
  do {
    error = bytes == 0 ? 0 : ::posix_fallocate(fd_, 0, static_cast<off_t>(bytes));
  } while (error == EINTR);
  if (error != 0) fail(error);
}

void OutputFile::prepare() {
  if (prepared_) return;
  if (!direct_ && ::fsync(fd_) != 0) fail(errno);  // pipes and devices have nothing to flush and refuse
  prepared_ = true;
}

void OutputFile::commit() {
  prepare();
  const bool named = !direct_ && temporary_.empty() && name_unnamed();
  const int closed = ::close(fd_);
  fd_ = -1;
  if (closed != 0) fail(errno);
  if (direct_) return;
  if (!named && ::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
  sync_directory_of(target_);
}

bool OutputFile::name_unnamed() {
  const std::string unnamed = fmt::format("/proc/self/fd/{}", fd_);
  const auto link_to = [&](const std::string& name) {
    return ::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  if (link_to(target_)) return true;
  if (errno != EEXIST) fail(errno);
  temporary_ = name_beside_target(link_to);  // a link cannot replace a file, a rename can
  return false;
}

void OutputFile::fail(int error) const {
  const std::string place = written_ == 0 ? "" : fmt::format(" at offset {}", written_);
  raise<DataError>("cannot write {}{}: {}", path_, place, std::strerror(error));
}

std::filesystem::path real_path(const std::string& path) {
  if (path.empty()) return {};
  // A missing path is made canonical only when it begins at the root.
  return std::filesystem::weakly_canonical(std::filesystem::absolute(resolve(path)));
}

void check_writable(const std::string& path, SpecialTarget special) {
  const std::string target = resolve(path);
  if (!is_special(target, path, special)) {
    const OutputFile probe(path, special);
  } else if (::access(target.c_str(), W_OK) != 0) {
    raise_errno<DataError>("cannot write {}", path);
  }
}

}  // namespace graphrun
