// SPDX-License-Identifier: Apache-2.0

#include "io/graphalytics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "core/raise.hpp"
#include "graphrun/core/error.hpp"
#include "io/entries.hpp"
#include "io/formats.hpp"
#include "io/line_parser.hpp"
#include "io/name_table.hpp"
#include "io/text_cursor.hpp"
#include "io/text_source.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

constexpr std::size_t kMostPropertyBytes = std::size_t{1} << 20;
constexpr CommentMarks kPropertyComments{'#', '!'};
constexpr CommentMarks kNoComments{'\0', '\0'};
constexpr std::string_view kPrefix = "graph.";

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Returns the words between commas.
std::vector<std::string> words_between_commas(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    words.emplace_back(without_blanks(text.substr(0, comma)));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return words;
}

/// The lines of a .properties file by key.
class Properties {
 public:
  explicit Properties(const std::string& path) : path_(path) {
    const std::string text = read_head(path, kMostPropertyBytes);
    if (text.size() == kMostPropertyBytes) raise<DataError>("{} is too long for the properties of a graph", path);
    const char* const end = text.data() + text.size();
    const char* p = seek_content(text.data() + size_of_mark(text), end, kPropertyComments);
    for (; p < end; p = seek_content(next_line(p, end), end, kPropertyComments)) {
      const auto line = static_cast<std::uint64_t>(1 + std::count(text.data(), p, '\n'));
      const std::string_view whole(p, static_cast<std::size_t>(std::find(p, end, '\n') - p));
      const std::size_t equals = whole.find('=');
      if (equals == whole.npos) raise<DataError>("{}:{}: expected KEY = VALUE, found '{}'", path, line, printable(whole));
      const std::string key(without_blanks(whole.substr(0, equals)));
      const auto [at, is_new] = lines_.try_emplace(key, line, std::string(without_blanks(whole.substr(equals + 1))));
      if (!is_new) raise<DataError>("{}:{}: {} stands in line {}, too", path, line, printable(key), at->second.first);
    }
  }

  /// Returns "graph.NAME.", by the only key that ends in ".directed". NAME may hold dots.
  std::string prefix() const {
    constexpr std::string_view kMark = ".directed";
    std::string found;
    for (const auto& [key, value] : lines_) {
      if (!key.starts_with(kPrefix) || !key.ends_with(kMark) || key.size() <= kPrefix.size() + kMark.size()) continue;
      if (!found.empty()) raise<DataError>("{}:{}: {} is of a second graph", path_, value.first, printable(key));
      found = key.substr(0, key.size() - kMark.size() + 1);
    }
    if (found.empty()) raise<DataError>("{} has no line graph.NAME.directed = true or false", path_);
    return found;
  }

  /// Returns the values of the graph by key, without the prefix.
  std::map<std::string, std::string> values(const std::string& prefix) const {
    std::map<std::string, std::string> values;
    for (const auto& [key, value] : lines_) {
      if (key.starts_with(prefix)) values.emplace(key.substr(prefix.size()), value.second);
    }
    return values;
  }

  /// Throws DataError about a value.
  [[noreturn]] void refuse(const std::string& key, std::string_view expected) const {
    const auto& [line, value] = lines_.at(key);
    raise<DataError>("{}:{}: {} is '{}', which is not {}", path_, line, key, printable(value), expected);
  }

 private:
  const std::string& path_;
  std::map<std::string, std::pair<std::uint64_t, std::string>> lines_;
};

