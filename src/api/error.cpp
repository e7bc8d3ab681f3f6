#include "api/translate.h"

namespace ascribe {

namespace {

v1::ErrorKind seen_as(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::argument: return v1::ErrorKind::argument;
    case ErrorKind::model: return v1::ErrorKind::model;
    case ErrorKind::unsupported: return v1::ErrorKind::unsupported;
    case ErrorKind::shape: return v1::ErrorKind::shape;
    case ErrorKind::numeric: return v1::ErrorKind::numeric;
    case ErrorKind::io: return v1::ErrorKind::io;
    case ErrorKind::internal: return v1::ErrorKind::internal;
  }
  return v1::ErrorKind::internal;
}

}  // namespace

void throw_translated(const Error& error) { throw v1::Error(seen_as(error.kind()), error.what()); }

v1::Error::Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
v1::Error::~Error() = default;

}  // namespace ascribe
