// Where CSR lies in binary files of other systems.
//
// What a format looks like is data: a RowsFormat, from which lay_out() tells where each column lies in the file of a graph
// with n vertices and m edges. Recognising a file, reading it (row_file_read.hpp) and writing it (row_file_write.hpp) all
// follow that layout; what remains for the source of a format is its header.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "graphrun/core/column.hpp"
#include "graphrun/core/types.hpp"

namespace graphrun::io::inline GR_IDS {

static_assert(std::endian::native == std::endian::little, "all these formats are little-endian, and are copied as they are");

inline constexpr std::uint32_t kWeightBytes = 4;  ///< of one weight, in every format that has any

/// Which of the n+1 offsets of a Csr are stored.
enum class OffsetRule {
  all,     ///< n+1
  starts,  ///< n: where each list begins
  ends     ///< n: where each list ends
};

/// What the 4 bytes of a weight are.
enum class WeightCoding {
  unspecified,  ///< u32 or f32: the format leaves it to the programs
  u32,
  i32,
  f32
};

enum class WeightPlace {
  behind_ids,  ///< all ids, then all weights
  beside_ids   ///< pairs of id and weight
};

struct RowsFormat {
  std::uint32_t header_bytes;
  OffsetRule offset_rule;
  std::uint32_t offset_bytes;  ///< 4 or 8
  std::uint32_t id_bytes;      ///< 4 or 8
  WeightPlace weight_place = WeightPlace::behind_ids;
  WeightCoding weight_coding = WeightCoding::unspecified;
  std::uint32_t ids_end_alignment = 1;  ///< zeros follow the ids up to a multiple of this many bytes
};

/// Element i is the number of `bytes` bytes at offset + i * stride in the file.
struct ColumnLayout {
  std::uint64_t offset = 0;
  std::uint32_t stride = 0;
  std::uint32_t bytes = 0;
};

struct RowsLayout {
  std::uint64_t num_vertices = 0;
  std::uint64_t num_edges = 0;
  OffsetRule offset_rule = OffsetRule::all;
  WeightCoding weight_coding = WeightCoding::unspecified;
  ColumnLayout offsets;
  ColumnLayout neighbours;
  std::optional<ColumnLayout> weights;
  std::uint64_t end = 0;  ///< first byte behind all columns

  std::uint64_t num_offsets() const { return offset_rule == OffsetRule::all ? num_vertices + 1 : num_vertices; }
};

/// No file is that long: what sizes become that do not fit 64 bits.
inline constexpr std::uint64_t kTooLarge = ~std::uint64_t{0};

/// start + count * bytes, or kTooLarge.
constexpr std::uint64_t end_of(std::uint64_t start, std::uint64_t count, std::uint64_t bytes) {
  std::uint64_t end = 0;
  const bool overflow = __builtin_mul_overflow(count, bytes, &end) || __builtin_add_overflow(start, end, &end);
  return overflow || start == kTooLarge ? kTooLarge : end;
}

/// The columns in the order of the file, the first at `start`. Counts may be anything that a header says: when the columns
/// reach beyond 64 bits, `end` is kTooLarge and the rest means nothing.
RowsLayout lay_out(const RowsFormat& format, std::uint64_t num_vertices, std::uint64_t num_edges, bool weighted,
                   std::uint64_t start);
inline RowsLayout lay_out(const RowsFormat& format, std::uint64_t num_vertices, std::uint64_t num_edges, bool weighted) {
  return lay_out(format, num_vertices, num_edges, weighted, format.header_bytes);
}

/// The number at `offset` of the first bytes of a file, which must reach that far.
template <class T>
T load_at(std::string_view bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

/// Appends `value` as it is in memory: for headers.
template <class T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

inline std::string_view bytes_of(const Region& file) { return {reinterpret_cast<const char*>(file.data()), file.bytes()}; }

/// True when `bytes`, the beginning of a file, does not contradict that the first list starts at 0.
bool starts_at_zero(const RowsLayout& layout, std::string_view bytes);

}  // namespace graphrun::io::inline GR_IDS
