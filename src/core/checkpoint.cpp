// SPDX-License-Identifier: Apache-2.0

#include "graphrun/core/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "core/raise.hpp"
#include "graphrun/core/checksum.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/output_file.hpp"

namespace graphrun {
namespace {

namespace fs = std::filesystem;

constexpr double kSavesAreAtMost = 1.0 / 50;  // of a run's time
constexpr char kMagic[8] = {'G', 'R', 'S', 'T', 'A', 'T', 'E', '2'};
constexpr const char* kSuffix = ".state";

struct Header {
  char magic[8] = {};
  std::uint64_t request_bytes = 0;  ///< after the header
  std::uint64_t request = 0;        ///< checksum
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;     ///< of request and state
  std::uint64_t checksum = 0;  ///< of these
};

static_assert(std::atomic<int>::is_always_lock_free);  // a signal's handler uses these
std::atomic<int> rounds_running = 0, stop_signal = 0;

std::uint64_t checksum_of(const std::string& text) {
  Checksum sum;
  sum.add(text.data(), text.size());
  return sum.value();
}

Header header_of(std::ifstream& file) {
  Header header;
  if (!file.read(reinterpret_cast<char*>(&header), sizeof(header)) || std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0)
    return {};
  return header;
}

/// Returns the files of all ranks.
std::vector<fs::path> saves_in(const std::string& folder) {
  std::error_code error;
  const fs::directory_iterator entries(folder, error);
  if (error) raise<DataError>("cannot read the folder {}: {}", folder, error.message());
  std::vector<fs::path> saves;
  for (const auto& entry : entries) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("rank-") && name.ends_with(kSuffix)) saves.push_back(entry.path());
  }
  return saves;
}

/// Returns the request of a save; empty where it is damaged.
std::string request_in(std::ifstream& file, const Header& header) {
  constexpr std::uint64_t kMost = 1 << 20;
  std::string request(std::min(header.request_bytes, kMost), '\0');
  file.read(request.data(), static_cast<std::streamsize>(request.size()));
  return checksum_of(request) == header.request ? request : "";
}

/// Returns the first difference: "--damping 0.85, not 0.9".
std::string difference(const std::string& saved, const std::string& asked) {
  std::istringstream saved_lines(saved), asked_lines(asked);
  std::string one, other;
  while (std::getline(saved_lines, one) && std::getline(asked_lines, other) && one == other) {
  }
  const std::size_t tab = one.find('\t');
  return fmt::format("{} {}, not {}", one.substr(0, tab), one.substr(tab + 1), other.substr(other.find('\t') + 1));
}

std::string beginning_of(std::size_t rank, std::size_t ranks) { return fmt::format("rank-{}-of-{}.", rank, ranks); }

}  // namespace

Rounds::Rounds() { ++rounds_running; }
Rounds::~Rounds() { --rounds_running; }

bool Rounds::stop(int signal) {
  int none = 0;
  return rounds_running != 0 && stop_signal.compare_exchange_strong(none, signal);
}

int Rounds::stopped_by() { return stop_signal; }

Checkpoint::Checkpoint(std::string folder, const std::string& request, std::size_t rank, std::size_t ranks)
    : folder_(std::move(folder)), request_(request), rank_(beginning_of(rank, ranks)) {
  std::error_code error;
  if (fs::is_symlink(folder_, error) && !fs::exists(folder_, error))
    raise<DataError>("cannot make the folder {}: it is a symbolic link to {}, which does not exist", folder_,
                     fs::read_symlink(folder_).string());
  fs::create_directories(folder_, error);
  if (error) raise<DataError>("cannot make the folder {}: {}", folder_, error.message());
  check_writable(path_of(0), SpecialTarget::refuse);
  const std::string of_ranks = fmt::format("-of-{}.", ranks);
  for (const fs::path& save : saves_in(folder_)) {
    const std::string name = save.filename().string();
    if (name.find(of_ranks) == std::string::npos)
      raise<DataError>("{} holds the state of a run of another number of ranks: {}. Name another folder, or remove that file",
                       folder_, name);
    std::ifstream file(save, std::ios::binary);
    const Header header = header_of(file);
    if (header.number == kNone || header.request == checksum_of(request_)) continue;
    if (const std::string saved = request_in(file, header); !saved.empty())
      raise<DataError>("{} holds the state of another run: {}. Name another folder, or remove it", folder_,
                       difference(saved, request_));
  }
}

