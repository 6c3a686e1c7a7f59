// SPDX-License-Identifier: Apache-2.0

#include "transport/store_map.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>

#include "core/raise.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/transport/storage.hpp"

namespace graphrun {

std::uint32_t sector_bytes_of([[maybe_unused]] int fd) {
  constexpr std::uint32_t kUnknown = 512;
#ifdef STATX_DIOALIGN  // since Linux 6.1
  struct statx status {};
  const bool said = ::statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &status) == 0 && (status.stx_mask & STATX_DIOALIGN) != 0;
  if (said && status.stx_dio_offset_align != 0) return status.stx_dio_offset_align;
#endif
  return kUnknown;
}

DirectFile::DirectFile(std::string its_name, int its_fd, bool is_writable) : name(std::move(its_name)), writable(is_writable) {
  const int how = (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC;
  const std::string again = fmt::format("/proc/self/fd/{}", its_fd);
  fd = OwnedFd(::open(again.c_str(), how | O_DIRECT));
  if (!fd.is_open()) {
    direct = false;
    fd = OwnedFd(::open(again.c_str(), how));
    if (!fd.is_open()) raise_errno<DataError>("cannot open {}", name);
    log::warn(fmt::format("{}: its file system refuses direct I/O, so transfers go through the page cache", name));
  }
  if (direct) sector_bytes = sector_bytes_of(fd.get());
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) raise_errno<DataError>("cannot examine {}", name);
  bytes = static_cast<std::uint64_t>(status.st_size);
}

StoreMap::StoreMap(const std::vector<StoreFile>& files) {
  for (const StoreFile& file : files) {
    const Striping& striping = file.striping;
    if (!striping.parts.empty()) {
      groups_.push_back({files_.size(), striping.parts.size(), striping.unit_bytes, striping.data_offset});
      for (const Striping::Part& part : striping.parts) files_.emplace_back(part.name, part.fd, false);
      continue;
    }
    groups_.push_back({files_.size(), 1 + file.copies.size(), 0, 0});
    files_.emplace_back(file.name, file.fd, file.writable);
    for (const OpenFile& copy : file.copies) files_.emplace_back(copy.name, copy.fd, false);
  }
}

std::int64_t StoreMap::last_change(std::uint64_t file) const {
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  std::int64_t last = 0;
  const Group& group = groups_[static_cast<std::size_t>(file)];
  for (std::size_t i = group.first; i < group.first + group.count; ++i) {
    struct stat status {};
    if (::fstat(files_[i].fd.get(), &status) != 0)
      return std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
    last = std::max(last, std::int64_t{status.st_ctim.tv_sec} * kNanoseconds + status.st_ctim.tv_nsec);
  }
  return last;
}

std::size_t StoreMap::most_pieces(std::uint32_t bytes) const {
  std::size_t most = 1;
  for (const Group& group : groups_) {
    if (group.unit_bytes != 0) most = std::max(most, static_cast<std::size_t>(bytes / group.unit_bytes + 2));
  }
  return most;
}

void StoreMap::cut(const BlockRequest& request, std::vector<Piece>& pieces) const {
  constexpr std::uint64_t kStretch = kMostCommandBytes;  // for one copy; shorter ones would all begin at the same copy
  if (request.file() >= groups_.size()) return;
  const Group& group = groups_[static_cast<std::size_t>(request.file())];
  const std::uint64_t offset = request.place();
  if (group.unit_bytes != 0) {
    if (!request.writes()) cut_over_parts(group, offset, request.bytes, pieces);
    return;
  }
  const std::size_t file = group.first + static_cast<std::size_t>(offset / kStretch % group.count);
  if (request.fits(files_[file].bytes, files_[file].writable)) pieces.push_back({file, offset, request.bytes, 0});
}

void StoreMap::cut_over_parts(const Group& group, std::uint64_t offset, std::uint32_t bytes, std::vector<Piece>& pieces) const {
  for (std::uint32_t done = 0; done < bytes;) {
    const std::uint64_t at = offset + done;
    const std::uint64_t unit = at / group.unit_bytes;
    const std::uint64_t in_unit = at % group.unit_bytes;
    const auto piece_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes - done, group.unit_bytes - in_unit));
    const std::size_t file = group.first + static_cast<std::size_t>(unit % group.count);
    const std::uint64_t place = group.data_offset + unit / group.count * group.unit_bytes + in_unit;
    if (place >= files_[file].bytes) return;  // the file that was dealt out ends here
    pieces.push_back({file, place, piece_bytes, done});
    done += piece_bytes;
  }
}

}  // namespace graphrun
