// SPDX-License-Identifier: Apache-2.0
// The digest of what one algorithm returned.
#pragma once

#include "graphrun/verify/digest.hpp"

namespace graphrun::test {

template <class Output>
Digest digest_of(Output output) {
  ThreadPool pool(2);
  return digests_of(AnswerData(std::move(output)), pool).front();
}

}  // namespace graphrun::test
