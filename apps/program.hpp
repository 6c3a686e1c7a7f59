// What the programs have in common: options from a table, printing, and how a program ends.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cxxopts.hpp>
#include <exception>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/io/convert.hpp"
#include "graphrun/run/run.hpp"

namespace graphrun::program {

struct OptionText {
  const char* group;
  const char* name;
  const char* argument;  // null for a switch
  const char* help;
};

/// All values are text; what they mean is checked where they are used.
inline cxxopts::Options make_parser(const std::string& name, const std::string& purpose, const std::string& form,
                                    std::span<const OptionText> options) {
  cxxopts::Options parser(name, purpose);
  parser.custom_help(form);
  parser.set_width(120);
  for (const OptionText& option : options) {
    const bool is_switch = option.argument == nullptr;
    const std::shared_ptr<cxxopts::Value> value = is_switch ? cxxopts::value<bool>() : cxxopts::value<std::string>();
    parser.add_option(option.group, "", option.name, option.help, value, is_switch ? "" : option.argument);
  }
  return parser;
}

/// Refuses also an option without a value, such as an unset variable of a shell leaves, and warns of one with two: the last
/// counts, so that a script can put defaults before what it is called with.
inline cxxopts::ParseResult parse(cxxopts::Options& parser, int argc, char** argv) {
  cxxopts::ParseResult given = parser.parse(argc, argv);
  std::map<std::string, std::string> values;
  for (const cxxopts::KeyValue& argument : given.arguments()) {
    if (argument.value().empty()) throw UsageError(fmt::format("--{} was given nothing", argument.key()));
    const auto [first, is_new] = values.try_emplace(argument.key(), argument.value());
    if (is_new || first->second == argument.value()) continue;
    log::warn(fmt::format("--{} was given twice: '{}' gives way to '{}'", argument.key(), first->second, argument.value()));
    first->second = argument.value();
  }
  return given;
}

/// use(text) when the option was given.
template <class Use>
void with(const cxxopts::ParseResult& given, const char* option, const Use& use) {
  if (given.count(option) != 0) use(given[option].as<std::string>());
}

// The value of an option, where it was given. Each throws UsageError naming the option.

inline void read_name(const cxxopts::ParseResult& given, const char* option, std::string& into) {
  with(given, option, [&](const std::string& text) { into = text; });
}

template <class Whole>
void read_whole(const cxxopts::ParseResult& given, const char* option, std::uint64_t low, std::uint64_t high, Whole& into) {
  with(given, option,
       [&](const std::string& text) { into = static_cast<Whole>(parse_whole(text, std::string("--") + option, low, high)); });
}

inline void read_real(const cxxopts::ParseResult& given, const char* option, double& into) {
  with(given, option, [&](const std::string& text) { into = parse_real(text, std::string("--") + option); });
}

/// Bytes; Size holds 64 bits.
template <class Size>
void read_size(const cxxopts::ParseResult& given, const char* option, Size& into) {
  with(given, option, [&](const std::string& text) {
    try {
      into = parse_bytes(text);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("--{}: {}", option, error.what()));
    }
  });
}

/// A name out of a few.
template <class T>
T choose(const std::string& text, const char* option, std::initializer_list<std::pair<const char*, T>> choices) {
  std::string names;
  for (const auto& [name, value] : choices) {
    if (text == name) return value;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  throw UsageError(fmt::format("--{} cannot be '{}': choose among {}", option, text, names));
}

/// What both programs ask about reading a graph.
inline LoadOptions reading_options(const cxxopts::ParseResult& given) {
  LoadOptions load;
  with(given, "format", [&](const std::string& text) { load.format = parse_file_format(text); });
  load.bipartite = given["bipartite"].as<bool>();
  with(given, "ids", [&](const std::string& text) { load.ids = parse_id_policy(text); });
  load.float_weights = given["float-weights"].as<bool>();
  read_size(given, "raw-offset-in", load.raw_offset);
  load.undirected = given["undirected"].as<bool>();
  load.drop_self_loops = given["drop-self-loops"].as<bool>();
  load.drop_duplicates = given["drop-duplicates"].as<bool>();
  return load;
}

inline void set_log_level(const cxxopts::ParseResult& given) {
  const bool quiet = given["quiet"].as<bool>();
  const bool verbose = given["verbose"].as<bool>();
  if (quiet && verbose) throw UsageError("--quiet and --verbose exclude each other");
  log::set_level(quiet ? log::Level::quiet : verbose ? log::Level::verbose : log::Level::normal);
}

inline void print(const std::string& text) {
  const bool printed = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!printed) throw DataError("cannot write to standard output");
}

inline std::string version_text(const std::string& name) {
  const Environment about = describe_environment({});
  return fmt::format("{} {}{}, {}-bit vertex ids\n", name, about.version, about.commit.empty() ? "" : " (" + about.commit + ")",
                     about.vertex_bits);
}

/// A mapped file that becomes shorter while it is read ends a load instruction, not a call.
inline void say_that_a_file_shrank(int) {
  constexpr char kSentence[] = "error: a file that is being read became shorter, or its disk failed\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kSentence, sizeof(kSentence) - 1);
  ::_exit(static_cast<int>(ExitCode::failed));
}

/// Calls body() and turns what it throws into one sentence and an exit code.
template <class Body>
int run_program(const std::string& name, const Body& body) {
  const auto fail = [](ExitCode code, const std::string& sentence) {
    std::fprintf(stderr, "error: %s\n", sentence.c_str());
    return static_cast<int>(code);
  };
  std::signal(SIGBUS, say_that_a_file_shrank);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files then is an error of write(), which says so
  try {
    return static_cast<int>(body());
  } catch (const Error& error) {
    return fail(error.code(), error.what());
  } catch (const cxxopts::exceptions::exception& error) {
    return fail(ExitCode::usage, fmt::format("{}: see {} --help", error.what(), name));
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(ExitCode::failed, fmt::format("{}: {}", error.path1().string(), error.code().message()));
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::failed, "not enough memory");
  } catch (const std::exception& error) {
    return fail(ExitCode::failed, error.what());
  }
}

}  // namespace graphrun::program
