// SPDX-License-Identifier: Apache-2.0

#include "transport/read_ahead.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graphrun/core/column.hpp"
#include "graphrun/transport/cached_pages.hpp"

namespace graphrun {
namespace {

class ReadAheadEngine final : public BlockEngine {
 public:
  ReadAheadEngine(std::unique_ptr<BlockEngine> engine, LastChange last_change, const ReadAheadLimits& limits)
      : inner_(std::move(engine)), last_change_(std::move(last_change)), limits_(limits), chunks_(limits.chunks) {}
  ~ReadAheadEngine() override {
    // The kernel still writes into chunks that nobody needed.
    const auto end = std::chrono::steady_clock::now() + kLongestEnd;
    std::array<Done, 8> outcomes;
    while (std::ranges::any_of(chunks_, [](const Chunk& chunk) { return chunk.state == State::reading; })) {
      if (std::chrono::steady_clock::now() > end) break;
      if (take_outcomes(outcomes.data(), outcomes.size()) == 0) inner_->sleep(std::chrono::milliseconds(1));
    }
  }
  ReadAheadEngine(const ReadAheadEngine&) = delete;
  ReadAheadEngine& operator=(const ReadAheadEngine&) = delete;

  void use_memory(std::span<std::byte> memory) override { inner_->use_memory(memory); }
  std::string description() const override { return inner_->description(); }
  bool emulated() const override { return inner_->emulated(); }
  std::uint32_t sector_bytes() const override { return inner_->sector_bytes(); }
  void sleep(std::chrono::microseconds most) const override { inner_->sleep(most); }
  CachedPages* cached_pages(std::uint64_t file) override { return inner_->cached_pages(file); }
  std::string last_error() const override { return inner_->last_error(); }
  RouteCounters routed() const override {
    RouteCounters all = inner_->routed();
    all += counters_;
    return all;
  }
  void drop_cached() override {
    inner_->drop_cached();
    for (Chunk& chunk : chunks_) {
      if (chunk.state == State::empty) continue;
      chunk.used = chunk.end;
      chunk.is_late = true;
      release_used(chunk);
    }
    streams_ = {};
  }

  bool start(const BlockRequest& request) override {
    Stream* const stream = stream_at(request.offset);
    if (stream != nullptr && hold(request)) {
      waiting_.push_back(request);
    } else if (!start_in_inner(request)) {
      return false;
    }
    out_bytes_ += request.bytes;
    go_on(stream, request);
    return true;
  }

  std::size_t poll(Done* outcomes, std::size_t most) override {
    std::size_t count = take_outcomes(outcomes, most);
    std::size_t kept = 0;
    std::uint64_t copied = 0;
    changed_ = {};
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      const BlockRequest request = waiting_[i];
      const State state = copied < limits_.chunk_bytes && count < most ? state_of(request) : State::reading;
      if (state == State::ready) {
        copy(request);
        copied += request.bytes;
        out_bytes_ -= request.bytes;
        outcomes[count++] = {request.tag, nvme::Status::success};
      } else if (state != State::failed || !start_in_inner(request)) {
        waiting_[kept++] = request;
      } else {
        let_go(request);
      }
    }
    waiting_.resize(kept);
    return count;
  }

 private:
  static constexpr std::chrono::seconds kLongestEnd{10};
  static constexpr std::uint64_t kChunkTag = std::uint64_t{1} << 63;
  static constexpr std::uint32_t kStreams = 16;
  static constexpr std::uint64_t kPause = 8;       // reads of others, after which a stream's chunks may go to another
  static constexpr std::uint32_t kFirstReads = 4;  // that a stream is read ahead by at first
  static constexpr std::uint64_t kLeastStep = 64 << 10;
  static constexpr std::uint32_t kStepsOfAWindow = 4;
  /// Kernels before Linux 6.13 tell changes within some milliseconds of one another apart from none.
  static constexpr std::chrono::nanoseconds kGrainOfChanges = std::chrono::milliseconds(20);

