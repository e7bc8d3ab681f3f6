// ascribe explain: what every player contributed to the output, by one method or by many, for one row or for several
// (docs/howto/explain.md).
#include "cli/explain.h"

#include <chrono>

#include <fmt/ranges.h>

#include "cli/commands.h"
#include "cli/method_option.h"
#include "cli/terminal.h"

namespace ascribe::core {

namespace {

// The model without its own runtime, and the questions about it.
struct Prepared {
  Graph graph;
  DType precision = DType::f32;
  std::vector<RowQuestion> rows;
  std::vector<std::string> notes;
};

Prepared prepare(const ExplainRequest& request) {
  Prepared prepared;
  Model model = load_model(request.model, request.general);
  prepared.notes = model.notes();
  QuestionMaker maker(model, request.question, request.input, request.general.seed, prepared.notes);
  maker.read_rows();
  maker.take_baselines();
  maker.take_targets();
  prepared.rows = std::move(maker.questions());
  prepared.graph = model.graph();
  prepared.precision = model.precision();
  return prepared;
}

void explain(const ExplainRequest& request) {
  std::vector<ChosenMethod> methods = choose_methods(request.methods, request.settings);
  check_explanation_files(request, methods, 0);
  Prepared prepared = prepare(request);
  check_explanation_files(request, methods, prepared.rows.size());
  for (const RowQuestion& row : prepared.rows) {
    if (request.allocations) cost_of_allocation(row);
  }
  ExplainedModel model(prepared.graph, {request.question.output,
                                        request.question.probability(),
                                        request.question.input,
                                        {prepared.precision, parse_memory(request.general.memory), 0}});
  prepared.graph = {};
  ExplainAnswer answer;
  answer.rows = std::move(prepared.rows);
  answer.notes = std::move(prepared.notes);
  answer.notes.insert(answer.notes.end(), model.notes().begin(), model.notes().end());
  print_notes(answer.notes, request.general.quiet);
  run_methods(answer, std::move(methods), model, request);
  write_explanation(answer, request);
  if (request.general.json) print_json(explanation_as_json(answer, request));
  else print_explanation(answer, request);
}

}  // namespace

Progress progress_of(const std::string& method, bool quiet) {
  Progress bar = progress_bar(quiet);
  if (!bar) return {};
  return [bar, method](std::string_view task, int64_t done, int64_t total) {
    bar(fmt::format("{}: {}", method, task), done, total);
  };
}

void run_methods(ExplainAnswer& answer, std::vector<ChosenMethod> methods, ExplainedModel& model,
                 const ExplainRequest& request) {
  using Clock = std::chrono::steady_clock;
  const std::vector<Question> questions(answer.rows.begin(), answer.rows.end());
  for (ChosenMethod& chosen : methods) {
    const auto start = Clock::now();
    try {
      std::vector<Attribution> attributions =
          attribute(chosen.method, model, questions, chosen.parameters, request.general.seed,
                    progress_of(chosen.method.name, request.general.quiet));
      std::vector<SetAllocation> allocations;
      for (const Question& question : questions) {
        if (!request.allocations) break;
        allocations.push_back(allocation_per_set(chosen.method, model, question, chosen.parameters,
                                                 request.general.seed,
                                                 progress_of(chosen.method.name, request.general.quiet)));
      }
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      answer.methods.push_back({std::move(chosen), std::move(attributions), std::move(allocations), seconds});
    } catch (const Error& error) {
      if (!may_be_left_out(chosen, error.kind())) throw;
      answer.left_out.push_back({chosen.method.name, error.what()});
      print_notes({fmt::format("{} is left out: {}", chosen.method.name, error.what())}, request.general.quiet);
    }
  }
  if (answer.methods.empty()) fail(ErrorKind::unsupported, "--method", "no method can be run on this model");
}

void add_explain(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("explain", "What every part of the input contributed, by any method");
  auto request = std::make_shared<ExplainRequest>();
  add_model_options(command, request->model);
  add_input_options(command, request->input);
  add_method_option(command, request->methods).required();
  add_setting_option(command, request->settings);
  add_question_options(command, request->question, "What the input is compared with, and absent players replaced by");
  command.add_option("--top", request->top, "How many players to name for each method")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000).description(""))
      ->type_name("N");
  command.add_flag("--allocations", request->allocations,
                   "Also what every player received of every effect of a set of players: each method is run\n"
                   "on every masked input, so few players");
  add_output_options(command, request->file, "A folder for pictures and arrays, or a .npz file for the arrays");
  add_general_options(command, request->general);
  command.callback([request] { explain(*request); });
}

}  // namespace ascribe::core
