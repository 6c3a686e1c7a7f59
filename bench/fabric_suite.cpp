// SPDX-License-Identifier: Apache-2.0
// Times gpuvm's fabrics on the CPU.
//
//   fabric_suite --providers tcp,shm --pages 4096,8192,65536 --depth 64 --seconds 2
//
// Random pages of another process on this machine, by one thread that asks libfabric itself and keeps so many reads out (what
// fi_rma_bw does, way "plain"), and through the pager with as many asked for ahead. The ways take turns; each line, a JSON
// object, has the pager's rate and its ratio to the plain one's, and how often the pager rang a doorbell for its commands.

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/raise.hpp"
#include "frame.hpp"
#include "graphrun/cache/host_pager.hpp"
#include "graphrun/core/column.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/median.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/transport/fabric.hpp"
#include "transport/ofi/server_link.hpp"

namespace {

using namespace graphrun;

/// A process that exports memory, in which word i is i. Ends with this.
class FabricExporter {
 public:
  FabricExporter(const std::string& provider, std::uint64_t bytes, int endpoints) {
    about_.name = "the exporter";
    about_.node = provider == "shm" ? "" : "127.0.0.1";
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) throw RunError("cannot make a pair of sockets");
    id_ = ::fork();
    ::close(ends[id_ == 0 ? 0 : 1]);
    if (id_ == 0) ::_exit(serve(provider, bytes, endpoints, ends[1]));
    to_it_ = ends[0];
    ExportedMemory at{};
    receive(&at, sizeof(at));
    for (int i = 0; i < endpoints; ++i) {
      std::size_t size = 0;
      receive(&size, sizeof(size));
      receive(about_.endpoints.emplace_back(size, '\0').data(), size);
    }
    about_.stretches = {{0, bytes, at}};
  }
  ~FabricExporter() {
    ::close(to_it_);
    ::waitpid(id_, nullptr, 0);
  }
  FabricExporter(const FabricExporter&) = delete;
  FabricExporter& operator=(const FabricExporter&) = delete;
  const FabricServer& about() const { return about_; }

 private:
  void receive(void* data, std::size_t bytes) const {
    if (::read(to_it_, data, bytes) != static_cast<ssize_t>(bytes)) throw RunError("the exporter ended early");
  }
  /// Serves until the other end is closed. Returns an exit code.
  int serve(const std::string& provider, std::uint64_t bytes, int endpoints, int fd) const try {
    auto memory = Column<std::uint64_t>::allocate(bytes / sizeof(std::uint64_t));
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = i;
    const auto made = export_memory(provider, about_.node, endpoints);
    const ExportedMemory at = made->add(std::as_bytes(memory.span()));
    (void)!::write(fd, &at, sizeof(at));
    for (const std::string& endpoint : made->endpoints()) {
      const std::size_t size = endpoint.size();
      (void)!::write(fd, &size, sizeof(size));
      (void)!::write(fd, endpoint.data(), size);
    }
    char none = 0;
    return ::read(fd, &none, 1) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }

  pid_t id_ = -1;
  int to_it_ = -1;
  FabricServer about_;
};

/// Reads of one size, `depth` at a time, each into a slot of its own. For one thread.
class PlainFabricReader {
 public:
  PlainFabricReader(const std::string& provider, const FabricServer& server, int endpoints, std::uint32_t bytes,
                    std::size_t slots)
      : from_(server.stretches.front().at),
        bytes_(bytes),
        memory_(slots * bytes),
        contexts_(slots),
        link_(provider, server, endpoints, 2 * slots) {
    link_.use_memory(memory_);
  }

  void ask(std::size_t slot, std::uint64_t offset) {
    for (;;) {
      const auto posted = link_.read(memory_.data() + slot * bytes_, bytes_, from_, offset, contexts_[slot]);
      if (posted == ofi::ServerLink::Posted::yes) return;
      if (posted == ofi::ServerLink::Posted::failed) throw RunError(link_.last_error());
      take_arrivals();
    }
  }
  const std::byte* data(std::size_t slot) const { return memory_.data() + slot * bytes_; }

