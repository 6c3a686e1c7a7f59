#include "io/text_pieces.hpp"

#include <fmt/format.h>

#include <utility>

#include "graphrun/core/error.hpp"
#include "io/line_parser.hpp"

namespace graphrun::io::inline GR_IDS {

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
