// SPDX-License-Identifier: Apache-2.0
// Orders of requests: in order, scattered, and tiles of aerial images (Bergman et al., SPIN, section 6.2).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "route_suite/replay.hpp"

namespace graphrun::bench {

Requests in_order(std::uint64_t file_bytes, std::uint32_t block_bytes);

/// Returns requests of blocks at scattered places, none in a page that another one has: a page cache would gain by that.
Requests scattered(std::uint64_t file_bytes, std::uint32_t block_bytes);

/// Order of the bytes of a raster.
enum class Layout { raster, tiles };

/// Returns the reads of views of 1920 x 1080 pixels, of three bytes, in images of the earth whose resolutions halve. A view needs
/// all tiles that it meets. In the raster layout a row of a tile is a read, in the other one a tile. Reads are rounded to
/// sectors. Throws UsageError for a file that is too small for the lowest resolution.
std::vector<Request> aerial_views(std::uint64_t file_bytes, Layout layout, std::uint32_t tile_pixels, std::uint32_t sector_bytes,
                                  std::uint32_t views);

}  // namespace graphrun::bench
