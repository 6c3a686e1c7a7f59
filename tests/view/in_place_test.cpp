// SPDX-License-Identifier: Apache-2.0
// Lists of a file of which the page cache holds every other stretch: walked in place where it has them, through frames elsewhere.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cstdlib>
#include <string>
#include <vector>

#include "graphrun/core/random.hpp"
#include "graphrun/view/paged_view.hpp"

namespace graphrun::test {
namespace {

constexpr std::uint64_t kEdges = 1 << 19;
constexpr std::uint64_t kStretchBytes = 48 << 10;

class InPlace : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "/graphrun_in_place_XXXXXX";
    fd_ = ::mkstemp(name.data());
    ::unlink(name.c_str());
    std::vector<VertexId> ids(kEdges);
    std::vector<std::uint32_t> weights(kEdges);
    for (std::uint64_t e = 0; e < kEdges; ++e) ids[e] = id_of(e), weights[e] = weight_of(e);
    ASSERT_EQ(::pwrite(fd_, ids.data(), kIdBytes, 0), static_cast<ssize_t>(kIdBytes));
    ASSERT_EQ(::pwrite(fd_, weights.data(), kEdges * 4, kIdBytes), static_cast<ssize_t>(kEdges * 4));
    ::fsync(fd_);
    ::posix_fadvise(fd_, 0, 0, POSIX_FADV_RANDOM);
  }
  ~InPlace() override { ::close(fd_); }

  void cache_every_other_stretch() const {
    ::posix_fadvise(fd_, 0, 0, POSIX_FADV_DONTNEED);
    std::vector<char> stretch(kStretchBytes);
    for (std::uint64_t at = 0; at < kIdBytes + kEdges * 4; at += 2 * kStretchBytes) {
      ASSERT_GT(::pread(fd_, stretch.data(), kStretchBytes, static_cast<off_t>(at)), 0);
    }
  }

  static VertexId id_of(std::uint64_t e) { return static_cast<VertexId>(splitmix64(e, 0, 0)); }
  static std::uint32_t weight_of(std::uint64_t e) { return static_cast<std::uint32_t>(splitmix64(e, 1, 0)); }

  template <bool kWeighted>
  void expect_lists_right(std::uint32_t page_bytes, Route route, const TransferCosts& costs = {}) const {
    cache_every_other_stretch();
    std::vector<PagedColumn> columns{{0, kIdBytes, 0}, {kIdBytes, kEdges * 4, 0}};
    HostPager pager({.page_bytes = page_bytes, .cache_bytes = std::uint64_t{64} * page_bytes, .workers = 1}, columns,
                    [&](std::uint32_t depth) {
                      auto engine = open_uring_engine({{"store", fd_}}, depth, route);
                      engine->cached_pages(0)->suppose(costs);
                      return engine;
                    });
    PagedView view{.pager = &pager, .first_page = columns[0].first_page, .first_weight_page = columns[1].first_page};
    view.page_shift = static_cast<std::uint32_t>(std::countr_zero(page_bytes));
    view.in_place = pager.in_place(columns[0].first_page);
    view.in_place_weights = pager.in_place(columns[1].first_page);
    ThreadPool pool(1);
    const bool all = view.as_array<kWeighted>(pool).has_value();  // looks at the page cache
    {
      PagedView::Reader reader(view);
      for (std::uint64_t i = 0; i < 400; ++i) {
        const EdgeId begin = splitmix64(i, 2, 0) % kEdges;
        const EdgeId end = std::min<EdgeId>(kEdges, begin + splitmix64(i, 3, 0) % (i % 5 == 0 ? 30'000 : 300));
        if (begin == end) continue;
        PagedView::Request<kWeighted> request(view, false);
        request.add({0, begin, end});
        request.send();
        EdgeId e = begin;
        reader.for_each_run<kWeighted>({0, begin, end},
                                       [&](const VertexId* ids, const std::uint32_t* weights, std::size_t count) {
                                         for (std::size_t k = 0; k < count; ++k, ++e) {
                                           EXPECT_EQ(ids[k], id_of(e)) << e;
                                           EXPECT_EQ(kWeighted ? weights[k] : weight_of(e), weight_of(e)) << e;
                                         }
                                         return !::testing::Test::HasFailure();
                                       });
        ASSERT_EQ(e, end);
      }
    }
    const RouteCounters routed = pager.counters().routed;
    if (all || !count_cached(fd_, 0, 1)) return;  // nothing leaves the page cache here, or the kernel does not count it
    EXPECT_EQ(routed.in_place_bytes != 0, costs.touch_us == 0);
    if constexpr (kWeighted) {
      EXPECT_FALSE(view.in_place_weights.pages->has_none(kIdBytes, kIdBytes + kEdges * 4)) << "weights were not looked at";
    }
    EXPECT_GT(routed.direct_bytes + routed.cached_bytes, 0u);
  }

  static constexpr std::uint64_t kIdBytes = kEdges * sizeof(VertexId);
  int fd_ = -1;
};

TEST_F(InPlace, ListsAreRightWhateverThePageCacheHolds) {
  for (const std::uint32_t page_bytes : {512u, 4096u, 65536u}) {
    expect_lists_right<false>(page_bytes, Route::automatic);
    expect_lists_right<true>(page_bytes, Route::automatic);
    expect_lists_right<true>(page_bytes, Route::automatic, {.touch_us = 100});  // pages are copied
    expect_lists_right<false>(page_bytes, Route::page_cache);
    expect_lists_right<true>(page_bytes, Route::page_cache);
  }
}

}  // namespace
}  // namespace graphrun::test
