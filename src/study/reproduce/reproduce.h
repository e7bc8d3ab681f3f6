// reproduce: the paper's tables and figures, from data (docs/howto/reproduce.md). Every experiment writes NAME.md,
// NAME.csv and NAME.svg into a folder; run.json keeps what determined them, and the time that they took. What is there
// already with the same settings is not made again, and work that was stopped goes on.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "study/run.h"
#include "study/subject.h"

namespace ascribe::core::study {

struct ReproducedExperiment {
  std::string name;   // "table3"
  std::string title;  // "Table 3: ..."
  bool was_there = false;
  double seconds = 0;              // 0 if it was there
  std::vector<std::string> files;  // with the folder; the page first
};

struct ReproduceRequest {
  std::vector<std::string> experiments;       // by name, or "all"
  std::string folder = "reproduction";        // for tables and figures
  bool force = false;                         // replaces what was made with other settings
  std::string data = {};                      // images; empty: Debian's Fashion-MNIST
  std::vector<std::string> models = {};       // [EXPERIMENT=]FILE; none: the bundled ones
  std::string preprocess = {}, players = {};  // empty: as the experiment has them
  int64_t samples = 0;                        // images; 0: as the experiment has it
  size_t memory = kUsualMemory;
  Run run = {};
  std::function<void(const ReproducedExperiment&)> finished = {};  // told when one has been written
};

struct ReproduceResult {
  std::vector<ReproducedExperiment> experiments;
  Json record;  // of the folder, as run.json has it
  std::vector<std::string> notes;
};

ReproduceResult reproduce(const ReproduceRequest& request);

std::vector<std::string> experiment_names();

}  // namespace ascribe::core::study
