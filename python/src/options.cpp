#include "engine.h"

namespace ascribe_python {

namespace {

// An option that takes one value.
template <auto Setter, class Value>
void set(Call& self, Value value) {
  (self.options.*Setter)(std::move(value));
}

using Texts = std::vector<std::string>;
using Set = ascribe::Options;

}  // namespace

void bind_call(nb::module_& module) {
  nb::class_<Call>(module, "Call")
      .def(nb::init<>())
      .def_prop_rw(
          "progress", [](const Call& self) { return *self.told; },
          [](Call& self, nb::object told) { *self.told = std::move(told); }, nb::for_setter(nb::arg().none()))
      .def("note",
           [](Call& self, nb::object told) {
             self.options.note([told = shared(std::move(told))](const std::string& text) {
               call_back([&] { return (*told)(text).is_none(); });
             });
           })
      .def("set", [](Call& self, const std::string& name, const std::string& value) { self.options.set(name, value); })
      .def("set_metric",
           [](Call& self, const std::string& name, const std::string& value) { self.options.set_metric(name, value); })
      .def("seed", set<&Set::seed, uint64_t>)
      .def("threads", set<&Set::threads, int>)
      .def("record", set<&Set::record, bool>)
      .def("allocations", set<&Set::allocations, bool>)
      .def("trace", set<&Set::trace, bool>)
      .def("order", set<&Set::order, int>)
      .def("index", set<&Set::index, std::string>)
      .def("samples", set<&Set::samples, int64_t>)
      .def("absence", set<&Set::absence, std::string>)
      .def("influence", set<&Set::influence, std::string>)
      .def("estimate", set<&Set::estimate, std::string>)
      .def("evaluations", set<&Set::evaluations, int64_t>)
      .def("estimator", set<&Set::estimator, std::string>)
      .def("aim", set<&Set::aim, double>)
      .def("taylor", set<&Set::taylor, int>)
      .def("top", set<&Set::top, int64_t>)
      .def("at_any_cost", set<&Set::at_any_cost, bool>)
      .def("and_or", set<&Set::and_or, bool>)
      .def("budget", set<&Set::budget, std::string>)
      .def("title", set<&Set::title, std::string>)
      .def("parts", set<&Set::parts, std::string>)
      .def("most_rows", set<&Set::most_rows, int64_t>)
      .def("dataset_rows", set<&Set::dataset_rows, int64_t>)
      .def("row_pages", set<&Set::row_pages, int64_t>)
      .def("metrics", set<&Set::metrics, Texts>)
      .def("skip", set<&Set::skip, int64_t>)
      .def("batch", set<&Set::batch, int64_t>)
      .def("shuffle", set<&Set::shuffle, bool>)
      .def("only_correct", set<&Set::only_correct, bool>)
      .def("most_box", set<&Set::most_box, double>)
      .def("format", set<&Set::format, std::string>)
      .def("part", set<&Set::part, std::string>)
      .def("label_from", set<&Set::label_from, std::string>)
      .def("boxes", set<&Set::boxes, std::string>)
      .def("annotations", set<&Set::annotations, std::string>)
      .def("journal", set<&Set::journal, std::string>)
      .def("force", set<&Set::force, bool>)
      .def("shard", set<&Set::shard, std::string>)
      .def("items", set<&Set::items, int64_t>)
      .def("orders", set<&Set::orders, std::vector<int>>)
      .def("sigmas", set<&Set::sigmas, std::vector<double>>)
      .def("draws", set<&Set::draws, int64_t>)
      .def("inputs", set<&Set::inputs, int64_t>)
      .def("smooth", set<&Set::smooth, std::vector<double>>)
      .def("classes", set<&Set::classes, std::vector<int64_t>>)
      .def("object_boxes", [](Call& self, Given boxes) {
        self.options.object_boxes(looked_at(boxes));
        self.kept.push_back(nb::cast(std::move(boxes)));
      });
}

}  // namespace ascribe_python
