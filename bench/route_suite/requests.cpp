// SPDX-License-Identifier: Apache-2.0

#include "route_suite/requests.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "core/raise.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/transport/cached_pages.hpp"

namespace graphrun::bench {
namespace {

constexpr std::uint64_t kPixelBytes = 3;

/// An image of the earth, twice as wide as high.
struct Image {
  std::uint64_t offset;
  std::uint64_t width;

  std::uint64_t height() const { return width / 2; }
  std::uint64_t bytes() const { return width * height() * kPixelBytes; }
};

/// Returns images one after another, the largest that fit, down to the width of a view.
std::vector<Image> images_of(std::uint64_t file_bytes, std::uint64_t view_width) {
  std::uint64_t width = 1;
  while (width < view_width) width *= 2;
  const std::uint64_t least = width;
  const auto all_bytes = [&](std::uint64_t widest) { return Image{0, widest}.bytes() / 3 * 4; };
  if (all_bytes(least) > file_bytes) raise<UsageError>("aerial images need a file of {} bytes or more", all_bytes(least));
  while (all_bytes(2 * width) <= file_bytes) width *= 2;
  std::vector<Image> images;
  for (std::uint64_t offset = 0; width >= least; width /= 2) {
    images.push_back({offset, width});
    offset += images.back().bytes();
  }
  return images;
}

}  // namespace

Requests in_order(std::uint64_t file_bytes, std::uint32_t block_bytes) {
  return [=](std::uint64_t i) -> std::optional<Request> {
    const std::uint64_t at = i * block_bytes;
    if (at + block_bytes > file_bytes) return std::nullopt;
    return Request{at, block_bytes};
  };
}

Requests scattered(std::uint64_t file_bytes, std::uint32_t block_bytes) {
  constexpr std::uint64_t kStride = 2'654'435'761;  // a prime
  const std::uint64_t unit = std::max<std::uint64_t>(block_bytes, cache_page_bytes());
  const std::uint64_t places = file_bytes / unit;
  const std::uint64_t blocks_of_a_unit = unit / block_bytes;
  return [=](std::uint64_t i) -> std::optional<Request> {
    if (i >= places) return std::nullopt;
    return Request{i * kStride % places * unit + splitmix64(i, 2, 0) % blocks_of_a_unit * block_bytes, block_bytes};
  };
}

std::vector<Request> aerial_views(std::uint64_t file_bytes, Layout layout, std::uint32_t tile_pixels, std::uint32_t sector_bytes,
                                  std::uint32_t views) {
  constexpr std::uint64_t kViewWidth = 1920;
  constexpr std::uint64_t kViewHeight = 1080;
  const std::vector<Image> images = images_of(file_bytes, kViewWidth);
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;  // tiles, by image
  std::vector<Request> requests;
  const auto add = [&](std::uint64_t begin, std::uint64_t bytes) {
    const std::uint64_t first = begin / sector_bytes * sector_bytes;
    const std::uint64_t end = (begin + bytes + sector_bytes - 1) / sector_bytes * sector_bytes;
    requests.push_back({first, static_cast<std::uint32_t>(end - first)});
  };
  for (std::uint32_t view = 0; view < views; ++view) {
    const auto draw = [&](std::uint64_t what, std::uint64_t below) { return splitmix64(view, what, 3) % below; };
    const Image& image = images[draw(0, images.size())];
    const std::uint64_t height = std::min(kViewHeight, image.height());
    const std::uint64_t x = draw(1, image.width - kViewWidth + 1);
    const std::uint64_t y = draw(2, image.height() - height + 1);
    const std::uint64_t tiles_across = image.width / tile_pixels;
    const auto tile_of = [&](std::uint64_t row, std::uint64_t column) {
      return std::pair(image.offset, row * tiles_across + column);
    };
    const std::uint64_t last_row = (y + height - 1) / tile_pixels;
    const std::uint64_t last_column = (x + kViewWidth - 1) / tile_pixels;
    bool is_new = true;
    for (std::uint64_t row = y / tile_pixels; row <= last_row; ++row) {
      for (std::uint64_t column = x / tile_pixels; column <= last_column; ++column)
        is_new = is_new && !seen.contains(tile_of(row, column));
    }
    if (!is_new) continue;
    for (std::uint64_t row = y / tile_pixels; row <= last_row; ++row) {
      for (std::uint64_t column = x / tile_pixels; column <= last_column; ++column) {
        seen.insert(tile_of(row, column));
        if (layout == Layout::tiles) {
          const std::uint64_t tile_bytes = tile_pixels * tile_pixels * kPixelBytes;
          add(image.offset + (row * tiles_across + column) * tile_bytes, tile_bytes);
          continue;
        }
        for (std::uint64_t line = row * tile_pixels; line < (row + 1) * tile_pixels; ++line) {
          add(image.offset + (line * image.width + column * tile_pixels) * kPixelBytes, tile_pixels * kPixelBytes);
        }
      }
    }
  }
  return requests;
}

}  // namespace graphrun::bench
