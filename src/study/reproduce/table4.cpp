// Table 4: methods against their allocation rules, as verify measures it (theory/verification.h), beside the
// paper's. Which sigma the paper's baselines x + N(0, sigma^2) have is not stated there, so there are several here;
// and orders beyond its K = 2.
#include <algorithm>
#include <cmath>

#include <fmt/ranges.h>

#include "draw/lines.h"
#include "study/reproduce/experiment.h"
#include "study/reproduce/paper_values.h"
#include "study/sample_questions.h"
#include "theory/full_rank_polynomial.h"
#include "theory/verification.h"

namespace ascribe::core::study::paper {

namespace {

constexpr int kPapersOrder = 2;
constexpr int64_t kSide = 28;  // of the images
const std::string kFullRank = "polynomial of full rank";
constexpr double kShownSigma = 0.05;  // of those below: the one whose errors are shown order by order

VerificationOptions options_of(const PaperRun& run) {
  VerificationOptions options;
  options.sigmas = {0.03, 0.05, 0.1};
  options.seed = run.running.seed();
  return options;
}

struct VerifiedNetwork {
  std::string name;
  VerificationResult result;
};

std::string error_text(const FittingError& error, const OrderError& order) {
  if (error.inside == 0) return outcome(error);
  if (order.inside.mean < 1e-10) return fmt::format("{:.0e}", order.inside.mean);
  std::string text = fmt::format("{:.2g} %", 100 * order.inside.mean);
  return error.inside < error.inputs ? text + fmt::format(" ({} of {})", error.inside, error.inputs) : text;
}

const OrderError& at_order(const FittingError& error, int order) {
  return *std::find_if(error.orders.begin(), error.orders.end(),
                       [&](const OrderError& one) { return one.order == order; });
}

bool is_polynomial(const VerifiedNetwork& network) {
  return std::all_of(network.result.sigmas.begin(), network.result.sigmas.end(), [](const SigmaResult& of_sigma) {
    return std::all_of(of_sigma.inputs.begin(), of_sigma.inputs.end(),
                       [](const InputSeries& series) { return std::isinf(series.radius); });
  });
}

std::string second_order_table(const VerifiedNetwork& network) {
  const bool polynomial = is_polynomial(network);
  Table table{{"method", "paper"}};
  for (const SigmaResult& of_sigma : network.result.sigmas)
    table.head.push_back(fmt::format("σ = {:g}", of_sigma.sigma));
  for (size_t m = 0; m < network.result.sigmas[0].methods.size(); ++m) {
    const std::string& name = network.result.sigmas[0].methods[m].method;
    const PaperFittingError paper = paper_fitting_error(name);
    auto& row = table.rows.emplace_back(
        std::vector{method_named(name).title, polynomial ? paper.polynomial : paper.sigmoid_mlp});
    for (const SigmaResult& of_sigma : network.result.sigmas) {
      row.push_back(error_text(of_sigma.methods[m], at_order(of_sigma.methods[m], kPapersOrder)));
    }
  }
  return table.markdown();
}

const SigmaResult& shown_sigma(const VerificationResult& result) {
  const auto found = std::find_if(result.sigmas.begin(), result.sigmas.end(),
                                  [](const SigmaResult& one) { return one.sigma == kShownSigma; });
  return found == result.sigmas.end() ? result.sigmas.front() : *found;
}

std::string order_table(const SigmaResult& of_sigma) {
  Table table{{"method"}};
  for (const OrderError& order : of_sigma.methods[0].orders) table.head.push_back(fmt::format("K = {}", order.order));
  for (const FittingError& error : of_sigma.methods) {
    auto& row = table.rows.emplace_back(std::vector{method_named(error.method).title});
    for (const OrderError& order : error.orders) row.push_back(error_text(error, order));
  }
  return table.markdown();
}

std::string markdown(const std::vector<VerifiedNetwork>& networks, const PaperRun& run) {
  const VerificationOptions options = options_of(run);
  std::string text = fmt::format(
      "# Table 4: methods against their allocation rules\n\n"
      "Mean relative error |a − a*| / |a*| over {} test images, in double: a* is the method as it runs, a its rule "
      "with "
      "the effects of order ≤ K, at baselines b = x + N(0, σ²). Players are pixels; {} baselines for methods that "
      "average over them, {} permutations for the Shapley value, the same ones on both sides. Where the Taylor series "
      "of some images diverges the mean is over the others, whose number stands in brackets.\n",
      run.samples, options.draws, options.permutations);
  for (const VerifiedNetwork& network : networks) {
    text += fmt::format("\n## {}, K = {}\n\n{}", network.name, kPapersOrder, second_order_table(network));
    if (is_polynomial(network)) continue;
    const SigmaResult& shown = shown_sigma(network.result);
    text += fmt::format("\nThe same with more orders than the paper's two, at σ = {:g}:\n\n{}", shown.sigma,
                        order_table(shown));
  }
  return text;
}

std::string csv(const std::vector<VerifiedNetwork>& networks) {
  Table table{{"model", "method", "sigma", "order", "error", "standard_error", "inputs", "inside", "paper"}};
  for (const VerifiedNetwork& network : networks) {
    const bool polynomial = is_polynomial(network);
    for (const SigmaResult& of_sigma : network.result.sigmas) {
      for (const FittingError& error : of_sigma.methods) {
        const PaperFittingError paper = paper_fitting_error(error.method);
        for (const OrderError& order : error.orders) {
          const bool diverges = error.inside == 0;
          table.rows.push_back(
              {network.name, error.method, fmt::format("{:g}", of_sigma.sigma), std::to_string(order.order),
               diverges ? "" : fmt::format("{:.6g}", order.inside.mean),
               diverges ? "" : fmt::format("{:.6g}", order.inside.standard_error), std::to_string(error.inputs),
               std::to_string(error.inside),
               order.order != kPapersOrder ? "" : (polynomial ? paper.polynomial : paper.sigmoid_mlp)});
        }
      }
    }
  }
  return table.csv();
}

// Of the network that is not a polynomial: errors order by order, a panel for each sigma.
std::string svg(const std::vector<VerifiedNetwork>& networks) {
  const auto shown = std::find_if_not(networks.begin(), networks.end(), is_polynomial);
  const VerifiedNetwork& network = shown == networks.end() ? networks.front() : *shown;
  LineChart chart{fmt::format("{}: the allocation rules meet the methods as orders are added", network.name),
                  "relative error |a − a*| / |a*|, mean over the images whose series converges",
                  "effects of order ≤ K",
                  {},
                  {}};
  for (const OrderError& order : network.result.sigmas[0].methods[0].orders) {
    chart.steps.push_back(std::to_string(order.order));
  }
  for (const SigmaResult& of_sigma : network.result.sigmas) {
    LinePanel& panel = chart.panels.emplace_back();
    panel.title = fmt::format("σ = {:g}", of_sigma.sigma);
    int64_t inside = 0;
    for (const FittingError& error : of_sigma.methods) {
      if (!error.sums_a_series) continue;  // Gradient x Input is exact at once
      inside = std::max(inside, error.inside);
      LineSeries& series = panel.series.emplace_back(LineSeries{method_named(error.method).title, {}});
      for (const OrderError& order : error.orders) {
        series.values.push_back(error.inside > 0 ? order.inside.mean : NAN);
      }
    }
    panel.remark = fmt::format("the series converges for up to {} of {} images", inside, of_sigma.inputs.size());
  }
  return lines_svg(chart);
}

VerifiedNetwork verified(const PaperRun& run, const Subject& subject, const std::string& name, Reproduced& made) {
  const QuestionRequest request = run.question("pixels", "top");
  std::vector<std::string> notes;
  SampleAsker asker(subject, request, run.running.seed(), notes);
  const std::unique_ptr<Dataset> data = run.images();
  std::vector<Question> questions;
  for (int64_t i = 0; i < std::min(run.samples, data->size()); ++i) {
    questions.push_back(asker.ask(data->read(i)).question);
  }
  VerifiedNetwork result{
      name, verify_methods(subject.explained(request.options()), questions, options_of(run), run.progress(name))};
  made.notes.insert(made.notes.end(), result.result.notes.begin(), result.result.notes.end());
  return result;
}

Json settings(const PaperRun& run) {
  const VerificationOptions options = options_of(run);
  return Json::object({{"data", identity_of(*run.images())},
                       {"precision", "double"},
                       {"players", "pixels"},
                       {"polynomial_of_full_rank", run.request.models.empty()},
                       {"target", "predicted class"},
                       {"sigmas", options.sigmas},
                       {"orders", options.orders},
                       {"draws", options.draws},
                       {"permutations", options.permutations},
                       {"window", options.window}});
}

Reproduced run(const PaperRun& run) {
  Reproduced made;
  std::vector<VerifiedNetwork> networks;
  for (const Network& network : run.networks) {
    networks.push_back(verified(run, run.open(network, DType::f64), network.name, made));
  }
  // The paper's polynomial has free coefficients of all pairs; that of polynomial.onnx has rank 64.
  if (run.request.models.empty()) {
    const Subject polynomial =
        Subject::of(Model::of(full_rank_polynomial(kSide, run.running.seed()), {.precision = DType::f64}), kFullRank);
    networks.insert(networks.begin() + 1, verified(run, polynomial, kFullRank, made));
  }
  made.markdown = markdown(networks, run);
  made.csv = csv(networks);
  made.svg = svg(networks);
  return made;
}

}  // namespace

PaperExperiment table4() {
  return {"table4", "Table 4: methods against their allocation rules", {"polynomial", "sigmoid_mlp"}, 8, settings, run};
}

}  // namespace ascribe::core::study::paper
