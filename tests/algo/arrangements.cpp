// SPDX-License-Identifier: Apache-2.0

#include "algo/arrangements.hpp"

#include <fmt/format.h>

#include <set>
#include <tuple>
#include <utility>

#include "cache/userfault.hpp"
#include "support/sanitized.hpp"

namespace graphrun::test {

Arrangement make_arrangement(DeviceKind device, int threads, BackendKind backend, const LayoutChoice& layout) {
  Arrangement arrangement;
  arrangement.name =
      (device == DeviceKind::cuda ? "cuda" : "cpu" + std::to_string(threads)) + "_" + name_of(backend) + "_" + layout.name;
  arrangement.options.device = {device, 0};
  arrangement.options.threads = threads;
  arrangement.options.backend.kind = backend;
  arrangement.options.backend.layout = layout.layout;
  arrangement.options.backend.chunk_edges = layout.chunk_edges;
  return arrangement;
}

namespace {

Arrangement paged_arrangement(BackendKind backend, int pages, int page_bytes) {
  Arrangement arrangement = make_arrangement(DeviceKind::cpu, 2, backend, pages == 16 ? kLayouts[1] : kLayouts[2]);
  arrangement.name += fmt::format("_{}_pages_of_{}", pages, page_bytes);
  arrangement.options.backend.page_bytes = static_cast<std::uint32_t>(page_bytes);
  arrangement.options.backend.cache_bytes = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
  return arrangement;
}

/// Most of the cache has the beginnings of lists.
Arrangement with_prefixes(Arrangement arrangement) {
  arrangement.name += "_heads";
  arrangement.options.backend.hot = HotEdges::prefix;
  arrangement.options.backend.storage = "ram:unlimited";
  return arrangement;
}

}  // namespace

Arrangement subway_arrangement(DeviceKind device, int threads, SubwayVariant variant, std::uint64_t edges,
                               const LayoutChoice& layout) {
  Arrangement arrangement = make_arrangement(device, threads, BackendKind::subway, layout);
  arrangement.name += fmt::format("_{}_{}_edges", name_of(variant), edges);
  arrangement.options.backend.subway_variant = variant;
  arrangement.options.backend.cache_bytes = edges * (sizeof(VertexId) + sizeof(std::uint32_t));
  return arrangement;
}

std::vector<Arrangement> cpu_arrangements() {
  std::vector<Arrangement> arrangements;
  for (const int threads : {1, 2, 5}) {
    for (const auto backend : {BackendKind::incore, BackendKind::emogi}) {
      for (const auto& layout : kLayouts) {
        // More threads than processors are slow, and one layout is enough to see them race.
        if (threads == 5 && layout.chunk_edges != 4) continue;
        arrangements.push_back(make_arrangement(DeviceKind::cpu, threads, backend, layout));
      }
    }
  }
  for (const auto access : {Access::naive, Access::merged}) {
    Arrangement arrangement = make_arrangement(DeviceKind::cpu, 2, BackendKind::emogi, kLayouts[2]);
    arrangement.name += std::string("_") + name_of(access);
    arrangement.options.backend.access = access;
    arrangements.push_back(arrangement);
  }
  // From a cache in which a list has no room and every page is fetched many times, to one that holds everything.
  for (const auto& [pages, page_bytes] : {std::pair{3, 512}, {16, 512}, {64, 4096}, {2048, 4096}}) {
    Arrangement arrangement = paged_arrangement(BackendKind::bam, pages, page_bytes);
    arrangement.options.backend.storage = "ram:unlimited";  // a disk would take minutes
    arrangements.push_back(arrangement);
  }
  for (const auto& [pages, page_bytes] : {std::pair{3, 512}, {16, 512}, {3, 4096}, {64, 8192}, {5, 65536}, {2048, 8192}}) {
    arrangements.push_back(paged_arrangement(BackendKind::gpuvm, pages, page_bytes));
  }
  // From the smallest caps, where threads take pages from each other all the time, to everything. One thread that faults a page
  // at a time sees nothing else, and takes the longest.
  struct Uvm {
    int threads;
    std::uint64_t prefetch_pages;
    std::uint64_t block_pages;
    std::uint64_t cap_blocks;
  };
  constexpr std::uint64_t kPage = 4096;
  for (const Uvm& uvm : {Uvm{4, 1, 1, 10}, Uvm{1, 2, 4, 2}, Uvm{4, 2, 16, 2}, Uvm{2, 16, 512, 2}}) {
    Arrangement arrangement =
        make_arrangement(DeviceKind::cpu, uvm.threads, BackendKind::uvm, kLayouts[uvm.threads == 4 ? 1 : 2]);
    arrangement.name += fmt::format("_{}_blocks_of_{}_pages", uvm.cap_blocks, uvm.block_pages);
    arrangement.options.backend.uvm_prefetch_bytes = uvm.prefetch_pages * kPage;
    arrangement.options.backend.uvm_block_bytes = uvm.block_pages * kPage;
    arrangement.options.backend.cache_bytes = uvm.cap_blocks * uvm.block_pages * kPage;
    arrangements.push_back(arrangement);
  }
  // Packed lines, cut and not, in memory, by pages that go again at once, by pages that stay, and by faults.
  std::vector<Arrangement> packed = {
      make_arrangement(DeviceKind::cpu, 2, BackendKind::incore, kLayouts[1]), paged_arrangement(BackendKind::bam, 3, 4096),
      paged_arrangement(BackendKind::gpuvm, 64, 8192), make_arrangement(DeviceKind::cpu, 2, BackendKind::uvm, kLayouts[0])};
  for (Arrangement& arrangement : packed) {
    arrangement.name += "_packed";
    arrangement.packed = true;
    if (arrangement.options.backend.kind == BackendKind::bam) arrangement.options.backend.storage = "ram:unlimited";
    arrangements.push_back(arrangement);
  }
  // From the smallest subgraphs there are, which long lists have no room in, to a buffer for all edges.
  for (const auto variant : {SubwayVariant::sync, SubwayVariant::async}) {
    for (const auto& [edges, threads, layout] :
         {std::tuple{64, 2, 0}, {64, 2, 2}, {100, 1, 0}, {1000, 2, 1}, {1 << 20, 5, 0}, {1 << 20, 2, 1}}) {
      arrangements.push_back(
          subway_arrangement(DeviceKind::cpu, threads, variant, static_cast<std::uint64_t>(edges), kLayouts[layout]));
    }
  }
  // Where another build runs them all: over emogi a CPU runs the kernels of incore. A thread alone has no races, and more than
  // there are processors take the longest. Of caches, those that lose pages all the time race the most, and those that lose none
  // the least: what lies between is left to the other builds, and so are blocks of one page, which fault as those of 16 do. Of
  // subgraphs those of 1000 edges stay, which cut lists of a balanced layout, and the smallest ones of the plain one.
  if (kFewCases) {
    std::erase_if(arrangements, [](const Arrangement& arrangement) {
      const BackendOptions& backend = arrangement.options.backend;
      const std::uint64_t frames = backend.page_bytes == 0 ? 0 : backend.cache_bytes.value_or(0) / backend.page_bytes;
      const int threads = arrangement.options.threads;
      const bool as_incore = backend.kind == BackendKind::emogi && backend.chunk_edges != 4;
      const bool as_others = backend.kind == BackendKind::subway && (backend.chunk_edges == 32 || backend.cache_bytes > 8000);
      return as_incore || as_others || threads == 1 || threads > 4 || frames == 16 || frames == 64 ||
             backend.page_bytes == 65536 || backend.uvm_block_bytes == kPage;
    });
  }
  for (const auto& [backend, pages, page_bytes] : {std::tuple{BackendKind::bam, 7, 512}, {BackendKind::gpuvm, 12, 512}})
    arrangements.push_back(with_prefixes(paged_arrangement(backend, pages, page_bytes)));
  return arrangements;
}

std::vector<Arrangement> ranks_arrangements() {
  std::vector<Arrangement> arrangements = {
      make_arrangement(DeviceKind::cpu, 2, BackendKind::incore, kLayouts[0]),
      make_arrangement(DeviceKind::cpu, 6, BackendKind::incore, kLayouts[2]),
      make_arrangement(DeviceKind::cpu, 7, BackendKind::emogi, kLayouts[1]),
      paged_arrangement(BackendKind::bam, 16, 512),
      paged_arrangement(BackendKind::gpuvm, 64, 8192),
      make_arrangement(DeviceKind::cpu, 2, BackendKind::uvm, kLayouts[2]),
      subway_arrangement(DeviceKind::cpu, 2, SubwayVariant::sync, 1000, kLayouts[2]),
      with_prefixes(paged_arrangement(BackendKind::bam, 16, 512)),
  };
  const int ranks[] = {2, 3, 7, 2, 3, 2, 2, 2};
  for (std::size_t i = 0; i < arrangements.size(); ++i) {
    Arrangement& each = arrangements[i];
    each.options.ranks = ranks[i];
    each.name += fmt::format("_{}_ranks", ranks[i]);
    if (each.options.backend.kind == BackendKind::bam) each.options.backend.storage = "ram:unlimited";
  }
  if (kFewCases) std::erase_if(arrangements, [](const Arrangement& arrangement) { return arrangement.options.ranks > 2; });
  return arrangements;
}

namespace {

std::vector<Arrangement> one_of_each_view(std::vector<Arrangement> arrangements) {
  if (!kFewCases) return arrangements;
  std::set<BackendKind> seen = {BackendKind::emogi, BackendKind::uvm, BackendKind::gpuvm};  // views of incore and of bam
  std::erase_if(arrangements, [&](const Arrangement& each) { return !seen.insert(each.options.backend.kind).second; });
  return arrangements;
}

}  // namespace

std::vector<Arrangement> cpu_arrangements_of_views() { return one_of_each_view(cpu_arrangements()); }
std::vector<Arrangement> ranks_arrangements_of_views() { return one_of_each_view(ranks_arrangements()); }

std::vector<Arrangement> cuda_arrangements() {
  std::vector<Arrangement> arrangements;
  for (const auto& layout : kLayouts) {
    arrangements.push_back(make_arrangement(DeviceKind::cuda, 2, BackendKind::incore, layout));
    for (const auto access : {Access::naive, Access::merged, Access::aligned}) {
      Arrangement arrangement = make_arrangement(DeviceKind::cuda, 2, BackendKind::emogi, layout);
      arrangement.name += std::string("_") + name_of(access);
      arrangement.options.backend.access = access;
      arrangements.push_back(arrangement);
    }
  }
  // Beginnings of lists in device memory: of few edges, of more than a warp reads at a time, of all.
  for (const auto& [kib, access, layout] :
       {std::tuple{4, Access::aligned, 1}, {32, Access::naive, 2}, {32, Access::aligned, 2}, {1024, Access::aligned, 2}}) {
    Arrangement arrangement = make_arrangement(DeviceKind::cuda, 2, BackendKind::emogi, kLayouts[layout]);
    arrangement.name += fmt::format("_{}_prefixes_of_{}_kib", name_of(access), kib);
    arrangement.options.backend.access = access;
    arrangement.options.backend.cache_bytes = std::uint64_t{1024} * static_cast<std::uint64_t>(kib);
    arrangements.push_back(arrangement);
  }
  for (const auto access : {Access::naive, Access::aligned}) {
    if (!why_no_counted_kernels().empty()) break;
    Arrangement arrangement = make_arrangement(DeviceKind::cuda, 2, BackendKind::emogi, kLayouts[2]);
    arrangement.name += std::string("_counted_") + name_of(access);
    arrangement.options.backend.access = access;
    arrangement.options.backend.count_requests = true;
    arrangements.push_back(arrangement);
  }
  for (const auto advise : {UvmAdvise::none, UvmAdvise::read_mostly, UvmAdvise::accessed_by, UvmAdvise::prefetch}) {
    Arrangement arrangement = make_arrangement(DeviceKind::cuda, 2, BackendKind::uvm, kLayouts[2]);
    arrangement.name += "_advise_" + std::to_string(static_cast<int>(advise));
    arrangement.options.backend.uvm_advise = advise;
    arrangements.push_back(arrangement);
  }
  // Caches that hold next to nothing, some, and everything; and each of what warps do for speed left out.
  struct Cache {
    const char* name;
    std::uint64_t pages;
    std::uint32_t page_bytes;
    bool coalesce;
    bool reuse;
    BamCache cache;
  };
  for (const Cache& cache :
       {Cache{"small", 64, 512, true, true, BamCache::on}, Cache{"medium", 256, 512, true, true, BamCache::on},
        Cache{"whole", 4096, 4096, true, true, BamCache::on}, Cache{"large_pages", 64, 65536, true, true, BamCache::on},
        Cache{"no_coalescing", 100, 512, false, true, BamCache::on}, Cache{"no_reuse", 100, 512, true, false, BamCache::on},
        Cache{"always", 4096, 4096, true, true, BamCache::always}, Cache{"no_cache", 64, 512, true, true, BamCache::none}}) {
    Arrangement arrangement =
        make_arrangement(DeviceKind::cuda, 2, BackendKind::bam, cache.page_bytes == 512 ? kLayouts[1] : kLayouts[2]);
    arrangement.name += std::string("_") + cache.name;
    arrangement.options.backend.page_bytes = cache.page_bytes;
    arrangement.options.backend.cache_bytes = cache.pages * cache.page_bytes;
    arrangement.options.backend.bam_coalesce = cache.coalesce;
    arrangement.options.backend.bam_reuse = cache.reuse;
    arrangement.options.backend.bam_cache = cache.cache;
    arrangement.options.backend.storage = "ram:unlimited";
    arrangements.push_back(arrangement);
  }
  for (const auto& [fabric, pages, page_bytes] :
       {std::tuple{FabricKind::sm, 64u, 512u}, std::tuple{FabricKind::sm, 4096u, 8192u},
        std::tuple{FabricKind::proxy, 64u, 4096u}, std::tuple{FabricKind::proxy, 4096u, 8192u}}) {
    Arrangement arrangement = make_arrangement(DeviceKind::cuda, 2, BackendKind::gpuvm, kLayouts[2]);
    arrangement.name += std::string("_") + name_of(fabric) + (pages == 64 ? "_small" : "_whole");
    arrangement.options.backend.fabric.kind = fabric;
    arrangement.options.backend.page_bytes = page_bytes;
    arrangement.options.backend.cache_bytes = std::uint64_t{pages} * page_bytes;
    arrangements.push_back(arrangement);
  }
  Arrangement copies = make_arrangement(DeviceKind::cuda, 2, BackendKind::bam, kLayouts[2]);
  copies.name += "_copies";
  copies.options.backend.page_bytes = 512;
  copies.options.backend.cache_bytes = 100 * 512;
  copies.options.backend.storage = "ram:unlimited";
  copies.options.backend.delivery = PageDelivery::copies;
  arrangements.push_back(copies);
  for (const auto variant : {SubwayVariant::sync, SubwayVariant::async}) {
    for (const auto& [edges, layout] : {std::pair{128, 0}, {128, 2}, {200, 1}, {4096, 1}, {1 << 20, 0}, {1 << 20, 2}}) {
      arrangements.push_back(
          subway_arrangement(DeviceKind::cuda, 2, variant, static_cast<std::uint64_t>(edges), kLayouts[layout]));
    }
  }
  return arrangements;
}

std::vector<Arrangement> packed_arrangements_of_cuda() {
  std::vector<Arrangement> arrangements;
  for (const LayoutChoice& layout : {kLayouts[0], kLayouts[1], kLayouts[2], LayoutChoice{"balanced", Layout::balanced, 0}}) {
    Arrangement arrangement = make_arrangement(DeviceKind::cuda, 2, BackendKind::emogi, layout);
    arrangement.name += "_packed";
    arrangement.packed = true;
    arrangements.push_back(arrangement);
  }
  arrangements.push_back(arrangements.back());
  arrangements.back().name += "_4_kib_near";
  arrangements.back().options.backend.cache_bytes = 4096;
  return arrangements;
}

std::vector<Arrangement> cuda_ranks_arrangements() {
  std::vector<Arrangement> arrangements;
  const auto add = [&](Arrangement arrangement, int ranks) -> BackendOptions& {
    arrangement.options.ranks = ranks;
    arrangement.options.device.others.assign(static_cast<std::size_t>(ranks - 1), 0);
    arrangement.name += fmt::format("_{}_ranks", ranks);
    return arrangements.emplace_back(std::move(arrangement)).options.backend;
  };
  add(make_arrangement(DeviceKind::cuda, 2, BackendKind::incore, kLayouts[0]), 2);
  add(make_arrangement(DeviceKind::cuda, 2, BackendKind::incore, kLayouts[2]), 9);  // more than write to each other
  add(make_arrangement(DeviceKind::cuda, 2, BackendKind::emogi, kLayouts[1]), 3);
  add(make_arrangement(DeviceKind::cuda, 2, BackendKind::uvm, kLayouts[2]), 2);
  // Caches that pages leave, and caches with room for all.
  for (const std::uint64_t pages : {128, 8192}) {
    const auto cached = [&](BackendKind kind, std::uint32_t page_bytes) {
      Arrangement arrangement = make_arrangement(DeviceKind::cuda, 2, kind, kLayouts[2]);
      arrangement.name += pages == 128 ? "_small" : "_whole";
      arrangement.options.backend.page_bytes = page_bytes;
      arrangement.options.backend.cache_bytes = pages * page_bytes;
      arrangement.options.backend.storage = "ram:unlimited";
      return arrangement;
    };
    add(cached(BackendKind::gpuvm, 8192), 2);
    add(cached(BackendKind::bam, 512), 2);
  }
  add(subway_arrangement(DeviceKind::cuda, 2, SubwayVariant::sync, 1000, kLayouts[2]), 2);
  return arrangements;
}

std::string what_lacks(const Arrangement& arrangement) {
  return arrangement.options.backend.kind == BackendKind::uvm ? why_no_userfault() : "";
}

}  // namespace graphrun::test
