// SPDX-License-Identifier: Apache-2.0
// Bytes of the native container, versions 1 and 2; docs/formats.md describes them in words.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graphrun/graph/statistics.hpp"

namespace graphrun::io::inline GR_IDS {

static_assert(std::endian::native == std::endian::little, "the container is little-endian and its columns are mapped");

/// No text file begins like this, and a transfer that translates line ends or strips bit 7 damages it (as in PNG).
inline constexpr std::string_view kMagic{"\x89GRF\r\n\x1a\n", 8};
inline constexpr std::uint32_t kNativeVersion = 1;
inline constexpr std::uint32_t kPackedVersion = 2;        ///< lists are packed
inline constexpr std::uint64_t kSectionAlignment = 4096;  ///< a page: sections are mapped, and read with O_DIRECT
inline constexpr std::uint32_t kMostSections = 64;

/// Bits of FileHeader::flags. "Known" says whether the writer looked.
enum Flag : std::uint32_t {
  kSymmetric = 1u << 0,    ///< every arc's opposite is there; no transpose is stored
  kSortedLists = 1u << 1,  ///< neighbours ascend in every list
  kSelfLoopsKnown = 1u << 2,
  kSelfLoops = 1u << 3,
  kDuplicatesKnown = 1u << 4,
  kDuplicates = 1u << 5,
  kHubFirst = 1u << 6,  ///< every out-list is in descending order of the neighbours' out-degrees
};
inline constexpr std::uint32_t kAllFlags = (1u << 7) - 1;

struct FileHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t header_bytes;  ///< of this struct; the section table follows it
  std::uint32_t vertex_bytes;  ///< 4 or 8
  std::uint32_t flags;
  std::uint32_t weight_kind;  ///< WeightKind
  std::uint32_t num_sections;
  std::uint64_t num_vertices;
  std::uint64_t num_edges;
  std::uint64_t max_degree;           ///< largest out-degree
  std::uint64_t file_bytes;           ///< size of the whole file
  std::uint64_t hub_chunk_edges;      ///< edges in a chunk of the section hub_chunks; 0 when there is none
  std::uint64_t checksum;             ///< XXH3 of this header, with 0 here, and of the section table; 0: none
  std::uint64_t first_name;           ///< what vertex 0 is called where names are consecutive numbers; others follow it
  std::uint32_t packed_weight_base;   ///< of the section packed_weights: see packed::WeightCode
  std::uint32_t packed_weight_width;  ///< 0 without that section
  std::uint64_t reserved[4];          ///< 0
};
static_assert(sizeof(FileHeader) == 128);

enum class SectionKind : std::uint32_t {
  out_offsets = 1,
  out_neighbours = 2,
  out_weights = 3,
  in_offsets = 4,
  in_neighbours = 5,
  hub_chunks = 6,
  name_numbers = 7,  ///< a number a vertex
  name_offsets = 8,  ///< a string a vertex: where each begins in name_bytes
  name_bytes = 9,
  out_lines = 10,   ///< with out_groups in place of out_neighbours; in_lines in place of in_neighbours
  out_groups = 11,  ///< packed::Group
  packed_weights = 12,
  in_lines = 13,
  in_groups = 14,
  out_records = 16,   ///< Csr::records
  in_records = 17,    ///< of the reversed arcs, unless they are the same; their offsets: of the transpose, or of `out`
  weight_stats = 18,  ///< WeightStats
  weight_table = 19,  ///< Graph::weight_table, with weights of the kind u64
};

/// Returns whether a section has edges, for which runs may ask storage. The others are read when a graph is opened.
constexpr bool has_edges(std::uint32_t kind) {
  switch (static_cast<SectionKind>(kind)) {
    case SectionKind::out_offsets:
    case SectionKind::in_offsets:
    case SectionKind::hub_chunks:
    case SectionKind::name_numbers:
    case SectionKind::name_offsets:
    case SectionKind::name_bytes:
    case SectionKind::out_groups:
    case SectionKind::in_groups:
    case SectionKind::weight_stats:
    case SectionKind::weight_table:
      return false;
    default:  // also kinds of later versions
      return true;
  }
}

enum class ChecksumKind : std::uint32_t { none = 0, xxh3 = 1 };

struct SectionEntry {
  std::uint32_t kind;  ///< SectionKind; a reader skips kinds it does not know
  std::uint32_t element_bytes;
  std::uint64_t offset;         ///< from the start of the file, a multiple of kSectionAlignment
  std::uint64_t bytes;          ///< without the padding behind it
  std::uint32_t checksum_kind;  ///< ChecksumKind
  std::uint32_t reserved;       ///< 0
  std::uint64_t checksum;       ///< 0 when there is none
};
static_assert(sizeof(SectionEntry) == 40);

/// Returns the section of a kind; null where there is none.
inline const SectionEntry* find_section(std::span<const SectionEntry> sections, SectionKind kind) {
  const auto found = std::ranges::find(sections, static_cast<std::uint32_t>(kind), &SectionEntry::kind);
  return found == sections.end() ? nullptr : &*found;
}

/// The sections of the lists of one direction.
struct SideKinds {
  std::string_view name;
  SectionKind offsets, neighbours, lines, groups;
};
inline constexpr SideKinds kOutSide{"out", SectionKind::out_offsets, SectionKind::out_neighbours, SectionKind::out_lines,
                                    SectionKind::out_groups};
inline constexpr SideKinds kInSide{"in", SectionKind::in_offsets, SectionKind::in_neighbours, SectionKind::in_lines,
                                   SectionKind::in_groups};

inline constexpr std::uint64_t align_section(std::uint64_t offset) {
  return (offset + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
}

/// The beginning of a container.
struct ContainerHead {
  FileHeader header;
  std::vector<SectionEntry> sections;
};
/// Reads header and section table. Throws DataError as read_native() does.
ContainerHead read_container_head(const std::string& path);

/// Returns FileHeader::checksum for a header and its table.
std::uint64_t header_checksum(FileHeader header, std::span<const SectionEntry> table);

/// Returns the flags of lists that were examined.
std::uint32_t list_flags(const ListStatistics& lists);

}  // namespace graphrun::io::inline GR_IDS
