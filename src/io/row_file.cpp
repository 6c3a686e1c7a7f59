#include "io/row_file.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

std::uint64_t align_up(std::uint64_t offset, std::uint32_t alignment) {
  return end_of(offset, (alignment - offset % alignment) % alignment, 1);
}

}  // namespace

RowsLayout lay_out(const RowsFormat& format, std::uint64_t num_vertices, std::uint64_t num_edges, bool weighted,
                   std::uint64_t start) {
  RowsLayout layout;
  layout.num_vertices = num_vertices;
  layout.num_edges = num_edges;
  layout.offset_rule = format.offset_rule;
  layout.weight_coding = format.weight_coding;

  layout.offsets = {start, format.offset_bytes, format.offset_bytes};
  std::uint64_t end = end_of(start, num_vertices, format.offset_bytes);
  if (format.offset_rule == OffsetRule::all) end = end_of(end, 1, format.offset_bytes);

  const bool pairs = weighted && format.weight_place == WeightPlace::beside_ids;
  const std::uint32_t stride = pairs ? format.id_bytes + kWeightBytes : format.id_bytes;
  layout.neighbours = {end, stride, format.id_bytes};
  if (pairs) layout.weights = ColumnLayout{end + format.id_bytes, stride, kWeightBytes};
  end = align_up(end_of(end, num_edges, stride), format.ids_end_alignment);
  if (weighted && !pairs) {
    layout.weights = ColumnLayout{end, kWeightBytes, kWeightBytes};
    end = end_of(end, num_edges, kWeightBytes);
  }
  layout.end = end;
  return layout;
}

bool starts_at_zero(const RowsLayout& layout, std::string_view bytes) {
  const ColumnLayout& offsets = layout.offsets;
  if (layout.offset_rule == OffsetRule::ends || layout.num_offsets() == 0) return true;
  if (bytes.size() < offsets.offset + offsets.bytes) return true;
  return (offsets.bytes == 4 ? load_at<std::uint32_t>(bytes, offsets.offset) : load_at<std::uint64_t>(bytes, offsets.offset)) ==
         0;
}

}  // namespace graphrun::io::inline GR_IDS
