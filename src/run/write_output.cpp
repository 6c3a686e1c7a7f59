// SPDX-License-Identifier: Apache-2.0
// Files of values. Little-endian hosts only, as the container format.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "core/csv.hpp"
#include "core/gzip_writer.hpp"
#include "core/raise.hpp"
#include "graphrun/core/output_file.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/run/result.hpp"
#include "io/line_parser.hpp"

namespace graphrun::inline GR_IDS {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kStandardOutput = "-";

constexpr std::string_view kGzip = ".gz";

enum class Form { text, csv, tsv, json_lines, graphalytics, words };

Form form_of(const std::string& path) {
  std::string name = in_small_letters(path);
  if (path == kStandardOutput) return Form::csv;
  if (name.ends_with(".bin")) return Form::words;
  if (name.ends_with(kGzip)) name.resize(name.size() - kGzip.size());
  constexpr std::pair<std::string_view, Form> kForms[] = {{".csv", Form::csv},
                                                          {".tsv", Form::tsv},
                                                          {".txt", Form::text},
                                                          {".jsonl", Form::json_lines},
                                                          {".graphalytics", Form::graphalytics}};
  for (const auto& [suffix, form] : kForms) {
    if (name.ends_with(suffix)) return form;
  }
  raise<UsageError>(
      "the output file {} must end in .csv or .tsv (name and value a line), .txt (a value a line, behind its name where "
      "vertices have names), .jsonl (an object a line), .graphalytics (name and value a line, as LDBC Graphalytics has them), "
      "one of these with .gz behind it, or .bin (little-endian words); or be "
      "-, which writes CSV to standard output",
      path);
}

/// Throws UsageError for a name that the form of `path` cannot hold.
void check_name(const std::string& path, Form form, std::string_view name) {
  const bool is_text = form == Form::text;
  const bool fits = is_text ? name.find_first_of(" \t\r\n") == name.npos : form != Form::graphalytics || io::all_digits(name);
  if (fits) return;
  raise<UsageError>("{} takes {}, and vertex '{}' has another: write .csv, .tsv or .jsonl", path,
                    is_text ? "names without blanks" : "whole numbers as names", name);
}

/// Standard output, or a file that gets its name when complete; the name's suffix chooses compression.
class Target {
 public:
  explicit Target(const std::string& path) {
    if (path != kStandardOutput) file_.emplace(path);
    if (in_small_letters(path).ends_with(kGzip))
      gzip_.emplace([this](const void* data, std::size_t bytes) { file_->write(data, bytes); });
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  void write(const void* data, std::size_t bytes) {
    if (gzip_) return gzip_->write(data, bytes);
    if (file_) return file_->write(data, bytes);
    if (std::fwrite(data, 1, bytes, stdout) != bytes) fail();
  }
  void commit() {
    if (gzip_) gzip_->finish();
    if (file_) return file_->commit();
    if (std::fflush(stdout) != 0) fail();
  }

 private:
  [[noreturn]] static void fail() { throw DataError("cannot write to standard output"); }
  std::optional<OutputFile> file_;
  std::optional<GzipWriter> gzip_;
};

/// Writes lines of text in large pieces.
class TextWriter {
 public:
  TextWriter(Target& target, const VertexNames& names, const std::string& path, Form form)
      : target_(target), names_(names), path_(path), form_(form) {}

  template <class... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Values>(values)...);
  }
  void add_float(float value) {
    char digits[64];
    buffer_.append(digits, put_float(digits, digits + sizeof(digits), value));
  }
  void add_name(VertexId v) {
    if (!names_.are_strings()) return add("{}", names_.text(v));
    const std::string name = names_.text(v);
    if (form_ == Form::text || form_ == Form::graphalytics) {
      check_name(path_, form_, name);
      return add("{}", name);
    }
    if (form_ == Form::json_lines)  // names need not be UTF-8
      return add("{}", Json(name).dump(-1, ' ', false, Json::error_handler_t::replace));
    const std::size_t size = buffer_.size();
    buffer_.resize(size + csv_bytes(name.size()));
    buffer_.resize(static_cast<std::size_t>(put_csv_field(buffer_.data() + size, name) - buffer_.data()));
  }
  void end_line() {
    buffer_.push_back('\n');
    if (buffer_.size() >= kFlushBytes) flush();
  }
  void flush() {
    target_.write(buffer_.data(), buffer_.size());
    buffer_.clear();
  }

