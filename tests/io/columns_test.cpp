// SPDX-License-Identifier: Apache-2.0
// Edges in columns: which are taken, what separates them, and what vertices are called in them.
#include <fmt/format.h>

#include "graphrun/io/convert.hpp"
#include "io/columns_fixture.hpp"

namespace graphrun::test {
namespace {

// A first line with an odd weight was taken for a header, and its edge was gone without a warning.
TEST_F(ColumnsTest, CommasInNamesBetweenBlanksDoNotMakeCsv) {
  EXPECT_EQ(arcs("names", "Smith,J Miller,K\nMiller,K Jones,A\n"), "Smith,J>Miller,K Miller,K>Jones,A");
  EXPECT_EQ(arcs("names", "a,b c\nc d\n"), "a,b>c c>d");
  EXPECT_EQ(arcs("names", "a;b c 5\nc d 6\n"), "a;b>c:5 c>d:6");
  EXPECT_EQ(arcs("one.el", "1,5 2,5\n"), "1,5>2,5");
  EXPECT_EQ(arcs("one.el", "a,b c\n"), "a,b>c");
}

TEST_F(ColumnsTest, BlanksBesideCommasDoNotMakeAnEdgeList) {
  EXPECT_EQ(arcs("cities.txt", "New York,Boston\nSan Francisco,Boston\n"), "New York>Boston San Francisco>Boston");
  EXPECT_EQ(arcs("e.el", "0, 1\n1, 2\n"), "0>1 1>2");
  EXPECT_EQ(arcs("e.txt", "ann , bob\nbob , cy\n"), "ann>bob bob>cy");
  EXPECT_EQ(arcs("e.csv", "a b,c d\n"), "a b>c d");
}

TEST_F(ColumnsTest, WhichOfTwoSeparatorsWasTakenIsSaidOnce) {
  const std::string taken = "e.txt: columns may be separated by blanks or by commas: ";
  const std::string log = log_of("e.txt", "New York,Boston\n");
  EXPECT_CONTAINS(log, taken + "commas are taken, --format el takes the other");
  EXPECT_EQ(log.find("columns may be"), log.rfind("columns may be"));
  EXPECT_CONTAINS(log_of("e.txt", "Smith,J Miller,K\n"), taken + "blanks are taken, --format csv takes the other");
  EXPECT_EQ(log_of("e.txt", "0, 1\n").find("[W]"), std::string::npos);
  LoadOptions forced;
  forced.format = FileFormat::edge_list;
  EXPECT_EQ(arcs("e.txt", "New York,Boston\n", forced), "New>York,Boston");
  EXPECT_EQ(log_of("e.txt", "New York,Boston\n", forced).find("[W]"), std::string::npos);
}

TEST_F(ColumnsTest, AnIdBeyond64BitsIsToldOnlyWhatHelps) {
  const std::string wanted = ":2: id '99999999999999999999' does not fit 64 bits (--vertices names takes any)";
  const std::string message = fault<DataError>("e.el", "0 1\n0 99999999999999999999\n");
  EXPECT_TRUE(message.ends_with(wanted)) << message;
}

TEST_F(ColumnsTest, WhatAListCannotHoldIsSaidInTwoPlainSentences) {
  const std::string file = write("gaps.el", "2 4\n4 2\n1 2\n");
  ::testing::internal::CaptureStderr();
  convert_graph(file, path("out.csv"), {}, pool);
  EXPECT_CONTAINS(::testing::internal::GetCapturedStderr(), "2 vertices have no edges, so they are missing from " +
                                                                path("out.csv") +
                                                                ". Reading it gives them back with --num-vertices 5");
}

TEST_F(ColumnsTest, FewerThanHalfOfTheIdsIsCountedFromZero) {
  EXPECT_EQ(load_graph(write("one.el", "2 2\n"), {}, pool).graph.num_vertices(), 1u);  // 1 of 3
  EXPECT_EQ(load_graph(write("two.el", "3 2\n"), {}, pool).graph.num_vertices(), 4u);  // 2 of 4
}

TEST_F(ColumnsTest, ALineWhoseVerticesAreNumbersIsAnEdge) {
  for (const char* odd : {"NA", "$5", "0x10", "1_000", "-"}) {
    const std::string content = fmt::format("1,2,{}\n2,3,4\n3,4,5\n", odd);
    EXPECT_NE(fault<DataError>("e.csv", content, columns({"1", "2", "3"})).find(":1:"), std::string::npos) << odd;
    EXPECT_EQ(arcs("e.csv", content, columns({"1", "2"})), "1>2 2>3 3>4") << odd;
    EXPECT_NE(error_of<Error>([&] { load_graph(write("f.csv", content), {}, pool); }), "") << odd;
  }
  EXPECT_EQ(arcs("e.csv", "a,b,w\n1,2,4\n"), "1>2:4");
}

TEST_F(ColumnsTest, DecimalCommasMadeAGraphOfOtherVertices) {
  for (const auto& [name, text, shown] :
       {std::tuple{"a.txt", "1 2 0,5\n2 3 1,5\n", "'1 2 0,5'"}, std::tuple{"a.csv", "1;2;0,5\n2;3;1,5\n", "'0,5'"},
        std::tuple{"a.tsv", "1\t2\t0,5\n2\t3\t1,5\n", "'0,5'"}}) {
    const std::string message = fault<DataError>(name, text);
    EXPECT_NE(message.find(std::string("decimal commas, as in ") + shown), std::string::npos) << message;
  }
  EXPECT_EQ(arcs("b.csv", "1 2,5\n2 x,6\n").substr(0, 5), "1 2>5") << "names with blanks";
}

// "from,to,amount" lost its weights, where "payer,payee,amount" kept them.
TEST_F(ColumnsTest, TheThirdColumnOfNumbersHoldsWeightsWhateverItIsCalled) {
  for (const char* header : {"from,to,amount", "payer,payee,amount", "source,target,rating"}) {
    EXPECT_EQ(arcs("e.csv", std::string(header) + "\nann,bob,30\nbob,cy,12.5\n"), "ann>bob:30 bob>cy:12.5") << header;
  }
  EXPECT_EQ(arcs("e.csv", "amount,from,to\n30,ann,bob\n"), "ann>bob:30");
  EXPECT_EQ(arcs("e.csv", "from,to,note\nann,bob,x\n"), "ann>bob");
  EXPECT_EQ(arcs("e.csv", "from,to,time\nann,bob,1500000000\n"), "ann>bob");
  EXPECT_NE(log_of("e.csv", "from,to,fee,amount\nann,bob,1,30\n").find("[W]"), std::string::npos);
}

TEST_F(ColumnsTest, CsvWithCommasWasRefused) {
  EXPECT_EQ(arcs("e.csv", "0,1\n1,2\n"), "0>1 1>2");
  EXPECT_EQ(arcs("e", "0,1,5\n1,2,6\n"), "0>1:5 1>2:6");
  EXPECT_EQ(arcs("e", "0;1;0.5\n1;2;6\n"), "0>1:0.5 1>2:6");
  EXPECT_EQ(arcs("e", "0 , 1\r\n\r\n# comment\r\n 1,2 "), "0>1 1>2");
  EXPECT_EQ(arcs("e", "\"0\",\"1\",\"5\"\n"), "0>1:5");
  EXPECT_EQ(load_graph(write("e.csv.gz", gzipped("0,1\n")), {}, pool).format, "CSV");
}

TEST_F(ColumnsTest, AHeaderNamesColumns) {
  EXPECT_EQ(arcs("e.csv", "source,target,weight\n0,1,5\n1,2,6\n"), "0>1:5 1>2:6");
  EXPECT_EQ(arcs("e.csv",
                 "\xef\xbb\xbf"
                 "Weight;Time;To;From\r\n5;7;1;0\r\n6;7;2;1\r\n"),
            "0>1:5 1>2:6");
  EXPECT_EQ(arcs("e.tsv", "src\tdst\trating\n0\t1\t5\n"), "0>1:5");
  EXPECT_EQ(arcs("e.txt", "FromNodeId ToNodeId\n0 1\n"), "0>1");
  EXPECT_EQ(arcs("e.csv", "a,b,c\n0,1,5\n1,2,6\n"), "0>1:5 1>2:6");  // words over numbers
  EXPECT_CONTAINS(log_of("e.csv", "Weight,To,From\n5,1,0\n"),
                  "edges go from column 3 ('From') to column 2 ('To'), with weights in column 1 ('Weight')");
}

TEST_F(ColumnsTest, ColumnsAreChosenByNameOrNumber) {
  const std::string text = "id,seller,buyer,amount\n9,0,1,5\n8,1,2,6\n";
  EXPECT_EQ(arcs("e.csv", text, columns({"seller", "buyer", "amount"})), "0>1:5 1>2:6");
  EXPECT_EQ(arcs("e.csv", text, columns({"Buyer", "seller"})), "1>0 2>1");
  EXPECT_EQ(arcs("e.csv", text, columns({"2", "3"})), "0>1 1>2");
  EXPECT_EQ(arcs("e.txt", "0 1 5 7\n1 2 6 7\n", columns({"2", "1", "4"})), "1>0:7 2>1:7");
  EXPECT_CONTAINS(
      fault<UsageError>("e.csv", text, columns({"seller", "price"})),
      "has no column 'price' for --columns: its first line that is no comment holds 'id', 'seller', 'buyer', 'amount'");
  EXPECT_CONTAINS(fault<UsageError>("e.csv", text, columns({"1", "5"})), "has 4 columns: --columns cannot ask for column 5");
}

TEST_F(ColumnsTest, WhatNobodyNamedIsNotGuessed) {
  EXPECT_CONTAINS(fault<UsageError>("e.txt", "0 1 2 3\n"), "has 4 columns: say which hold source, target");
  EXPECT_CONTAINS(fault<UsageError>("e.csv", "day,seller,buyer,amount\n9,0,1,5\n"),
                  "--columns day,seller (the first line holds 'day'");
  EXPECT_CONTAINS(fault<UsageError>("e.csv", "alice,bob,friend\nbob,carl,foe\n"), "has 3 columns: say which");
}

TEST_F(ColumnsTest, TimesOfTemporalGraphsAreNoWeights) {
  const std::string three = "9 8 1082040961\n8 7 1082155839\n";
  const std::string time = "column 3 looks like times and is left out (--columns 1,2,3 takes them as weights)";
  EXPECT_EQ(arcs("CollegeMsg.txt", three, ids(IdPolicy::compact)), "8>7 9>8");
  EXPECT_CONTAINS(log_of("CollegeMsg.txt", three), time);
  EXPECT_EQ(arcs("CollegeMsg.txt", "0 1 1082040961\n", columns({"1", "2", "3"})), "0>1:1082040961");
  EXPECT_EQ(arcs("e.csv", "a,b,time\n0,1,3\n"), "0>1");
  EXPECT_EQ(arcs("four.txt", "0 1 5 1082040961\n1 2 6 1082155839\n"), "0>1:5 1>2:6");
  EXPECT_CONTAINS(log_of("four.txt", "0 1 5 1082040961\n"), "column 4 looks like times and is left out");
  EXPECT_EQ(arcs("weights.wel", "0 1 1082040961\n1 2 5\n"), "0>1:1082040961 1>2:5");
}

// A warning was all that a reader left of what it assumed: results did not have it.
TEST_F(ColumnsTest, WhatWasAssumedIsAFactOfTheGraph) {
  const std::string file = write("t.txt", "9 8 1082040961\n8 7 1082155839\n");
  LoadOptions options;
  options.ids = IdPolicy::compact;
  options.bipartite = true;
  for (const Workspace& space : {Workspace{}, Workspace::on_disk(directory.string(), 1'000'000)}) {
    const auto said = load_graph(file, options, pool, space).graph.assumptions;
    ASSERT_EQ(said.size(), 2u);
    EXPECT_CONTAINS(said[0], "--bipartite has no effect on a graph of format edge list");
    EXPECT_CONTAINS(said[1], "column 3 looks like times and is left out");
  }
  EXPECT_TRUE(load_graph(write("e.el", "0 1\n"), {}, pool).graph.assumptions.empty());
  EXPECT_EQ(load_graph(write("w.el", "0 1 16777217\n1 0 0.5\n"), {}, pool).graph.assumptions.size(), 1u) << "a rounded weight";
}

TEST_F(ColumnsTest, WeightsInTheRangeOfTimesWereDroppedWithoutAWarning) {
  const std::string lines = "1 2 1700000000\n2 3 1800000000\n";
  const std::string weighted = "1>2:1700000000 2>3:1800000000";
  EXPECT_EQ(arcs("w.wel", lines), weighted);
  EXPECT_EQ(arcs("w.wel.gz", gzipped(lines)), weighted);
  EXPECT_EQ(arcs("w.wel", "source target amount\n" + lines), weighted);
  EXPECT_EQ(arcs("w.txt", "here there weight\n" + lines), weighted);
  EXPECT_EQ(arcs("w.csv", "source,target,weight\n1,2,1700000000\n2,3,1800000000\n"), weighted);
  EXPECT_CONTAINS(log_of("w.el", lines), "[W] " + path("w.el"));
  EXPECT_CONTAINS(log_of("w.csv", "here,there,time\n0,1,1700000000\n"), "column 3 ('time') holds times and is left out");
  Graph graph = load_graph(path("w.el"), {}, pool).graph;
  const WeightSource file{WeightSource::Kind::file};
  EXPECT_CONTAINS(error_of<UsageError>([&] { assign_weights(graph, file, pool); }), "such as --columns 1,2,3");
}

TEST_F(ColumnsTest, ColumnsOfStringsWereNotTakenForAnEdgeList) {
  EXPECT_EQ(arcs("q.txt", "alice bob 1 4\nbob carol 2 3\n", columns({"1", "2"})), "alice>bob bob>carol");
  EXPECT_EQ(arcs("q", "alice,bob,1,4\nbob,carol,2\n", columns({"1", "2", "3"})), "alice>bob:1 bob>carol:2");
  EXPECT_EQ(arcs("a.graph", "0 1 5 7\n1 2 6 7 8\n", columns({"1", "2"})), "0>1 1>2");
}

TEST_F(ColumnsTest, OneColumnCannotHoldSourcesAndTargets) {
  EXPECT_CONTAINS(fault<UsageError>("e.txt", "0 1\n", columns({"1", "1"})), "holds sources and targets: name two columns");
  EXPECT_CONTAINS(fault<UsageError>("e.csv", "a,b\n0,1\n", columns({"a", "1"})), "--columns says that column 1 of");
}

TEST_F(ColumnsTest, QuotesThatDoNotEndOnTheFirstLineWereTakenForAnId) {
  const std::string wrong = ":1: the quotes of column 1 do not enclose it on this line";
  for (const IdPolicy policy : {IdPolicy::names, IdPolicy::automatic}) {
    EXPECT_CONTAINS(fault<DataError>("q.csv", "\"a\nb\",c\n", ids(policy)), "q.csv" + wrong);
  }
}

TEST_F(ColumnsTest, FaultyRowsAreNamed) {
  EXPECT_CONTAINS(fault<DataError>("e.csv", "0,1\n1,x\n"), "e.csv:2: expected a vertex id, found 'x' (--vertices names");
  EXPECT_CONTAINS(fault<DataError>("e.csv", "0,1\n1,\n"), "e.csv:2: expected a vertex id, found an empty field");
  EXPECT_CONTAINS(fault<DataError>("e.csv", "0,1\n1\n"), "e.csv:2: the line ends after column 1, and column 2 is used");
  EXPECT_CONTAINS(fault<DataError>("e.csv", "0,1\n1,2,3\n"), "e.csv:2: unexpected '3' in column 3: --columns says");
  EXPECT_CONTAINS(fault<DataError>("e.csv", "0,1\n\"1,2\n"), "e.csv:2: the quotes of column 1 do not enclose it");
  EXPECT_CONTAINS(fault<DataError>("e.csv", "0,1,5\n1,2,\n"), "e.csv:2: expected a value, found an empty field");
  EXPECT_CONTAINS(fault<DataError>("e.csv", "0,1,5\n1,2,3 4\n"), "e.csv:2: expected a number as value, found '3'");
  EXPECT_EQ(arcs("e.csv", "source,target\n"), "");
  EXPECT_CONTAINS(fault<DataError>("e.csv", "a,b\nb,c\x7f\n"), "e.csv:2: 'c?' holds a control character");
}

TEST_F(ColumnsTest, StringIdsWereTakenForDimacs) {
  EXPECT_EQ(arcs("e.txt", "a b\nc a\np q\n"), "a>b c>a p>q");
  EXPECT_EQ(load_graph(path("e.txt"), {}, pool).format, "edge list");
  EXPECT_EQ(arcs("e.txt", "carl dave 5\ncarl anna 6\n"), "carl>dave:5 carl>anna:6");
  EXPECT_EQ(sniff_format(write("d", "c comment\np sp 2 1\na 1 2 3\n")), FileFormat::dimacs);
  EXPECT_EQ(sniff_format(write("d", "p max 2 1\n")), FileFormat::dimacs);
  EXPECT_CONTAINS(log_of("e.csv", "person,friend\nanna,bob\n"), "vertices are called by strings");
  EXPECT_CONTAINS(log_of("e.csv", "1,2.5\n2,3.5\n"), "vertices are called by strings, as '2.5' is no whole number");
  EXPECT_EQ(log_of("e.csv", "1,anna\n2,bob\n").find("whole number"), std::string::npos);
}

TEST_F(ColumnsTest, StringsGetNumbersInTheOrderInWhichTheyComeFirst) {
  std::string text;
  for (int i = 4000; i > 0; --i) text += fmt::format("v{},v{}\n", i * 7919 % 4001, i % 10);
  arcs("e.csv", text);
  const Graph graph = load_graph(path("e.csv"), {}, pool).graph;
  EXPECT_EQ(graph.names.text(0), fmt::format("v{}", 4000 * 7919 % 4001));
  EXPECT_EQ(graph.names.text(1), "v0");
  EXPECT_EQ(graph.names.find("v9", graph.num_vertices()), VertexId{3});
}

// The first weight that is no u32 left a thread's piece half read, and the names behind it came first.
TEST_F(ColumnsTest, StringsKeepTheirOrderWhereWeightsBecomeFloats) {
  constexpr int kLines = 150000;  // pieces are a megabyte
  std::string text;
  for (int i = 0; i < kLines; ++i) text += fmt::format("name-{},name-{},{}\n", i, i + 1, i == kLines / 4 ? "0.5" : "1");
  const VertexNames names = load_graph(write("e.csv", text), {}, pool).graph.names;
  for (VertexId v = 0; v <= kLines; ++v) ASSERT_EQ(names.text(v), fmt::format("name-{}", v));
}

TEST_F(ColumnsTest, QuotesHoldSeparatorsAndQuotes) {
  EXPECT_EQ(arcs("e.csv", "\"Smith, J.\",\"the \"\"boss\"\"\"\n\"the \"\"boss\"\"\",plain\n"),
            "Smith, J.>the \"boss\" the \"boss\">plain");
  EXPECT_EQ(arcs("e.tsv", "New York\tBoston\nBoston\tNew York\n"), "New York>Boston Boston>New York");
  EXPECT_EQ(arcs("e.csv", "caf\xc3\xa9,b\n\"b\",caf\xc3\xa9\n"), "caf\xc3\xa9>b b>caf\xc3\xa9");
}

// Read again, "b;c d" was the columns "b" and "c d".
TEST_F(ColumnsTest, NamesWithSeparatorsAreNotWrittenToAnEdgeList) {
  const std::string list = write("e.csv", "a,\"b;c\"\n\"b;c\",d\n");
  EXPECT_CONTAINS(error_of<UsageError>([&] { convert_graph(list, path("e.el"), {}, pool); }),
                  "'b;c', which holds a blank, a comma");
  convert_graph(list, path("again.csv"), {}, pool);
  EXPECT_EQ(arcs("again.csv", read("again.csv")), "a>b;c b;c>d");
}

TEST_F(ColumnsTest, NumbersAreStringsWhenAsked) {
  EXPECT_EQ(arcs("e.txt", "1 X\nX 01\n01 1\n"), "1>X X>01 01>1");
  EXPECT_EQ(arcs("e.txt", "1 2\n01 X\n", ids(IdPolicy::names)), "1>2 01>X");
  EXPECT_CONTAINS(fault<DataError>("e.txt", "1 2\n3 X\n"), ":2: expected a vertex id, found 'X' (--vertices names takes");
  EXPECT_CONTAINS(fault<DataError>("e.txt", "a b\n", ids(IdPolicy::keep)), ":1: expected a vertex id, found 'a'");
}

TEST_F(ColumnsTest, SparseIdsOf64Bits) {
  const std::string text = "7 18446744073709551615\n1000000000000 7\n18446744073709551615 0\n";
  const std::string expected = "0 7 1000000000000 18446744073709551615";
  for (const IdPolicy policy : {IdPolicy::automatic, IdPolicy::compact}) {
    EXPECT_EQ(arcs("e.txt", text, ids(policy)), "7>18446744073709551615 1000000000000>7 18446744073709551615>0");
    const Graph graph = load_graph(path("e.txt"), ids(policy), pool).graph;
    std::string names;
    for (VertexId v = 0; v < graph.num_vertices(); ++v) names += (v == 0 ? "" : " ") + graph.names.text(v);
    EXPECT_EQ(names, expected);
  }
  EXPECT_CONTAINS(fault<DataError>("e.txt", text, ids(IdPolicy::keep)), ":1: id 18446744073709551615 is outside");
  EXPECT_CONTAINS(fault<DataError>("e.txt", text + "1 18446744073709551616\n"),
                  ":4: id '18446744073709551616' does not fit 64 bits");
  EXPECT_EQ(arcs("e.csv", "5,1099511627776,2\n1099511627776,5,0.5\n"), "5>1099511627776:2 1099511627776>5:0.5");
}

TEST_F(ColumnsTest, NamesThatDoNotFitTheMemoryAreRefused) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += fmt::format("name-{},hub\n", i);
  const Workspace space = Workspace::on_disk(directory.string(), 100'000);
  EXPECT_CONTAINS(error_of<UnavailableError>([&] { load_graph(write("e.csv", text), {}, pool, space); }),
                  "vertices do not fit in memory, of which");
}

// They were floats, and rounded.
TEST_F(ColumnsTest, WholeWeightsBeyond32BitsAreExact) {
  for (const LoadOptions& options : {LoadOptions{}, LoadOptions{.weights = WeightUse::exact}}) {
    const std::string kept = "0>1:9007199254740993 1>2:18446744073709551615 2>0:1";
    EXPECT_EQ(arcs("e.txt", "0 1 9007199254740993\n1 2 18446744073709551615\n2 0 1\n", options), kept);
    EXPECT_EQ(arcs("e.csv", "u,v,w\n0,1,9007199254740993.0\n1,2,1.8446744073709551615e+19\n2,0,1e0\n", options), kept);
    EXPECT_EQ(
        arcs("m.mtx", "%%MatrixMarket matrix coordinate unsigned-integer general\n3 3 2\n1 2 9007199254740993\n2 3 1\n", options),
        "1>2:9007199254740993 2>3:1");
    EXPECT_EQ(arcs("g.gr", "p sp 2 2\na 1 2 4294967296\na 2 1 4294967297\n", options), "1>2:4294967296 2>1:4294967297");
    EXPECT_EQ(arcs("g.graph", "2 1 1\n2 99999999999\n1 99999999999\n", options), "1>2:99999999999 2>1:99999999999");
    EXPECT_EQ(arcs("e.txt", "0 1 16777217\n1 2 4294967295\n", options), "0>1:16777217 1>2:4294967295");
  }
  EXPECT_EQ(load_graph(write("e.txt", "0 1 4294967295\n"), {}, pool).graph.weight_kind, WeightKind::u32);
  EXPECT_EQ(load_graph(write("e.txt", "0 1 4294967296\n"), {}, pool).graph.weight_kind, WeightKind::u64);
  EXPECT_EQ(log_of("e.txt", "0 1 1\n1 2 9007199254740993\n").find("e.txt:"), std::string::npos);
}

// Turns of the kind in the first, a middle and the last batch of a file that is read in pieces.
TEST_F(ColumnsTest, WeightsTurnWideWhereverTheFirstWideOneStands) {
  for (const int place : {0, 1500, 2999}) {
    std::string text, wanted;
    for (int i = 0; i < 3000; ++i) {
      const std::string weight = i == place ? "4294967296" : std::to_string(i % 7);
      text += fmt::format("{} {} {}\n", i, i + 1, weight);
      wanted += fmt::format("{}{}>{}:{}", i == 0 ? "" : " ", i, i + 1, weight);
    }
    EXPECT_EQ(arcs("e.txt", text), wanted);
    const Graph floats = load_graph(write("e.txt", text + "3000 3001 0.5\n"), {}, pool).graph;
    EXPECT_EQ(floats.weight_kind, WeightKind::f32);
  }
}

TEST_F(ColumnsTest, WholeWeightsThatFloatsRoundAreRefusedWhereTheyMustBeExact) {
  const LoadOptions exact{.weights = WeightUse::exact};
  const std::string refused = "this weight is rounded, because all are 32-bit floats where one is negative, not whole or beyond";
  EXPECT_CONTAINS(fault<DataError>("e.txt", "0 1 0.5\n1 2 4294967297\n", exact), "e.txt:2: " + refused);
  EXPECT_CONTAINS(fault<DataError>("e.txt", "0 1 4294967297\n1 2 -1\n", exact), "e.txt:1: " + refused);
  EXPECT_CONTAINS(fault<DataError>("e.csv", "0,1,0.5\n1,2,9007199254740993\n", exact), "e.csv:2: " + refused);
  EXPECT_CONTAINS(fault<DataError>("e.csv", "0,1,1\n1,2,18446744073709551616\n2,0,4294967297\n", exact), "e.csv:2: " + refused);
  EXPECT_CONTAINS(log_of("e.csv", "0,1,0.5\n1,2,9007199254740993\n"), "e.csv:2: this weight is rounded");
  // A float holds all of these.
  EXPECT_EQ(load_graph(write("e.txt", "0 1 4294967296\n1 2 0.5\n"), exact, pool).graph.weight_kind, WeightKind::f32);
  const LoadOptions floats{.float_weights = true, .weights = WeightUse::exact};
  EXPECT_EQ(load_graph(write("e.txt", "0 1 16777217\n1 2 1\n"), floats, pool).graph.weight_kind, WeightKind::f32);
}

// A bfs failed because of weights that it does not read.
TEST_F(ColumnsTest, WeightsThatNothingReadsNeitherFailNorWarn) {
  const LoadOptions unread{.weights = WeightUse::unread};
  for (const std::string weight : {"4294967297", "18446744073709551616", "1e39", "nan", "-7", "16777217.5"}) {
    const std::string text = "0 1 0.5\n1 2 " + weight + "\n2 0 4294967297\n";
    EXPECT_EQ(load_graph(write("e.txt", text), unread, pool).graph.num_edges(), 3u) << weight;
    EXPECT_EQ(log_of("e.txt", text, unread).find("weight"), std::string::npos) << weight;
  }
  const std::string matrix =
      "%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 99999999999999999999\n2 3 4294967296\n";
  EXPECT_EQ(load_graph(write("m.mtx", matrix), unread, pool).graph.num_edges(), 2u);
  EXPECT_EQ(load_graph(write("m.graph", "2 1 1\n2 99999999999\n1 99999999999\n"), unread, pool).graph.num_edges(), 2u);
}

TEST_F(ColumnsTest, WhatIsNoGraphIsStillRefused) {
  const auto refused = [&](const std::string& content) {
    EXPECT_CONTAINS(fault<DataError>("f", content), "is in none of the formats that can be read");
  };
  refused("Dear reader,\nthis is a letter, not a graph.\n");
  refused("{\"nodes\": 3, \"edges\": 4}\n");
  refused("<xml xmlns=\"a, b\">\n");
  refused("This is prose of many words\nand lines\n");
  EXPECT_CONTAINS(fault<DataError>("f", std::string("\xff\xfe"
                                                    "0\0,\0",
                                                    6)),
                  "is text of UTF-16: save it as UTF-8 first");
}

}  // namespace
}  // namespace graphrun::test
