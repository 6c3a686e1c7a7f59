// What the status of a completion says, in words.
#pragma once

#include <cstdint>
#include <string>

namespace graphrun::nvme {

/// "unrecovered read error" for the status of a failed command (NVM Express base specification 1.4, section 4.6.1); type and code
/// in decimal for those that have no words here. Bits that are no part of either do not count.
std::string status_text(std::uint32_t status);

}  // namespace graphrun::nvme
