#include "base/error.h"

namespace ascribe::core {

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::argument: return "argument";
    case ErrorKind::model: return "model";
    case ErrorKind::unsupported: return "unsupported";
    case ErrorKind::shape: return "shape";
    case ErrorKind::numeric: return "numeric";
    case ErrorKind::io: return "io";
    case ErrorKind::internal: return "internal";
    case ErrorKind::cancelled: return "cancelled";
  }
  return "unknown";
}

namespace {

// Messages quote names from hostile files; they must neither drive a terminal nor flood it.
std::string printable(std::string_view from) {
  std::string text(from);
  constexpr size_t kLongest = 4000;
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  }
  return text;
}

}  // namespace

Error::Error(ErrorKind kind, std::string_view where, std::string_view what)
    : std::runtime_error(printable(where.empty() ? std::string(what) : fmt::format("[{}] {}", where, what))),
      kind_(kind),
      where_(printable(where)),
      message_(printable(what)) {}

Error::~Error() = default;

void fail_with(ErrorKind kind, std::string_view where, fmt::string_view format, fmt::format_args args) {
  throw Error(kind, where, fmt::vformat(format, args));
}

}  // namespace ascribe::core
