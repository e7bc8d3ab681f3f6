#include "engine.h"

namespace ascribe_python {

namespace {

// What a method of the caller's own is asked. It is good for as long as the method is at work.
struct Asked {
  const ascribe::Asked* asked;

  const ascribe::Asked& get() const {
    if (asked == nullptr) throw nb::value_error("the method that was asked this has answered already");
    return *asked;
  }
};

Numpy values_of(const Asked& self, const Given& rows) {
  std::vector<double> values;
  {
    const nb::gil_scoped_release free;
    values = self.get().values(looked_at(rows));
  }
  return copied(values);
}

std::vector<double> doubles(nb::handle answer) {
  const auto numbers = nb::cast<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>(answer);
  return {numbers.data(), numbers.data() + numbers.size()};
}

ascribe::Method own_method(const std::string& name, nb::callable function) {
  return {name, [function = shared(std::move(function))](const ascribe::Asked& asked) {
            const nb::gil_scoped_acquire lock;
            nb::object seen = nb::cast(Asked{&asked});
            const nb::object answer = (*function)(seen);
            nb::cast<Asked&>(seen).asked = nullptr;
            return doubles(answer);
          }};
}

}  // namespace

void bind_methods(nb::module_& module) {
  nb::class_<Asked>(module, "Asked")
      .def_prop_ro("x", [](const Asked& self) { return copied(self.get().x()); })
      .def_prop_ro("baselines", [](const Asked& self) { return copied(self.get().baselines()); })
      .def_prop_ro("target", [](const Asked& self) { return self.get().target(); })
      .def_prop_ro("owners",
                   [](const Asked& self) {
                     const std::vector<int32_t>& owners = self.get().owners();
                     return copied(owners.data(), {owners.size()});
                   })
      .def("values", values_of);

  nb::class_<ascribe::Method>(module, "Method")
      .def(nb::init<const std::string&>())
      .def_static("own", own_method)
      .def_static("given", [](const std::string& name, const Given& values,
                              int64_t rows) { return ascribe::Method(name, looked_at(values), rows); })
      .def_prop_ro("name", &ascribe::Method::name);

  module.def("methods_json", ascribe::methods_json);
  module.def("metrics_json", ascribe::metrics_json);
  module.def("indices_json", ascribe::indices_json);
  module.def("method_names", ascribe::method_names);
  module.def("metric_names", ascribe::metric_names);
  module.def("index_names", ascribe::index_names);
  module.def("version", ascribe::version);
}

}  // namespace ascribe_python
