// ascribe decompose: what each player does to the output alone, and what only several do together
// (docs/howto/decompose.md): f(x) = f(b) + sum of psi(i) + sum of J(S). One row at a time.
#include <algorithm>
#include <chrono>

#include <fmt/ranges.h>

#include "cli/commands.h"
#include "cli/decompose.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "game/masked_model.h"
#include "methods/compile.h"
#include "passes/select_element.h"

namespace ascribe::core {

namespace {

using Options = DecomposeOptions;
using Answer = DecomposeAnswer;

constexpr int64_t kListedEffects = 4096;  // in a JSON document, unless --top says otherwise
constexpr int64_t kBytesPerEffect = 256;  // of a truncated decomposition while it is made

const InteractionIndex* find_index(const std::string& name) {
  if (name.empty()) return nullptr;
  if (const InteractionIndex* found = IndexRegistry::instance().find(name)) return found;
  std::vector<std::string> names;
  for (const auto& [known, index] : IndexRegistry::instance().entries()) names.push_back(known);
  fail(ErrorKind::unsupported, "--index", "there is no index '{}'; expected one of {}", name, fmt::join(names, ", "));
}

MaskedModel masked_model(const RowQuestion& question, const Model& model, const Options& options,
                         std::vector<std::string>& notes) {
  const Graph graph = with_explained(model.graph(), options.question.output, options.question.probability(), notes);
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
void check_cost(const RowQuestion& question, const Options& options) {
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

const RowQuestion& the_only(const std::vector<RowQuestion>& questions, const Options& options) {
  if (questions.size() == 1) return questions[0];
  fail(ErrorKind::argument, options.input.paths[0], "got {} rows; decompose takes one at a time, which --row picks",
       questions.size());
}

void decompose(const Options& options) {
  check_decomposition_files(options);
  find_index(options.index);  // complains before the work
  check_samples(options);
  Model model = load_model(options.model, options.general);
  std::vector<std::string> notes = model.notes();
  QuestionMaker maker(model, options.question, options.input, options.general.seed, notes);
  maker.read_rows();
  const RowQuestion& question = the_only(maker.questions(), options);
  check_cost(question, options);
  maker.take_baselines();
  maker.take_targets();
  const MaskedModel masked = masked_model(question, model, options, notes);
  print_notes(notes, options.general.quiet);
  Answer answer = ask(masked, model, options);
  answer.notes = notes;
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
  add_question_options(command, options->question, "What absent players are replaced by");
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

}  // namespace ascribe::core
