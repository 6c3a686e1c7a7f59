#include "transport/nvme_status.hpp"

#include <fmt/format.h>

#include "graphrun/transport/nvme.hpp"

namespace graphrun::nvme {

std::string status_text(std::uint32_t status) {
  constexpr std::uint32_t kTypeAndCode = 0x7ff;
  switch (status & kTypeAndCode) {
    case static_cast<std::uint32_t>(Status::success):
      return "success";
    case 0x01:
      return "invalid opcode";
    case 0x02:
      return "invalid field in a command";
    case 0x04:
      return "data transfer error";
    case 0x05:
      return "aborted: the power was lost";
    case static_cast<std::uint32_t>(Status::internal_error):
      return "internal error";
    case 0x07:
      return "aborted as asked";
    case 0x0b:
      return "invalid namespace or format";
    case static_cast<std::uint32_t>(Status::out_of_range):
      return "blocks outside of the device";
    case 0x81:
      return "capacity exceeded";
    case 0x82:
      return "namespace not ready";
    case static_cast<std::uint32_t>(Status::write_fault):
      return "write fault";
    case static_cast<std::uint32_t>(Status::unrecovered_read_error):
      return "unrecovered read error";
    case 0x286:
      return "access denied";
    case 0x287:
      return "blocks that were deallocated or never written";
    default:
      return fmt::format("NVMe status of type {}, code {}", status >> 8 & 7, status & 0xff);
  }
}

}  // namespace graphrun::nvme
