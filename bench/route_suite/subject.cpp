// SPDX-License-Identifier: Apache-2.0

#include "route_suite/subject.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "core/raise.hpp"
#include "graphrun/core/random.hpp"

namespace graphrun::bench {
namespace {

constexpr std::uint64_t kWord = sizeof(std::uint64_t);

bool is_drawn(int percent, std::uint64_t place, std::uint64_t draw) {
  return splitmix64(place, draw, 0) % 100 < static_cast<std::uint64_t>(percent);
}

}  // namespace

Subject::Subject(const std::string& name) : name_(name) {
  parts_.emplace_back(name, O_RDONLY);
  bytes_ = first().bytes();
  ::posix_fadvise(first().get(), 0, 0, POSIX_FADV_RANDOM);
}

Subject::Subject(const std::vector<std::string>& folders, std::uint64_t bytes) : name_("a scratch file") {
  for (const std::string& folder : folders) scratch_.emplace_back(folder);
  const std::uint64_t stripe = kUnitBytes * scratch_.size();
  bytes_ = std::max(stripe, bytes / stripe * stripe);
  std::vector<std::uint64_t> words(kUnitBytes / kWord);
  for (std::uint64_t at = 0; at < bytes_; at += kUnitBytes) {
    fill(at, words);
    scratch_[at / kUnitBytes % scratch_.size()].append(words.data(), kUnitBytes);
  }
  for (ScratchFile& part : scratch_) {
    part.flush();
    parts_.emplace_back(part.descriptor(), O_RDWR);
    ::posix_fadvise(parts_.back().get(), 0, 0, POSIX_FADV_RANDOM);
  }
}

StoreFile Subject::store() const {
  StoreFile store{name_, first().get()};
  if (parts_.size() == 1) return store;
  for (const File& part : parts_) store.striping.parts.push_back({name_, part.get()});
  store.striping.unit_bytes = kUnitBytes;
  return store;
}

void Subject::cache(int percent, std::uint64_t stretch) const {
  constexpr std::uint32_t kDepth = 32;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const int fd = parts_[part].get();
    ::fdatasync(fd);
    ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    if (percent == 0) continue;
    PlainRing ring(kDepth, static_cast<std::uint32_t>(stretch));
    std::uint64_t at = 0;
    std::uint32_t out = 0;
    const auto start_next = [&](std::uint32_t buffer) {
      while (at + stretch <= bytes_ / parts_.size() && !is_drawn(percent, at, part)) at += stretch;
      if (at + stretch > bytes_ / parts_.size()) return;
      ring.start(false, fd, buffer, at);
      at += stretch;
      ++out;
    };
    for (std::uint32_t buffer = 0; buffer < kDepth; ++buffer) start_next(buffer);
    while (out != 0) {
      ring.wait([&](std::uint32_t buffer) {
        --out;
        start_next(buffer);
      });
    }
  }
}

void Subject::dirty(int percent, std::uint64_t stretch) const {
  std::vector<std::uint64_t> words(std::min(stretch, kUnitBytes) / kWord);
  const std::uint64_t bytes = words.size() * kWord;
  for (std::uint64_t at = 0; at + bytes <= bytes_; at += bytes) {
    if (!is_drawn(percent, at / stretch, parts_.size())) continue;
    fill(at, words);
    const std::uint64_t unit = at / kUnitBytes;
    const std::uint64_t place = unit / parts_.size() * kUnitBytes + at % kUnitBytes;
    const int fd = parts_[unit % parts_.size()].get();
    if (::pwrite(fd, words.data(), bytes, static_cast<off_t>(place)) != static_cast<ssize_t>(bytes)) {
      raise_errno<DataError>("cannot write {}", name_);
    }
  }
}

void Subject::fill(std::uint64_t offset, std::span<std::uint64_t> words) const {
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = splitmix64(offset / kWord + i);
}

void Subject::check(const Request& request, const std::byte* data) const {
  if (!is_scratch()) return;
  std::vector<std::uint64_t> words(request.bytes / kWord);
  fill(request.offset, words);
  const std::uint64_t bytes = std::min<std::uint64_t>(request.bytes, bytes_ - request.offset);
  if (std::memcmp(words.data(), data, bytes) != 0) {
    raise<DataError>("a read of {} bytes at {} gave others than were written", request.bytes, request.offset);
  }
}

}  // namespace graphrun::bench
