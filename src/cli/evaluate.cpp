// ascribe evaluate: methods rated by metrics on the samples of a data set (docs/howto/evaluate.md).
#include "cli/evaluate.h"

#include <chrono>
#include <filesystem>

#include "base/file.h"
#include "base/sha256.h"
#include "cli/commands.h"
#include "cli/method_option.h"
#include "cli/terminal.h"

namespace ascribe::core {

namespace {

constexpr size_t kNotesShown = 8;

// Beside the output, under a name that is no result's.
std::string journal_path(const EvaluateRequest& request) {
  const std::string& out = request.file.path;
  if (out.empty()) return "";
  if (out.ends_with(".csv") || out.ends_with(".json")) return out + ".unfinished";
  return (std::filesystem::path(out) / "unfinished.journal").string();
}

// Everything besides methods and metrics that the scores depend on.
nlohmann::ordered_json about(const EvaluateRequest& request, const std::string& model_hash, const Dataset& data) {
  const QuestionOptions& question = request.question;
  return {{"model", model_hash},
          {"data", fmt::format("{}, {}", request.data, data.description)},
          {"part", request.dataset.part},
          {"label-from", request.dataset.labels},
          {"boxes", request.dataset.boxes},
          {"annotations", request.dataset.annotations},
          {"columns", request.input.columns},
          {"preprocess", request.input.preprocess},
          {"shape", request.model.shapes},
          {"players", question.players},
          {"baseline", question.baseline},
          {"target", question.target},
          {"explain", question.explain},
          {"output", question.output},
          {"samples", request.samples},
          {"skip", request.skip},
          {"shuffle", request.shuffle},
          {"only-correct", request.only_correct},
          {"most-box", request.most_box}};
}

Experiment make_experiment(ExplainedModel& model, const EvaluateRequest& request, const Dataset& data,
                           const std::string& model_hash) {
  std::vector<EvaluatedMethod> methods;
  for (const ChosenMethod& one : choose_methods(request.methods, request.settings)) {
    methods.push_back({one.method, one.parameters, one.asked_for});
  }
  std::vector<EvaluatedMetric> metrics;
  for (const ChosenMetric& one : choose_metrics(request.metrics, request.metric_settings)) {
    metrics.push_back({one.metric, one.parameters, one.asked_for});
  }
  EvaluationOptions options;
  options.about = about(request, model_hash, data);
  options.seed = request.general.seed;
  options.objects = data.boxed;
  options.force = request.file.force;
  options.journal = journal_path(request);
  return {model, std::move(methods), std::move(metrics), std::move(options)};
}

void check_labels_are_there(const EvaluateRequest& request, const Dataset& data) {
  if (!data.labelled && (request.only_correct || request.question.target == "label")) {
    fail(ErrorKind::argument, request.only_correct ? "--only-correct" : "--target label",
         "the data do not say their classes ({}); --label-from may name them", data.description);
  }
  if (!data.boxed && request.most_box > 0) {
    fail(ErrorKind::argument, "--most-box", "the data have no boxes ({})", data.description);
  }
}

void print_some_notes(std::vector<std::string> notes, bool quiet) {
  if (notes.size() > kNotesShown) {
    const size_t more = notes.size() - kNotesShown;
    notes.resize(kNotesShown);
    notes.push_back(fmt::format("and {} more notes like these", more));
  }
  print_notes(notes, quiet);
}

// The folder of the results is there from the beginning, as it holds the journal.
void make_folder(const EvaluateRequest& request) {
  const std::filesystem::path journal(journal_path(request));
  if (journal.empty() || journal.filename() != "unfinished.journal") return;
  std::error_code error;
  std::filesystem::create_directory(request.file.path, error);
  if (error) fail(ErrorKind::io, request.file.path, "cannot make the folder; {}", error.message());
}

std::unique_ptr<Dataset> open_data(EvaluateRequest& request) {
  request.dataset.columns = request.input.columns;
  request.dataset.classes = read_labels(request.input.labels);
  request.input.paths = {request.data};
  auto data = open_dataset(request.data, request.dataset);
  check_labels_are_there(request, *data);
  if (request.skip >= data->size()) {
    fail(ErrorKind::argument, "--skip", "got {}; the data have {} samples", request.skip, data->size());
  }
  return data;
}

void evaluate(EvaluateRequest request) {
  const auto start = std::chrono::steady_clock::now();
  choose_methods(request.methods, request.settings);
  choose_metrics(request.metrics, request.metric_settings);
  check_evaluation_files(request);
  const auto data = open_data(request);
  Model model = load_model(request.model, request.general);
  std::vector<std::string> notes = model.notes();
  ExplainedModel explained(model.graph(), {request.question.output,
                                           request.question.probability(),
                                           request.question.input,
                                           {model.precision(), parse_memory(request.general.memory), 0}});
  notes.insert(notes.end(), explained.notes().begin(), explained.notes().end());
  make_folder(request);
  const std::string hash = sha256(read_file(request.model.path));
  Experiment experiment = make_experiment(explained, request, *data, hash);
  if (const size_t known = experiment.samples().size(); known > 0) {
    notes.push_back(fmt::format("going on where an earlier run stopped: {} samples are done", known));
  }
  const SamplesSeen seen = SampleScorer(model, *data, experiment, request, notes).run();
  if (experiment.samples().empty()) {
    fail(ErrorKind::unsupported, request.data, "no sample is left: {} read, {} wrong, {} with too large a box or none",
         seen.read, seen.wrong, seen.large);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const EvaluateAnswer answer{experiment, hash, data->description, seen, notes, seconds};
  print_some_notes(notes, request.general.quiet);
  write_evaluation(answer, request);
  experiment.forget_journal();
  if (request.general.json) print_json(evaluation_as_json(answer, request));
  else print_evaluation(answer, request);
}

void add_sample_options(CLI::App& command, EvaluateRequest& request) {
  command.add_option("--samples", request.samples, "How many samples; 0 for all")
      ->capture_default_str()
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 40).description(""))
      ->type_name("N");
  command.add_option("--skip", request.skip, "How many samples to pass over first")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 40).description(""))
      ->type_name("N");
  command.add_flag("--shuffle", request.shuffle, "Take samples from all over the data, as the seed has it");
  command.add_flag("--only-correct", request.only_correct, "Only samples whose class the model gets right");
  command.add_option("--most-box", request.most_box, "Only samples whose boxes cover at most this share of the image")
      ->check(CLI::Range(0.0, 1.0).description(""))
      ->type_name("SHARE");
  command.add_option("--batch", request.batch, "Samples at a time; as their size suggests if not given")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 20).description(""))
      ->type_name("N");
}

