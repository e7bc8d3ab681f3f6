// ascribe verify: every method as it runs, against its allocation rule applied to the effects up to an order
// (docs/howto/verify.md).
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/bundled.h"
#include "cli/commands.h"
#include "cli/question.h"
#include "cli/terminal.h"
#include "theory/module_verification.h"

namespace ascribe::core {

namespace {

constexpr int64_t kFewInputs = 2;  // of the bundled ones, where all coalitions are evaluated
constexpr int64_t kNeurons = 32;   // of each layer
constexpr int64_t kNeuronTerms = 1500;
constexpr double kSmallEpsilon = 1e-9;
const std::vector<int> kNeuronOrders = {2, 4, 8, 16, 32};  // one neuron is cheap

struct VerifyRequest {
  GeneralOptions general;
  ModelOptions model;
  InputOptions input;
  QuestionOptions question;
  VerificationOptions verification;
  int64_t inputs = 4;
  bool model_is_bundled = false;
};

// lrp_epsilon on one ReLU network.
struct EpsilonError {
  std::string model;
  double epsilon = 0;
  Mean error;
};

// What is verified on parts of networks: without a model of the user's own.
struct Parts {
  std::vector<ModuleError> modules;
  std::vector<EpsilonError> epsilon;
};

// One model with one partition into players.
struct Verified {
  std::string model;
  std::string players;
  int64_t inputs = 0;
  std::vector<std::string> notes;
  VerificationResult result;
};

std::vector<std::string> bundled_images() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(bundled_file("images"))) {
    if (entry.path().extension() == ".png") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Progress progress_of(const std::string& model, bool quiet) {
  Progress bar = progress_bar(quiet);
  if (!bar) return {};
  return [bar, model](std::string_view task, int64_t done, int64_t total) {
    bar(fmt::format("{}: {}", model, task), done, total);
  };
}

// A model in double and questions about some rows.
struct Loaded {
  Model model;
  std::vector<Question> questions;
  std::vector<std::string> notes;
};

Loaded load(const VerifyRequest& request) {
  Loaded loaded{load_model(request.model, request.general), {}, {}};
  loaded.notes = loaded.model.notes();
  QuestionMaker maker(loaded.model, request.question, request.input, request.general.seed, loaded.notes);
  maker.read_rows();
  maker.take_baselines();
  maker.take_targets();
  const auto& rows = maker.questions();
  const auto count = std::min(std::ssize(rows), request.inputs);
  if (count < std::ssize(rows) && !request.model_is_bundled) {
    loaded.notes.push_back(fmt::format("{} of {} inputs are used; --inputs asks for more", count, rows.size()));
  }
  loaded.questions.assign(rows.begin(), rows.begin() + count);
  return loaded;
}

ExplainedModel explained_model(const Loaded& loaded, const VerifyRequest& request) {
  return {loaded.model.graph(),
          {request.question.output,
           request.question.probability(),
           request.question.input,
           {DType::f64, parse_memory(request.general.memory), 0}}};
}

std::string file_name(const VerifyRequest& request) {
  return std::filesystem::path(request.model.path).filename().string();
}

Verified verify_model(const VerifyRequest& request) {
  Loaded loaded = load(request);
  ExplainedModel model = explained_model(loaded, request);
  Verified verified{file_name(request),
                    loaded.questions[0].players.description,
                    std::ssize(loaded.questions),
                    std::move(loaded.notes),
                    {}};
  verified.notes.insert(verified.notes.end(), model.notes().begin(), model.notes().end());
  const std::string title = fmt::format("{}, {}", verified.model, verified.players);
  verified.result =
      verify_methods(model, loaded.questions, request.verification, progress_of(title, request.general.quiet));
  verified.notes.insert(verified.notes.end(), verified.result.notes.begin(), verified.result.notes.end());
  return verified;
}

VerifyRequest bundled_request(const VerifyRequest& request, const std::string& model) {
  VerifyRequest one = request;
  one.model.path = bundled_file(model);
  one.model_is_bundled = true;
  if (one.input.paths.empty()) one.input.paths = bundled_images();
  return one;
}

// The bundled polynomial and sigmoid network, pixel by pixel; and with so few players that everything is exact.
std::vector<Verified> verify_bundled(const VerifyRequest& request) {
  std::vector<Verified> all;
  for (const char* name : {"polynomial.onnx", "sigmoid_mlp.onnx"}) {
    VerifyRequest one = bundled_request(request, name);
    all.push_back(verify_model(one));
    if (!request.question.players.empty()) continue;
    one.question.players = "grid:3x3";
    one.inputs = std::min(request.inputs, kFewInputs);
    all.push_back(verify_model(one));
  }
  return all;
}

// Neurons whose effects end, and those of the bundled sigmoid networks; the bundled ReLU networks.
Parts verify_parts(const VerifyRequest& request) {
  Parts parts;
  const auto add = [&](const Neurons& neurons, const std::vector<int>& orders) {
    for (ModuleError& error : verify_modules(neurons, orders, kNeuronTerms)) parts.modules.push_back(std::move(error));
  };
  for (const int power : {2, 3, 4, 5})
    add(random_polynomial_neurons(power, 6, kNeurons, request.general.seed), {power});
  for (const char* name : {"sigmoid_cnn.onnx", "sigmoid_mlp.onnx"}) {
    const Loaded loaded = load(bundled_request(request, name));
    std::vector<Tensor> rows;
    for (const Question& question : loaded.questions) rows.push_back(question.point[0].cast(DType::f64));
    for (Neurons& neurons : sigmoid_neurons(loaded.model.graph(), stacked_rows(rows), kNeurons)) {
      neurons.name = fmt::format("{} {}", name, neurons.name);
      add(neurons, kNeuronOrders);
    }
  }
  for (const char* name : {"relu_vgg.onnx", "resnet.onnx"}) {
    const VerifyRequest one = bundled_request(request, name);
    const Loaded loaded = load(one);
    ExplainedModel model = explained_model(loaded, one);
    parts.epsilon.push_back({name, kSmallEpsilon, epsilon_against_gradient(model, loaded.questions, kSmallEpsilon)});
  }
  return parts;
}

// ---- in words ----

std::string number(double value) {
  if (value == 0) return "0";
  return fmt::format("{:.1e}", value);
}

std::string cell(const FittingError& error, const OrderError& order) {
  if (error.inside == 0) return "diverges";
  std::string text = number(order.inside.mean);
  if (order.inside.count > 1) text += fmt::format(" +- {}", number(order.inside.standard_error));
  // Other inputs diverge: the mean is over fewer.
  return error.inside < error.inputs ? text + fmt::format(" ({})", error.inside) : text;
}

std::string series_text(const SigmaResult& of_sigma) {
  std::map<Series, int64_t> counts;
  double least = INFINITY;
  for (const InputSeries& input : of_sigma.inputs) {
    ++counts[input.series];
    least = std::min(least, input.radius);
  }
  const auto all = of_sigma.inputs.size();
  std::string text = fmt::format("the series converges for {} of {} inputs", counts[Series::converges], all);
  if (counts[Series::diverges] > 0) text += fmt::format(", diverges for {}", counts[Series::diverges]);
  if (counts[Series::kinked] > 0) text += fmt::format(", misses f(x) for {} because of kinks", counts[Series::kinked]);
  if (std::isinf(least)) return text + "; it ends, so every distance is inside";
  return text + fmt::format("; smallest radius about {:.2g} times the distance of x", least);
}

void print_errors(const SigmaResult& of_sigma) {
  std::vector<std::vector<std::string>> lines = {{"method"}};
  for (const OrderError& order : of_sigma.methods[0].orders) lines[0].push_back(fmt::format("K = {}", order.order));
  for (const FittingError& error : of_sigma.methods) {
    lines.push_back({error.method});
    for (const OrderError& order : error.orders) lines.back().push_back(cell(error, order));
  }
  print_columns(lines, 2);
}

void print_checks(const SigmaResult& of_sigma) {
  const int listed = of_sigma.methods[0].listed_order;
  if (listed == 0) return;
  std::vector<std::vector<std::string>> lines = {
      {"method", fmt::format("terms to order {}, one by one", listed), "dividends, no truncation"}};
  for (const FittingError& error : of_sigma.methods) {
    lines.push_back({error.method, number(error.listed_difference), error.dividends ? number(*error.dividends) : ""});
  }
  fmt::print("\n");
  print_columns(lines, 2);
}

void print_verified(const Verified& verified) {
  fmt::print("{}: {} inputs, {} players ({})\n", printable(verified.model), verified.inputs, verified.result.players,
             printable(verified.players));
  for (const SigmaResult& of_sigma : verified.result.sigmas) {
    fmt::print("\nsigma {:g}: {}\n", of_sigma.sigma, series_text(of_sigma));
    print_errors(of_sigma);
    print_checks(of_sigma);
  }
  fmt::print("\n");
}

std::string mean_text(const Mean& mean) {
  return mean.count == 0 ? "diverges" : fmt::format("{} +- {}", number(mean.mean), number(mean.standard_error));
}

// One table for all neurons that were expanded to the same orders.
void print_modules(const std::vector<ModuleError>& modules) {
  std::vector<std::vector<std::string>> lines;
  std::vector<int> orders;
  const auto finish = [&] {
    if (!lines.empty()) print_columns(lines, 2), fmt::print("\n");
    lines.clear();
  };
  for (const ModuleError& error : modules) {
    std::vector<int> own;
    for (const OrderError& order : error.orders) own.push_back(order.order);
    if (own.empty()) continue;
    if (own != orders && (own.size() > 1 || orders.size() != 1)) finish();
    if (lines.empty()) {
      lines.push_back({"neurons", "inputs", "method", "inside"});
      for (const int order : own) lines[0].push_back(own.size() == 1 ? "all orders" : fmt::format("K = {}", order));
    }
    orders = own;
    lines.push_back({error.neurons, std::to_string(error.inputs), error.method,
                     fmt::format("{} of {}", error.inside, error.cases)});
    for (const OrderError& order : error.orders) lines.back().push_back(mean_text(order.inside));
  }
  finish();
}

void print_parts(const Parts& parts) {
  fmt::print(
      "Layer-wise rules on single modules sigma(sum of w_i x_i + s); \"inside\" counts neurons whose series "
      "converges\n\n");
  print_modules(parts.modules);
  fmt::print("lrp_epsilon against x * gradient on ReLU networks, epsilon {:g}\n", kSmallEpsilon);
  for (const EpsilonError& error : parts.epsilon) {
    fmt::print("  {}  {} over {} inputs\n", error.model, mean_text(error.error), error.error.count);
  }
}

// ---- as JSON ----

nlohmann::ordered_json finite(double value) {
  if (std::isfinite(value)) return value;
  return nullptr;
}

nlohmann::ordered_json errors_as_json(const Verified& verified) {
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  for (const SigmaResult& of_sigma : verified.result.sigmas) {
    for (const FittingError& error : of_sigma.methods) {
      for (const OrderError& order : error.orders) {
        results.push_back({{"method", error.method},
                           {"model", verified.model},
                           {"players", verified.players},
                           {"sigma", of_sigma.sigma},
                           {"order", order.order},
                           {"error", error.inside > 0 ? finite(order.inside.mean) : nullptr},
                           {"standard_error", error.inside > 0 ? finite(order.inside.standard_error) : nullptr},
                           {"inputs", error.inputs},
                           {"inside", error.inside},
                           {"error_of_all", finite(order.all.mean)}});
      }
    }
  }
  return results;
}

nlohmann::ordered_json checks_as_json(const Verified& verified) {
  nlohmann::ordered_json checks = nlohmann::ordered_json::array();
  for (const SigmaResult& of_sigma : verified.result.sigmas) {
    for (const FittingError& error : of_sigma.methods) {
      if (error.listed_order == 0) continue;
      nlohmann::ordered_json check = {{"method", error.method},
                                      {"model", verified.model},
                                      {"players", verified.players},
                                      {"sigma", of_sigma.sigma},
                                      {"listed_order", error.listed_order},
                                      {"listed_difference", finite(error.listed_difference)}};
      if (error.dividends) check["dividend_error"] = finite(*error.dividends);
      checks.push_back(std::move(check));
    }
  }
  return checks;
}

nlohmann::ordered_json series_as_json(const Verified& verified) {
  nlohmann::ordered_json series = nlohmann::ordered_json::array();
  for (const SigmaResult& of_sigma : verified.result.sigmas) {
    nlohmann::ordered_json one = {{"model", verified.model},
                                  {"players", verified.players},
                                  {"sigma", of_sigma.sigma},
                                  {"inputs", nlohmann::ordered_json::array()}};
    for (size_t i = 0; i < of_sigma.inputs.size(); ++i) {
      const InputSeries &first = of_sigma.inputs[i], &worst = of_sigma.all_baselines[i];
      one["inputs"].push_back({{"series", to_string(first.series)},
                               {"radius", finite(first.radius)},
                               {"series_of_all_draws", to_string(worst.series)},
                               {"radius_of_all_draws", finite(worst.radius)}});
    }
    series.push_back(std::move(one));
  }
  return series;
}

nlohmann::ordered_json modules_as_json(const Parts& parts) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ModuleError& error : parts.modules) {
    for (const OrderError& order : error.orders) {
      list.push_back({{"method", error.method},
                      {"neurons", error.neurons},
                      {"fan_in", error.inputs},
                      {"order", order.order},
                      {"error", error.inside > 0 ? finite(order.inside.mean) : nullptr},
                      {"standard_error", error.inside > 0 ? finite(order.inside.standard_error) : nullptr},
                      {"cases", error.cases},
                      {"inside", error.inside},
                      {"left_out", error.left_out},
                      {"listed_order", error.listed_order},
                      {"listed_difference", finite(error.listed_difference)}});
    }
  }
  return list;
}

