// SPDX-License-Identifier: Apache-2.0
// Unpacking fields of some bits each: by AVX2 where the processor has it, and by words of 64 bits everywhere.
#include "graphrun/core/bit_fields.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace graphrun {
namespace {

using Unpack = void (*)(const std::byte*, const std::byte*, unsigned, unsigned, std::uint32_t, std::uint32_t*);

/// Sets out[i] to field i, or with `kSum` to first + the sum of fields 0 .. i.
template <bool kSum>
void unpack_scalar(const std::byte* fields, const std::byte* bound, unsigned width, unsigned count, std::uint32_t first,
                   std::uint32_t* out) {
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  const std::byte* const last_word = bound - sizeof(std::uint64_t);
  std::uint64_t bit = 0;
  for (unsigned i = 0; i < count; ++i, bit += width) {
    const std::byte* const at = std::min(fields + bit / 8, last_word);
    std::uint64_t word;
    std::memcpy(&word, at, sizeof(word));
    const auto shift = bit - 8 * static_cast<std::uint64_t>(at - fields);
    const auto field = static_cast<std::uint32_t>(word >> (shift & 63) & mask);
    out[i] = kSum ? first += field : field;
  }
}

#if defined(__x86_64__)

constexpr unsigned kMostShuffledWidth = 25;  // a field and the bits before it in its first byte fit into 32 bits

/// The shuffle of the `width` bytes of eight fields into lanes of 32 bits, and the shift of each lane. Lanes 4 to 7 count from
/// the byte that the fifth field begins in.
struct Eight {
  alignas(32) std::array<std::uint8_t, 32> bytes{};
  alignas(32) std::array<std::uint32_t, 8> shifts{};
};

constexpr std::array<Eight, kMostShuffledWidth + 1> make_eights() {
  std::array<Eight, kMostShuffledWidth + 1> all{};
  for (unsigned width = 0; width <= kMostShuffledWidth; ++width) {
    for (unsigned lane = 0; lane < 8; ++lane) {
      const unsigned bit = lane < 4 ? lane * width : 4 * width % 8 + (lane - 4) * width;
      for (unsigned b = 0; b < 4; ++b) all[width].bytes[4 * lane + b] = static_cast<std::uint8_t>(bit / 8 + b);
      all[width].shifts[lane] = bit % 8;
    }
  }
  return all;
}
constexpr auto kEightFields = make_eights();

template <bool kSum>
[[gnu::target("avx2")]] void unpack_avx2(const std::byte* fields, const std::byte* bound, unsigned width, unsigned count,
                                         std::uint32_t first, std::uint32_t* out) {
  constexpr std::ptrdiff_t kLoadBytes = 16;
  constexpr std::ptrdiff_t kTailBytes = 32;
  if (width > kMostShuffledWidth) return unpack_scalar<kSum>(fields, bound, width, count, first, out);
  const __m256i bytes = _mm256_load_si256(reinterpret_cast<const __m256i*>(kEightFields[width].bytes.data()));
  const __m256i shifts = _mm256_load_si256(reinterpret_cast<const __m256i*>(kEightFields[width].shifts.data()));
  const __m256i mask = _mm256_set1_epi32(static_cast<int>((1u << width) - 1));
  const std::ptrdiff_t half = width / 2;  // bytes to the one that the fifth field begins in
  __m256i carry = _mm256_set1_epi32(static_cast<int>(first));
  alignas(32) std::byte tail[kTailBytes + kLoadBytes + kMostShuffledWidth];
  bool in_tail = false;
  for (unsigned i = 0; i < count; i += 8, fields += width) {
    if (!in_tail && bound - fields < half + kLoadBytes) {  // a load would read beyond the bound: go on in a copy
      _mm256_store_si256(reinterpret_cast<__m256i*>(tail),
                         _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bound - kTailBytes)));
      fields = tail + (kTailBytes - (bound - fields));
      in_tail = true;
    }
    const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(fields));
    const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(fields + half));
    __m256i x = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
    x = _mm256_and_si256(_mm256_srlv_epi32(_mm256_shuffle_epi8(x, bytes), shifts), mask);
    if constexpr (kSum) {
      x = _mm256_add_epi32(x, _mm256_slli_si256(x, 4));
      x = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
      const __m256i sums = _mm256_shuffle_epi32(x, 0xff);
      x = _mm256_add_epi32(x, _mm256_permute2x128_si256(sums, sums, 0x08));  // the upper half gets the sum of the lower
      x = _mm256_add_epi32(x, carry);
      carry = _mm256_permutevar8x32_epi32(x, _mm256_set1_epi32(7));
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), x);
  }
}

bool has_avx2() {
  const char* const asked = std::getenv("GRAPHRUN_SIMD");
  return (asked == nullptr || std::string_view(asked) != "scalar") && __builtin_cpu_supports("avx2");
}
const bool kHasAvx2 = has_avx2();
const Unpack kUnpackFields = kHasAvx2 ? unpack_avx2<false> : unpack_scalar<false>;
const Unpack kSumFields = kHasAvx2 ? unpack_avx2<true> : unpack_scalar<true>;

#else

constexpr Unpack kUnpackFields = unpack_scalar<false>;
constexpr Unpack kSumFields = unpack_scalar<true>;

#endif

}  // namespace

void unpack_fields(const std::byte* fields, const std::byte* bound, unsigned width, unsigned count, std::uint32_t* out) {
  kUnpackFields(fields, bound, width, count, 0, out);
}

void sum_fields(const std::byte* fields, const std::byte* bound, unsigned width, unsigned count, std::uint32_t first,
                std::uint32_t* out) {
  kSumFields(fields, bound, width, count, first, out);
}

void pack_fields(const std::uint32_t* values, std::size_t count, unsigned width, std::byte* fields) {
  std::uint64_t waiting = 0;
  unsigned bits = 0;
  const auto put_byte = [&] {
    *fields++ = static_cast<std::byte>(waiting & 0xff);
    waiting >>= 8;
  };
  for (std::size_t i = 0; i < count; ++i) {
    waiting |= static_cast<std::uint64_t>(values[i]) << bits;
    for (bits += width; bits >= 8; bits -= 8) put_byte();
  }
  if (bits != 0) put_byte();
}

}  // namespace graphrun
