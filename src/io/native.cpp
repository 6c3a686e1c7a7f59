// SPDX-License-Identifier: Apache-2.0
// Reading the native container. Writing it: native_write.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/raise.hpp"
#include "graphrun/core/checksum.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/graph/row_windows.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/graph/statistics.hpp"
#include "graphrun/io/readers.hpp"
#include "io/line_parser.hpp"
#include "io/native_layout.hpp"

namespace graphrun::inline GR_IDS {
namespace {

class NativeReader {
 public:
  NativeReader(const std::string& path, std::shared_ptr<Region> file) : path_(path), file_(std::move(file)) {
    file_->file().read_zeros();
    check_header();
    read_table();
  }

  /// Ids that are narrower in the file are copied into `space`.
  Graph read(const Workspace& space, ThreadPool& pool) const {
    Graph graph;
    graph.symmetric = (header_.flags & io::kSymmetric) != 0;
    graph.weight_kind = static_cast<WeightKind>(header_.weight_kind);
    graph.out = rows(io::kOutSide, space, pool);
    const bool weighted = graph.weight_kind != WeightKind::none;
    const bool packs_weights = find(io::SectionKind::packed_weights) != nullptr;
    if (packs_weights) read_packed_weights(graph.out.packed, graph.weight_kind);
    if (weighted != (packs_weights || find(io::SectionKind::out_weights) != nullptr)) {
      refuse("{}", weighted ? "the header announces weights, but there is no section of them"
                            : "holds weights that the header does not announce");
    }
    if (weighted && !packs_weights)
      graph.out.weights = column<std::uint32_t>(io::SectionKind::out_weights, header_.num_edges, "out weights");
    graph.weight_table = weight_table(graph.weight_kind);
    const bool has_in =
        find(io::kInSide.offsets) != nullptr || find(io::kInSide.neighbours) != nullptr || find(io::kInSide.lines) != nullptr;
    if (has_in && graph.symmetric) refuse("a symmetric graph with a transpose of its own");
    if (has_in) graph.in = rows(io::kInSide, space, pool);
    graph.file_checksum = header_.checksum;
    graph.hub_first = (header_.flags & io::kHubFirst) != 0;
    graph.names = names();
    graph.hub_table = hub_table();
    add_records(graph, space, pool);
    return graph;
  }

  /// Reads all sections that carry a checksum.
  void check_sums(const Workspace& space) const {
    if (header_.checksum != 0 && io::header_checksum(header_, table_) != header_.checksum) {
      refuse("the checksum of the header and the section table is wrong");
    }
    Progress progress("reading", file_->bytes(), "bytes");
    for (const io::SectionEntry& entry : table_) {
      if (entry.checksum_kind == static_cast<std::uint32_t>(io::ChecksumKind::none)) continue;
      if (checksum_of(Column<std::byte>::window(file_, entry.offset, entry.bytes), space, progress) != entry.checksum) {
        refuse("the checksum of the section at offset {} (kind {}, {} bytes) is wrong", entry.offset, entry.kind, entry.bytes);
      }
    }
  }

  const io::FileHeader& header() const { return header_; }
  const std::vector<io::SectionEntry>& sections() const { return table_; }

  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> what, Args&&... args) const {
    raise<DataError>("{}: {}", path_, fmt::format(what, std::forward<Args>(args)...));
  }

 private:
  static std::uint64_t checksum_of(const Column<std::byte>& bytes, const Workspace& space, Progress& progress) {
    constexpr std::size_t kPieceBytes = std::size_t{4} << 20;
    Checksum sum;
    for_each_window(bytes, space, [&](std::size_t begin, std::size_t end) {
      for (std::size_t at = begin; at < end; at += kPieceBytes) {
        const std::size_t piece = std::min(kPieceBytes, end - at);
        sum.add(bytes.data() + at, piece);
        progress.advance(piece);
      }
    });
    return sum.value();
  }

