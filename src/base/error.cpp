#include "base/error.h"

namespace ascribe {

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::argument: return "argument";
    case ErrorKind::model: return "model";
    case ErrorKind::unsupported: return "unsupported";
    case ErrorKind::shape: return "shape";
    case ErrorKind::numeric: return "numeric";
    case ErrorKind::io: return "io";
    case ErrorKind::internal: return "internal";
  }
  return "unknown";
}

Error::Error(ErrorKind kind, std::string_view where, std::string_view what)
    : std::runtime_error(where.empty() ? std::string(what) : fmt::format("[{}] {}", where, what)), kind_(kind) {}

}  // namespace ascribe
