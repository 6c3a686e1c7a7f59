#include "transport/sectors.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "graphrun/core/error.hpp"

namespace graphrun {

std::uint32_t sector_bytes_of([[maybe_unused]] int fd) {
  constexpr std::uint32_t kUnknown = 512;
#ifdef STATX_DIOALIGN  // since Linux 6.1
  struct statx status {};
  const bool said = ::statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &status) == 0 && (status.stx_mask & STATX_DIOALIGN) != 0;
  if (said && status.stx_dio_offset_align != 0) return status.stx_dio_offset_align;
#endif
  return kUnknown;
}

void check_sectors(const BlockEngine& engine, std::uint32_t page_bytes) {
  if (page_bytes >= engine.sector_bytes()) return;
  throw UsageError(fmt::format("pages of {} bytes are smaller than the sectors that {} moves: the smallest page is {}",
                               page_bytes, engine.description(), engine.sector_bytes()));
}

}  // namespace graphrun