void add_data_options(CLI::App& command, EvaluateRequest& request) {
  command
      .add_option("DATA", request.data,
                  "A data set: idx files (MNIST), a folder of images, CIFAR's .bin files, .csv, .npy, .npz")
      ->required()
      ->type_name("");
  command.add_option("--format", request.dataset.format, "What the data are: idx, array, cifar, images or table")
      ->type_name("F");
  command.add_option("--part", request.dataset.part, "Of a folder with data to train and to test with: test or train")
      ->capture_default_str()
      ->type_name("P");
  command
      .add_option("--label-from", request.dataset.labels,
                  "Where the classes of the samples are: a file of labels, or a column of the table")
      ->type_name("FILE|COLUMN");
  command
      .add_option("--boxes", request.dataset.boxes, "A table of file, class and x0, y0, x1, y1 for a folder of images")
      ->type_name("FILE");
  command.add_option("--annotations", request.dataset.annotations, "A folder of Pascal-VOC XML files with boxes")
      ->type_name("FOLDER");
  add_reading_options(command, request.input);
  command.add_option("--labels", request.input.labels, "Names of the model's classes, one per line")->type_name("FILE");
}

}  // namespace

void add_evaluate(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("evaluate", "Which methods are good on this model: metrics on a data set");
  auto request = std::make_shared<EvaluateRequest>();
  add_model_options(command, request->model);
  add_data_options(command, *request);
  add_method_option(command, request->methods).required();
  command.add_option("--metric", request->metrics, "Metrics, or all that suit the data; ascribe metrics lists them")
      ->required()
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME[,NAME...]|all");
  add_setting_option(command, request->settings);
  command
      .add_option("--metric-set", request->metric_settings,
                  "A parameter of the chosen metrics that have it, or of one; may be repeated")
      ->allow_extra_args(false)
      ->type_name("[METRIC.]KEY=VALUE");
  add_question_options(command, request->question, "What the input is compared with, and absent players replaced by");
  command.get_option("--target")
      ->description("The class to explain: top, label (of the sample), its number, or its label");
  add_sample_options(command, *request);
  add_output_options(command, request->file,
                     "A folder for all results, or a .csv or .json file; an interrupted run goes on from there");
  add_general_options(command, request->general);
  command.callback([request] { evaluate(*request); });
}

}  // namespace ascribe::core
