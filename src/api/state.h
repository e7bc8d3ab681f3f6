// What the handles of include/ascribe stand for: the requests and results of study. A `record` is the text of a record;
// empty: nobody asked for it.
#pragma once

#include <filesystem>
#include <set>

#include <ascribe/ascribe.h>

#include "api/turn.h"
#include "study/audit.h"
#include "study/compare.h"
#include "study/compile.h"
#include "study/decompose.h"
#include "study/evaluate.h"
#include "study/explain.h"
#include "study/predict.h"

namespace ascribe {

struct Question::State {
  core::study::QuestionRequest request;
};

struct Options::State {
  core::study::Run run;
  std::vector<std::string> settings, metric_settings;
  bool allocations = false, at_any_cost = false, and_or = false, force = false, shuffle = false, only_correct = false;
  bool trace = false, record = false;
  int order = 0, taylor = 0;
  int64_t samples = 0, top = 0, skip = 0, batch = 0, most_rows = 0, items = 0;
  int64_t dataset_rows = 0, row_pages = 0, evaluations = 20000;
  double most_box = 0, aim = 0;
  std::string absence, influence, estimate, estimator;
  std::string budget, index, title, parts, format, part, label_from, boxes, annotations, journal, shard;
  std::vector<std::string> metrics;
  core::GivenFacts facts;
  std::vector<int> orders;
  std::vector<double> sigmas, smooth;
  int64_t draws = 0, inputs = 0;
  std::set<std::string> given;  // besides those that every verb knows

  // Refuses what this verb does not know.
  void check(const char* verb, const std::set<std::string>& known) const;
};

struct Asked::State {
  core::ExplainedModel& model;
  const core::Question& question;
};

struct Method::State {
  std::string name;
  std::shared_ptr<const core::Method> own;  // null: by name
};

struct LoadOptions::State {
  core::study::ModelSource source;
  core::Progress progress = {};
};

struct Model::State {
  explicit State(core::study::Subject studied);

  core::study::Subject subject;
  std::vector<int64_t> row_shape;
  int64_t targets = 0;
  Turn turn;
};

struct Prediction::State {
  core::study::PredictResult result;
  std::string record = {};
};

struct Attribution::State {
  core::study::ExplainResult result;
  std::string record = {};
};

struct Decomposition::State {
  core::study::DecomposeResult result;
  std::string record = {};
};

struct Audit::State {
  core::study::AuditResult result;
  std::string record = {};
  std::vector<std::vector<double>> values = {};  // per method
};

struct Comparison::State {
  core::study::CompareResult result;
  std::string record = {};
};

struct Compiled::State {
  core::study::CompileResult result;
  std::string record = {};
};

std::vector<core::study::MethodWish> wishes(const std::vector<Method>& methods);

// Looks at numbers of the caller's without copying them.
core::Tensor borrowed(const Array& array);
Array seen(const core::Tensor& tensor);  // float or double

std::vector<LeftOut> seen(const std::vector<core::study::LeftOut>& left_out);

core::Progress stoppable(Progress told);

[[noreturn]] void throw_translated(const core::Error& error);
[[noreturn]] void throw_back(const Error& error);

// Everything that the interface does goes through here: errors are those that its users see.
template <class F>
decltype(auto) translated(F&& work) {
  try {
    return work();
  } catch (const core::Error& error) {
    throw_translated(error);
  } catch (const std::filesystem::filesystem_error& error) {  // a folder that may not be looked into
    throw_translated({core::ErrorKind::io, error.path1().string(), "cannot be looked at; " + error.code().message()});
  }
}

// A verb: its turn on the model, and errors that users see.
template <class F>
auto verb(const std::shared_ptr<Model::State>& state, const Options& options, F&& work) {
  return translated([&] {
    const HasTurn turn(state->turn, options.state().run.progress);
    return work();
  });
}

// A function of the caller's: what it throws is for the library as if it had come from there.
template <class F>
decltype(auto) calling_back(F&& function) {
  try {
    return function();
  } catch (const Error& error) {
    throw_back(error);
  }
}

template <class State, class Result>
auto made(Result result) {
  return std::make_shared<const State>(State{std::move(result)});
}

}  // namespace ascribe
