#include "engine.h"

namespace ascribe_python {

namespace {

using ascribe::LoadOptions;
using Methods = std::vector<ascribe::Method>;
using Names = std::vector<std::string>;

LoadOptions load_options(const std::string& precision, size_t memory, const nb::dict& shapes) {
  LoadOptions options;
  if (precision == "float32") options.precision(ascribe::Precision::float32);
  if (precision == "float64") options.precision(ascribe::Precision::float64);
  if (memory > 0) options.memory(memory);
  for (const auto& [input, shape] : shapes) {
    options.shape(nb::cast<std::vector<int64_t>>(shape), nb::cast<std::string>(input));
  }
  return options;
}

// A model, and the function of Python's that it is, if it is one: the garbage collector must see it, because a function
// may hold what holds the model.
struct Model : ascribe::Model {
  explicit Model(ascribe::Model model, std::shared_ptr<nb::object> function = {})
      : ascribe::Model(std::move(model)), function(std::move(function)) {}

  std::shared_ptr<nb::object> function;
};

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  if (const auto& function = nb::inst_ptr<Model>(self)->function) Py_VISIT(function->ptr());
  return 0;
}

int clear(PyObject* self) {
  if (const auto& function = nb::inst_ptr<Model>(self)->function) *function = nb::object();
  return 0;
}

PyType_Slot model_slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)}, {Py_tp_clear, reinterpret_cast<void*>(clear)}, {0, nullptr}};

Model load(const std::string& path, LoadOptions options) {
  options.progress(watched_by({}));
  return Model(run([&] { return ascribe::Model::load(path, options); }));
}

Model load_bytes(nb::bytes content, const std::string& name, LoadOptions options) {
  options.progress(watched_by({}));
  std::string bytes(content.c_str(), content.size());
  return Model(run([&] { return ascribe::Model::load_bytes(std::move(bytes), name, options); }));
}

std::vector<double> answer_of(const nb::object& called, const ascribe::Array& rows) {
  if (!called.is_valid()) throw nb::value_error("the function of this model is gone");
  const nb::object answer = called(copied(rows));  // an array of its own, which it may keep
  const auto numbers = nb::cast<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>(answer);
  return {numbers.data(), numbers.data() + numbers.size()};
}

Model function(nb::callable given, std::vector<int64_t> row_shape, int64_t outputs, const std::string& name,
               const LoadOptions& options) {
  const std::shared_ptr<nb::object> called = shared(std::move(given));
  const ascribe::RowFunction on_rows = [called](const ascribe::Array& rows) {
    return call_back([&] { return answer_of(*called, rows); });
  };
  return Model(run([&] { return ascribe::Model::function(on_rows, row_shape, outputs, name, options); }), called);
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<LoadOptions>(module, "LoadOptions")
      .def("__init__", [](LoadOptions* self, const std::string& precision, size_t memory, const nb::dict& shapes) {
        new (self) LoadOptions(load_options(precision, memory, shapes));
      });

  nb::class_<Model>(module, "Model", nb::type_slots(model_slots))
      .def_static("load", load)
      .def_static("load_bytes", load_bytes)
      .def_static("function", function)
      .def_prop_ro("row_shape", &Model::row_shape)
      .def_prop_ro("targets", &Model::targets)
      .def_prop_ro("notes", &Model::notes)
      .def("json",
           [](const Model& self) {
             const Call call;
             return run([&] { return self.json(call.options); });
           })
      .def("layers_json",
           [](const Model& self) {
             const Call call;
             return run([&] { return self.layers_json(call.options); });
           })
      .def("predict", [](Model& self, Question& asked,
                         Call& call) { return run(call, [&] { return self.predict(asked.question, call.options); }); })
      .def("explain",
           [](Model& self, Question& asked, const Methods& methods, Call& call) {
             return run(call, [&] { return self.explain(asked.question, methods, call.options); });
           })
      .def("decompose",
           [](Model& self, Question& asked, Call& call) {
             return run(call, [&] { return self.decompose(asked.question, call.options); });
           })
      .def("audit",
           [](Model& self, Question& asked, const Methods& methods, Call& call) {
             return run(call, [&] { return self.audit(asked.question, methods, call.options); });
           })
      .def("audit_numbers",
           [](Model& self, Question& asked, const Given& attribution, Call& call) {
             return run(call, [&] { return self.audit(asked.question, looked_at(attribution), call.options); });
           })
      .def("compare",
           [](Model& self, Question& asked, const ascribe::Method& first, const ascribe::Method& second, Call& call) {
             return run(call, [&] { return self.compare(asked.question, first, second, call.options); });
           })
      .def("compile",
           [](Model& self, const std::string& method, const std::string& target, Question& asked, Call& call) {
             return run(call, [&] { return self.compile(method, target, asked.question, call.options); });
           })
      .def("report",
           [](Model& self, Question& asked, const Methods& methods, Call& call) {
             return run(call, [&] { return self.report(asked.question, methods, call.options); });
           })
      .def("evaluate",
           [](Model& self, const std::string& data, const Methods& methods, const Names& metrics, Question& asked,
              Call& call) {
             return run(call, [&] { return self.evaluate(data, methods, metrics, asked.question, call.options); });
           })
      .def("evaluate_rows",
           [](Model& self, Question& asked, const Methods& methods, const Names& metrics, Call& call) {
             return run(call, [&] { return self.evaluate(asked.question, methods, metrics, call.options); });
           })
      .def("explain_part",
           [](Model& self, Question& asked, const Methods& methods, const std::string& folder, Call& call) {
             return run(call, [&] { return self.explain_part(asked.question, methods, folder, call.options); });
           })
      .def("decompose_part",
           [](Model& self, Question& asked, const std::string& folder, Call& call) {
             return run(call, [&] { return self.decompose_part(asked.question, folder, call.options); });
           })
      .def("evaluate_part",
           [](Model& self, const std::string& data, const Methods& methods, const Names& metrics,
              const std::string& folder, Question& asked, Call& call) {
             return run(call, [&] {
               return self.evaluate_part(data, methods, metrics, folder, asked.question, call.options);
             });
           })
      .def("verify",
           [](Model& self, Question& asked, const Names& methods, Call& call) {
             return run(call, [&] { return self.verify(asked.question, methods, call.options); });
           })
      .def("sha256", [](const Model& self) {
        const Call call;
        return run([&] { return self.sha256(call.options); });
      });
}

}  // namespace ascribe_python