  void check_header() {
    if (file_->bytes() < sizeof(header_)) refuse("{} bytes are too short for a native container", file_->bytes());
    std::memcpy(&header_, file_->data(), sizeof(header_));
    if (std::memcmp(header_.magic, io::kMagic.data(), io::kMagic.size()) != 0)
      refuse("not a native container (wrong magic at offset 0)");
    if (header_.version != io::kNativeVersion && header_.version != io::kPackedVersion) {
      refuse("version {} of the container; this program reads versions {} and {}", header_.version, io::kNativeVersion,
             io::kPackedVersion);
    }
    if (header_.header_bytes != sizeof(header_))
      refuse("the header claims {} bytes instead of {}", header_.header_bytes, sizeof(header_));
    if (header_.vertex_bytes != 4 && header_.vertex_bytes != 8) {
      refuse("vertex ids of {} bytes (offset 16); 4 and 8 exist", header_.vertex_bytes);
    }
    if (header_.file_bytes != file_->bytes()) {
      refuse("{}: the header says {} bytes, the file has {}", header_.file_bytes > file_->bytes() ? "truncated" : "damaged",
             header_.file_bytes, file_->bytes());
    }
    if (header_.vertex_bytes > sizeof(VertexId)) raise<WideIdsError>("{} has 64-bit vertex ids", path_);
    if (header_.weight_kind > static_cast<std::uint32_t>(WeightKind::u64))
      refuse("unknown weight kind {} (offset 24)", header_.weight_kind);
    if ((header_.flags & ~io::kAllFlags) != 0) {
      refuse("unknown flags (offset 20): made by a later version");
    }
    if (header_.num_vertices > kNoVertex || header_.num_vertices >= file_->bytes() / sizeof(EdgeId)) {
      refuse("the header claims {} vertices, which do not fit in {} bytes", header_.num_vertices, file_->bytes());
    }
    if (header_.first_name > std::numeric_limits<std::uint64_t>::max() - header_.num_vertices) {
      refuse("the header numbers {} vertices from {} on, beyond 64 bits", header_.num_vertices, header_.first_name);
    }
    const bool packs = header_.version == io::kPackedVersion;
    if (header_.num_edges / (packs ? packed::kMostEdges : 1) > file_->bytes() / (packs ? 1 : header_.vertex_bytes)) {
      refuse("the header claims {} edges, which do not fit in {} bytes", header_.num_edges, file_->bytes());
    }
  }

  void read_table() {
    if (header_.num_sections > io::kMostSections)
      refuse("the header claims {} sections; {} is the most", header_.num_sections, io::kMostSections);
    const std::uint64_t table_end = sizeof(header_) + header_.num_sections * sizeof(io::SectionEntry);
    if (table_end > file_->bytes()) refuse("the section table reaches past the end of the file");
    table_.resize(header_.num_sections);
    if (!table_.empty()) std::memcpy(table_.data(), file_->data() + sizeof(header_), table_.size() * sizeof(io::SectionEntry));
    for (std::size_t i = 0; i < table_.size(); ++i) {
      const io::SectionEntry& entry = table_[i];
      if (entry.offset % io::kSectionAlignment != 0 || entry.offset < table_end)
        refuse("section {} starts at the invalid offset {}", i, entry.offset);
      if (entry.offset > file_->bytes() || entry.bytes > file_->bytes() - entry.offset) {
        refuse("section {} ({} bytes at offset {}) reaches past the end of the file", i, entry.bytes, entry.offset);
      }
      if (entry.checksum_kind > static_cast<std::uint32_t>(io::ChecksumKind::xxh3))
        refuse("section {} has a checksum of the unknown kind {}", i, entry.checksum_kind);
      for (std::size_t j = 0; j < i; ++j) {
        if (table_[j].kind == entry.kind) refuse("sections {} and {} are both of kind {}", j, i, entry.kind);
      }
    }
  }

  const io::SectionEntry* find(io::SectionKind kind) const { return io::find_section(table_, kind); }

