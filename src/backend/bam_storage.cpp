#include "backend/bam_storage.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"

namespace graphrun {

ColumnStore::ColumnStore(const BackendOptions& options) : stripe_(options.stripe) {
  if (!stripe_.empty() && options.storage != "file") {
    throw UsageError(fmt::format("--stripe spreads reads over files and does not go with --storage {}", options.storage));
  }
}

ColumnStore::~ColumnStore() {
  for (const int fd : opened_) ::close(fd);
}

const std::vector<StoreFile>& ColumnStore::finish() {
  if (!stripe_.empty() && (scratch_ || files_.size() != 1)) {
    throw UsageError(
        "--stripe names copies of a container, but some edges or weights are in none: convert the graph with "
        "graphconv first, with --weights if it needs any");
  }
  if (scratch_) {
    scratch_->flush();
    log::info(
        fmt::format("bam: {} of edges or weights exist in memory only and were written to a scratch file in {}; a .grf file "
                    "made by graphconv is read in place",
                    format_bytes(scratch_->size()), scratch_directory_));
  }
  return files_;
}

std::uint64_t ColumnStore::container(const Region& region) {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].name == region.path()) return i;
  }
  const int fd = open(region.path());
  StoreFile file{region.path(), fd};
  file.copies = open_copies(region.path(), fd);
  files_.push_back(std::move(file));
  return files_.size() - 1;
}

int ColumnStore::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw DataError(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  opened_.push_back(fd);
  return fd;
}

std::vector<int> ColumnStore::open_copies(const std::string& path, int fd) {
  const auto head = [](int file) {
    std::vector<char> bytes(kAlignment);  // header and section table, which have a checksum of every section
    bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::pread(file, bytes.data(), bytes.size(), 0))));
    return bytes;
  };
  std::vector<int> copies;
  for (const std::string& name : stripe_) {
    copies.push_back(open(name));
    if (::lseek(copies.back(), 0, SEEK_END) != ::lseek(fd, 0, SEEK_END) || head(copies.back()) != head(fd)) {
      throw DataError(fmt::format("{} is no copy of {}", name, path));
    }
  }
  return copies;
}

std::uint64_t ColumnStore::write_to_scratch(const void* data, std::size_t bytes) {
  if (!scratch_) {
    scratch_directory_ = std::filesystem::temp_directory_path().string();
    scratch_.emplace(scratch_directory_);
    scratch_index_ = files_.size();
    files_.push_back({fmt::format("a scratch file in {}", scratch_directory_), scratch_->descriptor()});
  }
  const std::uint64_t offset = scratch_->size();
  scratch_->append(data, bytes);
  const std::vector<char> zeros((kAlignment - bytes % kAlignment) % kAlignment);
  scratch_->append(zeros.data(), zeros.size());
  return offset;
}

EngineOpener parse_storage(const std::string& text) {
  constexpr std::string_view kRam = "ram:";
  if (text == "file") return open_uring_engine;
  if (text.starts_with(kRam)) {
    const DeviceProfile profile = parse_device_profile(text.substr(kRam.size()));
    return [profile, device = std::shared_ptr<RamDevice>()](const std::vector<StoreFile>& files, std::uint32_t depth) mutable {
      if (!device) device = std::make_shared<RamDevice>(profile, files);
      return open_ram_engine(device, depth);
    };
  }
  if (text.starts_with("nvme:")) {
    throw UnavailableError("storage nvme is for --device cpu: a GPU does not reach the device's doorbells yet");
  }
  throw UsageError(fmt::format("there is no storage '{}': choose file or ram:PROFILE, or nvme:ADDRESS", text));
}

}  // namespace graphrun
