#include "io/id_runs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <queue>
#include <span>
#include <utility>

#include "graphrun/core/error.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

/// Ids [begin, end) of a file of them, read in pieces.
class Run {
 public:
  Run(const ScratchFile& file, std::size_t begin, std::size_t end, std::size_t buffer_ids)
      : file_(&file), next_(begin), end_(end), buffer_(buffer_ids) {}

  /// False at the end.
  bool advance(VertexId& id) {
    if (at_ == filled_ && !fill()) return false;
    id = buffer_[at_++];
    return true;
  }

 private:
  bool fill() {
    at_ = 0;
    filled_ = std::min(buffer_.size(), end_ - next_);
    auto* to = reinterpret_cast<char*>(buffer_.data());
    std::size_t left = filled_ * sizeof(VertexId);
    for (std::size_t from = next_ * sizeof(VertexId); left != 0;) {
      const ssize_t got = ::pread(file_->descriptor(), to, left, static_cast<off_t>(from));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0)
        throw RunError(fmt::format("cannot read a scratch file: {}", got < 0 ? std::strerror(errno) : "it is shorter"));
      to += got;
      from += static_cast<std::size_t>(got);
      left -= static_cast<std::size_t>(got);
    }
    next_ += filled_;
    return filled_ != 0;
  }

  const ScratchFile* file_;
  std::size_t next_;
  std::size_t end_;
  std::vector<VertexId> buffer_;
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
};

}  // namespace

IdRuns::IdRuns(const Workspace& space) : space_(space), runs_(space.directory()) {}

void IdRuns::add(const EdgeList& batch) {
  std::vector<VertexId> ids;
  ids.reserve(2 * batch.sources.size());
  for (const auto* column : {&batch.sources, &batch.targets}) {
    ids.insert(ids.end(), column->span().begin(), column->span().end());
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  runs_.append(ids.data(), ids.size() * sizeof(VertexId));
  ends_.push_back(runs_.size() / sizeof(VertexId));
}

void IdRuns::seal() {
  constexpr std::size_t kLeastBuffer = 512;
  const std::size_t buffer_ids = std::max(kLeastBuffer, space_.window(sizeof(VertexId)) / (ends_.size() + 1));
  std::vector<Run> runs;
  using Head = std::pair<VertexId, std::size_t>;  // an id, and whose
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  const auto take_next = [&](std::size_t run) {
    VertexId id = 0;
    if (runs[run].advance(id)) heads.emplace(id, run);
  };
  for (std::size_t run = 0; run < ends_.size(); ++run) {
    runs.emplace_back(runs_, run == 0 ? 0 : ends_[run - 1], ends_[run], buffer_ids);
    take_next(run);
  }
  ScratchFile merged(space_.directory());
  std::vector<std::uint64_t> out;
  const auto write = [&] {
    merged.append(out.data(), out.size() * sizeof(std::uint64_t));
    out.clear();
  };
  const std::size_t most_out = std::max(kLeastBuffer, space_.window(sizeof(std::uint64_t)));
  for (std::uint64_t last = kNoVertex; !heads.empty();) {  // no id is kNoVertex
    const auto [id, run] = heads.top();
    heads.pop();
    if (id != last) out.push_back(last = id);
    if (out.size() == most_out) write();
    take_next(run);
  }
  write();
  ids_ = merged.map<std::uint64_t>();
  runs_ = {};
}

void IdRuns::renumber(EdgeList& batch) const {
  struct Place {
    VertexId id;
    VertexId index;
  };
  constexpr std::size_t kReleaseIds = std::size_t{1} << 18;
  std::vector<Place> places(batch.sources.size());
  for (Column<VertexId>* column : {&batch.sources, &batch.targets}) {
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = {(*column)[i], static_cast<VertexId>(i)};
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.id < b.id; });
    std::size_t rank = 0;
    std::size_t released = 0;
    for (const Place& place : places) {
      while (ids_[rank] != place.id) ++rank;
      (*column)[place.index] = static_cast<VertexId>(rank);
      if (rank - released < kReleaseIds) continue;
      ids_.release(released, rank);
      released = rank;
    }
    ids_.release(released, ids_.size());
  }
  batch.num_vertices = size();
}

}  // namespace graphrun::io::inline GR_IDS
