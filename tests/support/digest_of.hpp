// SPDX-License-Identifier: Apache-2.0
// The digest of what one algorithm returned.
#pragma once

#include "graphrun/verify/digest.hpp"

namespace graphrun::test {

template <class Output>
Digest digest_of(Output output) {
  return digests_of(AnswerData(std::move(output))).front();
}

}  // namespace graphrun::test
