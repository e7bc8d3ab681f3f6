// The one exception that the library throws, beside std::bad_alloc. It never prints, aborts or exits.
#pragma once

#include <stdexcept>
#include <string>

#include <ascribe/export.h>

namespace ascribe {
inline namespace v1 {
enum class ErrorKind {
  argument,     // a request that cannot be
  model,        // the model file is malformed
  unsupported,  // a valid request that is not implemented, or not for this model
  shape,        // data that do not fit the model
  numeric,      // numbers that are not finite
  io,           // a file that cannot be read
  internal,     // a bug of ascribe
  cancelled,    // the progress callback stopped the work
};

class ASCRIBE_API Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message);
  ~Error() override;
  ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace v1
}  // namespace ascribe
