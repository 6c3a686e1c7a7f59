#include "io/row_file_read.hpp"

#include <fmt/format.h>

#include <limits>

#include "graphrun/core/error.hpp"
#include "graphrun/graph/row_windows.hpp"
#include "io/row_file_pieces.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

/// A column in a mapped file.
class StoredColumn {
 public:
  StoredColumn(std::shared_ptr<Region> file, const ColumnLayout& layout, std::uint64_t size)
      : file_(std::move(file)), layout_(layout), size_(size) {}

  std::uint64_t size() const { return size_; }

  /// True when the elements lie in the file as a Column<T> has them in memory.
  template <class T>
  bool can_map() const {
    return layout_.bytes == sizeof(T) && layout_.stride == sizeof(T) && layout_.offset % alignof(T) == 0;
  }
  template <class T>
  Column<T> map() const {
    return Column<T>::window(file_, layout_.offset, size_);
  }

  /// to[i] = element i for i in [begin, end). Returns the first i whose element T cannot hold, or kNoIndex.
  template <class T>
  std::uint64_t copy(std::uint64_t begin, std::uint64_t end, T* to, ThreadPool& pool) const {
    return layout_.bytes == sizeof(std::uint32_t) ? copy_from<std::uint32_t>(begin, end, to, pool)
                                                  : copy_from<std::uint64_t>(begin, end, to, pool);
  }

  std::uint64_t wide_element(std::uint64_t i) const { return load<std::uint64_t>(i); }

  void release(std::uint64_t begin, std::uint64_t end) const {
    file_->release(layout_.offset + begin * layout_.stride, (end - begin) * layout_.stride);
  }

 private:
  template <class Stored>
  Stored load(std::uint64_t i) const {
    Stored value;  // not aligned in every format
    std::memcpy(&value, file_->data() + layout_.offset + i * layout_.stride, sizeof(Stored));
    return value;
  }

  template <class Stored, class T>
  std::uint64_t copy_from(std::uint64_t begin, std::uint64_t end, T* to, ThreadPool& pool) const {
    return first_failure(pool, begin, end, [&](std::uint64_t i) {
      const auto value = load<Stored>(i);
      to[i] = static_cast<T>(value);
      return to[i] == value;
    });
  }

  std::shared_ptr<Region> file_;
  ColumnLayout layout_;
  std::uint64_t size_;
};

class RowsReader {
 public:
  RowsReader(const RowsLayout& layout, const RowsFiles& files, const std::string& where, const ReadOptions& options,
             const Workspace& space, ThreadPool& pool)
      : layout_(layout), files_(files), where_(where), options_(options), space_(space), pool_(pool) {}

  Graph read() const {
    if (layout_.num_vertices > kNoVertex) {
      throw WideIdsError(
          fmt::format("{}: {} vertices are more than {}-bit ids can name", where_, layout_.num_vertices, kVertexBits));
    }
    Graph graph;
    graph.out.offsets = read_offsets();
    graph.out.neighbours = read_neighbours();
    if (layout_.weights) {
      graph.out.weights = read_weights();
      graph.weight_kind = settle_weights(graph.out.weights);
    }
    check_csr(graph.out, where_, pool_, space_);
    return graph;
  }

 private:
  Column<EdgeId> read_offsets() const {
    const StoredColumn stored(files_.offsets, layout_.offsets, layout_.num_offsets());
    if (layout_.offset_rule == OffsetRule::all) return map_or_copy<EdgeId>(stored);
    auto offsets = space_.make<EdgeId>(layout_.num_vertices + 1);
    const bool ends = layout_.offset_rule == OffsetRule::ends;
    copy_all(stored, offsets, ends ? 1 : 0);
    if (ends) {
      offsets[0] = 0;
    } else {
      offsets[layout_.num_vertices] = layout_.num_edges;
    }
    return offsets;
  }

  Column<VertexId> read_neighbours() const {
    return map_or_copy<VertexId>({files_.neighbours, layout_.neighbours, layout_.num_edges});
  }

  /// The words as they are stored, writable when settle_weights() may write them.
  Column<std::uint32_t> read_weights() const {
    const StoredColumn stored(files_.weights, *layout_.weights, layout_.num_edges);
    return may_convert_weights() ? copy<std::uint32_t>(stored) : map_or_copy<std::uint32_t>(stored);
  }

