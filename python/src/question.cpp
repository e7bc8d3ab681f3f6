#include "engine.h"

namespace ascribe_python {

namespace {

// A setting of the question that takes one value.
template <auto Setter, class Value>
void set(Question& self, Value value) {
  (self.question.*Setter)(std::move(value));
}

using Texts = std::vector<std::string>;
using Set = ascribe::Question;

}  // namespace

void bind_question(nb::module_& module) {
  nb::class_<Question>(module, "Question")
      .def(nb::init<>())
      .def("file", [](Question& self, const std::string& path) { self.question.file(path); })
      .def("bytes", [](Question& self, const std::string& name,
                       nb::bytes content) { self.question.bytes(name, std::string(content.c_str(), content.size())); })
      .def(
          "array",
          [](Question& self, Given rows, const std::string& input) {
            self.question.array(looked_at(rows), input);
            self.kept.push_back(std::move(rows));
          },
          nb::arg("rows"), nb::arg("input") = "")
      .def("row_names", set<&Set::row_names, Texts>)
      .def("row_numbers", set<&Set::row_numbers, std::vector<int64_t>>)
      .def("feature_names", set<&Set::feature_names, Texts>)
      .def("rows", set<&Set::rows, Texts>)
      .def("columns", set<&Set::columns, Texts>)
      .def("preprocess", set<&Set::preprocess, std::string>)
      .def("target", [](Question& self, const std::string& text) { self.question.target(text); })
      .def("targets", set<&Set::targets, Texts>)
      .def("target_weights",
           [](Question& self, Given weights) {
             self.question.target_weights(looked_at(weights));
             self.kept.push_back(std::move(weights));
           })
      .def("label_file", [](Question& self, const std::string& path) { self.question.labels(path); })
      .def("labels", [](Question& self, Texts names) { self.question.labels(std::move(names)); })
      .def("probability", set<&Set::probability, bool>)
      .def("output", set<&Set::output, std::string>)
      .def("input", set<&Set::input, std::string>)
      .def("at", set<&Set::at, std::string>)
      .def("tokens", set<&Set::tokens, std::string>)
      .def("baseline", set<&Set::baseline, std::string>)
      .def("baselines",
           [](Question& self, Given rows) {
             self.question.baselines(looked_at(rows));
             self.kept.push_back(std::move(rows));
           })
      .def("baseline_bytes",
           [](Question& self, const std::string& name, nb::bytes content) {
             self.question.baselines(name, std::string(content.c_str(), content.size()));
           })
      .def("players", set<&Set::players, std::string>)
      .def("owners", [](Question& self, std::vector<int32_t> owners, Texts names) {
        self.question.owners(std::move(owners), std::move(names));
      });
}

}  // namespace ascribe_python
