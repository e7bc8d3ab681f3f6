// ascribe decompose: the output taken apart into independent and interaction effects (docs/howto/decompose.md).
#include "study/decompose.h"

#include <fmt/ranges.h>

#include "cli/decompose/print.h"
#include "cli/recorded.h"
#include "report/decomposition_files.h"
#include "study/parts/game_part.h"
#include "tensor/npy.h"

namespace ascribe::core::cli::command_decompose {

namespace {

struct Choices {
  General general;
  ModelChoice model;
  study::DecomposeRequest request;
  Output output;
  std::string shard;
};

std::vector<std::string> estimator_names() {
  std::vector<std::string> names;
  for (const auto& [name, estimator] : EffectEstimatorRegistry::instance().entries()) names.push_back(name);
  return names;
}

void check(const Choices& choices) {
  if (!choices.output.is_folder()) check_record_beside(choices.output);
  check_folder_or_arrays(choices.output, with_record_name(decomposition_file_names()));
  check_decomposition(choices.request);
  if (choices.request.samples > 0 && !choices.request.estimates() && choices.output.is_folder()) {
    fail(ErrorKind::argument, choices.output.path,
         "estimates are written as arrays; expected a name that ends in .npz");
  }
}

// One of many processes that share the game: its parts go into the folder.
int decompose_part(const Choices& choices) {
  const std::string& folder = choices.output.path;
  if (folder.empty() || folder.ends_with(".npz") || folder.ends_with(".json") || folder.ends_with(".npy")) {
    fail(ErrorKind::argument, "shard", "parts go into a folder, which `out` names; got {}",
         folder.empty() ? "nothing" : folder);
  }
  refuse_log_of_part(choices.general);
  study::GamePartRequest request{choices.request, choices.output.path, study::parse_shard(choices.shard)};
  request.what.at_any_cost = choices.output.force;
  request.what.run = choices.general.run();
  const study::GamePartResult result = study::game_part(choices.model.open(choices.general), request);
  return choices.general.show([&] { return to_json(result); },
                              [&] { print_game_part(result, request.shard, choices.output.path); });
}

int decompose(Choices& choices) {
  if (!choices.shard.empty()) return decompose_part(choices);
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
       add_absence(options, request.absence);
       options.add("--order", request.order, "Only effects of at most S players; default: of any number", "S")
           .range(1, 64);
       options.add("--taylor", request.taylor, "Also Taylor effects up to this degree, next to J(S)", "K")
           .range(1, study::kMostTaylorDegree);
       options.add("--index", request.index, "An interaction index of at most --order players (default 2)", "NAME");
       options.add("--influence", request.influence,
                   "The index by what it has of effects of more players: pure, partial or full; of sets\n"
                   "taken as one player joint:pure, joint:partial or joint:full",
                   "I");
       options
           .add("--samples", request.samples,
                "Estimate --index (sii, stii or fsii, pairs) with this many evaluations, for any number of\n"
                "players, with standard errors",
                "EVALUATIONS")
           .range(1, int64_t{1} << 40);
       options.add("--estimate", request.estimate,
                   "sparse: the strong effects of any order, for any number of players, from --budget\n"
                   "evaluations, with errors; with --index the index that follows from them, and beside it a\n"
                   "direct estimate if --samples is given",
                   "HOW");
       options.add("--budget", request.wish.budget, "Evaluations for --estimate", "EVALUATIONS")
           .shows_default()
           .range(1, int64_t{1} << 40);
       options.add("--estimator", request.wish.estimator,
                   fmt::format("How --estimate finds them: {}", fmt::join(estimator_names(), ", ")), "NAME");
       options.add("--aim", request.wish.aim, "Stop --estimate when 1 - R2 on held-out coalitions is at most this", "A")
           .range(0, 1);
       options.flag("--and-or", request.and_or,
                    "Also AND and OR effects with the least sum of magnitudes; at most 10 players, 12 with --force;\n"
                    "with --estimate of any number, estimated");
       options.add("--top", request.top, "How many effects to list, largest first", "N").range(1, 100000000);
       options.add("--shard", choices->shard,
                   "Only this share of all coalitions, as parts into the folder --out: 3/64, or auto in a Slurm\n"
                   "array, an indexed job of Kubernetes or under mpirun; ascribe merge puts them together",
                   "I/N|auto");
       add_output(options, choices->output, "A folder for pictures and arrays, or a .npz file for the arrays");
       add_general(options, choices->general);
       add_log(options, choices->general);
       return [choices] { return decompose(*choices); };
     }});

}  // namespace

}  // namespace ascribe::core::cli::command_decompose
