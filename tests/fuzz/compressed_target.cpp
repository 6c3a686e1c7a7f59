// SPDX-License-Identifier: Apache-2.0
// Text in members of gzip and the others, some of them damaged: a sound file comes to the same as its text.
#include <regex>

#include "fuzz/oracle.hpp"
#include "fuzz/workplace.hpp"
#include "graphrun/core/error.hpp"
#include "io/decoder.hpp"
#include "io/formats.hpp"

namespace graphrun::fuzz {
namespace {

std::optional<FileFormat> sniff(const std::string& path) {
  try {
    return sniff_format(path);
  } catch (const DataError&) {
    return std::nullopt;
  }
}

/// What the text is, when it is in one of the formats that may be compressed.
std::optional<FileFormat> text_format(const std::string& path) {
  const auto format = sniff(path);
  return format && io::format_of(*format).open_entries != nullptr ? format : std::nullopt;
}

/// Takes commands of the kind "sed 1d FILE |" and "zcat FILE | sed 1d |" out of what is said: they differ for compressed text.
Outcome without_commands(Outcome outcome) {
  static const std::regex command(R"((\w+ \S+ \| )?sed \d+d( \S+)? \|)");
  outcome.refusal = std::regex_replace(outcome.refusal, command, "COMMAND");
  if (outcome.graph) {
    for (std::string& sentence : outcome.graph->assumptions) sentence = std::regex_replace(sentence, command, "COMMAND");
  }
  return outcome;
}

void expect_same_when_plain(std::string_view input) {
  const std::string text = text_of_compressed(input);
  if (io::compression_of(std::as_bytes(std::span(text))) != nullptr) return;
  const std::string suffix = suffix_to_load(kTarget, input);
  const std::string path = place({{suffix, text}}) + suffix;
  const auto format = text_format(path);
  if (!format) return;
  const Outcome plain = without_commands(load(path, {}));

  place(unpack(kTarget, input));
  if (sniff(path) != format) throw Finding("compressed, it is taken for another format");
  expect_same(plain, without_commands(load(path, {})), "compressed");
}

}  // namespace

const std::string_view kTarget = "compressed";

Verdict fuzz_one(std::string_view input) {
  if (is_soundly_compressed(input)) expect_same_when_plain(input);
  return check_file(place(unpack(kTarget, input)) + suffix_to_load(kTarget, input), std::nullopt);
}

}  // namespace graphrun::fuzz
