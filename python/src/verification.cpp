#include "engine.h"

namespace ascribe_python {

void bind_verification(nb::module_& module) {
  using ascribe::Verification;
  nb::class_<Verification>(module, "Verification")
      .def_prop_ro("methods", &Verification::methods)
      .def_prop_ro("sigmas", &Verification::sigmas)
      .def_prop_ro("orders", &Verification::orders)
      .def_prop_ro("errors",
                   [](const Verification& self) {
                     nb::list list;
                     for (const ascribe::OrderError& e : self.errors()) {
                       list.append(nb::make_tuple(e.method, e.temperature, e.sigma, e.order, e.mean, e.standard_error,
                                                  e.inputs, e.inside, e.outcome));
                     }
                     return list;
                   })
      .def_prop_ro("notes", &Verification::notes)
      .def("json", freely(&Verification::json))
      .def("record_json", freely(&Verification::record_json))
      .def("save", freely(&Verification::save), nb::arg("folder"), nb::arg("force") = false);
}

}  // namespace ascribe_python
