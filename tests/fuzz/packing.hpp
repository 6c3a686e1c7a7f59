// SPDX-License-Identifier: Apache-2.0
// How the bytes of a fuzz input become files. Most formats are one file that holds the input as it is. The others are packed, so
// that a mutation of the input changes what a reader looks at:
//
//  - grf: without the padding between sections. What follows from the rest (offsets of sections, the size of the file,
//    checksums) is stored as the difference to what it should be, so that zeros are right wherever the sections end up.
//  - bel: the three files one after another, separated by kCut.
//  - compressed: a byte that says how to damage the file, one that says how to fill it up (fill_window in packing.cpp), one that
//    chooses the compression (compress.hpp), then text, cut by kCut into what becomes a member each.
//  - sniff: a byte that chooses the suffix of the file, then its contents.
//
// Inputs that are too short for this, or do not begin like a container, are taken as they are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace graphrun::fuzz {

struct InputFile {
  std::string suffix;  ///< behind the stem that all files of an input share
  std::string bytes;
};

inline constexpr std::string_view kCut{"\n--8<--\n"};

/// The files that `input` stands for.
std::vector<InputFile> unpack(std::string_view target, std::string_view input);

/// Suffix of what load_graph is to be given.
std::string suffix_to_load(std::string_view target, std::string_view input);

/// `bytes` of a sound native container as an input of the target grf.
std::string pack_container(std::string_view bytes);
std::string unpack_container(std::string_view packed);

/// True when an input of the target compressed is packed, and its file is not damaged on purpose.
bool is_soundly_compressed(std::string_view input);
/// The text that such an input compresses.
std::string text_of_compressed(std::string_view input);

/// The byte for which an input of the target sniff gets `suffix`, one of those in packing.cpp.
char choice_of_suffix(std::string_view suffix);

}  // namespace graphrun::fuzz
