#include "io/native_layout.hpp"

#include "graphrun/core/checksum.hpp"

namespace graphrun::io::inline GR_IDS {

std::uint64_t header_checksum(FileHeader header, std::span<const SectionEntry> table) {
  header.checksum = 0;
  Checksum checksum;
  checksum.add(&header, sizeof(header));
  checksum.add(table.data(), table.size_bytes());
  return checksum.value();
}

std::uint32_t list_flags(const ListStatistics& lists) {
  return (lists.sorted ? kSortedLists : 0u) | kSelfLoopsKnown | (lists.self_loops != 0 ? kSelfLoops : 0u) | kDuplicatesKnown |
         (lists.duplicates != 0 ? kDuplicates : 0u);
}

}  // namespace graphrun::io::inline GR_IDS
