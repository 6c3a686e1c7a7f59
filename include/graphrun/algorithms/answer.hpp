// An answer as results, files and other languages see it: named columns over vertices, and named numbers.
#pragma once

#include <any>
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

/// How a column is digested: see Digest.
enum class DigestBy {
  nothing,
  reach,   ///< how many vertices have a value, the largest, their sum, and a checksum
  groups,  ///< how many groups of equal values there are, and their sizes
  scores,  ///< the sum, and the ten largest
};

/// Stands for no value in a column.
template <class T>
inline constexpr T kNoValue = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                                   : std::numeric_limits<T>::max();

/// A value a vertex, or one for each search of a batch. The largest whole number, and infinity, stand for no value.
struct AnswerColumn {
  std::string_view name;
  std::variant<std::span<const std::uint32_t>, std::span<const std::uint64_t>, std::span<const float>, std::span<const double>,
               const BfsBatchOutput*>
      values;
  DigestBy digest = DigestBy::nothing;
  bool are_vertices = false;
};

/// A number that belongs to no vertex; none where it was not computed. A point in its name leads into an object of JSON.
struct Scalar {
  std::string_view name;
  std::variant<std::monostate, std::uint64_t, double> value = {};
};

/// Owns what an algorithm returned, and describes it.
class AnswerData {
 public:
  AnswerData() = default;
  /// Calls describe(output, *this), which is declared beside each output.
  template <class Output>
  explicit AnswerData(Output output) : output_(std::make_shared<const std::any>(std::move(output))) {
    describe(*as<Output>(), *this);
  }

  std::vector<VertexId> sources = {};      ///< one a search
  std::vector<AnswerColumn> columns = {};  ///< the first is what the algorithm is asked for
  std::vector<Scalar> scalars = {};

  /// Null where it is none.
  template <class Output>
  const Output* as() const {
    return std::any_cast<Output>(output_.get());
  }
  /// Null where there is none.
  const AnswerColumn* column(std::string_view name) const {
    for (const AnswerColumn& each : columns) {
      if (each.name == name) return &each;
    }
    return nullptr;
  }

 private:
  std::shared_ptr<const std::any> output_;
};

}  // namespace graphrun::inline GR_IDS
