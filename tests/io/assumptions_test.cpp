// SPDX-License-Identifier: Apache-2.0
// A row for each rule of docs/formats.md about texts whose meaning is not plain: read as most tools read them, with a sentence,
// or refused with the commands for either meaning.
#include <string>
#include <vector>

#include "io/columns_fixture.hpp"

namespace graphrun::test {
namespace {

/// A text that is read.
struct Rule {
  std::string name;
  std::string text;
  std::string arcs;
  std::string said;  ///< a part of the one assumption; empty: there is none
};

/// A text that is refused.
struct Refused {
  std::string text;
  std::vector<std::string> said;
  std::string name = "f.txt";
};

class AssumptionsTest : public ColumnsTest {
 protected:
  /// Assumptions but those about vertices that no line names, and about parallel edges (vertices_test.cpp).
  std::vector<std::string> assumed(const std::string& file, const LoadOptions& options = {}) {
    std::vector<std::string> said = load_graph(file, options, pool).graph.assumptions;
    std::erase_if(said, [](const std::string& sentence) {
      return sentence.find("--vertices keep ") != std::string::npos || sentence.find("--merge ") != std::string::npos;
    });
    return said;
  }
  void expect(const std::vector<Rule>& rules, const LoadOptions& options = {}) {
    for (const Rule& rule : rules) {
      EXPECT_EQ(arcs(rule.name, rule.text, options), rule.arcs) << rule.text;
      const auto said = assumed(path(rule.name), options);
      EXPECT_EQ(said.size(), rule.said.empty() ? 0u : 1u) << rule.text << fmt::format("{}", fmt::join(said, "\n"));
      if (!said.empty()) {
        EXPECT_CONTAINS(said[0], rule.said);
      }
    }
  }
  void expect_refused(const std::vector<Refused>& rules) {
    for (const Refused& rule : rules) {
      const std::string message = fault<Error>(rule.name, rule.text);
      for (const std::string& part : rule.said) EXPECT_CONTAINS(message, part);
    }
  }
};

// pandas writes its index before the columns, R the names of rows: both became weights or vertices.
TEST_F(AssumptionsTest, RowNumbersBecameWeights) {
  expect({
      {"a.csv", ",source,target\n0,a,b\n1,b,c\n2,a,c\n", "a>b a>c b>c", "column 1 ('') numbers the rows and is left out"},
      {"b.csv", "Unnamed: 0,from,to,weight\n0,5,6,7\n1,6,5,8\n", "5>6:7 6>5:8", "column 1 ('Unnamed: 0') numbers the rows"},
      {"c.csv", "\"\",\"source\",\"target\"\n\"1\",1,2\n\"2\",2,3\n", "1>2 2>3", "numbers the rows"},
      {"d.csv", "id,source,target\n100,1,2\n101,2,3\n", "1>2 2>3", "column 1 ('id') numbers the rows"},
      {"e.csv", "edge_id,payer,payee\n7,ann,bob\n9,bob,cy\n", "ann>bob bob>cy", "column 1 ('edge_id') numbers the rows"},
      {"f.csv", "source,target,rowid\n1,2,10\n2,3,20\n", "1>2 2>3", "column 3 ('rowid') numbers the rows"},
      {"g.csv", "source,target,index\n1,2,10\n2,3,20\n", "1>2 2>3", "column 3 ('index') numbers the rows"},
      {"h.csv", "source,target,nr\n1,2,1\n2,3,2\n3,1,3\n", "1>2 2>3 3>1", "column 3 ('nr') merely counts and is left out"},
      {"i.csv", "source,target,nr\n1,2,1\n2,3,2\n3,1,4\n", "1>2:1 2>3:2 3>1:4", ""},
      {"j.txt", "\"from\" \"to\" \"weight\"\n\"1\" 1 2 0.5\n\"2\" 2 3 1\n", "1>2:0.5 2>3:1", "numbers the rows"},
      {"k.csv", "source,target,weight\n1,2,1\n2,3,2\n3,1,3\n", "1>2:1 2>3:2 3>1:3", ""},
      {"l.txt", "1 2 1\n2 3 2\n3 1 3\n", "1>2:1 2>3:2 3>1:3", "column 3 merely counts, and is taken as weights"},
      {"m.csv", "0,5,7\n1,7,8\n2,5,8\n", "0>5:7 1>7:8 2>5:8", "column 1 merely counts, and is taken as sources"},
      {"n.csv", "id,parent\n1,2\n2,3\n", "1>2 2>3", ""},
      {"o.csv", "source,target,type\n1,2,4\n2,3,4\n", "1>2 2>3", "column 3 ('type') holds attributes and is left out"},
  });
}

// Of two attributes the comma made the lines CSV.
TEST_F(AssumptionsTest, AttributesOfNetworkxBecameNames) {
  expect({
      {"a.txt", "0 1 {'weight': 2.5}\n1 2 {'weight': 1.0}\n", "0>1:2.5 1>2:1", ""},
      {"b.txt", "0 1 {}\n1 2 {}\n", "0>1 1>2", ""},
      {"c.txt", "0 1 {'weight': 2.5, 'label': 'a}, b'}\n1 2 {'label': 'b', 'weight': 1}\n", "0>1:2.5 1>2:1",
       "attributes of edges other than 'weight' are left out"},
      {"d.txt", "a\tb\t{'weight': 3, 'x': [1, 2]}\nb\tc\t{'weight': 4}\n", "a>b:3 b>c:4", "other than 'weight'"},
      {"e.csv", "ann,bob,{'weight': 3}\nbob,cy,{'weight': 4}\n", "ann>bob:3 bob>cy:4", ""},
  });
  expect({{"f.txt", "0 1 {'weight': 2.5, 'b': 1}\n1 2 {}\n", "0>1 1>2", "other than 'weight'"}}, columns({"1", "2"}));
  expect_refused({
      {"0 1 {'weight': 2.5}\n1 2 {}\n", {"f.txt:2: the attributes have no 'weight'"}},
      {"0 1 {}\n1 2 {'weight': 2}\n", {"f.txt:2: the attributes have a 'weight'", "--columns 1,2"}},
      {"0 1 {'weight': 'heavy'}\n1 2 {'weight': 2}\n", {"f.txt:1: the attributes have a 'weight'"}},
      {"0 1 {'weight': 2}\n1 2 {'weight': None}\n", {"f.txt:2: expected a number as value, found 'None'"}},
  });
}

// sssp took weight 1 where the first row lacked a number.
TEST_F(AssumptionsTest, WeightsOfWhichTheFirstIsNoNumberWereDropped) {
  const std::string advice = " (--columns 1,2 leaves column 3 out)";
  expect_refused({
      {"from,to,capacity\n1,2,NA\n2,3,5\n3,4,6\n", {"f.csv:2: expected a number as value, found 'NA'" + advice}, "f.csv"},
      {"from,to,capacity\n1,2,\n2,3,5\n", {"f.csv:2: expected a value, found an empty field"}, "f.csv"},
      {"from,to,capacity\n1,2,5\n2,3,NA\n", {"f.csv:3: expected a number as value, found 'NA'" + advice}, "f.csv"},
      {"from to w\n1 2 NA\n2 3 5\n", {"f.txt:2: expected a number as value, found 'NA'"}},
  });
  expect({{"a.csv", "from,to,kind\n1,2,x\n2,3,5\n", "1>2 2>3", "column 3 ('kind') holds attributes and is left out"},
          {"b.csv", "from,to,note\n1,2,x\n2,3,y\n", "1>2 2>3", ""},
          {"c.csv", "from,to,weight,n\n1,2,4,x\n2,3,5,7\n", "1>2:4 2>3:5", "column 4 ('n') holds numbers and is left out"}});
  expect({{"d.csv", "from,to,capacity\n1,2,NA\n2,3,5\n", "1>2 2>3", ""}}, columns({"1", "2"}));
}

TEST_F(AssumptionsTest, ALoneLineOfWordsWasLost) {
  const std::string said =
      "names the columns, and the file holds no edges: it is read as a graph without vertices (--columns 1,2";
  expect({{"a.txt", "u v\n", "", "line 1, 'u', 'v', " + said},
          {"b.csv", "# empty\nfrom,to\n", "", "line 2, 'from', 'to', " + said},
          {"c.txt", "ann bob\n", "ann>bob", ""}});
  expect({{"d.txt", "u v\n", "u>v", ""}}, columns({"1", "2"}));
}

// Self loops and weights in the first line made it a header.
TEST_F(AssumptionsTest, FirstEdgesOfStringsWereLost) {
  expect({{"a.txt", "ann ann\nbob cy\n", "ann>ann bob>cy", ""},
          {"b.txt", "random random 3\n", "random>random:3", ""},
          {"c.el", "x x 5\ny z 2\nz y 9\n", "x>x:5 y>z:2 z>y:9", "is an edge"},
          {"d.txt", "y bob 7\n1 2 2\n2 1 1.25\n", "y>bob:7 1>2:2 2>1:1.25", "is an edge"}});
}

// Of chosen columns of strings the header was an edge.
TEST_F(AssumptionsTest, HeadersAreKnownByColumnsThatWereNotChosen) {
  const auto chosen = [&](const char* content, const char* source, const char* target) {
    return arcs("e.csv", content, columns({source, target}));
  };
  EXPECT_EQ(chosen(",source,target\n0,a,b\n1,b,c\n", "2", "3"), "a>b b>c");
  EXPECT_EQ(chosen("x,y,source,target\n1,2,a,b\n", "3", "4"), "a>b");
  EXPECT_EQ(chosen("date,payer,payee\n2020-01-01,ann,bob\n", "2", "3"), "ann>bob");
  EXPECT_EQ(chosen("source,date,target\na,2020,b\nc,2021,d\n", "1", "3"), "a>b c>d");
  EXPECT_EQ(chosen("ann,x,bob\ncy,y,dan\n", "1", "3"), "ann>bob cy>dan");
}

// Of LDBC's tables a false sentence was said.
TEST_F(AssumptionsTest, BarsSeparateColumns) {
  expect({{"a.csv", "0|2\n2|1\n", "0>2 2>1", ""},
          {"b.csv", "Person.id|Person.id|creationDate\n1|2|2010-03-13\n2|3|2010-04-01\n", "1>2 2>3", ""},
          {"c.csv", "a|b|2\nb|c|3\n", "a>b:2 b>c:3", ""}});
}

// Only without a header were they told.
TEST_F(AssumptionsTest, DecimalCommasBelowAHeaderAreNamed) {
  expect_refused({{"source;target;weight\na;b;0,5\nb;c;1\n", {"has decimal commas, as in '0,5'"}, "f.csv"},
                  {"source;target;weight\na;b;1\nb;c;0,5\n", {"has decimal commas, as in '0,5'"}, "f.csv"},
                  {"source;target;price\na;b;0,5\nb;c;0,7\n", {"has decimal commas, as in '0,5'"}, "f.csv"},
                  {"a;b;0,5\nb;c;1\n", {"has decimal commas, as in '0,5'"}, "f.csv"}});
  expect({{"a.csv", "source;target;weight;price\na;b;1;0,5\nb;c;2;0,7\n", "a>b:1 b>c:2", ""}});
}

TEST_F(AssumptionsTest, AttributesOfNumPyWereNoNumbers) {
  expect({{"a.txt", "1 2 {'weight': np.float64(2.5)}\n2 1 {'weight': np.float64(1.0)}\n", "1>2:2.5 2>1:1", ""},
          {"b.txt", "1 2 {'weight': np.int64(3)}\n2 1 {'weight': 4}\n", "1>2:3 2>1:4", ""}});
  expect_refused({{"1 2 {'weight': '5'}\n2 1 {'weight': '6'}\n", {"f.txt:1:", "the first edge has none that is a number"}}});
}

TEST_F(AssumptionsTest, FractionsOfTimesBecameWeights) {
  const std::string left_out = "looks like times and is left out";
  expect({
      {"a.txt", "1 2 1289241911.72836\n2 1 1289241941.53378\n", "1>2 2>1", left_out},
      {"b.txt", "1 2 1289241911000000\n2 1 1289241941000000\n", "1>2 2>1", left_out},
      {"c.txt", "1 2 1289241911000000000\n2 1 1289241941000000000\n", "1>2 2>1", left_out},
      {"d.csv", "6,2,4,1289241911.72836\n6,5,2,1289241941.53378\n", "6>2:4 6>5:2", "column 4 " + left_out},
      {"e.csv", "source,target,weight,time\n1,2,4,17\n2,1,2,18\n", "1>2:4 2>1:2",
       "column 4 ('time') holds times and is left out"},
      {"f.txt", "1 2 1289241911.5\n2 1 3.5\n", "1>2:1289241900 2>1:3.5", "this weight is rounded"},
  });
}

TEST_F(AssumptionsTest, EndsOfEdgesHaveManyNames) {
  for (const char* header :
       {"head,relation,tail", "subject,predicate,object", "node1,rel,node2", "citing,type,cited", "from_url,key,to_url",
        "u,class,v", "start,label,end", "ProteinA,kind,ProteinB", "parent,type,child"}) {
    expect({{"kg.csv", std::string(header) + "\n0,1,5\n1,0,6\n", "0>5 1>6", "holds attributes and is left out"}});
  }
  expect({
      {"a.csv", "from_url,to_url\nhttp://a/,http://b/\nhttp://b/,http://c/\n", "http://a/>http://b/ http://b/>http://c/", ""},
      {"b.csv", "protein1 protein2 combined_score\nP1 P2 490\nP2 P3 198\n", "P1>P2:490 P2>P3:198", ""},
      {"c.csv", "source,target,start_time,end_time\n1,2,x,y\n", "1>2", ""},
      {"d.csv", "site,link\na.org,b.org\nb.org,c.org\n", "a.org>b.org b.org>c.org",
       "names the columns, as no other line looks like it"},
      {"e.csv", "here,there\nann,bob\nbob,cy\n", "here>there ann>bob bob>cy",
       "if it is a header, as its words occur in no other line"},
      {"f.txt", "u v\nv w\nw u\n", "u>v v>w w>u", "is an edge, as its words occur again; if it is a header, say --columns u,v"},
  });
}

// "Smith, J,Bob" became an edge from Smith to J.
TEST_F(AssumptionsTest, RaggedRowsAreRefused) {
  expect_refused({
      {"from,to\nSmith, J,Bob\nBob,Ann\n", {"f.csv:2: unexpected 'Bob' in column 3"}, "f.csv"},
      {"from,to,weight\na,b,1\nc,d\n", {"f.csv:3: the line ends after column 2"}, "f.csv"},
      {"from,to,note\na,b,x\nc,d\n", {"f.csv:3: the line has 2 columns, and others have 3"}, "f.csv"},
      {"0 1\n1 2 3\n", {":2: unexpected '3' after the two ids"}},
      {"0 1 2\n1 2\n", {":2: expected a value"}},
      {"a b\nb c d\n", {"f.el:2: unexpected 'd' in column 3"}, "f.el"},
  });
  LoadOptions named = columns({"from", "to"});
  EXPECT_CONTAINS(fault<DataError>("f.csv", "from,to\nSmith, J,Bob\n", named), "f.csv:2: unexpected 'Bob' in column 3");
}

TEST_F(AssumptionsTest, WholeFloatsWereOtherVertices) {
  const std::string said = "ids such as '1.0' are read as whole numbers";
  expect({
      {"a.csv", "src,dst\n1.0,2\n2.0,3\n3.0,1\n", "1>2 2>3 3>1", said},
      {"b.txt", "0 1.0\n1 2.0\n", "0>1 1>2", said},
      {"c.csv", "1.5,2\n2,1.5\n", "1.5>2 2>1.5", "vertices are called by strings, as '1.5' is no whole number"},
  });
  expect({{"d.csv", "1.0,2\n", "1.0>2", ""}}, ids(IdPolicy::names));
}

TEST_F(AssumptionsTest, LeadingZerosWereLost) {
  expect({
      {"a.csv", "from,to\n01001,01003\n1001,01003\n", "01001>01003 1001>01003",
       "ids such as '01001' begin with 0: they are names"},
      {"b.txt", "0 1\n1 0\n", "0>1 1>0", ""},
  });
  expect({{"c.csv", "from,to\n01001,01003\n1001,01003\n", "1001>1003 1001>1003", "are read as numbers"}}, ids(IdPolicy::compact));
  std::string late;
  for (int i = 0; i < 20000; ++i) late += "1 2\n";
  const std::string file = write("d.txt", late + "1 02\n");
  const auto said = assumed(file);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_CONTAINS(said[0], "d.txt:20001: id '02' begins with 0, and is read as a number");
}

TEST_F(AssumptionsTest, CountsBecameAnEdge) {
  const std::string said = "holds counts and is left out, as 3 edges follow";
  expect({
      {"a.txt", "10 3\n0 1\n1 2\n2 3\n", "0>1 1>2 2>3", "line 1, '10 3', " + said + " (--columns 1,2 takes it as an edge)"},
      {"b.txt", "4 5\n1 2\n2 3\n3 4\n4 1\n1 3\n", "1>2 1>3 2>3 3>4 4>1", "line 1, '4 5', holds counts and is left out"},
      {"c.txt", "3 2\n0 1 1.5\n1 2 2\n", "0>1:1.5 1>2:2", "line 1, '3 2', holds counts and is left out, as 2 edges follow"},
      {"d.txt", "3\n0 1\n1 2\n2 0\n", "0>1 1>2 2>0", "line 1, '3', " + said},
      {"e.csv", "10,3\n0,1\n1,2\n2,3\n", "0>1 1>2 2>3", said},
      {"f.txt", "2 1\n0 1\n", "0>1 2>1", "if it holds counts, as 1 more follow, leave it out: sed 1d " + path("f.txt")},
      {"g.txt", "10 4\n0 1\n1 2\n2 10\n", "0>1 1>2 2>10 10>4", ""},
      {"i.txt", "4\n0 1\n1 2\n2 0\n", "0>1 1>2 2>0", "line 1, '4', " + said},
      {"j.txt", "3 3 3\n0 1\n1 2\n2 0\n", "0>1 1>2 2>0", "line 1, '3 3 3', " + said},
      {"k.txt", "3\nann bob\nbob cy\ncy ann\n", "ann>bob bob>cy cy>ann", "line 1, '3', " + said},
  });
  expect({{"h.txt", "10 3\n0 1\n1 2\n2 3\n", "0>1 1>2 2>3 10>3", ""}}, columns({"1", "2"}));
  const std::string edge = "is an edge, or the count of the 3 edges that follow: --columns 1,2";
  expect_refused({
      {"3 3\n1 2\n2 3\n3 1\n", {"line 1, '3 3', " + edge + " takes it as an edge, sed 1d " + path("f.txt") + " | graphconv"}},
      {"3 3 4\n1 1 5\n1 2 6\n2 3 7\n3 3 8\n", {"the count of the 4 edges that follow: --columns 1,2,3 takes"}},
      {"3 3\n0 1 1.5\n1 2 2\n",
       {":1: the line has other columns (2) than the next ones (3), and does not count the 2 edges", "sed 1d",
        "--columns 1,2 takes"}},
      {"2\n0 1\n1 2\n4 3\n", {":1: the line has other columns (1) than the next ones (2), and does not count the 3 edges"}},
  });
}

// tail -n +2 left a comment out, or compressed bytes, and --columns 1,2 the weights.
TEST_F(AssumptionsTest, CommandsThatLeaveCountsOutDidNot) {
  expect_refused({
      {"# made by me\n\n3 3\n1 2\n2 3\n3 1\n", {"line 3, '3 3',", "sed 3d " + path("f.txt") + " | graphconv - OUT.grf"}},
      {gzipped("3 3\n1 2\n2 3\n3 1\n"), {"zcat " + path("f.txt.gz") + " | sed 1d | graphconv - OUT.grf"}, "f.txt.gz"},
  });
  expect({{"w.txt", "4 4 3\n1 2 5\n2 3 6\n3 1 9\n", "1>2:5 2>3:6 3>1:9", "(--columns 1,2,3 takes it as an edge)"}});
}

// Beyond the first 64 KiB as many lines followed as the line said, and others were asked for.
TEST_F(AssumptionsTest, CountsOfLargeFilesWereCalledWrong) {
  std::string lines, arcs;
  for (int i = 0; i < 20000; ++i) lines += fmt::format("{} {}\n", i % 1000, (i + 1) % 1000);
  for (const char* counts : {"1000 1000 20000", "20000", "20001", "1000"}) {
    const auto said = assumed(write("large.txt", std::string(counts) + "\n" + lines));
    ASSERT_EQ(said.size(), 1u) << counts;
    EXPECT_CONTAINS(said[0], fmt::format("line 1, '{}', holds counts and is left out, as 20000 edges follow", counts));
  }
  EXPECT_CONTAINS(fault<DataError>("large.txt", "1000 1000 20001\n" + lines), "does not count the 20000 edges that follow");
}

TEST_F(AssumptionsTest, KonectBipartiteFilesLostASide) {
  const std::string text = "% bip unweighted\n% 3 2 3\n1 1\n2 2\n2 3\n";
  LoadOptions bipartite;
  bipartite.bipartite = true;
  expect({{"out.bip", text, "1>3 2>4 2>5", ""},
          {"out.four", "% bip weighted\n% 2 2 3\n1 1 5 1289241911\n2 3 6 1289241912\n", "1>3:5 2>5:6", "looks like times"},
          {"e.txt", "0 1\n1 0\n", "0>1 1>0", "--bipartite has no effect on a graph of format edge list"}},
         bipartite);
  EXPECT_EQ(load_graph(write("out.bip", text), bipartite, pool).graph.num_vertices(), 5u);
  EXPECT_CONTAINS(fault<DataError>("out.bip", "% bip unweighted\n1 1\n", bipartite), "which --bipartite needs");
  EXPECT_CONTAINS(fault<DataError>("out.bip", "% bip unweighted\n% 3 2 3\n1 4\n", bipartite), "out.bip:3: id 4 is outside 1..3");
  expect_refused({{text, {"say --bipartite, or --format el"}, "out.bip"}});
  expect({{"out.sym", "% sym unweighted\n% 2 3 3\n1 2\n2 3\n", "1>2 2>3", "says of itself that it is undirected"},
          {"out.asym", "% asym unweighted\n% 2 3 3\n1 2\n2 3\n", "1>2 2>3", ""}});
}

// Behind a byte order mark or a blank line the header was not seen: both sides became one, and no count was compared.
TEST_F(AssumptionsTest, HeadersBehindMarksAndBlankLinesWereMissed) {
  for (const std::string before : {"\xef\xbb\xbf", "\n", " \r\n"}) {
    expect_refused({{before + "% bip unweighted\n1 1\n2 2\n", {"say --bipartite, or --format el"}, "out.bip"}});
    expect({{"out.sym", before + "% sym unweighted\n1 2\n2 3\n", "1>2 2>3", "says of itself that it is undirected"},
            {"s.txt", before + "# Nodes: 3 Edges: 9\n1 2\n2 3\n", "1>2 2>3", "has 9 edges, and 2 lines have one"}});
  }
  LoadOptions bipartite;
  bipartite.bipartite = true;
  expect({{"out.two", "\xef\xbb\xbf% bip unweighted\n\n% 2 2 2\n1 1\n2 2\n", "1>3 2>4", ""}}, bipartite);
}

TEST_F(AssumptionsTest, CountsInCommentsWereNotCompared) {
  expect({{"out.sym", "% asym unweighted\n% 10 3 3\n1 2\n2 3\n", "1>2 2>3", "has 10 edges, and 2 lines have one"},
          {"out.asym", "% asym unweighted\n% 2 4 4\n1 2\n2 3\n", "1>2 2>3", "has 4 vertices, and lines name 3"},
          {"out.times", "% asym positive\n% 9 3 3\n1 2 4\n2 3 5\n", "1>2:4 2>3:5", ""},
          {"s.csv", "# Nodes: 5 Edges: 2\n0,1\n1,2\n", "0>1 1>2", "has 5 vertices, and lines name 3"},
          {"s.txt", "# Nodes: 4,039 Edges: 2\n0 1\n1 2\n", "0>1 1>2", "has 4039 vertices, and lines name 3"},
          {"e.txt", "# Nodes: 3 Edges: 88,234\n0 1\n1 2\n", "0>1 1>2", "has 88234 edges"}});
  LoadOptions bipartite;
  bipartite.bipartite = true;
  expect({{"out.bip", "% bip unweighted\n% 5 2 2\n1 1\n2 2\n", "1>3 2>4", "has 5 edges, and 2 lines have one"}}, bipartite);
}

TEST_F(AssumptionsTest, MetisWithoutItsSuffixIsToldByItsLines) {
  expect({
      {"path", "3 2\n2\n1 3\n2\n", "1>2 2>1 2>3 3>2", ""},
      {"gap.txt", "4 2\n2\n1 3\n2\n\n", "1>2 2>1 2>3 3>2", ""},
      {"all.txt", "4 6\n2 3 4\n1 3 4\n1 2 4\n1 2 3\n", "1>2 1>3 1>4 2>1 2>3 2>4 3>1 3>2 3>4 4>1 4>2 4>3",
       "is taken for METIS, with a line of neighbours for each vertex: --format el"},
  });
}

// They were taken for METIS, and refused as having more lines than the vertices that line 1 announces.
TEST_F(AssumptionsTest, ALineWithOneColumnIsNamedByItsNumber) {
  expect_refused({{"0 1\n2\n3 4\n", {":2", "end of the line"}},
                  {"10 20\n20\n30 40\n", {":2", "end of the line"}},
                  {"5 6\n2\n3 4\n", {":2"}}});
}

TEST_F(AssumptionsTest, TextsOfOtherToolsAreCalledByTheirNames) {
  expect_refused({
      {"#-\n# GMT Sat Nov 28 12:37:40 2026\n# \n0 1 2\n1 2 3\n", {"an adjacency list of networkx", "nx.read_adjlist('"}},
      {"#-\n# GMT Sat Nov 28 12:37:40 2026\n# \n0 1\n1 {}\n", {"a multiline adjacency list", "read_multiline_adjlist"}},
      {"*Vertices 2\n1 \"a\"\n2 \"b\"\n*Edges\n1 2\n", {"is Pajek", "read_pajek"}},
      {"graph [\n  node [\n    id 0\n  ]\n]\n", {"is GML", "read_gml"}},
      {"Creator \"igraph\"\ngraph\n[\n]\n", {"is GML"}},
      {"<?xml version=\"1.0\"?>\n<graphml xmlns=\"http://graphml\">\n</graphml>\n", {"is GraphML", "read_graphml"}},
      {"<?xml version=\"1.0\"?>\n<gexf version=\"1.2\">\n</gexf>\n", {"is GEXF", "read_gexf"}},
      {"{\"directed\": false, \"links\": [{\"source\": 0, \"target\": 1}]}\n", {"is JSON (node-link)", "node_link_graph"}},
      {"digraph G {\n  a -> b;\n}\n", {"is DOT", "read_dot"}},
      {"digraph G { a->b }\n", {"is DOT"}},
      {"1 First\n2 Second\n#\n1 2\n", {"reads like TGF", "sed '1,/^#$/d'", "--format el"}},
      {"src,dst\na,b\nsrc,dst\nc,d\n", {"has its header, 'src', 'dst', again"}, "f.csv"},
      {"strict graph {\na -- b;\n}\n", {"is DOT"}},
      {"# a\nb 0.5\nc 1\n# b\nc 2\n", {"reads like LGL", "Read_Lgl", "--format el"}},
      {"# 0\n1\n2\n# 1\n2\n", {"reads like LGL"}},
      {"c made\np edge 3 2\ne 1 2\ne 2 3\n", {"problem 'edge' is not supported"}},
      {"e 1 2\ne 2 3\n", {"DIMACS", "--columns 2,3"}},
      {"a -> b\nb -> c\n", {"arrows or dashes between its vertices ('a -> b')", "sed -E", "--columns 1,3"}},
      {"1 -> 2\n2 -> 3\n", {"arrows or dashes"}},
      {"a--b\nb--c\n", {"arrows or dashes"}},
      {"(1, 2)\n(2, 3)\n", {"has its edges in brackets ('(1, 2)')", "tr -d"}},
      {"[(1, 2), (2, 3)]\n", {"brackets"}},
      {"[1, 2],\n[2, 3]\n", {"brackets"}},
      {"3 3\n2 3\n1 3\n1 2\n", {"--format metis or --format el"}},
  });
  expect({{"e.txt", "# edges\n0 1\n1 2\n", "0>1 1>2", ""}, {"n.txt", "a b 0.5\nb c 1\n", "a>b:0.5 b>c:1", ""}});
  // By one word each these were DL, GML and LGL.
  expect({{"d.txt", "DL NK\nUA DL\nNK UA\n", "DL>NK NK>UA UA>DL", ""},
          {"c.tsv", "creator\trepo\nann\tx\nann\ty\n", "creator>repo ann>x ann>y", "is an edge; if it is a header"},
          {"l.txt", "# mygraph\n# undirected\n1 2\n2 3\n3 1\n", "1>2 2>3 3>1", ""}});
  // Letters of graph6 are bars, too.
  expect_refused({{">>graph6<<JtcSg|wWLE?\n", {"is graph6", "read_graph6"}},
                  {"JtcSg|wWLE?\n", {"is graph6"}},
                  {">>sparse6<<:Fa@x|^\n", {"is sparse6"}},
                  {":Fa@x|^\n", {"is sparse6"}}});
  expect({{"bars.txt", "a|b\nb|c\n", "a>b b>c", ""}});
  expect_refused({{"DL n = 3 format = edgelist1\nlabels: a b c\ndata:\n1 2\n", {"is UCINET's DL"}},
                  {"dl\nN=3\ndata:\n1 2\n", {"is UCINET's DL"}},
                  {"# a\nb 1\n# c\nd 1\n", {"reads like LGL"}}});
  EXPECT_EQ(arcs("a.txt", "1 -> 2\n2 -> 3\n", columns({"1", "3"})), "1>2 2>3");
}

TEST_F(AssumptionsTest, NamesThatBeginAsCommentsDoWereLeftOutSilently) {
  const std::string said = ":3: '#y,bob' begins a comment, which is left out, though the line reads like an edge";
  expect({{"a.csv", "x,ann\nann,cy\n#y,bob\nz,ann\n", "x>ann ann>cy z>ann", said},
          {"b.csv", "x,ann\nann,cy\n\"#y\",bob\nz,ann\n", "x>ann ann>cy #y>bob z>ann", ""},
          {"c.txt", "0 1\n# 0 1\n#two words here\n1 0\n", "0>1 1>0", ""}});
}

}  // namespace
}  // namespace graphrun::test
