#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "api/recorded.h"
#include "base/file.h"
#include "report/decomposition_files.h"
#include "report/explanation_files.h"
#include "study/audit_words.h"

namespace ascribe {

namespace {

namespace study = core::study;

int64_t target_of(const study::RowQuestion& question) { return question.readout ? -1 : question.target; }

std::vector<Effect> seen(const std::vector<core::Effect>& effects) {
  std::vector<Effect> list;
  for (const core::Effect& effect : effects) list.push_back({effect.support, effect.value});
  return list;
}

template <class List>
const auto& at(const List& list, size_t index, const char* what) {
  return translated([&]() -> const auto& {
    if (index >= list.size()) {
      core::fail(core::ErrorKind::argument, what, "there is no number {}; expected less than {}", index, list.size());
    }
    return list[index];
  });
}

}  // namespace

// ---- predictions ----

int64_t Prediction::rows() const { return std::ssize(state_->result.sources); }
const std::string& Prediction::row_name(int64_t row) const {
  return at(state_->result.sources, static_cast<size_t>(row), "row");
}
std::size_t Prediction::outputs() const { return state_->result.predictions.size(); }
const std::string& Prediction::output_name(std::size_t output) const {
  return at(state_->result.predictions, output, "output").name;
}
Array Prediction::values(std::size_t output) const {
  return seen(at(state_->result.predictions, output, "output").values);
}
std::vector<TopClass> Prediction::top(int64_t row, int64_t count, std::size_t output) const {
  const study::Prediction& one = at(state_->result.predictions, output, "output");
  row_name(row);
  std::vector<TopClass> list;
  if (one.scores == study::ScoreKind::values) return list;
  for (const study::Ranked& ranked : ranking(one, row, count)) {
    const auto& labels = state_->result.labels;
    list.push_back({ranked.index, labels.empty() ? "" : labels[static_cast<size_t>(ranked.index)], ranked.score,
                    ranked.probability});
  }
  return list;
}
const std::vector<std::string>& Prediction::notes() const { return state_->result.notes; }
std::string Prediction::json(int64_t top) const { return to_json(state_->result, top).dump(); }
std::string Prediction::record_json() const { return state_->record; }

// ---- attributions ----

namespace {

const core::Attribution& of(const Attribution::State& state, size_t method, size_t row) {
  return state.result.methods[method].attributions[row];
}

}  // namespace

const std::string& Attribution::method() const { return state_->result.methods[method_].name(); }
const std::string& Attribution::row_name() const { return state_->result.rows[row_].source; }
const std::string& Attribution::label() const { return state_->result.rows[row_].label; }
const std::string& Attribution::about() const { return state_->result.rows[row_].about; }
const std::string& Attribution::output_name() const { return state_->result.rows[row_].output; }
const std::string& Attribution::explains() const { return state_->result.rows[row_].explains; }
bool Attribution::contribution() const { return state_->result.methods[method_].shares(); }
double Attribution::explained() const { return state_->result.methods[method_].explained(row_); }
Array Attribution::x() const {
  const study::RowQuestion& question = state_->result.rows[row_];
  return seen(question.x().reshaped(question.row));  // a view of numbers that the result keeps
}
Array Attribution::baselines() const { return seen(state_->result.rows[row_].baselines); }
const std::vector<int32_t>& Attribution::owners() const { return state_->result.rows[row_].players.owner; }
std::vector<int64_t> Attribution::token_ids() const {
  const auto& tokens = state_->result.rows[row_].tokens;
  return tokens ? tokens->ids : std::vector<int64_t>();
}
const std::vector<std::string>& Attribution::players() const { return state_->result.rows[row_].players.names; }
const std::vector<double>& Attribution::values() const { return of(*state_, method_, row_).values; }
Array Attribution::elements() const { return seen(of(*state_, method_, row_).elements); }
const std::vector<double>& Attribution::standard_errors() const { return of(*state_, method_, row_).standard_errors; }
std::vector<double> Attribution::intervals() const { return of(*state_, method_, row_).intervals(); }
int64_t Attribution::target() const { return target_of(state_->result.rows[row_]); }
double Attribution::output() const { return of(*state_, method_, row_).output; }
double Attribution::baseline_output() const { return of(*state_, method_, row_).baseline_output; }
double Attribution::residual() const { return of(*state_, method_, row_).residual; }
bool Attribution::exact() const { return of(*state_, method_, row_).exact; }
int64_t Attribution::evaluations() const { return of(*state_, method_, row_).evaluations; }
const std::vector<std::string>& Attribution::notes() const { return of(*state_, method_, row_).notes; }
std::string Attribution::parameters_json() const {
  return core::Json(state_->result.methods[method_].chosen.parameters.all()).dump();
}
double Attribution::sum() const { return of(*state_, method_, row_).sum(); }
std::vector<std::size_t> Attribution::strongest(std::size_t count) const { return study::strongest(values(), count); }

std::size_t Explanation::rows() const { return state_->result.rows.size(); }
std::size_t Explanation::methods() const { return state_->result.methods.size(); }
const std::string& Explanation::method_name(std::size_t method) const {
  return at(state_->result.methods, method, "method").name();
}
double Explanation::seconds(std::size_t method) const { return at(state_->result.methods, method, "method").seconds; }

Attribution Explanation::attribution(std::size_t method, std::size_t row) const {
  at(state_->result.methods, method, "method");
  at(state_->result.rows, row, "row");
  return {state_, method, row};
}

Attribution Explanation::attribution(const std::string& method, std::size_t row) const {
  const auto& methods = state_->result.methods;
  const auto found =
      std::find_if(methods.begin(), methods.end(), [&](const auto& one) { return one.name() == method; });
  return attribution(static_cast<std::size_t>(found - methods.begin()), row);
}

std::vector<LeftOut> Explanation::left_out() const { return ascribe::seen(state_->result.left_out); }
bool Explanation::stopped() const { return state_->result.stopped; }
const std::vector<std::string>& Explanation::notes() const { return state_->result.notes; }
std::string Explanation::json() const { return to_json(state_->result).dump(); }
std::string Explanation::record_json() const { return state_->record; }
void Explanation::save(const std::string& folder, bool force) const {
  translated([&] {
    write_folder(folder, with_record(core::explanation_files(state_->result, to_json(state_->result)), state_->record),
                 force);
  });
}

// ---- decompositions ----

namespace {

// Of the index that was asked for beside estimated effects; null: none was.
const core::SparseIndex* derived_index(const study::DecomposeResult& result) {
  return result.sparse && result.index != nullptr ? result.sparse->index(result.index->name) : nullptr;
}

}  // namespace

const std::vector<std::string>& Decomposition::players() const { return state_->result.question.players.names; }
int64_t Decomposition::target() const { return target_of(state_->result.question); }
double Decomposition::output() const { return state_->result.summary.output; }
double Decomposition::baseline_output() const { return state_->result.summary.baseline_output; }
double Decomposition::remainder() const { return state_->result.summary.remainder; }
const std::vector<double>& Decomposition::dividends() const {
  static const std::vector<double> none;
  return state_->result.exact ? state_->result.exact->values : none;
}
std::vector<Effect> Decomposition::strongest() const { return seen(state_->result.summary.strongest); }
bool Decomposition::estimated() const { return state_->result.sparse.has_value(); }
std::vector<double> Decomposition::strongest_errors() const {
  std::vector<double> errors;
  if (!state_->result.sparse) return errors;
  const core::study::EstimatedEffects& found = *state_->result.sparse;
  const std::vector<double> all = found.standard_errors();
  for (const size_t i : found.by_magnitude()) {
    if (errors.size() == state_->result.summary.strongest.size()) break;
    errors.push_back(all[i]);
  }
  return errors;
}
std::vector<VerifiedEffect> Decomposition::verified() const {
  std::vector<VerifiedEffect> list;
  if (!state_->result.sparse) return list;
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  const study::EstimatedEffects& found = *state_->result.sparse;
  for (const size_t i : found.by_magnitude()) {
    if (list.size() == state_->result.summary.strongest.size()) break;
    const core::Effect& effect = found.estimate.effects.effects[i];
    const double width = found.alone_interval(i);
    const bool known = std::isfinite(width);
    const auto& company = found.verified.in_company[i];
    list.push_back({effect.support, effect.value, known ? found.alone(i) : kUnknown, known ? width : kUnknown,
                    company ? company->value : kUnknown, company ? found.company_interval(i) : kUnknown});
  }
  return list;
}
std::vector<Effect> Decomposition::beside_the_fit() const {
  return state_->result.sparse ? seen(state_->result.sparse->verified.beside) : std::vector<Effect>{};
}
double Decomposition::held_out_r2() const {
  const bool known = state_->result.sparse && state_->result.sparse->estimate.held_out.defined;
  return known ? state_->result.sparse->estimate.held_out.r2 : std::numeric_limits<double>::quiet_NaN();
}
std::vector<Effect> Decomposition::index_values() const {
  if (const core::SparseIndex* index = derived_index(state_->result)) return seen(index->effects.effects);
  if (state_->result.estimate) return seen(state_->result.estimate->effects.effects);
  return state_->result.index_values ? seen(state_->result.index_values->effects) : std::vector<Effect>();
}
std::vector<double> Decomposition::index_errors() const {
  if (const core::SparseIndex* index = derived_index(state_->result)) return index->standard_errors;
  return state_->result.estimate ? state_->result.estimate->standard_errors : std::vector<double>();
}
namespace {

std::vector<Effect> and_or_seen(const std::optional<core::AndOr>& split, bool disjunction) {
  std::vector<Effect> list;
  if (!split) return list;
  for (const core::AndOrEffect& effect : strongest(*split, std::numeric_limits<int64_t>::max())) {
    if (effect.disjunction == disjunction) list.push_back({effect.support, effect.value});
  }
  return list;
}

}  // namespace

std::vector<Effect> Decomposition::and_effects() const { return and_or_seen(state_->result.and_or, false); }
std::vector<Effect> Decomposition::or_effects() const { return and_or_seen(state_->result.and_or, true); }
double Decomposition::strength() const { return state_->result.and_or ? state_->result.and_or->strength : 0; }
double Decomposition::least_strength() const { return state_->result.and_or ? state_->result.and_or->bound : 0; }
double Decomposition::strength_of_and() const { return state_->result.and_or ? state_->result.and_or->and_alone : 0; }
int64_t Decomposition::evaluations() const { return state_->result.summary.evaluations; }
const std::vector<std::string>& Decomposition::notes() const { return state_->result.notes; }
std::string Decomposition::json() const { return to_json(state_->result).dump(); }
std::string Decomposition::record_json() const { return state_->record; }
void Decomposition::save(const std::string& folder, bool force) const {
  translated([&] {
    write_folder(
        folder, with_record(core::decomposition_files(state_->result, to_json(state_->result)), state_->record), force);
  });
}

// ---- audits ----

std::size_t Audit::methods() const { return state_->result.methods.size(); }
const std::string& Audit::method_name(std::size_t method) const {
  return at(state_->result.methods, method, "method").chosen.method.name;
}
static const core::Verdict& verdict_of(const core::study::AuditResult& result, std::size_t method,
                                       Principle principle) {
  return at(result.methods, method, "method").audit.verdicts[core::kPrinciples[static_cast<size_t>(principle)]];
}
Verdict Audit::verdict(std::size_t method, Principle principle) const {
  const core::Verdict& verdict = verdict_of(state_->result, method, principle);
  return {verdict.figure, verdict.tolerance, verdict.holds == true, !verdict.holds};
}
const std::string& Audit::reason(std::size_t method, Principle principle) const {
  return verdict_of(state_->result, method, principle).reason;
}
int Audit::held(std::size_t method) const { return at(state_->result.methods, method, "method").audit.verdicts.held(); }
int Audit::left_open(std::size_t method) const {
  return at(state_->result.methods, method, "method").audit.verdicts.open();
}
const std::vector<double>& Audit::values(std::size_t method) const { return at(state_->values, method, "method"); }
const std::vector<std::string>& Audit::sentences(std::size_t method) const {
  return at(state_->result.methods, method, "method").sentences;
}
std::vector<LeftOut> Audit::left_out() const { return ascribe::seen(state_->result.left_out); }
bool Audit::possible() const { return state_->result.numbers && state_->result.numbers->possible(); }
double Audit::distance() const { return state_->result.numbers ? state_->result.numbers->balanced.distance : 0; }
bool Audit::possible_without_negative_shares() const {
  return state_->result.numbers && state_->result.numbers->possible_without_negative_shares();
}
const std::vector<std::string>& Audit::notes() const { return state_->result.notes; }
std::string Audit::json() const { return to_json(state_->result).dump(); }
std::string Audit::record_json() const { return state_->record; }

// ---- comparisons ----

const std::vector<std::string>& Comparison::players() const { return state_->result.question.players.names; }
const std::vector<double>& Comparison::first() const { return state_->result.comparison.first; }
const std::vector<double>& Comparison::second() const { return state_->result.comparison.second; }
double Comparison::difference() const { return state_->result.comparison.difference; }
double Comparison::cosine() const { return state_->result.comparison.correlation; }
bool Comparison::same() const { return state_->result.same(); }
std::string Comparison::sentence() const {
  return study::difference_sentence(state_->result.comparison, state_->result.question.players);
}
const std::vector<std::string>& Comparison::notes() const { return state_->result.notes; }
std::string Comparison::json(int64_t sets) const { return to_json(state_->result, sets).dump(); }
std::string Comparison::record_json() const { return state_->record; }

// ---- compiled explanations ----

const std::string& Compiled::bytes() const { return state_->result.bytes; }
void Compiled::write(const std::string& path, bool force) const {
  translated([&] {
    const std::string beside = study::record_beside(path);
    const bool has_record = !state_->record.empty();
    if (has_record && !force && std::filesystem::exists(beside)) {  // before anything is written
      core::fail(core::ErrorKind::io, beside, "there is such a file; it is replaced only by force");
    }
    core::write_file(path, state_->result.bytes, force);
    if (has_record) core::write_file(beside, study::record_file(state_->record), force);
  });
}
const std::vector<std::string>& Compiled::notes() const { return state_->result.notes; }
std::string Compiled::json() const { return to_json(state_->result, "").dump(); }
std::string Compiled::record_json() const { return state_->record; }

}  // namespace ascribe