  /// Calls on_arrival(slot) for all reads that have come; it may ask again.
  template <class OnArrival>
  void for_each_arrival(const OnArrival& on_arrival) {
    take_arrivals();
    for (const std::size_t slot : std::exchange(arrived_, {})) on_arrival(slot);
  }

 private:
  void take_arrivals() {
    std::array<ofi::ServerLink::Arrival, 64> arrivals;
    const std::size_t count = link_.poll(arrivals);
    for (std::size_t i = 0; i < count; ++i) {
      if (arrivals[i].error != 0) throw RunError(link_.last_error());
      arrived_.push_back(static_cast<std::size_t>(arrivals[i].context - contexts_.data()));
    }
  }

  ExportedMemory from_;
  std::uint32_t bytes_;
  std::vector<std::byte> memory_;
  std::vector<fi_context2> contexts_;
  std::vector<std::size_t> arrived_;
  ofi::ServerLink link_;  ///< last, so that it ends before the memory that it writes to
};

struct ReadPlan {
  std::string provider;
  std::uint64_t bytes = 0;
  std::uint32_t page_bytes = 0;
  std::uint32_t depth = 0;
  int threads = 1;
  int endpoints = 1;
  double seconds = 0;
  std::uint32_t doorbell_batch = 1;
};

/// Rates in bytes a second, and doorbells for each command.
struct PagerRead {
  double rate = 0;
  double doorbells = 0;
};

std::uint64_t random_page(int rank, std::uint64_t i, std::uint64_t pages) {
  return splitmix64(static_cast<std::uint64_t>(rank), i, 0) % pages;
}

void expect_first_word(const std::byte* page, std::uint64_t number, const ReadPlan& plan) {
  std::uint64_t word = 0;
  std::memcpy(&word, page, sizeof(word));
  if (word != number * (plan.page_bytes / sizeof(word))) raise<RunError>("page {} has the bytes of another", number);
}

/// Returns bytes a second of a thread that does nothing else.
double read_plainly(const ReadPlan& plan, const FabricServer& server) {
  PlainFabricReader reader(plan.provider, server, plan.endpoints, plan.page_bytes, plan.depth);
  const std::uint64_t pages = plan.bytes / plan.page_bytes;
  std::vector<std::uint64_t> page_of(plan.depth);
  std::uint64_t asked = 0, came = 0;
  const Timer timer;
  const auto ask = [&](std::size_t slot) {
    page_of[slot] = random_page(0, asked++, pages);
    reader.ask(slot, page_of[slot] * plan.page_bytes);
  };
  for (std::size_t slot = 0; slot < plan.depth; ++slot) ask(slot);
  while (timer.elapsed_ms() < plan.seconds * 1e3) {
    reader.for_each_arrival([&](std::size_t slot) {
      expect_first_word(reader.data(slot), page_of[slot], plan);
      ++came;
      ask(slot);
    });
  }
  const double seconds = timer.elapsed_ms() / 1e3;
  for (std::uint64_t arrived = came; arrived < asked;) reader.for_each_arrival([&](std::size_t) { ++arrived; });
  return static_cast<double>(came * plan.page_bytes) / seconds;
}

std::uint64_t doorbells_of(const HostPager& pager) {
  std::uint64_t all = 0;
  for (const QueuePair& queue : pager.storage().queues()) all += queue.control->doorbells;
  return all;
}

