#include <algorithm>
#include <limits>

#include "engine.h"

namespace ascribe_python {

namespace {

nb::list listed(const std::vector<ascribe::Effect>& effects) {
  nb::list list;
  for (const ascribe::Effect& effect : effects) list.append(nb::make_tuple(nb::cast(effect.players), effect.value));
  return list;
}

nb::list listed(const std::vector<ascribe::LeftOut>& left_out) {
  nb::list list;
  for (const ascribe::LeftOut& one : left_out) list.append(nb::make_tuple(one.method, one.reason));
  return list;
}

void bind_prediction(nb::module_& module) {
  using ascribe::Prediction;
  nb::class_<Prediction>(module, "Prediction")
      .def_prop_ro("rows", &Prediction::rows)
      .def("row_name", &Prediction::row_name)
      .def_prop_ro("outputs", &Prediction::outputs)
      .def("output_name", &Prediction::output_name)
      .def("values", [](const Prediction& self, size_t output) { return copied(self.values(output)); })
      .def("top",
           [](const Prediction& self, int64_t row, int64_t count, size_t output) {
             nb::list list;
             for (const ascribe::TopClass& one : self.top(row, count, output)) {
               list.append(nb::make_tuple(one.index, one.label, one.score, one.probability));
             }
             return list;
           })
      .def_prop_ro("notes", &Prediction::notes)
      .def("json", freely(&Prediction::json), nb::arg("top") = 5)
      .def("record_json", freely(&Prediction::record_json));
}

// Numbers of players of all rows; rows with fewer players than others end in NaN.
template <class F>
Numpy of_players(const ascribe::Explanation& self, F&& numbers_of) {
  size_t most = 0;
  for (size_t row = 0; row < self.rows(); ++row) most = std::max(most, numbers_of(row).size());
  double* numbers = nullptr;
  Numpy array = new_array<double>({self.rows(), most}, numbers);
  for (size_t row = 0; row < self.rows(); ++row) {
    const std::vector<double>& own = numbers_of(row);
    double* end = std::copy(own.begin(), own.end(), numbers + row * most);
    std::fill(end, numbers + (row + 1) * most, std::numeric_limits<double>::quiet_NaN());
  }
  return array;
}

template <auto Number>
Numpy number_of_rows(const ascribe::Explanation& self, size_t method) {
  using Value = decltype((self.attribution(method, 0).*Number)());
  return per_row<Value>(self.rows(), [&](size_t row) { return (self.attribution(method, row).*Number)(); });
}

// Names of the players of every row; rows with the same players share one list.
nb::list all_players(const ascribe::Explanation& self) {
  nb::list rows;
  for (size_t row = 0; row < self.rows(); ++row) {
    const std::vector<std::string>& own = self.attribution(0, row).players();
    const bool as_before = row > 0 && own == self.attribution(0, row - 1).players();
    rows.append(as_before ? nb::object(rows[row - 1]) : nb::cast(own));
  }
  return rows;
}

// [rows, elements]
Numpy all_owners(const ascribe::Explanation& self) {
  const size_t elements = self.attribution(0, 0).owners().size();
  int32_t* numbers = nullptr;
  Numpy array = new_array<int32_t>({self.rows(), elements}, numbers);
  for (size_t row = 0; row < self.rows(); ++row) {
    const std::vector<int32_t>& own = self.attribution(0, row).owners();
    if (own.size() != elements) throw nb::value_error("rows of different shapes cannot be one array");
    std::copy(own.begin(), own.end(), numbers + row * elements);
  }
  return array;
}

void bind_explanation(nb::module_& module) {
  using ascribe::Attribution;
  using ascribe::Explanation;
  nb::class_<Explanation>(module, "Explanation")
      .def_prop_ro("rows", &Explanation::rows)
      .def_prop_ro("methods", &Explanation::methods)
      .def("method_name", &Explanation::method_name)
      .def("seconds", &Explanation::seconds)
      .def("elements",
           [](const Explanation& self, size_t method) {
             return stacked(self.rows(), [&](size_t row) { return self.attribution(method, row).elements(); });
           })
      .def("player_values",
           [](const Explanation& self, size_t method) {
             return of_players(
                 self, [&](size_t row) -> const auto& { return self.attribution(method, row).values(); });
           })
      .def("standard_errors",
           [](const Explanation& self, size_t method) {
             return of_players(
                 self, [&](size_t row) -> const auto& { return self.attribution(method, row).standard_errors(); });
           })
      .def("intervals",
           [](const Explanation& self, size_t method) {
             return of_players(self, [&](size_t row) { return self.attribution(method, row).intervals(); });
           })
      .def("sum", number_of_rows<&Attribution::sum>)
      .def("strongest", [](const Explanation& self, size_t method, size_t row,
                           size_t count) { return self.attribution(method, row).strongest(count); })
      .def("parameters_json",
           [](const Explanation& self, size_t method) { return self.attribution(method, 0).parameters_json(); })
      .def("output", number_of_rows<&Attribution::output>)
      .def("baseline_output", number_of_rows<&Attribution::baseline_output>)
      .def("residual", number_of_rows<&Attribution::residual>)
      .def("exact", number_of_rows<&Attribution::exact>)
      .def("evaluations", number_of_rows<&Attribution::evaluations>)
      .def("target", number_of_rows<&Attribution::target>)
      .def("explained", number_of_rows<&Attribution::explained>)
      .def("contribution",
           [](const Explanation& self, size_t method) { return self.attribution(method, 0).contribution(); })
      .def("x",
           [](const Explanation& self) {
             return stacked(self.rows(), [&](size_t row) { return self.attribution(0, row).x(); });
           })
      .def("baselines",
           [](const Explanation& self, size_t row) { return copied(self.attribution(0, row).baselines()); })
      .def("owners", all_owners)
      .def("token_ids", [](const Explanation& self, size_t row) { return self.attribution(0, row).token_ids(); })
      .def("label", [](const Explanation& self, size_t row) { return self.attribution(0, row).label(); })
      .def("about", [](const Explanation& self, size_t row) { return self.attribution(0, row).about(); })
      .def("output_name", [](const Explanation& self, size_t row) { return self.attribution(0, row).output_name(); })
      .def("explains", [](const Explanation& self, size_t row) { return self.attribution(0, row).explains(); })
      .def("row_name", [](const Explanation& self, size_t row) { return self.attribution(0, row).row_name(); })
      .def("players", all_players)
      .def("method_notes",
           [](const Explanation& self, size_t method, size_t row) { return self.attribution(method, row).notes(); })
      .def_prop_ro("left_out", [](const Explanation& self) { return listed(self.left_out()); })
      .def_prop_ro("stopped", &Explanation::stopped)
      .def_prop_ro("notes", &Explanation::notes)
      .def("json", freely(&Explanation::json))
      .def("record_json", freely(&Explanation::record_json))
      .def("save", freely(&Explanation::save), nb::arg("folder"), nb::arg("force") = false);
}

void bind_decomposition(nb::module_& module) {
  using ascribe::Decomposition;
  nb::class_<Decomposition>(module, "Decomposition")
      .def_prop_ro("players", &Decomposition::players)
      .def_prop_ro("target", &Decomposition::target)
      .def_prop_ro("output", &Decomposition::output)
      .def_prop_ro("baseline_output", &Decomposition::baseline_output)
      .def_prop_ro("remainder", &Decomposition::remainder)
      .def_prop_ro("dividends", [](const Decomposition& self) { return copied(self.dividends()); })
      .def_prop_ro("strongest", [](const Decomposition& self) { return listed(self.strongest()); })
      .def_prop_ro("estimated", &Decomposition::estimated)
      .def_prop_ro("strongest_errors", [](const Decomposition& self) { return copied(self.strongest_errors()); })
      .def_prop_ro("held_out_r2", &Decomposition::held_out_r2)
      .def_prop_ro("index_values", [](const Decomposition& self) { return listed(self.index_values()); })
      .def_prop_ro("index_errors", [](const Decomposition& self) { return copied(self.index_errors()); })
      .def_prop_ro("and_effects", [](const Decomposition& self) { return listed(self.and_effects()); })
      .def_prop_ro("or_effects", [](const Decomposition& self) { return listed(self.or_effects()); })
      .def_prop_ro("strength", &Decomposition::strength)
      .def_prop_ro("least_strength", &Decomposition::least_strength)
      .def_prop_ro("strength_of_and", &Decomposition::strength_of_and)
      .def_prop_ro("evaluations", &Decomposition::evaluations)
      .def_prop_ro("notes", &Decomposition::notes)
      .def("json", freely(&Decomposition::json))
      .def("record_json", freely(&Decomposition::record_json))
      .def("save", freely(&Decomposition::save), nb::arg("folder"), nb::arg("force") = false);
}

void bind_audit(nb::module_& module) {
  using ascribe::Audit;
  nb::class_<Audit>(module, "Audit")
      .def_prop_ro("methods", &Audit::methods)
      .def("method_name", &Audit::method_name)
      .def("verdict",
           [](const Audit& self, size_t method, int principle) {
             const auto which = static_cast<ascribe::Principle>(principle);
             const ascribe::Verdict verdict = self.verdict(method, which);
             return nb::make_tuple(verdict.figure, verdict.tolerance, verdict.holds, verdict.open,
                                   self.reason(method, which));
           })
      .def("values", [](const Audit& self, size_t method) { return copied(self.values(method)); })
      .def("sentences", &Audit::sentences)
      .def_prop_ro("left_out", [](const Audit& self) { return listed(self.left_out()); })
      .def_prop_ro("possible", &Audit::possible)
      .def_prop_ro("distance", &Audit::distance)
      .def_prop_ro("possible_without_negative_shares", &Audit::possible_without_negative_shares)
      .def_prop_ro("notes", &Audit::notes)
      .def("json", freely(&Audit::json))
      .def("record_json", freely(&Audit::record_json));
}

void bind_comparison(nb::module_& module) {
  using ascribe::Comparison;
  nb::class_<Comparison>(module, "Comparison")
      .def_prop_ro("players", &Comparison::players)
      .def_prop_ro("first", [](const Comparison& self) { return copied(self.first()); })
      .def_prop_ro("second", [](const Comparison& self) { return copied(self.second()); })
      .def_prop_ro("difference", &Comparison::difference)
      .def_prop_ro("cosine", &Comparison::cosine)
      .def_prop_ro("same", &Comparison::same)
      .def_prop_ro("sentence", &Comparison::sentence)
      .def_prop_ro("notes", &Comparison::notes)
      .def("json", freely(&Comparison::json), nb::arg("sets") = 5)
      .def("record_json", freely(&Comparison::record_json));
}

void bind_compiled(nb::module_& module) {
  using ascribe::Compiled;
  nb::class_<Compiled>(module, "Compiled")
      .def_prop_ro("bytes", [](const Compiled& self) { return nb::bytes(self.bytes().data(), self.bytes().size()); })
      .def("write", freely(&Compiled::write), nb::arg("path"), nb::arg("force") = false)
      .def_prop_ro("notes", &Compiled::notes)
      .def("json", freely(&Compiled::json))
      .def("record_json", freely(&Compiled::record_json));
}

void bind_report(nb::module_& module) {
  using ascribe::Report;
  nb::class_<Report>(module, "Report")
      .def_prop_ro("html", freely(&Report::html))
      .def("json", freely(&Report::json))
      .def("record_json", freely(&Report::record_json))
      .def(
          "write",
          [](const Report& self, const std::string& page, bool force) {
            const ascribe::Progress watching = watched_by(shared(nb::none()));
            run([&] {
              self.write(page, force, watching);
              return true;
            });
          },
          nb::arg("page"), nb::arg("force") = false)
      .def_static("check", &Report::check, nb::arg("page"))
      .def_prop_ro("notes", &Report::notes);
}

}  // namespace

void bind_results(nb::module_& module) {
  bind_prediction(module);
  bind_explanation(module);
  bind_decomposition(module);
  bind_audit(module);
  bind_comparison(module);
  bind_compiled(module);
  bind_report(module);
}

}  // namespace ascribe_python
