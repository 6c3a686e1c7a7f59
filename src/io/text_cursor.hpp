// A place in a text that is read a window at a time, and the header lines that are found there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

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
  /// True when no window is left.
  bool at_end() const { return !reader_; }
  const Text& window() const { return window_; }
  /// Where the unread part of the window begins.
  const char* position() const { return window_.begin() + offset_; }
  void move_to(const char* position) { offset_ = static_cast<std::size_t>(position - window_.begin()); }
  void next_window();
  /// Moves to the first token of the next line that is neither blank nor a comment, in this window or a later one; false when
  /// there is none.
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
  /// For error messages: `name` is what the line is called, `form` what it should read.
  HeaderLine(const TextCursor& cursor, std::string name, std::string form);

  bool done() const { return at_line_end(next_, text_.end()); }
  /// The next word. Throws DataError when there is none.
  std::string word();
  /// The next word as a number. Throws DataError when it is none, or beyond 64 bits.
  std::uint64_t number();
  /// Moves the cursor to the line after this one. Throws DataError when words are left.
  void finish(TextCursor& cursor) const;

  std::uint64_t line() const { return line_number(text_, offset()); }
  /// Throws DataError with the line.
  [[noreturn]] void refuse(const std::string& message) const;
  /// "SUBJECT has more vertices than ..." unless vertex ids of this build can name `vertices`.
  void check_vertices(std::uint64_t vertices, const std::string& subject) const;
  [[noreturn]] void refuse_vertices(const std::string& subject) const;

 private:
  std::size_t offset() const { return static_cast<std::size_t>(begin_ - text_.begin()); }
  void move_past(const char* last) { next_ = skip_blanks(last, text_.end()); }

  const Text& text_;
  const char* begin_;
  const char* next_;
  std::string name_;
  std::string form_;
};

}  // namespace graphrun::io::inline GR_IDS
