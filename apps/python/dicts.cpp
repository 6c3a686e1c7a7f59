// SPDX-License-Identifier: Apache-2.0
// Graphs of dicts, as NetworkX keeps them, and answers for NetworkX, without Python's loops.
//
// Several threads read dicts while the caller holds Python's lock, so that nobody changes them. These threads count no
// references, and compare only exact ints and strs; the caller's thread reads rows with other keys afterwards.
#include <atomic>
#include <bit>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>
#include <span>

#include "bindings.hpp"
#include "graphrun/core/macros.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/thread_pool.hpp"

namespace graphrun::python {
namespace {

constexpr std::size_t kUnknown = std::numeric_limits<std::size_t>::max();

void check(int status) {
  if (status < 0) throw py::error_already_set();
}

/// The nodes of a graph and their numbers; a copy of the caller's list, which Python's comparisons may change. Numbers of ints 0,
/// 1 ... in order are their values; others are in a hash table, which costs 16 to 32 bytes a node.
class Nodes {
 public:
  explicit Nodes(const py::list& nodes) : nodes_(nodes) {
    are_strings_ = !nodes_.empty();
    for (std::size_t v = 0; v < size(); ++v) {
      are_numbers_ = are_numbers_ && PyLong_CheckExact(at(v)) && value_of(at(v)) == v;
      are_strings_ = are_strings_ && PyUnicode_CheckExact(at(v));
    }
    if (!are_numbers_) make_table();
  }

  std::size_t size() const { return nodes_.size(); }
  PyObject* at(std::size_t v) const { return PyTuple_GET_ITEM(nodes_.ptr(), static_cast<Py_ssize_t>(v)); }
  py::list list() const { return nodes_; }

  /// Finds the numbers of nodes, kUnknown for objects that only Python can compare. Any thread, with the lock held by another.
  void find_fast(std::span<PyObject* const> nodes, std::vector<std::size_t>& numbers) const {
    numbers.resize(nodes.size());
    if (are_numbers_) {
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        const std::size_t value = PyLong_CheckExact(nodes[i]) ? value_of(nodes[i]) : kUnknown;
        numbers[i] = value < size() ? value : kUnknown;
      }
      return;
    }
    if (!are_strings_) return numbers.assign(nodes.size(), kUnknown);
    // Hashes of keys are stored in them. Objects that the next loop needs are fetched into the cache.
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      numbers[i] = PyUnicode_CheckExact(nodes[i]) ? slot_of(PyObject_Hash(nodes[i])) : kUnknown;
      if (numbers[i] != kUnknown) prefetch(&slots_[numbers[i]]);
    }
    for (const std::size_t place : numbers)
      if (place != kUnknown && slots_[place].node != 0) prefetch(at(slots_[place].node - 1));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (numbers[i] == kUnknown) continue;
      const Py_hash_t hash = PyObject_Hash(nodes[i]);
      std::size_t place = numbers[i];
      while (slots_[place].node != 0 && !(slots_[place].hash == hash && is_same_text(nodes[i], at(slots_[place].node - 1))))
        place = next(place);
      numbers[i] = slots_[place].node - 1;  // kUnknown where it is 0
    }
  }
  /// Returns the number of any node, or kUnknown. Throws what Python throws, such as TypeError for an unhashable object.
  std::size_t find(PyObject* node) {
    const Py_hash_t hash = PyObject_Hash(node);
    if (hash == -1) throw py::error_already_set();
    if (are_numbers_ && PyLong_CheckExact(node)) return value_of(node) < size() ? value_of(node) : kUnknown;
    if (slots_.empty()) make_table();
    for (std::size_t place = slot_of(hash); slots_[place].node != 0; place = next(place)) {
      if (slots_[place].hash != hash) continue;
      const int same = PyObject_RichCompareBool(node, at(slots_[place].node - 1), Py_EQ);
      check(same);
      if (same != 0) return slots_[place].node - 1;
    }
    return kUnknown;
  }

 private:
  struct Slot {
    Py_hash_t hash = 0;
    std::size_t node = 0;  ///< its number plus 1; 0: free
  };

  static std::size_t value_of(PyObject* number) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
    return overflow != 0 || value < 0 ? kUnknown : static_cast<std::size_t>(value);
  }
  static bool is_same_text(PyObject* a, PyObject* b) {
    if (a == b) return true;
    return PyUnicode_GET_LENGTH(a) == PyUnicode_GET_LENGTH(b) && PyUnicode_KIND(a) == PyUnicode_KIND(b) &&
           std::memcmp(PyUnicode_DATA(a), PyUnicode_DATA(b),
                       static_cast<std::size_t>(PyUnicode_GET_LENGTH(a)) * static_cast<std::size_t>(PyUnicode_KIND(a))) == 0;
  }
  std::size_t slot_of(Py_hash_t hash) const {
    constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15U;  // 2^64 divided by the golden ratio
    return static_cast<std::size_t>((static_cast<std::uint64_t>(hash) * kMix) >> shift_);
  }
  std::size_t next(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }
  void make_table() {
    const std::size_t capacity = std::bit_ceil(2 * size() + 2);
    shift_ = 64 - std::countr_zero(capacity);
    std::vector<Slot> slots(capacity);
    for (std::size_t v = 0; v < size(); ++v) {
      const Py_hash_t hash = PyObject_Hash(at(v));
      if (hash == -1) throw py::error_already_set();
      std::size_t place = slot_of(hash);
      while (slots[place].node != 0) place = (place + 1) & (capacity - 1);
      slots[place] = {hash, v + 1};
    }
    slots_ = std::move(slots);
  }

  py::tuple nodes_;
  bool are_numbers_ = true;
  bool are_strings_ = false;
  std::vector<Slot> slots_;
  int shift_ = 0;
};

