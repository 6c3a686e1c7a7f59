// SPDX-License-Identifier: Apache-2.0
// graphrun: runs one algorithm over one graph through one backend; prints cost and results.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "graphrun/core/checkpoint.hpp"
#include "graphrun/core/output_file.hpp"
#include "graphrun/io/load.hpp"
#include "graphrun/io/validate.hpp"
#include "graphrun/run/calibrate.hpp"
#include "graphrun/run/cluster_model.hpp"
#include "graphrun/run/run.hpp"
#include "graphrun_options.hpp"
#include "processes.hpp"
#include "program.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// Outputs beside standard output.
struct Destinations {
  std::string json;
  std::string values;
  bool parents = false;
};

/// Writes to the file, or to standard output for the name "-".
void write_text(const std::string& path, const std::string& text) {
  if (path == "-") return program::print(text);
  OutputFile file(path);
  file.write(text);
  file.commit();
}

/// Throws when `target` is one of `files`; `what` names these.
void refuse_to_replace(const std::string& target, const std::vector<std::string>& files, const char* what) {
  if (target.empty() || target == "-") return;
  const auto is_target = [real = real_path(target)](const std::string& name) { return real_path(name) == real; };
  if (std::ranges::any_of(files, is_target)) throw UsageError(fmt::format("{} is {}: results would replace it", target, what));
}

void refuse_to_replace_inputs(const Destinations& to, const RunOptions& options) {
  for (const std::string& target : {to.json, to.values}) {
    refuse_to_replace(target, files_of(options.graph, options.load), "the graph that is read");
    refuse_to_replace(target, options.backend.stripe, "one of the files of --stripe that are read");
    if (const std::string& token = options.backend.fabric.token_file; !token.empty())
      refuse_to_replace(target, {token}, "the file of --token-file");
  }
}

void refuse_same_file(const char* one, const std::string& first, const char* other, const std::string& second) {
  if (!first.empty() && !second.empty() && first != "-" && second != "-" && real_path(first) == real_path(second))
    throw UsageError(fmt::format("{} and {} name the same file, {}", one, other, first));
}

/// Returns the outputs. Finds errors of writing before a long run.
Destinations destinations(const CommandLine& given, const RunOptions& options) {
  Destinations to;
  to.json = given.value("json");
  to.values = given.value("output");
  to.parents = given.has("parents");
  if (to.parents && options.algorithm != Algorithm::bfs)
    throw UsageError(fmt::format("--parents goes with bfs: {} has none", name_of(options.algorithm)));
  if (to.parents && to.values.empty()) throw UsageError("--parents says what --output writes, and there is no --output");
  if (to.parents && options.batch) throw UsageError("--parents goes with searches one by one: a batch finds levels only");
  const bool fits = options.num_sources <= (options.batch ? static_cast<int>(kMostSearches) : 1);
  if (!to.values.empty() && !fits && has_sources(options.algorithm)) {
    throw UsageError(options.batch
                         ? fmt::format("--output holds the answers of one batch: --sources is at most {}", kMostSearches)
                         : "--output holds the answer of one source: leave out --sources");
  }
  if (const std::string why = why_no_values(options.algorithm); !to.values.empty() && !why.empty()) throw UsageError(why);
  if (!to.values.empty()) check_output_path(to.values, options.algorithm);
  refuse_to_replace_inputs(to, options);
  if (to.json == "-" && to.values == "-") {
    throw UsageError("--json - and --output - both write to standard output: name a file for one of them");
  }
  if (!to.json.empty() && to.json != "-") check_writable(to.json);
  refuse_same_file("--json", to.json, "--output", to.values);
  return to;
}

void print_capabilities(const std::string& json) {
  if (!json.empty()) return write_text(json, capabilities_json());
  std::string text = fmt::format("{:<8}{:<10}{:<11}{}\n", "device", "backend", "available", "what it uses, or what is missing");
  for (const Capability& row : list_capabilities()) {
    text += fmt::format("{:<8}{:<10}{:<11}{}\n", row.device, row.backend, row.available ? "yes" : "no", row.detail);
  }
  program::print(text);
}

/// Runs act(). When it throws in one process, all processes end with that error.
template <class Act>
auto with_others(const RunOptions& options, const Act& act) {
  const auto leave = [&](const std::exception& error, ExitCode code) {
    if (options.processes != nullptr) options.processes->leave(error.what(), static_cast<int>(code));
  };
  try {
    return act();
  } catch (const WideIdsError&) {
    throw;  // an error of the graph, which all processes have
  } catch (const Error& error) {
    leave(error, error.code());
    throw;
  } catch (const std::exception& error) {
    leave(error, ExitCode::failed);
    throw;
  }
}

