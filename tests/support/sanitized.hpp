// Whether this build finds errors at the price of being ten times slower: tests then take smaller inputs.
#pragma once

namespace graphrun::test {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace graphrun::test
