// SPDX-License-Identifier: Apache-2.0
// Lines of a model's figures, as JSON objects or as tables for people. Both say that they are modelled.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "frame.hpp"

namespace graphrun::bench {

class Report {
 public:
  explicit Report(bool as_table) : as_table_(as_table) {}
  ~Report() { end_table(); }
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  /// Names and values in turn.
  template <class... Parts>
  void line(const std::string& figure, const Parts&... parts) {
    if (!as_table_) return print_json("modelled", true, "figure", figure, parts...);
    std::vector<std::string> names, values;
    split(names, values, parts...);
    if (figure != figure_ || names != names_) {
      end_table();
      figure_ = figure, names_ = names;
    }
    rows_.push_back(std::move(values));
  }

 private:
  static void split(std::vector<std::string>&, std::vector<std::string>&) {}
  template <class Value, class... Rest>
  static void split(std::vector<std::string>& names, std::vector<std::string>& values, const char* name, const Value& value,
                    const Rest&... rest) {
    names.emplace_back(name);
    values.push_back(as_json(value));
    std::erase(values.back(), '"');
    split(names, values, rest...);
  }

  void end_table() {
    if (rows_.empty()) return;
    fmt::print("\nFigure {} (MODELLED)\n", figure_);
    std::vector<std::size_t> widths;
    rows_.insert(rows_.begin(), names_);
    for (std::size_t column = 0; column < names_.size(); ++column) {
      std::size_t width = 0;
      for (const auto& row : rows_) width = std::max(width, row[column].size());
      widths.push_back(width);
    }
    for (const auto& row : rows_) {
      for (std::size_t column = 0; column < row.size(); ++column) fmt::print("{:>{}}  ", row[column], widths[column]);
      fmt::print("\n");
    }
    std::fflush(stdout);
    rows_.clear();
  }

  bool as_table_;
  std::string figure_;
  std::vector<std::string> names_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace graphrun::bench
