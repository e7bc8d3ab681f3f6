// ascribe reproduce: the paper's tables and figures, from data (docs/howto/reproduce.md). Every experiment writes
// NAME.md, NAME.csv and NAME.svg; run.json keeps what determined them, and the time that they took. What is there
// already with the same settings is not made again.
#include "cli/reproduce.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include <fmt/ranges.h>

#include "base/file.h"
#include "base/sha256.h"
#include "cli/bundled.h"
#include "cli/commands.h"
#include "cli/terminal.h"

namespace ascribe::core {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

std::vector<PaperExperiment> all_experiments() {
  return {experiment_table3(), experiment_table4(), experiment_figure4(), experiment_figure5a(), experiment_figure5b()};
}

std::vector<std::string> experiment_names() {
  std::vector<std::string> names;
  for (const PaperExperiment& one : all_experiments()) names.push_back(one.name);
  return names;
}

// ---- which ones, and on which networks ----

std::vector<PaperExperiment> chosen_experiments(const ReproduceRequest& request) {
  const auto& wanted = request.experiments;
  const auto asked_for = [&](const std::string& name) {
    return std::find(wanted.begin(), wanted.end(), name) != wanted.end();
  };
  const std::vector<std::string> names = experiment_names();
  for (const std::string& name : wanted) {
    if (name != "all" && std::find(names.begin(), names.end(), name) == names.end()) {
      fail(ErrorKind::argument, name, "there is no such experiment; expected {} or all", fmt::join(names, ", "));
    }
  }
  std::vector<PaperExperiment> chosen;
  for (PaperExperiment& one : all_experiments()) {
    if (asked_for("all") || asked_for(one.name)) chosen.push_back(std::move(one));
  }
  return chosen;
}

Network network_at(const std::string& path) { return {path, fs::path(path).stem().string(), sha256(read_file(path))}; }

// FILE for all, EXPERIMENT=FILE for one; without any the bundled ones.
std::vector<Network> networks_of(const PaperExperiment& experiment, const ReproduceRequest& request) {
  const std::vector<std::string> names = experiment_names();
  std::vector<Network> networks;
  for (const std::string& text : experiment.networks.empty() ? std::vector<std::string>{} : request.models) {
    const size_t sign = text.find('=');
    const bool for_one =
        sign != std::string::npos && std::find(names.begin(), names.end(), text.substr(0, sign)) != names.end();
    if (for_one && text.substr(0, sign) != experiment.name) continue;
    networks.push_back(network_at(for_one ? text.substr(sign + 1) : text));
  }
  if (!networks.empty()) return networks;
  for (const std::string& name : experiment.networks) networks.push_back(network_at(bundled_file(name + ".onnx")));
  return networks;
}

// ---- the folder ----

Json parameters_of(const PaperExperiment& experiment, const PaperRun& run) {
  Json parameters = {{"ascribe", ASCRIBE_VERSION}, {"seed", run.request.general.seed}};
  if (run.samples > 0) parameters["samples"] = run.samples;
  for (const Network& network : run.networks) {
    parameters["models"].push_back({{"name", network.name}, {"sha256", network.hash}});
  }
  if (!run.request.preprocess.empty()) parameters["preprocess"] = run.request.preprocess;
  parameters.update(experiment.settings(run));
  return parameters;
}

std::vector<std::string> files_of(const PaperExperiment& experiment) {
  return {experiment.name + ".md", experiment.name + ".csv", experiment.name + ".svg"};
}

// run.json: what was made before, by which settings.
class Record {
 public:
  explicit Record(const ReproduceRequest& request) : request_(request) {
    const fs::path path = fs::path(request.folder.path) / "run.json";
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return;
    json_ = Json::parse(read_file(path), nullptr, false);
    if (!json_.is_object() || !json_.contains("experiments") || !json_["experiments"].is_object()) {
      fail(ErrorKind::io, path.string(), "this is no record of ascribe reproduce; name another folder with -o");
    }
  }

  // Whether the experiment's files are there and were made in this way. Complains of files that would be replaced.
  bool has(const PaperExperiment& experiment, const Json& parameters) const {
    bool whole = true, any = false;
    for (const std::string& name : files_of(experiment)) {
      std::error_code ignored;
      const bool there = fs::exists(fs::path(request_.folder.path) / name, ignored);
      whole = whole && there;
      any = any || there;
    }
    if (!any || request_.folder.force) return false;
    const bool known = json_.contains("experiments") && json_["experiments"].contains(experiment.name);
    if (whole && known && json_["experiments"][experiment.name]["parameters"] == parameters) return true;
    fail(ErrorKind::io, (fs::path(request_.folder.path) / (experiment.name + ".md")).string(),
         "it was made with other settings{}; pass --force to replace it, or -o for another folder",
         known ? difference(json_["experiments"][experiment.name]["parameters"], parameters) : "");
  }

  void add(const PaperExperiment& experiment, const Json& parameters, const Reproduced& made, double seconds) {
    Json timings = {{"total", seconds}};
    for (const auto& [part, time] : made.seconds) timings[part] = time;
    json_["ascribe"] = ASCRIBE_VERSION;
    json_["experiments"][experiment.name] = {
        {"title", experiment.title}, {"parameters", parameters}, {"notes", made.notes}, {"seconds", timings}};
  }

  const Json& json() const { return json_; }
  std::string text() const { return json_.dump(2) + "\n"; }

