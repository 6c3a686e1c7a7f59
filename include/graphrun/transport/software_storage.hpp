// Storage whose commands a controller in this process completes, through an engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "graphrun/transport/controller.hpp"
#include "graphrun/transport/storage.hpp"

namespace graphrun {

/// `depth`: commands that may be out at a time in all queue pairs.
using OpenEngine = std::function<std::unique_ptr<BlockEngine>(std::uint32_t depth)>;

/// `queue_depth` is rounded up to a power of two.
std::unique_ptr<Storage> make_software_storage(std::size_t queues, std::uint32_t queue_depth, const OpenEngine& open_engine);

}  // namespace graphrun
