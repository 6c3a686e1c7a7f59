// What the lists of rows under construction should be like.
#pragma once

#include "graphrun/core/types.hpp"

namespace graphrun::inline GR_IDS {

enum class ListOrder { as_streamed, by_target };

struct RowsRequest {
  WeightKind kind = WeightKind::none;
  ListOrder order = ListOrder::by_target;  ///< parallel arcs, when by_target: by weight
  bool drop_duplicates = false;            ///< by_target only: keep the lightest of parallel arcs
};

}  // namespace graphrun::inline GR_IDS