nlohmann::ordered_json epsilon_as_json(const Parts& parts) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const EpsilonError& error : parts.epsilon) {
    list.push_back({{"method", "lrp_epsilon"},
                    {"model", error.model},
                    {"epsilon", error.epsilon},
                    {"error", finite(error.error.mean)},
                    {"standard_error", finite(error.error.standard_error)},
                    {"inputs", error.error.count}});
  }
  return list;
}

nlohmann::ordered_json as_json(const std::vector<Verified>& all, const Parts& parts, const VerifyRequest& request) {
  nlohmann::ordered_json json = {{"seed", request.general.seed}, {"draws", request.verification.draws}};
  for (const char* key : {"parameters", "errors", "series", "checks", "modules", "relu", "notes"})
    json[key] = nlohmann::ordered_json::array();
  const auto append = [&](const char* key, const nlohmann::ordered_json& list) {
    for (const auto& item : list) json[key].push_back(item);
  };
  for (const Verified& verified : all) {
    for (const auto& [method, given] : verified.result.parameters) {
      if (given.empty()) continue;
      json["parameters"].push_back(
          {{"model", verified.model}, {"players", verified.players}, {"method", method}, {"values", given}});
    }
    append("errors", errors_as_json(verified));
    append("series", series_as_json(verified));
    append("checks", checks_as_json(verified));
    append("notes", verified.notes);
  }
  append("modules", modules_as_json(parts));
  append("relu", epsilon_as_json(parts));
  return json;
}

