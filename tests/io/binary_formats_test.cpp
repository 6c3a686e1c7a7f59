// SPDX-License-Identifier: Apache-2.0
// What holds for every binary format alike.
#include <array>
#include <functional>
#include <ostream>

#include "io/binary_fixture.hpp"

namespace graphrun::test {
namespace {

struct Peer {
  std::string name;
  std::string suffix;
  WeightKind kind;                              // that weights are read back as; none: the file holds none
  std::function<bool(const io::FileHead&)> is;  // empty: is never recognised
  decltype(&io::read_bel) read;
  decltype(&io::write_bel) write;
  bool says_symmetric = false;
  bool holds_inverse = false;
};

void PrintTo(const Peer& peer, std::ostream* stream) { *stream << peer.name; }

const std::vector<Peer>& peers() {
  using enum WeightKind;
  static const std::vector<Peer> all{
      {"sg", ".sg", none, is_as<io::kGapbs>, io::read_as<io::kGapbs>, io::write_as<io::kGapbs>, true, true},
      {"wsg", ".wsg", u32, is_as<io::kGapbs>, io::read_as<io::kGapbs>, io::write_as<io::kGapbs>, true, true},
      {"bcsr", ".bcsr", none, is_as<io::kSubway>, io::read_as<io::kSubway>, io::write_as<io::kSubway>},
      {"bwcsr", ".bwcsr", u32, is_as<io::kSubway>, io::read_as<io::kSubway>, io::write_as<io::kSubway>},
      {"liberator", ".bcsr", none, is_as<io::kLiberator>, io::read_as<io::kLiberator>, io::write_as<io::kLiberator>},
      {"gr", ".gr", none, is_as<io::kGalois>, io::read_as<io::kGalois>, io::write_as<io::kGalois>},
      {"gr_weighted", ".gr", u32, is_as<io::kGalois>, io::read_as<io::kGalois>, io::write_as<io::kGalois>},
      {"gunrock", ".csr", f32, {}, io::read_as<io::kGunrock>, io::write_as<io::kGunrock>},
      {"gbbs", ".bin", none, is_as<io::kGbbs>, io::read_as<io::kGbbs>, io::write_as<io::kGbbs>},
  };
  return all;
}

class OneFileFormat : public BinaryTest, public ::testing::WithParamInterface<Peer> {
 protected:
  const Peer& peer() const { return GetParam(); }
  std::string name() const { return "g" + peer().suffix; }
  void write_graph(const Graph& graph, const Workspace& space) {
    peer().write(graph, path(name()), peer().kind == WeightKind::none ? plain : weighted, space, pool);
  }
  Graph read_graph(const Workspace& space) { return peer().read(path(name()), defaults, space, pool); }
};

TEST_P(OneFileFormat, RoundTripsInMemoryAndOnDisk) {
  for (const Graph& graph : odd_graphs(peer().kind)) {
    write_graph(graph, memory);
    const std::string written = read(name());
    write_graph(graph, small());
    EXPECT_EQ(read(name()), written);
    for (const Workspace& space : {memory, tiny(), small()}) {
      const Graph back = read_graph(space);
      expect_same_arcs(back, graph);
      EXPECT_EQ(back.symmetric, peer().says_symmetric && graph.symmetric);
      EXPECT_EQ(back.in.has_value(), peer().holds_inverse && !graph.symmetric);
      if (back.in) {
        EXPECT_TRUE(is_transpose(graph.out, *back.in, pool));
      }
    }
    EXPECT_EQ(files(), 1u);
  }
}

class RecognisedFormat : public OneFileFormat {};

TEST_P(RecognisedFormat, IsRecognisedAsNothingElse) {
  for (const Graph& graph : odd_graphs(peer().kind)) {
    write_graph(graph, memory);
    for (bool (*const is)(const io::FileHead&) :
         {&io::is_bel, &is_as<io::kGapbs>, &is_as<io::kSubway>, &is_as<io::kLiberator>, &is_as<io::kGalois>, &is_as<io::kGbbs>}) {
      const auto own = peer().is.target<bool (*)(const io::FileHead&)>();
      EXPECT_EQ(is(head(name())), *own == is) << graph.num_vertices() << ' ' << graph.num_edges();
    }
  }
}

TEST_P(OneFileFormat, EveryOtherLengthIsRefused) {
  write_graph(odd_graphs(peer().kind)[3], memory);
  const std::string whole = read(name());
  int recognised = 0;
  for (std::size_t length = 0; length <= whole.size() + 8; ++length) {
    if (length == whole.size()) continue;
    write(name(), length < whole.size() ? whole.substr(0, length) : whole + std::string(length - whole.size(), '\0'));
    recognised += peer().is && peer().is(head(name())) ? 1 : 0;
    EXPECT_CONTAINS(error_of<DataError>([&] { read_graph(memory); }), path(name())) << length;
  }
  EXPECT_LE(recognised, 1);  // with weights: the length that the file would have without them
}

/// No byte can be changed so that something inconsistent is read, or much memory asked for.
TEST_P(OneFileFormat, DamageIsFoundOrHarmless) {
  write_graph(odd_graphs(peer().kind)[3], memory);
  const std::string whole = read(name());
  std::size_t refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int change : {0x01, 0x02, 0x40, 0x80, 0xff}) {
      write(name(), poked(whole, at, static_cast<char>(whole[at] ^ change)));
      try {
        check_csr(read_graph(memory).out, "what was read", pool);
      } catch (const DataError& error) {
        EXPECT_CONTAINS(error.what(), path(name()));
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, whole.size());  // headers and offsets are the larger part of the file
}

TEST_P(OneFileFormat, WeightsThatAreMissingCannotBeWritten) {
  const Graph graph = three_arcs();
  EXPECT_THROW(peer().write(graph, path("g.any"), weighted, memory, pool), UsageError);
  EXPECT_EQ(files(), 0u);
}

TEST_P(OneFileFormat, InconsistentGraphsAreNotWritten) {
  Graph graph = three_arcs(peer().kind);
  graph.out.neighbours[1] = 3;
  EXPECT_CONTAINS(error_of<DataError>([&] { write_graph(graph, memory); }), "edge 1 leads to vertex 3");
  EXPECT_EQ(files(), 0u);
}

std::vector<Peer> recognised_peers() {
  std::vector<Peer> recognised = peers();
  std::erase_if(recognised, [](const Peer& peer) { return !peer.is; });
  return recognised;
}

std::string peer_name(const ::testing::TestParamInfo<Peer>& peer) { return peer.param.name; }

INSTANTIATE_TEST_SUITE_P(Formats, OneFileFormat, ::testing::ValuesIn(peers()), peer_name);
INSTANTIATE_TEST_SUITE_P(Formats, RecognisedFormat, ::testing::ValuesIn(recognised_peers()), peer_name);

}  // namespace
}  // namespace graphrun::test
