// Times explain as a C++ program calls it, beside the Python package and Captum in bench/run.py.
// Usage: ascribe_bench_interface METHOD MODEL.onnx ROWS REPEATS THREADS [KEY=VALUE...]
// The call as it is, with rows in memory, and the values of every row looked at.
#include <cstdio>
#include <exception>
#include <random>
#include <string>
#include <vector>

#include <ascribe/ascribe.h>

#include "timing.h"

namespace {

std::vector<float> random_rows(size_t count) {
  std::mt19937 generator(7);
  std::normal_distribution<float> normal;
  std::vector<float> numbers(count);
  for (float& number : numbers) number = normal(generator);
  return numbers;
}

void run(const std::vector<std::string>& arguments) {
  const int64_t rows = std::stoll(arguments[2]), repeats = std::stoll(arguments[3]);
  ascribe::Options options;
  options.threads(std::stoi(arguments[4]));
  for (size_t i = 5; i < arguments.size(); ++i) {
    const size_t equals = arguments[i].find('=');
    options.set(arguments[i].substr(0, equals), arguments[i].substr(equals + 1));
  }
  ascribe::Model model = ascribe::Model::load(arguments[1]);
  std::vector<int64_t> shape = model.row_shape();
  shape.insert(shape.begin(), rows);
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  const std::vector<float> numbers = random_rows(static_cast<size_t>(count));
  double seen = 0;
  ascribe::core::measure(
      repeats, [] {},
      [&] {
        ascribe::Question question(ascribe::Array(numbers.data(), shape));
        question.target(0);
        const ascribe::Explanation answer = model.explain(question, {arguments[0]}, options);
        for (size_t row = 0; row < answer.rows(); ++row) seen += answer.attribution(0, row).elements()[0];
      });
  if (seen != seen) std::fputs("the values are not numbers\n", stderr);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 5) {
    std::fputs("usage: ascribe_bench_interface METHOD MODEL.onnx ROWS REPEATS THREADS [KEY=VALUE...]\n", stderr);
    return 2;
  }
  try {
    run(arguments);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ascribe_bench_interface: %s\n", error.what());
    return 1;
  }
}
