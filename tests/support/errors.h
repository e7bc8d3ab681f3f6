// The error that an expression throws, for tests that look at its kind and message.
#pragma once

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/error.h"

namespace ascribe::core {

template <class F>
std::optional<Error> error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

template <class F>
void expect_error(ErrorKind kind, const std::string& part, F&& f) {
  const auto error = error_of(f);
  ASSERT_TRUE(error.has_value()) << "no error; expected one that says: " << part;
  EXPECT_EQ(to_string(error->kind()), to_string(kind)) << error->what();
  EXPECT_NE(std::string(error->what()).find(part), std::string::npos) << error->what();
}

}  // namespace ascribe::core