  enum class State { empty, reading, ready, failed };
  /// Bytes [begin, end) of the store. Chunks have no bytes in common.
  struct Chunk {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t used = 0;    ///< where its stream is
    std::uint64_t stream = 0;  ///< its number
    std::int64_t version = 0;  ///< when the file had changed last
    std::uint32_t holds = 0;   ///< reads that wait for it
    State state = State::empty;
    bool is_late = false;  ///< it serves no read that is still to come

    bool contains(std::uint64_t at) const { return state != State::empty && begin <= at && at < end; }
  };
  struct Stream {
    std::uint64_t number = 0;
    std::uint64_t next = ~std::uint64_t{0};  ///< offset of a read that goes on
    std::uint64_t ahead = 0;                 ///< end of what was read ahead
    std::uint64_t window = 0;                ///< bytes after `next` to read
    std::uint64_t out = 0;                   ///< most bytes of clients at a time, of late
    std::uint64_t last = 0;                  ///< its last read, counted over all
    std::uint32_t reads = 0;
  };
  /// A client's read in the inner engine.
  struct Slot {
    std::uint64_t tag = 0;
    std::uint32_t bytes = 0;
    bool is_used = false;
  };

  bool start_in_inner(const BlockRequest& request) {
    const std::size_t slot = free_slot();
    BlockRequest renamed = request;
    renamed.tag = slot;
    if (!inner_->start(renamed)) return false;
    slots_[slot] = {request.tag, request.bytes, true};
    return true;
  }
  std::size_t free_slot() {
    for (std::size_t tried = 0; tried < slots_.size(); ++tried) {
      next_slot_ = (next_slot_ + 1) % slots_.size();
      if (!slots_[next_slot_].is_used) return next_slot_;
    }
    slots_.emplace_back();
    return slots_.size() - 1;
  }

  /// Takes outcomes of the inner engine, and returns the number of outcomes for clients.
  std::size_t take_outcomes(Done* outcomes, std::size_t most) {
    const std::size_t ended = inner_->poll(outcomes, most);
    std::size_t count = 0;
    for (std::size_t i = 0; i < ended; ++i) {
      const auto [tag, status] = outcomes[i];
      if ((tag & kChunkTag) != 0) {
        finish(chunks_[static_cast<std::size_t>(tag & ~kChunkTag)], status);
        continue;
      }
      Slot& slot = slots_[static_cast<std::size_t>(tag)];
      out_bytes_ -= slot.bytes;
      slot.is_used = false;
      outcomes[count++] = {slot.tag, status};
    }
    return count;
  }

  void finish(Chunk& chunk, nvme::Status status) {
    chunk.state = status == nvme::Status::success && !chunk.is_late ? State::ready : State::failed;
    if (status == nvme::Status::success) {
      counters_.ahead_bytes += chunk.end - chunk.begin;
    } else if (Stream* const stream = stream_of(chunk)) {
      stream->ahead = ~std::uint64_t{0};  // the file ends here, or its disk fails
    }
    release_used(chunk);
  }

  Stream* stream_at(std::uint64_t offset) {
    for (Stream& stream : streams_) {
      if (stream.next == offset) return &stream;
    }
    return nullptr;
  }
  Stream* stream_of(const Chunk& chunk) {
    for (Stream& stream : streams_) {
      if (stream.number == chunk.stream) return &stream;
    }
    return nullptr;
  }
  Chunk* chunk_at(std::uint64_t at) {
    for (Chunk& chunk : chunks_) {
      if (chunk.contains(at)) return &chunk;
    }
    return nullptr;
  }

  /// Calls visit(chunk) for the chunks of a read, in order. Returns false where one is missing.
  template <class Visit>
  bool each_chunk(const BlockRequest& request, const Visit& visit) {
    const std::uint64_t end = request.offset + request.bytes;
    for (std::uint64_t at = request.offset; at < end;) {
      Chunk* const chunk = chunk_at(at);
      if (chunk == nullptr) return false;
      at = chunk->end;
      visit(*chunk);
    }
    return true;
  }