/// Returns the numbers of several nodes, -1 for unknown ones.
py::array_t<std::int64_t> find_all(Nodes& nodes, const py::list& wanted) {
  const std::span<PyObject* const> all(reinterpret_cast<PyListObject*>(wanted.ptr())->ob_item, wanted.size());
  std::vector<std::size_t> numbers;
  nodes.find_fast(all, numbers);
  py::array_t<std::int64_t> found(static_cast<py::ssize_t>(numbers.size()));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] == kUnknown) numbers[i] = nodes.find(py::object(wanted[i]).ptr());
    found.mutable_data()[i] = numbers[i] == kUnknown ? -1 : static_cast<std::int64_t>(numbers[i]);
  }
  return found;
}

/// Returns the nodes with equal labels as sets, in the order of their first nodes. `labels`: numbers of nodes, one for each.
py::list sets_of(const Nodes& nodes, const py::array_t<std::uint64_t, py::array::c_style | py::array::forcecast>& labels) {
  constexpr std::size_t kNone = 0;
  std::vector<std::size_t> place_of(nodes.size(), kNone);  // of a label's set, plus 1
  py::list sets;
  for (std::size_t v = 0; v < nodes.size(); ++v) {
    std::size_t& place = place_of.at(labels.at(v));
    if (place == kNone) {
      sets.append(py::set());
      place = sets.size();
    }
    check(PySet_Add(PyList_GET_ITEM(sets.ptr(), static_cast<Py_ssize_t>(place) - 1), nodes.at(v)));
  }
  return sets;
}

/// Thrown for a mapping that is no plain dict, such as a view of NetworkX, and for a graph that changes meanwhile.
struct NoDict {};

PyObject* require_dict(PyObject* object) {
  if (!PyDict_CheckExact(object)) throw NoDict{};
  return object;
}

/// Calls body(key, value) for the entries of a dict.
template <class Body>
void each_entry(PyObject* dict, const Body& body) {
  Py_ssize_t position = 0;
  for (PyObject *key = nullptr, *value = nullptr; PyDict_Next(dict, &position, &key, &value) != 0;) body(key, value);
}

