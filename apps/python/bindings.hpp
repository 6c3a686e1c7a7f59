// SPDX-License-Identifier: Apache-2.0
// The parts of the Python module: graphs.cpp and answers.cpp for each width of ids, module.cpp for the rest.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "graphrun/core/cancellation.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/exec/cuda_device.hpp"

namespace graphrun::python {

namespace py = pybind11;

/// Options by their command-line names, with texts as a user types them; "" for a switch.
using Given = std::vector<std::pair<std::string, std::string>>;

/// Ends a job whose Python exception is pending.
struct Stopped {};

/// Jobs that run without Python's lock, which guards this class. At its end Python does not wait for daemon threads, and kills
/// one that returns to it; C++ then ends the process with a signal. So the end waits for their jobs.
class Jobs {
 public:
  static Jobs& all() {
    static Jobs jobs;
    return jobs;
  }
  bool any() const { return running_ != 0; }
  /// Ends jobs of other threads than this one, and prevents new ones.
  void end_those_of_others() { last_thread_ = std::this_thread::get_id(); }
  /// Drops the jobs of the parent process, for a child, which has one thread.
  void forget() { running_ = 0, ++process_; }

  class Running {
   public:
    Running() : process_(all().process_) {
      all().check();
      ++all().running_;
    }
    ~Running() {
      if (process_ == all().process_) --all().running_;
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    int process_;
  };
  /// Throws SystemExit, which ends a thread silently.
  void check() const {
    if (last_thread_ == std::thread::id{} || last_thread_ == std::this_thread::get_id()) return;
    PyErr_SetNone(PyExc_SystemExit);
    throw py::error_already_set();
  }

 private:
  int running_ = 0;
  int process_ = 0;
  std::thread::id last_thread_;
};

/// Sets Python's exception for one of ours; leaves others.
void translate(std::exception_ptr thrown);

/// Runs body() without Python's lock. A signal handler that raises, as Ctrl-C's does, ends it. The thread's GPU stays current.
/// `progress` is None, or is called regularly: without arguments, or with stage, fraction (0: unknown) and text of a stage that
/// has lasted a second. An exception in it ends the job.
template <class Body>
auto attended(const py::object& progress, Body&& body) {
  std::exception_ptr raised;
  const auto look = [&](const Progress* stage) {
    const py::gil_scoped_acquire lock;
    try {
      Jobs::all().check();
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (progress.is_none()) return;
      if (stage != nullptr)
        progress(stage->stage(), stage->fraction(), stage->text());
      else
        progress();
    } catch (const py::error_already_set&) {
      raised = std::current_exception();
      throw Stopped{};
    }
  };
  const Jobs::Running running;
  try {
    const py::gil_scoped_release others_run;
    const CurrentGpu gpu;
    const CancellationCheck attendance(look);
    return body();
  } catch (const Stopped&) {
    std::rethrow_exception(raised);
  } catch (const Error&) {  // now: this calls Python, and the job still counts
    translate(std::current_exception());
    throw py::error_already_set();
  }
}

/// Holder of an object with GPU memory. The GPU of the thread that ends it stays current.
template <class T>
struct Close {
  void operator()(T* held) const {
    const CurrentGpu gpu;
    delete held;
  }
};
template <class T>
using Held = std::unique_ptr<T, Close<T>>;

/// Returns a text that need not be UTF-8, such as a path.
inline py::str decoded(std::string_view text) {
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

/// Returns an array over memory that `owner` keeps.
template <class T>
py::array_t<T> share(const T* data, std::size_t size, std::shared_ptr<const void> owner, bool writeable) {
  using Kept = std::shared_ptr<const void>;
  const py::capsule base(new Kept(std::move(owner)), [](void* kept) { delete static_cast<Kept*>(kept); });
  py::array_t<T> array({size}, {sizeof(T)}, data, base);
  if (!writeable) py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

}  // namespace graphrun::python