  /// Makes a read wait for the chunks that contain it. Returns false where they do not.
  bool hold(const BlockRequest& request) {
    if (used_chunks_ == 0) return false;
    bool serves = true;
    const bool is_whole =
        each_chunk(request, [&](const Chunk& chunk) { serves = serves && chunk.state != State::failed && !chunk.is_late; });
    if (!is_whole || !serves) return false;
    each_chunk(request, [](Chunk& chunk) { ++chunk.holds; });
    return true;
  }
  void let_go(const BlockRequest& request) {
    each_chunk(request, [&](Chunk& chunk) {
      --chunk.holds;
      release_used(chunk);
    });
  }

  /// Returns the state of the chunks of a read: failed when one is, else reading when one is.
  State state_of(const BlockRequest& request) {
    State state = State::ready;
    each_chunk(request, [&](Chunk& chunk) {
      if (chunk.state == State::ready && version_of(chunk) != chunk.version) chunk.state = State::failed;
      if (chunk.state == State::failed || state == State::ready) state = chunk.state;
    });
    return state;
  }
  /// Returns when the chunk's file changed last; asks once in a poll.
  std::int64_t version_of(const Chunk& chunk) {
    const std::uint64_t file = chunk.begin / kFileStride;
    if (!changed_ || changed_->first != file) changed_ = {file, last_change_(file)};
    return changed_->second;
  }

  void copy(const BlockRequest& request) {
    const std::uint64_t end = request.offset + request.bytes;
    auto* const to = static_cast<std::byte*>(request.data);
    std::uint64_t at = request.offset;
    each_chunk(request, [&](const Chunk& chunk) {
      const auto bytes = static_cast<std::size_t>(std::min(end, chunk.end) - at);
      std::memcpy(to + (at - request.offset), data_of(chunk) + (at - chunk.begin), bytes);
      at += bytes;
    });
    let_go(request);
    counters_.ahead_hit_bytes += request.bytes;
  }

  /// Empties a chunk that its stream has passed, or that failed.
  void release_used(Chunk& chunk) {
    const bool is_over = chunk.state == State::failed || (chunk.state == State::ready && chunk.used >= chunk.end);
    if (is_over && chunk.holds == 0) empty(chunk);
  }
  void empty(Chunk& chunk) {
    chunk.state = State::empty;
    --used_chunks_;
  }

  /// Notes that a read was started, and reads on after it where it is of a stream.
  void go_on(Stream* stream, const BlockRequest& request) {
    ++reads_;
    if (stream == nullptr) {
      stream = &*std::ranges::min_element(streams_, {}, &Stream::last);
      *stream = {.number = reads_};
    }
    stream->next = request.offset + request.bytes;
    stream->last = reads_;
    stream->out = std::max(out_bytes_, stream->out - stream->out / 8);
    if (++stream->reads < limits_.reads_in_order) return;
    if (used_chunks_ != 0) {
      each_chunk(request, [&](Chunk& chunk) {
        chunk.used = std::max(chunk.used, std::min(stream->next, chunk.end));
        release_used(chunk);
      });
    }
    if (stream->out > limits_.busy_bytes()) {
      stream->window = 0;
    } else {
      read_on(*stream, request.bytes);
    }
  }

  void read_on(Stream& stream, std::uint32_t read_bytes) {
    const std::uint64_t first = std::max<std::uint64_t>(kLeastStep, std::uint64_t{kFirstReads} * read_bytes);
    if (stream.window == 0) stream.window = std::min(first, limits_.bytes());
    stream.ahead = std::max(stream.ahead, stream.next);
    const std::uint64_t stop = stream.next + stream.window;
    const std::uint64_t step = std::clamp<std::uint64_t>(stream.window / kStepsOfAWindow, kLeastStep, limits_.chunk_bytes);
    while (stream.ahead < stop) {
      if (const Chunk* const chunk = chunk_at(stream.ahead)) {
        if (chunk->state == State::failed || chunk->is_late) return;
        stream.ahead = chunk->end;
        continue;
      }
      std::uint64_t end = stream.ahead / step * step + step;
      for (const Chunk& chunk : chunks_) {
        if (chunk.state != State::empty && chunk.begin > stream.ahead) end = std::min(end, chunk.begin);
      }
      if (!is_cached(stream.ahead, end) && !read_chunk(stream, end)) return;
      stream.ahead = end;
    }
    stream.window = std::min(2 * stream.window, limits_.bytes());
  }

