#include "io/decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"
#include "io/decoders.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

using namespace std::string_view_literals;
using Bytes = std::span<const std::byte>;
using Make = std::unique_ptr<Decoder> (*)(const char* name, const std::string& path, Bytes file);

struct Compression {
  const char* name;
  bool (*recognises)(std::string_view head);
  Make make;
  const char* package;  ///< of Debian, with the library
};

constexpr std::size_t kMagicHeadBytes = 16;

/// A file that is too short for the whole magic number passes: it is truncated.
bool begins_with(std::string_view head, std::string_view magic) {
  return head.substr(0, magic.size()) == magic.substr(0, head.size());
}

bool is_gzip(std::string_view head) { return head.size() >= 2 && head.starts_with("\x1f\x8b"sv); }
bool is_xz(std::string_view head) {
  return head.size() >= 4 && begins_with(head,
                                         "\xfd"
                                         "7zXZ\0"sv);
}

/// A frame, or one that decoders skip: parallel compressors write those.
bool is_zstd(std::string_view head) {
  const bool skippable = head.size() >= 4 && (head[0] & '\xf0') == '\x50' && head.substr(1).starts_with("\x2a\x4d\x18"sv);
  return skippable || head.starts_with("\x28\xb5\x2f\xfd"sv);
}

/// The magic number alone could begin a text; behind it are a digit and the first block's number, or that of the end.
bool is_bzip2(std::string_view head) {
  if (head.size() < 4 || !head.starts_with("BZh"sv) || head[3] < '1' || head[3] > '9') return false;
  return begins_with(head.substr(4), "1AY&SY"sv) || begins_with(head.substr(4), "\x17\x72\x45\x38\x50\x90"sv);
}

constexpr Compression kCompressions[] = {
    {"gzip", is_gzip, make_gzip_decoder, "zlib1g-dev"},
    {"zstd", is_zstd, make_zstd_decoder, "libzstd-dev"},
    {"xz", is_xz, make_xz_decoder, "liblzma-dev"},
    {"bzip2", is_bzip2, make_bzip2_decoder, "libbz2-dev"},
};

const Compression* recognise(Bytes file) {
  const std::string_view head(reinterpret_cast<const char*>(file.data()), std::min(file.size(), kMagicHeadBytes));
  for (const Compression& compression : kCompressions) {
    if (compression.recognises(head)) return &compression;
  }
  return nullptr;
}

}  // namespace

const char* compression_of(Bytes file) {
  const Compression* found = recognise(file);
  return found == nullptr ? nullptr : found->name;
}

std::unique_ptr<Decoder> make_decoder(const std::string& path, Bytes file) {
  const Compression* found = recognise(file);
  if (found == nullptr) return nullptr;
  auto decoder = found->make(found->name, path, file);
  if (decoder == nullptr) {
    throw UnavailableError(
        fmt::format("{} is compressed with {}, which this program was built without: decompress it first, or install {} and "
                    "build again",
                    path, found->name, found->package));
  }
  return decoder;
}

std::size_t Decoder::read(std::span<char> out) {
  std::size_t made = 0;
  while (made < out.size() && !done_) {
    const Step step = decode(rest(), out.subspan(made));
    position_ += step.taken;
    made += step.made;
    if (step.ends_member) {
      next_member();
    } else if (rest().empty() && made < out.size()) {
      throw DataError(
          fmt::format("{}: the {} data is truncated: it ends at byte {} in the middle of a stream", path_, name_, position_));
    } else if (step.taken == 0 && step.made == 0) {
      corrupted("no data follows");
    }
  }
  return made;
}

void Decoder::next_member() {
  // Zero bytes after a member are padding of xz; after the last one they are also that of tapes and of some file systems.
  while (position_ < file_.size() && file_[position_] == std::byte{0}) ++position_;
  if (rest().empty()) {
    done_ = true;
    return;
  }
  const char* next = compression_of(rest());
  if (next == nullptr || std::string_view(next) != name_) {
    throw DataError(fmt::format("{}: bytes after the end of the {} data, at byte {}", path_, name_, position_));
  }
  restart();
}

void Decoder::corrupted(const char* reason) const {
  throw DataError(fmt::format("{}: the {} data is corrupted near byte {} ({})", path_, name_, position_, reason));
}

void Decoder::out_of_memory() const { throw RunError(fmt::format("{} ran out of memory on {}", name_, path_)); }

void Decoder::asks_for_too_much(std::uint64_t most_bytes) const {
  throw RunError(
      fmt::format("{}: the {} data needs more than {} of memory to be decompressed, which is more than is given to it: "
                  "decompress it first",
                  path_, name_, format_bytes(most_bytes)));
}

}  // namespace graphrun::io::inline GR_IDS
