// SPDX-License-Identifier: Apache-2.0
// graphmemd: keeps a graph's edges, or a shard of them, in this machine's memory for graphrun on other machines.
#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <string>

#include "graphrun/core/names.hpp"
#include "graphrun/core/option.hpp"
#include "graphrun/remote/memory_server.hpp"
#include "graphrun/transport/fabric.hpp"
#include "program.hpp"

namespace graphrun::program {

inline std::atomic<bool> stop_asked{false};  ///< shared by both widths: a signal may come before the width is known
static_assert(std::atomic<bool>::is_always_lock_free, "it is set by a signal handler");

}  // namespace graphrun::program

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::uint64_t kMostShards = 4096;
constexpr std::uint64_t kMostEndpoints = 64;

void ask_to_stop(int) { program::stop_asked.store(true); }

void parse_shard(const std::string& text, MemoryServerOptions& options) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) throw UsageError(fmt::format("--shard must be I/N, such as 1/2, not '{}'", text));
  options.shards = static_cast<int>(parse_whole(text.substr(slash + 1), "--shard: the number of shards", 1, kMostShards));
  options.shard = static_cast<int>(
      parse_whole(text.substr(0, slash), "--shard: the number of the shard", 1, static_cast<std::uint64_t>(options.shards)));
}

std::vector<std::string> parse_providers(const std::string& text) {
  std::vector<std::string> providers = split_list(in_small_letters(text), ',', "--fabric");
  for (const std::string& provider : providers) check_provider_name(provider, "--fabric");
  return providers;
}

const std::vector<Option<MemoryServerOptions>>& graphmemd_options() {
  using Make = OptionMaker<MemoryServerOptions>;
  static const std::vector<Option<MemoryServerOptions>> kOptions = {
      {{"Serving", "graph", "FILE", "the .grf container whose edges are served; --graph may be left out before it"}},
      Make::text(
          {"Serving", "listen", "ADDR[:PORT]",
           "where clients come to (default port 7117; 0: any that is free); ADDR1+ADDR2 for several interfaces, over which "
           "clients that name both spread their reads"},
          GR_FIELD(listen)),
      {{"Serving", "shard", "I/N", "serve the I-th of N parts of the edges (default 1/1)"},
       [](MemoryServerOptions& options, const std::string& typed) { set_named("shard", [&] { parse_shard(typed, options); }); }},
      Make::text({"Serving", "fabric", "NAMES",
                  "providers of libfabric, with commas between (default tcp): " + joined(kFabricProviders)},
                 GR_FIELD(providers), parse_providers),
      Make::whole({"Serving", "endpoints", "N", "endpoints of each provider (default 1)"}, GR_FIELD(endpoints), 1,
                  kMostEndpoints),
      Make::text({"Serving", "token-file", "FILE",
                  "what clients must know, at least 16 characters, readable by its owner only (default: the environment variable "
                  "GRAPHMEMD_TOKEN); without a token only addresses of loopback can be listened at"},
                 GR_FIELD(token_file)),
      Make::flag({"Serving", "trust-file", nullptr, "do not read all of the container first to see that it is undamaged"},
                 GR_FIELD(check), false),
      {{"Other", "quiet", nullptr, "no log but warnings", 'q'}},
      {{"Other", "verbose", nullptr, "log more"}},
      {{"Other", "version", nullptr, "print version, commit and parts of the build", 'V'}},
      {{"Other", "help", nullptr, "print this; --help man prints it as a manual page", 'h'}},
  };
  return kOptions;
}

const program::Manual& graphmemd_manual() {
  static const program::Manual kManual = {
      "graphmemd",
      "Keeps edges of a graph in memory, for graphrun on other machines to read.",
      "graphmemd FILE --listen ADDR[:PORT] [options]\n"
      "       graphmemd help [TOPIC]                         all options, with examples\n",
      texts_of(graphmemd_options()),
      {{"Signals", "  SIGTERM and SIGINT end it. 'listening at ADDRESS' on standard output says that clients may come.\n"},
       {"Examples",
        "  graphmemd web.grf --listen 127.0.0.1\n"
        "  graphmemd web.grf --listen 10.0.0.5 --shard 2/3 --token-file ~/.graphmemd-token\n"
        "  graphmemd web.grf --listen 10.0.0.5+10.1.0.5 --token-file ~/.graphmemd-token\n"
        "  graphrun web.grf --algo bfs --backend gpuvm --fabric ofi:tcp --remote 10.0.0.4,10.0.0.5,10.0.0.6\n"},
       {"Exit codes", "  0 done, 1 failed, 2 usage, 77 not available on this machine.\n"}}};
  return kManual;
}

MemoryServerOptions server_options(const CommandLine& given) {
  MemoryServerOptions options;
  options.graph = program::graph_of(given, "graphmemd FILE --listen ADDR[:PORT]");
  if (!given.has("listen")) throw UsageError("--listen is missing: see graphmemd --help");
  set_given(graphmemd_options(), given, options);
  return options;
}

ExitCode serve(const MemoryServerOptions& options) {
  // Before any long step, so that a signal ends that, too, as soon as it is over.
  for (const int signal : {SIGTERM, SIGINT}) std::signal(signal, ask_to_stop);
  std::signal(SIGPIPE, SIG_IGN);
  const auto server = open_memory_server(options);
  log::info(server->description());
  program::print(fmt::format("listening at {}\n", server->address()));
  server->run(program::stop_asked);
  log::info("stopped");
  return ExitCode::done;
}

}  // namespace
}  // namespace graphrun::inline GR_IDS

namespace graphrun::program::inline GR_IDS {

ExitCode graphmemd_command(int argc, char** argv) {
  return run_command_line(graphmemd_manual(), argc, argv, [](const CommandLine& given) { return serve(server_options(given)); });
}

}  // namespace graphrun::program::inline GR_IDS
