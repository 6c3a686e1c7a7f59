#include "graphrun/transport/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "graphrun/core/error.hpp"
#include "graphrun/core/names.hpp"

namespace graphrun {

void check_provider_name(const std::string& provider, const std::string& option) {
  // Those that libfabric has had. What follows a semicolon is a layer over one.
  constexpr std::string_view kKnown[] = {"tcp", "shm", "verbs", "sockets", "udp", "efa", "psm2", "psm3",
                                         "opx", "cxi", "gni",   "usnic",   "bgq", "net", "lnx",  "ucx"};
  const std::string name = provider.substr(0, provider.find(';'));
  if (std::find(std::begin(kKnown), std::end(kKnown), name) != std::end(kKnown)) return;
  throw UsageError(fmt::format("{}: '{}' is no provider of libfabric{}: write tcp, shm or verbs", option, provider,
                               did_you_mean(name, kKnown)));
}

}  // namespace graphrun
