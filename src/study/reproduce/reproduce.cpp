#include "study/reproduce/reproduce.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include <fmt/ranges.h>

#include "base/closest_name.h"
#include "base/sha256.h"
#include "study/bundled.h"
#include "study/reproduce/experiment.h"

namespace ascribe::core::study {

namespace {

namespace fs = std::filesystem;
using paper::Network;
using paper::PaperExperiment;
using paper::PaperRun;
using paper::Reproduced;

constexpr size_t kLargestRecord = size_t{1} << 26;

std::vector<PaperExperiment> all_experiments() {
  return {paper::table3(),  paper::table4(),  paper::table5(),   paper::figure2(),
          paper::figure3(), paper::figure4(), paper::figure5a(), paper::figure5b()};
}

// ---- which ones, and on which networks ----

bool among(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<PaperExperiment> chosen_experiments(const std::vector<std::string>& wanted) {
  const std::vector<std::string> names = experiment_names();
  for (const std::string& name : wanted) {
    if (name != "all" && !among(names, name)) {
      fail(ErrorKind::argument, name, "there is no such experiment; {} or all", expected_one_of(name, names));
    }
  }
  std::vector<PaperExperiment> chosen = all_experiments();
  std::erase_if(chosen, [&](const PaperExperiment& one) { return !among(wanted, "all") && !among(wanted, one.name); });
  return chosen;
}

Network network_at(const std::string& path) { return {path, fs::path(path).stem().string(), sha256(read_file(path))}; }

// FILE for all, EXPERIMENT=FILE for one; without any the bundled ones.
std::vector<Network> networks_of(const PaperExperiment& experiment, const ReproduceRequest& request) {
  if (experiment.networks.empty()) return {};
  std::vector<Network> networks;
  for (const std::string& text : request.models) {
    const size_t sign = text.find('=');
    const bool for_one = sign != std::string::npos && among(experiment_names(), text.substr(0, sign));
    if (for_one && text.substr(0, sign) != experiment.name) continue;
    networks.push_back(network_at(for_one ? text.substr(sign + 1) : text));
  }
  if (!networks.empty()) return networks;
  for (const std::string& name : experiment.networks) networks.push_back(network_at(bundled_file(name + ".onnx")));
  return networks;
}

// ---- the folder ----

// What determines the results.
Json parameters_of(const PaperExperiment& experiment, const PaperRun& run) {
  Json parameters = Json::object({{"ascribe", ASCRIBE_VERSION}, {"seed", run.running.seed()}});
  if (run.samples > 0) parameters["samples"] = run.samples;
  for (const Network& network : run.networks) {
    Json& models = parameters["models"];
    if (models.is_null()) models = Json::list();
    models.push(Json::object({{"name", network.name}, {"sha256", network.hash}}));
  }
  if (!run.request.preprocess.empty()) parameters["preprocess"] = run.request.preprocess;
  parameters.update(experiment.settings(run));
  return parameters;
}

// " (different: seed)"
std::string difference(const Json& before, const Json& now) {
  std::vector<std::string> keys;
  for (const JsonMember& member : now.members()) {
    const Json* there = before.find(member.key);
    if (there == nullptr || *there != member.value) keys.push_back(member.key);
  }
  return keys.empty() ? "" : fmt::format(" (different: {})", fmt::join(keys, ", "));
}

// Of every experiment, the page first.
std::vector<std::string> files_of(const PaperExperiment& experiment, const fs::path& folder) {
  std::vector<std::string> paths;
  for (const char* suffix : {".md", ".csv", ".svg"}) paths.push_back((folder / (experiment.name + suffix)).string());
  return paths;
}

// run.json: what was made before, by which settings.
class Record {
 public:
  explicit Record(const ReproduceRequest& request) : folder_(request.folder), force_(request.force) {
    const fs::path path = folder_ / "run.json";
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return;
    json_ = parse_json(read_file(path, kLargestRecord), path.string());
    const Json* experiments = json_.find("experiments");
    if (experiments == nullptr || !experiments->is_object()) {
      fail(ErrorKind::io, path.string(), "this is not the record of a reproduction; choose another folder");
    }
  }

  // Whether the experiment's files are there and were made in this way. Complains of files that would be replaced.
  bool has(const PaperExperiment& experiment, const Json& parameters) const {
    const std::vector<std::string> files = files_of(experiment, folder_);
    std::error_code ignored;
    const auto there = std::count_if(files.begin(), files.end(), [&](const auto& f) { return fs::exists(f, ignored); });
    if (there == 0 || force_) return false;
    const Json* experiments = json_.find("experiments");
    const Json* known = experiments == nullptr ? nullptr : experiments->find(experiment.name);
    const Json* before = known == nullptr ? nullptr : known->find("parameters");
    if (there == std::ssize(files) && before != nullptr && *before == parameters) return true;
    fail(ErrorKind::io, files[0],
         "it was made with other settings{}; pass `force` to replace it, or choose another folder",
         before == nullptr ? "" : difference(*before, parameters));
  }

  void add(const PaperExperiment& experiment, const Json& parameters, const Reproduced& made, double seconds) {
    Json timings = Json::object({{"total", seconds}});
    for (const auto& [part, time] : made.seconds) timings[part] = time;
    json_["ascribe"] = ASCRIBE_VERSION;
    json_["experiments"][experiment.name] = Json::object({{"title", experiment.title},
                                                          {"parameters", parameters},
                                                          {"notes", made.notes},
                                                          {"seconds", std::move(timings)}});
  }

  const Json& json() const { return json_; }

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
  fs::path folder_;
  bool force_;
  Json json_ = Json::object();
};

// All its files or none, and the record of them.
std::vector<std::string> write(const PaperExperiment& experiment, const Reproduced& made, const Record& record,
                               const fs::path& folder) {
  std::vector<NamedBytes> files = {{experiment.name + ".md", made.markdown},
                                   {experiment.name + ".csv", made.csv},
                                   {experiment.name + ".svg", made.svg}};
  files.insert(files.end(), made.others.begin(), made.others.end());
  std::vector<std::string> paths = files_of(experiment, folder);
  for (const NamedBytes& other : made.others) paths.push_back((folder / other.name).string());
  files.push_back({"run.json", record.json().dump() + "\n"});
  files.push_back({"README.md", record.index()});
  write_folder(folder, files, true);  // what must not be replaced was refused before
  std::error_code ignored;
  for (const std::string& journal : made.journals) fs::remove(journal, ignored);
  return paths;
}

// ---- running ----

struct Planned {
  PaperExperiment experiment;
  PaperRun run;
  Json parameters;
  bool was_there = false;
};

std::vector<Planned> plan(const ReproduceRequest& request, const Record& record, Running& running) {
  std::vector<Planned> planned;
  for (PaperExperiment& one : chosen_experiments(request.experiments)) {
    PaperRun run{request, running, one.name, networks_of(one, request), one.samples};
    if (one.samples > 0 && request.samples > 0) run.samples = request.samples;
    Json parameters = parameters_of(one, run);
    const bool was_there = record.has(one, parameters);
    if (was_there) running.note(fmt::format("{} is there already, with these settings", one.name));
    planned.push_back({std::move(one), std::move(run), std::move(parameters), was_there});
  }
  return planned;
}

// What will take how long, as far as that is known.
void tell_costs(const std::vector<Planned>& planned, Running& running) {
  for (const Planned& one : planned) {
    if (one.was_there) continue;
    const std::string images = one.run.samples > 0 ? fmt::format(" of {} images", one.run.samples) : "";
    if (one.experiment.costs == nullptr) {
      running.note(fmt::format("{}{}: how long it takes is not known beforehand", one.experiment.name, images));
      continue;
    }
    for (const WorkCost& cost : one.experiment.costs(one.run)) {
      running.note(fmt::format("{}: {}", one.experiment.name, cost.words()));
    }
  }
}

ReproducedExperiment make(const Planned& one, Record& record, Running& running) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const Reproduced made = one.experiment.run(one.run);
  ReproducedExperiment done{one.experiment.name, one.experiment.title, false, 0, {}};
  done.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  record.add(one.experiment, one.parameters, made, done.seconds);
  done.files = write(one.experiment, made, record, one.run.request.folder);
  running.note(made.notes);
  return done;
}

}  // namespace

std::vector<std::string> experiment_names() {
  std::vector<std::string> names;
  for (const PaperExperiment& one : all_experiments()) names.push_back(one.name);
  return names;
}

ReproduceResult reproduce(const ReproduceRequest& request) {
  Running running(request.run);
  check_folder(request.folder, {}, request.force);
  Record record(request);
  ReproduceResult result;
  const std::vector<Planned> planned = plan(request, record, running);
  tell_costs(planned, running);
  for (const Planned& one : planned) {
    if (one.was_there) {
      result.experiments.push_back(
          {one.experiment.name, one.experiment.title, true, 0, files_of(one.experiment, request.folder)});
      continue;
    }
    make_folder(request.folder);
    result.experiments.push_back(make(one, record, running));
    if (request.finished) request.finished(result.experiments.back());
  }
  result.record = record.json();
  result.notes = running.notes();
  return result;
}

}  // namespace ascribe::core::study
