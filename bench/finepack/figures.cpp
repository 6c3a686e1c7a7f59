// SPDX-License-Identifier: Apache-2.0

#include "finepack/figures.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

namespace graphrun::bench::finepack {
namespace {

using Outcomes = std::vector<Outcome>;

double ratio(std::uint64_t a, std::uint64_t b) { return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b); }

/// Geometric mean of value(outcome) over programs that stored something.
template <class Value>
double mean_of(const Outcomes& outcomes, Value&& value) {
  double sum = 0;
  int count = 0;
  for (const Outcome& outcome : outcomes) {
    const double found = value(outcome);
    if (outcome.locality.stores == 0 || !(found > 0)) continue;
    sum += std::log(found), ++count;
  }
  return count == 0 ? 0 : std::exp(sum / count);
}

double stores_a_packet(const Contender::Totals& totals) { return ratio(totals.stores, totals.packets); }

/// Prints a mean, beside the paper's number of its machines (4 GPUs over PCIe 4, 16 over PCIe 6) and the factor between them.
void print_mean(Report& report, const std::string& figure, int ranks, const Link* link, const char* what, double ours,
                double paper) {
  const std::string name = link == nullptr ? "" : link->name;
  const bool is_papers = figure == "2" || figure == "4" || (ranks == 4 && name == "pcie4") || (ranks == 16 && name == "pcie6");
  std::optional<double> found, published, off;
  if (is_papers) published = paper;
  if (ours > 0) found = ours;
  if (found && published) off = std::max(ours / paper, paper / ours);
  report.line(figure, "ranks", ranks, "link", name, "mean", what, "ours", found, "paper", published, "off", off);
}

void print_goodput(const std::vector<Link>& links, Report& report) {
  for (const Link& link : links) {
    for (std::uint64_t bytes = 1; bytes <= 4096; bytes *= 2) {
      report.line("2", "link", link.name, "bytes", bytes, "wire_bytes", wire_bytes(link, 0, bytes), "goodput",
                  ratio(bytes, wire_bytes(link, 0, bytes)), "source", link.source);
    }
    const double half = ratio(32, wire_bytes(link, 0, 32)) / ratio(128, wire_bytes(link, 0, 128));
    print_mean(report, "2", 2, &link, "goodput of 32 bytes over that of 128", half, 0.5);
  }
}

void print_sizes(const Outcomes& outcomes, Report& report) {
  double below = 0;
  for (const Outcome& outcome : outcomes) {
    const Locality& found = outcome.locality;
    const auto share = [&](unsigned log) { return 100 * ratio(found.by_size[log], found.stores); };
    report.line("4", "work", outcome.work, "ranks", outcome.ranks, "steps", outcome.steps, "element_bytes", outcome.element_bytes,
                "stores", found.stores, "mean_bytes", ratio(found.bytes, found.stores), "percent_4", share(2), "percent_8",
                share(3), "percent_16", share(4), "percent_32", share(5), "percent_64", share(6), "percent_128", share(7));
    below += 100 * ratio(found.below_32, found.stores) / static_cast<double>(outcomes.size());
  }
  print_mean(report, "4", outcomes.front().ranks, nullptr, "percent of stores below 32 bytes", below, 63);
}

void print_locality(const Outcomes& outcomes, Report& report) {
  for (const Outcome& outcome : outcomes) {
    for (unsigned header = Locality::kFewest; header <= Locality::kMost; ++header) {
      report.line("5", "work", outcome.work, "ranks", outcome.ranks, "sub_header", header, "range_bytes",
                  std::uint64_t{1} << offset_bits(header), "stores_in_a_row",
                  ratio(outcome.locality.stores, outcome.locality.runs[header]));
    }
  }
}

void print_speedups(const Outcomes& outcomes, const Link& link, Report& report) {
  const auto mean = [&](Method method) {
    return mean_of(outcomes, [&](const Outcome& outcome) { return outcome.speedup(method, link); });
  };
  const int ranks = outcomes.front().ranks;
  for (const Outcome& outcome : outcomes) {
    report.line("9", "work", outcome.work, "ranks", ranks, "link", link.name, "one_gpu_ms", outcome.one_gpu_ms, "plain",
                outcome.speedup(Method::plain, link), "bulk", outcome.speedup(Method::bulk, link), "combined",
                outcome.speedup(Method::combined, link), "finepack", outcome.speedup(Method::finepack, link), "infinite",
                outcome.speedup(Method::infinite, link));
  }
  const double finepack = mean(Method::finepack);
  const bool is_large = ranks == 16;  // the paper's other machine, with PCIe 6
  if (!is_large) {
    print_mean(report, "9", ranks, &link, "FinePack over one GPU", finepack, 2.4);
    print_mean(report, "9", ranks, &link, "infinite bandwidth over one GPU", mean(Method::infinite), 3.4);
    print_mean(report, "9", ranks, &link, "bulk over plain", mean(Method::bulk) / mean(Method::plain), 2.1);
    print_mean(report, "9", ranks, &link, "FinePack over infinite bandwidth", finepack / mean(Method::infinite), 0.71);
  }
  print_mean(report, "9", ranks, &link, "FinePack over bulk", finepack / mean(Method::bulk), is_large ? 1.9 : 1.4);
  print_mean(report, "9", ranks, &link, "FinePack over plain", finepack / mean(Method::plain), 3);
}

void print_bytes(const Outcomes& outcomes, const Link& link, Report& report) {
  for (const Outcome& outcome : outcomes) {
    for (const Method method : {Method::plain, Method::bulk, Method::combined, Method::config, Method::finepack}) {
      const Contender::Totals& found = outcome.totals(method, link);
      report.line("10", "work", outcome.work, "ranks", outcome.ranks, "link", link.name, "method",
                  kMethodNames[static_cast<std::size_t>(method)], "useful_bytes", found.useful_bytes, "overhead_bytes",
                  found.overhead_bytes(), "redundant_bytes", found.redundant_bytes(), "wire_bytes", found.wire_bytes, "over_bulk",
                  ratio(found.wire_bytes, outcome.totals(Method::bulk, link).wire_bytes), "wrong", found.wrong_bytes);
    }
  }
  const int ranks = outcomes.front().ranks;
  const auto over_finepack = [&](Method method) {
    return mean_of(outcomes, [&](const Outcome& outcome) {
      return ratio(outcome.totals(method, link).wire_bytes, outcome.totals(Method::finepack, link).wire_bytes);
    });
  };
  print_mean(report, "10", ranks, &link, "bytes of plain over FinePack's", over_finepack(Method::plain), 2.7);
  print_mean(report, "10", ranks, &link, "bytes of bulk over FinePack's", over_finepack(Method::bulk), 1.3);
  print_mean(report, "10", ranks, &link, "bytes of combining over FinePack's", over_finepack(Method::combined), 1 / 0.76);
  print_mean(report, "10", ranks, &link, "bytes with configuration packets over FinePack's", over_finepack(Method::config), 1.18);
}

void print_packets(const Outcomes& outcomes, const Link& link, Report& report) {
  double sum = 0;
  for (const Outcome& outcome : outcomes) {
    const Contender::Totals& found = outcome.totals(Method::finepack, link);
    const auto flushes = [&](Flush reason) { return found.flushes[static_cast<std::size_t>(reason)]; };
    report.line("11", "work", outcome.work, "ranks", outcome.ranks, "link", link.name, "stores", found.stores, "packets",
                found.packets, "stores_a_packet", stores_a_packet(found), "sent_at_fence", flushes(Flush::fence), "by_window",
                flushes(Flush::window), "by_payload", flushes(Flush::payload), "by_entries", flushes(Flush::entries),
                "by_timeout", flushes(Flush::timeout), "by_atomic", flushes(Flush::atomic), "wrong", found.wrong_bytes);
    sum += stores_a_packet(found);
  }
  print_mean(report, "11", outcomes.front().ranks, &link, "stores a packet", sum / static_cast<double>(outcomes.size()), 42);
}

void print_sweep(const Sweep& sweep, const Outcomes& outcomes, const Link& link, Report& report) {
  const auto line = [&](const std::string& work, std::uint64_t value, double plain_over, double packed, double speedup) {
    report.line(sweep.figure, "work", work, "ranks", outcomes.front().ranks, "link", link.name, sweep.parameter, value,
                "plain_over_finepack", plain_over, "stores_a_packet", packed, "speedup", speedup);
  };
  std::uint64_t best = 0;
  double best_speedup = 0;
  for (const std::uint64_t value : sweep.values) {
    const auto found = [&](const Outcome& outcome) { return outcome.totals(Method::finepack, link, &sweep, value); };
    const auto plain_over = [&](const Outcome& outcome) {
      return ratio(outcome.totals(Method::plain, link).wire_bytes, found(outcome).wire_bytes);
    };
    const auto speedup = [&](const Outcome& outcome) { return outcome.speedup(Method::finepack, link, &sweep, value); };
    const auto packed = [&](const Outcome& outcome) { return stores_a_packet(found(outcome)); };
    for (const Outcome& outcome : outcomes) line(outcome.work, value, plain_over(outcome), packed(outcome), speedup(outcome));
    const double mean = mean_of(outcomes, speedup);
    line("mean", value, mean_of(outcomes, plain_over), mean_of(outcomes, packed), mean);
    if (mean > best_speedup) best = value, best_speedup = mean;
  }
  if (sweep.figure == std::string("12")) {
    print_mean(report, "12", outcomes.front().ranks, &link, "best bytes of a sub-header", static_cast<double>(best), 4);
  }
}

void print_links(const Outcomes& outcomes, const std::vector<Link>& links, Report& report) {
  for (const Link& link : links) {
    const auto mean = [&](Method method) {
      return mean_of(outcomes, [&](const Outcome& outcome) { return outcome.speedup(method, link); });
    };
    report.line("13", "ranks", outcomes.front().ranks, "link", link.name, "gb_per_s", link.gb_per_s, "plain", mean(Method::plain),
                "bulk", mean(Method::bulk), "finepack", mean(Method::finepack), "infinite", mean(Method::infinite));
  }
}

}  // namespace

