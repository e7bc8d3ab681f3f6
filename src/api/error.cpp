#include <algorithm>

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

// Settings that have another name here than in the words of the library.
std::string name_here(const std::string& name, const std::string& where) {
  if (where == "and-or" && name == "force") return "at_any_cost";
  if (where == "rows" && name == "rows") return "most_rows";  // of a report
  if (name == "row") return "rows";
  if (name == "sigma") return "sigmas";
  if (name == "metric-set") return "set_metric";
  static const std::set<std::string> dashed = {"and-or", "label-from", "most-box", "only-correct"};
  std::string here = name;
  if (dashed.contains(name)) std::replace(here.begin(), here.end(), '-', '_');
  return here;
}

// Settings stand in backquotes.
std::string spelled(const std::string& text, const std::string& where) {
  std::string out;
  size_t at = 0;
  for (;;) {
    const size_t from = text.find('`', at), to = from == text.npos ? text.npos : text.find('`', from + 1);
    if (to == text.npos) return out + text.substr(at);
    out += text.substr(at, from + 1 - at) + name_here(text.substr(from + 1, to - from - 1), where) + "`";
    at = to + 1;
  }
}

}  // namespace

void throw_translated(const core::Error& error) {
  const std::string message = spelled(error.message(), error.where());
  const bool nowhere = error.where().empty();
  throw Error(seen_as(error.kind()), nowhere ? message : fmt::format("[{}] {}", name_here(error.where(), ""), message));
}

Error::Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
Error::~Error() = default;

}  // namespace ascribe
