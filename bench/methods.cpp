// Times an attribution method on random rows, beside Captum in bench/run.py.
// Usage: ascribe_bench_methods METHOD MODEL.onnx ROWS REPEATS THREADS BASELINES PLAYERS [KEY=VALUE...]
// BASELINES: how many; one is zero, several are random. The sessions are planned before the timed runs, as a caller
// that explains one input after the other has them.
#include <string>

#include <fmt/format.h>

#include "base/parallel.h"
#include "measure.h"
#include "methods/method.h"
#include "onnx/importer.h"
#include "passes/canonicalize.h"

namespace ascribe {
namespace {

Shape with_rows(const Shape& row, int64_t rows) {
  Shape shape = row;
  shape.insert(shape.begin(), rows);
  return shape;
}

std::vector<Question> random_questions(const Shape& row, int64_t rows, int64_t baselines, const std::string& players) {
  const Tensor all = random_input(with_rows(row, rows));
  const auto values = all.data<float>();
  const Shape shape = with_rows(row, baselines);
  const Tensor start = baselines == 1 ? Tensor(DType::f64, shape) : random_input(shape).cast(DType::f64);
  std::optional<ImageShape> image;
  if (row.size() == 3) image = ImageShape{PixelLayout::chw, row[0], row[1], row[2]};
  if (row.size() == 1) image = ImageShape{PixelLayout::chw, 1, 0, 0, row[0]};
  const auto size = static_cast<size_t>(element_count(row));
  std::vector<Question> questions;
  for (int64_t r = 0; r < rows; ++r) {
    const Tensor x = Tensor::of<float>(with_rows(row, 1), values.subspan(static_cast<size_t>(r) * size, size));
    questions.push_back({{x}, 0, start, make_players({players, row, sized_image(image), {}, &x})});
  }
  return questions;
}

void run(int argc, char** argv) {
  if (argc < 8)
    fail(ErrorKind::argument, "usage", "METHOD MODEL ROWS REPEATS THREADS BASELINES PLAYERS [KEY=VALUE...]");
  const Method& method = method_named(argv[1]);
  set_thread_count(std::stoi(argv[5]));
  std::map<std::string, std::string> given;
  for (int i = 8; i < argc; ++i) {
    const std::string text = argv[i];
    given[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
  }
  const Parameters parameters(method.name, method.parameters, given);
  ExplainedModel model(canonicalize(import_model(argv[2]).graph), {});
  const auto questions = random_questions(model.row(), std::stoll(argv[3]), std::stoll(argv[6]), argv[7]);
  measure(
      std::stoll(argv[4]), [] {}, [&] { attribute(method, model, questions, parameters); });
}

}  // namespace
}  // namespace ascribe

int main(int argc, char** argv) {
  try {
    ascribe::run(argc, argv);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
