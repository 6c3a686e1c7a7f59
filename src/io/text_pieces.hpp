// A window of text in the hands of several workers: the pieces they take, and the first fault they find.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "graphrun/core/types.hpp"
#include "io/text_source.hpp"

namespace graphrun::io::inline GR_IDS {

/// "path:line: message" for the line at byte `offset` of the window.
std::string sentence_at(const Text& text, std::size_t offset, const std::string& message);
/// Throws DataError with that sentence.
[[noreturn]] void throw_at(const Text& text, std::size_t offset, const std::string& message);

/// Pieces of whole lines, of about a megabyte: piece i is [result[i], result[i+1]). At least one, which may be empty.
std::vector<const char*> cut_at_lines(const char* begin, const char* end);

/// The fault that comes first in a window, among those that several workers find.
class FaultLog {
 public:
  explicit FaultLog(const Text& text) : text_(text) {}

  void report(const char* place, std::string message);
  /// True when a fault before `place` is known, so that nothing from there on can matter.
  bool precedes(const char* place) const { return offset_.load(std::memory_order_relaxed) < offset_of(place); }
  // The rest not while workers may still report.

  const std::string& path() const { return text_.path; }
  bool empty() const { return offset_.load(std::memory_order_relaxed) == kNone; }
  const std::string& message() const { return message_; }  ///< of the first fault; empty without one
  /// "path:line: message". There is a fault.
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
