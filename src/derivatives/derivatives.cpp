#include "derivatives/derivatives.h"

#include <algorithm>
#include <numeric>

#include "base/checked.h"
#include "derivatives/hessian_behind.h"
#include "passes/differentiable.h"
#include "passes/gradient.h"
#include "passes/select_element.h"

namespace ascribe::core {

namespace {

void check_elements(std::span<const int64_t> elements, int64_t size) {
  for (const int64_t element : elements) {
    if (element >= 0 && element < size) continue;
    fail(ErrorKind::argument, "hessian", "there is no such element; got {}; expected 0 to {}", element, size - 1);
  }
}

// Unit vectors, one per row, in the shape of the input.
Tensor unit_directions(const Shape& input, std::span<const int64_t> elements, DType real) {
  Shape shape = input;
  const int64_t size = element_count(input);
  if (shape.empty()) shape = {1};
  shape[0] = checked_multiply(shape[0], std::ssize(elements), "hessian");
  Tensor directions(real, shape);
  visit(real, [&]<class T>(T) {
    const auto values = directions.mutable_data<T>();
    for (size_t row = 0; row < elements.size(); ++row) {
      values[row * static_cast<size_t>(size) + static_cast<size_t>(elements[row])] = 1;
    }
  });
  return directions;
}

}  // namespace

Derivatives::Derivatives(const Graph& graph, ScalarTarget target, SessionOptions options, const std::string& input)
    : scalar_(select_element(graph, target.output, target.element)), options_(std::move(options)) {
  const auto ports = moving_inputs(scalar_, input.empty() ? std::vector<std::string>{} : std::vector{input});
  if (ports.size() > 1) {
    fail(ErrorKind::argument, "derivatives", "the graph has {} real inputs; say which one moves", ports.size());
  }
  name_ = ports[0].name;
  while (scalar_.inputs[input_].name != name_) ++input_;
  input_shape_ = at(scalar_[ports[0].value].type.shape, 1);
  Gradient made = ascribe::core::gradient(scalar_, {0, {name_}, scalar_.free_name("seed")});
  gradient_ = std::move(made.graph);
  notes_ = std::move(made.notes);
}

Taylor& Derivatives::of_value(int order) {
  auto& jets = value_jets_[order];
  if (!jets) jets = std::make_unique<Taylor>(scalar_, order, options_, std::vector{name_});
  return *jets;
}

Taylor& Derivatives::of_gradient() {
  if (!gradient_jets_) {
    // The value is not asked for: only the gradient's coefficients are planned.
    Graph only = gradient_;
    only.outputs.erase(only.outputs.begin());
    only.drop_unread();
    gradient_jets_ = std::make_unique<Taylor>(std::move(only), 1, options_, std::vector{name_});
  }
  return *gradient_jets_;
}

HessianBehind* Derivatives::behind_layer(int64_t rows) {
  if (!looked_for_cut_) cut_ = split_linear_prefix(scalar_, input_);
  looked_for_cut_ = true;
  if (!cut_ || cut_->inner == 0 || cut_->inner > rows) return nullptr;
  if (!behind_) behind_ = std::make_shared<HessianBehind>(*cut_, input_, options_);
  return behind_.get();
}

std::vector<Tensor> Derivatives::with_seed(std::span<const Tensor> point) const {
  std::vector<Tensor> inputs(point.begin(), point.end());
  inputs.push_back(Tensor::of<double>({1}, std::vector{1.0}));
  return inputs;
}

double Derivatives::value(std::span<const Tensor> point) {
  const Tensor still(DType::f64, input_shape_);
  return taylor(point, still, 0)[0][0];
}

Tensor Derivatives::gradient(std::span<const Tensor> point) {
  if (!gradient_session_) gradient_session_ = std::make_unique<Session>(gradient_, options_);
  return gradient_session_->run(with_seed(point))[1];
}

std::vector<double> Derivatives::directional(std::span<const Tensor> point, const Tensor& directions) {
  std::vector<double> slopes;
  for (const auto& coefficients : taylor(point, directions, 1)) slopes.push_back(coefficients[1]);
  return slopes;
}

Tensor Derivatives::hessian_product(std::span<const Tensor> point, const Tensor& directions) {
  return of_gradient().along(with_seed(point), std::array{directions})[0][1];
}

Tensor Derivatives::hessian(std::span<const Tensor> point, std::span<const int64_t> elements,
                            const Progress& progress) {
  const int64_t size = element_count(input_shape_);
  std::vector<int64_t> all;
  if (elements.empty()) {
    all.resize(static_cast<size_t>(size));
    std::iota(all.begin(), all.end(), 0);
    elements = all;
  }
  check_elements(elements, size);
  // What does not fit is complained of where directions are followed.
  const bool fits = point.size() == scalar_.inputs.size() && point[input_].shape() == input_shape_;
  if (HessianBehind* behind = fits ? behind_layer(std::ssize(elements)) : nullptr) {
    return behind->rows(point, elements, progress).reshaped({std::ssize(elements), size});
  }
  const Tensor directions = unit_directions(input_shape_, elements, options_.real);
  Tensor rows = of_gradient().along(with_seed(point), std::array{directions}, progress)[0][1];
  return rows.reshaped({std::ssize(elements), size});
}

std::vector<std::vector<double>> Derivatives::taylor(std::span<const Tensor> point, const Tensor& directions, int order,
                                                     const Progress& progress) {
  const auto coefficients = of_value(order).along(point, std::array{directions}, progress)[0];
  const int64_t rows = directions.size() / std::max<int64_t>(element_count(input_shape_), 1);
  std::vector<std::vector<double>> result(static_cast<size_t>(rows));
  for (int64_t row = 0; row < rows; ++row) {
    for (const Tensor& coefficient : coefficients) {
      result[static_cast<size_t>(row)].push_back(coefficient.at(coefficient.size() == rows ? row : 0));
    }
  }
  return result;
}

}  // namespace ascribe::core
