#include "api/state.h"

namespace ascribe {

namespace {

ErrorKind seen_as(core::ErrorKind kind) {
  switch (kind) {
    case core::ErrorKind::argument: return ErrorKind::argument;
    case core::ErrorKind::model: return ErrorKind::model;
    case core::ErrorKind::unsupported: return ErrorKind::unsupported;
    case core::ErrorKind::shape: return ErrorKind::shape;
    case core::ErrorKind::numeric: return ErrorKind::numeric;
    case core::ErrorKind::io: return ErrorKind::io;
    case core::ErrorKind::internal: return ErrorKind::internal;
    case core::ErrorKind::cancelled: return ErrorKind::cancelled;
  }
  return ErrorKind::internal;
}

}  // namespace

void throw_translated(const core::Error& error) { throw Error(seen_as(error.kind()), error.what()); }

Error::Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
Error::~Error() = default;

}  // namespace ascribe
