#include "engine.h"

namespace ascribe_python {

namespace {

using ascribe::LoadOptions;
using ascribe::Model;
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

Model load(const std::string& path, const LoadOptions& options) {
  const nb::gil_scoped_release free;
  return Model::load(path, options);
}

Model load_bytes(nb::bytes content, const std::string& name, const LoadOptions& options) {
  std::string bytes(content.c_str(), content.size());
  const nb::gil_scoped_release free;
  return Model::load_bytes(std::move(bytes), name, options);
}

// The function gets an array of its own, which it may keep.
Model function(nb::callable called, std::vector<int64_t> row_shape, int64_t outputs, const std::string& name,
               const LoadOptions& options) {
  const ascribe::RowFunction on_rows = [called = shared(std::move(called))](const ascribe::Array& rows) {
    const nb::gil_scoped_acquire lock;
    const nb::object answer = (*called)(copied(rows));
    const auto numbers = nb::cast<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>(answer);
    return std::vector<double>(numbers.data(), numbers.data() + numbers.size());
  };
  const nb::gil_scoped_release free;
  return Model::function(on_rows, std::move(row_shape), outputs, name, options);
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<LoadOptions>(module, "LoadOptions")
      .def("__init__", [](LoadOptions* self, const std::string& precision, size_t memory, const nb::dict& shapes) {
        new (self) LoadOptions(load_options(precision, memory, shapes));
      });

  nb::class_<Model>(module, "Model")
      .def_static("load", load)
      .def_static("load_bytes", load_bytes)
      .def_static("function", function)
      .def_prop_ro("row_shape", &Model::row_shape)
      .def_prop_ro("targets", &Model::targets)
      .def_prop_ro("notes", &Model::notes)
      .def("json", &Model::json, nb::call_guard<nb::gil_scoped_release>())
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
      .def("verify",
           [](Model& self, Question& asked, const Names& methods, Call& call) {
             return run(call, [&] { return self.verify(asked.question, methods, call.options); });
           })
      .def("sha256", &Model::sha256, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace ascribe_python
