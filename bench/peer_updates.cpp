// SPDX-License-Identifier: Apache-2.0
// How GPUs of a host send updates of single vertices to each other, on the graphs and rounds of two algorithms (FinePack, figures
// 9 to 11): `sums` gives something to every neighbour, as PageRank's push does; `distances` relaxes the edges of vertices whose
// distance fell, as SSSP does, with weights from 1 to 64. Each GPU has a range of the vertices, and their lists in its memory.
//
//   peer_updates kron:22:16 --devices 0,1,2,3 --ways plain,bulk,packed,combined
//
// plain: an atomic operation in the other GPU's memory for each update. bulk: updates stay in the GPU's own copy of all states,
// and after the step the others read what changed. packed: lines of 16 updates go to the other GPU during the step, which applies
// them after it; combined: updates of a vertex that meet in the shared memory of a block become one before. Nothing is simulated.
//
// One JSON object for each work and variant, with the median of the trials. Sums are compared with the host's; for distances the
// host checks that no edge lowers one and that each has an edge that gives it. A wrong one ends the program with exit code 1.
#include "peer_updates.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <exception>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/raise.hpp"
#include "frame.hpp"
#include "graphrun/core/median.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/exec/cuda_check.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/io/load.hpp"

namespace graphrun::bench {
namespace {

constexpr int kSweeps = 5;  // of sums

/// Memory of the device that was current.
template <class T>
class Array {
 public:
  explicit Array(std::size_t count) { cuda::check(cudaMalloc(&data_, std::max<std::size_t>(count, 1) * sizeof(T)), "allocate"); }
  ~Array() { cudaFree(data_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  T* data() const { return data_; }
  void upload(const T* from, std::size_t count) {
    cuda::check(cudaMemcpy(data_, from, count * sizeof(T), cudaMemcpyDefault), "upload");
  }

 private:
  T* data_ = nullptr;
};

/// The memory of a GPU.
struct Holding {
  Array<EdgeId> offsets;
  Array<VertexId> targets;
  Array<std::uint32_t> state, changed, before, active;
  Array<unsigned long long> sent, counted;
  std::vector<std::unique_ptr<Array<Record>>> inboxes;  ///< by the GPU that writes there
};

/// A graph spread over several GPUs.
class Spread {
 public:
  Spread(const Graph& graph, const std::vector<int>& devices) : graph_(graph), devices_(devices), parts_(devices.size()) {
    const std::uint32_t n = graph.out.num_vertices();
    const auto gpus = static_cast<int>(devices.size());
    std::vector<std::uint32_t> firsts{0};
    for (int gpu = 1; gpu <= gpus; ++gpu) {
      const EdgeId share = graph.out.num_edges() / gpus * gpu;
      const auto* const begin = graph.out.offsets.data();
      const auto first = static_cast<std::uint32_t>(std::lower_bound(begin, begin + n, share) - begin);
      firsts.push_back(gpu == gpus ? n : std::max(firsts.back(), first));
    }
    for (int gpu = 0; gpu < gpus; ++gpu) {
      select(gpu);
      for (int other = 0; other < gpus; ++other) reach(gpu, other);
      Part& part = parts_[gpu];
      part.gpu = gpu, part.gpus = gpus;
      std::ranges::copy(firsts, part.firsts);
      const EdgeId begin = graph.out.offsets[part.first()];
      std::vector<EdgeId> offsets(graph.out.offsets.data() + part.first(), graph.out.offsets.data() + part.last() + 1);
      for (EdgeId& offset : offsets) offset -= begin;
      part.edges = offsets.back();
      const std::uint32_t own = part.last() - part.first();
      const std::size_t words = n / 32 + 1;
      holdings_.push_back(std::unique_ptr<Holding>(new Holding{Array<EdgeId>(own + 1),
                                                               Array<VertexId>(part.edges),
                                                               Array<std::uint32_t>(n),
                                                               Array<std::uint32_t>(words),
                                                               Array<std::uint32_t>(own),
                                                               Array<std::uint32_t>(words),
                                                               Array<unsigned long long>(kMostGpus),
                                                               Array<unsigned long long>(sizeof(Counted) / 8),
                                                               {}}));
      Holding& held = *holdings_.back();
      held.offsets.upload(offsets.data(), offsets.size());
      held.targets.upload(graph.out.neighbours.data() + begin, part.edges);
      part.offsets = held.offsets.data(), part.targets = held.targets.data();
      part.before = held.before.data(), part.active = held.active.data(), part.counted = held.counted.data();
    }
    count_edges_between(firsts);
    for (Part& part : parts_) {
      for (int other = 0; other < gpus; ++other) {
        part.states[other] = holdings_[other]->state.data(), part.changed[other] = holdings_[other]->changed.data();
        part.sent[other] = holdings_[other]->sent.data();
        part.inbox_of[other] = holdings_[part.gpu]->inboxes[other]->data();
        part.inbox_at[other] = holdings_[other]->inboxes[part.gpu]->data();
      }
    }
  }

  struct Outcome {
    double ms = 0;
    int steps = 0;
    std::uint64_t updates = 0;     ///< for other GPUs
    std::uint64_t sent_bytes = 0;  ///< between GPUs, without what the link adds
    std::uint64_t lines = 0;       ///< packed
  };

  /// Runs once, on a thread for each GPU. Throws RunError.
  Outcome run(Work work, Way way, bool combines, std::uint32_t source) {
    Outcome outcome;
    std::vector<Counted> counted(parts_.size());
    std::vector<std::vector<unsigned long long>> sent(parts_.size(), std::vector<unsigned long long>(kMostGpus));
    std::barrier<> all(static_cast<std::ptrdiff_t>(parts_.size()));
    std::mutex mutex;
    std::exception_ptr failed;
    const auto rank = [&](int gpu) {
      const Part& part = parts_[gpu];
      bool goes_on = true;
      // All come to each exchange, also after an error.
      const auto exchange_after = [&](const auto& work_of_gpu) {
        try {
          if (goes_on) work_of_gpu(), cuda::check(cudaDeviceSynchronize(), "wait for a step");
        } catch (...) {
          const std::lock_guard lock(mutex);
          failed = std::current_exception();
        }
        all.arrive_and_wait();
        {
          const std::lock_guard lock(mutex);
          goes_on = goes_on && !failed;
        }
        all.arrive_and_wait();
      };
      const auto look = [&] {
        cuda::check(cudaMemcpy(&counted[gpu], part.counted, sizeof(Counted), cudaMemcpyDefault), "copy counters");
        cuda::check(cudaMemcpy(sent[gpu].data(), part.sent[gpu], sizeof(unsigned long long) * kMostGpus, cudaMemcpyDefault),
                    "copy counters");
      };
      Timer timer;
      exchange_after([&] {
        select(gpu);
        start(part, work);
        if (work == Work::distances && source >= part.first() && source < part.last()) {
          cuda::check(cudaMemset(part.states[gpu] + source, 0, sizeof(std::uint32_t)), "set the source");
        }
      });
      timer = Timer();
      if (work == Work::distances) exchange_after([&] { advance(part), look(); });
      for (int step = 0; goes_on; ++step) {
        std::uint64_t active = 0;
        for (const Counted& each : counted) active += each.active;
        if (work == Work::sums ? step == kSweeps : active == 0) break;
        exchange_after([&] { push(part, work, way, combines); });
        exchange_after([&] { receive(part, work, way); });
        exchange_after([&] {
          if (work == Work::distances) advance(part);
          look();
          const std::lock_guard lock(mutex);
          if (gpu == 0) ++outcome.steps;
          if (way == Way::packed) outcome.lines += std::accumulate(sent[gpu].begin(), sent[gpu].end(), 0ull) / kLineRecords;
        });
      }
      const std::lock_guard lock(mutex);
      outcome.ms = std::max(outcome.ms, timer.elapsed_ms());
    };
    std::vector<std::thread> threads;
    for (std::size_t gpu = 0; gpu < parts_.size(); ++gpu) threads.emplace_back(rank, static_cast<int>(gpu));
    for (std::thread& thread : threads) thread.join();
    if (failed) std::rethrow_exception(failed);
    const std::uint64_t n = graph_.out.num_vertices();
    for (const Counted& each : counted) outcome.updates += each.updates;
    if (way == Way::plain) outcome.sent_bytes = outcome.updates * sizeof(std::uint32_t);
    if (way == Way::packed) outcome.sent_bytes = outcome.lines * kLineRecords * sizeof(Record);
    for (const Counted& each : counted) outcome.sent_bytes += each.taken * sizeof(std::uint32_t);
    if (way == Way::bulk && work == Work::distances) outcome.sent_bytes += outcome.steps * (parts_.size() - 1) * n / 8;
    return outcome;
  }

  std::vector<std::uint32_t> states() {
    std::vector<std::uint32_t> found(graph_.out.num_vertices());
    for (const Part& part : parts_) {
      select(part.gpu);
      cuda::check(cudaMemcpy(found.data() + part.first(), part.states[part.gpu] + part.first(),
                             (part.last() - part.first()) * sizeof(std::uint32_t), cudaMemcpyDefault),
                  "download states");
    }
    return found;
  }

 private:
  void select(int gpu) const { cuda::check(cudaSetDevice(devices_[gpu]), "select a device"); }

  void reach(int gpu, int other) const {
    if (devices_[gpu] == devices_[other]) return;
    int can = 0;
    cuda::check(cudaDeviceCanAccessPeer(&can, devices_[gpu], devices_[other]), "ask for peers");
    if (can == 0) raise<UnavailableError>("device {} does not reach the memory of device {}", devices_[gpu], devices_[other]);
    if (const cudaError_t status = cudaDeviceEnablePeerAccess(devices_[other], 0); status != cudaErrorPeerAccessAlreadyEnabled) {
      cuda::check(status, "reach a peer");
    } else {
      cudaGetLastError();  // which it leaves
    }
  }

  /// Makes rooms for all arrivals: a record for each edge, and lines that a block fills up.
  void count_edges_between(const std::vector<std::uint32_t>& firsts) {
    constexpr std::uint64_t kFilledUp = std::uint64_t{kLineRecords} * 132 * 64;  // no GPU has so many blocks
    for (const Part& part : parts_) {
      std::vector<std::uint64_t> edges(parts_.size(), kFilledUp);
      const EdgeId begin = graph_.out.offsets[part.first()];
      for (EdgeId edge = begin; edge < begin + part.edges; ++edge) {
        ++edges[std::upper_bound(firsts.begin() + 1, firsts.end(), graph_.out.neighbours[edge]) - firsts.begin() - 1];
      }
      for (std::size_t other = 0; other < parts_.size(); ++other) {
        select(static_cast<int>(other));
        const bool is_own = static_cast<int>(other) == part.gpu;
        holdings_[other]->inboxes.push_back(std::make_unique<Array<Record>>(is_own ? 0 : edges[other]));
      }
    }
  }

  const Graph& graph_;
  std::vector<int> devices_;
  std::vector<std::unique_ptr<Holding>> holdings_;
  std::vector<Part> parts_;
};

/// Throws RunError for wrong states.
void check_states(const Graph& graph, Work work, const std::vector<std::uint32_t>& found, std::uint32_t source,
                  ThreadPool& pool) {
  const std::uint32_t n = graph.out.num_vertices();
  std::vector<std::atomic<std::uint32_t>> expected(work == Work::sums ? n : 0);
  std::vector<std::atomic<bool>> is_given(work == Work::sums ? 0 : n);
  std::atomic<std::uint64_t> wrong{0};
  pool.run([&](int rank) {
    for (auto u = static_cast<std::uint32_t>(rank); u < n; u += static_cast<std::uint32_t>(pool.size())) {
      if (work == Work::distances && found[u] == kUnreached) continue;
      for (EdgeId edge = graph.out.offsets[u]; edge < graph.out.offsets[u + 1]; ++edge) {
        const VertexId v = graph.out.neighbours[edge];
        if (work == Work::sums) {
          expected[v].fetch_add(given_by(u) * kSweeps, std::memory_order_relaxed);
          continue;
        }
        const std::uint32_t through = found[u] + weight_of(u, v);
        if (through < found[v]) ++wrong;
        if (through == found[v]) is_given[v].store(true, std::memory_order_relaxed);
      }
    }
  });
  for (std::uint32_t v = 0; v < n; ++v) {
    if (work == Work::sums) {
      wrong += expected[v] != found[v];
    } else {
      wrong += v == source ? found[v] != 0 : found[v] != kUnreached && !is_given[v];
    }
  }
  if (wrong != 0) raise<RunError>("{} states are wrong", wrong.load());
}

void run(const cxxopts::ParseResult& given) {
  const std::vector<int> devices = given["devices"].as<std::vector<int>>();
  const int trials = given["trials"].as<int>();
  if (trials < 1) throw UsageError("--trials must be at least 1");
  if (devices.empty() || devices.size() > kMostGpus) raise<UsageError>("--devices takes from 1 to {} of them", kMostGpus);
  for (const int device : devices) {
    if (const std::string why = why_no_cuda(device); !why.empty()) throw UnavailableError(why);
  }
  ThreadPool pool(0);
  const Graph graph = load_graph(given["graph"].as<std::string>(), {}, pool).graph;
  if (graph.out.num_vertices() == 0 || graph.out.num_vertices() >= 1u << 31)
    throw UsageError("the graph needs from 1 to 2^31 - 1 vertices");
  const auto* const offsets = graph.out.offsets.data();
  std::uint32_t source = 0;  // the vertex with the most edges
  for (std::uint32_t v = 0; v < graph.out.num_vertices(); ++v) {
    if (offsets[v + 1] - offsets[v] > offsets[source + 1] - offsets[source]) source = v;
  }
  const auto measure = [&](Spread& spread, Work work, Way way, bool combines) {
    std::vector<double> ms;
    Spread::Outcome last;
    for (int trial = 0; trial <= trials; ++trial) {
      last = spread.run(work, way, combines, source);
      if (trial > 0) ms.push_back(last.ms);
    }
    check_states(graph, work, spread.states(), source, pool);
    last.ms = median(std::move(ms));
    return last;
  };
  Spread one(graph, {devices.front()});
  Spread all(graph, devices);
  for (const std::string& name : given["works"].as<Texts>()) {
    if (name != "sums" && name != "distances") raise<UsageError>("--works: {} is neither sums nor distances", name);
    const Work work = name == "sums" ? Work::sums : Work::distances;
    const double alone = measure(one, work, Way::plain, false).ms;
    for (const std::string& way_name : given["ways"].as<Texts>()) {
      constexpr const char* kNames[] = {"plain", "bulk", "packed", "combined"};
      const auto index = std::ranges::find(kNames, way_name) - std::begin(kNames);
      if (index == std::ssize(kNames)) raise<UsageError>("--ways: {} is none of plain, bulk, packed, combined", way_name);
      const Spread::Outcome found = measure(all, work, static_cast<Way>(std::min<std::ptrdiff_t>(index, 2)), index == 3);
      std::optional<double> updates_a_line;
      if (found.lines != 0) updates_a_line = static_cast<double>(found.updates) / static_cast<double>(found.lines);
      print_json("work", name, "way", way_name, "gpus", devices.size(), "trials", trials, "ms", found.ms, "one_gpu_ms", alone,
                 "speedup", alone / found.ms, "steps", found.steps, "updates", found.updates, "sent_bytes", found.sent_bytes,
                 "updates_a_line", updates_a_line);
    }
  }
}

}  // namespace
}  // namespace graphrun::bench

int main(int argc, char** argv) {
  using namespace graphrun::bench;
  cxxopts::Options parser("peer_updates", "Times ways of sending updates of single vertices between the GPUs of a host");
  auto add = parser.add_options();
  add("graph", "file or generator, as graphrun takes it", with_default("kron:20:16"));
  add("devices", "numbers of the GPUs; one that is named twice is two", with_default<std::vector<int>>("0,1"));
  add("works", "sums, distances", with_default<Texts>("sums,distances"));
  add("ways", "plain, bulk, packed, combined", with_default<Texts>("plain,bulk,packed,combined"));
  add("trials", "whose median counts, behind one that does not", with_default<int>("5"));
  parser.parse_positional({"graph"});
  return run_program(parser, argc, argv, run);
}