  template <class T>
  Column<T> column(io::SectionKind kind, std::uint64_t size, const std::string& what) const {
    const io::SectionEntry* entry = find(kind);
    if (entry == nullptr) refuse("the section of the {} is missing", what);
    if (entry->element_bytes != sizeof(T))
      refuse("the {} have elements of {} bytes instead of {}", what, entry->element_bytes, sizeof(T));
    if (entry->bytes != size * sizeof(T)) {
      refuse("the {} take {} bytes at offset {}, but {} of them are announced", what, entry->bytes, entry->offset, size);
    }
    return Column<T>::window(file_, entry->offset, size);
  }

  Column<VertexId> ids(io::SectionKind kind, std::uint64_t count, const std::string& what, const Workspace& space,
                       ThreadPool& pool) const {
    if (header_.vertex_bytes == sizeof(VertexId)) return column<VertexId>(kind, count, what);
    return copy_column<VertexId>(column<std::uint32_t>(kind, count, what), space, pool);
  }

  packed::Columns packed_lists(const io::SideKinds& side) const {
    packed::Columns lists;
    lists.num_edges = header_.num_edges;
    const io::SectionEntry* entry = find(side.lines);
    if (entry == nullptr || entry->bytes % packed::kPageBytes != 0)
      refuse("the section of the packed {} lists is missing, or no whole pages", side.name);
    if (find(side.neighbours) != nullptr) refuse("{} neighbours both packed and not", side.name);
    lists.lines = column<std::byte>(side.lines, entry->bytes, std::string(side.name) + " lines");
    lists.groups = column<packed::Group>(side.groups, header_.num_vertices / packed::kGroupVertices + 1,
                                         std::string(side.name) + " groups of lists");
    return lists;
  }

  void read_packed_weights(packed::Columns& lists, WeightKind kind) const {
    lists.weight_code = {header_.packed_weight_base, header_.packed_weight_width};
    const bool whole = kind == WeightKind::u32 || kind == WeightKind::u64;
    if (lists.empty() || !whole || !lists.weight_code.is_packed() || find(io::SectionKind::out_weights) != nullptr) {
      refuse("packed weights belong to packed lists and are whole, of less than {} bits, in place of others", packed::kMostWidth);
    }
    const std::uint64_t bytes = lists.weight_code.bytes(header_.num_edges) + packed::kPageBytes - 1;
    lists.weights =
        column<std::byte>(io::SectionKind::packed_weights, bytes / packed::kPageBytes * packed::kPageBytes, "packed weights");
  }

  Csr rows(const io::SideKinds& side, const Workspace& space, ThreadPool& pool) const {
    Csr csr;
    const std::string which(side.name);
    csr.offsets = column<EdgeId>(side.offsets, header_.num_vertices + 1, which + " offsets");
    if (find(side.lines) != nullptr || find(side.groups) != nullptr)
      csr.packed = packed_lists(side);
    else
      csr.neighbours = ids(side.neighbours, header_.num_edges, which + " neighbours", space, pool);
    const EdgeId first = csr.offsets[0];
    const EdgeId last = csr.offsets[header_.num_vertices];
    if (first != 0 || last != header_.num_edges) {
      refuse("the {} offsets run from {} to {}, not from 0 to {}", which, first, last, header_.num_edges);
    }
    return csr;
  }

  /// Adds records of the file. A symmetric graph whose directions weigh the same has no in_records.
  void add_records(Graph& graph, const Workspace& space, ThreadPool& pool) const {
    const bool stored = find(io::SectionKind::out_records) != nullptr;
    const bool reversed = find(io::SectionKind::in_records) != nullptr;
    if (!stored && !reversed && find(io::SectionKind::weight_stats) == nullptr) return;
    const Csr* const transpose = graph.transpose();
    if (graph.weight_kind == WeightKind::none || transpose == nullptr || (!graph.symmetric && !reversed)) {
      refuse("holds records, which need weights and, where the graph is directed, the transpose and its records");
    }
    const auto records_of = [&](io::SectionKind kind, const char* what) {
      return ids(kind, 2 * header_.num_edges, what, space, pool);
    };
    graph.out.records = records_of(io::SectionKind::out_records, "records");
    if (reversed) graph.by_target = Csr{transpose->offsets, {}, {}, records_of(io::SectionKind::in_records, "in-records")};
    const WeightStats stats = column<WeightStats>(io::SectionKind::weight_stats, 1, "statistics of weights")[0];
    const auto& borders = stats.quantiles;
    const bool sound = std::ranges::all_of(borders, [](double x) { return x >= 0 && x <= std::numeric_limits<float>::max(); }) &&
                       std::ranges::is_sorted(borders) && stats.smallest == borders.front() && stats.largest == borders.back() &&
                       stats.mean >= 0 && stats.mean <= 2 * stats.largest;
    if (!sound) refuse("the statistics of its weights are damaged");
    graph.weight_stats = stats;
  }