/// Reads through a cache of an eighth of the bytes; every miss is a page.
PagerRead read_by_pager(const ReadPlan& plan, const FabricServer& server) {
  ThreadPool pool(plan.threads);
  PagerOptions options{.page_bytes = plan.page_bytes, .cache_bytes = plan.bytes / 8, .workers = plan.threads};
  options.queue_depth = 2 * plan.depth;  // of which prefetching fills half
  options.doorbell_batch = plan.doorbell_batch;
  std::vector<PagedColumn> columns{{0, plan.bytes, 0}};
  HostPager pager(options, columns, [&](std::uint32_t depth) {
    return open_fabric_engine({plan.provider, {{server}}, plan.endpoints}, depth);
  });
  const std::uint64_t pages = plan.bytes / plan.page_bytes;
  const std::uint64_t ahead = std::max<std::uint64_t>(1, plan.depth / static_cast<std::uint32_t>(plan.threads));
  const auto work = [&](int rank, double seconds) {
    const Timer timer;
    for (std::uint64_t i = 0; i + 1 < ahead; ++i) pager.prefetch(random_page(rank, i, pages));
    for (std::uint64_t i = 0; i % 64 != 0 || timer.elapsed_ms() < seconds * 1e3; ++i) {
      pager.prefetch(random_page(rank, i + ahead - 1, pages));
      const PageId page = random_page(rank, i, pages);
      expect_first_word(pager.acquire(page), page, plan);
      pager.release(page);
    }
  };
  pool.run([&](int rank) { work(rank, 0.2); });  // frames get their memory, and endpoints their connections
  pager.reset_counters();
  const std::uint64_t before = doorbells_of(pager);
  const Timer timer;
  pool.run([&](int rank) { work(rank, plan.seconds); });
  const double seconds = timer.elapsed_ms() / 1e3;
  const PagerCounters counted = pager.counters();
  return {static_cast<double>(counted.bytes_read) / seconds,
          static_cast<double>(doorbells_of(pager) - before) / static_cast<double>(counted.misses)};
}

void measure_reads(ReadPlan plan, const std::vector<std::uint32_t>& pages, const std::vector<std::uint32_t>& batches,
                   int rounds) {
  const FabricExporter exporter(plan.provider, plan.bytes, plan.endpoints);
  for (std::size_t i = 0; i < pages.size() * batches.size(); ++i) {
    const std::uint32_t page_bytes = pages[i / batches.size()];
    plan.page_bytes = page_bytes;
    plan.doorbell_batch = batches[i % batches.size()];
    std::vector<double> plain, paged, ratios, doorbells;
    for (int round = 0; round < rounds; ++round) {
      const PagerRead read = read_by_pager(plan, exporter.about());
      plain.push_back(read_plainly(plan, exporter.about()));
      paged.push_back(read.rate);
      doorbells.push_back(read.doorbells);
      ratios.push_back(paged.back() / plain.back());
    }
    bench::print_json("measure", "reads", "provider", plan.provider, "page_bytes", page_bytes, "depth", plan.depth, "threads",
                      plan.threads, "endpoints", plan.endpoints, "doorbell_batch", plan.doorbell_batch, "doorbells_a_command",
                      median(doorbells), "rounds", rounds, "plain_bytes_per_second", median(plain), "pager_bytes_per_second",
                      median(paged), "ratio", median(ratios));
  }
}

void run(const cxxopts::ParseResult& given) {
  log::set_level(log::Level::quiet);
  for (const std::string& provider : given["providers"].as<bench::Texts>()) {
    const ReadPlan plan{.provider = provider,
                        .bytes = given["megabytes"].as<std::uint64_t>() << 20,
                        .depth = given["depth"].as<std::uint32_t>(),
                        .threads = given["threads"].as<int>(),
                        .endpoints = given["endpoints"].as<int>(),
                        .seconds = given["seconds"].as<double>()};
    measure_reads(plan, given["pages"].as<std::vector<std::uint32_t>>(),
                  given["doorbell-batches"].as<std::vector<std::uint32_t>>(), std::max(1, given["rounds"].as<int>()));
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace graphrun::bench;
  cxxopts::Options options("fabric_suite", "Times gpuvm's fabrics on the CPU");
  auto add = options.add_options();
  add("providers", "", with_default<Texts>("tcp"));
  add("pages", "bytes", with_default<std::vector<std::uint32_t>>("4096,8192,16384,65536"));
  add("doorbell-batches", "commands for which the pager rings a doorbell once, powers of two",
      with_default<std::vector<std::uint32_t>>("1"));
  add("depth", "reads out at a time", with_default<std::uint32_t>("64"));
  add("endpoints", "", with_default<int>("1"));
  add("threads", "", with_default<int>("1"));
  add("megabytes", "that are exported", with_default<std::uint64_t>("512"));
  add("seconds", "of each way and round", with_default<double>("1"));
  add("rounds", "", with_default<int>("5"));
  return run_program(options, argc, argv, run);
}
