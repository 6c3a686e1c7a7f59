// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/run/result.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::size_t kMostTrialsListed = 5;

using Row = std::vector<std::string>;

/// Returns columns padded to their widest cell, right-aligned, two blanks apart.
std::string aligned(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c)
      line += fmt::format("{:>{}}{}", row[c], widths[c], c + 1 < row.size() ? "  " : "");
    text += line + "\n";
  }
  return text;
}

/// Returns four significant digits, without an exponent.
std::string milliseconds(double ms) { return fmt::format("{:.{}f}", ms, ms < 10 ? 3 : ms < 100 ? 2 : 1); }
std::string ratio(const std::optional<double>& value) { return value ? fmt::format("{:.3f}", *value) : "-"; }
std::string bytes_or_dash(const std::optional<std::uint64_t>& bytes) { return bytes ? format_bytes(*bytes) : "-"; }

const char* weights_in_words(WeightKind kind) {
  constexpr const char* kWords[] = {"none", "32-bit whole numbers", "32-bit floats", "64-bit whole numbers"};
  return kWords[static_cast<std::size_t>(kind)];
}

Row cells(const std::string& label, const TrialRecord& trial, const VertexNames& names) {
  return {label,
          trial.source       ? names.text(*trial.source)
          : trial.batch != 0 ? fmt::format("{} at once", trial.batch)
                             : "-",
          milliseconds(trial.elapsed_ms),
          grouped(trial.stats.iterations),
          grouped(trial.stats.edges_examined),
          ratio(trial.gteps),
          bytes_or_dash(trial.moved.bytes),
          ratio(trial.amplification),
          name_of(trial.verification)};
}

std::string trials_text(const RunResult& result) {
  std::vector<Row> rows{
      {"trial", "source", "time ms", "iterations", "edges examined", "GTEPS", "moved", "amplification", "verdict"}};
  if (result.trials.size() <= kMostTrialsListed) {
    for (std::size_t i = 0; i < result.trials.size(); ++i)
      rows.push_back(cells(fmt::format("{}", i + 1), result.trials[i], result.names));
    return aligned(rows);
  }
  std::vector<TrialRecord> by_time = result.trials;
  std::stable_sort(by_time.begin(), by_time.end(), [](const auto& a, const auto& b) { return a.elapsed_ms < b.elapsed_ms; });
  rows.push_back(cells("median", by_time[(by_time.size() - 1) / 2], result.names));
  rows.push_back(cells("min", by_time.front(), result.names));
  rows.push_back(cells("max", by_time.back(), result.names));
  // Shows a wrong result that is not among the three shown rows.
  for (std::size_t r = 1; r < rows.size(); ++r) rows[r].back() = name_of(result.verification);
  std::string text = fmt::format("{} trials, by time:\n", result.trials.size()) + aligned(rows);
  if (const auto mean = summarise(result.trials).harmonic_mean_gteps)
    text += fmt::format("harmonic mean of GTEPS over all trials: {:.3f}\n", *mean);
  return text;
}

/// Returns for example "32 B 12.3 %, 64 B ... of 1,234 requests, 45.6 % begin on a 128-byte line; 5.67 MiB".
std::string requests_text(const LinkRequests& counted) {
  const double total = std::max(1.0, static_cast<double>(counted.total()));
  const auto percent = [&](std::uint64_t count) { return fmt::format("{:.1f} %", 100 * static_cast<double>(count) / total); };
  std::string text;
  for (int sectors = 1; sectors <= kLineSectors; ++sectors) {
    text += fmt::format("{}{} B {}", text.empty() ? "" : ", ", sectors * kSectorBytes, percent(counted.of_size(sectors)));
  }
  return fmt::format("{} of {}; {} begin on a 128-byte line; {} in all", text, grouped(counted.total()),
                     percent(counted.begun_on_line()), format_bytes(counted.bytes()));
}

/// Returns for example "1.2 GiB direct, 0 B from the page cache ...".
std::string routes_text(const RouteCounters& routed) {
  std::string text = fmt::format("{} direct, {} from the page cache, {} in place", format_bytes(routed.direct_bytes),
                                 format_bytes(routed.cached_bytes), format_bytes(routed.in_place_bytes));
  if (routed.in_place_steps != 0) text += fmt::format(" and {} steps wholly so", routed.in_place_steps);
  text += fmt::format("; reads cut {} times, {} cached runs ({}) merged into others", grouped(routed.splits),
                      grouped(routed.merges), format_bytes(routed.merged_bytes));
  if (routed.ahead_bytes != 0)
    text += fmt::format("; {} read ahead, {} of it used", format_bytes(routed.ahead_bytes), format_bytes(routed.ahead_hit_bytes));
  if (routed.dirty_bytes != 0) text += fmt::format("; {} were not on the disk yet", format_bytes(routed.dirty_bytes));
  return text;
}