/// Finds the column of the weight among the properties of edges.
void find_weight(const Properties& properties, GraphalyticsFacts& facts) {
  const auto value = [&](const char* key) {
    const auto at = facts.values.find(key);
    return at == facts.values.end() ? std::string() : at->second;
  };
  const std::vector<std::string> names = words_between_commas(value("edge-properties.names"));
  const std::vector<std::string> types = words_between_commas(value("edge-properties.types"));
  if (names.size() != types.size()) {
    raise<DataError>("{}: {}edge-properties.names has {} names, and edge-properties.types {} types", facts.path, facts.prefix,
                     names.size(), types.size());
  }
  facts.properties = names.size();
  std::size_t at = 0;
  if (const std::string weight = value("sssp.weight-property"); !weight.empty()) {
    at = static_cast<std::size_t>(std::ranges::find(names, weight) - names.begin());
    if (at == names.size()) properties.refuse(facts.prefix + "sssp.weight-property", "one of edge-properties.names");
  } else if (names.size() > 1) {
    raise<DataError>("{}: edges have {} properties, and no line {}sssp.weight-property = NAME says which is the weight",
                     facts.path, names.size(), facts.prefix);
  }
  if (names.empty()) return;
  if (types[at] != "real" && types[at] != "int")
    properties.refuse(facts.prefix + "edge-properties.types", "real or int for the weight");
  facts.weight = at;
}

/// Reads the file of vertices into a table, a name each. Throws DataError naming file and line.
void read_vertices(const GraphalyticsFacts& facts, NameTable& names, std::size_t window_bytes) {
  TextCursor cursor(facts.vertex_file, window_bytes);
  for (; !cursor.at_end(); cursor.next_window()) {
    const Text& text = cursor.window();
    const char* const end = text.end();
    for (const char* p = cursor.position(); (p = seek_content(p, end, kNoComments)) < end; p = next_line(p, end)) {
      const auto refuse = [&](const std::string& message) {
        throw_at(text, static_cast<std::size_t>(p - text.begin()), message);
      };
      const char* last = p;
      std::uint64_t id = 0;
      if (parse_unsigned(last, end, id) != Parsed::ok || !at_line_end(skip_blanks(last, end), end))
        refuse(fmt::format("expected a vertex, a number of 64 bits, alone in its line, found {}", quote_token(p, end)));
      const VertexId known = names.size();
      if (names.number_of(as_name(id)) < known) refuse(fmt::format("vertex {} stands in a line before, too", id));
    }
  }
  if (facts.vertices && *facts.vertices != names.size()) {
    raise<DataError>("{}: {}meta.vertices announces {} vertices, and {} has {}", facts.path, facts.prefix, *facts.vertices,
                     facts.vertex_file, names.size());
  }
}

/// Throws DataError for the first edge with a vertex that the file of vertices lacks.
[[noreturn, gnu::cold]] void refuse_unknown(const GraphalyticsFacts& facts, std::string_view name) {
  TextCursor cursor(facts.edge_file, TextReader::kEverything);
  const Text& text = cursor.window();
  const char* const end = text.end();
  for (const char* p = cursor.position(); (p = seek_content(p, end, kEdgeListComments)) < end; p = next_line(p, end)) {
    const char* id = p;
    for (int i = 0; i < 2; ++i, id = skip_blanks(id, end)) {
      std::uint64_t number = 0;
      if (parse_unsigned(id, end, number) == Parsed::ok && as_name(number) == name)
        throw_at(text, static_cast<std::size_t>(p - text.begin()),
                 fmt::format("vertex {} is not in {}", number, facts.vertex_file));
    }
  }
  raise<DataError>("{} names a vertex that is not in {}", facts.edge_file, facts.vertex_file);
}

/// The edges; vertices have the numbers of a table.
class GraphalyticsStream : public EntryStream {
 public:
  GraphalyticsStream(GraphalyticsFacts facts, const ReadOptions& options, ThreadPool& pool)
      : facts_(std::move(facts)), names_(options.names != nullptr ? *options.names : own_) {
    names_.kind = NameKind::numbers;
    if (names_.size() == 0) read_vertices(facts_, names_, options.batch_bytes);
    vertices_ = names_.size();
    if (std::filesystem::exists(facts_.edge_file) && std::filesystem::file_size(facts_.edge_file) == 0) {
      if (facts_.edges.value_or(0) != 0) raise<DataError>("{} is empty", facts_.edge_file);
      return;
    }
    EntryFormat format;
    format.comments = kEdgeListComments;
    format.rule.sources = format.rule.targets = {0, kNoVertex, "64-bit numbers"};
    format.rule.valued = facts_.weight.has_value();
    format.columns.emplace();
    if (facts_.weight) format.columns->weight = 2 + *facts_.weight;
    format.columns->least = format.columns->most = 2 + facts_.properties;
    format.weights = options.weights;
    format.value_kind = first_kind(options);
    format.names = &names_;
    format.assumptions = options.assumptions;
    format.most_name_bytes = options.most_name_bytes;
    format.arcs = facts_.directed ? Arcs::directed : Arcs::mirror;
    format.announced = facts_.edges;
    format.announcer = facts_.prefix + "meta.edges";
    format.entry_name = "edges";
    edges_ = stream_entries(std::make_unique<TextCursor>(facts_.edge_file, options.batch_bytes), std::move(format), pool);
  }

