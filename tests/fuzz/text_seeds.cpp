// SPDX-License-Identifier: Apache-2.0
// Seeds written by hand: every feature of the text formats, and what comes close to them.
#include "fuzz/seeds.hpp"

namespace graphrun::fuzz {
namespace {

using namespace std::string_view_literals;

struct TextSeed {
  std::string_view target;
  std::string_view name;
  bool sound;
  std::string_view text;
};

constexpr TextSeed kTextSeeds[] = {
    {"el", "plain", true, "0 1\n1 2\n2 0\n"},
    {"el", "weights", true, "0 1 5\n1 2 0\n2 0 4294967295\n"},
    {"el", "snap", true, "# Directed graph\n# FromNodeId\tToNodeId\n10\t12\n12\t10\n30\t10\n"},
    {"el", "crlf_and_blanks", true, "\r\n  0   1 \r\n\r\n% comment\r\n\t1 0\r\n"},
    {"el", "no_last_newline", true, "0 0\n1 1"},
    {"el", "f32_late", true, "0 1 1\n1 2 2\n2 3 3\n3 0 0.5\n"},
    {"el", "reals", true, "0 1 -1.5e-3\n1 0 +2.\n1 1 .5\n0 0 1e-320\n"},
    {"el", "beyond_u32", true, "0 1 4294967296\n1 0 18446744073709551616\n"},
    {"el", "sparse", true, "0 4000000000\n4000000000 7\n"},
    {"el", "half_sparse", true, "0 9\n1 8\n2 7\n"},
    {"el", "parallel", true, "1 0 3\n1 0 2\n0 1 2\n1 0 3\n1 1 1\n"},
    {"el", "leading_zeros", true, "00000000000000000000000001 0\n"},
    {"el", "largest_id", true, "0 4294967295\n"},
    {"el", "wide_ids", true, "7 18446744073709551615\n1000000000000 7\n18446744073709551615 0\n"},
    {"el", "wide_late", true, "0 1 5\n1 2 6\n2 1000000000000 7\n"},
    {"el", "mark_and_header", true,
     "\xef\xbb\xbf"
     "source target weight\n0 1 5\n"},
    {"el", "times", true, "0 1 1082040961\n1 2 1082155839\n"},
    {"el", "weights_and_times", true, "0 1 5 1082040961\n1 2 6 1082155839\n"},
    {"el", "quoted", true, "\"a b\" c 1\nc \"a \"\"b\"\"\" 0.5\n"},
    {"el", "beyond_64_bits", false, "0 18446744073709551616\n"},
    {"el", "negative", false, "0 1\n-1 2\n"},
    {"el", "one_weight_missing", false, "0 1 2\n1 2\n"},
    {"el", "one_weight_too_many", false, "0 1\n1 2 3\n"},
    {"el", "four_words", false, "0 1 2 3\n"},
    {"el", "not_finite", false, "0 1 nan\n"},
    {"el", "too_large_for_f32", false, "0 1 3.5e38\n"},
    {"el", "words", true, "a b\nc a\np sp\n"},
    {"el", "nothing", false, ""},
    {"el", "only_comments", false, "# nothing\n\n%\n"},
    {"el", "nul", false, "0 1\n\0 2\n"sv},

    {"csv", "plain", true, "0,1\n1,2\n"},
    {"csv", "header", true, "source,target,weight\n0,1,5\n1,2,0.5\n"},
    {"csv", "other_order", true, "Weight;Time;To;From\r\n5;7;1;0\r\n"},
    {"csv", "strings", true, "anna,\"Smith, J.\"\n\"the \"\"boss\"\"\",anna\n"},
    {"csv", "tabs", true, "New York\tBoston\t3\nBoston\tNew York\t4\n"},
    {"csv", "words_over_numbers", true, "a,b,c\n0,1,4294967296\n"},
    {"csv", "wide", true, "5,1099511627776,2\n1099511627776,5,0.5\n"},
    {"csv", "times", true,
     "\xef\xbb\xbf"
     "0, 1, 1082040961 \n"},
    {"csv", "empty_field", false, "0,1\n1,\n"},
    {"csv", "open_quote", false, "0,1\n\"1,2\n"},
    {"csv", "text_behind_quote", false, "a,b\n\"a\"x,b\n"},
    {"csv", "four_columns", false, "1,2,3,4\n"},
    {"csv", "short_line", false, "0,1\n1\n"},
    {"csv", "control", false, "a,b\na\x01,b\n"},
    {"csv", "no_separator", false, "0 1\n"},
    {"csv", "only_header", false, "source,target\n"},

    {"mtx", "pattern", true, "%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 2\n2 3\n3 3\n"},
    {"mtx", "real", true, "%%MatrixMarket matrix coordinate real general\n% c\n2 2 2\n1 2 0.5\n2 1 -1e-3\n"},
    {"mtx", "integer", true, "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 7\n2 1 -7\n"},
    {"mtx", "symmetric", true, "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n2 1 4\n3 1 5\n3 3 6\n"},
    {"mtx", "skew", true, "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 4\n3 1 -0\n"},
    {"mtx", "skew_integer", true, "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 2\n2 1 4\n1 1 0\n"},
    {"mtx", "skew_pattern", true, "%%MatrixMarket matrix coordinate pattern skew-symmetric\n2 2 1\n2 1\n"},
    {"mtx", "rectangular", true, "%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 3\n2 1\n"},
    {"mtx", "crlf_and_case", true, "%%matrixmarket MATRIX Coordinate Double General\r\n%\r\n\r\n 1 1 1 \r\n1 1 1\r\n"},
    {"mtx", "no_entries", true, "%%MatrixMarket matrix coordinate real general\n5 5 0\n"},
    {"mtx", "no_rows", true, "%%MatrixMarket matrix coordinate pattern general\n0 0 0\n"},
    {"mtx", "too_few", false, "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n"},
    {"mtx", "too_many", false, "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1\n2 2\n"},
    {"mtx", "many_announced", false, "%%MatrixMarket matrix coordinate pattern general\n2 2 18446744073709551615\n1 1\n"},
    {"mtx", "many_vertices", false, "%%MatrixMarket matrix coordinate pattern general\n4294967295 4294967295 99999999\n1 1\n"},
    {"mtx", "id_0", false, "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n0 1\n"},
    {"mtx", "array", false, "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n"},
    {"mtx", "complex", false, "%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 1 0\n"},
    {"mtx", "no_size", false, "%%MatrixMarket matrix coordinate real general\n%\n"},
    {"mtx", "skew_rectangular", false, "%%MatrixMarket matrix coordinate real skew-symmetric\n2 3 1\n2 1 1\n"},
    {"mtx", "banner_only", false, "%%MatrixMarket"},

    {"dimacs", "challenge", true, "c 9th challenge\np sp 3 3\na 1 2 5\na 2 3 0\nc middle\na 3 1 4294967295\n"},
    {"dimacs", "negative", true, "p sp 2 2\na 1 2 -5\na 2 1 5\n"},
    {"dimacs", "crlf", true, "c\r\n\r\np  sp\t2 1\r\n a 2 2 +1 \r\n"},
    {"dimacs", "no_arcs", true, "p sp 4 0\n"},
    {"dimacs", "negative_late", true, "p sp 2 4\na 1 2 1\na 1 2 2\na 1 2 3\na 2 1 -0\n"},
    {"dimacs", "beyond_32_bits", false, "p sp 2 1\na 1 2 4294967296\n"},
    {"dimacs", "real", false, "p sp 2 1\na 1 2 0.5\n"},
    {"dimacs", "no_p", false, "c\na 1 2 3\n"},
    {"dimacs", "two_p", false, "p sp 1 1\np sp 1 1\na 1 1 1\n"},
    {"dimacs", "max_flow", false, "p max 2 1\nn 1 s\na 1 2 3\n"},
    {"dimacs", "too_few", false, "p sp 2 2\na 1 2 3\n"},
    {"dimacs", "too_many", false, "p sp 2 1\na 1 2 3\na 1 2 3\n"},
    {"dimacs", "sparse", false, "p sp 4000000000 1\na 1 2 3\n"},
    {"dimacs", "only_comments", false, "c\nc\n"},

    {"metis", "manual", true, "7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n"},
    {"metis", "edge_weights", true, "3 2 1\n2 5 3 7\n1 5\n1 7\n"},
    {"metis", "all_weights", true, "% c\n2 1 111 2\n9 1 2 2 4\n8 3 4 1 4\n"},
    {"metis", "vertex_weights", true, "2 1 10\n5 2\n6 1\n"},
    {"metis", "sizes", true, "2 1 100\n5 2\n6 1\n"},
    {"metis", "empty_lines", true, "4 1\n3\n\n1\n\n"},
    {"metis", "loop", true, "2 2\n1 2\n1\n"},
    {"metis", "no_vertices", true, "0 0\n"},
    {"metis", "crlf", true, "%\r\n2 1 001\r\n2 1\r\n1 1"},
    {"metis", "one_direction", false, "2 1\n2\n\n"},
    {"metis", "other_weight_back", false, "2 1 1\n2 5\n1 6\n"},
    {"metis", "too_few_lines", false, "3 1\n2\n1\n"},
    {"metis", "too_many_lines", false, "1 0\n\n\n1\n"},
    {"metis", "too_many_neighbours", false, "2 1\n2 2\n1 1\n"},
    {"metis", "bad_format", false, "2 1 2\n2\n1\n"},
    {"metis", "many_weights", false, "1 0 10 4294967295\n1\n"},
    {"metis", "many_edges", false, "2 9223372036854775808\n2\n1\n"},
    {"metis", "many_vertices", false, "4294967295 1\n2\n1\n"},
    {"metis", "weight_missing", false, "2 1 1\n2\n1\n"},

    // The first byte asks for the suffix .bcsr. Both were once taken for Galois's, of version 2 and of 2 bytes of data.
    {"sniff", "liberator_of_two_vertices", true, "J\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"sv},
    {"sniff", "liberator_of_two_loops", true, "J\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"sv},

    {"spec", "kron", true, "kron:4:3:7"},
    {"spec", "urand", true, "urand:5:2"},
    {"spec", "web", true, "web:4:4:1"},
    {"spec", "grid", true, "grid:3:4"},
    {"spec", "path", true, "path:1"},
    {"spec", "star", true, "star:10"},
    {"spec", "complete", true, "complete:6"},
    {"spec", "large_scale", false, "kron:32:16"},
    {"spec", "many_edges", false, "urand:31:18446744073709551615"},
    {"spec", "area_beyond_64_bits", false, "grid:4294967296:4294967296"},
    {"spec", "no_number", false, "path:"},
    {"spec", "too_many_numbers", false, "star:1:2:3:4"},
    {"spec", "weights_unit", true, "unit"},
    {"spec", "weights_truth", true, "truth"},
    {"spec", "weights_random", true, "random:7"},
    {"spec", "weights_range", true, "random:7:10:4294967295"},
    {"spec", "weights_reversed", false, "random:7:2:1"},
    {"spec", "size", true, "1.5GiB"},
    {"spec", "size_plain", true, "4096"},
    {"spec", "size_too_large", false, "9223372036854775808"},
    {"spec", "size_negative", false, "-0K"},
    {"spec", "format", true, "liberator"},
};

}  // namespace

std::vector<Seed> text_seeds(std::string_view target) {
  std::vector<Seed> seeds;
  for (const TextSeed& seed : kTextSeeds) {
    if (seed.target == target) seeds.push_back({std::string(seed.name), std::string(seed.text), seed.sound});
  }
  return seeds;
}

}  // namespace graphrun::fuzz
