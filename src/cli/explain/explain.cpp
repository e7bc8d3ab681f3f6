// ascribe explain: what every player contributed to the output, by one or several methods, for one or several rows
// (docs/howto/explain.md).
#include "study/explain.h"

#include <filesystem>

#include "cli/explain/print.h"
#include "cli/part_output.h"
#include "cli/program.h"
#include "cli/recorded.h"
#include "report/attribution_table.h"
#include "report/explanation_files.h"
#include "study/parts/explain_part.h"
#include "tensor/npy.h"

namespace ascribe::core::cli::command_explain {

namespace {

struct Choices {
  General general;
  ModelChoice model;
  study::ExplainRequest request;
  std::vector<std::string> methods;
  Output output;
  int64_t top = 3;  // players named per method
  std::string shard;
  int64_t batch = 0;

  // Over a data set, in parts: when a shard is named, or a folder is what is explained.
  bool in_parts() const {
    const std::vector<std::string>& files = request.question.rows.files;
    return !shard.empty() || (files.size() == 1 && std::filesystem::is_directory(files[0]));
  }
};

int explain_shard(Choices& choices) {
  refuse_log_of_part(choices.general);
  study::PartRequest part = part_request(choices.shard, choices.output);
  part.batch = choices.batch;
  choices.request.run = choices.general.run();
  choices.request.run.note = {};  // there may be many
  const study::PartResult result = study::explain_part(choices.model.open(choices.general), choices.request, part);
  choices.general.notes(some_notes(result.notes));
  return show_part(result, part, choices.general);
}

std::string arrays_path(const Output& output) {
  return output.is_folder() ? (std::filesystem::path(output.path) / kExplanationArrays).string() : output.path;
}

void check(const Output& output, const std::vector<std::string>& methods, int64_t rows) {
  if (!output.is_folder()) check_record_beside(output);
  check_folder_or_arrays(output, with_record_name(explanation_file_names(methods, static_cast<size_t>(rows))));
}

void write(const study::ExplainResult& result, const Choices& choices, const Json& json, const Json& record) {
  if (choices.output.path.empty()) return;
  if (!choices.output.is_folder()) {
    write_output(choices.output, format_npz(arrays_of(result)));
    return write_record_beside(choices.output, record);
  }
  write_output_folder(choices.output, with_record_file(explanation_files(result, json), record));
  const std::string missing = why_no_attribution_table(result);
  if (!missing.empty() && result.rows.size() > 1) choices.general.notes({"no attributions.csv: " + missing});
}

int explain(Choices& choices) {
  study::ExplainRequest& request = choices.request;
  request.methods = wishes(choices.methods);
  if (choices.in_parts()) return explain_shard(choices);
  std::vector<std::string> names;
  for (const study::ChosenMethod& chosen : choose_methods(request.methods, request.settings)) {
    names.push_back(chosen.method.name);
  }
  check(choices.output, names, 0);
  request.run = choices.general.run();
  request.run.begin = [&](int64_t rows) { check(choices.output, names, rows); };
  const study::Subject subject = choices.model.open(choices.general);
  const study::ExplainResult result = study::explain(subject, request);
  const Json json = General::spelled_json(to_json(result, arrays_path(choices.output)));
  const Json record = recorded(choices.general, choices.output, [&](const study::Origin& origin) {
    return study::record_of(subject, request, result, origin);
  });
  write(result, choices, json, record);
  return choices.general.show([&] { return with_record(json, record); },
                              [&] {
                                choices.general.notes(method_notes(result));
                                print_explanation(result, choices.top);
                              });
}

const RegisterCommand command(
    {"explain", 3, "What every part of the input contributed, by any method",
     [](Options& options) -> std::function<int()> {
       auto choices = std::make_shared<Choices>();
       study::ExplainRequest& request = choices->request;
       add_model(options, choices->model);
       add_rows(options, request.question.rows);
       add_labels(options, request.question.labels);
       add_methods(options, choices->methods).required();
       add_settings(options, request.settings);
       add_question(options, request.question, "What the input is compared with, and what replaces absent players");
       add_absence(options, request.absence);
       options.add("--top", choices->top, "How many players to name for each method", "N")
           .shows_default()
           .range(0, 1000000);
       options.flag("--allocations", request.allocations,
                    "Also say what every player received of every effect; each method is run on every\n"
                    "masked input, so this needs few players");
       options.flag("--trace", request.trace,
                    "Also say what every node received and passed on, and what was lost there: for LRP and\n"
                    "DeepLIFT methods, which go back through the network node by node");
       add_shard(options, choices->shard);
       options
           .add("--batch", choices->batch, "With --shard: samples at a time; as their size suggests if not given", "N")
           .range(1, int64_t{1} << 20);
       add_output(options, choices->output,
                  "A folder for pictures and arrays, or a .npz file for the arrays. With --shard, or for a\n"
                  "folder of images: a folder for the parts, which ascribe merge puts together");
       add_general(options, choices->general);
       add_log(options, choices->general);
       return [choices] { return explain(*choices); };
     }});

}  // namespace

}  // namespace ascribe::core::cli::command_explain
