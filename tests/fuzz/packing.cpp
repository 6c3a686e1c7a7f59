// SPDX-License-Identifier: Apache-2.0

#include "fuzz/packing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "fuzz/compress.hpp"
#include "graphrun/core/checksum.hpp"
#include "io/native_layout.hpp"

namespace graphrun::fuzz {
namespace {

using io::FileHeader;
using io::SectionEntry;

std::vector<std::string_view> split(std::string_view input) {
  std::vector<std::string_view> parts;
  for (std::size_t cut; (cut = input.find(kCut)) != std::string_view::npos; input.remove_prefix(cut + kCut.size())) {
    parts.push_back(input.substr(0, cut));
  }
  parts.push_back(input);
  return parts;
}

/// Header and section table at the front of a container; false when `bytes` holds none.
bool load_front(std::string_view bytes, FileHeader& header, std::vector<SectionEntry>& table) {
  if (bytes.size() < sizeof(header) || !bytes.starts_with(io::kMagic)) return false;
  std::memcpy(&header, bytes.data(), sizeof(header));
  const std::size_t that_fit = (bytes.size() - sizeof(header)) / sizeof(SectionEntry);
  table.resize(std::min<std::size_t>({header.num_sections, io::kMostSections, that_fit}));
  if (!table.empty()) std::memcpy(table.data(), bytes.data() + sizeof(header), table.size() * sizeof(SectionEntry));
  return true;
}

std::string front(const FileHeader& header, const std::vector<SectionEntry>& table) {
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof(header));
  return bytes.append(reinterpret_cast<const char*>(table.data()), table.size() * sizeof(SectionEntry));
}

std::uint64_t checksum_of(std::string_view bytes) {
  Checksum checksum;
  checksum.add(bytes.data(), bytes.size());
  return checksum.value();
}

/// 0: none. Odd: as many bytes are cut off. Even: one bit is flipped, at as many 256ths of the file.
std::string damage(std::string bytes, unsigned char how) {
  if (how % 2 == 1) {
    bytes.erase(bytes.size() - std::min<std::size_t>(how, bytes.size()));
  } else if (how != 0 && !bytes.empty()) {
    bytes[bytes.size() * how / 256] ^= static_cast<char>(1 << (how / 2 % 8));
  }
  return bytes;
}

/// Makes the first part so long that as many bytes of the rest as `how` says share its window, the least that compressed text is
/// read by: with blank lines when that is even, with blanks in one line when it is odd. 0: leaves it alone.
void fill_window(std::string& first_part, unsigned char how) {
  constexpr std::size_t kWindow = std::size_t{1} << 16;
  const std::size_t wanted = kWindow - how;
  if (how != 0 && first_part.size() < wanted) first_part.resize(wanted, how % 2 == 0 ? '\n' : ' ');
}

constexpr const char* kCompressedSuffix = ".gz";  ///< of all of them: what they are is told by their content
constexpr std::size_t kCompressedChoices = 3;     ///< bytes before the text

std::vector<std::string> compressed_parts(std::string_view input) {
  const std::vector<std::string_view> cut = split(input.substr(kCompressedChoices));
  std::vector<std::string> parts(cut.begin(), cut.end());
  fill_window(parts.front(), static_cast<unsigned char>(input[1]));
  return parts;
}

std::string unpack_compressed(std::string_view input) {
  std::string bytes;
  for (const std::string& part : compressed_parts(input)) bytes += compress(part, static_cast<unsigned char>(input[2]));
  return damage(std::move(bytes), static_cast<unsigned char>(input[0]));
}

std::vector<InputFile> unpack_bel(std::string_view input) {
  constexpr std::array kSuffixes = {".bel.col", ".bel.dst", ".bel.val"};
  const std::vector<std::string_view> parts = split(input);
  std::vector<InputFile> files;
  for (std::size_t i = 0; i < std::min(parts.size(), kSuffixes.size()); ++i)
    files.push_back({kSuffixes[i], std::string(parts[i])});
  return files;
}

constexpr std::array<std::string_view, 11> kSniffed = {"",     ".grf",   ".mtx",  ".el",    ".gr", ".sg",
                                                       ".wsg", ".graph", ".bcsr", ".bwcsr", ".csv"};

std::string_view chosen_suffix(std::string_view input) {
  return input.empty() ? "" : kSniffed[static_cast<unsigned char>(input[0]) % kSniffed.size()];
}

}  // namespace

char choice_of_suffix(std::string_view suffix) {
  const auto* found = std::find(kSniffed.begin(), kSniffed.end(), suffix);
  if (found == kSniffed.end()) throw std::logic_error("no input gets the suffix " + std::string(suffix));
  constexpr char kFirst = 'B';  // so that it is a letter; a multiple of eleven
  static_assert(kFirst % kSniffed.size() == 0);
  return static_cast<char>(kFirst + (found - kSniffed.begin()));
}

std::string pack_container(std::string_view bytes) {
  FileHeader header;
  std::vector<SectionEntry> table;
  if (!load_front(bytes, header, table)) throw std::logic_error("only a native container can be packed");
  std::string payload;
  for (SectionEntry& entry : table) {
    payload += bytes.substr(entry.offset, entry.bytes);
    entry.offset = 0;
    entry.checksum = 0;
  }
  header.file_bytes = 0;
  header.checksum = 0;
  return front(header, table) + payload;
}

std::string unpack_container(std::string_view packed) {
  FileHeader header;
  std::vector<SectionEntry> table;
  if (!load_front(packed, header, table)) return std::string(packed);
  std::string_view payload = packed.substr(sizeof(header) + table.size() * sizeof(SectionEntry));
  std::string body;  // behind the first page
  for (SectionEntry& entry : table) {
    const std::string_view section = payload.substr(0, entry.bytes);
    payload.remove_prefix(section.size());
    entry.offset += io::kSectionAlignment + body.size();
    if (entry.checksum_kind != 0) entry.checksum ^= checksum_of(section);
    body.append(section).resize(io::align_section(body.size()));
  }
  body += payload;  // what belongs to no section: a file that is longer than it should be
  header.file_bytes += io::kSectionAlignment + body.size();
  header.checksum ^= io::header_checksum(header, table);
  std::string file = front(header, table);
  file.resize(io::kSectionAlignment);
  return file + body;
}

std::string text_of_compressed(std::string_view input) {
  std::string text;
  for (const std::string& part : compressed_parts(input)) text += part;
  return text;
}

bool is_soundly_compressed(std::string_view input) { return input.size() >= kCompressedChoices && input[0] == 0; }

std::vector<InputFile> unpack(std::string_view target, std::string_view input) {
  if (target == "bel") return unpack_bel(input);
  if (target == "grf") return {{".grf", unpack_container(input)}};
  if (target == "compressed" && input.size() >= kCompressedChoices) return {{kCompressedSuffix, unpack_compressed(input)}};
  if (target == "sniff" && !input.empty()) return {{std::string(chosen_suffix(input)), std::string(input.substr(1))}};
  return {{suffix_to_load(target, input), std::string(input)}};
}

std::string suffix_to_load(std::string_view target, std::string_view input) {
  if (target == "compressed") return kCompressedSuffix;
  if (target == "sniff") return std::string(chosen_suffix(input));
  return fmt::format(".{}", target);
}

}  // namespace graphrun::fuzz
