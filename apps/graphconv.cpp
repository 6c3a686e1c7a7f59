// SPDX-License-Identifier: Apache-2.0
// graphconv: converts any readable graph into any writable format within a memory limit, describes graphs, checks files, and
// splits a container over several disks.
#include <fmt/format.h>

#include <filesystem>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "graphrun/core/log.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/core/option.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/io/convert.hpp"
#include "graphrun/io/generate.hpp"
#include "graphrun/io/load.hpp"
#include "graphrun/io/parts.hpp"
#include "graphrun/run/describe_graph.hpp"
#include "graphrun/run/session.hpp"
#include "program.hpp"

namespace graphrun {
#if GRAPHRUN_HAS_WIDE
namespace ids64 {
std::string describe_graph(const std::string& spec, const LoadOptions& options, Description form, ThreadPool& pool,
                           std::shared_ptr<ArcSorter> sorter);
std::string check_graph_file(const std::string& path, const LoadOptions& options, ThreadPool& pool,
                             std::shared_ptr<ArcSorter> sorter);
}  // namespace ids64
namespace widest = ids64;
#else
namespace widest = GR_IDS;
#endif
}  // namespace graphrun

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::uint64_t kMostThreads = 1024;

struct GraphconvOptions : ConvertOptions {
  std::string device = "cpu";
  std::uint64_t threads = 0;
  std::uint64_t unit_bytes = kDefaultUnitBytes;
};

using Make = OptionMaker<GraphconvOptions>;