const std::vector<Sweep>& sweeps() {
  static const std::vector<Sweep> all = {
      {"12",
       "sub_header",
       {2, 3, 4, 5, 6},
       [](QueueOptions& queue, std::uint64_t value) { queue.sub_header_bytes = static_cast<unsigned>(value); }},
      {"entries",
       "entries",
       {4, 8, 16, 32, 64, 128},
       [](QueueOptions& queue, std::uint64_t value) {
         queue.entries = static_cast<unsigned>(value), queue.windows = std::min(queue.windows, queue.entries);
       }},
      {"windows",
       "windows",
       {1, 2, 4, 8},
       [](QueueOptions& queue, std::uint64_t value) {
         queue.windows = static_cast<unsigned>(value), queue.entries = std::max(queue.entries, queue.windows);
       }},
      {"timeout", "timeout", {0, 10, 100, 1000}, [](QueueOptions& queue, std::uint64_t value) { queue.timeout = value; }},
  };
  return all;
}

const std::vector<std::string>& all_figures() {
  static const std::vector<std::string> all = {"2", "4", "5", "9", "10", "11", "12", "13", "entries", "windows", "timeout"};
  return all;
}

const Contender::Totals& Outcome::totals(Method method, const Link& link, const Sweep* sweep, std::uint64_t value) const {
  for (const Entrant& entrant : entrants) {
    const Contender& contender = entrant.contender;
    if (contender.method() == method && std::string_view(contender.link().name) == link.name && entrant.sweep == sweep &&
        entrant.value == value) {
      return contender.totals();
    }
  }
  throw std::logic_error("a figure asks for what did not run");
}

void print_figure(const std::string& figure, const std::vector<Outcome>& outcomes, const std::vector<Link>& links,
                  Report& report) {
  if (figure == "2") return print_goodput(links, report);
  if (figure == "4") return print_sizes(outcomes, report);
  if (figure == "5") return print_locality(outcomes, report);
  if (figure == "13") return print_links(outcomes, links, report);
  for (const Sweep& sweep : sweeps()) {
    if (figure == sweep.figure) return print_sweep(sweep, outcomes, links.front(), report);
  }
  for (const Link& link : links) {
    if (figure == "9") print_speedups(outcomes, link, report);
    if (figure == "10") print_bytes(outcomes, link, report);
    if (figure == "11") print_packets(outcomes, link, report);
  }
}

}  // namespace graphrun::bench::finepack