/// Returns whether an option describes the modelled run, or how the model is printed.
bool is_of_model(const OptionText& option, const RunOptions& options) {
  const std::string_view name = option.name, group = option.group;
  if (group == "Placement") return name == "device" || (name == "backend" && options.auto_backend);
  if (group == "Results") return name == "json" || name == "quiet" || name == "verbose";
  return name != "trials" && name != "checkpoint" && name != "trust-file";
}

/// Throws for options that the model does not read.
void refuse_unmodelled(const CommandLine& given, const RunOptions& options) {
  if (options.device != "cpu" && options.device != "auto")
    throw UsageError(fmt::format("--assume models ranks on host threads: leave out --device {}", options.device));
  for (const RunOption& option : run_options()) {
    if (given.has(option.text.name) && !is_of_model(option.text, options))
      throw UsageError(fmt::format(
          "--{} says nothing to --assume, which models one trial on hosts that its list describes: leave it out",
          option.text.name));
  }
}

/// Prints the model of --assume. Exits with 77 where the run would not fit.
ExitCode print_model(const CommandLine& given, const RunOptions& options) {
  refuse_unmodelled(given, options);
  program::warn_of_unused(given, options);
  const ClusterPlan plan = plan_cluster(options, given.value("assume"));
  const std::string& json = given.value("json");
  if (json != "-") program::print(cluster_text(options, plan));
  if (!json.empty()) write_text(json, cluster_json(options, plan));
  return plan.model.refused.empty() ? ExitCode::done : ExitCode::unavailable;
}

ExitCode print_plan(const CommandLine& given) {
  const RunOptions options = program::options_of(given);
  if (given.has("assume")) return print_model(given, options);
  if (!options.auto_backend)
    throw UsageError(fmt::format("--plan prints the plan of --backend auto, and {} needs none", backend_name(options)));
  if (given.has("json") || given.has("output")) throw UsageError("--plan runs nothing: leave out --json and --output");
  const ResolvedRun run = resolve(options);
  program::warn_of_unused(given, run.options);
  program::print(plan_text(run.options, *run.plan));
  return ExitCode::done;
}

/// Runs "graphrun calibrate [FILE]".
ExitCode calibrate_machine(const CommandLine& given) {
  const std::vector<std::string>& names = given.names();
  if (names.size() > 2) throw UsageError(fmt::format("graphrun calibrate takes one file, not also '{}'", names[2]));
  for (const RunOption& option : run_options()) {
    const std::string_view name = option.text.name;
    if (given.has(option.text.name) && name != "quiet" && name != "verbose")
      throw UsageError(fmt::format("--{} means nothing to graphrun calibrate", name));
  }
  const Calibration measured = calibrate(names.size() == 2 ? names[1] : "");
  program::print(calibration_text(measured));
  keep_calibration(measured);
  log::info(fmt::format("kept in {}", calibration_path(measured.machine.disk)));
  return ExitCode::done;
}

/// Runs "graphrun gather [GRAPH]".
ExitCode gather_rows(const CommandLine& given) {
  const GatherOptions options = program::gather_options_of(given);
  if (program::processes() != nullptr) throw UsageError("gather is not divided among processes: start it without mpirun");
  const std::string& json = given.value("json");
  if (!json.empty() && json != "-") {
    check_writable(json);
    refuse_to_replace(json, files_of(options.graph, options.load), "the graph that is read");
  }
  const GatherResult result = measure_gather(options);
  program::check_files_unchanged();
  if (json != "-") program::print(gather_text(options, result));
  if (!json.empty()) write_text(json, gather_json(options, result));
  return result.wrong == 0 ? ExitCode::done : ExitCode::failed;
}

/// Runs "graphrun validate OUTPUT EXPECTED --algo NAME".
ExitCode validate_values(const CommandLine& given) {
  const std::vector<std::string>& names = given.names();
  if (names.size() != 3 || !given.has("algo")) throw UsageError("write graphrun validate OUTPUT EXPECTED --algo NAME");
  for (const RunOption& option : run_options()) {
    const std::string_view name = option.text.name;
    if (given.has(option.text.name) && name != "algo" && name != "quiet" && name != "verbose")
      throw UsageError(fmt::format("--{} means nothing to graphrun validate", name));
  }
  RunOptions options;
  set_option(options, "algo", given.value("algo"));
  const Comparison found = compare_values(names[1], names[2], name_of(options.algorithm));
  program::print(found.text + "\n");
  return found.agrees ? ExitCode::done : ExitCode::failed;
}

