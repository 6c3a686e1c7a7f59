// SPDX-License-Identifier: Apache-2.0

#include "run/ranks_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <thread>

#include "core/raise.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "run/open.hpp"

namespace graphrun::inline GR_IDS {
std::vector<RankPart> parts_of(const Graph& graph, int parts) {
  const std::uint64_t n = graph.num_vertices();
  const auto work_before = [&](std::uint64_t v) { return v + graph.out.offsets[v] + (graph.in ? graph.in->offsets[v] : 0); };
  std::vector<RankPart> all(static_cast<std::size_t>(parts));
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::uint64_t share = work_before(n) / all.size() * (i + 1);
    std::uint64_t low = first, high = n;  // the first vertex with that much before it
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      work_before(middle) < share ? low = middle + 1 : high = middle;
    }
    const std::uint64_t last = i + 1 == all.size() ? n : std::max(first, std::min(n, (low + 16) / 32 * 32));
    all[i].first = first;
    all[i].last = first = last;
  }
  return all;
}

RanksSession::RanksSession(const Graph& graph, const SessionOptions& options)
    : owned_(options.processes == nullptr ? exchange_of_threads(std::max(options.ranks, options.device.gpus()))
                                          : decltype(owned_){}) {
  if (corrects_labels(options.backend))
    throw UsageError(
        "several ranks meet after each step, which asynchronous subgraphs do not have: choose --subway-variant sync");
  if (options.processes != nullptr) here_ = {options.processes};
  for (const auto& exchange : owned_) here_.push_back(exchange.get());
  SessionOptions each = options;
  each.ranks = 1;
  each.processes = nullptr;
  const int threads = ThreadPool::size_for(options.threads);
  const auto ranks = static_cast<int>(here_.size());
  if (threads < ranks) log::info(fmt::format("{} ranks take a thread each: {} threads, not {}", ranks, ranks, threads));
  each.threads = std::max(1, threads / ranks);
  each.backend.host_threads = each.threads;
  if (auto& cache = each.backend.cache_bytes; cache && here_.size() > 1) {
    const std::uint64_t all = edge_bytes(graph, each.backend);
    if (preset_of(each.backend.kind).tier == EdgeTier::all && *cache >= all)
      cache.reset();  // some have more edges than others; together they have all
    else
      *cache /= here_.size();
  }
  std::vector<RankPart> parts = parts_of(graph, here_.front()->size());
  for (Exchange* const exchange : here_) {
    RankPart& part = parts[static_cast<std::size_t>(exchange->rank())];
    part.exchange = exchange;
    try {
      if (options.device.kind == DeviceKind::cuda) {
        ranks_.push_back(open_cuda_rank(graph, each, part));
        continue;
      }
      auto executor = fmt::format("cpu, {} ranks of {} thread{}", parts.size(), each.threads, each.threads == 1 ? "" : "s");
      ranks_.push_back(open_on(std::make_unique<CpuExecutor>(each.threads, part), graph, each, std::move(executor)));
    } catch (const UsageError& error) {
      if (ranks == 1 || !each.backend.cache_bytes) throw;
      raise<UsageError>("{}, for one rank: each of {} has an equal share of --cache", error.what(), ranks);
    }
  }
}

std::string RanksSession::description() const { return ranks_.front()->description(); }

std::uint64_t RanksSession::fast_tier_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& rank : ranks_) bytes += rank->fast_tier_bytes();
  return bytes;
}

StaticTier RanksSession::static_tier() const {
  StaticTier all;
  for (const auto& rank : ranks_) {
    const StaticTier tier = rank->static_tier();
    if (tier.bytes == 0) continue;
    all.holds = tier.holds;
    all.bytes += tier.bytes;
    all.lists += tier.lists;
    all.fill_bytes += tier.fill_bytes;
    all.edges_a_list = std::max(all.edges_a_list, tier.edges_a_list);
    all.fill_ms += tier.fill_ms;  // ranks are placed one after another
  }
  return all;
}

Trial RanksSession::on_ranks(const std::function<Trial(Session&)>& trial) {
  std::vector<Trial> trials(ranks_.size());
  std::mutex mutex;
  std::exception_ptr failure;
  const auto run_rank = [&](std::size_t rank) {
    const auto end_all = [&](const std::string& why, ExitCode code = ExitCode::failed) {
      {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
      }
      here_[rank]->leave(why, static_cast<int>(code));
    };
    try {
      trials[rank] = trial(*ranks_[rank]);
    } catch (const Error& error) {
      end_all(error.what(), error.code());
    } catch (const std::exception& error) {
      end_all(error.what());
    } catch (...) {
      end_all("an error without words");
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      for (std::size_t rank = 1; rank < ranks_.size(); ++rank) others.emplace_back(run_rank, rank);
    } catch (...) {  // the others wait for a thread that could not start
      here_[0]->leave("a rank's thread could not be started");
      others.clear();
      for (Exchange* exchange : here_) exchange->start_over();
      throw;
    }
    run_rank(0);
  }
  if (failure) {
    for (Exchange* exchange : here_) exchange->start_over();
    std::rethrow_exception(failure);
  }
  Trial& all = trials.front();
  for (std::size_t rank = 1; rank < trials.size(); ++rank) {
    all.moved += trials[rank].moved;
    all.exchanged.push_back(trials[rank].exchanged.front());
  }
  if (owned_.empty()) add_other_processes(all);
  return all;
}

void RanksSession::add_other_processes(Trial& trial) {
  struct Counted {
    std::uint64_t bytes, requests, evicted, cached, exchanges;
    double waited_ms;
    RouteCounters routed;
    ReadAhead ahead;
  };
  Moved& moved = trial.moved;
  ExchangeCounts own = std::move(trial.exchanged.front());
  own.bytes_from.resize(static_cast<std::size_t>(here_.front()->size()));
  const Counted mine{moved.bytes.value_or(0),
                     moved.requests.value_or(0),
                     moved.evicted_bytes.value_or(0),
                     moved.hot_bytes.value_or(0),
                     own.exchanges,
                     own.waited_ms,
                     moved.routed.value_or(RouteCounters{}),
                     moved.ahead.value_or(ReadAhead{})};
  Counted sum{};
  trial.exchanged.clear();
  for (const Counted& theirs : gather_values(*here_.front(), mine)) {
    sum.bytes += theirs.bytes, sum.requests += theirs.requests, sum.evicted += theirs.evicted, sum.cached += theirs.cached;
    sum.routed += theirs.routed, sum.ahead += theirs.ahead;
    trial.exchanged.push_back({theirs.exchanges, {}, theirs.waited_ms});
  }
  auto rank = trial.exchanged.begin();
  for (const auto bytes : here_.front()->all_gather(std::as_bytes(std::span(own.bytes_from)))) {
    std::vector<std::uint64_t>& from = rank++->bytes_from;
    from.resize(own.bytes_from.size());
    copy_published(bytes, std::span(from));
  }
  const auto put = [](auto& to, const auto& value) {
    if (to) to = value;
  };
  put(moved.bytes, sum.bytes);
  put(moved.requests, sum.requests);
  put(moved.evicted_bytes, sum.evicted);
  put(moved.hot_bytes, sum.cached);
  put(moved.routed, sum.routed);
  put(moved.ahead, sum.ahead);
}

}  // namespace graphrun::inline GR_IDS
