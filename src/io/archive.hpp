// Graphs in archives (tar, also compressed, and zip), as SuiteSparse, SNAP and Network Repository distribute them: one member is
// read, through libarchive, and nothing is unpacked to disk. A member is named ARCHIVE:MEMBER.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "graphrun/core/types.hpp"
#include "io/decoder.hpp"

namespace graphrun::io::inline GR_IDS {

struct InputName {
  std::string file;
  std::string member;  ///< empty: none is named
};

/// Takes ARCHIVE:MEMBER apart. A path that exists names no member.
InputName split_member(const std::string& path);

/// "tar" or "zip"; null for no archive. Looks into compressed files.
const char* archive_kind(std::span<const std::byte> file);

/// Opens the member that `path` names, or else the one that holds the graph; null for no archive. `path` and `file` must outlive
/// it. Throws DataError: no such member, several that may be meant, a damaged archive; UnavailableError: built without
/// libarchive, or the member is compressed or encrypted in a way that is not read.
std::unique_ptr<Decoder> open_member(const std::string& path, std::span<const std::byte> file);

/// The shell command that writes the member that `path` names; empty for no archive.
std::string member_command(const std::string& path, std::span<const std::byte> file);

/// The path of the member that open_member() chooses in an archive; otherwise `path`. Throws as open_member().
std::string with_member(const std::string& path, std::span<const std::byte> file);

/// Bytes of the text of a member; nothing for no archive, or where the archive does not say. Throws as open_member().
std::optional<std::uint64_t> member_bytes(const std::string& path, std::span<const std::byte> file);

/// The first `limit` bytes of the text of a member, where that are no more than are remembered of the last one; nothing for more,
/// and for no archive. Throws as open_member().
std::optional<std::string> member_head(const std::string& path, std::span<const std::byte> file, std::size_t limit);

}  // namespace graphrun::io::inline GR_IDS
