// The one error type. The library throws it and never prints, aborts or exits.
// Message form: "[where] what; got ...; expected ...".
//
// A message names a setting of the caller's by its plain name: as `where` ("target"), or in backquotes
// ("`players` chooses others"). Each front end spells it as its users do: --target, target=.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace ascribe::core {

enum class ErrorKind {
  argument,     // the caller asked for something that cannot be
  model,        // the model file is malformed or inconsistent
  unsupported,  // a valid request this version does not implement
  shape,        // data that does not fit the model it was given to
  numeric,      // NaN, infinity, no convergence
  io,           // unreadable input, unwritable output
  internal,     // our bug
  cancelled,    // the caller stopped the work (base/watch.h)
};

std::string_view to_string(ErrorKind kind);

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, std::string_view where, std::string_view what);
  ~Error() override;
  ErrorKind kind() const { return kind_; }
  // The parts of what(): may be empty, and "what; got ...; expected ...".
  const std::string& where() const { return where_; }
  const std::string& message() const { return message_; }

 private:
  ErrorKind kind_;
  std::string where_, message_;
};

[[noreturn]] void fail_with(ErrorKind kind, std::string_view where, fmt::string_view format, fmt::format_args args);

template <class... Args>
[[noreturn]] void fail(ErrorKind kind, std::string_view where, fmt::format_string<Args...> format, Args&&... args) {
  fail_with(kind, where, format, fmt::make_format_args(args...));
}

// For conditions that only a bug of ours can break.
inline void require(bool condition, std::string_view where, std::string_view what) {
  if (!condition) throw Error(ErrorKind::internal, where, what);
}

}  // namespace ascribe::core
