// ascribe decompose: the output taken apart into independent and interaction effects (docs/howto/decompose.md).
#include "study/decompose.h"

#include "cli/decompose/print.h"
#include "cli/recorded.h"
#include "report/decomposition_files.h"
#include "tensor/npy.h"

namespace ascribe::core::cli::command_decompose {

namespace {

struct Choices {
  General general;
  ModelChoice model;
  study::DecomposeRequest request;
  Output output;
};

void check(const Choices& choices) {
  if (!choices.output.is_folder()) check_record_beside(choices.output);
  check_folder_or_arrays(choices.output, with_record_name(decomposition_file_names()));
  check_decomposition(choices.request);
  if (choices.request.samples > 0 && choices.output.is_folder()) {
    fail(ErrorKind::argument, choices.output.path,
         "estimates are written as arrays; expected a name that ends in .npz");
  }
}

int decompose(Choices& choices) {
  check(choices);
  choices.request.at_any_cost = choices.output.force;
  choices.request.run = choices.general.run();
  const study::Subject subject = choices.model.open(choices.general);
  const study::DecomposeResult result = study::decompose(subject, choices.request);
  const Json json = General::spelled_json(to_json(result));
  const Json record = recorded(choices.general, choices.output, [&](const study::Origin& origin) {
    return study::record_of(subject, choices.request, result, origin);
  });
  if (choices.output.is_folder()) {
    write_output_folder(choices.output, with_record_file(decomposition_files(result, json), record));
  } else if (!choices.output.path.empty()) {
    write_output(choices.output, format_npz(arrays_of(result)));
    write_record_beside(choices.output, record);
  }
  return choices.general.show([&] { return with_record(json, record); },
                              [&] { print_decomposition(result, choices.request.top); });
}

const RegisterCommand command(
    {"decompose", 4, "The output taken apart: independent and interaction effects",
     [](Options& options) -> std::function<int()> {
       auto choices = std::make_shared<Choices>();
       study::DecomposeRequest& request = choices->request;
       add_model(options, choices->model);
       add_rows(options, request.question.rows);
       add_labels(options, request.question.labels);
       add_question(options, request.question, "What absent players are replaced by");
       options.add("--order", request.order, "Only effects of at most S players; default: of any number", "S")
           .range(1, 64);
       options.add("--taylor", request.taylor, "Also Taylor effects up to this degree, next to J(S)", "K").range(1, 20);
       options.add("--index", request.index, "An interaction index of at most --order players (default 2)", "NAME");
       options
           .add("--samples", request.samples,
                "Estimate --index (sii, stii or fsii, pairs) with this many evaluations, for any number of\n"
                "players, with standard errors",
                "EVALUATIONS")
           .range(1, int64_t{1} << 40);
       options.flag("--and-or", request.and_or,
                    "Also AND and OR effects with the least sum of magnitudes; at most 10 players, 12 with --force");
       options.add("--top", request.top, "How many effects to list, largest first", "N").range(1, 100000000);
       add_output(options, choices->output, "A folder for pictures and arrays, or a .npz file for the arrays");
       add_general(options, choices->general);
       add_log(options, choices->general);
       return [choices] { return decompose(*choices); };
     }});

}  // namespace

}  // namespace ascribe::core::cli::command_decompose
