// ascribe verify: every method as it runs, against its allocation rule applied to the effects up to an order
// (docs/howto/verify.md).
#include "study/verify.h"

#include <algorithm>
#include <cmath>

#include "cli/recorded.h"
#include "study/smoothing_files.h"

namespace ascribe::core::cli::command_verify {

namespace {

struct Choices {
  General general;
  ModelChoice model;
  study::VerifyRequest request;
  Output output;
};

std::string number(double value) {
  if (value == 0) return "0";
  return fmt::format("{:.1e}", value);
}

std::string cell(const FittingError& error, const OrderError& order) {
  if (error.inside == 0) return outcome(error);
  std::string text = number(order.inside.mean);
  if (order.inside.count > 1) text += fmt::format(" +- {}", number(order.inside.standard_error));
  // Other inputs diverge, or lie behind kinks: the mean is over fewer.
  return error.inside < error.inputs ? text + fmt::format(" ({})", error.inside) : text;
}

// What is not so good about the series of some inputs.
std::string exceptions_text(const SeriesCounts& counts) {
  std::string text;
  if (counts.diverges > 0) text += fmt::format(", diverges for {}", counts.diverges);
  if (counts.kinked > 0) text += fmt::format(", is that of another piece for {} (kinks lie between)", counts.kinked);
  if (counts.undecided > 0) text += fmt::format(", is not decided for {}", counts.undecided);
  return text;
}

std::string series_text(const SigmaResult& of_sigma) {
  SeriesCounts counts;
  double least = INFINITY;
  for (const InputSeries& input : of_sigma.inputs) {
    ++counts.of(input.series);
    least = std::min(least, input.radius);
  }
  const auto all = of_sigma.inputs.size();
  const std::string text =
      fmt::format("the series converges for {} of {} inputs{}", counts.converges, all, exceptions_text(counts));
  if (!std::isinf(least)) return text + fmt::format("; smallest radius about {:.2g} times the distance of x", least);
  return counts.kinked > 0 ? text : text + "; it ends, so every distance is inside";
}

void print_errors(const SigmaResult& of_sigma) {
  Lines lines = {{"method"}};
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
  Lines lines = {{"method", fmt::format("terms to order {}, one by one", listed), "dividends, no truncation"}};
  for (const FittingError& error : of_sigma.methods) {
    lines.push_back({error.method, number(error.listed_difference), error.dividends ? number(*error.dividends) : ""});
  }
  fmt::print("\n");
  print_columns(lines, 2);
}

void print_verified(const study::VerifiedModel& verified) {
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
  Lines lines;
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

void print_parts(const study::VerifyResult& parts) {
  fmt::print(
      "Layer-wise rules on single modules sigma(sum of w_i x_i + s); \"inside\" counts neurons whose series "
      "converges\n\n");
  print_modules(parts.modules);
  fmt::print("lrp_epsilon against x * gradient on ReLU networks, epsilon {:g}\n", parts.epsilon[0].epsilon);
  for (const study::EpsilonError& error : parts.epsilon) {
    fmt::print("  {}  {} over {} inputs\n", error.model, mean_text(error.error), error.error.count);
  }
}

void print_smoothed(const study::VerifyResult& result) {
  fmt::print(
      "Kinks are smoothed: log(1 + exp(T z)) / T for max(z, 0), log-sum-exp for larger maxima. As T grows the network\n"
      "becomes the model's, and the radius of its series shrinks like 1 / T.\n\n");
  for (const study::SmoothedModel& one : result.smoothed) {
    fmt::print("temperature {:g}: the output differs from the model's by {:.2g} %\n", one.temperature,
               100 * one.output_difference);
    print_verified(one.verified);
  }
}

void print(const study::VerifyResult& result) {
  fmt::print(
      "Relative error |a - a*| / |a*| of the allocation rule with effects of order <= K (a), against the method\n"
      "as it runs (a*), at baselines b = x + N(0, sigma^2); mean +- standard error over the inputs\n"
      "whose series converges; their number in brackets if there are others.\n\n");
  for (const study::VerifiedModel& verified : result.models) print_verified(verified);
  if (!result.smoothed.empty()) print_smoothed(result);
  if (!result.modules.empty()) print_parts(result);
}

int verify(Choices& choices) {
  if (choices.general.precision == "float") {
    fail(ErrorKind::argument, "precision", "methods are verified in double");
  }
  choices.general.precision = "double";
  choices.request.memory = choices.general.memory_bytes();
  choices.request.run = choices.general.run();
  if (!choices.model.path.empty() && choices.request.question.rows.empty()) {
    fail(ErrorKind::argument, "INPUT", "a model of your own needs inputs of its own");
  }
  if (!choices.output.path.empty()) {
    if (choices.request.smooth.empty()) {
      fail(ErrorKind::argument, choices.output.path, "only what --smooth finds is written to a folder");
    }
    check_output_folder(choices.output, with_record_name(study::smoothing_file_names()));
  }
  std::optional<study::Subject> subject;
  if (!choices.model.path.empty()) subject = choices.model.open(choices.general);
  const study::VerifyResult result =
      subject ? study::verify(*subject, choices.request) : study::verify(choices.request);
  const Json json = General::spelled_json(to_json(result));
  const Json record = recorded(choices.general, choices.output, [&](const study::Origin& origin) {
    return study::record_of(subject ? &*subject : nullptr, choices.request, result, origin);
  });
  if (!choices.output.path.empty()) {
    write_output_folder(choices.output, with_record_file(study::smoothing_files(result, json), record));
  }
  return choices.general.show([&] { return with_record(json, record); }, [&] { print(result); });
}

const RegisterCommand command(
    {"verify", 10, "Methods against their allocation rules, order by order",
     [](Options& options) -> std::function<int()> {
       auto choices = std::make_shared<Choices>();
       study::VerifyRequest& request = choices->request;
       add_model(options, choices->model)
           .required(false)
           .help("An .onnx file; default: the bundled polynomial and sigmoid network");
       add_rows(options, request.question.rows).required(false);
       add_labels(options, request.question.labels);
       VerificationOptions& verification = request.verification;
       options.add("--sigma", verification.sigmas, "Baselines are x + N(0, sigma^2)", "S[,S...]")
           .list()
           .shows_default();
       options.add("--order", verification.orders, "Orders K; effects of order <= K are counted", "K[,K...]")
           .list()
           .shows_default();
       options.add("-m,--method", verification.methods, "Methods; default: all that have order sums", "NAME[,NAME...]")
           .list();
       options.add("--inputs", request.inputs, "How many inputs to use at most", "N").shows_default().range(1, 1000000);
       options.add("--draws", verification.draws, "Number of baselines for methods that average over them", "N")
           .shows_default()
           .range(1, 10000);
       options
           .add("--smooth", request.smooth,
                "Replace ReLU and other kinks by softplus at these temperatures; default model: tabular_mlp",
                "T[,T...]")
           .list();
       add_output(options, choices->output, "With --smooth: a folder for a chart and a table of errors by temperature");
       add_players(options, request.question);
       add_explained(options, request.question);
       add_general(options, choices->general);
       add_log(options, choices->general);
       return [choices] { return verify(*choices); };
     }});

}  // namespace

}  // namespace ascribe::core::cli::command_verify
