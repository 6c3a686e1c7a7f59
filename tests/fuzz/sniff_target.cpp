// SPDX-License-Identifier: Apache-2.0
// Files of which nothing is known but their name; and what graphconv says of them.
#include "fuzz/oracle.hpp"
#include "fuzz/workplace.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/io/estimate.hpp"
#include "graphrun/run/describe_graph.hpp"

namespace graphrun::fuzz {
namespace {

void describe(const std::string& path) {
  try {
    estimate_load(path, {});
    for (const Description form : {Description::text, Description::json}) {
      if (describe_graph(path, {}, form, pool()).empty()) throw Finding("there is nothing to say of this graph");
    }
  } catch (const DataError&) {
  } catch (const UsageError&) {
  }
}

}  // namespace

const std::string_view kTarget = "sniff";

Verdict fuzz_one(std::string_view input) {
  const std::string path = place(unpack(kTarget, input)) + suffix_to_load(kTarget, input);
  describe(path);
  return check_file(path, std::nullopt);
}

}  // namespace graphrun::fuzz
