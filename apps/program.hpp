// What the programs have in common: options from a table, printing, and how a program ends.
#pragma once

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <cxxopts.hpp>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>

#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
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

/// use(text) when the option was given.
template <class Use>
void with(const cxxopts::ParseResult& given, const char* option, const Use& use) {
  if (given.count(option) != 0) use(given[option].as<std::string>());
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

/// Calls body() and turns what it throws into one sentence and an exit code.
template <class Body>
int run_program(const std::string& name, const Body& body) {
  const auto fail = [](ExitCode code, const std::string& sentence) {
    std::fprintf(stderr, "error: %s\n", sentence.c_str());
    return static_cast<int>(code);
  };
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files then is an error of write(), which says so
  try {
    return static_cast<int>(body());
  } catch (const Error& error) {
    return fail(error.code(), error.what());
  } catch (const cxxopts::exceptions::exception& error) {
    return fail(ExitCode::usage, fmt::format("{}: see {} --help", error.what(), name));
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::failed, "not enough memory");
  } catch (const std::exception& error) {
    return fail(ExitCode::failed, error.what());
  }
}

}  // namespace graphrun::program
