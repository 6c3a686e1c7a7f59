// SPDX-License-Identifier: Apache-2.0
// Tables of columns by Arrow's C data interface (arrow.apache.org/docs/format/CStreamInterface.html), read and given in capsules:
// what pandas, polars, pyarrow and DuckDB exchange, without a library of Arrow.
#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>

#include "bindings.hpp"

namespace graphrun::python {
namespace {

// The layouts of the interface.
struct ArrowSchema {
  const char* format = nullptr;
  const char* name = nullptr;
  const char* metadata = nullptr;
  std::int64_t flags = 0;
  std::int64_t n_children = 0;
  ArrowSchema** children = nullptr;
  ArrowSchema* dictionary = nullptr;
  void (*release)(ArrowSchema*) = nullptr;
  void* private_data = nullptr;
};
struct ArrowArray {
  std::int64_t length = 0;
  std::int64_t null_count = 0;
  std::int64_t offset = 0;
  std::int64_t n_buffers = 0;
  std::int64_t n_children = 0;
  const void** buffers = nullptr;
  ArrowArray** children = nullptr;
  ArrowArray* dictionary = nullptr;
  void (*release)(ArrowArray*) = nullptr;
  void* private_data = nullptr;
};
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*) = nullptr;
  int (*get_next)(ArrowArrayStream*, ArrowArray*) = nullptr;
  const char* (*get_last_error)(ArrowArrayStream*) = nullptr;
  void (*release)(ArrowArrayStream*) = nullptr;
  void* private_data = nullptr;
};
constexpr const char* kStream = "arrow_array_stream";  // the name of capsules

/// Releases a structure that another library filled.
template <class T>
struct Owned : T {
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (this->release != nullptr) this->release(this);
  }
};

/// Rows [first, first + count) of an array of one column.
struct Piece {
  const ArrowArray* array;
  std::int64_t first;
  std::int64_t count;

  bool has(std::int64_t i) const {
    const auto* const bits = static_cast<const std::uint8_t*>(array->n_buffers > 0 ? array->buffers[0] : nullptr);
    return bits == nullptr || ((bits[(first + i) / 8] >> ((first + i) % 8)) & 1) != 0;
  }
  template <class T>
  const T* values(int buffer = 1) const {
    return static_cast<const T*>(array->buffers[buffer]) + first;
  }
};

/// Calls body(T{}) for the type of numbers with that format. Returns whether there is one.
template <class Body>
bool with_number_type(std::string_view format, const Body& body) {
  if (format.size() != 1) return false;
  switch (format[0]) {
    case 'c':
      return body(std::int8_t{}), true;
    case 'C':
      return body(std::uint8_t{}), true;
    case 's':
      return body(std::int16_t{}), true;
    case 'S':
      return body(std::uint16_t{}), true;
    case 'i':
      return body(std::int32_t{}), true;
    case 'I':
      return body(std::uint32_t{}), true;
    case 'l':
      return body(std::int64_t{}), true;
    case 'L':
      return body(std::uint64_t{}), true;
    case 'f':
      return body(float{}), true;
    case 'g':
      return body(double{}), true;
    default:
      return false;
  }
}

/// Calls body(i, text) for the strings of a piece, without missing ones. Returns whether it holds strings.
template <class Body>
bool each_string(std::string_view format, const Piece& piece, const Body& body) {
  const auto by_offsets = [&]<class Offset>(Offset) {
    const auto* const offsets = piece.values<Offset>();
    const auto* const bytes = static_cast<const char*>(piece.array->buffers[2]);
    for (std::int64_t i = 0; i < piece.count; ++i) {
      if (piece.has(i)) body(i, std::string_view(bytes + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])));
    }
    return true;
  };
  if (format == "u") return by_offsets(std::int32_t{});
  if (format == "U") return by_offsets(std::int64_t{});
  if (format != "vu") return false;
  struct View {  // up to 12 bytes are in the view itself
    std::int32_t size;
    char prefix[4];
    std::int32_t buffer;
    std::int32_t offset;
  };
  const auto* const views = piece.values<View>();
  for (std::int64_t i = 0; i < piece.count; ++i) {
    if (!piece.has(i)) continue;
    const View& view = views[i];
    const char* const bytes =
        view.size <= 12 ? view.prefix : static_cast<const char*>(piece.array->buffers[2 + view.buffer]) + view.offset;
    body(i, std::string_view(bytes, static_cast<std::size_t>(view.size)));
  }
  return true;
}

