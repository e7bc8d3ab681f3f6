// What a request to decompose is refused for, whoever makes it: the command line, C++, Python or a record.
#include "study/decompose.h"

#include <gtest/gtest.h>

#include "support/errors.h"

namespace ascribe::core::study {
namespace {

TEST(DecomposeRequest, OfATaylorDegreeThatCannotBeIsRefused) {
  DecomposeRequest request;
  for (const int degree : {-1, kMostTaylorDegree + 1, 2147483647}) {
    request.taylor = degree;
    expect_error(ErrorKind::argument, "expected 1 to 20, or 0 for none", [&] { check_decomposition(request); });
  }
  request.taylor = kMostTaylorDegree;
  check_decomposition(request);
}

}  // namespace
}  // namespace ascribe::core::study
