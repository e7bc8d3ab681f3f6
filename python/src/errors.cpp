// Each kind of error is an exception class of ascribe.errors.
#include <string_view>

#include "engine.h"

namespace ascribe_python {

namespace {

const char* class_of(ascribe::ErrorKind kind) {
  switch (kind) {
    case ascribe::ErrorKind::argument: return "ArgumentError";
    case ascribe::ErrorKind::model: return "ModelError";
    case ascribe::ErrorKind::unsupported: return "UnsupportedError";
    case ascribe::ErrorKind::shape: return "ShapeError";
    case ascribe::ErrorKind::numeric: return "NumericError";
    case ascribe::ErrorKind::io: return "FileError";
    case ascribe::ErrorKind::internal: return "InternalError";
    case ascribe::ErrorKind::cancelled: return "Cancelled";
  }
  return "InternalError";
}

}  // namespace

void bind_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const ascribe::Error& error) {
      const nb::object type = nb::module_::import_("ascribe.errors").attr(class_of(error.kind()));
      // Names of files may be any bytes.
      const std::string_view text = error.what();
      const auto message =
          nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
      PyErr_SetObject(type.ptr(), message.ptr());
    }
  });
}

}  // namespace ascribe_python