/// Returns a value with the digits that read back exactly.
std::string value_text(const Json& value) {
  return value.is_number_integer() ? grouped(value.get<std::uint64_t>()) : value.dump();
}

std::string top_values_text(const RunResult& result) {
  const TopValues top = top_of(result.answer.columns.front(), static_cast<std::size_t>(result.run->options.top));
  std::vector<Row> rows{{"top", std::string(top.of), std::string(top.name)}};
  for (const auto& [v, value] : top.rows)
    rows.push_back({fmt::format("{}", rows.size()), result.names.text(v), value_text(value)});
  return aligned(rows);
}

/// Returns for example "3 (0) -> 17 (4) -> 8 (9)": names with distances. Only JSON has the middle of a long path.
std::string path_text(const RunResult& result) {
  constexpr std::size_t kShown = 10;  // at either end
  const AnswerColumn& column = result.answer.columns.front();
  const std::vector<VertexId>& vertices = result.path->vertices;
  if (vertices.empty()) return fmt::format("none: {} was not reached", result.names.text(result.path->to));
  std::string text;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (vertices.size() > 2 * kShown + 1 && i == kShown) {
      const std::size_t left_out = vertices.size() - 2 * kShown;
      text += fmt::format(" -> ({} more; --json has them)", grouped(left_out));
      i += left_out;
    }
    text += fmt::format("{}{} ({})", i == 0 ? "" : " -> ", result.names.text(vertices[i]),
                        value_text(column_value(column, vertices[i])));
  }
  return text;
}

std::string names_text(const VertexNames& names) {
  if (names.are_consecutive()) return fmt::format("vertices are numbered from {} on, as in the input", names.first());
  return fmt::format("vertices are called by the {} of the input", names.are_strings() ? "strings" : "numbers");
}

/// Returns the static tier's text; the first trial's reads represent all trials.
std::string static_tier_text(const RunResult& result) {
  const StaticTier& tier = result.static_tier;
  if (tier.bytes == 0) return "";
  const std::string what = tier.edges_a_list == 0 ? fmt::format("{} packed lists", grouped(tier.lists))
                                                  : fmt::format("the first {} of each list", tier.edges_a_list);
  std::string text = fmt::format(", {} of them {}, filled in {} ms before the clock by reading {}", format_bytes(tier.bytes),
                                 what, milliseconds(tier.fill_ms), format_bytes(tier.fill_bytes));
  if (!result.trials.empty() && result.trials.front().moved.hot_bytes)
    text += fmt::format("; trial 1 read {} there", format_bytes(*result.trials.front().moved.hot_bytes));
  return text;
}

std::string backend_text(const RunResult& result) {
  const BackendOptions& backend = result.run->options.backend;
  const Preset& preset = preset_of(backend.kind);
  const std::string name = result.run->plan ? "auto: " + choice_text(result.run->plan->chosen) : name_of(backend.kind);
  std::string text = fmt::format("{}, layout {}", name, name_of(backend.layout));
  if (reads_in_place(preset)) text += fmt::format(", access {}", name_of(backend.access));
  if (preset.source == EdgeSource::storage) text += fmt::format(", storage {}", backend.storage);
  if (preset.source == EdgeSource::fabric) text += fmt::format(", fabric {}", result.run->placement.fabric);
  if (preset.delivery == EdgeDelivery::commands) text += fmt::format(", pages of {}", format_bytes(backend.page_bytes));
  const bool managed = preset.delivery == EdgeDelivery::fault && result.run->device.kind == DeviceKind::cuda;
  if (managed) text += fmt::format(", advise {}", name_of(backend.uvm_advise));
  if (preset.delivery == EdgeDelivery::gather) text += fmt::format(", {}", name_of(backend.subway_variant));
  return text;
}

}  // namespace

const char* name_of(Verification verification) {
  switch (verification) {
    case Verification::unverified:
      return "unverified";
    case Verification::verified:
      return "verified";
    case Verification::not_converged:
      return "not converged";
    case Verification::wrong:
      return "wrong";
  }
  return "?";
}

