// SPDX-License-Identifier: Apache-2.0
// A model of a run over ranks on hosts that are described in words (graphrun --plan --assume): what each rank holds, and what the
// run takes. Nothing is opened or measured. docs/notes/hosts.md compares it with real runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graphrun/io/estimate.hpp"
#include "graphrun/run/options.hpp"
#include "graphrun/run/plan.hpp"

namespace graphrun::inline GR_IDS {

/// Equal hosts. Rates are in units a second.
struct Cluster {
  double hosts = 1;
  double ranks = 1;  ///< processes of a host
  double cores = 1;  ///< of a host; its ranks share them
  double memory_bytes = 0;
  double link_bytes_s = 0;  ///< received by a host; 0: not named
  double latency_s = 50e-6;
  double disk_bytes_s = 0;
  double core_reads_s = 0;    ///< random reads of memory by one core
  double memory_bytes_s = 0;  ///< received by a rank from others of its host
  std::string rates_from;

  double all_ranks() const { return hosts * ranks; }
};

/// Parses "hosts=64,memory=512GiB,link=50GB/s". What is not named is as on `machine`, one host with one rank. Throws UsageError
/// for unknown keys and values out of range, and where several hosts have no link.
Cluster parse_cluster(const std::string& text, const Machine& machine);

/// What a run would hold and take, part by part, and what each figure comes from. Exchanges of ranks and their waits for each
/// other are means: no rank is slower than another.
struct ClusterModel {
  struct Bytes {
    std::string what;
    double bytes;
    std::string why;
  };
  struct Seconds {
    std::string what;
    double seconds;
    std::string why;
  };
  std::vector<Bytes> held;     ///< by a rank, without the answer
  Bytes answer;                ///< more on rank 0
  double edge_bytes = 0;       ///< of a rank's lists
  double cached_share = 1;     ///< of them, in memory
  std::vector<Seconds> terms;  ///< of a cold trial's time, one after another
  std::string refused;         ///< why it does not fit, and what would; empty: it fits

  double bytes_a_rank() const;
  double seconds() const;
};

/// Returns the model; a pure function. Throws UsageError for algorithms and variants without one, and for more ranks than
/// vertices.
ClusterModel model_run(const RunOptions& options, const LoadEstimate& graph, const Cluster& cluster);

/// A model with what it is about, for print and JSON.
struct ClusterPlan {
  LoadEstimate graph;  ///< by its name or header
  Cluster cluster;
  ClusterModel model;
};

/// Returns the model of the options' run on hosts as `assumed`, the rest as this machine. Throws as parse_cluster(), model_run()
/// and estimate_load(), and UsageError for a graph of unknown size.
ClusterPlan plan_cluster(const RunOptions& options, const std::string& assumed);

/// Returns lines for people, each ended.
std::string cluster_text(const RunOptions& options, const ClusterPlan& plan);
/// Returns the same as an indented JSON object.
std::string cluster_json(const RunOptions& options, const ClusterPlan& plan);

}  // namespace graphrun::inline GR_IDS
