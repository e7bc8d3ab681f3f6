#include "engine.h"

namespace ascribe_python {

namespace {

using ascribe::Replay;
using ascribe::ReplayAnswer;
using Texts = std::vector<std::string>;

const char* answer_of(const Replay& self) {
  switch (self.answer()) {
    case ReplayAnswer::same: return "same";
    case ReplayAnswer::within_tolerance: return "within tolerance";
    case ReplayAnswer::different: return "different";
    case ReplayAnswer::not_possible: break;
  }
  return "not possible";
}

}  // namespace

void bind_replay(nb::module_& module) {
  nb::class_<Replay>(module, "Replay")
      .def_prop_ro("answer", answer_of)
      .def_prop_ro("changed", &Replay::changed)
      .def("json", freely(&Replay::json));
  module.def("replay", [](const std::string& path, const Texts& files, Call& call) {
    return run(call, [&] { return ascribe::replay(path, files, call.options); });
  });
  module.def("replay_record", [](const std::string& record, const Texts& files, Call& call) {
    return run(call, [&] { return ascribe::replay_record(record, files, call.options); });
  });
}

}  // namespace ascribe_python
