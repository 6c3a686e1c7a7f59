// SPDX-License-Identifier: Apache-2.0

#include "backend/bam_storage.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "backend/bam_nvme.hpp"
#include "core/raise.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/graph/scratch.hpp"
#include "graphrun/io/parts.hpp"
#include "graphrun/io/readers.hpp"
#include "graphrun/transport/drive_model.hpp"
#include "graphrun/transport/storage.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// Sorts the parts. Throws unless they are all parts of this container. Reads all their bytes with `check`.
Striping assemble_parts(const StoreFile& container, const std::vector<Striping::Part>& named, bool check) {
  const auto misused = [&](const Striping::Part& part, const std::string& what) {
    raise<UsageError>("--stripe: {} {}", part.name, what);
  };
  const std::uint64_t digest = container_digest(container.fd, container.name);
  const auto bytes = static_cast<std::uint64_t>(::lseek(container.fd, 0, SEEK_END));
  Striping striping{std::vector<Striping::Part>(named.size()), 0, kPartDataOffset};
  std::vector<PartFile> files(named.size());
  for (const Striping::Part& part : named) {
    const PartInfo info = read_part(part.fd, part.name);
    if (info.container_digest != digest || info.container_bytes != bytes) misused(part, "is no part of " + container.name);
    if (info.count != named.size()) misused(part, fmt::format("is one of {} parts, and {} are named", info.count, named.size()));
    if (striping.unit_bytes != 0 && striping.unit_bytes != info.unit_bytes) {
      misused(part, fmt::format("has units of {}, another part of {}: they were made apart", format_bytes(info.unit_bytes),
                                format_bytes(striping.unit_bytes)));
    }
    striping.unit_bytes = info.unit_bytes;
    Striping::Part& place = striping.parts[info.index];
    if (place.fd >= 0) misused(part, fmt::format("is the same part as {}", place.name));
    place = part;
    files[info.index] = {part.name, part.fd, info};
  }
  if (check) check_parts(files);
  return striping;
}

}  // namespace

ColumnStore::ColumnStore(const BackendOptions& options) : stripe_(options.stripe), check_stripe_(options.check_stripe) {
  if (!stripe_.empty() && options.storage != "file")
    raise<UsageError>("--stripe spreads reads over files and does not go with --storage {}", options.storage);
}

const std::vector<StoreFile>& ColumnStore::finish() {
  if (!stripe_.empty() && (scratch_ || files_.size() != 1))
    throw UsageError(
        "--stripe names copies or parts of a container, but some edges or weights are in none: convert the graph with "
        "graphconv first, with --weights if it needs any");
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
  StoreFile file{region.path(), region.file().descriptor()};
  if (!stripe_.empty()) spread(file);
  files_.push_back(std::move(file));
  return files_.size() - 1;
}

int ColumnStore::open(const std::string& path) {
  opened_.emplace_back(path);
  return opened_.back().descriptor();
}

void ColumnStore::spread(StoreFile& file) {
  std::vector<Striping::Part> named;
  for (const std::string& name : stripe_) named.push_back({name, open(name)});
  const auto parts = std::count_if(named.begin(), named.end(), [](const Striping::Part& one) { return is_part(one.fd); });
  if (parts == 0) {
    file.copies = std::move(named);
    check_copies(file);
  } else if (static_cast<std::size_t>(parts) == named.size()) {
    file.striping = assemble_parts(file, named, check_stripe_);
  } else {
    throw UsageError("--stripe names copies of a container or its parts (graphconv stripe), not both");
  }
}

void ColumnStore::check_copies(const StoreFile& file) const {
  for (const OpenFile& copy : file.copies) {
    if (::lseek(copy.fd, 0, SEEK_END) != ::lseek(file.fd, 0, SEEK_END) ||
        container_digest(copy.fd, copy.name) != container_digest(file.fd, file.name))
      raise<UsageError>("--stripe: {} is no copy of {}", copy.name, file.name);
    if (check_stripe_) check_native_sums(copy.name);
  }
}

std::uint64_t ColumnStore::write_to_scratch(const void* data, std::size_t bytes) {
  if (!scratch_) {
    scratch_directory_ = temporary_folder();
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

EngineOpener parse_storage(const std::string& text, Route route) {
  constexpr std::string_view kRam = "ram:";
  if (text == "file") {
    return [route](const std::vector<StoreFile>& files, std::uint32_t depth) { return open_uring_engine(files, depth, route); };
  }
  if (route != Route::direct) raise<UsageError>("--route {} is a way to files, and --storage {} is none", name_of(route), text);
  if (text.starts_with(kRam)) {
    const DriveArray array = parse_drive_array(text.substr(kRam.size()));
    return [array, device = std::shared_ptr<RamDevice>()](const std::vector<StoreFile>& files, std::uint32_t depth) mutable {
      if (!device) device = std::make_shared<RamDevice>(array, files);
      return open_ram_engine(device, depth);
    };
  }
  if (nvme_address(text))
    throw UnavailableError("storage nvme is for --device cpu: a GPU does not reach the device's doorbells yet");
  raise<UsageError>("--storage cannot be '{}'{}: choose among {}", text, did_you_mean(text, kStorageForms),
                    joined(kStorageForms));
}

namespace {

class FileEdges final : public HostEdgeStore {
 public:
  explicit FileEdges(const BackendOptions& options) : columns_(options), nvme_(nvme_address(options.storage)) {
    if (!nvme_) open_engine_ = parse_storage(options.storage, options.route);
  }

  PagedColumn add(const Column<std::byte>& column) override { return columns_.add(column); }
  std::unique_ptr<Storage> open(std::size_t queues, std::uint32_t queue_depth) override {
    if (nvme_) return open_nvme_storage(*nvme_, columns_, queues, queue_depth);
    return make_software_storage(queues, queue_depth,
                                 [&](std::uint32_t depth) { return open_engine_(columns_.finish(), depth); });
  }
  const char* counted_as() const override { return "commands to storage, counted as they complete"; }

 private:
  ColumnStore columns_;
  std::optional<std::string> nvme_;
  EngineOpener open_engine_;
};

}  // namespace

std::unique_ptr<HostEdgeStore> make_file_edges(const BackendOptions& options) { return std::make_unique<FileEdges>(options); }

}  // namespace graphrun::inline GR_IDS