 private:
  static constexpr std::size_t kFlushBytes = 1 << 20;
  Target& target_;
  const VertexNames& names_;
  const std::string& path_;
  Form form_;
  fmt::memory_buffer buffer_;
};

/// Writes one array of values.
class Writer {
 public:
  Writer(const VertexNames& names, const std::string& path) : names_(names), path_(path), form_(form_of(path)) {}

  /// Writes a line a row, up to its end; after that tables with a header have empty fields, and words the largest id.
  void write(const VertexTable& table) const {
    Target target(path_);
    TextWriter writer(target, names_, path_, form_);
    const Punctuation line = punctuation(true, false);
    const bool is_json = form_ == Form::json_lines;
    if (line.has_header) {
      for (std::size_t k = 0; k < table.columns; ++k) writer.add("{}{}_{}", k == 0 ? "" : line.between, table.column, k);
      writer.end_line();
    }
    std::vector<VertexId> row(table.columns);
    for (std::size_t i = 0; i < table.rows(); ++i) {
      for (std::size_t k = 0; k < row.size(); ++k) row[k] = table.at(i, k);
      if (form_ == Form::words) {
        target.write(row.data(), row.size() * sizeof(row[0]));
        continue;
      }
      writer.add("{}", is_json ? "[" : "");
      for (std::size_t k = 0; k < row.size() && (row[k] != kNoVertex || line.has_header); ++k) {
        writer.add("{}", k > 0 ? line.between : "");
        if (row[k] != kNoVertex) writer.add_name(row[k]);
      }
      writer.add("{}", is_json ? "]" : "");
      writer.end_line();
    }
    writer.flush();
    target.commit();
  }

  /// Writes a line a vertex, with all columns in .csv and .tsv, and the first in other forms.
  void write(std::span<const AnswerColumn> columns) const {
    if (const auto* const batch = std::get_if<const BfsBatchOutput*>(&columns.front().values)) return write(**batch);
    Target target(path_);
    if (form_ == Form::words) {
      visit_values(columns.front(), [&](const auto& values) { target.write(values.data(), values.size_bytes()); });
    } else {
      write_lines(target, form_ == Form::csv || form_ == Form::tsv ? columns : columns.first(1));
    }
    target.commit();
  }

 private:
  /// Calls f with the values of a column that is not a batch's.
  template <class F>
  static void visit_values(const AnswerColumn& column, const F& f) {
    std::visit(
        [&]<class Values>(const Values& values) {
          if constexpr (!std::is_same_v<Values, const BfsBatchOutput*>) f(values);
        },
        column.values);
  }

  void write(const BfsBatchOutput& batch) const {
    Target target(path_);
    if (form_ == Form::words) {
      std::vector<std::uint32_t> levels(batch.sources.size());
      for (std::size_t v = 0; v < batch.num_vertices(); ++v) {
        for (std::size_t i = 0; i < levels.size(); ++i) levels[i] = batch.level(v, i);
        target.write(levels.data(), levels.size() * sizeof(levels[0]));
      }
    } else {
      write_lines(target, batch);
    }
    target.commit();
  }

  /// The punctuation of a line around name and values.
  struct Punctuation {
    bool has_header;
    bool has_names;
    const char* before_name;
    const char* after_name;
    const char* between;  ///< between the values of a batch
    const char* end;
    const char* absent;
  };
  Punctuation punctuation(bool is_batch, bool is_distance) const {
    switch (form_) {
      case Form::csv:
        return {true, true, "", ",", ",", "", ""};
      case Form::tsv:
        return {true, true, "", "\t", "\t", "", ""};
      case Form::json_lines:
        if (is_batch) return {false, true, R"({"vertex": )", R"(, "values": [)", ", ", "]}", "null"};
        return {false, true, R"({"vertex": )", R"(, "value": )", "", "}", "null"};
      case Form::graphalytics:
        return {false, true, "", " ", " ", "", is_distance ? "Infinity" : "9223372036854775807"};
      default:
        return {false, !names_.are_indices(), "", " ", " ", "", "-1"};
    }
  }

