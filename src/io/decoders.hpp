// The decoders of single formats. decoder.hpp chooses among them.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "graphrun/core/types.hpp"
#include "io/decoder.hpp"

namespace graphrun::io::inline GR_IDS {

// Each is null when this build lacks the library. Throws RunError without memory.

std::unique_ptr<Decoder> make_gzip_decoder(const char* name, const std::string& path, std::span<const std::byte> file);
std::unique_ptr<Decoder> make_zstd_decoder(const char* name, const std::string& path, std::span<const std::byte> file);
std::unique_ptr<Decoder> make_xz_decoder(const char* name, const std::string& path, std::span<const std::byte> file);
std::unique_ptr<Decoder> make_bzip2_decoder(const char* name, const std::string& path, std::span<const std::byte> file);

}  // namespace graphrun::io::inline GR_IDS
