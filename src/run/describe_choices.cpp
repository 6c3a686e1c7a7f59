// What graphrun knows and what this machine can run of it.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cache/userfault.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/io/generate.hpp"
#include "graphrun/run/options.hpp"
#include "graphrun/transport/fabric.hpp"
#include "io/formats.hpp"
#include "run/algorithms/algorithm_info.hpp"
#include "run/values_json.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// What is said of a backend.
struct BackendText {
  BackendKind kind;
  const char* summary;
  const char* on_cpu;
  const char* on_gpu;
};

constexpr BackendText kBackends[] = {
    {BackendKind::incore, "all edges beside the processor", "edges in memory", "edges in device memory"},
    {BackendKind::emogi, "edges read in place, a neighbour list at a time (EMOGI)",
     "edges read in place from the mapped file (page cache)", "edges in host memory, read in place over the link"},
    {BackendKind::uvm, "edges brought in by page faults",
     "edges paged into memory by a thread that serves page faults (userfaultfd)", "managed memory, paged by the driver"},
    {BackendKind::bam, "edges in a file behind a cache of pages (BaM)", "pages of a file in a cache, read by io_uring",
     "edges in a file, a cache of pages in device memory"},
    {BackendKind::gpuvm, "edges in host memory or that of servers, behind a cache of pages (GPUVM)",
     "pages of host memory in a cache, copied by the threads that need them",
     "edges in host memory, a cache of pages in device memory"},
    {BackendKind::subway, "the edges that a step needs, gathered into a buffer (Subway)",
     "edges of active vertices, gathered from the mapped file into a buffer",
     "edges of active vertices, gathered by the host and copied in bulk"},
};

const BackendText& text_of(BackendKind kind) {
  return *std::find_if(std::begin(kBackends), std::end(kBackends), [&](const BackendText& text) { return text.kind == kind; });
}

/// Which providers of one-sided reads there are.
std::string describe_fabrics() {
  std::string there;
  for (const char* provider : {"tcp", "shm", "verbs"}) {
    if (why_no_fabric(provider).empty()) there += fmt::format("{}ofi:{}", there.empty() ? "" : ", ", provider);
  }
  return there.empty() ? "no fabric ofi: " + why_no_fabric("tcp") : "fabrics " + there;
}

Capability on_cpu(const BackendText& text) {
  const char* const name = name_of(text.kind);
  const std::string missing = text.kind == BackendKind::uvm ? why_no_userfault() : "";
  if (!missing.empty()) return {"cpu", name, false, missing};
  return {"cpu", name, true,
          text.kind == BackendKind::gpuvm ? fmt::format("{}; {}", text.on_cpu, describe_fabrics()) : text.on_cpu};
}

template <class T>
Json names_json(const std::vector<T>& values) {
  Json names = Json::array();
  for (const T value : values) names.push_back(name_of(value));
  return names;
}

/// Null where the program chooses: such options hold 0, which the command line refuses.
Json default_json(const RunOption& option, const RunOptions& usual) {
  if (!option.get) return nullptr;
  const OptionValue value = option.get(usual);
  const ValueRange& range = option.text.range;
  const auto* number = std::get_if<std::uint64_t>(&value);
  if (number != nullptr && *number < range.low) return nullptr;
  const auto* on = std::get_if<bool>(&value);
  if (on != nullptr && !range.names.empty()) return range.names[*on ? 0 : 1];
  return value_json(value);
}

Json option_json(const RunOption& option, const RunOptions& usual) {
  const OptionText& text = option.text;
  Json json = {{"name", text.name},
               {"group", text.group},
               {"kind", text.argument == nullptr ? "flag" : name_of(text.range.kind)},
               {"argument", text.argument == nullptr ? Json(nullptr) : Json(text.argument)},
               {"help", text.help},
               {"common", text.common},
               {"field", option.get ? Json(option.json_name()) : Json(nullptr)},
               {"default", default_json(option, usual)}};
  // Formats have short forms, too.
  if (!text.range.names.empty() && option.text.name != std::string_view("format")) json["names"] = text.range.names;
  if (text.implied != nullptr) json["implied"] = text.implied;
  if (text.range.kind == ValueRange::Kind::whole) {
    json["least"] = text.range.low;
    if (text.range.high != ValueRange{}.high) json["most"] = text.range.high;
  }
  const ReadBy& by = option.read_by;
  if (!by.algorithms.empty()) json["read_by"]["algorithms"] = names_json(by.algorithms);
  if (!by.backends.empty()) json["read_by"]["backends"] = names_json(by.backends);
  if (by.device) json["read_by"]["device"] = *by.device == DeviceKind::cuda ? "cuda" : "cpu";
  if (*by.when != '\0') json["read_by"]["when"] = by.when;
  return json;
}

Json algorithm_json(Algorithm algorithm) {
  RunOptions usual;
  usual.algorithm = algorithm;
  Json variants = Json::array();
  for (const std::string_view name : variants_of(algorithm)) variants.push_back(name);
  return {{"name", name_of(algorithm)},
          {"variants", variants},
          {"default_variant", variant_name(usual)},
          {"starts_from_source", has_sources(algorithm)},
          {"needs_weights", info_of(algorithm).needs_weights()},
          {"needs_transpose", needs_transpose(usual)}};
}

}  // namespace

const char* summary_of(BackendKind kind) { return text_of(kind).summary; }

std::vector<Capability> list_capabilities() {
  std::vector<Capability> all;
  for (const BackendText& text : kBackends) all.push_back(on_cpu(text));
  const std::string missing = why_no_cuda(0);
  if (!missing.empty()) {
    for (const BackendText& text : kBackends) all.push_back({"cuda", name_of(text.kind), false, missing});
    return all;
  }
  for (int index = 0; why_no_cuda(index).empty(); ++index) {
    for (const BackendText& text : kBackends) {
      all.push_back({fmt::format("cuda:{}", index), name_of(text.kind), true,
                     fmt::format("{}; {}", text.on_gpu, describe_cuda_device(index))});
    }
  }
  return all;
}

std::string description_json() {
  Json all = {{"algorithms", Json::array()}, {"backends", Json::array()},   {"options", Json::array()},
              {"formats", Json::array()},    {"generators", Json::array()}, {"output_formats", Json::array()}};
  for (const auto& [name, algorithm] : ChoicesOf<Algorithm>::kAll) all["algorithms"].push_back(algorithm_json(algorithm));
  for (const BackendText& text : kBackends) {
    BackendOptions usual;
    usual.kind = text.kind;
    usual = with_defaults(usual);
    const bool paged = text.kind == BackendKind::bam || text.kind == BackendKind::gpuvm;
    all["backends"].push_back({{"name", name_of(text.kind)},
                               {"summary", text.summary},
                               {"cpu", text.on_cpu},
                               {"cuda", text.on_gpu},
                               {"layout", name_of(usual.layout)},
                               {"page_bytes", paged ? Json(usual.page_bytes) : Json(nullptr)}});
  }
  RunOptions usual;
  usual.load.check = true;
  for (const RunOption& option : run_options()) all["options"].push_back(option_json(option, usual));
  for (const io::Format& format : io::formats()) {
    all["formats"].push_back({{"name", format.name}, {"title", format.title}, {"content", format.content}});
  }
  for (const GeneratorText& generator : known_generators())
    all["generators"].push_back({{"form", generator.form}, {"content", generator.meaning}});
  for (const io::OutputFormat& format : io::output_formats()) {
    all["output_formats"].push_back({{"name", format.name}, {"content", format.content}});
  }
  return all.dump(2) + "\n";
}

}  // namespace graphrun::inline GR_IDS
