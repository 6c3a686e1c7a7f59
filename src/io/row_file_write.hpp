// Writing CSR to a binary file whose layout is known.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "graphrun/core/output_file.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/graph/scratch.hpp"
#include "io/binary_formats.hpp"
#include "io/row_file.hpp"

namespace graphrun::io::inline GR_IDS {

/// What every writer asks first: that the graph is consistent, since a file that its own reader would refuse must not come
/// into being (DataError), and that it has the weights that are to be written (UsageError).
void check_graph_to_write(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
                          ThreadPool& pool);

/// UsageError unless `count` is at most `limit`. `instead` names a format that holds more.
void check_count_to_write(const std::string& path, std::uint64_t count, const char* what, std::uint64_t limit,
                          const char* instead);

/// UsageError when the suffix, which the programs that read `path` go by, contradicts `weighted`.
void check_suffix_to_write(const std::string& path, bool weighted, std::string_view plain_suffix,
                           std::string_view weighted_suffix);

/// Zeros up to `offset` of the file.
void pad_to(OutputFile& file, std::uint64_t offset);

/// Writes columns, each at its place: what is missing before it is filled with zeros. The caller has made sure that counts and
/// ids fit. All referenced objects must outlive it.
class RowsWriter {
 public:
  /// `kind` says what csr.weights holds; it is ignored when the layout has no weights. `path` is for messages.
  RowsWriter(const RowsLayout& layout, const Csr& csr, WeightKind kind, std::string path, const Workspace& space,
             ThreadPool& pool)
      : layout_(layout), csr_(csr), kind_(kind), path_(std::move(path)), space_(space), pool_(pool) {}

  void write_offsets(OutputFile& file) const;
  void write_neighbours(OutputFile& file) const;
  /// UsageError naming the first edge whose weight the format has no number for.
  void write_weights(OutputFile& file) const;
  /// All columns, for formats of one file, up to the end of the layout.
  void write(OutputFile& file) const;

 private:
  template <class Id>
  void write_pairs(OutputFile& file) const;
  template <class T>
  void write_column(OutputFile& file, const Column<T>& column, std::uint64_t first, std::uint64_t size,
                    std::uint32_t bytes) const;
  template <class Stored, class T>
  void write_converted(OutputFile& file, const Column<T>& column, std::uint64_t first, std::uint64_t size) const;
  template <class Put>
  void write_pieces(OutputFile& file, std::uint64_t size, std::size_t item_bytes, const Put& put) const;
  template <class T>
  void release(const Column<T>& column, std::uint64_t begin, std::uint64_t end) const;
  void put_weights(std::uint64_t begin, std::uint64_t end, char* to, std::size_t stride) const;

  const RowsLayout& layout_;
  const Csr& csr_;
  WeightKind kind_;
  std::string path_;
  const Workspace& space_;
  ThreadPool& pool_;
};

/// A file of `header` and rows, under its name when all is written.
void write_row_file(const std::string& path, std::string_view header, const RowsLayout& layout, const Csr& csr, WeightKind kind,
                    const Workspace& space, ThreadPool& pool);

}  // namespace graphrun::io::inline GR_IDS
