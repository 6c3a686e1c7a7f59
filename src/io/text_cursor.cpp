// SPDX-License-Identifier: Apache-2.0

#include "io/text_cursor.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/raise.hpp"

namespace graphrun::io::inline GR_IDS {

TextCursor::TextCursor(const std::string& path, std::size_t window_bytes)
    : path_(path), in_one_window_(window_bytes == TextReader::kEverything) {
  reader_.emplace(path, window_bytes);
  if (!reader_->next(window_)) reader_.reset();
  offset_ = size_of_mark({window_.begin(), window_.bytes.size()});
}

void TextCursor::next_window() {
  offset_ = 0;
  window_.bytes = {};
  if (in_one_window_ || !reader_->next(window_)) reader_.reset();
}

bool TextCursor::seek_line(CommentMarks is_comment) {
  for (; !at_end(); next_window()) {
    const char* found = seek_content(position(), window_.end(), is_comment);
    if (found == window_.end()) continue;
    move_to(found);
    return true;
  }
  return false;
}

HeaderLine::HeaderLine(TextCursor& cursor, CommentMarks is_comment, std::string name, std::string form)
    : text_(cursor.window()), name_(std::move(name)), form_(std::move(form)) {
  if (!cursor.seek_line(is_comment)) raise<DataError>("{} ends before its {} ('{}')", cursor.path(), name_, form_);
  begin_ = next_ = cursor.position();
}

void HeaderLine::refuse_token() const {
  refuse(fmt::format("the {} should read '{}', but holds {}", name_, form_, quote_token(next_, text_.end())));
}

std::string HeaderLine::word() {
  if (done()) refuse_token();
  const char* last = token_end(next_, text_.end());
  std::string word(next_, last);
  move_past(last);
  return word;
}

std::uint64_t HeaderLine::number() {
  std::uint64_t value = 0;
  const char* last = next_;
  const Parsed parsed = parse_unsigned(last, text_.end(), value);
  if (parsed == Parsed::too_large)
    refuse(fmt::format("{} in the {} does not fit 64 bits", quote_token(next_, text_.end()), name_));
  if (parsed != Parsed::ok) refuse_token();
  move_past(last);
  return value;
}

void HeaderLine::finish(TextCursor& cursor) const {
  if (!done()) refuse(fmt::format("unexpected {} after '{}'", quote_token(next_, text_.end()), form_));
  cursor.move_to(next_line(next_, text_.end()));
}

void HeaderLine::refuse(const std::string& message) const { throw_at(text_, offset(), message); }

void HeaderLine::check_vertices(std::uint64_t vertices, bool overflows, const std::string& subject) const {
  if (vertices <= kNoVertex && !overflows) return;
  throw WideIdsError(
      sentence_at(text_, offset(), fmt::format("{} has more vertices than {}-bit ids can name", subject, kVertexBits)));
}

std::string sentence_at(const Text& text, std::size_t offset, const std::string& message) {
  return fmt::format("{}:{}: {}", text.path, line_number(text, offset), message);
}

void throw_at(const Text& text, std::size_t offset, const std::string& message) {
  throw DataError(sentence_at(text, offset, message));
}

std::vector<const char*> cut_at_lines(const char* begin, const char* end) {
  constexpr std::ptrdiff_t kPieceBytes = std::ptrdiff_t{1} << 20;
  std::vector<const char*> bounds{begin};
  while (end - bounds.back() > kPieceBytes) bounds.push_back(next_line(bounds.back() + kPieceBytes, end));
  if (bounds.back() != end || bounds.size() == 1) bounds.push_back(end);
  return bounds;
}

void FaultLog::report(const char* place, std::string message) {
  const std::size_t offset = offset_of(place);
  const std::lock_guard lock(mutex_);
  if (offset >= offset_.load(std::memory_order_relaxed)) return;
  offset_.store(offset, std::memory_order_relaxed);
  message_ = std::move(message);
}

std::string FaultLog::sentence() const { return sentence_at(text_, offset_.load(std::memory_order_relaxed), message_); }

void FaultLog::raise() const {
  if (!empty()) throw DataError(sentence());
}

}  // namespace graphrun::io::inline GR_IDS