  bool may_convert_weights() const {
    return layout_.weight_coding == WeightCoding::i32 || (layout_.weight_coding == WeightCoding::u32 && options_.float_weights);
  }

  /// Turns stored words into what a Graph may hold, and says what that is.
  WeightKind settle_weights(Column<std::uint32_t>& words) const {
    switch (layout_.weight_coding) {
      case WeightCoding::unspecified:
        return options_.float_weights ? WeightKind::f32 : WeightKind::u32;
      case WeightCoding::f32:
        return WeightKind::f32;
      case WeightCoding::u32:
        if (!options_.float_weights) return WeightKind::u32;
        convert_to_f32(words, [](std::uint32_t word) { return static_cast<float>(word); });
        return WeightKind::f32;
      case WeightCoding::i32:
        if (!options_.float_weights && !any_negative(words)) return WeightKind::u32;
        convert_to_f32(words, [](std::uint32_t word) { return static_cast<float>(static_cast<std::int32_t>(word)); });
        return WeightKind::f32;
    }
    return WeightKind::none;
  }

  bool any_negative(const Column<std::uint32_t>& words) const {
    bool found = false;
    for_each_window(words, space_, [&](std::uint64_t begin, std::uint64_t end) {
      const auto not_negative = [&](std::uint64_t i) { return words[i] <= std::numeric_limits<std::int32_t>::max(); };
      found = found || first_failure(pool_, begin, end, not_negative) != kNoIndex;
    });
    return found;
  }

  template <class ValueOf>
  void convert_to_f32(Column<std::uint32_t>& words, const ValueOf& value_of) const {
    for_each_window(words, space_, [&](std::uint64_t begin, std::uint64_t end) {
      parallel_for(pool_, end - begin, [&](std::size_t i) {
        std::uint32_t& word = words[begin + i];
        word = std::bit_cast<std::uint32_t>(value_of(word));
      });
    });
  }

  template <class T>
  Column<T> map_or_copy(const StoredColumn& stored) const {
    return stored.can_map<T>() ? stored.map<T>() : copy<T>(stored);
  }

  template <class T>
  Column<T> copy(const StoredColumn& stored) const {
    auto column = space_.make<T>(stored.size());
    copy_all(stored, column, 0);
    return column;
  }

  /// Element i becomes column[first + i].
  template <class T>
  void copy_all(const StoredColumn& stored, Column<T>& column, std::size_t first) const {
    for_each_piece(space_, stored.size(), sizeof(T), kNoIndex, [&](std::uint64_t begin, std::uint64_t end) {
      const std::uint64_t misfit = stored.copy(begin, end, column.data() + first, pool_);
      // Of all that is read only ids can be narrower in memory, and then there are fewer vertices than this.
      if (misfit != kNoIndex) {
        throw DataError(fmt::format("{}: edge {} leads to vertex {} but there are only {} vertices", where_, misfit,
                                    stored.wide_element(misfit), layout_.num_vertices));
      }
      stored.release(begin, end);
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
    throw DataError(fmt::format("{} ends at offset {}, within its header of {} bytes", path, file->bytes(), header_bytes));
  }
  return file;
}

void throw_wrong_size(const std::string& path, std::uint64_t num_vertices, std::uint64_t num_edges,
                      std::initializer_list<std::uint64_t> expected, std::uint64_t file_bytes) {
  std::string sizes;
  for (const std::uint64_t& size : expected) {
    if (&size != expected.begin() && size == *expected.begin()) continue;  // without edges weights take nothing
    if (!sizes.empty()) sizes += " or ";
    sizes += size == kTooLarge ? "more than 2^64" : std::to_string(size);
  }
  throw DataError(fmt::format("{}: the header says {} vertices and {} edges, which take {} bytes, but the file has {}", path,
                              num_vertices, num_edges, sizes, file_bytes));
}

Graph read_rows(const RowsLayout& layout, const RowsFiles& files, const std::string& where, const ReadOptions& options,
                const Workspace& space, ThreadPool& pool) {
  return RowsReader(layout, files, where, options, space, pool).read();
}

}  // namespace graphrun::io::inline GR_IDS