std::string table_text(const RunResult& result) {
  const AlgorithmInfo& algorithm = info_of(result.run->options);
  std::string text;
  const auto line = [&](const char* label, const std::string& value) { text += fmt::format("{:<10} {}\n", label, value); };
  const GraphFacts& graph = result.graph;
  double run_ms = 0;
  for (const auto& trial : result.trials) run_ms += trial.elapsed_ms;

  line("graph", fmt::format("{} ({})", graph.name, graph.format));
  line("vertices", grouped(graph.num_vertices));
  line("edges", fmt::format("{} stored, {}", grouped(graph.num_edges), graph.symmetric ? "symmetric" : "directed"));
  if (graph.labelled) line("names", names_text(result.names));
  if (graph.weight_kind != WeightKind::none) {
    const std::string& from = graph.weight_source;
    line("weights",
         from.empty() ? weights_in_words(graph.weight_kind) : fmt::format("{} ({})", weights_in_words(graph.weight_kind), from));
  }
  const std::string& why = result.run->why_variant;
  line("algorithm", fmt::format("{}, {}{}{}", algorithm.facts.name, algorithm.variant(result.run->options),
                                why.empty() ? "" : fmt::format(" ({})", why), algorithm.chosen_text(result)));
  line("backend", backend_text(result));
  line("device", result.description + (result.emulated ? " (EMULATED: a model of the storage device, not a real one)" : ""));
  line("fast tier", fmt::format("{} of edges{}", format_bytes(result.fast_tier_bytes), static_tier_text(result)));
  line("phases ms",
       fmt::format("read {}, build {}, prepare {}, place {}, run {}{}", milliseconds(result.phases.read_ms),
                   milliseconds(result.phases.build_ms), milliseconds(result.phases.prepare_ms),
                   milliseconds(result.phases.place_ms), milliseconds(run_ms),
                   result.run->options.verify ? fmt::format(", verify {} ({})", milliseconds(result.phases.verify_ms),
                                                            name_of(*result.run->options.verify))
                                              : ""));
  text += fmt::format("\n{}\n", trials_text(result));
  for (const auto& trial : result.trials) {
    if (trial.verification == Verification::wrong) {
      line("wrong", trial.reason);
      break;
    }
  }
  if (result.verification == Verification::not_converged && result.run->options.verify.has_value()) {
    const bool by_sweeps = !info_of(result.run->options).has_properties(result.run->options);
    line("checked", by_sweeps
                        ? "as many sweeps by one thread give the same scores; they are not those of the limit"
                        : "the ranks sum to 1, and each is at least what teleporting gives; nothing is known of the tolerance");
  }
  if (const auto& last = result.trials.back().exchanged; !last.empty()) {
    line("exchange", fmt::format("{} exchanges of {} ranks, {} received by all; one waited {} ms for others (last trial)",
                                 grouped(last.front().exchanges), last.size(), format_bytes(bytes_of(last)),
                                 milliseconds(longest_wait_ms(last))));
  }
  if (const auto& last = result.trials.back(); !last.phases.empty()) {
    std::string phases;
    for (const Phase& phase : last.phases) phases += fmt::format("{} {}, ", phase.name, milliseconds(phase.elapsed_ms));
    line("edges ms", phases + "of the last trial; the rest of its time was computing");
  }
  if (const Moved& moved = result.trials.back().moved; moved.routed) line("routes", routes_text(*moved.routed) + " (last trial)");
  const ReadAhead ahead = result.trials.back().moved.ahead.value_or(ReadAhead{});
  if (const std::uint64_t all = ahead.hit_bytes + ahead.waste_bytes; all != 0)
    line("read ahead", fmt::format("{}, of which {} in vain (last trial)", format_bytes(all), format_bytes(ahead.waste_bytes)));
  if (const auto& counted = result.trials.back().moved.link_requests) {
    line("requests", requests_text(*counted) + " (last trial)");
    line("times", "INSTRUMENTED: kernels that count; do not compare them with those of others");
  }
  if (!result.digests.empty()) line("digest", digest_text(result.digests.front(), result.names));
  if (result.path) line("path", path_text(result));
  if (result.digests.size() > 1) line("", fmt::format("(of the first of {} sources; --json has all)", result.digests.size()));
  if (result.run->options.top != 0) text += "\n" + top_values_text(result);
  return text;
}

}  // namespace graphrun::inline GR_IDS
