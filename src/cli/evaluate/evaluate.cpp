// ascribe evaluate: methods rated by metrics on the samples of a data set (docs/howto/evaluate.md).
#include "study/evaluate.h"

#include <filesystem>

#include "cli/part_output.h"
#include "cli/program.h"
#include "cli/recorded.h"
#include "report/evaluation_files.h"
#include "study/parts/evaluate_part.h"

namespace ascribe::core::cli::command_evaluate {

namespace {

constexpr size_t kMetricsAcross = 4;  // columns that fit a terminal

struct Choices {
  General general;
  ModelChoice model;
  study::EvaluateRequest request;
  std::vector<std::string> methods;
  Output output;
  std::string shard;

  bool to_csv() const { return output.path.ends_with(".csv"); }
  bool to_json() const { return output.path.ends_with(".json"); }
};

// ---- files ----

void check_files(const Choices& choices) {
  if (choices.output.path.empty()) return;
  if (choices.to_csv() || choices.to_json()) check_record_beside(choices.output);
  if (choices.to_csv() || choices.to_json()) return check_output(choices.output, {".csv", ".json"});
  check_output_folder(choices.output, with_record_name(evaluation_file_names()));
}

// Beside the output, under a name that no result has.
std::string journal_path(const Choices& choices) {
  const std::string& out = choices.output.path;
  if (out.empty()) return "";
  if (choices.to_csv() || choices.to_json()) return out + ".unfinished";
  return (std::filesystem::path(out) / "unfinished.journal").string();
}

void write(const study::EvaluateResult& result, const Json& json, const Json& record, const Choices& choices) {
  const Output& output = choices.output;
  if (output.path.empty()) return;
  // The record lies beside: equal scores are equal bytes, of one process or put together from many.
  if (choices.to_csv() || choices.to_json()) {
    write_output(output, choices.to_csv() ? summary_table(result).csv() : results_document(json).dump() + "\n");
    return write_record_beside(output, record);
  }
  write_output_folder(output, with_record_file(evaluation_files(result, json, spelled(to_markdown(result))), record));
}

// ---- printing ----

void print(const study::EvaluateResult& result, const std::string& written) {
  fmt::print("{} on {} ({})\n{}\n", printable(std::filesystem::path(result.model).filename().string()),
             printable(result.data), result.data_description, samples_text(result));
  const std::vector<size_t> metrics = result.metrics_shown();
  for (size_t first = 0; first < metrics.size(); first += kMetricsAcross) {
    const auto some = std::span(metrics).subspan(first, std::min(kMetricsAcross, metrics.size() - first));
    fmt::print("\n{}", means_table(result, some).text());
  }
  if (result.spectrum) {
    fmt::print("\norder_spectrum: how much of the magnitudes of all effects is due to so many players together\n{}",
               spectrum_table(result).text());
  }
  fmt::print("\nmean [95 % confidence interval]{}\n",
             metrics.empty() ? "" : "; ↑ higher is better, ↓ lower is better, * best mean");
  for (const std::string& gap : gaps_of(result)) fmt::print("{}\n", printable(spelled(gap)));
  if (!written.empty()) fmt::print("written to {}\n", printable(written));
}

// One shard of the samples, into a folder of parts.
int evaluate_shard(const Choices& choices) {
  refuse_log_of_part(choices.general);
  const study::PartRequest part = part_request(choices.shard, choices.output);
  const study::PartResult result = study::evaluate_part(choices.model.open(choices.general), choices.request, part);
  choices.general.notes(some_notes(result.notes));
  return show_part(result, part, choices.general);
}

int evaluate(Choices& choices) {
  study::EvaluateRequest& request = choices.request;
  request.methods = wishes(choices.methods);
  check_evaluation(request);
  if (!choices.shard.empty()) {
    request.run = choices.general.run();
    request.run.note = {};
    return evaluate_shard(choices);
  }
  check_files(choices);
  request.journal = journal_path(choices);
  request.force = choices.output.force;
  request.run = choices.general.run();
  request.run.note = {};  // there may be many: some are told at the end
  request.planned = [&](const study::WorkCost& cost) { choices.general.notes({cost.words()}); };
  const study::Subject subject = choices.model.open(choices.general);
  const study::EvaluateResult result = study::evaluate(subject, request);
  choices.general.notes(some_notes(result.notes));
  const Json json = General::spelled_json(to_json(result));
  const Json record = recorded(choices.general, choices.output, [&](const study::Origin& origin) {
    return study::record_of(subject, request, result, origin);
  });
  write(result, json, record, choices);
  forget_journal(result);
  return choices.general.show([&] { return with_record(json, record); }, [&] { print(result, choices.output.path); });
}

// ---- options ----

void add_data(Options& options, study::EvaluateRequest& request) {
  options
      .add("DATA", request.data,
           "A data set: idx files (MNIST), a folder of images, CIFAR's .bin files, .csv, .npy, .npz")
      .required();
  DatasetOptions& data = request.options;
  options.add("--format", data.format, "What the data are: idx, array, cifar, images or table", "F");
  options.add("--part", data.part, "Of a folder with data to train and to test with: test or train", "P")
      .shows_default();
  options.add("--label-from", data.labels,
              "Where the classes of the samples are: a file of labels, or a column of the table", "FILE|COLUMN");
  options.add("--boxes", data.boxes, "A table of file, class and x0, y0, x1, y1 for a folder of images", "FILE");
  options.add("--annotations", data.annotations, "A folder of Pascal-VOC XML files with boxes", "FOLDER");
  add_reading(options, request.question.rows);
  options.add("--labels", request.question.labels,
              "Names of the model's classes: one per line, or JSON such as {\"0\": \"tench\", ...}", "FILE");
}

void add_metrics(Options& options, study::EvaluateRequest& request) {
  options
      .add("--metric", request.metrics, "Metrics, or all that suit the data; ascribe metrics lists them",
           "NAME[,NAME...]|all")
      .required()
      .list();
  add_settings(options, request.settings);
  options
      .add("--metric-set", request.metric_settings,
           "A parameter of the chosen metrics that have it, or of one; may be repeated", "[METRIC.]KEY=VALUE")
      .one_word();
}

void add_samples(Options& options, study::EvaluateRequest& request) {
  constexpr int64_t kMost = int64_t{1} << 40;
  options.add("--samples", request.samples, "How many samples; 0 for all", "N").shows_default().range(0, kMost);
  options.add("--skip", request.skip, "How many samples to pass over first", "N").range(0, kMost);
  options.flag("--shuffle", request.shuffle, "Take samples from all over the data, as the seed has it");
  options.flag("--only-correct", request.only_correct, "Only samples whose class the model gets right");
  options.add("--most-box", request.most_box, "Only samples whose boxes cover at most this share of the image", "SHARE")
      .real_range(0, 1);
  options.add("--batch", request.batch, "Samples at a time; as their size suggests if not given", "N")
      .range(1, int64_t{1} << 20);
}

const RegisterCommand command(
    {"evaluate", 9, "Which methods are good on this model: metrics on a data set",
     [](Options& options) -> std::function<int()> {
       auto choices = std::make_shared<Choices>();
       study::EvaluateRequest& request = choices->request;
       add_model(options, choices->model);
       add_data(options, request);
       add_methods(options, choices->methods);
       add_metrics(options, request);
       add_question(options, request.question, "What the input is compared with, and absent players replaced by");
       options.find("--target")
           .help(
               "What to explain: top, label (of the sample), a class by number or label, or what all samples\n"
               "share of an output with several axes: class=2,sum, weights=FILE.npy ...");
       add_samples(options, request);
       add_shard(options, choices->shard);
       add_output(options, choices->output,
                  "A folder for all results, or a .csv or .json file; an interrupted run goes on from there. With\n"
                  "--shard: a folder for the parts, which ascribe merge puts together");
       add_general(options, choices->general);
       add_log(options, choices->general);
       return [choices] { return evaluate(*choices); };
     }});

}  // namespace

}  // namespace ascribe::core::cli::command_evaluate
