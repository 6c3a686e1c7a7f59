// SPDX-License-Identifier: Apache-2.0

#include <limits>

#include "core/raise.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/graph/row_windows.hpp"
#include "io/row_file.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

/// A column in a mapped file.
struct StoredColumn {
  const std::shared_ptr<Region>& file;
  const ColumnLayout& layout;
  std::uint64_t size;

  /// Returns whether the elements lie in the file as a Column<T> has them in memory.
  template <class T>
  bool can_map() const {
    return layout.bytes == sizeof(T) && layout.stride == sizeof(T) && layout.offset % alignof(T) == 0;
  }

  template <class Stored>
  Stored load(std::uint64_t i) const {
    Stored value;  // not aligned in every format
    std::memcpy(&value, file->data() + layout.offset + i * layout.stride, sizeof(Stored));
    return value;
  }

  /// Sets to[i] to element i for i in [begin, end). Returns the first i whose element T cannot hold, or kNoIndex.
  template <class Stored, class T>
  std::uint64_t copy(std::uint64_t begin, std::uint64_t end, T* to, ThreadPool& pool) const {
    return first_failure(pool, begin, end, [&](std::uint64_t i) {
      const auto value = load<Stored>(i);
      to[i] = static_cast<T>(value);
      return to[i] == value;
    });
  }
};

class RowsReader {
 public:
  RowsReader(const RowsLayout& layout, const RowsFiles& files, const std::string& where, const ReadOptions& options,
             const Workspace& space, ThreadPool& pool)
      : layout_(layout), files_(files), where_(where), options_(options), space_(space), pool_(pool) {}

  Graph read() const {
    if (layout_.num_vertices > kNoVertex) {
      raise<WideIdsError>("{}: {} vertices are more than {}-bit ids can name", where_, layout_.num_vertices, kVertexBits);
    }
    Graph graph;
    graph.out.offsets = read_offsets();
    graph.out.neighbours = map_or_copy<VertexId>({files_.neighbours, layout_.neighbours, layout_.num_edges});
    if (layout_.weights) graph.weight_kind = read_weights(graph.out.weights);
    check_csr(graph.out, where_, pool_, space_);
    return graph;
  }

 private:
  Column<EdgeId> read_offsets() const {
    const StoredColumn stored{files_.offsets, layout_.offsets, layout_.num_offsets()};
    if (layout_.offset_rule == OffsetRule::all) return map_or_copy<EdgeId>(stored);
    auto offsets = space_.make<EdgeId>(layout_.num_vertices + 1);
    const bool ends = layout_.offset_rule == OffsetRule::ends;
    copy_all(stored, offsets, ends ? 1 : 0);
    offsets[ends ? 0 : layout_.num_vertices] = ends ? 0 : layout_.num_edges;
    return offsets;
  }

  /// Turns stored words into weights of a Graph, and returns their kind.
  WeightKind read_weights(Column<std::uint32_t>& words) const {
    const StoredColumn stored{files_.weights, *layout_.weights, layout_.num_edges};
    const bool is_signed = layout_.weight_coding == WeightCoding::i32;
    if (!is_signed && (layout_.weight_coding != WeightCoding::u32 || !options_.float_weights)) {
      words = map_or_copy<std::uint32_t>(stored);
      const bool unclear = layout_.weight_coding == WeightCoding::unspecified;
      return layout_.weight_coding == WeightCoding::f32 || (unclear && options_.float_weights) ? WeightKind::f32
                                                                                               : WeightKind::u32;
    }
    words = copy<std::uint32_t>(stored);  // not mapped, to be written to
    if (is_signed && !options_.float_weights && !any_negative(words)) return WeightKind::u32;
    for_each_window(words, space_, [&](std::uint64_t begin, std::uint64_t end) {
      parallel_for(pool_, end - begin, [&](std::size_t i) {
        std::uint32_t& word = words[begin + i];
        const auto value = is_signed ? static_cast<float>(static_cast<std::int32_t>(word)) : static_cast<float>(word);
        word = std::bit_cast<std::uint32_t>(value);
      });
    });
    return WeightKind::f32;
  }

  bool any_negative(const Column<std::uint32_t>& words) const {
    bool found = false;
    for_each_window(words, space_, [&](std::uint64_t begin, std::uint64_t end) {
      const auto not_negative = [&](std::uint64_t i) { return words[i] <= std::numeric_limits<std::int32_t>::max(); };
      found = found || first_failure(pool_, begin, end, not_negative) != kNoIndex;
    });
    return found;
  }

  template <class T>
  Column<T> map_or_copy(const StoredColumn& stored) const {
    if (!stored.can_map<T>()) return copy<T>(stored);
    return Column<T>::window(stored.file, stored.layout.offset, stored.size);
  }

  template <class T>
  Column<T> copy(const StoredColumn& stored) const {
    auto column = space_.make<T>(stored.size);
    copy_all(stored, column, 0);
    return column;
  }

  /// Copies element i to column[first + i].
  template <class T>
  void copy_all(const StoredColumn& stored, Column<T>& column, std::size_t first) const {
    for_each_piece(space_, stored.size, sizeof(T), [&](std::uint64_t begin, std::uint64_t end) {
      T* const to = column.data() + first;
      const std::uint64_t misfit = stored.layout.bytes == sizeof(std::uint32_t)
                                       ? stored.copy<std::uint32_t>(begin, end, to, pool_)
                                       : stored.copy<std::uint64_t>(begin, end, to, pool_);
      // Of all that is read only ids can be narrower in memory, and then there are fewer vertices than this.
      if (misfit != kNoIndex) {
        raise<DataError>("{}: edge {} leads to vertex {} but there are only {} vertices", where_, misfit,
                         stored.load<std::uint64_t>(misfit), layout_.num_vertices);
      }
      stored.file->release(stored.layout.offset + begin * stored.layout.stride, (end - begin) * stored.layout.stride);
      column.release(first + begin, first + end);
    });
  }

  const RowsLayout& layout_;
  const RowsFiles& files_;
  const std::string& where_;
  const ReadOptions& options_;
  const Workspace& space_;
  ThreadPool& pool_;
};

}  // namespace

std::shared_ptr<Region> map_with_header(const std::string& path, std::uint64_t header_bytes) {
  auto file = Region::map_file(path);
  if (file->bytes() < header_bytes) {
    raise<DataError>("{} ends at offset {}, within its header of {} bytes", path, file->bytes(), header_bytes);
  }
  return file;
}

Graph read_rows(const RowsLayout& layout, const RowsFiles& files, const std::string& where, const ReadOptions& options,
                const Workspace& space, ThreadPool& pool) {
  return RowsReader(layout, files, where, options, space, pool).read();
}

}  // namespace graphrun::io::inline GR_IDS