/// Writes all outputs of a run.
ExitCode report(const CommandLine& given, const RunResult& result, const Destinations& to) {
  if (result.graph.format != "generator" && result.graph.format != "native container") {
    log::info(fmt::format("{} is read and sorted anew in each run; graphconv {} OUT.grf makes a file that opens at once",
                          result.graph.format, result.run->options.graph));
  }
  if (to.values == "-") {
    if (!given.has("quiet")) std::fputs(table_text(result).c_str(), stderr);
  } else {
    program::print(to.json == "-" ? json_text(result) : table_text(result));
  }
  if (!to.json.empty() && to.json != "-") write_text(to.json, json_text(result));
  if (result.verification == Verification::wrong) {
    if (!to.values.empty()) log::warn(fmt::format("{} was not written, because the answer is wrong", to.values));
    return ExitCode::failed;
  }
  if (!to.values.empty()) {
    const bool is_bfs = result.run->options.algorithm == Algorithm::bfs;
    write_output(result, !is_bfs ? "" : to.parents ? "parent" : "level", to.values);
  }
  const bool reached = result.converged && (!result.path || !result.path->vertices.empty());
  return reached || !given.has("strict") ? ExitCode::done : ExitCode::not_reached;
}

/// Lets a round end. A later signal, or one outside of rounds, ends the program at once. One within a second is taken for the
/// same: `timeout` and a terminal send it to a process and to its group.
void stop_after_round(int signal) {
  static timespec first = {-2, 0};
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const int error = errno;
  if (Rounds::stop(signal)) {
    first = now;
    std::signal(SIGPIPE, SIG_IGN);  // who reads may have ended by the same signal
    constexpr std::string_view kSaid = "\n[W] a signal: the run ends after this round; another one ends it at once\n";
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kSaid.data(), kSaid.size());
  } else if (now.tv_sec - first.tv_sec > 1) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  errno = error;
}

ExitCode run_and_report(const CommandLine& given) {
  RunOptions request = program::options_of(given);
  request.processes = program::processes();
  const bool reports = request.processes == nullptr || request.processes->rank() == 0;
  if (!reports) {
    request.verify.reset();
    log::set_level(log::Level::quiet);
    Progress::enable(std::chrono::milliseconds::max());  // never
  }
  if (!request.checkpoint.empty()) {
    for (const int signal : {SIGTERM, SIGINT}) {
      if (std::signal(signal, stop_after_round) == SIG_IGN) std::signal(signal, SIG_IGN);  // as nohup asked
    }
  }
  const Destinations to = with_others(request, [&] { return reports ? destinations(given, request) : Destinations{}; });
  const RunResult result = with_others(request, [&] {
    ResolvedRun resolved = resolve(request);
    program::warn_of_unused(given, resolved.options);
    RunResult done = run(std::move(resolved), to.values);
    program::check_files_unchanged();
    return done;
  });
  return with_others(request, [&] {
    const ExitCode code = reports ? report(given, result, to) : ExitCode::done;
    remove_saves(result);
    return code;
  });
}

ExitCode act_on(const CommandLine& given) {
  const bool gathers = !given.names().empty() && given.names()[0] == "gather";
  for (const Option<GatherOptions>& option : gather_options()) {
    if (given.has(option.text.name) && !gathers)
      throw UsageError(fmt::format("--{} goes with graphrun gather", option.text.name));
  }
  if (given.has("assume") && !given.has("plan")) throw UsageError("--assume goes with --plan");
  if (given.has("describe")) {
    if (!given.names().empty()) throw UsageError(fmt::format("--describe takes no graph: leave out '{}'", given.names()[0]));
    program::print(description_json());
  } else if (given.has("list")) {
    if (!given.names().empty()) throw UsageError(fmt::format("--list takes no graph: leave out '{}'", given.names()[0]));
    print_capabilities(given.value("json"));
  } else if (!given.names().empty() && given.names()[0] == "calibrate") {
    return calibrate_machine(given);
  } else if (!given.names().empty() && given.names()[0] == "validate") {
    return validate_values(given);
  } else if (gathers) {
    return gather_rows(given);
  } else if (given.has("plan")) {
    return print_plan(given);
  } else {
    return run_and_report(given);
  }
  return ExitCode::done;
}

}  // namespace
}  // namespace graphrun::inline GR_IDS

namespace graphrun::program::inline GR_IDS {

ExitCode graphrun_command(int argc, char** argv) { return run_command_line(graphrun_manual(), argc, argv, act_on); }

}  // namespace graphrun::program::inline GR_IDS
