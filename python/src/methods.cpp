#include <mutex>

#include "engine.h"

namespace ascribe_python {

namespace {

// What a method of the caller's own is asked. It is good for as long as the method is at work. The method may have
// threads of its own, which take turns.
class Asked {
 public:
  explicit Asked(const ascribe::Asked& asked) : state_(std::make_shared<State>(&asked)) {}

  // Something that takes no time.
  template <class F>
  auto get(F&& read) const {
    return read(state_->get());
  }

  std::vector<double> values(const Given& rows) const {
    return run([&] {
      const std::lock_guard turn(state_->turn);
      return state_->get().values(looked_at(rows));
    });
  }

  // The method has answered.
  void end() {
    const Unlocked unlocked;
    const std::lock_guard turn(state_->turn);
    state_->asked = nullptr;
  }

 private:
  struct State {
    explicit State(const ascribe::Asked* asked) : asked(asked) {}
    const ascribe::Asked& get() const {
      if (asked == nullptr) throw nb::value_error("the method that was asked this has answered already");
      return *asked;
    }

    const ascribe::Asked* asked;
    std::recursive_mutex turn;  // a black box may itself ask
  };

  std::shared_ptr<State> state_;
};

std::vector<double> doubles(nb::handle answer) {
  const auto numbers = nb::cast<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>(answer);
  return {numbers.data(), numbers.data() + numbers.size()};
}

ascribe::Method own_method(const std::string& name, nb::callable function) {
  return {name, [function = shared(std::move(function))](const ascribe::Asked& asked) {
            return call_back([&] {
              Asked seen(asked);
              struct AtEnd {
                Asked& seen;
                ~AtEnd() { seen.end(); }
              } const at_end{seen};
              return doubles((*function)(seen));
            });
          }};
}

}  // namespace

void bind_methods(nb::module_& module) {
  nb::class_<Asked>(module, "Asked")
      .def_prop_ro("x", [](const Asked& self) { return self.get([](const auto& asked) { return copied(asked.x()); }); })
      .def_prop_ro(
          "baselines",
          [](const Asked& self) { return self.get([](const auto& asked) { return copied(asked.baselines()); }); })
      .def_prop_ro("target",
                   [](const Asked& self) { return self.get([](const auto& asked) { return asked.target(); }); })
      .def_prop_ro("owners",
                   [](const Asked& self) {
                     return self.get([](const auto& asked) {
                       const std::vector<int32_t>& owners = asked.owners();
                       return copied(owners.data(), {owners.size()});
                     });
                   })
      .def("values", [](const Asked& self, const Given& rows) { return copied(self.values(rows)); });

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