  bool next(EdgeList& batch) override {
    if (edges_ == nullptr || !edges_->next(batch)) return false;
    if (names_.size() != vertices_) refuse_unknown(facts_, names_.name(vertices_));
    batch.num_vertices = vertices_;
    return true;
  }
  bool count_known() const override { return false; }  // names decide the numbers of vertices
  bool must_reread(ReadOptions& reading) const override { return edges_ != nullptr && edges_->must_reread(reading); }

 private:
  GraphalyticsFacts facts_;
  NameTable own_;
  NameTable& names_;
  VertexId vertices_ = 0;
  std::unique_ptr<EntryStream> edges_;
};

}  // namespace

bool is_graphalytics(std::string_view head) {
  const char* const end = head.data() + head.size();
  const char* const p = seek_content(head.data(), end, kPropertyComments);
  const std::string_view line(p, static_cast<std::size_t>(std::find(p, end, '\n') - p));
  return line.starts_with(kPrefix) && line.find('=') != line.npos;
}

bool names_graphalytics(const std::string& spec, std::optional<FileFormat> format) {
  if (format) return *format == FileFormat::graphalytics;
  std::error_code failure;
  return spec.ends_with(".properties") && std::filesystem::is_regular_file(spec, failure) &&
         is_graphalytics(read_head(spec, kMostPropertyBytes));
}

GraphalyticsFacts read_graphalytics_facts(const std::string& path) {
  const Properties properties(path);
  GraphalyticsFacts facts;
  facts.path = path;
  facts.prefix = properties.prefix();
  facts.values = properties.values(facts.prefix);
  const std::string name = facts.prefix.substr(kPrefix.size(), facts.prefix.size() - kPrefix.size() - 1);
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const auto file = [&](const char* key, const char* suffix) {
    const auto at = facts.values.find(key);
    return (folder / (at == facts.values.end() ? name + suffix : at->second)).string();
  };
  const auto count = [&](const char* key) -> std::optional<std::uint64_t> {
    const auto at = facts.values.find(key);
    if (at == facts.values.end()) return std::nullopt;
    const auto number = whole_number(at->second);
    if (!number) properties.refuse(facts.prefix + key, "a whole number");
    return number;
  };
  facts.vertex_file = file("vertex-file", ".v");
  facts.edge_file = file("edge-file", ".e");
  if (facts.edge_file == facts.vertex_file) {  // as in test-wcc-directed.properties of the suite
    facts.edge_file = (folder / (name + ".e")).string();
    facts.remark = fmt::format("{} names {} as the file of vertices and of edges: edges are read from {}", path,
                               facts.vertex_file, facts.edge_file);
  }
  const std::string& directed = facts.values.at("directed");
  if (directed != "true" && directed != "false") properties.refuse(facts.prefix + "directed", "true or false");
  facts.directed = directed == "true";
  facts.vertices = count("meta.vertices");
  facts.edges = count("meta.edges");
  find_weight(properties, facts);
  return facts;
}

std::unique_ptr<EntryStream> open_graphalytics(const std::string& path, const ReadOptions& options, ThreadPool& pool) {
  GraphalyticsFacts facts = read_graphalytics_facts(path);
  if (!facts.remark.empty()) options.assume(facts.remark);
  return std::make_unique<GraphalyticsStream>(std::move(facts), options, pool);
}

}  // namespace graphrun::io::inline GR_IDS
