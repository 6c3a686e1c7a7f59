// SPDX-License-Identifier: Apache-2.0
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

/// Returns whether a path exists; false also for a path that cannot be examined.
bool path_exists(const std::string& path);

struct InputName {
  std::string file;
  std::string member;  ///< empty: none is named
};

/// Takes ARCHIVE:MEMBER apart. A path that exists names no member.
InputName split_member(const std::string& path);

/// Returns "tar" or "zip"; null for no archive. Looks into compressed files.
const char* archive_kind(std::span<const std::byte> file);

inline constexpr std::size_t kMemberHeadBytes = std::size_t{1} << 18;  ///< estimates look at so many

struct Member {
  std::string name;
  std::optional<std::uint64_t> bytes;  ///< of its text, where the archive says
  std::string head;                    ///< its first kMemberHeadBytes, or all of it
};

/// Returns the member that `path` names, or else the one that holds the graph; nothing for no archive. Throws DataError: no such
/// member, several that may be meant, a damaged archive; UnavailableError: built without libarchive, or the member is compressed
/// or encrypted in a way that is not read.
std::optional<Member> find_member(const std::string& path, std::span<const std::byte> file);

/// Opens that member; null for no archive. `path` and `file` must outlive the decoder. Throws as find_member().
std::unique_ptr<Decoder> open_member(const std::string& path, std::span<const std::byte> file);

/// Returns the shell command that writes the member that `path` names; empty for no archive.
std::string member_command(const std::string& path, std::span<const std::byte> file);

}  // namespace graphrun::io::inline GR_IDS
