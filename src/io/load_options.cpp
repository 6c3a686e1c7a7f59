// SPDX-License-Identifier: Apache-2.0

#include "core/raise.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/core/option.hpp"
#include "graphrun/io/convert.hpp"
#include "graphrun/io/load.hpp"
#include "io/entry_stream.hpp"
#include "io/formats.hpp"
#include "io/line_parser.hpp"

namespace graphrun::inline GR_IDS {
namespace {

using MakeLoad = OptionMaker<LoadOptions>;

std::vector<std::string> parse_columns(const std::string& text) {
  std::vector<std::string> columns = io::split_names(text, "--columns");
  if (columns.size() < 2 || columns.size() > 3)
    throw UsageError("--columns takes two or three columns: source, target and, where there is one, weight");
  return columns;
}

std::vector<Option<LoadOptions>> make_load_options() {
  std::vector<Option<LoadOptions>> all = {
      MakeLoad::text({"Graph", "format", "NAME", "what the file is, instead of looking at it (names below)"}, GR_FIELD(format),
                     parse_file_format),
      MakeLoad::name(
          {"Graph", "ids", "WIDTH", "of vertices: auto (default: 32 bits, and 64 where those cannot name all vertices) or 64"},
          GR_FIELD(id_width)),
      MakeLoad::name(
          {"Graph", "vertices", "POLICY",
           "edge lists: keep ids that no line mentions as vertices without edges; compact leaves them out; names: ids are "
           "strings, also those that read like numbers; auto (default): compact when fewer than half occur, all but 0, or some "
           "fit no vertex, names when the first edge has some"},
          GR_FIELD(ids)),
      MakeLoad::whole({"Graph", "num-vertices", "N", "edge lists: ids below N are vertices, also those that no line mentions"},
                      GR_FIELD(num_vertices), 0, io::kMostNumVertices),
      MakeLoad::text(
          {"Graph", "columns", "LIST",
           "edge lists, CSV: the columns of source, target and, where there is one, weight, by name or by number from 1 "
           "(src,dst,weight; 1,2; default: by the header, or the first ones)"},
          GR_FIELD(columns), parse_columns),
      MakeLoad::flag({"Graph", "float-weights", nullptr,
                      "formats that do not say: weights are f32 instead of u32, those of text also when all are whole"},
                     GR_FIELD(float_weights)),
      MakeLoad::size({"Graph", "raw-offset-in", "BYTES", ".bel: .dst and .val have no header, their payload begins here"},
                     GR_FIELD(raw_offset)),
      MakeLoad::flag({"Graph", "undirected", nullptr,
                      "add the opposite of every edge, unless every edge is listed both ways with equal weights"},
                     GR_FIELD(undirected)),
      MakeLoad::flag({"Graph", "bipartite", nullptr,
                      "accept a rectangular matrix, or a bipartite file of KONECT: columns become vertices of their own"},
                     GR_FIELD(bipartite)),
      MakeLoad::flag({"Graph", "drop-self-loops", nullptr, "leave out edges from a vertex to itself"}, GR_FIELD(drop_self_loops)),
      MakeLoad::name({"Graph", "merge", "RULE",
                      "parallel edges, which have the same source and target: keep (default), or one of the weight min, max, sum "
                      "or first (in the input)"},
                     GR_FIELD(merge)),
      MakeLoad::flag({"Graph", "drop-duplicates", nullptr, "as --merge min"}, GR_FIELD(drop_duplicates)),
  };
  for (Option<LoadOptions>& option : all) {
    const std::string_view name = option.text.name;
    if (name == "raw-offset-in") option.unit = {};
    if (name == "format") option.text.range.names = names_in(io::formats());
  }
  return all;
}

}  // namespace

MergeRule merge_rule(const LoadOptions& options) {
  if (!options.drop_duplicates || options.merge == MergeRule::min) return options.merge;
  if (options.merge != MergeRule::keep)
    raise<UsageError>("--drop-duplicates is --merge min: leave it out, or --merge {}", name_of(options.merge));
  return MergeRule::min;
}

const std::vector<Option<LoadOptions>>& load_options() {
  static const std::vector<Option<LoadOptions>> kOptions = make_load_options();
  return kOptions;
}

}  // namespace graphrun::inline GR_IDS