/// Returns the attribute of an edge, or null. Does not call Python where the dict's keys are strs.
PyObject* value_of(PyObject* data, PyObject* attribute) {
  PyObject* found = nullptr;
  each_entry(data, [&](PyObject* key, PyObject* value) {
    if (key == attribute || (PyUnicode_Check(key) && PyUnicode_Compare(key, attribute) == 0)) found = value;
  });
  return found;
}

/// Reads the rows of G._adj: a dict of nodes, each with a dict of neighbours, each with a dict of attributes, or in a multigraph
/// a dict of those by key.
class Rows {
 public:
  Rows(Nodes& nodes, const py::dict& adjacency, bool directed, bool multigraph)
      : nodes_(nodes), directed_(directed), multigraph_(multigraph), offsets_(nodes.size() + 1) {
    rows_.reserve(nodes.size());
    each_entry(adjacency.ptr(), [&](PyObject* node, PyObject* row) {
      const auto kept = py::reinterpret_borrow<py::object>(node);  // find() may run any code
      rows_.push_back(py::reinterpret_borrow<py::object>(require_dict(row)));
      const std::size_t v = rows_.size() - 1;
      if (v >= nodes.size() || (node != nodes.at(v) && nodes.find(node) != v)) throw NoDict{};
      if (PyDict_GET_SIZE(adjacency.ptr()) != static_cast<Py_ssize_t>(nodes.size())) throw NoDict{};
    });
    if (rows_.size() != nodes.size()) throw NoDict{};
    std::int64_t* offset = offsets_.mutable_data();
    offset[0] = 0;
    for (std::size_t v = 0; v < rows_.size(); ++v) {
      offset[v + 1] = offset[v] + PyDict_GET_SIZE(rows_[v].ptr());
    }
  }

  const py::array_t<std::int64_t>& offsets() const { return offsets_; }

  /// Returns the numbers of neighbours, and notes whether an edge has the attribute (null: none is looked for).
  template <class Id>
  py::array_t<Id> neighbours(PyObject* attribute, ThreadPool& pool) {
    py::array_t<Id> all(offsets_.at(rows_.size()));
    Id* const to = all.mutable_data();
    std::vector<std::pair<std::size_t, PyObject*>> others;  // edges whose neighbours find() finds
    std::mutex lock;
    each_batch(pool, [&](const Batch& batch, std::vector<std::size_t>& found) {
      nodes_.find_fast(batch.neighbours, found);
      std::size_t row = batch.first_row;
      std::size_t looked = 0;
      for (std::size_t i = 0; i < found.size(); ++i) {
        const std::size_t edge = batch.first_edge + i;
        to[edge] = static_cast<Id>(found[i]);
        while (edge >= static_cast<std::size_t>(offsets_.data()[row + 1])) ++row;
        if (found[i] == kUnknown) {
          const std::scoped_lock held(lock);
          others.emplace_back(edge, batch.neighbours[i]);
        }
        // Both directions of an undirected edge have one dict; kUnknown is above all rows.
        if (attribute == nullptr || !(directed_ || found[i] >= row)) continue;
        prefetch(batch.data[i]);
        found[looked++] = i;
      }
      for (std::size_t i = 0; i < looked && !has_attribute_.load(std::memory_order_relaxed); ++i)
        look_for(attribute, batch.data[found[i]]);
    });
    std::vector<py::object> kept;  // the comparisons of find() may run any code
    for (const auto& [edge, neighbour] : others) kept.push_back(py::reinterpret_borrow<py::object>(neighbour));
    for (const auto& [edge, neighbour] : others) {
      const std::size_t found = nodes_.find(neighbour);
      if (found == kUnknown) throw NoDict{};
      to[edge] = static_cast<Id>(found);
    }
    return all;
  }
  bool has_attribute() const { return has_attribute_; }