std::string Checkpoint::path_of(std::uint64_t number) const {
  return fmt::format("{}/{}{}{}", folder_, rank_, number % 2, kSuffix);
}

std::uint64_t Checkpoint::number_in(const std::string& path) const {
  std::ifstream file(path, std::ios::binary);
  if (!file) return kNone;
  const Header header = header_of(file);
  Checksum sum;
  std::vector<char> piece(std::size_t{1} << 20);
  std::uint64_t left = header.bytes;
  while (left != 0 && file.read(piece.data(), static_cast<std::streamsize>(std::min<std::uint64_t>(left, piece.size())))) {
    sum.add(piece.data(), static_cast<std::size_t>(file.gcount()));
    left -= static_cast<std::uint64_t>(file.gcount());
  }
  if (header.number != kNone && header.request_bytes == request_.size() && left == 0 && sum.value() == header.checksum)
    return header.number;
  log::warn(fmt::format("{} is damaged, and not used", path));
  return kNone;
}

std::array<std::uint64_t, 2> Checkpoint::saves() { return {number_in(path_of(0)), number_in(path_of(1))}; }

void Checkpoint::load(std::uint64_t number, const std::function<void(const Read&)>& body) {
  const std::string path = path_of(number);
  std::ifstream file(path, std::ios::binary);
  const Header header = header_of(file);
  std::uint64_t left = header.bytes - header.request_bytes;
  file.seekg(static_cast<std::streamoff>(header.request_bytes), std::ios::cur);
  body([&](void* to, std::size_t bytes) {
    if (bytes > left || !file.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes)))
      raise<DataError>("{} ends before the state does", path);
    left -= bytes;
  });
  if (left != 0) raise<DataError>("{} has {} bytes more than the state", path, left);
  last_ = number;
  since_ = Timer();
  loaded_ = true;
}

void Checkpoint::save(const std::function<void(const Write&)>& body) {
  const Timer saving;
  Header header{.request_bytes = request_.size(), .request = checksum_of(request_), .number = last_ + 1};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  OutputFile file(path_of(header.number), SpecialTarget::refuse);
  file.write(&header, sizeof(header));
  Checksum sum;
  const Write write = [&](const void* from, std::size_t bytes) {
    file.write(from, bytes);
    sum.add(from, bytes);
    header.bytes += bytes;
  };
  write(request_.data(), request_.size());
  body(write);
  header.checksum = sum.value();
  file.write_at(0, &header, sizeof(header));
  file.commit();
  last_ = header.number;
  save_ms_ = saving.elapsed_ms();
  since_ = Timer();
}

bool Checkpoint::is_due(std::uint64_t bytes) const {
  constexpr double kSyncMs = 20, kBytesPerMs = 1e5;  // of a slow disk
  const double save_ms = save_ms_.value_or(kSyncMs + static_cast<double>(bytes) / kBytesPerMs);
  return save_ms <= kSavesAreAtMost * since_.elapsed_ms();
}

void Checkpoint::remove_all(const std::string& folder) {
  for (const fs::path& save : saves_in(folder)) {
    std::error_code error;
    fs::remove(save, error);
    if (error) raise<DataError>("cannot remove {}: {}", save.string(), error.message());
  }
}

void Checkpoint::end_by(int signal) const {
  if (last_ == kNone) throw StoppedError(signal, fmt::format("before the first save in {}", folder_));
  throw StoppedError(signal, fmt::format("after save {} in {}: the same command goes on from there", last_, folder_));
}

void Checkpoint::keep_only(std::uint64_t number) {
  for (const std::uint64_t place : {0, 1}) {
    const std::string path = path_of(place);
    std::error_code error;
    if (number == kNone || place != number % 2) fs::remove(path, error);
    if (error) raise<DataError>("cannot remove {}: {}", path, error.message());
  }
}

}  // namespace graphrun
