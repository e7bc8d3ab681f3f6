#include "engine.h"

namespace ascribe_python {

namespace {

using ascribe::Merged;
using ascribe::Part;
using ascribe::PartReader;

nb::object next(PartReader& self) {
  std::string body;
  if (!run([&] { return self.next(body); })) return nb::none();
  return nb::bytes(body.data(), body.size());
}

Merged merge(const std::string& folder, const std::string& out, bool force, nb::object told) {
  const auto progress = watched_by(shared(std::move(told)));
  return run([&] { return ascribe::merge(folder, out, force, progress); });
}

}  // namespace

void bind_parts(nb::module_& module) {
  nb::class_<Part>(module, "Part")
      .def_ro("path", &Part::path)
      .def_ro("was_finished", &Part::was_finished)
      .def_ro("samples", &Part::samples)
      .def_ro("samples_of_work", &Part::samples_of_work)
      .def_ro("computed", &Part::computed)
      .def_ro("failed", &Part::failed)
      .def_ro("first_error", &Part::first_error)
      .def_ro("notes", &Part::notes);
  nb::class_<Merged>(module, "Merged")
      .def_ro("kind", &Merged::kind)
      .def_ro("files", &Merged::files)
      .def_ro("samples", &Merged::samples)
      .def_ro("failed", &Merged::failed)
      .def_ro("first_error", &Merged::first_error)
      .def_ro("notes", &Merged::notes);
  nb::class_<PartReader>(module, "PartReader")
      .def(nb::init<const std::string&>())
      .def("header_json", &PartReader::header_json)
      .def("next", next, nb::sig("def next(self) -> bytes | None"));
  module.def("check_parts",
             [](const std::string& folder) { return run([&] { return ascribe::check_parts(folder); }); });
  module.def("parts_json", [](const std::string& folder) { return run([&] { return ascribe::parts_json(folder); }); });
  module.def("merge", merge, nb::arg("folder"), nb::arg("out"), nb::arg("force"), nb::arg("told").none());
  module.def("merged_evaluation",
             [](const std::string& folder) { return run([&] { return ascribe::merged_evaluation(folder); }); });
}

}  // namespace ascribe_python
