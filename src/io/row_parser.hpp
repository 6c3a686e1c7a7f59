// A line of columns, of which two hold ids and one may hold a weight.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/edge_columns.hpp"
#include "io/entry_parser.hpp"
#include "io/name_table.hpp"
#include "io/row_fields.hpp"

namespace graphrun::io::inline GR_IDS {

/// Parses lines into `source`, `target` and `word`. Unless kKind is none, ids are names, and these the numbers that a
/// table of this parser gives them.
template <NameKind kKind>
class RowParser : public FieldParser {
 public:
  static constexpr bool kNames = kKind != NameKind::none;  ///< ids are numbers of names()

  RowParser(const EntryRule& rule, const EdgeColumns& columns, const char* end)
      : FieldParser(end), rule_(rule), columns_(columns), line_end_(end), last_(columns.last()) {}

  std::uint64_t source = 0;
  std::uint64_t target = 0;

  NameTable& names() { return names_; }

  /// The line at `p`; on a fault `p` stays in it.
  template <Values kValues>
  bool parse(const char*& p) {
    RowField field;
    bool more = true;
    for (std::size_t column = 0; more; ++column) {
      if (column > last_ && columns_.most == EdgeColumns::kAnyNumber) return true;
      if (column >= columns_.most) {
        return fault(
            fmt::format("unexpected {} in column {}: --columns says which are used", quote_token(p, line_end_), column + 1));
      }
      if (!take_field(p, line_end_, columns_.separator, field, more))
        return fault(fmt::format("the quotes of column {} do not enclose it on this line", column + 1));
      if (column == columns_.source && !take_id(field, rule_.sources, source)) return false;
      if (column == columns_.target && !take_id(field, rule_.targets, target)) return false;
      if constexpr (kValues != Values::none) {
        if (column == *columns_.weight && !take_weight<kValues>(field)) return false;
      }
      if (!more && column < last_) {
        return fault(fmt::format("the line ends after column {}, and column {} is used", column + 1, last_ + 1));
      }
    }
    return true;
  }

 private:
  static constexpr std::size_t kLongestName = 65535;

  bool take_id(const RowField& field, const IdRange& range, std::uint64_t& id) {
    if (field.empty()) return fault("expected a vertex id, found an empty field");
    if constexpr (kKind == NameKind::strings) {
      return take_name(field, id);
    } else {
      end_ = field.end;
      const char* p = field.begin;
      if constexpr (kKind == NameKind::numbers) {
        if (!parse_number_of_64_bits(p, range, id)) return false;
      } else if (!parse_id(p, range, id)) {
        return false;
      }
      return p == field.end || expected("a vertex id", field.begin);
    }
  }

  bool parse_number_of_64_bits(const char*& p, const IdRange& range, std::uint64_t& id) {
    std::uint64_t stored = 0;
    const Parsed parsed = parse_unsigned(p, end_, stored);
    if (parsed == Parsed::too_large) {
      return fault(fmt::format("id {} does not fit 64 bits{}", quote_token(p, end_), range.hint));
    }
    if (parsed != Parsed::ok) return describe_bad_id(p, parsed, range);
    id = names_.number_of(as_name(stored));
    return true;
  }

  bool take_name(const RowField& field, std::uint64_t& id) {
    if (field.escaped) unescaped_ = field.text();
    const std::string_view name = field.escaped ? unescaped_ : field.raw();
    const VertexId known = names_.size();
    id = names_.number_of(name);
    if (names_.size() == known) return true;
    if (name.size() > kLongestName) return fault(fmt::format("a vertex id of more than {} bytes", kLongestName));
    const bool printable = std::none_of(name.begin(), name.end(), is_control);
    return printable || fault(fmt::format("{} holds a control character", quote_token(field.begin, field.end)));
  }

  template <Values kValues>
  bool take_weight(const RowField& field) {
    if (field.empty()) return fault("expected a value, found an empty field");
    end_ = field.end;
    const char* p = field.begin;
    if (!parse_number<kValues>(p)) return false;
    return p == field.end || expected("a number as value", field.begin);
  }

  const EntryRule& rule_;
  const EdgeColumns& columns_;
  const char* line_end_;
  std::size_t last_;
  NameTable names_;
  std::string unescaped_;
};

}  // namespace graphrun::io::inline GR_IDS
