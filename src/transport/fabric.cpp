#include "graphrun/transport/fabric.hpp"

#include <fmt/format.h>

#include "graphrun/core/error.hpp"

namespace graphrun {

void check_provider_name(const std::string& provider, const std::string& option) {
  constexpr const char* kLetters = "abcdefghijklmnopqrstuvwxyz0123456789_;";
  if (!provider.empty() && provider.find_first_not_of(kLetters) == std::string::npos) return;
  throw UsageError(fmt::format("{}: '{}' is no provider of libfabric: write tcp, shm or verbs", option, provider));
}

}  // namespace graphrun
