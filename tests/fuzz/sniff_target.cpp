// Files of which nothing is known but their name.
#include "fuzz/oracle.hpp"
#include "fuzz/workplace.hpp"

namespace graphrun::fuzz {

const std::string_view kTarget = "sniff";

Verdict fuzz_one(std::string_view input) {
  return check_file(place(unpack(kTarget, input)) + suffix_to_load(kTarget, input), std::nullopt);
}

}  // namespace graphrun::fuzz
