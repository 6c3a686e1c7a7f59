#include "io/row_file_write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "graphrun/core/error.hpp"
#include "io/row_file_pieces.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

constexpr std::uint64_t kPieceBytes = std::uint64_t{16} << 20;

/// Smallest and one past the largest number of the integer type T, as doubles, which hold them exactly.
template <class T>
constexpr double kLowest = static_cast<double>(std::numeric_limits<T>::min());
template <class T>
constexpr double kPast = static_cast<double>(std::numeric_limits<T>::max()) + 1;

template <class T>
bool encode_whole(double value, std::uint32_t& word) {
  if (!(value >= kLowest<T> && value < kPast<T>) || value != std::floor(value)) return false;
  word = static_cast<std::uint32_t>(static_cast<T>(value));
  return true;
}

double weight_value(std::uint32_t word, WeightKind kind) {
  return kind == WeightKind::f32 ? static_cast<double>(std::bit_cast<float>(word)) : static_cast<double>(word);
}

/// Turns a weight of a graph into the word that a format has for it; false when it has none.
bool encode_weight(std::uint32_t& word, WeightKind kind, WeightCoding coding) {
  switch (coding) {
    case WeightCoding::unspecified:
      return true;
    case WeightCoding::u32:
      return kind == WeightKind::u32 || encode_whole<std::uint32_t>(weight_value(word, kind), word);
    case WeightCoding::i32:
      return encode_whole<std::int32_t>(weight_value(word, kind), word);
    case WeightCoding::f32: {
      if (kind == WeightKind::f32) return true;
      const auto rounded = static_cast<float>(word);
      const bool exact = static_cast<double>(rounded) == static_cast<double>(word);
      word = std::bit_cast<std::uint32_t>(rounded);
      return exact;
    }
  }
  return false;
}

const char* describe(WeightCoding coding) {
  switch (coding) {
    case WeightCoding::u32:
      return "whole numbers from 0 to 4294967295";
    case WeightCoding::i32:
      return "whole numbers from -2147483648 to 2147483647";
    default:
      return "32-bit floats";
  }
}

}  // namespace

void check_graph_to_write(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
                          ThreadPool& pool) {
  check_csr(graph.out, path + " (graph to write)", pool, space);
  if (!options.weighted) return;
  if (graph.weight_kind == WeightKind::none) {
    throw UsageError(fmt::format("{} is to hold weights, but the graph has none", path));
  }
  if (graph.out.weights.size() != graph.num_edges()) {
    throw DataError(
        fmt::format("{} (graph to write): {} weights for {} edges", path, graph.out.weights.size(), graph.num_edges()));
  }
}

void check_count_to_write(const std::string& path, std::uint64_t count, const char* what, std::uint64_t limit,
                          const char* instead) {
  if (count <= limit) return;
  throw UsageError(fmt::format("cannot write {}: {} {}, but the format holds at most {}; write {} instead", path, count, what,
                               limit, instead));
}

void check_suffix_to_write(const std::string& path, bool weighted, std::string_view plain_suffix,
                           std::string_view weighted_suffix) {
  const std::string_view wrong = weighted ? plain_suffix : weighted_suffix;
  if (!path.ends_with(wrong)) return;
  throw UsageError(fmt::format("cannot write {} {} weights: programs that read it expect that of {}", path,
                               weighted ? "with" : "without", weighted ? weighted_suffix : plain_suffix));
}

void pad_to(OutputFile& file, std::uint64_t offset) {
  constexpr std::uint64_t kMostZeros = std::uint64_t{1} << 20;
  const std::vector<char> zeros(offset > file.written() ? std::min(offset - file.written(), kMostZeros) : 0);
  while (file.written() < offset) file.write(zeros.data(), std::min<std::uint64_t>(zeros.size(), offset - file.written()));
}

template <class T>
void RowsWriter::release(const Column<T>& column, std::uint64_t begin, std::uint64_t end) const {
  if (space_.is_on_disk()) column.release(begin, end);
}

/// put(begin, end, to) fills items [begin, end) from `to` on; the piece is written when it returns.
template <class Put>
void RowsWriter::write_pieces(OutputFile& file, std::uint64_t size, std::size_t item_bytes, const Put& put) const {
  std::vector<char> buffer;
  for_each_piece(space_, size, item_bytes, kPieceBytes / item_bytes, [&](std::uint64_t begin, std::uint64_t end) {
    buffer.resize((end - begin) * item_bytes);
    put(begin, end, buffer.data());
    file.write(buffer.data(), buffer.size());
  });
}

