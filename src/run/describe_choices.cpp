// SPDX-License-Identifier: Apache-2.0
// graphrun's choices, and this machine's support for them.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "cache/userfault.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/io/generate.hpp"
#include "graphrun/run/gather.hpp"
#include "graphrun/run/options.hpp"
#include "graphrun/transport/fabric.hpp"
#include "io/formats.hpp"
#include "run/values_json.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// Returns the providers of one-sided reads.
std::string describe_fabrics() {
  std::string there;
  for (const std::string_view provider : kFabricProviders) {
    if (!why_no_fabric(std::string(provider)).empty()) continue;
    const bool into_devices = why_no_device_memory(std::string(provider)).empty();
    there += fmt::format("{}ofi:{}{}", there.empty() ? "" : ", ", provider, into_devices ? " (has FI_HMEM)" : " (no FI_HMEM)");
  }
  return there.empty() ? "no fabric ofi: " + why_no_fabric("tcp") : "fabrics " + there;
}

Capability on_cpu(const Preset& preset) {
  const char* const name = name_of(preset.kind);
  const std::string missing = preset.delivery == EdgeDelivery::fault ? why_no_userfault() : "";
  if (!missing.empty()) return {"cpu", name, false, missing};
  return {"cpu", name, true,
          preset.source == EdgeSource::fabric ? fmt::format("{}; {}", preset.on_cpu, describe_fabrics()) : preset.on_cpu};
}

template <class T>
Json names_json(const std::vector<T>& values) {
  Json names = Json::array();
  for (const T value : values) names.push_back(name_of(value));
  return names;
}

/// Returns null where the program chooses: such options hold 0, which the command line rejects.
template <class Options>
Json default_json(const Option<Options>& option, const Options& usual) {
  if (!option.get) return nullptr;
  const OptionValue value = option.get(usual);
  const ValueRange& range = option.text.range;
  const auto* number = std::get_if<std::uint64_t>(&value);
  if (number != nullptr && *number < range.low) return nullptr;
  const auto* on = std::get_if<bool>(&value);
  if (on != nullptr && !range.names.empty()) return range.names[*on ? 0 : 1];
  return value_json(value);
}

template <class Options>
Json option_json(const Option<Options>& option, const Options& usual) {
  const OptionText& text = option.text;
  Json json = {{"name", text.name},
               {"group", text.group},
               {"kind", text.argument == nullptr ? "flag" : name_of(text.range.kind)},
               {"argument", text.argument == nullptr ? Json(nullptr) : Json(text.argument)},
               {"help", text.help},
               {"common", text.common},
               {"field", option.get ? Json(option.json_name()) : Json(nullptr)},
               {"default", default_json(option, usual)}};
  if (!text.range.names.empty()) json["names"] = text.range.names;
  if (text.implied != nullptr) json["implied"] = text.implied;
  if (text.range.kind == ValueRange::Kind::whole) {
    json["least"] = text.range.low;
    if (text.range.high != ValueRange{}.high) json["most"] = text.range.high;
  }
  return json;
}

Json run_option_json(const RunOption& option, const RunOptions& usual) {
  Json json = option_json(option, usual);
  for (const auto& [name, algorithm] : ChoicesOf<Algorithm>::kAll) {  // these have all that differs between algorithms
    RunOptions other = usual;
    other.algorithm = algorithm;
    if (default_json(option, other) != json["default"]) json["default"] = nullptr;
  }
  const ReadBy& by = option.read_by;
  if (!by.algorithms.empty()) json["read_by"]["algorithms"] = names_json(by.algorithms);
  if (!by.backends.empty()) json["read_by"]["backends"] = names_json(by.backends);
  if (by.device) json["read_by"]["device"] = *by.device == DeviceKind::cuda ? "cuda" : "cpu";
  if (*by.when != '\0') json["read_by"]["when"] = by.when;
  if (by.required) json["read_by"]["required"] = true;
  return json;
}

Json algorithm_json(Algorithm algorithm) {
  RunOptions usual;
  usual.algorithm = algorithm;
  Json variants = Json::array();
  for (const std::string_view name : variants_of(algorithm)) variants.push_back(name);
  return {{"name", name_of(algorithm)},
          {"about", info_of(algorithm).facts.about},
          {"variants", variants},
          {"default_variant", info_of(algorithm).variant(usual)},
          {"starts_from_source", info_of(algorithm).facts.needs_sources},
          {"needs_weights", info_of(algorithm).facts.needs_weights},
          {"needs_transpose", info_of(usual).needs_transpose(usual)},
          {"needs_undirected", info_of(algorithm).facts.needs_undirected}};
}

}  // namespace

std::vector<Capability> list_capabilities() {
  std::vector<Capability> all;
  for (const Preset& preset : kPresets) all.push_back(on_cpu(preset));
  const std::string missing = why_no_cuda(0);
  if (!missing.empty()) {
    for (const Preset& preset : kPresets) all.push_back({"cuda", name_of(preset.kind), false, missing});
    return all;
  }
  for (int index = 0; why_no_cuda(index).empty(); ++index) {
    for (const Preset& preset : kPresets) {
      all.push_back({fmt::format("cuda:{}", index), name_of(preset.kind), true,
                     fmt::format("{}; {}", preset.on_gpu, describe_cuda_device(index))});
    }
  }
  return all;
}

std::string capabilities_json() {
  Json all = Json::array();
  for (const Capability& row : list_capabilities()) {
    all.push_back({{"device", row.device}, {"backend", row.backend}, {"available", row.available}, {"detail", row.detail}});
  }
  return all.dump(2) + "\n";
}

std::string description_json() {
  Json all = {{"algorithms", Json::array()},     {"backends", Json::array()}, {"options", Json::array()},
              {"gather_options", Json::array()}, {"formats", Json::array()},  {"generators", Json::array()},
              {"output_formats", Json::array()}};
  for (const auto& [name, algorithm] : ChoicesOf<Algorithm>::kAll) all["algorithms"].push_back(algorithm_json(algorithm));
  for (const Preset& preset : kPresets) {
    const bool paged = preset.delivery == EdgeDelivery::commands;
    all["backends"].push_back({{"name", name_of(preset.kind)},
                               {"summary", preset.summary},
                               {"cpu", preset.on_cpu},
                               {"cuda", preset.on_gpu},
                               {"source", name_of(preset.source)},
                               {"tier", name_of(preset.tier)},
                               {"delivery", name_of(preset.delivery)},
                               {"layout", name_of(BackendOptions{}.layout)},
                               {"page_bytes", paged ? Json(preset.page_bytes) : Json(nullptr)}});
  }
  const RunOptions usual = usual_options();
  for (const RunOption& option : run_options()) all["options"].push_back(run_option_json(option, usual));
  for (const Option<GatherOptions>& option : gather_options())
    all["gather_options"].push_back(option_json(option, GatherOptions{}));
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
