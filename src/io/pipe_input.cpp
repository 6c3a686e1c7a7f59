// SPDX-License-Identifier: Apache-2.0

#include "io/pipe_input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <map>
#include <mutex>
#include <vector>

#include "core/owned_fd.hpp"
#include "core/raise.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/graph/scratch.hpp"
#include "io/archive.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

/// The contents of each pipe. Several calls, which know only its path, read them.
struct Kept {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<Region>> regions;
};

Kept& kept() {
  static Kept all;
  return all;
}

/// Opens a pipe. Standard input is duplicated: a socket has no path that could be opened.
OwnedFd open_pipe(const std::string& path) {
  OwnedFd fd(path == kStandardInputPath ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) raise_errno<DataError>("cannot open {}", path);
  return fd;
}

std::shared_ptr<Region> copy_pipe(const std::string& path, const std::string& directory) {
  constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
  const OwnedFd fd = open_pipe(path);
  ScratchFile file(directory.empty() ? temporary_folder() : directory);
  std::vector<char> buffer(kBufferBytes);
  Progress progress("reading " + path, 0, "bytes");
  for (;;) {
    const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) raise_errno<DataError>("cannot read {}", path);
    if (got == 0) break;
    file.append(buffer.data(), static_cast<std::size_t>(got));
    progress.advance(static_cast<std::uint64_t>(got));
  }
  if (file.size() == 0) raise<DataError>("{} is empty: nothing came through the pipe", path);
  return file.map<std::byte>().region();
}

}  // namespace

bool is_pipe(const std::string& name) {
  const std::string path = split_member(name).file;
  struct stat status {};
  const bool found = (path == kStandardInputPath ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status)) == 0;
  if (!found) return false;
  return S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || (path == kStandardInputPath && S_ISCHR(status.st_mode));
}

std::shared_ptr<Region> read_pipe(const std::string& name, const std::string& directory) {
  const std::string path = split_member(name).file;
  const std::lock_guard lock(kept().mutex);
  std::shared_ptr<Region>& region = kept().regions[path];
  if (!region) region = copy_pipe(path, directory);
  return region;
}

PipeKeeper::~PipeKeeper() {
  const std::lock_guard lock(kept().mutex);
  kept().regions.erase(split_member(path_).file);
}

std::uint64_t input_bytes(const std::string& path) {
  return is_pipe(path) ? read_pipe(path)->bytes() : std::filesystem::file_size(split_member(path).file);
}

}  // namespace graphrun::io::inline GR_IDS