  /// Returns how many edges of a multigraph each entry has.
  py::array_t<std::int64_t> copies(ThreadPool& pool) {
    py::array_t<std::int64_t> all(offsets_.at(rows_.size()));
    std::int64_t* const to = all.mutable_data();
    each_batch(pool, [&](const Batch& batch, std::vector<std::size_t>&) {
      for (PyObject* data : batch.data) prefetch(data);
      for (std::size_t i = 0; i < batch.data.size(); ++i) to[batch.first_edge + i] = PyDict_GET_SIZE(require_dict(batch.data[i]));
    });
    return all;
  }

  /// Returns the attribute of all edges, 1 where one lacks it: an array of int64 or of float64 where all are of that type, else a
  /// list. `copies`: of a multigraph.
  py::object values(PyObject* attribute, const std::optional<py::array_t<std::int64_t>>& copies, ThreadPool& pool) {
    std::vector<std::uint64_t> begins;
    if (copies) {
      begins.resize(static_cast<std::size_t>(copies->size()) + 1);
      for (std::size_t i = 0; i + 1 < begins.size(); ++i)
        begins[i + 1] = begins[i] + static_cast<std::uint64_t>(copies->data()[i]);
    }
    const std::size_t count = copies ? begins.back() : static_cast<std::size_t>(offsets_.at(rows_.size()));
    std::vector<PyObject*> found(count);
    std::atomic<int> kinds = 0;
    each_batch(pool, [&](const Batch& batch, std::vector<std::size_t>&) {
      for (PyObject* data : batch.data) prefetch(data);
      int seen = 0;
      for (PyObject* data : batch.data) prefetch(keys_of(require_dict(data)));
      std::size_t at = copies ? begins[batch.first_edge] : batch.first_edge;
      for (PyObject* data : batch.data) {
        each_data(data, [&](PyObject* each) {
          PyObject* const value = value_of(each, attribute);
          seen |= value == nullptr || PyLong_CheckExact(value) ? kInts : PyFloat_CheckExact(value) ? kFloats : kOthers;
          found[at++] = value;
        });
      }
      kinds.fetch_or(seen, std::memory_order_relaxed);
    });
    if (kinds == kFloats) {
      py::array_t<double> all(static_cast<py::ssize_t>(count));
      for (std::size_t i = 0; i < count; ++i) all.mutable_data()[i] = PyFloat_AS_DOUBLE(found[i]);
      return all;
    }
    int overflow = kinds == kInts ? 0 : 1;
    py::array_t<std::int64_t> all(static_cast<py::ssize_t>(overflow == 0 ? count : 0));
    for (std::size_t i = 0; i < count && overflow == 0; ++i)
      all.mutable_data()[i] = found[i] == nullptr ? 1 : PyLong_AsLongLongAndOverflow(found[i], &overflow);
    if (overflow == 0) return all;
    std::vector<py::object> kept;  // all of them before Python runs
    for (PyObject* value : found) kept.push_back(py::reinterpret_borrow<py::object>(value));
    py::list objects;
    for (const py::object& value : kept) objects.append(value ? value : py::object(py::int_(1)));
    return objects;
  }

 private:
  static constexpr std::size_t kAhead = 8;       // rows
  static constexpr std::size_t kBatch = 512;     // entries whose objects are fetched together
  static constexpr std::size_t kRowGrain = 256;  // rows of a thread's piece
  static const void* keys_of(PyObject* dict) { return reinterpret_cast<PyDictObject*>(dict)->ma_keys; }
  static constexpr int kInts = 1, kFloats = 2, kOthers = 4;

  /// Consecutive entries; the first is of first_row.
  struct Batch {
    std::size_t first_row = 0;
    std::size_t first_edge = 0;
    std::vector<PyObject*> neighbours = {};
    std::vector<PyObject*> data = {};
  };