  /// Returns the table without a look at its contents, which check_weight_table() examines.
  Column<std::uint64_t> weight_table(WeightKind kind) const {
    const io::SectionEntry* entry = find(io::SectionKind::weight_table);
    if ((entry != nullptr) != (kind == WeightKind::u64))
      refuse("weights of 64 bits need a section of their table, and the header and the section table disagree about them");
    return entry == nullptr
               ? Column<std::uint64_t>{}
               : column<std::uint64_t>(io::SectionKind::weight_table, entry->bytes / sizeof(std::uint64_t), "64-bit weights");
  }

  VertexNames names() const {
    const bool numbers = find(io::SectionKind::name_numbers) != nullptr;
    const io::SectionEntry* bytes = find(io::SectionKind::name_bytes);
    if ((bytes != nullptr) != (find(io::SectionKind::name_offsets) != nullptr)) {
      refuse("names of vertices need a section of their bytes and one of their offsets, and one of the two is missing");
    }
    if (numbers && bytes != nullptr) refuse("names of vertices that are numbers and strings");
    if (numbers) {
      return VertexNames::numbers(column<std::uint64_t>(io::SectionKind::name_numbers, header_.num_vertices, "names"));
    }
    if (bytes == nullptr) return VertexNames::consecutive(header_.first_name);
    auto offsets = column<std::uint64_t>(io::SectionKind::name_offsets, header_.num_vertices + 1, "offsets of names");
    if (offsets[0] != 0 || offsets[header_.num_vertices] != bytes->bytes) {
      refuse("the offsets of names run from {} to {}, not from 0 to {}", offsets[0], offsets[header_.num_vertices], bytes->bytes);
    }
    return VertexNames::strings(std::move(offsets), column<char>(io::SectionKind::name_bytes, bytes->bytes, "bytes of names"));
  }

  HubTable hub_table() const {
    const io::SectionEntry* entry = find(io::SectionKind::hub_chunks);
    if ((entry != nullptr) != (header_.hub_chunk_edges != 0))
      refuse("the header and the section table disagree about hub chunks");
    if (entry == nullptr) return {};
    HubTable table{header_.hub_chunk_edges,
                   column<HubChunk>(io::SectionKind::hub_chunks, entry->bytes / sizeof(HubChunk), "hub chunks")};
    for (const HubChunk& chunk : table.chunks.span()) {
      if (chunk.vertex >= header_.num_vertices || chunk.begin >= header_.num_edges) refuse("a hub chunk lies outside the edges");
    }
    return table;
  }

  const std::string& path_;
  std::shared_ptr<Region> file_;
  io::FileHeader header_{};
  std::vector<io::SectionEntry> table_;
};

/// Throws for a name that is missing, or that messages, lines of text and --source cannot hold.
void check_names(const VertexNames& names, const NativeReader& reader, const Workspace& space) {
  if (!names.are_strings()) return;
  const auto& offsets = names.string_offsets();
  for_each_window(offsets, space, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < std::min(end, offsets.size() - 1); ++v) {
      const std::string_view name = names.string(static_cast<VertexId>(v));
      if (name.empty()) reader.refuse("vertex index:{} has no name: offsets of names are damaged", v);
      if (const char* fault = io::fault_of_name(name)) reader.refuse("the name of vertex index:{} {}", v, fault);
    }
    if (space.is_on_disk()) names.string_bytes().release(0, offsets[std::min(end, offsets.size() - 1)]);
  });
}

