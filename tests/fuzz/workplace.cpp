// SPDX-License-Identifier: Apache-2.0

#include "fuzz/workplace.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "graphrun/core/log.hpp"
#include "support/quick_folder.hpp"

namespace graphrun::fuzz {
namespace {

namespace fs = std::filesystem;

class TemporaryDirectory {
 public:
  TemporaryDirectory() : path_((test::quick_folder() / "graphrun_fuzz_XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make a directory like " + path_);
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

rlim_t address_space_in_use() {
  std::uint64_t pages = 0;
  if (!(std::ifstream("/proc/self/statm") >> pages)) throw std::runtime_error("cannot read /proc/self/statm");
  return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

void prepare_process() {
  log::set_level(log::Level::quiet);
  constexpr rlim_t kMoreBytes = rlim_t{1} << 30;
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = std::min(limit.rlim_max, address_space_in_use() + kMoreBytes);
  if (::setrlimit(RLIMIT_AS, &limit) != 0) throw std::runtime_error("cannot limit the address space");
}

const std::string& directory() {
  static const TemporaryDirectory made;
  return made.path();
}

std::string place(const std::vector<InputFile>& files) {
  static std::vector<std::string> placed;
  for (const std::string& path : placed) fs::remove(path);
  placed.clear();
  const std::string stem = directory() + "/input";
  for (const InputFile& file : files) {
    const std::string path = stem + file.suffix;
    std::ofstream stream(path, std::ios::binary);
    stream.write(file.bytes.data(), static_cast<std::streamsize>(file.bytes.size()));
    if (!stream.flush()) throw std::runtime_error("cannot write " + path);
    placed.push_back(path);
  }
  return stem;
}

}  // namespace graphrun::fuzz