/// Returns a column: an array of numbers, or a list of strings.
py::object column_of(const ArrowSchema& schema, const std::vector<Piece>& pieces) {
  std::int64_t rows = 0;
  const auto require_value = [&](bool has, std::int64_t row) {
    if (!has) throw UsageError(fmt::format("column {} has no value in row {}", schema.name, row));
  };
  for (const Piece& piece : pieces) {
    for (std::int64_t i = 0; i < piece.count; ++i) require_value(piece.has(i), rows + i);  // null_count may be unknown, or wrong
    rows += piece.count;
  }
  std::optional<py::object> column;
  if (schema.dictionary != nullptr) {
    py::list all;
    bool are_strings = true;
    for (const Piece& piece : pieces) {
      const ArrowArray& names = *piece.array->dictionary;
      std::vector<py::str> strings(static_cast<std::size_t>(names.length));
      const Piece of_names{&names, names.offset, names.length};
      are_strings = are_strings && each_string(schema.dictionary->format, of_names, [&](std::int64_t i, std::string_view text) {
                      strings[static_cast<std::size_t>(i)] = decoded(text);
                    });
      are_strings = are_strings && with_number_type(schema.format, [&]<class T>(T) {
                      for (std::int64_t i = 0; i < piece.count; ++i) {
                        const auto place = static_cast<std::size_t>(piece.values<T>()[i]);  // below 0: too large
                        const auto row = static_cast<std::int64_t>(all.size());
                        if (place >= strings.size())
                          throw UsageError(fmt::format("column {} has a code in row {} that is not in its dictionary of {} values",
                                                       schema.name, row, strings.size()));
                        require_value(of_names.has(static_cast<std::int64_t>(place)), row);
                        all.append(strings[place]);
                      }
                    });
    }
    if (are_strings) column = all;
  } else if (with_number_type(schema.format, [&]<class T>(T) {
               py::array_t<T> all(rows);
               T* to = all.mutable_data();
               for (const Piece& piece : pieces)
                 if (piece.count != 0) to = std::copy_n(piece.values<T>(), piece.count, to);
               column = all;
             })) {
  } else {
    py::list all(static_cast<std::size_t>(rows));
    std::size_t at = 0;
    bool are_strings = std::string_view(schema.format) == "u" || std::string_view(schema.format) == "U" ||
                       std::string_view(schema.format) == "vu";
    for (const Piece& piece : pieces)
      are_strings = are_strings &&
                    each_string(schema.format, piece, [&](std::int64_t, std::string_view text) { all[at++] = decoded(text); });
    if (are_strings) column = all;
  }
  if (!column)
    throw UsageError(
        fmt::format("column {} has values of Arrow's type {}: numbers and strings are read", schema.name, schema.format));
  return *column;
}

void require(ArrowArrayStream& stream, int status) {
  if (status == 0) return;
  const char* const why = stream.get_last_error(&stream);
  throw DataError(fmt::format("the table cannot be read: {}", why != nullptr ? why : std::strerror(status)));
}

ArrowArrayStream& stream_in(const py::capsule& capsule) {
  if (capsule.name() == nullptr || std::strcmp(capsule.name(), kStream) != 0)
    throw py::type_error("the capsule holds no stream of Arrow");
  return *static_cast<ArrowArrayStream*>(capsule.get_pointer());
}

/// Returns the names of a table's columns, and the columns at `wanted` indices: lists. Ends the stream.
py::tuple read_arrow(const py::capsule& capsule, const py::function& choose) {
  ArrowArrayStream& stream = stream_in(capsule);
  if (stream.release == nullptr) throw UsageError("the stream of the table was read before");
  Owned<ArrowSchema> schema;
  require(stream, [&] {
    const py::gil_scoped_release unlocked;  // other threads of the producer may need it
    return stream.get_schema(&stream, &schema);
  }());
  if (std::string_view(schema.format) != "+s") throw UsageError("the stream of Arrow holds no table");
  py::list names;
  for (std::int64_t c = 0; c < schema.n_children; ++c)
    names.append(decoded(schema.children[c]->name != nullptr ? schema.children[c]->name : ""));
  const auto wanted = py::cast<std::vector<std::int64_t>>(choose(names));
  std::deque<Owned<ArrowArray>> batches;
  for (;;) {
    ArrowArray& batch = batches.emplace_back();
    require(stream, [&] {
      const py::gil_scoped_release unlocked;
      return stream.get_next(&stream, &batch);
    }());
    if (batch.release == nullptr) break;
  }
  batches.pop_back();
  stream.release(&stream);
  py::list columns;
  for (const std::int64_t c : wanted) {
    std::vector<Piece> pieces;
    for (const auto& batch : batches)
      pieces.push_back({batch.children[c], batch.offset + batch.children[c]->offset, batch.length});
    columns.append(column_of(*schema.children[c], pieces));
  }
  return py::make_tuple(names, columns);
}

/// A table that is given: columns of numbers in arrays, which are not copied, or of strings.
struct Table {
  struct Column {
    std::string name;
    std::string format;
    py::object values;
    std::vector<std::int64_t> offsets = {};
    std::string texts = {};
    std::vector<const void*> buffers = {nullptr};
  };
  std::deque<Column> columns;
  std::int64_t rows = 0;
  const void* no_validity = nullptr;
  bool is_given = false;  ///< a stream has one batch
};
using Shared = std::shared_ptr<Table>;

