// What the experiments share: an experiment has settings, which determine its results together with the seed, the data
// and the models, and makes tables and figures; reproduce.cpp keeps the folder.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/table.h"
#include "data/dataset.h"
#include "methods/method.h"
#include "study/question.h"
#include "study/reproduce/reproduce.h"
#include "study/work_cost.h"

namespace ascribe::core::study::paper {

// A model that takes part.
struct Network {
  std::string path;
  std::string name;  // of its file, without the suffix
  std::string hash;
};

// One experiment as it is run now.
struct PaperRun {
  const ReproduceRequest& request;
  const Running& running;
  std::string name;  // of the experiment
  std::vector<Network> networks;
  int64_t samples = 0;

  std::string journal(const std::string& part) const;  // a path in the folder
  Progress progress(const std::string& part) const;    // that says what is at work

  Subject open(const Network& network, std::optional<DType> precision) const;
  std::unique_ptr<Dataset> images() const;   // the test part of the data that the request names
  std::unique_ptr<Dataset> objects() const;  // with boxes: those of the data, or objects placed on clutter
  // Of images, against zero; `target`: as SampleAsker takes it.
  QuestionRequest question(const std::string& players, const std::string& target) const;
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
  Json (*settings)(const PaperRun&) = nullptr;
  Reproduced (*run)(const PaperRun&) = nullptr;
  std::vector<WorkCost> (*costs)(const PaperRun&) = nullptr;  // of its parts; null: not known beforehand
};

PaperExperiment table3();
PaperExperiment table4();
PaperExperiment table5();
PaperExperiment figure2();
PaperExperiment figure3();
PaperExperiment figure4();
PaperExperiment figure5a();
PaperExperiment figure5b();

// For the methods that average over several baselines: draws of N(0, sigma^2) around the common one.
Tensor noisy_baselines(const Shape& row, double sigma, int64_t count, uint64_t seed);
bool averages_over_baselines(const Method& method);

}  // namespace ascribe::core::study::paper
