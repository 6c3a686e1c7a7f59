// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/raise.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/graph/row_windows.hpp"
#include "io/row_file.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

constexpr std::uint64_t kPieceBytes = std::uint64_t{16} << 20;

double weight_value(std::uint32_t word, WeightKind kind) {
  return kind == WeightKind::f32 ? static_cast<double>(std::bit_cast<float>(word)) : static_cast<double>(word);
}

/// Turns a weight of a graph into the word that a format has for it; returns false when it has none.
bool encode_weight(std::uint32_t& word, WeightKind kind, WeightCoding coding) {
  const WeightCoding own = kind == WeightKind::f32 ? WeightCoding::f32 : WeightCoding::u32;
  if (coding == WeightCoding::unspecified || coding == own) return true;
  const double value = weight_value(word, kind);
  if (coding == WeightCoding::f32) {
    const auto rounded = static_cast<float>(word);
    word = std::bit_cast<std::uint32_t>(rounded);
    return static_cast<double>(rounded) == value;
  }
  const double lowest = coding == WeightCoding::i32 ? -0x1p31 : 0;
  if (!(value >= lowest && value < lowest + 0x1p32) || value != std::floor(value)) return false;
  word = static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
  return true;
}

const char* describe(WeightCoding coding) {
  return coding == WeightCoding::u32   ? "whole numbers from 0 to 4294967295"
         : coding == WeightCoding::i32 ? "whole numbers from -2147483648 to 2147483647"
                                       : "32-bit floats";
}

class RowsWriter {
 public:
  RowsWriter(const RowsLayout& layout, const Csr& csr, WeightKind kind, const std::string& path, const Workspace& space,
             ThreadPool& pool)
      : layout_(layout), csr_(csr), kind_(kind), path_(path), space_(space), pool_(pool) {}

  void write(const RowsOutputs& files) const {
    pad_to(files.offsets, layout_.offsets.offset);
    const std::uint64_t first = layout_.offset_rule == OffsetRule::ends ? 1 : 0;
    write_column(files.offsets, csr_.offsets, first, layout_.num_offsets(), layout_.offsets.bytes);
    pad_to(files.neighbours, layout_.neighbours.offset);
    if (layout_.neighbours.stride != layout_.neighbours.bytes) {
      write_pairs(files.neighbours);
    } else {
      write_column(files.neighbours, csr_.neighbours, 0, layout_.num_edges, layout_.neighbours.bytes);
      if (layout_.weights) write_weights(files.weights);
    }
    pad_to(files.offsets, layout_.end);
  }

 private:
  template <class T>
  void release(const Column<T>& column, std::uint64_t begin, std::uint64_t end) const {
    if (space_.is_on_disk()) column.release(begin, end);
  }

  /// Calls put(begin, end, to) to fill items [begin, end) from `to` on; the piece is written when it returns.
  template <class Put>
  void write_pieces(OutputFile& file, std::uint64_t size, std::size_t item_bytes, const Put& put) const {
    std::vector<char> buffer;
    const auto write_piece = [&](std::uint64_t begin, std::uint64_t end) {
      buffer.resize((end - begin) * item_bytes);
      put(begin, end, buffer.data());
      file.write(buffer.data(), buffer.size());
    };
    for_each_piece(space_, size, item_bytes, write_piece, kPieceBytes / item_bytes);
  }

  /// Puts elements [begin, end) of a column as numbers of type Stored to `to`, `to + stride` and so on.
  template <class Stored, class T>
  void put(const Column<T>& column, std::uint64_t begin, std::uint64_t end, char* to, std::size_t stride) const {
    parallel_for(pool_, end - begin, [&](std::size_t i) {
      const auto value = static_cast<Stored>(column[begin + i]);
      std::memcpy(to + i * stride, &value, sizeof(Stored));
    });
    release(column, begin, end);
  }

