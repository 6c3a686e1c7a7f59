// SPDX-License-Identifier: Apache-2.0
// Streams of entries, read in every way that must make no difference: by one thread or two, in one batch or many.
#pragma once

#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/entry_stream.hpp"
#include "io/formats.hpp"
#include "io/io_fixture.hpp"

namespace graphrun::test {

using OpenStream = std::unique_ptr<io::EntryStream> (*)(const std::string&, const io::ReadOptions&, ThreadPool&);

/// What reading a file comes to: entries, or an error.
struct Outcome {
  std::vector<Arc> entries;
  std::uint64_t num_vertices = 0;
  WeightKind weight_kind = WeightKind::none;
  Arcs arcs = Arcs::directed;
  std::string error;
  std::size_t batches = 0;

  bool same_as(const Outcome& other) const {
    return entries == other.entries && num_vertices == other.num_vertices && weight_kind == other.weight_kind &&
           arcs == other.arcs && error == other.error;
  }
};

/// All batches of a stream, begun again with wide_weights or float_weights when the kind of weights changes on the way.
inline Outcome read_stream(OpenStream open, const std::string& path, io::ReadOptions options, ThreadPool& pool) {
  Outcome outcome;
  try {
    const auto stream = open(path, options, pool);
    for (EdgeList batch; stream->next(batch);) {
      if (outcome.batches++ != 0 && batch.weight_kind != outcome.weight_kind) {
        if (options.float_weights) throw std::logic_error("weights changed although f32 was asked for");
        options.wide_weights = batch.weight_kind == WeightKind::u64;
        options.float_weights = !options.wide_weights;
        return read_stream(open, path, options, pool);
      }
      const std::vector<Arc> more = arcs_of(batch);
      outcome.entries.insert(outcome.entries.end(), more.begin(), more.end());
      outcome.weight_kind = batch.weight_kind;
      outcome.arcs = batch.arcs;
      EXPECT_GE(batch.num_vertices, outcome.num_vertices);
      outcome.num_vertices = batch.num_vertices;
    }
    EdgeList untouched;
    untouched.num_vertices = 7;
    EXPECT_FALSE(stream->next(untouched));
    EXPECT_EQ(untouched.num_vertices, 7u);
  } catch (const Error& error) {
    outcome = {};
    outcome.error = error.what();
  }
  return outcome;
}

class StreamTest : public IoTest {
 protected:
  static constexpr std::size_t kOneLine = 1;  ///< batch_bytes that makes every line a window of its own

  /// Reads `content` in one batch; expects the same in smaller ones and with one thread.
  Outcome read_all_ways(OpenStream open, const std::string& content, io::ReadOptions options = {}) {
    const std::string file = write("g.txt", content);
    options.batch_bytes = std::numeric_limits<std::size_t>::max();
    const Outcome whole = read_stream(open, file, options, pool);
    EXPECT_LE(whole.batches, 1u);
    for (const std::size_t batch_bytes : {kOneLine, std::size_t{64}, std::size_t{1000}, options.batch_bytes}) {
      for (ThreadPool* workers : {&one_thread, &pool}) {
        options.batch_bytes = batch_bytes;
        const Outcome pieces = read_stream(open, file, options, *workers);
        EXPECT_TRUE(pieces.same_as(whole)) << "batches of " << batch_bytes << " bytes, " << workers->size() << " threads: '"
                                           << pieces.error << "', in one batch: '" << whole.error << "'";
      }
    }
    return whole;
  }

  Outcome read_good(OpenStream open, const std::string& content, io::ReadOptions options = {}) {
    Outcome outcome = read_all_ways(open, content, options);
    EXPECT_EQ(outcome.error, "");
    return outcome;
  }

  ThreadPool one_thread{1};
};

}  // namespace graphrun::test
