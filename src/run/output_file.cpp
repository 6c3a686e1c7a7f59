#include "run/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "graphrun/core/error.hpp"

namespace graphrun {

OutputFile::OutputFile(const std::string& path) : path_(path), target_(path) {
  std::error_code unresolved;
  if (const auto real = std::filesystem::canonical(path, unresolved); !unresolved) target_ = real.string();
  struct stat status {};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) throw DataError(fmt::format("cannot write {}: it is a directory", path_));
  int fd = -1;
  if (exists && !S_ISREG(status.st_mode)) {
    fd = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    temporary_ = fmt::format("{}.tmp.{}", target_, ::getpid());
    fd = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  }
  if (fd >= 0) file_ = ::fdopen(fd, "wb");
  if (file_ != nullptr) return;
  const int error = errno;
  if (fd >= 0) ::close(fd);
  fail(error);
}

OutputFile::~OutputFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::write(const void* data, std::size_t bytes) {
  if (std::fwrite(data, 1, bytes, file_) != bytes) fail(errno);
}

void OutputFile::commit() {
  if (std::fflush(file_) != 0) fail(errno);
  if (!temporary_.empty()) {
    if (::fsync(::fileno(file_)) != 0) fail(errno);
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
    temporary_.clear();
  }
  std::FILE* done = file_;
  file_ = nullptr;
  if (std::fclose(done) != 0) fail(errno);
}

void OutputFile::fail(int error) const { throw DataError(fmt::format("cannot write {}: {}", path_, std::strerror(error))); }

void check_writable(const std::string& path) { const OutputFile probe(path); }

}  // namespace graphrun
