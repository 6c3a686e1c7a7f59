// All formats, in one table: how each is named, recognised, read and written.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/graph/scratch.hpp"
#include "graphrun/io/readers.hpp"
#include "io/binary_formats.hpp"
#include "io/entry_stream.hpp"

namespace graphrun::io::inline GR_IDS {

using OpenEntries = std::unique_ptr<EntryStream> (*)(const std::string& path, const ReadOptions& options, ThreadPool& pool);
using ReadRows = Graph (*)(const std::string& path, const ReadOptions& options, const Workspace& space, ThreadPool& pool);

/// Text holds entries in any order and is opened; binary files hold rows and are read. The native container is neither: it
/// keeps more than the others and load.cpp treats it by itself.
struct Format {
  FileFormat id;
  std::string_view name;     ///< what --format takes
  std::string_view title;    ///< what results say
  std::string_view content;  ///< for --help
  OpenEntries open_entries = nullptr;
  ReadRows read_rows = nullptr;
  std::uint64_t first_name = 0;  ///< the number that the format gives to its first vertex
};

std::span<const Format> formats();
const Format& format_of(FileFormat id);

enum class Weights { never, always, if_present };
/// How an output calls vertices: by numbers from 0 or from 1 on, or as the input did.
enum class Naming { from_0, from_1, as_in_input };
using WriteGraph = void (*)(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
                            ThreadPool& pool);

/// A kind of output. Its name is what --to takes, and with a dot before it the suffix that asks for it.
struct OutputFormat {
  std::string_view name;
  std::string_view content;  ///< for --help
  Weights weights;
  WriteGraph write;
  Naming naming = Naming::from_0;
  bool is_text = false;       ///< and can go to standard output
  bool bare_weights = false;  ///< it does not say whether its weights are u32 or f32
};

std::span<const OutputFormat> output_formats();

}  // namespace graphrun::io::inline GR_IDS