template <class Stored, class T>
void RowsWriter::write_converted(OutputFile& file, const Column<T>& column, std::uint64_t first, std::uint64_t size) const {
  write_pieces(file, size, sizeof(Stored), [&](std::uint64_t begin, std::uint64_t end, char* to) {
    parallel_for(pool_, end - begin, [&](std::size_t i) {
      const auto value = static_cast<Stored>(column[first + begin + i]);
      std::memcpy(to + i * sizeof(Stored), &value, sizeof(Stored));
    });
    release(column, first + begin, first + end);
  });
}

/// Elements [first, first + size) of `column` as numbers of `bytes` bytes.
template <class T>
void RowsWriter::write_column(OutputFile& file, const Column<T>& column, std::uint64_t first, std::uint64_t size,
                              std::uint32_t bytes) const {
  if (bytes == sizeof(T)) {
    for_each_piece(space_, size, sizeof(T), kPieceBytes / sizeof(T), [&](std::uint64_t begin, std::uint64_t end) {
      file.write(column.data() + first + begin, (end - begin) * sizeof(T));
      release(column, first + begin, first + end);
    });
  } else if (bytes == sizeof(std::uint32_t)) {
    write_converted<std::uint32_t>(file, column, first, size);
  } else {
    write_converted<std::uint64_t>(file, column, first, size);
  }
}

void RowsWriter::write_offsets(OutputFile& file) const {
  pad_to(file, layout_.offsets.offset);
  const std::uint64_t first = layout_.offset_rule == OffsetRule::ends ? 1 : 0;
  write_column(file, csr_.offsets, first, layout_.num_offsets(), layout_.offsets.bytes);
}

void RowsWriter::write_neighbours(OutputFile& file) const {
  pad_to(file, layout_.neighbours.offset);
  write_column(file, csr_.neighbours, 0, layout_.num_edges, layout_.neighbours.bytes);
}

/// Puts the weights of edges [begin, end) to `to`, `to + stride` and so on.
void RowsWriter::put_weights(std::uint64_t begin, std::uint64_t end, char* to, std::size_t stride) const {
  const std::uint64_t misfit = first_failure(pool_, begin, end, [&](std::uint64_t e) {
    std::uint32_t word = csr_.weights[e];
    if (!encode_weight(word, kind_, layout_.weight_coding)) return false;
    std::memcpy(to + (e - begin) * stride, &word, sizeof(word));
    return true;
  });
  if (misfit != kNoIndex) {
    throw UsageError(fmt::format("cannot write {}: the weight of edge {} is {}, but the format holds {}", path_, misfit,
                                 weight_value(csr_.weights[misfit], kind_), describe(layout_.weight_coding)));
  }
  release(csr_.weights, begin, end);
}

void RowsWriter::write_weights(OutputFile& file) const {
  const std::size_t stride = layout_.weights->bytes;
  pad_to(file, layout_.weights->offset);
  write_pieces(file, layout_.num_edges, stride,
               [&](std::uint64_t begin, std::uint64_t end, char* to) { put_weights(begin, end, to, stride); });
}

template <class Id>
void RowsWriter::write_pairs(OutputFile& file) const {
  const std::size_t stride = layout_.neighbours.stride;
  pad_to(file, layout_.neighbours.offset);
  write_pieces(file, layout_.num_edges, stride, [&](std::uint64_t begin, std::uint64_t end, char* to) {
    parallel_for(pool_, end - begin, [&](std::size_t i) {
      const auto id = static_cast<Id>(csr_.neighbours[begin + i]);
      std::memcpy(to + i * stride, &id, sizeof(Id));
    });
    release(csr_.neighbours, begin, end);
    put_weights(begin, end, to + sizeof(Id), stride);
  });
}

void RowsWriter::write(OutputFile& file) const {
  write_offsets(file);
  const bool pairs = layout_.neighbours.stride != layout_.neighbours.bytes;
  if (!pairs) {
    write_neighbours(file);
    if (layout_.weights) write_weights(file);
  } else if (layout_.neighbours.bytes == sizeof(std::uint32_t)) {
    write_pairs<std::uint32_t>(file);
  } else {
    write_pairs<std::uint64_t>(file);
  }
  pad_to(file, layout_.end);
}

void write_row_file(const std::string& path, std::string_view header, const RowsLayout& layout, const Csr& csr, WeightKind kind,
                    const Workspace& space, ThreadPool& pool) {
  OutputFile file(path, SpecialTarget::refuse);
  file.write(header);
  RowsWriter(layout, csr, kind, path, space, pool).write(file);
  file.commit();
}

}  // namespace graphrun::io::inline GR_IDS