void verify(VerifyRequest request) {
  if (request.general.precision == "float") {
    fail(ErrorKind::argument, "--precision", "methods are verified in double");
  }
  request.general.precision = "double";
  request.verification.seed = request.general.seed;
  if (!request.model.path.empty() && request.input.paths.empty()) {
    fail(ErrorKind::argument, "INPUT", "a model of your own needs inputs of its own");
  }
  const bool bundled = request.model.path.empty();
  const std::vector<Verified> all = bundled ? verify_bundled(request) : std::vector{verify_model(request)};
  // Layer-wise methods have no choice of their own: a choice of others leaves them out.
  const Parts parts = bundled && request.verification.methods.empty() ? verify_parts(request) : Parts{};
  for (const Verified& verified : all) print_notes(verified.notes, request.general.quiet);
  if (request.general.json) {
    print_json(as_json(all, parts, request));
    return;
  }
  fmt::print(
      "Relative error |a - a*| / |a*| of the allocation rule with effects of order <= K (a), against the method\n"
      "as it runs (a*), at baselines b = x + N(0, sigma^2); mean +- standard error over the inputs\n"
      "whose series converges; their number in brackets if others diverge.\n\n");
  for (const Verified& verified : all) print_verified(verified);
  if (!parts.modules.empty()) print_parts(parts);
}

}  // namespace

void add_verify(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("verify", "Methods against their allocation rules, order by order");
  auto request = std::make_shared<VerifyRequest>();
  add_model_options(command, request->model);
  command.get_option("MODEL")->required(false)->description(
      "An .onnx file; the bundled polynomial and sigmoid network if not given");
  add_input_options(command, request->input);
  command.get_option("INPUT")->required(false);
  command.add_option("--sigma", request->verification.sigmas, "Baselines are x + N(0, sigma^2)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str()
      ->type_name("S[,S...]");
  command.add_option("--order", request->verification.orders, "Effects of order <= K count, for each K")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str()
      ->type_name("K[,K...]");
  command.add_option("-m,--method", request->verification.methods, "Methods; all that have order sums if not given")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME[,NAME...]");
  command.add_option("--inputs", request->inputs, "At most so many inputs")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000).description(""))
      ->type_name("N");
  command.add_option("--draws", request->verification.draws, "Baselines for methods that average over a distribution")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000).description(""))
      ->type_name("N");
  add_players_option(command, request->question);
  add_explain_options(command, request->question);
  add_general_options(command, request->general);
  command.callback([request] { verify(*request); });
}

}  // namespace ascribe::core
