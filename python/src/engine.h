// The parts of the extension module ascribe._engine, a thin layer over include/ascribe: the Python package around it
// says what users see.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "call.h"

namespace ascribe_python {

// A question keeps the arrays that it looks at.
struct Question {
  ascribe::Question question;
  std::vector<Given> kept;
};

void bind_errors();
void bind_question(nb::module_& module);
void bind_call(nb::module_& module);
void bind_methods(nb::module_& module);
void bind_results(nb::module_& module);
void bind_evaluation(nb::module_& module);
void bind_verification(nb::module_& module);
void bind_replay(nb::module_& module);
void bind_parts(nb::module_& module);
void bind_model(nb::module_& module);

}  // namespace ascribe_python
