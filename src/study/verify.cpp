#include "study/verify.h"

#include <algorithm>
#include <cmath>

#include <fmt/ranges.h>

#include "passes/smooth_kinks.h"
#include "study/asked.h"
#include "study/bundled.h"
#include "tensor/rows.h"
#include "theory/full_rank_polynomial.h"

namespace ascribe::core::study {

namespace {

constexpr int64_t kFewInputs = 2;  // of the bundled ones, where all coalitions are evaluated
constexpr int64_t kSide = 28;      // of the bundled images
constexpr int64_t kNeurons = 32;   // of each layer
constexpr int64_t kNeuronTerms = 1500;
constexpr double kSmallEpsilon = 1e-9;
const std::vector<int> kNeuronOrders = {2, 4, 8, 16, 32};  // one neuron is cheap

// A model in double and questions about some rows.
struct Asked {
  ExplainedModel& model;
  std::vector<Question> questions;
  std::vector<std::string> notes;
};

Asked ask_some(const Subject& subject, const VerifyRequest& request, bool bundled) {
  std::vector<std::string> notes = subject.model().notes();
  QuestionMaker maker(subject, request.question, request.run.seed, notes, DType::f64);
  maker.read_rows();
  maker.take_baselines();
  maker.take_targets();
  const auto& rows = maker.questions();
  const auto count = std::min(std::ssize(rows), request.inputs);
  if (count < std::ssize(rows) && !bundled) {
    notes.push_back(fmt::format("{} of {} inputs are used; `inputs` asks for more", count, rows.size()));
  }
  return {
      subject.explained(request.question.options(rows[0], DType::f64)), {rows.begin(), rows.begin() + count}, notes};
}

VerifiedModel verify_model(const Subject& given, const VerifyRequest& request, bool bundled, Running& running) {
  const Subject subject = asked(given, request.question, running);
  Asked asked = ask_some(subject, request, bundled);
  VerifiedModel verified{
      subject.name(), asked.questions[0].players.description, std::ssize(asked.questions), std::move(asked.notes), {}};
  const auto add = [&](const std::vector<std::string>& notes) {
    verified.notes.insert(verified.notes.end(), notes.begin(), notes.end());
  };
  add(asked.model.notes());
  verified.result = verify_methods(asked.model, asked.questions, request.verification,
                                   running.progress_of(fmt::format("{}, {}", verified.model, verified.players)));
  add(verified.result.notes);
  running.note(verified.notes);
  return verified;
}

Subject bundled_subject(const VerifyRequest& request, const std::string& name) {
  return Subject::open({.path = bundled_file(name), .precision = DType::f64, .memory = request.memory});
}

// The polynomials and the sigmoid network, pixel by pixel; and with so few players that everything is exact.
void verify_bundled(VerifyResult& result, const VerifyRequest& request, Running& running) {
  const Subject full_rank = Subject::of(
      Model::of(full_rank_polynomial(kSide, request.run.seed), {.precision = DType::f64, .memory = request.memory}),
      "full-rank polynomial");
  for (const Subject& subject :
       {bundled_subject(request, "polynomial.onnx"), full_rank, bundled_subject(request, "sigmoid_mlp.onnx")}) {
    result.models.push_back(verify_model(subject, request, true, running));
    if (request.question.chose_players()) continue;
    VerifyRequest few = request;
    few.question.players = "grid:3x3";
    few.inputs = std::min(request.inputs, kFewInputs);
    result.models.push_back(verify_model(subject, few, true, running));
  }
}

// Neurons whose effects end, and those of the bundled sigmoid networks; the bundled ReLU networks.
void verify_parts(VerifyResult& result, const VerifyRequest& request) {
  const auto add = [&](const Neurons& neurons, const std::vector<int>& orders) {
    for (ModuleError& error : verify_modules(neurons, orders, kNeuronTerms)) result.modules.push_back(std::move(error));
  };
  for (const int power : {2, 3, 4, 5}) add(random_polynomial_neurons(power, 6, kNeurons, request.run.seed), {power});
  for (const char* name : {"sigmoid_cnn.onnx", "sigmoid_mlp.onnx"}) {
    const Subject subject = bundled_subject(request, name);
    std::vector<Tensor> rows;
    for (const Question& question : ask_some(subject, request, true).questions) rows.push_back(question.point[0]);
    for (Neurons& neurons : sigmoid_neurons(subject.model().graph(), stacked_rows(rows), kNeurons)) {
      neurons.name = fmt::format("{} {}", name, neurons.name);
      add(neurons, kNeuronOrders);
    }
  }
  for (const char* name : {"relu_vgg.onnx", "resnet.onnx"}) {
    const Subject subject = bundled_subject(request, name);
    Asked asked = ask_some(subject, request, true);
    const Mean error = epsilon_against_gradient(asked.model, asked.questions, kSmallEpsilon);
    result.epsilon.push_back({name, kSmallEpsilon, error});
  }
}

// ---- with kinks smoothed ----

std::vector<double> outputs_of(ExplainedModel& model, std::span<const Question> questions) {
  std::vector<double> outputs;
  for (const Question& question : questions) {
    outputs.push_back(model.values(question.point, std::array{question.target})[0]);
  }
  return outputs;
}

double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0, size = 0;
  for (size_t i = 0; i < a.size(); ++i) difference += std::abs(a[i] - b[i]), size += std::abs(b[i]);
  return difference == 0 ? 0 : difference / size;
}

void verify_smoothed(VerifyResult& result, const Subject& subject, const VerifyRequest& request, bool bundled,
                     Running& running) {
  Asked asked = ask_some(subject, request, bundled);
  const std::vector<double> outputs = outputs_of(asked.model, asked.questions);
  for (const double temperature : request.smooth) {
    Smoothed smoothed = smooth_kinks(subject.model().graph(), temperature);
    if (smoothed.replaced == 0) fail(ErrorKind::argument, "smooth", "the model has no kinks that could be smoothed");
    std::vector<std::string> notes = result.smoothed.empty() ? asked.notes : std::vector<std::string>();
    if (!smoothed.left.empty() && result.smoothed.empty()) {
      notes.push_back(fmt::format("not smoothed: {}", fmt::join(smoothed.left, ", ")));
    }
    ExplainedModel model(subject.model().variant(std::move(smoothed.graph)), asked.model.options());
    SmoothedModel one{temperature,
                      relative_difference(outputs_of(model, asked.questions), outputs),
                      {subject.name(), asked.questions[0].players.description, std::ssize(asked.questions), {}, {}}};
    one.verified.result = verify_methods(model, asked.questions, request.verification,
                                         running.progress_of(fmt::format("{}, T = {:g}", subject.name(), temperature)));
    if (result.smoothed.empty()) {
      notes.insert(notes.end(), one.verified.result.notes.begin(), one.verified.result.notes.end());
    }
    running.note(notes);
    one.verified.notes = std::move(notes);
    result.smoothed.push_back(std::move(one));
  }
}

VerifyRequest with_seed(const VerifyRequest& request) {
  VerifyRequest seeded = request;
  seeded.verification.seed = request.run.seed;
  return seeded;
}

// ---- as JSON ----

Json mean_json(const Mean& mean, int64_t inside) { return inside > 0 ? Json(mean.mean) : Json(); }
Json error_json(const Mean& mean, int64_t inside) { return inside > 0 ? Json(mean.standard_error) : Json(); }

// {method?, model, players, sigma}: what a line is about.
Json heading(const VerifiedModel& verified, const SigmaResult& of_sigma, const std::string& method = {}) {
  Json json = Json::object();
  if (!method.empty()) json["method"] = method;
  json["model"] = verified.model;
  json["players"] = verified.players;
  json["sigma"] = of_sigma.sigma;
  return json;
}

void add_errors(Json& list, const VerifiedModel& verified, const SigmaResult& of_sigma) {
  for (const FittingError& error : of_sigma.methods) {
    for (const OrderError& order : error.orders) {
      Json one = heading(verified, of_sigma, error.method);
      one.update(Json::object({{"order", order.order},
                               {"error", mean_json(order.inside, error.inside)},
                               {"standard_error", error_json(order.inside, error.inside)},
                               {"inputs", error.inputs},
                               {"inside", error.inside},
                               {"error_of_all", order.all.mean}}));
      list.push(std::move(one));
    }
  }
}

void add_checks(Json& list, const VerifiedModel& verified, const SigmaResult& of_sigma) {
  for (const FittingError& error : of_sigma.methods) {
    if (error.listed_order == 0) continue;
    Json one = heading(verified, of_sigma, error.method);
    one["listed_order"] = error.listed_order;
    one["listed_difference"] = error.listed_difference;
    if (error.dividends) one["dividend_error"] = *error.dividends;
    list.push(std::move(one));
  }
}

void add_series(Json& list, const VerifiedModel& verified, const SigmaResult& of_sigma) {
  Json one = heading(verified, of_sigma), inputs = Json::list();
  for (size_t i = 0; i < of_sigma.inputs.size(); ++i) {
    const InputSeries &first = of_sigma.inputs[i], &worst = of_sigma.all_baselines[i];
    inputs.push(Json::object({{"series", to_string(first.series)},
                              {"radius", first.radius},
                              {"series_of_all_draws", to_string(worst.series)},
                              {"radius_of_all_draws", worst.radius}}));
  }
  one["inputs"] = std::move(inputs);
  list.push(std::move(one));
}

void add_parameters(Json& list, const VerifiedModel& verified) {
  for (const auto& [method, given] : verified.result.parameters) {
    if (given.empty()) continue;
    list.push(Json::object(
        {{"model", verified.model}, {"players", verified.players}, {"method", method}, {"values", given}}));
  }
}

Json modules_json(const std::vector<ModuleError>& modules) {
  Json list = Json::list();
  for (const ModuleError& error : modules) {
    for (const OrderError& order : error.orders) {
      list.push(Json::object({{"method", error.method},
                              {"neurons", error.neurons},
                              {"fan_in", error.inputs},
                              {"order", order.order},
                              {"error", mean_json(order.inside, error.inside)},
                              {"standard_error", error_json(order.inside, error.inside)},
                              {"cases", error.cases},
                              {"inside", error.inside},
                              {"left_out", error.left_out},
                              {"listed_order", error.listed_order},
                              {"listed_difference", error.listed_difference}}));
    }
  }
  return list;
}

// {parameters, errors, series, checks} of models.
void add_models(Json& json, std::span<const VerifiedModel> models, Json& notes) {
  Json parameters = Json::list(), errors = Json::list(), series = Json::list(), checks = Json::list();
  for (const VerifiedModel& verified : models) {
    add_parameters(parameters, verified);
    for (const SigmaResult& of_sigma : verified.result.sigmas) {
      add_errors(errors, verified, of_sigma);
      add_series(series, verified, of_sigma);
      add_checks(checks, verified, of_sigma);
    }
    for (const std::string& note : verified.notes) notes.push(note);
  }
  json["parameters"] = std::move(parameters);
  json["errors"] = std::move(errors);
  json["series"] = std::move(series);
  json["checks"] = std::move(checks);
}

Json smoothed_json(const std::vector<SmoothedModel>& models, Json& notes) {
  Json list = Json::list();
  for (const SmoothedModel& one : models) {
    Json json = Json::object({{"temperature", one.temperature}, {"output_difference", one.output_difference}});
    add_models(json, std::span(&one.verified, 1), notes);
    list.push(std::move(json));
  }
  return list;
}

Json epsilon_json(const std::vector<EpsilonError>& errors) {
  Json list = Json::list();
  for (const EpsilonError& error : errors) {
    list.push(Json::object({{"method", "lrp_epsilon"},
                            {"model", error.model},
                            {"epsilon", error.epsilon},
                            {"error", error.error.mean},
                            {"standard_error", error.error.standard_error},
                            {"inputs", error.error.count}}));
  }
  return list;
}

}  // namespace

