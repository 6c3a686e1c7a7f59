// SPDX-License-Identifier: Apache-2.0
// A directory of its own for every test, files in it, and errors as text.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <bit>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/build.hpp"
#include "io/text_source.hpp"
#include "support/quick_folder.hpp"

namespace graphrun::test {

class IoTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string made = (quick_folder() / "graphrun_io_XXXXXX").string();
    ASSERT_NE(::mkdtemp(made.data()), nullptr);
    directory = made;
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  std::string path(const std::string& name) const { return (directory / name).string(); }

  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

  std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(directory), std::filesystem::directory_iterator()));
  }

  std::filesystem::path directory;
  ThreadPool pool{2};
};

/// The whole text of a file at once.
inline io::Text open_text(const std::string& path) {
  io::TextReader reader(path);
  io::Text text;
  reader.next(text);
  return text;
}

/// The bytes of one gzip member.
inline std::string gzipped(const std::string& content) {
  z_stream stream{};
  EXPECT_EQ(::deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(::deflateBound(&stream, content.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(::deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

/// Message of the error of type E that `action` ends with; a failed test when it ends otherwise.
template <class E, class Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const E& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another error: " << error.what();
    return "";
  }
  ADD_FAILURE() << "no error";
  return "";
}

using Arc = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;

/// (source, target, weight word, u64 weight or 0) of every entry, in order.
inline std::vector<Arc> arcs_of(const EdgeList& edges) {
  std::vector<Arc> arcs;
  for (std::size_t i = 0; i < edges.sources.size(); ++i) {
    arcs.emplace_back(edges.sources[i], edges.targets[i], edges.weight_bits(i));
  }
  return arcs;
}

inline ::testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << text << "' lacks '" << part << "'";
}

inline std::uint32_t word(float value) { return std::bit_cast<std::uint32_t>(value); }

}  // namespace graphrun::test

#define EXPECT_CONTAINS(text, part) EXPECT_TRUE(::graphrun::test::contains(text, part))
