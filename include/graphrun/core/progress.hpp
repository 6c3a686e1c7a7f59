// How far a long job is, for a person at a terminal. One line on stderr, redrawn ten times a second at most; nothing unless
// a program asked for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace graphrun {

/// One stage of a job; the line goes away with it. Stages do not nest. For one thread.
class Progress {
 public:
  /// Shows stages from now on. Programs call it once, when stderr is a terminal.
  static void enable();

  /// `total` in any unit that advance() counts in; 0 when nobody knows.
  Progress(std::string_view stage, std::uint64_t total, std::string_view unit = "");
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(std::uint64_t amount);

 private:
  void draw() const;

  std::string stage_;
  std::string unit_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  double next_draw_ms_ = 0;
};

}  // namespace graphrun
