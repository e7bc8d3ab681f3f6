#include "engine.h"

NB_MODULE(_engine, module) {
  using namespace ascribe_python;
  module.doc() = "The engine: libascribe. Use the package ascribe, which says what its parts are for.";
  nb::set_leak_warnings(false);  // what lives until the interpreter ends is not lost
  module.def("end_work", end_work);
  bind_errors();
  bind_question(module);
  bind_call(module);
  bind_methods(module);
  bind_results(module);
  bind_evaluation(module);
  bind_verification(module);
  bind_replay(module);
  bind_parts(module);
  bind_model(module);
}
