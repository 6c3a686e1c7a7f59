// SPDX-License-Identifier: Apache-2.0
// The reader of the format in the program's name: run its links fuzz_FORMAT and fuzz_FORMAT64.
#include <errno.h>

#include "fuzz/oracle.hpp"
#include "fuzz/workplace.hpp"
#include "graphrun/io/convert.hpp"

namespace graphrun::fuzz {
namespace {

std::string_view format_in(std::string_view program) {
  if (program.ends_with("64")) program.remove_suffix(2);
  return program.substr(program.find('_') + 1);
}

}  // namespace

const std::string_view kTarget = format_in(program_invocation_short_name);

Verdict fuzz_one(std::string_view input) {
  static const FileFormat format = parse_file_format(std::string(kTarget));
  return check_file(place(unpack(kTarget, input)) + suffix_to_load(kTarget, input), format);
}

}  // namespace graphrun::fuzz
