// SPDX-License-Identifier: Apache-2.0
// A file whose contents say where they are from, and pagers over it.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "graphrun/cache/host_pager.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/transport/drive_model.hpp"

namespace graphrun::test {

/// A file of 8-byte words, word i of which is a hash of i, in a directory of its own. Both go away with it.
class HashedStore {
 public:
  static constexpr std::uint64_t kBytes = 1000 * 1000;  // no whole number of pages

  HashedStore() {
    std::string made = (std::filesystem::temp_directory_path() / "graphrun_pager_XXXXXX").string();
    if (::mkdtemp(made.data()) == nullptr) throw std::runtime_error("cannot make " + made);
    directory_ = made;
    std::vector<std::uint64_t> words(kBytes / 8);
    for (std::uint64_t i = 0; i < words.size(); ++i) words[i] = splitmix64(i);
    std::ofstream(path(), std::ios::binary).write(reinterpret_cast<const char*>(words.data()), kBytes);
    fd_ = ::open(path().c_str(), O_RDONLY);
    if (fd_ < 0) throw std::runtime_error("cannot open " + path().string());
  }
  ~HashedStore() {
    ::close(fd_);
    std::filesystem::remove_all(directory_);
  }
  HashedStore(const HashedStore&) = delete;
  HashedStore& operator=(const HashedStore&) = delete;

  std::filesystem::path path() const { return directory_ / "store"; }

  /// `storage`: "file" for io_uring, otherwise the drives that the RAM engine models.
  std::unique_ptr<BlockEngine> open(const std::string& storage, std::uint32_t depth) const {
    const std::vector<StoreFile> files{{"store", fd_}};
    if (storage == "file") return open_uring_engine(files, depth);
    return open_ram_engine(std::make_shared<RamDevice>(parse_drive_array(storage), files), depth);
  }

  static void expect_page(HostPager& pager, PageId page) {
    const std::byte* data = pager.acquire(page);
    const std::uint64_t first = page * pager.page_bytes() / 8;
    const std::uint64_t last = std::min<std::uint64_t>(first + pager.page_bytes() / 8, kBytes / 8);
    for (std::uint64_t i = first; i < last; ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, data + (i - first) * 8, sizeof(word));
      ASSERT_EQ(word, splitmix64(i)) << "word " << i << " of page " << page;
    }
    pager.release(page);
  }

 private:
  std::filesystem::path directory_;
  int fd_ = -1;
};

}  // namespace graphrun::test