  bool is_cached(std::uint64_t begin, std::uint64_t end) {
    constexpr std::chrono::milliseconds kOldest{500};
    CachedPages* const cached = inner_->cached_pages(begin / kFileStride);
    if (cached == nullptr || !cached->can_tell()) return false;
    const std::uint64_t place = begin % kFileStride;
    counters_.dirty_bytes += cached->look(place, place + (end - begin), kOldest);
    return cached->has_all(place, place + (end - begin));
  }

  /// Reads the store from the stream's end of read-ahead up to `end`. Returns false where no chunk is free, or the file has just
  /// changed.
  bool read_chunk(const Stream& stream, std::uint64_t end) {
    Chunk* const chunk = take_chunk(stream);
    if (chunk == nullptr) return false;
    const std::int64_t version = last_change_(stream.ahead / kFileStride);
    const auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch());
    if (now - std::chrono::nanoseconds(version) < kGrainOfChanges) return false;
    if (memory_.size() == 0) memory_ = Column<std::byte>::allocate(static_cast<std::size_t>(limits_.bytes()));
    const std::uint64_t tag = kChunkTag | static_cast<std::uint64_t>(chunk - chunks_.data());
    const auto bytes = static_cast<std::uint32_t>(end - stream.ahead);
    if (!inner_->start({nvme::Opcode::read, stream.ahead, bytes, data_of(*chunk), tag})) return false;
    *chunk = {.begin = stream.ahead, .end = end, .stream = stream.number, .version = version, .state = State::reading};
    ++used_chunks_;
    return true;
  }

  /// Returns an empty chunk, or one of a stream that ended; null where there is none.
  Chunk* take_chunk(const Stream& stream) {
    for (Chunk& chunk : chunks_) {
      if (chunk.state == State::empty) return &chunk;
    }
    for (Chunk& chunk : chunks_) {
      if (chunk.state != State::ready || chunk.holds != 0 || chunk.stream == stream.number) continue;
      const Stream* const other = stream_of(chunk);
      if (other != nullptr && other->last + kPause >= reads_) continue;
      empty(chunk);
      return &chunk;
    }
    return nullptr;
  }

  std::byte* data_of(const Chunk& chunk) {
    return memory_.data() + static_cast<std::size_t>(&chunk - chunks_.data()) * limits_.chunk_bytes;
  }

  Column<std::byte> memory_;  // outlives the engine, which may still write there
  std::unique_ptr<BlockEngine> inner_;
  LastChange last_change_;
  ReadAheadLimits limits_;
  std::vector<Chunk> chunks_;
  std::uint32_t used_chunks_ = 0;
  std::array<Stream, kStreams> streams_;
  std::vector<BlockRequest> waiting_;  ///< clients' reads, for chunks
  std::vector<Slot> slots_;
  std::size_t next_slot_ = 0;
  std::uint64_t out_bytes_ = 0;  ///< of clients
  std::uint64_t reads_ = 0;
  std::optional<std::pair<std::uint64_t, std::int64_t>> changed_;  ///< a file and its version, in this poll
  RouteCounters counters_;
};

}  // namespace

std::unique_ptr<BlockEngine> read_streams_ahead(std::unique_ptr<BlockEngine> engine, LastChange last_change,
                                                const ReadAheadLimits& limits) {
  return std::make_unique<ReadAheadEngine>(std::move(engine), std::move(last_change), limits);
}

}  // namespace graphrun
