// ascribe decompose: what each player does to the output alone, and what only several do together
// (docs/howto/decompose.md): f(x) = f(b) + sum of psi(i) + sum of J(S). One row at a time.
#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/ranges.h>

#include "cli/commands.h"
#include "cli/decompose.h"
#include "cli/options.h"
#include "cli/read_inputs.h"
#include "cli/target.h"
#include "cli/terminal.h"
#include "game/baseline.h"
#include "game/masked_model.h"
#include "methods/compile.h"
#include "passes/select_element.h"

namespace ascribe {

namespace {

using Options = DecomposeOptions;
using Question = DecomposeQuestion;
using Answer = DecomposeAnswer;

constexpr int64_t kListedEffects = 4096;  // in a JSON document, unless --top says otherwise
constexpr int64_t kMostBaselines = 256;
constexpr int64_t kBytesPerEffect = 256;  // of a truncated decomposition while it is made

const InteractionIndex* find_index(const std::string& name) {
  if (name.empty()) return nullptr;
  if (const InteractionIndex* found = IndexRegistry::instance().find(name)) return found;
  std::vector<std::string> names;
  for (const auto& [known, index] : IndexRegistry::instance().entries()) names.push_back(known);
  fail(ErrorKind::unsupported, "--index", "there is no index '{}'; expected one of {}", name, fmt::join(names, ", "));
}

// ---- the question ----

size_t masked_input(const Graph& graph, const std::string& name) {
  std::vector<std::string> names;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const bool real = graph[graph.inputs[i].value].type.kind == Kind::real;
    if (real && (name.empty() || graph.inputs[i].name == name)) return i;
    if (real) names.push_back(graph.inputs[i].name);
  }
  if (names.empty()) fail(ErrorKind::unsupported, "inputs", "the model has no real input to take apart");
  fail(ErrorKind::argument, "--input", "the model has no real input '{}'; expected one of {}", name,
       fmt::join(names, ", "));
}

void take_row(Question& question, const Model& model, ModelInputs inputs, const Options& options) {
  if (inputs.sources.size() != 1) {
    fail(ErrorKind::argument, options.input.paths[0], "got {} rows; decompose takes one at a time, which --row picks",
         inputs.sources.size());
  }
  question.source = inputs.sources[0];
  question.input = masked_input(model.graph(), options.masked);
  question.row = input_slot(model, question.input).row;
  question.picture = inputs.pictures[question.input];
  if (std::ssize(inputs.columns) == element_count(question.row)) question.columns = inputs.columns;
  question.point = std::move(inputs.tensors);
}

std::optional<ImageShape> image_in(const Question& question) {
  if (!question.picture) return std::nullopt;
  return question.picture->shape;
}

void take_players(Question& question, const Options& options) {
  const Tensor& x = question.point[question.input];
  question.players = make_players({options.players, question.row, image_in(question), question.columns, &x});
}

void take_baselines(Question& question, const Model& model, const Options& options) {
  BaselineRequest request{options.baseline,    &question.point[question.input], question.row, image_in(question), {},
                          options.general.seed};
  if (const auto path = baseline_file(options.baseline)) {
    const Batch batch = read_rows(model, question.input, *path, options.input, question.notes);
    request.rows = batch.values;
    if (const auto count = std::ssize(batch.sources); options.baseline.starts_with("data:") && count > kMostBaselines) {
      request.rows = thinned_rows(batch.values, kMostBaselines);
      question.notes.push_back(
          fmt::format("{}: {} rows, of which {} evenly spaced ones are the baselines", *path, count, kMostBaselines));
    }
  }
  question.baselines = make_baselines(request);
}

// The row and a baseline go through the model together, which also finds out whether rows influence each other.
std::vector<Tensor> first_look(Model& model, const Question& question) {
  if (!model.batched()) return model.run(question.point);
  std::vector<Tensor> two;
  for (size_t i = 0; i < question.point.size(); ++i) {
    const Tensor& row = question.point[i];
    Shape shape = row.shape();
    if (shape.empty() || model.graph()[model.graph().inputs[i].value].type.shape[0].is_fixed()) {
      two.push_back(row);
      continue;
    }
    shape[0] *= 2;
    Tensor both(row.dtype(), shape);
    const Tensor other = i == question.input ? question.baselines.cast(row.dtype()) : row;
    auto* to = static_cast<std::byte*>(both.mutable_memory());
    std::copy_n(static_cast<const std::byte*>(row.memory()), row.bytes(), to);
    std::copy_n(static_cast<const std::byte*>(other.memory()), row.bytes(), to + row.bytes());
    two.push_back(both);
  }
  return model.run(two);
}

int64_t top_class(const Tensor& output, int64_t classes) {
  int64_t top = 0;
  for (int64_t i = 0; i < classes; ++i) {
    if (!std::isfinite(output.at(i))) fail(ErrorKind::numeric, "output", "the model's output is {}", output.at(i));
    if (output.at(i) > output.at(top)) top = i;
  }
  return top;
}

void take_target(Question& question, Model& model, const Options& options) {
  const std::vector<std::string> labels = read_labels(options.input.labels);
  const Port& port = explained_output(model.graph(), options.output);
  const int64_t classes = target_count(model.graph(), port);
  check_labels(labels, model.graph(), port, options.input.labels);
  const std::vector<Tensor> outputs = first_look(model, question);
  size_t which = 0;
  while (model.graph().outputs[which].name != port.name) ++which;
  question.target =
      options.target == "top" ? top_class(outputs[which], classes) : class_index(options.target, labels, "top");
  if (question.target < 0 || question.target >= classes) {
    fail(ErrorKind::argument, "--target", "there is no class {}; expected 0 to {}", question.target, classes - 1);
  }
  question.output = port.name;
  question.explains = classes == 1 && options.explain == "logit" ? "value" : options.explain;
  if (!labels.empty()) question.label = labels[static_cast<size_t>(question.target)];
}

MaskedModel masked_model(Question& question, const Model& model, const Options& options) {
  Graph graph = with_explained(model.graph(), options.output, options.explain == "probability", question.notes);
  const SessionOptions session{model.precision(), parse_memory(options.general.memory), 0};
  return {select_element(graph, 1, question.target),
          question.point,
          question.input,
          question.baselines,
          question.players,
          session};
}

// ---- the answer ----

// What the effects of up to two players take: the sets of 0, 1 and 2, and x itself. Players are elements of a tensor,
// so this does not overflow.
int64_t sets_of_two(int64_t players) { return 2 + players + players * (players - 1) / 2; }

// Samples estimate an index of order 2, and nothing else.
void check_samples(const Options& options) {
  if (options.samples == 0) return;
  if (options.index.empty() || options.taylor > 0 || options.order > 2) {
    fail(ErrorKind::argument, "--samples",
         "estimates an index of pairs: expected --index sii, stii or fsii, no --taylor "
         "and no --order above 2");
  }
  if (!options.file.path.empty() && !options.file.path.ends_with(".npz")) {
    fail(ErrorKind::argument, options.file.path, "estimates are written as arrays; expected a name that ends in .npz");
  }
}

// Before any work: says what it would take, and what can be done instead.
void check_cost(const Question& question, const Options& options) {
  const int64_t players = question.players.count();
  if (players <= kMostExactPlayers || options.file.force) return;
  if (options.samples > 0 || (options.order > 0 && options.index.empty())) return;
  const bool image = question.players.image.has_value();
  const std::string pairs = options.index.empty() ? fmt::format(", or --order 2, which takes {} of them",
                                                                with_thousands(sets_of_two(players)))
                                                  : ", or --samples 20000, which estimates sii, stii or fsii";
  fail(ErrorKind::argument, "--players",
       "{} players ({}) would take 2^{} evaluations of the model; expected at most {} "
       "players{}{}",
       players, question.players.description, players, kMostExactPlayers,
       image ? ", as --players grid:4x4 or superpixels:16 make them" : ", as --players groups:FILE.json makes them",
       pairs);
}

void take_apart(Answer& answer, Game& game, const Model& model, const Options& options, const Progress& progress) {
  const size_t memory = parse_memory(options.general.memory);
  SummaryOptions summary;
  summary.epsilon = model.precision() == DType::f64 ? 0x1p-52 : 0x1p-23;
  summary.strongest = options.top > 0 ? options.top : kListedEffects;
  if (options.samples > 0) {
    answer.estimate = estimate_index(options.index, game, {options.samples, options.general.seed, progress});
    answer.summary = summarize(answer.estimate->effects, summary);
    return;
  }
  if (options.order > 0 && answer.index == nullptr) {
    const auto most = static_cast<int64_t>(memory / kBytesPerEffect);
    answer.truncated = truncated_effects(game, options.order, most, progress);
    answer.summary = summarize(*answer.truncated, summary);
  } else {
    answer.exact = exact_dividends(game, memory, options.file.force, progress);
    answer.summary = summarize(*answer.exact, summary);
  }
}

Answer ask(const MaskedModel& masked, const Model& model, const Options& options) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const Progress progress = progress_bar(options.general.quiet);
  Answer answer;
  answer.index = find_index(options.index);
  Game game = masked_model_game(masked);
  take_apart(answer, game, model, options, progress);
  if (answer.index != nullptr && !answer.estimate) {
    const int order = options.order > 0 ? options.order : std::min(2, answer.index->most_order);
    answer.index_values = compute_index(*answer.index, *answer.exact, order);
  }
  if (options.taylor > 0) answer.taylor = taylor_effects(masked, {.order = options.taylor}, progress);
  answer.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return answer;
}

