// SPDX-License-Identifier: Apache-2.0
// graphrun._core, the base of graphrun/__init__.py, which has the users' functions.
#include <string>

#include "bindings.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/run/result.hpp"
#include "graphrun/transport/fabric.hpp"

// The types and functions of each width.
namespace graphrun::python::ids32 {
void bind_graphs(py::module_& to);
void bind_answers(py::module_& to);
}  // namespace graphrun::python::ids32
namespace graphrun::python::ids64 {
void bind_graphs(py::module_& to);
void bind_answers(py::module_& to);
}  // namespace graphrun::python::ids64

namespace graphrun::python {
void bind_arrow(py::module_& to);  // of arrow.cpp
void bind_dicts(py::module_& to);  // of dicts.cpp

namespace {

/// Returns the class of that name in graphrun/_errors.py.
py::object error_class(const char* name) { return py::module_::import("graphrun._errors").attr(name); }

/// Replaces options in graphrun's sentences by keywords.
py::object in_keywords(std::string_view sentence) {
  return py::module_::import("graphrun._options").attr("in_keywords")(decoded(sentence));
}

/// Sends lines of the log to Python's logging, also from threads of a job.
void say(log::Severity severity, std::string_view text) {
  constexpr const char* kMethods[] = {"debug", "info", "warning", "error"};
  const py::gil_scoped_acquire lock;
  try {
    const py::object logger = py::module_::import("logging").attr("getLogger")("graphrun");
    logger.attr(kMethods[static_cast<int>(severity)])("%s", in_keywords(text));
  } catch (py::error_already_set& error) {  // a user's handler failed; the job continues
    if (error.matches(PyExc_KeyboardInterrupt)) {
      PyErr_SetInterrupt();  // the job notices it at its next check
    } else {
      error.discard_as_unraisable("a line of graphrun's log");
    }
  }
}

py::dict build_info() {
  const CurrentGpu gpu;
  const Environment here = describe_environment({});
  py::dict missing;
  if (const std::string why = why_no_cuda(0); !why.empty()) missing["cuda"] = why;
  if (const std::string why = why_no_fabric("tcp"); !why.empty()) missing["libfabric"] = why;
  py::list backends;
  for (const Capability& each : list_capabilities()) {
    using namespace py::literals;
    backends.append(
        py::dict("device"_a = each.device, "backend"_a = each.backend, "available"_a = each.available, "detail"_a = each.detail));
  }
  py::dict info;
  info["version"] = here.version;
  info["commit"] = here.commit;
  info["compiler"] = here.compiler;
  info["build_type"] = here.build_type;
  info["vertex_bits"] = GRAPHRUN_HAS_WIDE ? py::tuple(py::make_tuple(32, 64)) : py::tuple(py::make_tuple(32));
  info["missing"] = missing;
  info["backends"] = backends;
  return info;
}

}  // namespace

void translate(std::exception_ptr thrown) {
  const auto raise = [](const char* name, const Error& error) {
    PyErr_SetObject(error_class(name).ptr(), in_keywords(error.what()).ptr());
  };
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const WideIdsError& error) {
    raise("WideIdsError", error);
  } catch (const UsageError& error) {
    raise("UsageError", error);
  } catch (const DataError& error) {
    raise("DataError", error);
  } catch (const RunError& error) {
    raise("RunError", error);
  } catch (const UnavailableError& error) {
    raise("UnavailableError", error);
  }
}

}  // namespace graphrun::python

PYBIND11_MODULE(_core, module) {
  using namespace graphrun;
  python::py::register_exception_translator(&python::translate);
  log::set_sink(&python::say);
  module.attr("version") = describe_environment({}).version;
  module.attr("description") = description_json();
  module.def("build_info", &python::build_info);
  module.def("end_jobs_of_other_threads", [] { python::Jobs::all().end_those_of_others(); });
  module.def("jobs_run", [] { return python::Jobs::all().any(); });
  module.def("forget_jobs", [] { python::Jobs::all().forget(); });
  module.def("keep_for_ever", [](const python::py::object& object) { object.inc_ref(); });
  python::bind_arrow(module);
  python::bind_dicts(module);
  python::ids32::bind_graphs(module);
  python::ids32::bind_answers(module);
#if GRAPHRUN_HAS_WIDE
  python::ids64::bind_graphs(module);
  python::ids64::bind_answers(module);
#endif
}
