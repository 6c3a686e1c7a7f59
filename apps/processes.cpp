// SPDX-License-Identifier: Apache-2.0

#include "processes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "graphrun/core/error.hpp"
#include "graphrun/core/timer.hpp"

#if GRAPHRUN_HAS_MPI
#include <mpi.h>
#include <sched.h>
#endif

namespace graphrun::program {
namespace {

/// Returns the number of processes that a launcher started: Open MPI's mpirun, one that speaks PMI, or srun. A shell of srun
/// --pty is alone.
int processes_started() {
  struct Launcher {
    const char* size;
    const char* alone;
  };
  for (const Launcher each :
       {Launcher{"OMPI_COMM_WORLD_SIZE", ""}, {"PMI_SIZE", ""}, {"SLURM_STEP_NUM_TASKS", "SLURM_PTY_PORT"}}) {
    const char* const size = std::getenv(each.size);
    if (size != nullptr && std::getenv(each.alone) == nullptr) return std::atoi(size);
  }
  return 1;
}

#if GRAPHRUN_HAS_MPI
class MpiExchange final : public Exchange {
 public:
  MpiExchange() {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm host = MPI_COMM_NULL;
    int here = 1;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &place_.on_host);
    MPI_Comm_size(host, &here);
    MPI_Comm_free(&host);
    place_.one_host = here == size_;
    place_.one_process = false;
    received_.resize(static_cast<std::size_t>(size_));
    gathered_.resize(received_.size());
  }
  ~MpiExchange() override { MPI_Finalize(); }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  RankPlace place() const override { return place_; }
  bool counted_elsewhere() const override { return false; }

  std::span<const std::span<const std::byte>> all_gather(std::span<const std::byte> mine) override {
    ++counts_.exchanges;
    const Timer waiting;
    std::vector<Beginning> beginnings(received_.size());
    Beginning my_beginning{mine.size(), {}};
    std::ranges::copy(mine.first(std::min(mine.size(), kBeginning)), my_beginning.bytes.begin());
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallgather(&my_beginning, sizeof(Beginning), MPI_BYTE, beginnings.data(), sizeof(Beginning), MPI_BYTE, MPI_COMM_WORLD,
                   &request);
    wait_for(request);
    counts_.waited_ms += waiting.elapsed_ms();
    for (std::size_t rank = 0; rank < beginnings.size(); ++rank) {
      const std::uint64_t size = beginnings[rank].size;
      std::vector<std::byte>& received = received_[rank];
      received.resize(size);
      const bool is_mine = static_cast<int>(rank) == rank_;
      std::ranges::copy(is_mine ? mine : std::span(beginnings[rank].bytes).first(std::min(size, kBeginning)), received.begin());
      counts_.add(rank, is_mine ? 0 : size);
      for (std::uint64_t at = kBeginning; at < size; at += kMostAtOnce) {
        const auto count = static_cast<int>(std::min(kMostAtOnce, size - at));
        MPI_Ibcast(received.data() + at, count, MPI_BYTE, static_cast<int>(rank), MPI_COMM_WORLD, &request);
        wait_for(request);
      }
      gathered_[rank] = received;
    }
    return gathered_;
  }

  /// Does not return: the launcher ends all processes.
  void leave(const std::string& why, int code) noexcept override {
    std::fprintf(stderr, "error: rank %d: %s\n", rank_, why.c_str());
    MPI_Abort(MPI_COMM_WORLD, code);
  }
  void start_over() override {}

 private:
  static constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 30;  // MPI counts in ints
  static constexpr int kPolls = 1000;                                   // some hundred microseconds
  // A small step is one exchange of all processes: the first bytes travel with the size.
  static constexpr std::uint64_t kBeginning = 1016;
  struct Beginning {
    std::uint64_t size;
    std::array<std::byte, kBeginning> bytes;
  };

  void wait_for(MPI_Request& request) {
    const Timer waiting;
    int done = 0;
    for (int polls = 0;; ++polls) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done != 0) return;
      if (waiting.elapsed_ms() > kRankDeadlineMs)
        throw RunError(fmt::format("rank {} waited {:.0f} s for another one", rank_, kRankDeadlineMs / 1000));
      if (polls < kPolls) {
        sched_yield();
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(50));  // others may need this processor
      }
    }
  }

  int rank_ = 0;
  int size_ = 1;
  RankPlace place_;
  std::vector<std::vector<std::byte>> received_;
  std::vector<std::span<const std::byte>> gathered_;
};
#endif

}  // namespace

Exchange* processes() {
  const int started = processes_started();
  if (started <= 1) return nullptr;
#if GRAPHRUN_HAS_MPI
  static MpiExchange exchange;
  if (exchange.size() != started) {
    throw UnavailableError(fmt::format(
        "a launcher started {} processes, but {} of them meet by MPI: with srun, choose --mpi=pmix", started, exchange.size()));
  }
  return &exchange;
#else
  throw UnavailableError(fmt::format(
      "this is one of {} processes of a launcher, and this program was built without MPI: build it where libopenmpi-dev is",
      started));
#endif
}

}  // namespace graphrun::program
