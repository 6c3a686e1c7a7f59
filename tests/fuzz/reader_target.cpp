// SPDX-License-Identifier: Apache-2.0
// The reader of one format, GRAPHRUN_FUZZ_FORMAT.
#include "fuzz/oracle.hpp"
#include "fuzz/workplace.hpp"
#include "graphrun/io/convert.hpp"

namespace graphrun::fuzz {

const std::string_view kTarget = GRAPHRUN_FUZZ_FORMAT;

Verdict fuzz_one(std::string_view input) {
  static const FileFormat format = parse_file_format(std::string(kTarget));
  return check_file(place(unpack(kTarget, input)) + suffix_to_load(kTarget, input), format);
}

}  // namespace graphrun::fuzz
