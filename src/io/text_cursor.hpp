// SPDX-License-Identifier: Apache-2.0
// A place in a text that is read a window at a time, its header lines, the pieces of a window for several workers, and the first
// fault that they find.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "graphrun/core/parallel.hpp"
#include "graphrun/core/types.hpp"
#include "io/line_parser.hpp"
#include "io/text_source.hpp"

namespace graphrun::io::inline GR_IDS {

/// Moves through the windows of a text, in order. Holds one window at a time, and none at the end.
class TextCursor {
 public:
  /// Throws what TextReader throws.
  TextCursor(const std::string& path, std::size_t window_bytes);

  const std::string& path() const { return path_; }
  /// Returns whether no window is left.
  bool at_end() const { return !reader_; }
  const Text& window() const { return window_; }
  /// Returns where the unread part of the window begins.
  const char* position() const { return window_.begin() + offset_; }
  void move_to(const char* position) { offset_ = static_cast<std::size_t>(position - window_.begin()); }
  void next_window();
  /// Moves to the first token of the next line that is neither blank nor a comment; returns false when there is none.
  bool seek_line(CommentMarks is_comment);

 private:
  std::string path_;
  bool in_one_window_;
  std::optional<TextReader> reader_;
  Text window_;
  std::size_t offset_ = 0;
};

/// The words of the line that a cursor is at. Must not outlive the window.
class HeaderLine {
 public:
  /// Moves the cursor to the next line that is neither blank nor a comment. `name` and `form` of the line are for messages.
  /// Throws DataError when there is no line.
  HeaderLine(TextCursor& cursor, CommentMarks is_comment, std::string name, std::string form);

  bool done() const { return at_line_end(next_, text_.end()); }
  /// Returns the next word. Throws DataError when there is none.
  std::string word();
  /// Returns the next word as a number. Throws DataError when it is none, or beyond 64 bits.
  std::uint64_t number();
  /// Moves the cursor to the line after this one. Throws DataError when words are left.
  void finish(TextCursor& cursor) const;

  std::uint64_t line() const { return line_number(text_, offset()); }
  /// Throws DataError with the line.
  [[noreturn]] void refuse(const std::string& message) const;
  /// Throws WideIdsError about SUBJECT unless vertex ids of this build can name `vertices`; `overflows`: these are beyond 64
  /// bits.
  void check_vertices(std::uint64_t vertices, bool overflows, const std::string& subject) const;

 private:
  [[noreturn]] void refuse_token() const;
  std::size_t offset() const { return static_cast<std::size_t>(begin_ - text_.begin()); }
  void move_past(const char* last) { next_ = skip_blanks(last, text_.end()); }

  const Text& text_;
  const char* begin_;
  const char* next_;
  std::string name_;
  std::string form_;
};

/// Returns "path:line: message" for the line at byte `offset` of the window.
std::string sentence_at(const Text& text, std::size_t offset, const std::string& message);
/// Throws DataError with that sentence.
[[noreturn]] void throw_at(const Text& text, std::size_t offset, const std::string& message);

/// Cuts a text into whole lines of about a megabyte: piece i is [result[i], result[i+1]). At least one, which may be empty.
std::vector<const char*> cut_at_lines(const char* begin, const char* end);

/// Pieces of a window by cut_at_lines(), and the number of items before each; T is a number, or several.
template <class T>
struct CountedPieces {
  std::vector<const char*> bounds;
  std::vector<T> before;

  /// count(begin, end) returns the items of a piece.
  template <class Count>
  CountedPieces(const TextCursor& cursor, ThreadPool& pool, const Count& count)
      : bounds(cut_at_lines(cursor.position(), cursor.window().end())), before(bounds.size()) {
    parallel_tasks(pool, size(), [&](std::size_t piece) { before[piece] = count(bounds[piece], bounds[piece + 1]); });
    exclusive_scan(pool, before.data(), before.size());
  }
  std::size_t size() const { return bounds.size() - 1; }
  const T& total() const { return before.back(); }
};

/// The first of the faults that several workers find in a window.
class FaultLog {
 public:
  explicit FaultLog(const Text& text) : text_(text) {}

  void report(const char* place, std::string message);
  /// Returns whether a fault before `place` is known, so that nothing from there on matters.
  bool precedes(const char* place) const { return offset_.load(std::memory_order_relaxed) < offset_of(place); }
  // The rest not while workers may still report.

  const std::string& path() const { return text_.path; }
  bool empty() const { return offset_.load(std::memory_order_relaxed) == kNone; }
  const std::string& message() const { return message_; }  ///< of the first fault; empty without one
  /// Returns "path:line: message". Precondition: there is a fault.
  std::string sentence() const;
  /// Throws the first fault, if there is any.
  void raise() const;

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t offset_of(const char* place) const { return static_cast<std::size_t>(place - text_.begin()); }

  const Text& text_;
  std::mutex mutex_;
  std::atomic<std::size_t> offset_{kNone};
  std::string message_;
};

}  // namespace graphrun::io::inline GR_IDS
