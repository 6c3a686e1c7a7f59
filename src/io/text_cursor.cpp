#include "io/text_cursor.hpp"

#include <fmt/format.h>

#include <utility>

#include "graphrun/core/error.hpp"
#include "graphrun/core/types.hpp"
#include "io/text_pieces.hpp"

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

HeaderLine::HeaderLine(const TextCursor& cursor, std::string name, std::string form)
    : text_(cursor.window()),
      begin_(cursor.position()),
      next_(skip_blanks(begin_, text_.end())),
      name_(std::move(name)),
      form_(std::move(form)) {}

std::string HeaderLine::word() {
  if (done()) refuse(fmt::format("{} should read '{}', but holds {}", name_, form_, quote_token(next_, text_.end())));
  const char* last = token_end(next_, text_.end());
  std::string word(next_, last);
  move_past(last);
  return word;
}

std::uint64_t HeaderLine::number() {
  std::uint64_t value = 0;
  const char* last = next_;
  const Parsed parsed = parse_unsigned(last, text_.end(), value);
  if (parsed == Parsed::too_large) refuse(fmt::format("{} in {} does not fit 64 bits", quote_token(next_, text_.end()), name_));
  if (parsed != Parsed::ok) {
    refuse(fmt::format("{} should read '{}', but holds {}", name_, form_, quote_token(next_, text_.end())));
  }
  move_past(last);
  return value;
}

void HeaderLine::finish(TextCursor& cursor) const {
  if (!done()) refuse(fmt::format("unexpected {} after '{}'", quote_token(next_, text_.end()), form_));
  cursor.move_to(next_line(next_, text_.end()));
}

void HeaderLine::refuse(const std::string& message) const { throw_at(text_, offset(), message); }

void HeaderLine::check_vertices(std::uint64_t vertices, const std::string& subject) const {
  if (vertices > kNoVertex) refuse_vertices(subject);
}

void HeaderLine::refuse_vertices(const std::string& subject) const {
  throw WideIdsError(
      sentence_at(text_, offset(), fmt::format("{} has more vertices than {}-bit ids can name", subject, kVertexBits)));
}

}  // namespace graphrun::io::inline GR_IDS
