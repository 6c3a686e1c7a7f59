// From entries to a graph, in memory or through scratch files.
#pragma once

#include <functional>
#include <memory>

#include "graphrun/io/load.hpp"
#include "io/entry_stream.hpp"

namespace graphrun::io::inline GR_IDS {

/// Opens the entries anew: they are read twice where weights turn out to be f32 after all.
using Opener = std::function<std::unique_ptr<EntryStream>(const ReadOptions& options)>;

/// `name` is for messages. Everything of `options` that concerns entries is done: ids, self loops, duplicates, undirected.
Graph assemble(const Opener& open, const std::string& name, const LoadOptions& options, const Workspace& space, ThreadPool& pool,
               LoadTimes& times);

}  // namespace graphrun::io::inline GR_IDS
