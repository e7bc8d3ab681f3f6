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
  std::string name;                   // of several plans for one network: "blur-patches"
  std::string baseline = "zero";      // as QuestionRequest has it
  int64_t samples = 0;                // 0: as the run has it
  std::vector<std::string> settings;  // of methods: METHOD.KEY=VALUE
  std::vector<std::string> metrics;   // the first is the one that the figure shows
  std::string players;
  std::string target = "top";  // or "label"
  bool medians = false;        // a group's score on an image is the median of its methods' there, not their mean
  bool objects = false;        // the metrics need to know where objects are
  double largest = 1;          // objects that cover this share of the image or more are left out
};

Json to_json(const ScorePlan& plan);
std::string plan_in_words(const ScorePlan& plan);   // a paragraph of Markdown
std::string tests_in_words(const ScorePlan& plan);  // likewise

struct ScoredMethod {
  const Method& method;
  int principles = 0;
  std::vector<Summary> summaries;           // per metric
  std::vector<std::vector<double>> scores;  // [metric][image]; not a number: it has none
  std::string left_out;                     // why it has none
};

struct ScoredNetwork {
  std::string name;
  ScorePlan plan;
  int64_t images = 0, correct = 0, too_large = 0, without_box = 0;
  double covered = 0;  // mean share of the image that the object has: what chance gets
  std::vector<ScoredMethod> methods;
};

// Every network by every plan for it. Goes on from the journals of an earlier run. Times and notes go to `made`.
std::vector<ScoredNetwork> score_networks(const PaperRun& run, const std::shared_ptr<Dataset>& data,
                                          const std::function<std::vector<ScorePlan>(const Network&)>& plans_of,
                                          Reproduced& made);

// What that costs, network by network and plan by plan.
std::vector<WorkCost> costs_of_scores(const PaperRun& run, const std::shared_ptr<Dataset>& data,
                                      const std::function<std::vector<ScorePlan>(const Network&)>& plans_of);

// The methods in the order of tables: most principles first.
std::vector<const ScoredMethod*> by_principles(const ScoredNetwork& network);
std::string left_out_text(const ScoredNetwork& network);  // paragraphs; empty: none is
// A table of the methods, and one of the numbers of principles. `unit`: what a score of 1 is shown as.
std::string method_table(const ScoredNetwork& network, double unit);
std::string group_table(const ScoredNetwork& network, double unit, uint64_t seed);
std::string scores_csv(const std::vector<ScoredNetwork>& networks);
// Of one metric.
ScatterPanel panel_of(const ScoredNetwork& network, size_t metric, double unit);

std::string title_of_metric(const std::string& metric);  // within a sentence
std::string score_text(double value);                    // "0.5089", "3.1e+05"; "–" if it is not a number
std::string interval_text(const Summary& summary, double unit);

}  // namespace ascribe::core::study::paper
