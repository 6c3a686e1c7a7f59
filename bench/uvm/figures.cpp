// SPDX-License-Identifier: Apache-2.0

#include "uvm/figures.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace graphrun::bench::uvm {
namespace {

using Texts = std::vector<std::string>;

const Texts kGraphWorks = {"bfs", "sssp", "cc", "pagerank"};
const Texts kPressed = {"bfs", "cc", "sssp", "mvt", "atax", "bicg", "va"};  ///< of figure 14

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

/// Geometric mean.
class Mean {
 public:
  void add(double value) { sum_ += std::log(value), ++count_; }
  double value() const { return count_ == 0 ? 0 : std::exp(sum_ / count_); }

 private:
  double sum_ = 0;
  int count_ = 0;
};

/// Prints a number beside the paper's, and the factor between them.
void print_mean(Report& report, const std::string& figure, const std::string& what, double ours, std::optional<double> paper) {
  std::optional<double> off;
  if (paper && ours > 0) off = std::max(ours / *paper, *paper / ours);
  report.line(figure, "mean", what, "ours", ours, "paper", paper, "off", off);
}

/// Prints a line for each memory.
void print_memories(Report& report, const std::string& figure, const Input& input, const std::string& work,
                    const Machine& machine, const Measured& found) {
  for (const auto& [memory, totals] : found.by_memory) {
    report.line(figure, "graph", needs_graph(work) ? input.name : "", "work", work, "machine", machine.name, "memory", memory,
                "bytes", found.bytes, "ms", totals.ms, "bytes_in", totals.bytes_in, "bytes_out", totals.bytes_out, "coverage",
                ratio(static_cast<double>(totals.bytes_in), static_cast<double>(found.bytes)), "gb_s",
                ratio(static_cast<double>(totals.bytes_in), totals.ms * 1e6), "requests", totals.requests, "faults",
                totals.faults, "batches", totals.batches);
  }
}

double gb_s(const Measured& found, const char* memory) {
  const Totals& totals = found.by_memory.at(memory);
  return ratio(static_cast<double>(totals.bytes_in), totals.ms * 1e6);
}

double coverage(const Measured& found, const char* memory) {
  return ratio(static_cast<double>(found.by_memory.at(memory).bytes_in), static_cast<double>(found.bytes));
}

/// BFS of EMOGI: figures 2.9, 2.10, 2.11.
void print_bfs(const std::string& figure, Bench& bench, Report& report) {
  const Machine& machine = machine_named("emogi-v100");
  Mean naive, merged, aligned, uvm, aligned_over_merged;
  double most_uvm = 0, most_aligned = 0;
  for (std::size_t at = 0; at < bench.inputs().size(); ++at) {
    const Measured& found = bench.measure("bfs", at, machine, true);
    print_memories(report, figure, bench.inputs()[at], "bfs", machine, found);
    const auto value = [&](const char* memory) {
      return figure == "2.9" ? gb_s(found, memory) : ratio(found.ms("uvm"), found.ms(memory));
    };
    naive.add(value("naive")), merged.add(value("merged")), aligned.add(value("aligned")), uvm.add(value("uvm"));
    aligned_over_merged.add(ratio(found.ms("merged"), found.ms("aligned")));
    most_uvm = std::max(most_uvm, coverage(found, "uvm")), most_aligned = std::max(most_aligned, coverage(found, "aligned"));
  }
  if (figure == "2.9") {
    print_mean(report, figure, "GB/s of naive", naive.value(), 4.7);
    print_mean(report, figure, "GB/s of merged", merged.value(), 11);
    print_mean(report, figure, "GB/s of aligned", aligned.value(), {});
    print_mean(report, figure, "GB/s of UVM", uvm.value(), 9);
  } else if (figure == "2.10") {
    print_mean(report, figure, "naive over UVM", naive.value(), 0.73);
    print_mean(report, figure, "merged over UVM", merged.value(), 3.24);
    print_mean(report, figure, "aligned over merged", aligned_over_merged.value(), 1.1);
  } else {
    print_mean(report, figure, "bytes of UVM over edges, most", most_uvm, 5.16);
    print_mean(report, figure, "bytes of aligned over edges, most", most_aligned, 1.31);
  }
}

void print_programs(const std::string& figure, Bench& bench, Report& report) {
  const Machine& machine = machine_named("emogi-v100");
  Mean all;
  for (const std::string& work : kGraphWorks) {
    Mean mean;
    for (std::size_t at = 0; at < bench.inputs().size(); ++at) {
      const Measured& found = bench.measure(work, at, machine, true);
      print_memories(report, figure, bench.inputs()[at], work, machine, found);
      mean.add(ratio(found.ms("uvm"), found.ms("aligned")));
      all.add(ratio(found.ms("uvm"), found.ms("aligned")));
    }
    print_mean(report, figure, "EMOGI over UVM, " + work, mean.value(), {});
  }
  print_mean(report, figure, "EMOGI over UVM", all.value(), 2.6);
}

void print_links(const std::string& figure, Bench& bench, Report& report) {
  const Machine& slow = machine_named("emogi-a100-pcie3");
  const Machine& fast = machine_named("emogi-a100-pcie4");
  Mean emogi, uvm;
  for (const std::string& work : kGraphWorks) {
    for (std::size_t at = 0; at < bench.inputs().size(); ++at) {
      const Measured& before = bench.measure(work, at, slow, true);
      const Measured& after = bench.measure(work, at, fast, true);
      print_memories(report, figure, bench.inputs()[at], work, slow, before);
      print_memories(report, figure, bench.inputs()[at], work, fast, after);
      emogi.add(ratio(before.ms("aligned"), after.ms("aligned"))), uvm.add(ratio(before.ms("uvm"), after.ms("uvm")));
    }
  }
  print_mean(report, figure, "EMOGI, PCIe 4 over PCIe 3", emogi.value(), 1.88);
  print_mean(report, figure, "UVM, PCIe 4 over PCIe 3", uvm.value(), 1.53);
}

void print_sum(const std::string& figure, Bench& bench, Report& report) {
  const Machine& machine = machine_named("gpuvm-v100");
  const Measured& found = bench.measure("sum", 0, machine, false);
  print_memories(report, figure, {}, "sum", machine, found);
  print_mean(report, figure, "GB/s of UVM", gb_s(found, "uvm/1"), 6);
  print_mean(report, figure, "GB/s of GPUVM, one card", gb_s(found, "one card"), 6.5);
  print_mean(report, figure, "GB/s of GPUVM, two cards", gb_s(found, "gpuvm/1"), 12);
}

/// Graphs on GPUVM's machine: figure 9 with memory for all, figure 12 for half of SSSP.
void print_graphs(const std::string& figure, Bench& bench, Report& report) {
  const Machine& machine = machine_named("gpuvm-v100");
  const bool half = figure == "12";
  const std::string uvm = half ? "uvm/2" : "uvm/1", gpuvm = half ? "gpuvm/2" : "gpuvm/1";
  for (const std::string& work : half ? Texts{"sssp"} : Texts{"bfs", "cc"}) {
    Mean faster, fewer;
    for (std::size_t at = 0; at < bench.inputs().size(); ++at) {
      const Measured& found = bench.measure(work, at, machine, false);
      print_memories(report, figure, bench.inputs()[at], work, machine, found);
      faster.add(ratio(found.ms(uvm), found.ms(gpuvm)));
      fewer.add(ratio(coverage(found, uvm.c_str()), coverage(found, gpuvm.c_str())));
    }
    print_mean(report, figure, "GPUVM over UVM, " + work, faster.value(), half ? 1.9 : work == "bfs" ? 1.4 : 1.5);
    print_mean(report, figure, "bytes of UVM over GPUVM, " + work, fewer.value(),
               half ? std::optional<double>(1.8) : std::nullopt);
  }
}

void print_pressure(const std::string& figure, Bench& bench, Report& report) {
  const Machine& machine = machine_named("gpuvm-v100");
  double graphs_uvm = 0, graphs_gpuvm = 0, others_gpuvm = 0;
  for (const std::string& work : kPressed) {
    const std::size_t inputs = needs_graph(work) ? bench.inputs().size() : 1;
    for (std::size_t at = 0; at < inputs; ++at) {
      const Measured& found = bench.measure(work, at, machine, false);
      for (const unsigned over : kOversubscriptions) {
        const std::string divisor = "/" + std::to_string(over + 1);
        const double uvm = ratio(found.ms("uvm" + divisor), found.ms("uvm/1"));
        const double gpuvm = ratio(found.ms("gpuvm" + divisor), found.ms("gpuvm/1"));
        report.line(figure, "graph", needs_graph(work) ? bench.inputs()[at].name : "", "work", work, "oversubscription", over,
                    "uvm_slowdown", uvm, "gpuvm_slowdown", gpuvm, "uvm_ms", found.ms("uvm" + divisor), "gpuvm_ms",
                    found.ms("gpuvm" + divisor), "uvm_coverage", coverage(found, ("uvm" + divisor).c_str()), "gpuvm_coverage",
                    coverage(found, ("gpuvm" + divisor).c_str()));
        if (work == "bfs" || work == "cc") {  // the graph programs of figure 9
          graphs_uvm = std::max(graphs_uvm, uvm), graphs_gpuvm = std::max(graphs_gpuvm, gpuvm);
        } else if (!needs_graph(work) && work != "va") {
          others_gpuvm = std::max(others_gpuvm, gpuvm);
        }
        if (work == "va" && over == 1)
          print_mean(report, figure, "GPUVM over UVM, va, half", ratio(found.ms("uvm/2"), found.ms("gpuvm/2")), 1.7);
      }
    }
  }
  print_mean(report, figure, "slowdown of bfs and cc, UVM, most", graphs_uvm, 4);
  print_mean(report, figure, "slowdown of bfs and cc, GPUVM, most", graphs_gpuvm, 2);
  print_mean(report, figure, "slowdown of matrices, GPUVM, most", others_gpuvm, 2);
}

struct Figure {
  const char* name;
  void (*print)(const std::string& figure, Bench& bench, Report& report);
};
constexpr Figure kFigures[] = {{"2.9", print_bfs},       {"2.10", print_bfs},   {"2.11", print_bfs},
                               {"2.12", print_programs}, {"2.14", print_links}, {"8", print_sum},
                               {"9", print_graphs},      {"12", print_graphs},  {"14", print_pressure}};

}  // namespace

const std::vector<std::string>& all_figures() {
  static const Texts names = [] {
    Texts all;
    for (const Figure& figure : kFigures) all.emplace_back(figure.name);
    return all;
  }();
  return names;
}

void print_figure(const std::string& figure, Bench& bench, Report& report) {
  for (const Figure& known : kFigures) {
    if (figure == known.name) return known.print(figure, bench, report);
  }
}

}  // namespace graphrun::bench::uvm