/// What a schema or an array keeps: its children, and the table.
template <class T>
struct Node {
  Shared table;
  std::vector<T> children = {};
  std::vector<T*> pointers = {};

  static void release(T* each) {
    auto* const node = static_cast<Node*>(each->private_data);
    for (T& child : node->children)
      if (child.release != nullptr) child.release(&child);
    each->release = nullptr;
    delete node;
  }
  /// Fills a struct of the table's columns. child(T&, column) fills one.
  template <class Child>
  static void fill(T& to, const Shared& table, const Child& child) {
    auto* const node = new Node{table};
    node->children.resize(table->columns.size());
    for (std::size_t c = 0; c < table->columns.size(); ++c) {
      T& each = node->children[c];
      child(each, table->columns[c]);
      each.release = &release, each.private_data = new Node{table};
      node->pointers.push_back(&each);
    }
    to.n_children = static_cast<std::int64_t>(node->children.size()), to.children = node->pointers.data();
    to.release = &release, to.private_data = node;
  }
};

Shared& table_of(ArrowArrayStream* stream) { return *static_cast<Shared*>(stream->private_data); }

int give_schema(ArrowArrayStream* stream, ArrowSchema* to) {
  *to = {.format = "+s", .name = ""};
  Node<ArrowSchema>::fill(*to, table_of(stream), [](ArrowSchema& each, const Table::Column& column) {
    each.format = column.format.c_str(), each.name = column.name.c_str();
  });
  return 0;
}

int give_batch(ArrowArrayStream* stream, ArrowArray* to) {
  *to = {};
  Table& table = *table_of(stream);
  if (std::exchange(table.is_given, true)) return 0;
  to->length = table.rows, to->n_buffers = 1, to->buffers = &table.no_validity;
  Node<ArrowArray>::fill(*to, table_of(stream), [&](ArrowArray& each, Table::Column& column) {
    each.length = table.rows, each.n_buffers = static_cast<std::int64_t>(column.buffers.size()),
    each.buffers = column.buffers.data();
  });
  return 0;
}

void release_stream(ArrowArrayStream* stream) {
  delete &table_of(stream);
  stream->release = nullptr;
}

/// Sets the format and buffers of a column.
void take(Table::Column& column, const py::object& values) {
  column.values = values;
  if (py::isinstance<py::array>(values)) {
    const auto array = py::cast<py::array>(values);
    for (const char format : std::string_view("cCsSiIlLfg")) {
      with_number_type({&format, 1}, [&]<class T>(T) {
        if (py::isinstance<py::array_t<T, py::array::c_style>>(array)) column.format = format;
      });
    }
    if (column.format.empty()) throw UsageError(fmt::format("column {} has a type that Arrow has not", column.name));
    column.buffers.push_back(array.data());
    return;
  }
  column.format = "U";
  column.offsets.push_back(0);
  for (const py::handle each : values) {
    const auto bytes =
        py::reinterpret_steal<py::bytes>(PyUnicode_AsEncodedString(py::str(each).ptr(), "utf-8", "surrogateescape"));
    if (!bytes) throw py::error_already_set();
    column.texts += std::string_view(bytes);
    column.offsets.push_back(static_cast<std::int64_t>(column.texts.size()));
  }
  column.buffers.insert(column.buffers.end(), {column.offsets.data(), column.texts.data()});
}

/// Makes a stream of one batch: of pairs of a name and an array, or a list of strings, all of the same length.
py::capsule give_arrow(const py::list& columns) {
  const Shared table(new Table, [](Table* ended) {  // consumers end it in any thread
    if (!Py_IsInitialized()) return;
    const py::gil_scoped_acquire lock;
    delete ended;
  });
  for (const py::handle each : columns) {
    const auto pair = py::cast<py::tuple>(each);
    take(table->columns.emplace_back(Table::Column{py::cast<std::string>(pair[0]), "", py::none()}), pair[1]);
    const auto rows = static_cast<std::int64_t>(py::len(pair[1]));
    if (table->columns.size() > 1 && rows != table->rows)
      throw UsageError(
          fmt::format("column {} has {} rows, and those before it {}", table->columns.back().name, rows, table->rows));
    table->rows = rows;
  }
  auto* const stream = new ArrowArrayStream{&give_schema, &give_batch, [](ArrowArrayStream*) -> const char* { return nullptr; },
                                            &release_stream, new Shared(table)};
  return py::capsule(stream, kStream, [](PyObject* capsule) {
    auto* const ended = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule, kStream));
    if (ended->release != nullptr) ended->release(ended);
    delete ended;
  });
}

}  // namespace

void bind_arrow(py::module_& to) {
  to.def("read_arrow", &read_arrow);
  to.def("give_arrow", &give_arrow);
}

}  // namespace graphrun::python
