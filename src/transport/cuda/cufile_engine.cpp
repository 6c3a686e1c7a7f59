// SPDX-License-Identifier: Apache-2.0
// GPUDirect Storage: pages go from files into device memory without a copy in host memory, where driver and file system have it;
// elsewhere cuFile stages them. Loaded when it is first needed.
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "core/owned_fd.hpp"
#include "core/raise.hpp"
#include "transport/cuda/device_engines.hpp"

#if __has_include(<cufile.h>)
#include <cufile.h>

namespace graphrun::cuda {
namespace {

/// The functions of the library.
struct CuFile {
  decltype(&cuFileDriverOpen) driver_open = nullptr;
  decltype(&cuFileHandleRegister) handle_register = nullptr;
  decltype(&cuFileHandleDeregister) handle_deregister = nullptr;
  decltype(&cuFileRead) read = nullptr;
  decltype(&cuFileWrite) write = nullptr;
  std::string missing;  ///< why it cannot be used

  CuFile() {
    void* library = ::dlopen("libcufile.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      missing = fmt::format("libcufile is not here ({})", ::dlerror());
      return;
    }
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
      if (function == nullptr && missing.empty()) missing = fmt::format("libcufile has no {}", name);
    };
    find(driver_open, "cuFileDriverOpen");
    find(handle_register, "cuFileHandleRegister");
    find(handle_deregister, "cuFileHandleDeregister");
    find(read, "cuFileRead");
    find(write, "cuFileWrite");
    if (!missing.empty()) return;
    const CUfileError_t status = driver_open();
    if (status.err != CU_FILE_SUCCESS) missing = fmt::format("libcufile does not start (error {})", static_cast<int>(status.err));
  }
};

const CuFile& cufile() {
  static const CuFile library;
  return library;
}

/// A file registered with cuFile.
struct RegisteredFile {
  explicit RegisteredFile(const StoreFile& file)
      : name(file.name),
        writable(file.writable),
        fd(::open(fmt::format("/proc/self/fd/{}", file.fd).c_str(), (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_DIRECT)) {
    if (!fd.is_open()) raise_errno<UnavailableError>("cuFile needs direct I/O, which {} refuses", name);
    bytes = static_cast<std::uint64_t>(::lseek(fd.get(), 0, SEEK_END));
    CUfileDescr_t what{};
    what.type = CU_FILE_HANDLE_TYPE_OPAQUE_FD;
    what.handle.fd = fd.get();
    const CUfileError_t status = cufile().handle_register(&handle, &what);
    if (status.err == CU_FILE_SUCCESS) return;
    raise<UnavailableError>("cuFile refuses {} (error {})", name, static_cast<int>(status.err));
  }
  ~RegisteredFile() { cufile().handle_deregister(handle); }

  std::string name;
  bool writable;
  OwnedFd fd;
  std::uint64_t bytes = 0;
  CUfileHandle_t handle{};
};

class CuFileEngine final : public BlockEngine {
 public:
  CuFileEngine(const std::vector<StoreFile>& files, std::uint32_t depth) : depth_(depth) {
    if (!cufile().missing.empty()) throw UnavailableError(cufile().missing);
    for (const StoreFile& file : files) files_.push_back(std::make_unique<RegisteredFile>(file));
    for (int i = 0; i < kThreads; ++i) threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  }

  std::string description() const override {
    std::string names;
    for (const auto& file : files_) names += (names.empty() ? "" : ", ") + file->name;
    return names + " by cuFile";
  }
  std::string last_error() const override {
    const std::lock_guard lock(mutex_);
    return last_error_;
  }

  bool start(const BlockRequest& request) override {
    const std::lock_guard lock(mutex_);
    if (out_ == depth_) return false;
    ++out_;
    waiting_.push_back(request);
    wake_.notify_one();
    return true;
  }

  std::size_t poll(Done* outcomes, std::size_t most) override {
    const std::lock_guard lock(mutex_);
    std::size_t count = 0;
    for (; count < most && !done_.empty(); done_.pop_front()) outcomes[count++] = done_.front();
    out_ -= static_cast<std::uint32_t>(count);
    return count;
  }

 private:
  static constexpr int kThreads = 4;  // each waits for one transfer

  void work(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (wake_.wait(lock, stop, [this] { return !waiting_.empty(); })) {
      const BlockRequest request = waiting_.front();
      waiting_.pop_front();
      lock.unlock();
      std::string error;
      const nvme::Status status = transfer(request, error);
      lock.lock();
      if (!error.empty()) last_error_ = error;
      done_.push_back({request.tag, status});
    }
  }

  nvme::Status transfer(const BlockRequest& request, std::string& error) const {
    const RegisteredFile* const file = request.file() < files_.size() ? files_[request.file()].get() : nullptr;
    if (file == nullptr || !request.fits(file->bytes, file->writable)) {
      error = request.refusal();
      return nvme::Status::out_of_range;
    }
    const auto place = static_cast<off_t>(request.place());
    const ssize_t moved = request.writes() ? cufile().write(file->handle, request.data, request.bytes, place, 0)
                                           : cufile().read(file->handle, request.data, request.bytes, place, 0);
    const std::uint64_t expected =
        request.writes() ? request.bytes : std::min<std::uint64_t>(request.bytes, file->bytes - request.place());
    if (moved >= 0 && static_cast<std::uint64_t>(moved) >= expected) return nvme::Status::success;
    error = moved < 0 ? fmt::format("cuFile could not move {} bytes at offset {} of {} (error {})", request.bytes, place,
                                    file->name, moved)
                      : fmt::format("{} gave {} bytes instead of {} at offset {}", file->name, moved, expected, place);
    return request.writes() ? nvme::Status::write_fault : nvme::Status::unrecovered_read_error;
  }

  std::vector<std::unique_ptr<RegisteredFile>> files_;
  std::uint32_t depth_;
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  std::uint32_t out_ = 0;
  std::deque<BlockRequest> waiting_;
  std::deque<Done> done_;
  std::vector<std::jthread> threads_;  // last: end before what they use
};

}  // namespace

std::string why_no_cufile() { return cufile().missing; }

std::unique_ptr<BlockEngine> open_cufile_engine(const std::vector<StoreFile>& files, std::uint32_t depth) {
  return std::make_unique<CuFileEngine>(files, depth);
}

}  // namespace graphrun::cuda

#else

namespace graphrun::cuda {

std::string why_no_cufile() { return "this program was built without cufile.h"; }

std::unique_ptr<BlockEngine> open_cufile_engine(const std::vector<StoreFile>&, std::uint32_t) {
  throw UnavailableError(why_no_cufile());
}

}  // namespace graphrun::cuda

#endif