  void write_lines(Target& target, const BfsBatchOutput& batch) const {
    TextWriter writer(target, names_, path_, form_);
    const Punctuation line = punctuation(true, false);
    if (line.has_header) {
      writer.add("vertex");
      for (const VertexId source : batch.sources) {
        writer.add("{}", line.between);
        writer.add_name(source);
      }
      writer.end_line();
    }
    for (std::size_t v = 0; v < batch.num_vertices(); ++v) {
      begin_line(writer, line, static_cast<VertexId>(v));
      for (std::size_t i = 0; i < batch.sources.size(); ++i) {
        if (i > 0) writer.add("{}", line.between);
        const std::uint32_t level = batch.level(v, i);
        level == kUnreachedLevel ? writer.add("{}", line.absent) : writer.add("{}", level);
      }
      writer.add("{}", line.end);
      writer.end_line();
    }
    writer.flush();
  }

  void write_lines(Target& target, std::span<const AnswerColumn> columns) const {
    TextWriter writer(target, names_, path_, form_);
    const Punctuation line = punctuation(false, columns.front().name == "distance");
    if (line.has_header) {
      writer.add("vertex");
      for (const AnswerColumn& column : columns) writer.add("{}{}", line.after_name, column.name);
      writer.end_line();
    }
    std::size_t vertices = 0;
    visit_values(columns.front(), [&](const auto& values) { vertices = values.size(); });
    for (std::size_t v = 0; v < vertices; ++v) {
      begin_line(writer, line, static_cast<VertexId>(v));
      for (const AnswerColumn& column : columns) {
        if (&column != columns.data()) writer.add("{}", line.after_name);
        visit_values(column, [&](const auto& values) { add_value(writer, line, values[v], column.are_vertices); });
      }
      writer.add("{}", line.end);
      writer.end_line();
    }
    writer.flush();
  }

  template <class T>
  static void add_value(TextWriter& writer, const Punctuation& line, T value, bool is_vertex) {
    if (value == kNoValue<T>) {
      writer.add("{}", line.absent);
    } else if constexpr (std::is_same_v<T, double>) {
      writer.add("{:.17g}", value);
    } else if constexpr (std::is_same_v<T, float>) {
      writer.add_float(value);
    } else if (is_vertex) {
      writer.add_name(static_cast<VertexId>(value));
    } else {
      writer.add("{}", value);
    }
  }

  static void begin_line(TextWriter& writer, const Punctuation& line, VertexId v) {
    if (!line.has_names) return;
    writer.add("{}", line.before_name);
    writer.add_name(v);
    writer.add("{}", line.after_name);
  }

  const VertexNames& names_;
  const std::string& path_;
  Form form_;
};

const AnswerColumn& column_of(const AnswerData& answer, std::string_view name) {
  if (const AnswerColumn* const found = answer.column(name)) return *found;
  std::vector<std::string_view> names;
  for (const AnswerColumn& each : answer.columns) names.push_back(each.name);
  raise<UsageError>("the answer has no column '{}': it has {}", name, fmt::join(names, ", "));
}

}  // namespace

void check_output_path(const std::string& path, Algorithm algorithm) {
  if (form_of(path) == Form::graphalytics && info_of(algorithm).facts.gives_table)
    raise<UsageError>("{} has a value for each vertex, and {} gives rows of vertices: write .txt, .csv, .tsv, .jsonl or .bin",
                      path, name_of(algorithm));
  if (path != kStandardOutput) check_writable(path);
}

void check_output_names(const std::string& path, const VertexNames& names, VertexId num_vertices) {
  const Form form = form_of(path);
  if (!names.are_strings() || (form != Form::text && form != Form::graphalytics)) return;
  for (VertexId v = 0; v < num_vertices; ++v) check_name(path, form, names.string(v));
}

void write_output(const RunResult& result, std::string_view column, const std::string& path) {
  std::optional<Progress> progress;
  if (path != kStandardOutput) progress.emplace("writing");  // on a terminal the line would stand among the values
  const AnswerData& answer = result.answer;
  if (answer.columns.empty()) throw UsageError(info_of(result.run->options).facts.why_no_values);
  const Writer writer(result.names, path);
  if (!column.empty()) return writer.write(std::span(&column_of(answer, column), 1));
  if (!answer.table.name.empty()) return writer.write(answer.table);
  writer.write(std::span(answer.columns));
}

}  // namespace graphrun::inline GR_IDS
