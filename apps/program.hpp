// SPDX-License-Identifier: Apache-2.0
// The common part of the programs: the graph argument, printing, and the end of a program.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "changed_files.hpp"
#include "graphrun/core/build.hpp"
#include "graphrun/core/command_line.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/run/run.hpp"
#include "manual.hpp"

namespace graphrun::program {

/// Returns the program's graph: --graph, or the argument of no option. `form` is the program's usage.
inline std::string graph_of(const CommandLine& given, const std::string& form) {
  const std::vector<std::string>& names = given.names();
  if (names.size() > 1) {
    throw UsageError(fmt::format("'{}' is one name too many after '{}': write {}", names[1], names[0], form));
  }
  if (!names.empty() && given.has("graph")) {
    throw UsageError(
        fmt::format("'{}' and --graph '{}' both name the graph: leave one of them out", names[0], given.value("graph")));
  }
  const std::string& graph = names.empty() ? given.value("graph") : names[0];
  if (graph.empty()) throw UsageError(fmt::format("the graph is missing: {}", form));
  return graph;
}

inline void set_log_level(const CommandLine& given) {
  const bool quiet = given.has("quiet");
  const bool verbose = given.has("verbose");
  if (quiet && verbose) throw UsageError("--quiet and --verbose exclude each other");
  log::set_level(quiet ? log::Level::quiet : verbose ? log::Level::verbose : log::Level::normal);
  if (!quiet) Progress::enable();
}

inline void print(const std::string& text) {
  const bool printed = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!printed) throw DataError("cannot write to standard output");
}

/// Throws DataError when a read file has been written to, or could not be read.
inline void check_files_unchanged() {
  if (const std::string fault = fault_of_files(); !fault.empty()) throw DataError(fault);
}

/// Calls body() and converts exceptions to one sentence and an exit code.
template <class Body>
int run_program(const Body& body) {
  ChangedFiles changed_files;
  const auto fail = [&](ExitCode code, const std::string& sentence) {
    changed_files.begin_to_end();
    const std::string fault = fault_of_files();  // a file's fault is the reason of every failure
    std::fprintf(stderr, "error: %s\n", fault.empty() ? sentence.c_str() : fault.c_str());
    return static_cast<int>(fault.empty() ? code : ExitCode::failed);
  };
  std::signal(SIGXFSZ, SIG_IGN);  // write() then reports a limit on file sizes as an error
  try {
    const ExitCode code = body();
    check_files_unchanged();
    return static_cast<int>(code);
  } catch (const StoppedError& error) {
    const int code = fail(error.code(), error.what());
    if (code == static_cast<int>(ExitCode::failed)) return code;
    std::signal(error.signal, SIG_DFL);  // a shell's loop ends by Ctrl-C where its command ends by the signal
    std::raise(error.signal);
    return code;
  } catch (const Error& error) {
    return fail(error.code(), error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(ExitCode::failed, fmt::format("{}: {}", error.path1().string(), error.code().message()));
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::failed, "not enough memory");
  } catch (const std::system_error& error) {
    const bool thread = error.code() == std::errc::resource_unavailable_try_again;
    return fail(ExitCode::failed,
                thread ? "no more threads can be started: raise the limit on processes or memory (ulimit -u, -v)" : error.what());
  } catch (const std::exception& error) {
    return fail(ExitCode::failed, error.what());
  }
}

}  // namespace graphrun::program

namespace graphrun::program::inline GR_IDS {

/// Handles the arguments that all programs share, and otherwise calls act(given).
template <class Act>
ExitCode run_command_line(const Manual& manual, int argc, char** argv, const Act& act) {
  if (argc < 2) {
    std::fputs(usage_text(manual).c_str(), stderr);
    return ExitCode::usage;
  }
  const std::span<const char* const> arguments(argv + 1, argv + argc);
  const CommandLine given(manual.program, manual.options, arguments);
  set_log_level(given);
  if (!given.names().empty() && given.names()[0] == "help") {  // "help TOPIC" is "--help TOPIC"
    const std::vector<std::string> topic(given.names().begin() + 1, given.names().end());
    print(help_on(manual, topic, topic));
  } else if (given.has("help")) {
    const auto is_help = [](std::string_view argument) { return argument == "--help" || argument == "-h"; };
    const auto help = std::ranges::find_if(arguments, is_help);  // before it is the user's unfinished command
    const CommandLine behind(manual.program, manual.options, {help, arguments.end()});
    print(help_on(manual, given.names(), behind.names()));
  } else if (given.has("version")) {
    print(version_text(manual.program));
  } else {
    return act(given);
  }
  return ExitCode::done;
}

// The commands of main(). Each throws WideIdsError where the graph, or its user, needs 64-bit ids and these have 32.
ExitCode graphrun_command(int argc, char** argv);
ExitCode graphconv_command(int argc, char** argv);
ExitCode graphmemd_command(int argc, char** argv);

}  // namespace graphrun::program::inline GR_IDS
