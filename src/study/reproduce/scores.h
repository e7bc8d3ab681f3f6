// A metric of all fourteen methods over many images, against the number of principles that each satisfies: what the
// two halves of the paper's Figure 5 share. The number of principles is measured (study/audit.h).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "draw/scatter.h"
#include "metrics/summary.h"
#include "study/reproduce/experiment.h"

namespace ascribe::core::study::paper {

// How methods are run and scored.
struct ScorePlan {
  std::vector<std::string> settings;  // of methods: METHOD.KEY=VALUE
  std::vector<std::string> metrics;   // the first is the one that the figure shows
  std::string players;
  std::string target = "top";  // or "label"
  bool objects = false;        // the metrics need to know where objects are
  double largest = 1;          // objects that cover this share of the image or more are left out
};

Json to_json(const ScorePlan& plan);
std::string plan_in_words(const ScorePlan& plan);  // a paragraph of Markdown

struct ScoredMethod {
  const Method& method;
  int principles = 0;
  std::vector<Summary> summaries;  // per metric
  std::string left_out;            // why it has none
};

struct ScoredNetwork {
  std::string name;
  int64_t images = 0, correct = 0, too_large = 0, without_box = 0;
  double covered = 0;  // mean share of the image that the object has: what chance gets
  std::vector<ScoredMethod> methods;
};

// Goes on from the journals of an earlier run. Times and notes go to `made`.
std::vector<ScoredNetwork> score_networks(const PaperRun& run, std::shared_ptr<Dataset> data,
                                          const std::function<ScorePlan(const Network&)>& plan_of, Reproduced& made);

// A heading, `counts`, a table of the methods and one of the numbers of principles. `unit`: what a score of 1 is shown
// as.
std::string section_of(const ScoredNetwork& network, const std::string& counts, const ScorePlan& plan, double unit);
std::string scores_csv(const std::vector<ScoredNetwork>& networks, const ScorePlan& plan);
ScatterPanel panel_of(const ScoredNetwork& network, double unit);

}  // namespace ascribe::core::study::paper