/// Checks by reading everything: ids, offsets, flags, largest degree, transpose and hub chunks.
void check_contents(const Graph& graph, const NativeReader& reader, const std::string& path, ThreadPool& pool,
                    const Workspace& space) {
  Progress progress("checking lists");
  check_csr(graph.out, path + " (out)", pool, space);
  if (graph.in) check_csr(*graph.in, path + " (in)", pool, space);
  check_weight_table(graph, path, pool, space);
  const ListStatistics lists = examine_lists(graph.out, pool, space);
  if (lists.max_degree != reader.header().max_degree) {
    reader.refuse("the header claims a largest degree of {}, it is {}", reader.header().max_degree, lists.max_degree);
  }
  // Only what the writer claims to know is held against it.
  const std::uint32_t claimed = reader.header().flags;
  const std::uint32_t found = io::list_flags(lists);
  std::uint32_t comparable = claimed & io::kSortedLists;
  if ((claimed & io::kSelfLoopsKnown) != 0) comparable |= io::kSelfLoops;
  if ((claimed & io::kDuplicatesKnown) != 0) comparable |= io::kDuplicates;
  constexpr std::pair<std::uint32_t, const char*> kClaims[] = {
      {io::kSortedLists, "the order of lists"}, {io::kSelfLoops, "self loops"}, {io::kDuplicates, "parallel edges"}};
  for (const auto& [flag, of] : kClaims) {
    if (((claimed ^ found) & comparable & flag) != 0) reader.refuse("what the header says of {} is not so", of);
  }
  if (graph.hub_first && !is_hub_first(graph.out, pool, space)) reader.refuse("the lists are not in the order the header claims");
  if (graph.symmetric && !has_all_opposites(graph.out, pool, space))
    reader.refuse("called symmetric, but some arc has no opposite");
  if (graph.in && !is_transpose(graph.out, *graph.in, pool, space)) {
    reader.refuse("the stored transpose is not the transpose of the graph");
  }
  if (graph.has_records()) {
    check_records(graph, path, pool, space);
    if (measure_weights(graph) != *graph.weight_stats)
      reader.refuse("the stored statistics of weights are not those of the weights");
  }
  check_names(graph.names, reader, space);
  if (graph.hub_table.chunk_edges == 0) return;
  const auto expected = cut_hubs(graph.out, graph.hub_table.chunk_edges, pool);
  const auto stored = graph.hub_table.chunks.span();
  if (!std::equal(expected.begin(), expected.end(), stored.begin(), stored.end())) {
    reader.refuse("the stored hub chunks are not those of the lists");
  }
}

/// Returns use(reader). Where the container changed meanwhile, every failure says so.
template <class Use>
auto with_container(const std::string& path, const Use& use) {
  const std::shared_ptr<Region> file = Region::map_file(path);
  try {
    auto made = use(NativeReader(path, file));
    file->file().check_unchanged();
    return made;
  } catch (const DataError&) {
    file->file().check_unchanged();
    throw;
  }
}

}  // namespace

Graph read_native(const std::string& path, bool check, ThreadPool& pool, const Workspace& space, bool keep_packed) {
  return with_container(path, [&](const NativeReader& reader) {
    Graph graph = reader.read(space, pool);
    if (check) reader.check_sums(space);
    if (check || !keep_packed) unpack_lists(graph, path, pool, space);
    if (check) {
      check_contents(graph, reader, path, pool, space);
    } else {
      graph.out.offsets.region()->file().set_unchecked();
    }
    keep_lists(graph, keep_packed);
    return graph;
  });
}

void check_native_sums(const std::string& path, const Workspace& space) {
  with_container(path, [&](const NativeReader& reader) {
    reader.check_sums(space);
    return true;
  });
}

}  // namespace graphrun::inline GR_IDS

namespace graphrun::io::inline GR_IDS {

ContainerHead read_container_head(const std::string& path) {
  return with_container(path, [](const NativeReader& reader) { return ContainerHead{reader.header(), reader.sections()}; });
}

}  // namespace graphrun::io::inline GR_IDS