  // The folder's README: what there is, without times, so that equal runs write equal bytes.
  std::string index() const {
    std::string text =
        "# The paper's tables and figures, reproduced\n\nWritten by `ascribe reproduce`; `run.json` has "
        "all parameters, hashes and times.\n\n";
    for (const PaperExperiment& one : all_experiments()) {
      if (!json_["experiments"].contains(one.name)) continue;
      text += fmt::format("- [{0}]({1}.md) ([numbers]({1}.csv), [figure]({1}.svg))\n", one.title, one.name);
    }
    return text;
  }

 private:
  static std::string difference(const Json& before, const Json& now) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : now.items()) {
      if (!before.contains(key) || before[key] != value) keys.push_back(key);
    }
    return keys.empty() ? "" : fmt::format(" (different: {})", fmt::join(keys, ", "));
  }

  const ReproduceRequest& request_;
  Json json_ = Json::object();
};

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) fail(ErrorKind::io, path, "cannot make the folder; {}", error.message());
}

void write(const ReproduceRequest& request, const PaperExperiment& experiment, const Reproduced& made,
           const Record& record) {
  std::vector<NamedBytes> files = {{experiment.name + ".md", made.markdown},
                                   {experiment.name + ".csv", made.csv},
                                   {experiment.name + ".svg", made.svg}};
  files.insert(files.end(), made.others.begin(), made.others.end());
  files.push_back({"run.json", record.text()});
  files.push_back({"README.md", record.index()});
  write_output_folder({request.folder.path, true}, files);  // what must not be replaced was refused before
  std::error_code ignored;
  for (const std::string& journal : made.journals) fs::remove(journal, ignored);
}

// ---- running ----

struct Planned {
  PaperExperiment experiment;
  PaperRun run;
  Json parameters;
};

std::vector<Planned> plan(const ReproduceRequest& request, const Record& record) {
  std::vector<Planned> planned;
  for (PaperExperiment& one : chosen_experiments(request)) {
    PaperRun run{request, one.name, networks_of(one, request), one.samples};
    if (one.samples > 0 && request.samples > 0) run.samples = request.samples;
    Json parameters = parameters_of(one, run);
    if (record.has(one, parameters)) {
      print_notes({fmt::format("{} is there already, with these settings", one.name)}, request.general.quiet);
    } else {
      planned.push_back({std::move(one), std::move(run), std::move(parameters)});
    }
  }
  return planned;
}

void reproduce(const ReproduceRequest& request) {
  using Clock = std::chrono::steady_clock;
  if (!request.general.precision.empty()) {
    fail(ErrorKind::argument, "--precision", "every experiment has its own: double for table3, float otherwise");
  }
  check_output_folder(request.folder, {});
  Record record(request);
  const std::vector<Planned> planned = plan(request, record);
  if (!planned.empty()) make_folder(request.folder.path);
  for (const Planned& one : planned) {
    const auto start = Clock::now();
    const Reproduced made = one.experiment.run(one.run);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    record.add(one.experiment, one.parameters, made, seconds);
    write(request, one.experiment, made, record);
    print_notes(made.notes, request.general.quiet);
    if (!request.general.json)
      fmt::print("{}  {:.0f} s  {}\n", one.experiment.title, seconds,
                 printable((fs::path(request.folder.path) / (one.experiment.name + ".md")).string()));
    std::fflush(stdout);
  }
  if (request.general.json) print_json(record.json());
}

}  // namespace

std::string PaperRun::journal(const std::string& part) const {
  return (fs::path(request.folder.path) / fmt::format("{}-{}.journal", name, part)).string();
}

Progress PaperRun::progress(const std::string& part) const {
  const Progress bar = progress_bar(request.general.quiet);
  if (!bar) return {};
  return [bar, title = fmt::format("{}, {}", name, part)](std::string_view task, int64_t done, int64_t total) {
    bar(fmt::format("{}: {}", title, task), done, total);
  };
}

void add_reproduce(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("reproduce", "The paper's tables and figures, from data");
  auto request = std::make_shared<ReproduceRequest>();
  request->folder.path = "reproduction";
  command.add_option("EXPERIMENT", request->experiments, fmt::format("{} or all", fmt::join(experiment_names(), ", ")))
      ->required();
  command
      .add_option("--data", request->data,
                  "Where the images are: a folder with the idx files of MNIST or a relative; for figure5b\n"
                  "also a folder or table of images with boxes. Debian's Fashion-MNIST if not given")
      ->type_name("DIR");
  command
      .add_option("--model", request->models,
                  "An .onnx file instead of the bundled ones, for all experiments or for one; may be repeated")
      ->allow_extra_args(false)
      ->type_name("[EXPERIMENT=]FILE");
  command.add_option("--samples", request->samples, "Images; as many as the experiment has if not given")
      ->check(CLI::Range(1, 1000000).description(""))
      ->type_name("N");
  command.add_option("--preprocess", request->preprocess, "unit, imagenet, raw, or a JSON file; guessed if not given")
      ->type_name("P");
  command.add_option("--players", request->players, "Who takes part in figure5b: pixels, patch:K, grid:RxC ...")
      ->type_name("P");
  add_output_options(command, request->folder, "The folder for tables and figures; work that was interrupted goes on");
  command.get_option("--out")->capture_default_str();
  add_general_options(command, request->general);
  command.callback([request] { reproduce(*request); });
}

}  // namespace ascribe::core