std::vector<Option<GraphconvOptions>> make_options() {
  auto all = options_of_part<GraphconvOptions>(load_options(), GR_FIELD(load));
  const auto choice = [](OptionText text, std::vector<std::string_view> names, void (*choose)(GraphconvOptions&, std::size_t)) {
    text.range = {.kind = ValueRange::Kind::name, .names = names};
    const auto set = [=](GraphconvOptions& options, const std::string& typed) {
      set_named(text.name, [&] { choose(options, choose_name(typed, "order", names)); });
    };
    return Option<GraphconvOptions>{text, set, {}};
  };
  const std::vector<Option<GraphconvOptions>> own = {
      choice(
          {"Graph", "sort", "ORDER",
           "order of each list: id (ascending; the default for text), hubs-first (descending degree of the neighbour); weight: "
           ".grf, stores every list once more, sorted by weight, which sssp by prefixes reads; binary formats keep their order "
           "without this"},
          {"id", "hubs-first", "weight"},
          [](GraphconvOptions& options, std::size_t order) {
            options.load.sort_lists = order == 0;
            options.load.hubs_first = order == 1;
            options.store_records = order == 2;
          }),
      choice(
          {"Graph", "relabel", "ORDER",
           "rename vertices in descending order of degree, or of score, how often samples reach them (reverse PageRank: hot rows "
           "of features come first); results still name the input's ids"},
          {"degree", "score"},
          [](GraphconvOptions& options, std::size_t order) {
            options.load.relabel = order == 0 ? VertexOrder::degree : VertexOrder::score;
          }),
      Make::text({"Graph", "weights", "WHICH",
                  "file, unit (1 an edge), truth, random[:SEED[:LOW:HIGH]] (default: what the input holds)"},
                 GR_FIELD(weights), parse_weight_source, kWeightForms),
      Make::text({"Writing", "to", "NAME", "what the output is, instead of going by its suffix (names below)"}, GR_FIELD(to)),
      Make::flag({"Writing", "no-transpose", nullptr, ".grf: store no transpose of a directed graph"}, GR_FIELD(store_transpose),
                 false),
      Make::flag({"Writing", "pack", nullptr,
                  ".grf: pack lists and weights into as few bits as they take; they are decoded after they moved "
                  "(docs/storage.md)"},
                 GR_FIELD(pack)),
      Make::whole({"Writing", "balanced", "EDGES", ".grf: store balanced CSR's table of lists cut into chunks of so many edges"},
                  GR_FIELD(hub_chunk_edges), 1, std::numeric_limits<EdgeId>::max() - 1),
      Make::size(
          {"Writing", "raw-offset", "BYTES", ".bel: write .dst and .val without a header, their payload from this byte on"},
          GR_FIELD(raw_offset)),
      {{"Parts", "parts", "FILES", "stripe: the files that IN.grf is dealt out over, on different disks, with commas between"}},
      Make::size({"Parts", "unit", "SIZE",
                  "stripe: bytes in a row that go to one part, a power of two from 4KiB to 16MiB (default 128KiB)"},
                 GR_FIELD(unit_bytes)),
      {{"Describing", "json", nullptr,
        "info: an array of objects on standard output, one for each file that can be read (docs/formats.md)"}},
      Make::size(
          {"Running", "memory", "SIZE",
           "stay within this much memory, at least 64MiB: larger graphs go through scratch files (default: only when the graph "
           "does not fit in what is free)"},
          GR_FIELD(memory_bytes)),
      Make::text({"Running", "scratch", "DIR",
                  "where scratch files go (default: beside the output; for standard output, where temporary files go)"},
                 GR_FIELD(scratch_directory)),
      Make::text({"Running", "device", "NAME",
                  "what puts the graph in order: cpu (default), cuda, cuda:N or auto; the bytes are the same, and a GPU takes "
                  "what fits into its memory"},
                 GR_FIELD(device), canonical_device, kDeviceForms),
      Make::whole({"Running", "threads", "N", "host threads (default: all processors)", 'j'}, GR_FIELD(threads), 1, kMostThreads),
      {{"Running", "quiet", nullptr, "no log but warnings, no progress", 'q'}},
      {{"Running", "verbose", nullptr, "log more"}},
      {{"Other", "version", nullptr, "print version, commit and parts of the build", 'V'}},
      {{"Other", "help", nullptr, "print this; --help man prints it as a manual page", 'h'}},
  };
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

const std::vector<Option<GraphconvOptions>>& graphconv_options() {
  static const auto kOptions = make_options();
  return kOptions;
}

const program::Manual& graphconv_manual() {
  static const program::Manual kManual = {
      "graphconv",
      "Converts graphs between formats, describes them, checks files and deals them out over disks.",
      "graphconv IN OUT [options]             by the suffix of OUT, or --to; - is standard output, for text\n"
      "       graphconv info FILE... [--json]        what graphs are, and what they need\n"
      "       graphconv check FILE...                whether files are sound\n"
      "       graphconv stripe FILE --parts FILES    a container over several disks\n"
      "       graphconv help [TOPIC]                 all options, formats and generators; TOPIC: formats, generators, examples, "
      "exit\n",
      texts_of(graphconv_options()),
      {{"Names and sizes",
        "  Case does not count in what options choose among, nor do '-' and '_'. Sizes are bytes, or have a unit of 1024, 1024^2 "
        "and so on: 4096, "
        "4k, 4KiB, "
        "1.5GB, '1 TiB'.\n"},
       {"Formats that are read (text also compressed with gzip, zstd, xz or bzip2, or in tar and zip archives)",
        input_format_help()},
       {"Formats that are written, by the suffix of OUT or --to", output_format_help()},
       {"Generators, in place of IN", generator_help()},
       {"Examples",
        "  graphconv web.mtx.gz web.grf\n"
        "  graphconv soc-LiveJournal1.txt.gz lj.grf --undirected --drop-duplicates --memory 2GiB\n"
        "  graphconv road.gr road.wsg\n"
        "  graphconv trades.csv.zst trades.grf --columns seller,buyer,amount\n"
        "  zcat arcs.txt.gz | grep -v self | graphconv - arcs.grf\n"
        "  graphconv web.grf - --to csv | head\n"
        "  graphconv kron:20:16 k20.bel --weights random:1\n"
        "  graphconv info web.grf road.gr\n"
        "  graphconv info web.grf --json\n"
        "  graphconv check web.grf k20.bel\n"
        "  graphconv stripe web.grf --parts /disk1/web.p0,/disk2/web.p1   # then: graphrun --backend bam --stripe, the same "
        "names\n"},
       {"Exit codes", "  0 done, 1 failed or damaged, 2 usage, 77 not available on this machine.\n"}}};
  return kManual;
}

/// Throws UsageError when one of the options was given.
void refuse(const CommandLine& given, std::initializer_list<const char*> options, const std::string& command) {
  for (const char* option : options) {
    if (given.has(option)) throw UsageError(fmt::format("--{} means nothing to graphconv {}", option, command));
  }
}

/// Throws UsageError for options of conversions only.
void refuse_conversion_options(const CommandLine& given, const std::string& command) {
  refuse(given, {"to", "weights", "no-transpose", "pack", "balanced", "raw-offset", "memory", "scratch"}, command);
}

ExitCode stripe(const CommandLine& given, const std::vector<std::string>& names, std::uint64_t unit_bytes, ThreadPool& pool) {
  if (names.size() != 2) throw UsageError("graphconv stripe needs the name of one .grf container");
  if (!given.has("parts")) throw UsageError("graphconv stripe needs --parts FILES: what the container is dealt out over");
  write_parts(names[1], split_list(given.value("parts"), ',', "--parts"), unit_bytes, pool);
  return ExitCode::done;
}

/// Calls use() with each name after the command, also after a failure.
template <class Use>
ExitCode for_each_file(const std::vector<std::string>& names, const Use& use) {
  ExitCode result = ExitCode::done;
  for (std::size_t i = 1; i < names.size(); ++i) {
    try {
      use(names[i]);
    } catch (const Error& error) {
      fmt::print(stderr, "error: {}\n", error.what());
      result = result == ExitCode::done || result == error.code() ? error.code() : ExitCode::failed;
    }
  }
  return result;
}

// The library of a file's width describes it.

std::string describe(const std::string& name, const GraphconvOptions& options, Description form, ThreadPool& pool) {
  try {
    return describe_graph(name, options.load, form, pool, options.sorter);
  } catch (const WideIdsError&) {
    return widest::describe_graph(name, options.load, form, pool, options.sorter);
  }
}

std::string check(const std::string& name, const GraphconvOptions& options, ThreadPool& pool) {
  if (is_part_file(name)) return check_part_file(name);
  try {
    return check_graph_file(name, options.load, pool, options.sorter);
  } catch (const WideIdsError&) {
    return widest::check_graph_file(name, options.load, pool, options.sorter);
  }
}

/// Prints descriptions; with `json` an array with an object for each readable file.
ExitCode describe_all(const std::vector<std::string>& names, const GraphconvOptions& options, bool json, ThreadPool& pool) {
  std::string array;
  const ExitCode result = for_each_file(names, [&](const std::string& name) {
    if (json) {
      array += (array.empty() ? "" : ",\n") + describe(name, options, Description::json, pool);
    } else {
      if (name != names[1]) program::print("\n");
      program::print(describe(name, options, Description::text, pool));
    }
  });
  if (json) program::print(fmt::format("[{}]\n", array));
  return result;
}

ExitCode check_all(const std::vector<std::string>& names, const GraphconvOptions& options, ThreadPool& pool) {
  const ExitCode result = for_each_file(names, [&](const std::string& name) { program::print(check(name, options, pool)); });
  if (result == ExitCode::done) program::print(check_whole_sets({names.begin() + 1, names.end()}));
  return result;
}

/// Throws when a file's name looks like a misspelled command.
void refuse_misspelled_command(const std::string& name) {
  const std::vector<std::string> commands = program::command_words(graphconv_manual());
  const std::string meant = did_you_mean(name, std::vector<std::string_view>(commands.begin(), commands.end()));
  std::error_code unknown;
  if (meant.empty() || is_generator(name) || std::filesystem::exists(name, unknown)) return;
  throw UsageError(fmt::format("'{}' is no file and no command{}: see graphconv --help", name, meant));
}

/// Returns null for the CPU. Throws UnavailableError for a GPU that cannot be used.
std::shared_ptr<ArcSorter> choose_sorter(const GraphconvOptions& options) {
  const bool automatic = options.device == "auto";
  if (options.memory_bytes && options.device != "cpu") {
    if (!automatic)
      throw UsageError("--memory goes through scratch files, where no GPU puts graphs in order: leave --device out");
    log::info("device auto: using the CPU (--memory goes through scratch files)");
    return nullptr;
  }
  const Device device = parse_device(options.device);
  return device.kind == DeviceKind::cuda ? open_arc_sorter(only_gpu(device, "graphs are put in order"), !automatic) : nullptr;
}

ExitCode run_command(const CommandLine& given, GraphconvOptions options, ThreadPool& pool) {
  const std::vector<std::string>& names = given.names();
  for (const std::string& name : names) {
    if (name.empty()) throw UsageError("the name of a file is empty: see graphconv --help");
  }
  const std::string command = names.empty() ? "" : names[0];
  if (command == "stripe") {
    refuse_conversion_options(given, command);
    for (const Option<LoadOptions>& option : load_options()) refuse(given, {option.text.name}, command);
    refuse(given, {"sort", "relabel", "json", "device"}, command);
    return stripe(given, names, options.unit_bytes, pool);
  }
  if (command != "info") refuse(given, {"json"}, command == "check" ? command : "IN OUT, only to graphconv info");
  refuse(given, {"parts", "unit"}, command == "info" || command == "check" ? command : "IN OUT, only to graphconv stripe");
  if (command == "info" || command == "check") {
    refuse_conversion_options(given, command);
    if (options.store_records) throw UsageError(fmt::format("--sort weight means nothing to graphconv {}", command));
    if (names.size() < 2) throw UsageError(fmt::format("graphconv {} needs the name of a file", command));
    options.sorter = choose_sorter(options);
    return command == "info" ? describe_all(names, options, given.has("json"), pool) : check_all(names, options, pool);
  }
  if (!names.empty()) refuse_misspelled_command(command);
  if (names.size() != 2) {
    throw UsageError("two names are needed, IN and OUT, or a command, info, check or stripe: see graphconv --help");
  }
  options.sorter = choose_sorter(options);
  convert_graph(names[0], names[1], options, pool);
  return ExitCode::done;
}

}  // namespace
}  // namespace graphrun::inline GR_IDS

namespace graphrun::program::inline GR_IDS {

ExitCode graphconv_command(int argc, char** argv) {
  return run_command_line(graphconv_manual(), argc, argv, [](const CommandLine& given) {
    GraphconvOptions options;
    set_given(graphconv_options(), given, options);
    require_width(options.load);
    ThreadPool pool(static_cast<int>(options.threads));
    return run_command(given, options, pool);
  });
}

}  // namespace graphrun::program::inline GR_IDS
