// Binary formats of other systems (docs/formats.md has their bytes), and writing text. All are CSR already, so that reading
// copies columns, or maps them where the file stores them as memory would.
//
// Readers check the size of a file against its header before they allocate, and offsets and ids afterwards. They throw
// DataError naming the file and what is wrong. Graph::symmetric stays false where the format does not say.
//
// Writers write beside their target and rename (OutputFile). They throw DataError when the graph is inconsistent or cannot be
// written, and UsageError when the format cannot hold it: too many vertices or edges, weights that it has no number for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/graph/scratch.hpp"
#include "io/entry_stream.hpp"

namespace graphrun::io::inline GR_IDS {

/// The beginning of a file, to recognise its format by.
struct FileHead {
  std::string path;
  std::string bytes;  ///< up to 64 KiB, decompressed
  std::uint64_t file_bytes = 0;
};

struct WriteOptions {
  bool weighted = false;                         ///< write the weights; UsageError when there are none or the format holds none
  std::optional<std::uint64_t> raw_offset = {};  ///< .bel: .dst and .val get no header and their payload begins here
};

/// EMOGI and BaM: three files STEM.col, STEM.dst and, optionally, STEM.val. `path` is the stem or any of the three.
/// The only format that is recognised by its name, since only names hold the files together: STEM ends in ".bel", is no file
/// itself, and STEM.col exists. With ReadOptions::raw_offset, .dst and .val may be longer than their payload.
/// Writing replaces the files as a set: until all are complete, either the old graph is there or, for a moment, no STEM.col.
bool is_bel(const FileHead& head);
Graph read_bel(const std::string& path, const ReadOptions& options, const Workspace& space, ThreadPool& pool);
void write_bel(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
               ThreadPool& pool);

/// GAP Benchmark Suite, .sg and .wsg. Told apart by the size of the file; without edges, by the suffix. A directed file holds
/// the inverse, which becomes Graph::in. Weights are u32 when none is negative, f32 otherwise.
bool is_gapbs(const FileHead& head);
Graph read_gapbs(const std::string& path, const ReadOptions& options, const Workspace& space, ThreadPool& pool);
void write_gapbs(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
                 ThreadPool& pool);

/// Subway, .bcsr and .bwcsr. Told apart by the size of the file; without edges, by the suffix.
bool is_subway(const FileHead& head);
Graph read_subway(const std::string& path, const ReadOptions& options, const Workspace& space, ThreadPool& pool);
void write_subway(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
                  ThreadPool& pool);

/// Liberator, .bcsr with 64-bit counts and offsets; without weights. No file is of the right size for both this and Subway
/// (subway.cpp says why).
bool is_liberator(const FileHead& head);
Graph read_liberator(const std::string& path, const ReadOptions& options, const Workspace& space, ThreadPool& pool);
void write_liberator(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
                     ThreadPool& pool);

/// Galois .gr, version 1, with no or 4 bytes of data an edge. Version 2 and other data are recognised and refused.
bool is_galois(const FileHead& head);
Graph read_galois(const std::string& path, const ReadOptions& options, const Workspace& space, ThreadPool& pool);
void write_galois(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
                  ThreadPool& pool);

/// Gunrock .csr, always with f32 weights. Nothing in it is telling enough to recognise it by.
Graph read_gunrock(const std::string& path, const ReadOptions& options, const Workspace& space, ThreadPool& pool);
void write_gunrock(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
                   ThreadPool& pool);

/// Edge lists with blanks between the fields, and CSV with a header: the names of both ends of every stored edge and, with
/// WriteOptions::weighted, its weight. UsageError when a name cannot be a word of an edge list. Vertices without edges are not
/// in them.
void write_edge_list(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
                     ThreadPool& pool);
void write_csv(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
               ThreadPool& pool);

/// MatrixMarket coordinate text: pattern, integer (u32) or real (f32, in the fewest digits that read back as the same bits).
/// `symmetric`, with the lower triangle, when the graph is symmetric and both directions of every edge have the same weights;
/// otherwise `general`.
void write_matrix_market(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
                         ThreadPool& pool);

}  // namespace graphrun::io::inline GR_IDS
