// What the experiments of ascribe reproduce share (docs/howto/reproduce.md). An experiment has settings, which
// determine its results together with the seed, the data and the models, and makes tables and figures; the command
// keeps the folder.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/text_table.h"

namespace ascribe::core {

struct ReproduceRequest {
  GeneralOptions general;
  std::vector<std::string> experiments;
  std::string data;                 // empty: Debian's Fashion-MNIST
  std::vector<std::string> models;  // [EXPERIMENT=]FILE; none: the bundled ones
  std::string preprocess, players;  // empty: as the experiment has them
  int64_t samples = 0;              // 0: as the experiment has it
  OutputOptions folder;
};

// A model that takes part.
struct Network {
  std::string path;
  std::string name;  // of its file, without the suffix
  std::string hash;
};

// One experiment as it is run now.
struct PaperRun {
  const ReproduceRequest& request;
  std::string name;  // of the experiment
  std::vector<Network> networks;
  int64_t samples = 0;

  std::string journal(const std::string& part) const;  // a path in the folder
  Progress progress(const std::string& part) const;    // a bar that says what is at work
};

// What it made.
struct Reproduced {
  std::string markdown, csv, svg;
  std::vector<NamedBytes> others = {};
  std::map<std::string, double> seconds = {};  // of its parts
  std::vector<std::string> notes = {};
  std::vector<std::string> journals = {};  // to be deleted when everything is written
};

struct PaperExperiment {
  std::string name;
  std::string title;                  // "Table 3: ..."
  std::vector<std::string> networks;  // bundled ones that it uses if no other is given
  int64_t samples = 0;                // images if no other number is given; 0: it uses none
  nlohmann::ordered_json (*settings)(const PaperRun&) = nullptr;
  Reproduced (*run)(const PaperRun&) = nullptr;
};

PaperExperiment experiment_table3();
PaperExperiment experiment_table4();
PaperExperiment experiment_figure4();
PaperExperiment experiment_figure5a();
PaperExperiment experiment_figure5b();

}  // namespace ascribe::core