  /// Writes elements [first, first + size) of `column` as numbers of `bytes` bytes.
  template <class T>
  void write_column(OutputFile& file, const Column<T>& column, std::uint64_t first, std::uint64_t size, std::size_t bytes) const {
    const auto write_piece = [&](std::uint64_t begin, std::uint64_t end) {
      file.write(column.data() + first + begin, (end - begin) * sizeof(T));
      release(column, first + begin, first + end);
    };
    if (bytes == sizeof(T)) return for_each_piece(space_, size, sizeof(T), write_piece, kPieceBytes / sizeof(T));
    using Other = std::conditional_t<sizeof(T) == sizeof(std::uint32_t), std::uint64_t, std::uint32_t>;
    write_pieces(file, size, bytes, [&](std::uint64_t begin, std::uint64_t end, char* to) {
      put<Other>(column, first + begin, first + end, to, bytes);
    });
  }

  void put_weights(std::uint64_t begin, std::uint64_t end, char* to, std::size_t stride) const {
    const std::uint64_t misfit = first_failure(pool_, begin, end, [&](std::uint64_t e) {
      std::uint32_t word = csr_.weights[e];
      if (!encode_weight(word, kind_, layout_.weight_coding)) return false;
      std::memcpy(to + (e - begin) * stride, &word, sizeof(word));
      return true;
    });
    if (misfit != kNoIndex) {
      raise<UsageError>("cannot write {}: the weight of edge {} is {}, but the format holds {}", path_, misfit,
                        weight_value(csr_.weights[misfit], kind_), describe(layout_.weight_coding));
    }
    release(csr_.weights, begin, end);
  }

  void write_weights(OutputFile& file) const {
    const std::size_t stride = layout_.weights->bytes;
    pad_to(file, layout_.weights->offset);
    write_pieces(file, layout_.num_edges, stride,
                 [&](std::uint64_t begin, std::uint64_t end, char* to) { put_weights(begin, end, to, stride); });
  }

  /// Writes ids of 32 bits, each followed by its weight.
  void write_pairs(OutputFile& file) const {
    const std::size_t stride = layout_.neighbours.stride;
    write_pieces(file, layout_.num_edges, stride, [&](std::uint64_t begin, std::uint64_t end, char* to) {
      put<std::uint32_t>(csr_.neighbours, begin, end, to, stride);
      put_weights(begin, end, to + sizeof(std::uint32_t), stride);
    });
  }

  const RowsLayout& layout_;
  const Csr& csr_;
  WeightKind kind_;
  const std::string& path_;
  const Workspace& space_;
  ThreadPool& pool_;
};

}  // namespace

void pad_to(OutputFile& file, std::uint64_t offset) {
  constexpr std::uint64_t kMostZeros = std::uint64_t{1} << 20;
  const std::vector<char> zeros(offset > file.written() ? std::min(offset - file.written(), kMostZeros) : 0);
  while (file.written() < offset) file.write(zeros.data(), std::min<std::uint64_t>(zeros.size(), offset - file.written()));
}

void check_graph_to_write(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
                          ThreadPool& pool) {
  check_csr(graph.out, path + " (graph to write)", pool, space);
  if (!options.weighted) return;
  if (graph.weight_kind == WeightKind::none) {
    raise<UsageError>("{} is to hold weights, but the graph has none: give it some, such as --weights random:1", path);
  }
  if (graph.out.weights.size() != graph.num_edges()) {
    raise<DataError>("{} (graph to write): {} weights for {} edges", path, graph.out.weights.size(), graph.num_edges());
  }
}

void write_rows(const RowsLayout& layout, const RowsOutputs& files, const Csr& csr, WeightKind kind, const std::string& path,
                const Workspace& space, ThreadPool& pool) {
  if (layout.weights && kind == WeightKind::u64) {
    raise<UsageError>(
        "cannot write {}: its format holds weights of 32 bits, and those of the graph have 64: .grf and text hold them", path);
  }
  RowsWriter(layout, csr, kind, path, space, pool).write(files);
}

}  // namespace graphrun::io::inline GR_IDS
