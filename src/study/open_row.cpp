#include "study/open_row.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "base/finite.h"
#include "passes/choices.h"
#include "study/affordable.h"
#include "study/asked.h"
#include "study/report_sections.h"

namespace ascribe::core::study {

namespace {

double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<ChosenMethod> every_method(const std::vector<std::string>& settings) {
  const std::vector<std::string> names = method_names();
  return choose_methods({names.begin(), names.end()}, settings);
}

const Prediction& explained_of(const std::vector<Prediction>& predictions, const std::string& output) {
  return *std::find_if(predictions.begin(), predictions.end(),
                       [&](const Prediction& one) { return one.name == output; });
}

// The mean of what the model says over several baselines, as that of one.
void add_to(Prediction& sum, const Prediction& one, double weight) {
  Tensor values = sum.values.cast(DType::f64);
  const auto out = values.mutable_data<double>();
  for (size_t i = 0; i < out.size(); ++i) out[i] += weight * one.values.at(static_cast<int64_t>(i));
  sum.values = std::move(values);
}

}  // namespace

OpenRow::OpenRow(const Subject& given, QuestionRequest request, const std::vector<std::string>& settings,
                 std::optional<double> seconds, const Run& run)
    : subject_(given), request_(std::move(request)), methods_(every_method(settings)), seconds_(seconds) {
  Running running(run);
  std::vector<std::string> notes;
  subject_ = asked(given, request_, notes);
  QuestionMaker maker(subject_, request_, running.seed(), notes);
  maker.read_rows();
  if (maker.questions().size() != 1) {
    fail(ErrorKind::argument, "row", "got {} rows; expected one", maker.questions().size());
  }
  if (!request_.chose_players()) choose_usual_players(maker.questions(), row_work(subject_.model()), notes);
  maker.take_baselines();
  maker.take_targets();
  labels_ = maker.labels();
  explained_.model = subject_.path();
  explained_.rows = std::move(maker.questions());
  model_ = &subject_.explained(request_.options(question()));
  explained_.values = {{model_->values(question().point, std::array{question().target}, running.progress())[0],
                        model_->baseline_output(question(), running.progress())}};
  predictions_ = predict(question().point, running.progress());
  explained_.notes = std::move(notes);
  kind_ = row().kind;
}

std::vector<Prediction> OpenRow::predict(std::span<const Tensor> point, const Progress& progress) const {
  return predictions_of(subject_.model(), point, {question().source}, progress, std::ssize(labels_),
                        &subject_.outer().graph());
}

const Prediction& OpenRow::prediction() const { return explained_of(predictions_, question().output); }

document::Row OpenRow::row() const {
  ExplainResult bare;
  bare.rows = explained_.rows;
  bare.values = explained_.values;
  return explained_row(bare, 0, predictions_, labels_);
}

// ---- places ----

int64_t OpenRow::places() const {
  if (kind_ == document::RowKind::image) return question().players.image->height * question().players.image->width;
  if (kind_ == document::RowKind::text) return std::ssize(question().tokens->ids);
  return element_count(question().row);
}

std::vector<int64_t> OpenRow::elements_of(int64_t place) const {
  const Players& players = question().players;
  std::vector<int64_t> elements;
  if (kind_ == document::RowKind::image) {
    const ImageShape& image = *players.image;
    for (int64_t c = 0; c < image.channels; ++c) {
      elements.push_back(element_of(image, c, place / image.width, place % image.width));
    }
  } else if (kind_ == document::RowKind::series) {
    const ImageShape& series = *players.series;
    elements.push_back(element_of(series, place / series.width, 0, place % series.width));
  } else if (kind_ == document::RowKind::text) {
    const int64_t each = element_count(question().row) / places();
    for (int64_t i = 0; i < each; ++i) elements.push_back(place * each + i);
  } else {
    elements.push_back(place);
  }
  return elements;
}

std::vector<PlaceFacts> OpenRow::place_facts() const {
  const RowQuestion& asked = question();
  if (kind_ == document::RowKind::image || kind_ == document::RowKind::text) return {};
  std::vector<int64_t> owned(asked.players.names.size(), 0);
  for (const int32_t owner : asked.players.owner) {
    if (owner >= 0) ++owned[static_cast<size_t>(owner)];
  }
  const int64_t size = element_count(asked.row);
  std::vector<PlaceFacts> facts;
  for (int64_t place = 0; place < places(); ++place) {
    const int64_t element = elements_of(place)[0];
    const int32_t owner = asked.players.owner[static_cast<size_t>(element)];
    PlaceFacts& one = facts.emplace_back();
    const bool own = owner >= 0 && owned[static_cast<size_t>(owner)] == 1;
    one.name = own ? asked.players.names[static_cast<size_t>(owner)] : fmt::format("number {}", element);
    one.value = asked.x().at(element);
    for (int64_t k = 0; k < asked.baseline_count(); ++k) {
      one.baseline += asked.baselines.at(k * size + element) / static_cast<double>(asked.baseline_count());
    }
    if (owner < 0) one.baseline = one.value;  // nobody's, so it stays
    for (const RowPart& part : asked.parts) {
      if (element < part.first || element >= part.first + std::ssize(part.texts)) continue;
      one.categories = part.texts[static_cast<size_t>(element - part.first)].categories;
    }
  }
  return facts;
}

std::optional<Image> OpenRow::baseline_picture() const {
  const RowQuestion& asked = question();
  if (kind_ != document::RowKind::image || !asked.picture->preprocess) return std::nullopt;
  const Tensor all = changed_input({std::vector<bool>(static_cast<size_t>(places()), true), {}}, 0);
  return document::picture(picture_of(all, *asked.players.image, asked.picture->preprocess));
}

// ---- another row ----

void OpenRow::check(const RowChange& change) const {
  if (!change.masked.empty() && std::ssize(change.masked) != places()) {
    fail(ErrorKind::argument, "masked", "got {} places; expected {}", change.masked.size(), places());
  }
  for (const auto& [place, value] : change.replaced) {
    if (place < 0 || place >= places()) {
      fail(ErrorKind::argument, "replaced", "got place {}; expected one of 0 to {}", place, places() - 1);
    }
    if (elements_of(place).size() != 1) {
      fail(ErrorKind::argument, "replaced", "got place {}, which is {} numbers; expected one that is a single number",
           place, elements_of(place).size());
    }
    if (!std::isfinite(value))
      fail(ErrorKind::argument, "replaced", "got {}; expected a finite number", number_in_words(value));
  }
}

Tensor OpenRow::changed_input(const RowChange& change, int64_t baseline) const {
  const RowQuestion& asked = question();
  Tensor values = asked.x().cast(DType::f64);
  const auto out = values.mutable_data<double>();
  const int64_t size = element_count(asked.row);
  for (const auto& [place, value] : change.replaced) out[static_cast<size_t>(elements_of(place)[0])] = value;
  for (int64_t place = 0; place < std::ssize(change.masked); ++place) {
    if (!change.masked[static_cast<size_t>(place)]) continue;
    for (const int64_t element : elements_of(place)) {
      if (asked.players.owner[static_cast<size_t>(element)] < 0) continue;
      out[static_cast<size_t>(element)] = asked.baselines.at(baseline * size + element);
    }
  }
  return values.cast(asked.x().dtype());
}

ChangedRow OpenRow::changed(const RowChange& change, const Run& run) {
  check(change);
  const Running running(run);
  const bool masks = std::find(change.masked.begin(), change.masked.end(), true) != change.masked.end();
  const int64_t baselines = masks ? question().baseline_count() : 1;
  const double weight = 1 / static_cast<double>(baselines);
  ChangedRow result;
  std::optional<Prediction> said;
  for (int64_t k = 0; k < baselines; ++k) {
    std::vector<Tensor> point = question().point;
    point[question().input] = changed_input(change, k);
    result.output += weight * model_->values(point, std::array{question().target}, running.progress())[0];
    Prediction one = explained_of(predict(point, running.progress()), question().output);
    if (baselines == 1) {
      said = std::move(one);
      break;
    }
    if (!said) {
      said = one;
      said->values = Tensor(DType::f64, one.values.shape());
    }
    add_to(*said, one, weight);
  }
  if (!std::isfinite(result.output))
    fail(ErrorKind::numeric, "output", "the model's output is {}", number_in_words(result.output));
  result.top = classes_put_first(*said, 0, labels_);
  return result;
}

// ---- methods ----

// Fewer samples or nodes where it would take longer than it may.
void OpenRow::afford(ChosenMethod& chosen, std::vector<std::string>& notes) {
  if (!seconds_) return;
  if (!pace_) pace_ = measured_pace(*model_, question(), clock_seconds);
  std::vector<ChosenMethod> one = {chosen};
  const Asking asking{question().players, question().baseline_count(), has_kinks(model_->graph())};
  std::vector<Dial> dials = dials_of(one, asking, *pace_, 1);
  for (const Lowered& lowered : lower_to(*seconds_, dials)) {
    notes.push_back(fmt::format("computed {}, to save time", lowered.words()));
  }
  chosen.parameters = one[0].parameters;
}

void OpenRow::compute(const std::string& name, Running& running) {
  const auto known = [&](const auto& one) { return one.name() == name; };
  if (std::any_of(explained_.methods.begin(), explained_.methods.end(), known)) return;
  for (const LeftOut& left : explained_.left_out) {
    if (left.method == name) return;
  }
  const auto found =
      std::find_if(methods_.begin(), methods_.end(), [&](const ChosenMethod& one) { return one.method.name == name; });
  if (found == methods_.end()) method_named(name);  // complains
  ChosenMethod chosen = *found;
  chosen.asked_for = false;  // a method that the model does not suit is told among those that are left out
  std::vector<std::string> notes;
  afford(chosen, notes);
  const std::array<Question, 1> questions = {question()};
  run_method(explained_, std::move(chosen), questions, *model_, false, running, running.progress_of(name));
  if (!explained_.methods.empty() && explained_.methods.back().name() == name) {
    std::vector<std::string>& own = explained_.methods.back().attributions[0].notes;
    own.insert(own.end(), notes.begin(), notes.end());
  }
}

document::Row OpenRow::explained(const std::vector<std::string>& methods, const Run& run) {
  Running running(run);
  ExplainResult asked;
  asked.rows = explained_.rows;
  asked.values = explained_.values;
  for (const std::string& name : methods) {
    compute(name, running);
    for (const MethodAnswer& answer : explained_.methods) {
      if (answer.name() == name) asked.methods.push_back(answer);
    }
    for (const LeftOut& left : explained_.left_out) {
      if (left.method == name) asked.left_out.push_back(left);
    }
  }
  return explained_row(asked, 0, predictions_, labels_);
}

}  // namespace ascribe::core::study
