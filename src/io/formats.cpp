// SPDX-License-Identifier: Apache-2.0

#include "io/formats.hpp"

#include <algorithm>
#include <array>

namespace graphrun::io::inline GR_IDS {
namespace {

constexpr std::array kFormats = {
    Format{FileFormat::native, "grf", "native container", "graphrun's own"},
    Format{FileFormat::matrix_market, "mtx", "MatrixMarket", "MatrixMarket coordinate text", open_matrix_market, nullptr, 1},
    Format{FileFormat::edge_list, "el", "edge list", "\"u v\" or \"u v w\" a line (SNAP, .el, .wel)", open_edge_list},
    Format{FileFormat::csv, "csv", "CSV", "the same with commas, semicolons or tabs, with or without a header (.csv, .tsv)",
           open_csv},
    Format{FileFormat::dimacs, "dimacs", "DIMACS", "DIMACS shortest-path text (.gr)", open_dimacs, nullptr, 1},
    Format{FileFormat::metis, "metis", "METIS", "METIS adjacency text (.graph)", open_metis, nullptr, 1},
    Format{FileFormat::graphalytics, "graphalytics", "LDBC Graphalytics",
           "LDBC Graphalytics, NAME.properties beside NAME.v and NAME.e", open_graphalytics},
    Format{FileFormat::bel, "bel", "EMOGI/BaM .bel", "EMOGI and BaM, STEM.bel.{col,dst,val}", nullptr, read_bel},
    Format{FileFormat::gapbs, "sg", "GAPBS .sg", "GAP Benchmark Suite, .sg and .wsg", nullptr, read_as<kGapbs>},
    Format{FileFormat::subway, "bcsr", "Subway .bcsr", "Subway, .bcsr and .bwcsr", nullptr, read_as<kSubway>},
    Format{FileFormat::liberator, "liberator", "Liberator .bcsr", "Liberator, .bcsr with 64-bit offsets", nullptr,
           read_as<kLiberator>},
    Format{FileFormat::galois, "galois", "Galois .gr", "Galois binary .gr, version 1", nullptr, read_as<kGalois>},
    Format{FileFormat::gunrock, "gunrock", "Gunrock .csr", "Gunrock binary .csr; never guessed", nullptr, read_as<kGunrock>},
    Format{FileFormat::gbbs, "gbbs", "GBBS .bin", "GBBS and PASGAL, binary .bin", nullptr, read_as<kGbbs>},
};

void write_container(const Graph& graph, const std::string& path, const WriteOptions& how, const Workspace& space,
                     ThreadPool& pool) {
  write_native(graph, path, pool, space, how.fill_records);
}

constexpr std::array kOutputFormats = {
    OutputFormat{"grf", "graphrun's own", Weights::if_present, write_container, Naming::as_in_input},
    OutputFormat{"mtx", "MatrixMarket coordinate text", Weights::if_present, write_matrix_market, Naming::from_1, true},
    OutputFormat{"el", "\"u v\" or \"u v weight\" a line, with the names of the input", Weights::if_present, write_edge_list,
                 Naming::as_in_input, true},
    OutputFormat{"wel", "the same, with weights", Weights::always, write_edge_list, Naming::as_in_input, true},
    OutputFormat{"csv", "the same with commas and a header", Weights::if_present, write_csv, Naming::as_in_input, true},
    OutputFormat{"bel", "EMOGI and BaM: OUT.col, OUT.dst and, with weights, OUT.val", Weights::if_present, write_bel,
                 Naming::from_0, false, true},
    OutputFormat{"sg", "GAP Benchmark Suite", Weights::never, write_as<kGapbs>},
    OutputFormat{"wsg", "GAP Benchmark Suite, weighted", Weights::always, write_as<kGapbs>},
    OutputFormat{"bcsr", "Subway", Weights::never, write_as<kSubway>},
    OutputFormat{"bwcsr", "Subway, weighted", Weights::always, write_as<kSubway>},
    OutputFormat{"liberator", "Liberator's .bcsr, with 64-bit offsets", Weights::never, write_as<kLiberator>},
    OutputFormat{"galois", "Galois binary .gr, version 1", Weights::if_present, write_as<kGalois>, Naming::from_0, false, true},
    OutputFormat{"gunrock", "Gunrock binary .csr, weighted", Weights::always, write_as<kGunrock>},
    OutputFormat{"gbbs", "GBBS and PASGAL, binary .bin", Weights::never, write_as<kGbbs>},
};

}  // namespace

std::span<const Format> formats() { return kFormats; }

const Format& format_of(FileFormat id) { return *std::ranges::find(kFormats, id, &Format::id); }  // every id has its line

std::span<const OutputFormat> output_formats() { return kOutputFormats; }

}  // namespace graphrun::io::inline GR_IDS
