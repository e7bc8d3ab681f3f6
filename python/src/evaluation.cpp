#include "engine.h"

namespace ascribe_python {

namespace {

using ascribe::Evaluation;

nb::tuple tuple_of(const ascribe::ScoreSummary& s) {
  return nb::make_tuple(s.samples, s.undefined, s.mean, s.standard_error, s.low, s.high, s.median);
}

nb::tuple tuple_of(const ascribe::ScoreCurve& curve) {
  return nb::make_tuple(copied(curve.positions), copied(curve.mean), copied(curve.standard_errors), curve.samples);
}

}  // namespace

void bind_evaluation(nb::module_& module) {
  nb::class_<Evaluation>(module, "Evaluation")
      .def_prop_ro("methods", &Evaluation::methods)
      .def_prop_ro("metrics", &Evaluation::metrics)
      .def("summary", [](const Evaluation& self, const std::string& method,
                         const std::string& metric) { return tuple_of(self.summary(method, metric)); })
      .def("scores", [](const Evaluation& self, const std::string& method,
                        const std::string& metric) { return copied(self.scores(method, metric)); })
      .def("why_undefined", &Evaluation::why_undefined)
      .def("curve", [](const Evaluation& self, const std::string& method,
                       const std::string& metric) { return tuple_of(self.curve(method, metric)); })
      .def("sample_curve", [](const Evaluation& self, const std::string& method, const std::string& metric,
                              size_t sample) { return tuple_of(self.curve(method, metric, sample)); })
      .def_prop_ro("samples", &Evaluation::samples)
      .def_prop_ro("sample_names", &Evaluation::sample_names)
      .def_prop_ro("sample_numbers", &Evaluation::sample_numbers)
      .def_prop_ro("sample_classes", &Evaluation::sample_classes)
      .def_prop_ro("predicted_classes", &Evaluation::predicted_classes)
      .def_prop_ro("order_spectrum",
                   [](const Evaluation& self) {
                     nb::list list;
                     for (const ascribe::ScoreSummary& one : self.order_spectrum()) list.append(tuple_of(one));
                     return list;
                   })
      .def_prop_ro("left_out",
                   [](const Evaluation& self) {
                     nb::list list;
                     for (const ascribe::LeftOut& one : self.left_out()) {
                       list.append(nb::make_tuple(one.method, one.reason));
                     }
                     return list;
                   })
      .def_prop_ro("notes", &Evaluation::notes)
      .def("json", freely(&Evaluation::json))
      .def("record_json", freely(&Evaluation::record_json))
      .def("csv", freely(&Evaluation::csv))
      .def("scores_csv", freely(&Evaluation::scores_csv))
      .def("markdown", &Evaluation::markdown)
      .def("save", freely(&Evaluation::save), nb::arg("folder"), nb::arg("force") = false);
}

}  // namespace ascribe_python