  /// Calls body(batch, memory) for all entries, by all threads. Fetches their neighbours into the cache first.
  template <class Body>
  void each_batch(ThreadPool& pool, const Body& body) {
    const std::int64_t* const offset = offsets_.data();
    parallel_chunks(pool, rows_.size(), kRowGrain, [&](std::size_t begin, std::size_t end, int) {
      std::vector<std::size_t> memory;
      Batch batch{begin, static_cast<std::size_t>(offset[begin])};
      const auto flush = [&](std::size_t next_row) {
        body(std::as_const(batch), memory);
        batch.first_row = next_row, batch.first_edge += batch.data.size();
        batch.neighbours.clear(), batch.data.clear();
      };
      for (std::size_t row = begin; row < end; ++row) {
        if (row + kAhead < end) prefetch(keys_of(rows_[row + kAhead].ptr()));
        auto left = offset[row + 1] - offset[row];
        each_entry(rows_[row].ptr(), [&](PyObject* neighbour, PyObject* data) {
          if (left-- == 0) throw NoDict{};  // it has grown
          prefetch(neighbour);
          batch.neighbours.push_back(neighbour);
          batch.data.push_back(data);
          if (batch.data.size() == kBatch) flush(row);
        });
        if (left != 0) throw NoDict{};
      }
      if (!batch.data.empty()) flush(end);
    });
  }

  /// Calls body(attributes) for an edge, or for the parallel ones of a multigraph.
  template <class Body>
  void each_data(PyObject* data, const Body& body) const {
    if (!multigraph_) return body(require_dict(data));
    each_entry(require_dict(data), [&](PyObject*, PyObject* each) { body(require_dict(each)); });
  }
  void look_for(PyObject* attribute, PyObject* data) {
    each_data(data, [&](PyObject* each) {
      if (PyDict_GET_SIZE(each) != 0 && value_of(each, attribute) != nullptr) has_attribute_ = true;
    });
  }

  Nodes& nodes_;
  bool directed_;
  bool multigraph_;
  std::vector<py::object> rows_;
  py::array_t<std::int64_t> offsets_;
  std::atomic<bool> has_attribute_ = false;
};

/// Returns the offsets and neighbours of a graph of dicts (None where it has other mappings), the copies of each entry (None
/// without `multigraph`), and the attribute of all edges as Rows::values() has it (None where no edge has it).
py::object rows_of(Nodes& nodes, const py::dict& adjacency, bool directed, bool multigraph,
                   const std::optional<py::str>& attribute) {
  try {
    ThreadPool pool;
    Rows rows(nodes, adjacency, directed, multigraph);
    PyObject* const name = attribute ? attribute->ptr() : nullptr;
    constexpr std::size_t kNarrow = std::numeric_limits<std::uint32_t>::max();
    const py::object neighbours = nodes.size() < kNarrow ? py::object(rows.neighbours<std::uint32_t>(name, pool))
                                                         : py::object(rows.neighbours<std::uint64_t>(name, pool));
    std::optional<py::array_t<std::int64_t>> copies;
    if (multigraph) copies = rows.copies(pool);
    const py::object values = rows.has_attribute() ? rows.values(name, copies, pool) : py::object(py::none());
    return py::make_tuple(rows.offsets(), neighbours, copies, values);
  } catch (const NoDict&) {
    return py::none();
  }
}

}  // namespace

void bind_dicts(py::module_& to) {
  py::class_<Nodes>(to, "Nodes")
      .def(py::init<py::list>())
      .def("__len__", &Nodes::size)
      .def("__getitem__",
           [](Nodes& nodes, const py::object& node) {
             const std::size_t found = nodes.find(node.ptr());
             if (found != kUnknown) return found;
             PyErr_SetObject(PyExc_KeyError, node.ptr());
             throw py::error_already_set();
           })
      .def("__contains__", [](Nodes& nodes, const py::object& node) { return nodes.find(node.ptr()) != kUnknown; })
      .def("find_all", &find_all)
      .def("sets", &sets_of)
      .def_property_readonly("list", &Nodes::list)
      .def("rows", &rows_of);
}

}  // namespace graphrun::python