VerifyResult verify(const VerifyRequest& given) {
  VerifyRequest request = with_seed(given);
  Running running(given.run);
  VerifyResult result{request.run.seed, request.verification.draws, {}, {}, {}, {}};
  if (!request.smooth.empty()) {
    if (request.question.rows.empty()) request.question.rows.files = {bundled_file("tabular_sample.csv")};
    verify_smoothed(result, bundled_subject(request, "tabular_mlp.onnx"), request, true, running);
    return result;
  }
  if (request.question.rows.empty()) request.question.rows.files = bundled_images();
  verify_bundled(result, request, running);
  // Layer-wise methods have no choice of their own: a choice of others leaves them out.
  if (request.verification.methods.empty()) verify_parts(result, request);
  return result;
}

VerifyResult verify(const Subject& subject, const VerifyRequest& given) {
  const VerifyRequest request = with_seed(given);
  if (request.question.rows.empty()) {
    fail(ErrorKind::argument, "input", "a model of your own needs inputs of its own");
  }
  Running running(given.run);
  VerifyResult result{request.run.seed, request.verification.draws, {}, {}, {}, {}};
  if (request.smooth.empty()) result.models.push_back(verify_model(subject, request, false, running));
  else verify_smoothed(result, subject, request, false, running);
  return result;
}

Json to_json(const VerifyResult& result) {
  Json json = Json::object({{"seed", result.seed}, {"draws", result.draws}});
  Json notes = Json::list();
  if (result.smoothed.empty()) {
    add_models(json, result.models, notes);
    json["modules"] = modules_json(result.modules);
    json["relu"] = epsilon_json(result.epsilon);
  } else {
    json["smoothed"] = smoothed_json(result.smoothed, notes);
  }
  json["notes"] = std::move(notes);
  return json;
}

}  // namespace ascribe::core::study