void decompose(const Options& options) {
  check_decomposition_files(options);
  find_index(options.index);  // complains before the work
  check_samples(options);
  Model model = load_model(options.model, options.general);
  Question question;
  question.notes = model.notes();
  take_row(question, model, read_inputs(model, options.input, question.notes), options);
  take_players(question, options);
  check_cost(question, options);
  take_baselines(question, model, options);
  take_target(question, model, options);
  const MaskedModel masked = masked_model(question, model, options);
  print_notes(question.notes, options.general.quiet);
  const Answer answer = ask(masked, model, options);
  write_decomposition(question, answer, options);
  if (options.general.json) print_json(decomposition_as_json(question, answer, options));
  else print_decomposition(question, answer, options);
}

}  // namespace

void add_decompose(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("decompose", "The output taken apart: independent and interaction effects");
  auto options = std::make_shared<Options>();
  add_model_options(command, options->model);
  add_input_options(command, options->input);
  command
      .add_option("--players", options->players,
                  "Who takes part: elements, pixels, patch:K, grid:RxC, superpixels:N, columns or\n"
                  "groups:FILE.json; pixels for images and columns for tables if not given")
      ->type_name("P");
  command
      .add_option("--baseline", options->baseline,
                  "What absent players are replaced by: zero, mean, value:V, blur:SIGMA,\n"
                  "gaussian:SIGMA, file:F or data:F (the mean over its rows)")
      ->capture_default_str()
      ->type_name("B");
  command.add_option("--target", options->target, "The class to explain: top, its number, or its label")
      ->capture_default_str()
      ->type_name("top|CLASS");
  command.add_option("--explain", options->explain, "The logit, stepping over a final softmax, or the probability")
      ->capture_default_str()
      ->check(CLI::IsMember({"logit", "probability"}).description(""))
      ->type_name("logit|probability");
  command.add_option("--output", options->output, "Which output of the model; the first real one if not given")
      ->type_name("NAME");
  command.add_option("--input", options->masked, "Which input has the players; the first real one if not given")
      ->type_name("NAME");
  command.add_option("--order", options->order, "Only effects of at most S players; of all sets if not given")
      ->check(CLI::Range(1, 64).description(""))
      ->type_name("S");
  command.add_option("--taylor", options->taylor, "Taylor effects to this degree as well, beside J(S)")
      ->check(CLI::Range(1, 20).description(""))
      ->type_name("K");
  command.add_option("--index", options->index, "An interaction index of at most --order players (2 if not given)")
      ->type_name("NAME");
  command
      .add_option("--samples", options->samples,
                  "Estimate --index (sii, stii or fsii, pairs) with this many evaluations, for any number of\n"
                  "players, with standard errors")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40).description(""))
      ->type_name("EVALUATIONS");
  command.add_option("--top", options->top, "How many effects to list, largest first")
      ->check(CLI::Range(1, 100000000).description(""))
      ->type_name("N");
  add_output_options(command, options->file, "A folder for pictures and arrays, or a .npz file for the arrays");
  add_general_options(command, options->general);
  command.callback([options] { decompose(*options); });
}

}  // namespace ascribe
