// Questions about random rows, for the benchmarks of methods and metrics.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "measure.h"
#include "methods/question.h"
#include "tensor/rows.h"

namespace ascribe::core {

// One baseline is zero, several are random. Flat rows whose length allows it are square images.
inline std::vector<Question> random_questions(const Shape& row, int64_t rows, int64_t baselines,
                                              const std::string& players) {
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

// KEY=VALUE arguments, from number `first` on.
inline std::map<std::string, std::string> given_parameters(int argc, char** argv, int first) {
  std::map<std::string, std::string> given;
  for (int i = first; i < argc; ++i) {
    const std::string text = argv[i];
    given[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
  }
  return given;
}

}  // namespace ascribe::core
