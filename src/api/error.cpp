#include <algorithm>

#include "api/state.h"

namespace ascribe {

namespace {

constexpr std::pair<core::ErrorKind, ErrorKind> kKinds[] = {
    {core::ErrorKind::argument, ErrorKind::argument},       {core::ErrorKind::model, ErrorKind::model},
    {core::ErrorKind::unsupported, ErrorKind::unsupported}, {core::ErrorKind::shape, ErrorKind::shape},
    {core::ErrorKind::numeric, ErrorKind::numeric},         {core::ErrorKind::io, ErrorKind::io},
    {core::ErrorKind::internal, ErrorKind::internal},       {core::ErrorKind::cancelled, ErrorKind::cancelled},
};

ErrorKind seen_as(core::ErrorKind kind) {
  for (const auto& [ours, theirs] : kKinds) {
    if (ours == kind) return theirs;
  }
  return ErrorKind::internal;
}

core::ErrorKind meant_as(ErrorKind kind) {
  for (const auto& [ours, theirs] : kKinds) {
    if (theirs == kind) return ours;
  }
  return core::ErrorKind::internal;
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
  throw Error(
      seen_as(error.kind()),
      nowhere ? message
              : fmt::format("[{}] {}", error.where() == "row" ? error.where() : name_here(error.where(), ""), message));
}

void throw_back(const Error& error) { throw core::Error(meant_as(error.kind()), "", error.what()); }

Error::Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
Error::~Error() = default;

}  // namespace ascribe
