// SPDX-License-Identifier: Apache-2.0

#include "fuzz/mutate.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string_view>

#include "graphrun/core/random.hpp"

namespace graphrun::fuzz {
namespace {

constexpr std::size_t kLongest = 1 << 14;

/// What sizes, counts and ids go wrong at.
constexpr std::array<std::uint64_t, 16> kNumbers = {0,
                                                    1,
                                                    2,
                                                    127,
                                                    128,
                                                    255,
                                                    4096,
                                                    std::numeric_limits<std::int32_t>::max(),
                                                    std::uint64_t{1} << 31,
                                                    std::numeric_limits<std::uint32_t>::max() - 1,
                                                    std::numeric_limits<std::uint32_t>::max(),
                                                    std::uint64_t{1} << 32,
                                                    std::uint64_t{1} << 61,
                                                    std::numeric_limits<std::int64_t>::max(),
                                                    std::uint64_t{1} << 63,
                                                    std::numeric_limits<std::uint64_t>::max()};

constexpr std::array<std::string_view, 20> kTokens = {"\n",   "\r\n",  " ",   "\t",    "-",     "+",      ".",
                                                      "e",    "0",     ":",   "# x\n", "%",     "nan",    "inf",
                                                      "1e39", "1e-99", "0.5", "\n\n",  "1 1\n", "1 2 3\n"};

class Mutator {
 public:
  Mutator(const std::vector<Seed>& seeds, std::uint64_t random_seed, std::uint64_t index)
      : seeds_(seeds), random_seed_(random_seed), index_(index), bytes_(seeds[below(seeds.size())].bytes) {}

  std::string run() {
    constexpr std::array kSteps = {&Mutator::flip_bit,   &Mutator::set_byte,     &Mutator::set_word, &Mutator::shift_word,
                                   &Mutator::set_digits, &Mutator::insert_token, &Mutator::cut_off,  &Mutator::erase,
                                   &Mutator::repeat,     &Mutator::splice};
    constexpr std::size_t kMostSteps = 4;
    for (std::size_t left = 1 + below(kMostSteps); left != 0; --left) (this->*kSteps[below(kSteps.size())])();
    if (bytes_.size() > kLongest) bytes_.resize(kLongest);
    return std::move(bytes_);
  }

 private:
  struct Range {
    std::size_t begin;
    std::size_t size;
  };

  std::uint64_t random() { return splitmix64(random_seed_, index_, draws_++); }
  /// 0 when there is nothing below `bound`.
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : static_cast<std::size_t>(random() % bound); }
  std::uint64_t any_number() { return kNumbers[below(kNumbers.size())]; }
  /// Mostly short.
  Range any_range(const std::string& bytes) {
    const std::size_t begin = below(bytes.size());
    const std::size_t room = bytes.size() - begin;
    return {begin, below(2) == 0 ? below(room + 1) : std::min(room, 1 + below(8))};
  }

  void flip_bit() {
    if (!bytes_.empty()) bytes_[below(bytes_.size())] ^= static_cast<char>(1 << below(8));
  }
  void set_byte() {
    if (!bytes_.empty()) bytes_[below(bytes_.size())] = static_cast<char>(random());
  }

  /// Calls change(word) for a little-endian word of 4 or 8 bytes, mostly an aligned one.
  template <class Change>
  void change_word(const Change& change) {
    const std::size_t size = below(2) == 0 ? 4 : 8;
    if (bytes_.size() < size) return;
    std::size_t place = below(bytes_.size() - size + 1);
    if (below(4) != 0) place -= place % size;
    std::uint64_t word = 0;
    std::memcpy(&word, bytes_.data() + place, size);
    word = change(word);
    std::memcpy(bytes_.data() + place, &word, size);
  }
  void set_word() {
    change_word([this](std::uint64_t) { return any_number(); });
  }
  void shift_word() {
    change_word([this](std::uint64_t word) { return word + below(9) - 4; });
  }

  /// Another number where there is one in decimal digits.
  void set_digits() {
    constexpr std::string_view kDigits = "0123456789";
    const std::size_t begin = bytes_.find_first_of(kDigits, below(bytes_.size()));
    if (begin == std::string::npos) return;
    const std::size_t end = std::min(bytes_.find_first_not_of(kDigits, begin), bytes_.size());
    bytes_.replace(begin, end - begin, std::to_string(below(2) == 0 ? any_number() : below(20)));
  }
  void insert_token() { bytes_.insert(below(bytes_.size() + 1), kTokens[below(kTokens.size())]); }

  void cut_off() { bytes_.resize(below(bytes_.size() + 1)); }
  void erase() {
    const Range range = any_range(bytes_);
    bytes_.erase(range.begin, range.size);
  }
  void repeat() {
    const Range range = any_range(bytes_);
    const std::string part = bytes_.substr(range.begin, range.size);
    bytes_.insert(range.begin, part);
  }
  void splice() {
    const std::string& other = seeds_[below(seeds_.size())].bytes;
    const Range range = any_range(other);
    const std::size_t place = below(bytes_.size() + 1);
    if (below(2) == 0) {
      bytes_.insert(place, other, range.begin, range.size);
    } else {
      bytes_.replace(place, range.size, other, range.begin, range.size);
    }
  }

  const std::vector<Seed>& seeds_;
  std::uint64_t random_seed_;
  std::uint64_t index_;
  std::uint64_t draws_ = 0;
  std::string bytes_;
};

}  // namespace

std::string mutation(const std::vector<Seed>& seeds, std::uint64_t random_seed, std::uint64_t index) {
  return Mutator(seeds, random_seed, index).run();
}

}  // namespace graphrun::fuzz
