// SPDX-License-Identifier: Apache-2.0
// An answer for results, files and other languages: named columns over vertices, and named numbers.
#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "graphrun/algorithms/outputs.hpp"
#include "graphrun/core/types.hpp"

namespace graphrun::inline GR_IDS {

/// The digest of a column: see Digest.
enum class DigestBy {
  nothing,
  reach,   ///< number of vertices with a value, largest value, sum, and checksum
  groups,  ///< number and sizes of groups of equal values
  scores,  ///< the sum, and the ten largest
};

/// The missing value of a column.
template <class T>
inline constexpr T kNoValue = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                                   : std::numeric_limits<T>::max();

/// One value a vertex, or one for each search of a batch. The largest whole number, and infinity, mean no value.
struct AnswerColumn {
  std::string_view name;
  std::variant<std::span<const std::uint32_t>, std::span<const std::uint64_t>, std::span<const float>, std::span<const double>,
               const BfsBatchOutput*>
      values;
  DigestBy digest = DigestBy::nothing;
  bool are_vertices = false;
};

/// Rows of vertices, of equal length, stored column by column. The largest id follows the end of a shorter row.
struct VertexTable {
  std::string_view name = {};    ///< empty: no table
  std::string_view column = {};  ///< name of a column, before its number
  std::span<const VertexId> vertices = {};
  std::size_t columns = 0;

  std::size_t rows() const { return columns == 0 ? 0 : vertices.size() / columns; }
  VertexId at(std::size_t row, std::size_t number) const { return vertices[number * rows() + row]; }
};

/// A number of the whole answer; none where it was not computed. A point in its name stands for a nested JSON object.
struct Scalar {
  std::string_view name;
  std::variant<std::monostate, std::uint64_t, double> value = {};
};

/// Owner and description of an algorithm's output.
class AnswerData {
 public:
  AnswerData() = default;
  /// Calls describe(output, *this), which is declared beside each output.
  template <class Output>
  explicit AnswerData(Output output) : output_(std::make_shared<std::any>(std::move(output))) {
    describe(*as<Output>(), *this);
  }

  std::vector<VertexId> sources = {};      ///< one a search
  std::vector<AnswerColumn> columns = {};  ///< the first is the algorithm's main result
  std::vector<Scalar> scalars = {};
  VertexTable table = {};  ///< takes the place of columns in files

  /// Returns the output; null for another type.
  template <class Output>
  const Output* as() const {
    return std::any_cast<Output>(output_.get());
  }
  /// Empties this and returns its output, whose memory the next trial reuses; a new one for another type, and when shared.
  template <class Output>
  Output take() {
    const AnswerData taken = std::exchange(*this, {});
    auto* const output = std::any_cast<Output>(taken.output_.get());
    return output != nullptr && taken.output_.use_count() == 1 ? std::move(*output) : Output{};
  }
  /// Returns a column by name; null without one.
  const AnswerColumn* column(std::string_view name) const {
    for (const AnswerColumn& each : columns) {
      if (each.name == name) return &each;
    }
    return nullptr;
  }

 private:
  std::shared_ptr<std::any> output_;  // constant while it is shared
};

}  // namespace graphrun::inline GR_IDS
