// What the tools that explain rows of an array share: options, questions, and the time of repeated runs.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/file.h"
#include "base/parallel.h"
#include "methods/explained_model.h"
#include "methods/question.h"
#include "tensor/npy.h"

namespace ascribe::core {

struct RowArguments {
  std::string model, x, baseline, players = "elements";
  std::vector<int64_t> targets = {0};  // one for each row, or one for all
  std::vector<std::string> set;
  bool precise = false;
  uint64_t seed = 0;
  int repeat = 0, threads = 2;
};

inline void add_row_options(CLI::App& app, RowArguments& arguments) {
  app.add_option("--target", arguments.targets)->delimiter(',');
  app.add_option("--baseline", arguments.baseline);
  app.add_option("--players", arguments.players);
  app.add_option("--seed", arguments.seed);
  app.add_option("--repeat", arguments.repeat);
  app.add_option("--threads", arguments.threads);
  app.add_option("--set", arguments.set);
  app.add_flag("--double", arguments.precise);
}

inline Tensor read_array(const std::string& path) { return parse_npy(read_file(path), path).values; }

// As the program explains a file: a final sigmoid is the head of a classifier.
inline ExplainedModel explained_file(Graph graph, const RowArguments& arguments) {
  set_thread_count(arguments.threads);
  ExplainOptions options;
  options.real = arguments.precise ? DType::f64 : DType::f32;
  return ExplainedModel(Model::of(std::move(graph), {.precision = options.real}), options);
}

// A row of x each; a baseline of several rows is shared by all.
inline std::vector<Question> questions_of(const RowArguments& arguments, const ExplainedModel& model) {
  const Tensor x = read_array(arguments.x).cast(model.real());
  const Shape& row = model.row();
  Shape one = row;
  one.insert(one.begin(), 1);
  const int64_t size = element_count(row), rows = x.size() / size;
  Tensor baselines =
      arguments.baseline.empty() ? Tensor(DType::f64, one) : read_array(arguments.baseline).cast(DType::f64);
  std::optional<ImageShape> image;
  if (row.size() == 3) image = ImageShape{PixelLayout::chw, row[0], row[1], row[2]};
  std::vector<Question> questions;
  for (int64_t r = 0; r < rows; ++r) {
    Tensor point(x.dtype(), one);
    std::copy_n(static_cast<const std::byte*>(x.memory()) + static_cast<size_t>(r) * point.bytes(), point.bytes(),
                static_cast<std::byte*>(point.mutable_memory()));
    const auto& targets = arguments.targets;
    questions.push_back({{point},
                         targets[targets.size() == 1 ? 0 : static_cast<size_t>(r)],
                         baselines,
                         make_players({arguments.players, row, image, {}, &point})});
  }
  return questions;
}

// "KEY=VALUE" texts as parameters.
inline std::map<std::string, std::string> given_parameters(const std::vector<std::string>& texts) {
  std::map<std::string, std::string> given;
  for (const std::string& text : texts) given[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
  return given;
}

// The seconds of each of `count` runs.
inline std::vector<double> timed(int count, const std::function<void()>& run) {
  std::vector<double> seconds;
  for (int i = 0; i < count; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return seconds;
}

// The tool's exit code; what went wrong is a line on stderr.
inline int run_tool(CLI::App& app, int argc, char** argv, const std::function<void()>& run) {
  CLI11_PARSE(app, argc, argv);
  try {
    run();
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}

}  // namespace ascribe::core
