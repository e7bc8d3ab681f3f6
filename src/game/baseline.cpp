#include "game/baseline.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/closest_name.h"
#include "base/error.h"
#include "base/finite.h"
#include "base/random.h"
#include "game/players.h"
#include "tensor/rows.h"

namespace ascribe::core {

namespace {

constexpr std::string_view kWhere = "baseline";
constexpr std::string_view kKinds = "zero, mean, value:V, blur:SIGMA, gaussian:SIGMA, file:F or data:F";

double number_in(std::string_view text, const std::string& whole) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) {
    fail(ErrorKind::argument, kWhere, "got '{}' in '{}'; expected a finite number", text, whole);
  }
  return number;
}

std::vector<double> numbers_in(std::string_view text, const std::string& whole) {
  std::vector<double> numbers;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    numbers.push_back(number_in(text.substr(at, end - at), whole));
    at = end + 1;
  }
  return numbers;
}

double positive_in(std::string_view text, const std::string& whole) {
  const double number = number_in(text, whole);
  if (number <= 0) fail(ErrorKind::argument, kWhere, "got '{}'; expected a number above 0", whole);
  return number;
}

// The channel of each element; a row that is not an image has one.
class Channels {
 public:
  explicit Channels(const std::optional<ImageShape>& image) : image_(image) {}
  int64_t count() const { return image_ ? image_->channels : 1; }
  int64_t of(int64_t element) const {
    if (!image_) return 0;
    return image_->layout == PixelLayout::chw ? element / (image_->height * image_->width) : element % image_->channels;
  }

 private:
  const std::optional<ImageShape>& image_;
};

using Row = std::vector<double>;

Row constant_row(int64_t size, const Channels& channels, const std::vector<double>& values, const std::string& text) {
  if (values.size() != 1 && std::ssize(values) != channels.count() && std::ssize(values) != size) {
    fail(ErrorKind::argument, kWhere, "got {} numbers in '{}'; expected 1, or {} for the channels", values.size(), text,
         channels.count());
  }
  Row row(static_cast<size_t>(size));
  for (int64_t i = 0; i < size; ++i) {
    const int64_t which = values.size() == 1 ? 0 : (std::ssize(values) == channels.count() ? channels.of(i) : i);
    row[static_cast<size_t>(i)] = values[static_cast<size_t>(which)];
  }
  return row;
}

Row mean_row(const Row& x, const Channels& channels) {
  std::vector<double> sums(static_cast<size_t>(channels.count()), 0.0);
  for (size_t i = 0; i < x.size(); ++i) sums[static_cast<size_t>(channels.of(static_cast<int64_t>(i)))] += x[i];
  for (double& sum : sums) sum *= static_cast<double>(channels.count()) / static_cast<double>(x.size());
  return constant_row(std::ssize(x), channels, sums, "mean");
}

// A Gaussian cut off at four sigma, its weights summing to 1.
std::vector<double> gaussian_weights(double sigma, int64_t extent) {
  // Further out than four images there are only edges.
  const auto reach = static_cast<int64_t>(std::min(std::ceil(4 * sigma), 4.0 * static_cast<double>(extent)));
  std::vector<double> weights;
  double sum = 0;
  for (int64_t d = -reach; d <= reach; ++d) {
    weights.push_back(std::exp(-0.5 * std::pow(static_cast<double>(d) / sigma, 2)));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

// Along one axis; beyond the edge the outermost pixel goes on.
Row blurred(const Row& x, const ImageShape& image, double sigma, bool along_width) {
  const std::vector<double> weights = gaussian_weights(sigma, along_width ? image.width : image.height);
  const auto reach = std::ssize(weights) / 2;
  Row out(x.size());
  for (int64_t c = 0; c < image.channels; ++c) {
    for (int64_t v = 0; v < image.height; ++v) {
      for (int64_t u = 0; u < image.width; ++u) {
        double sum = 0;
        for (int64_t d = -reach; d <= reach; ++d) {
          const int64_t from_v = along_width ? v : std::clamp<int64_t>(v + d, 0, image.height - 1);
          const int64_t from_u = along_width ? std::clamp<int64_t>(u + d, 0, image.width - 1) : u;
          sum += weights[static_cast<size_t>(d + reach)] * x[static_cast<size_t>(element_of(image, c, from_v, from_u))];
        }
        out[static_cast<size_t>(element_of(image, c, v, u))] = sum;
      }
    }
  }
  return out;
}

Row blurred_row(const Row& x, const std::optional<ImageShape>& image, double sigma, const std::string& text) {
  if (!image) fail(ErrorKind::argument, kWhere, "'{}' needs an image or a series", text);
  return blurred(blurred(x, *image, sigma, true), *image, sigma, false);
}

Row noisy_row(const Row& x, double sigma, uint64_t seed) {
  const Random random(seed);
  Row row = x;
  for (size_t i = 0; i < row.size(); ++i) row[i] += sigma * random.normal(i);
  return row;
}

Tensor rows_of_file(const BaselineRequest& request, bool one) {
  require(request.rows.has_value(), "baseline", "the rows of the file are missing");
  const int64_t size = element_count(request.row), rows = request.rows->size() / std::max<int64_t>(size, 1);
  if (rows < 1 || rows * size != request.rows->size()) {
    fail(ErrorKind::shape, kWhere, "the file of '{}' does not hold rows of the input; got {}; expected rows of {}",
         request.text, to_string(request.rows->shape()), to_string(request.row));
  }
  if (one && rows != 1) {
    fail(ErrorKind::argument, kWhere, "the file of '{}' holds {} rows; expected one, or data:F to average over all",
         request.text, rows);
  }
  Shape shape = request.row;
  shape.insert(shape.begin(), rows);
  return request.rows->cast(DType::f64).reshaped(shape);
}

Row computed_row(const BaselineRequest& request, const std::string& kind, const std::string& rest) {
  require(request.x != nullptr && request.x->size() == element_count(request.row), "baseline", "the row is missing");
  const auto image = sized_image(request.image);
  const Channels channels(image);
  const Tensor x_tensor = request.x->cast(DType::f64);
  const auto data = x_tensor.data<double>();
  const Row x(data.begin(), data.end());
  const bool plain = request.text.find(':') == std::string::npos;
  if (plain && kind == "zero") return Row(x.size(), 0.0);
  if (plain && kind == "mean") return mean_row(x, channels);
  if (!plain && kind == "value")
    return constant_row(std::ssize(x), channels, numbers_in(rest, request.text), request.text);
  if (!plain && kind == "blur") return blurred_row(x, image, positive_in(rest, request.text), request.text);
  if (!plain && kind == "gaussian") return noisy_row(x, positive_in(rest, request.text), request.seed);
  fail(ErrorKind::argument, kWhere, "got '{}'; {}", request.text,
       expected(kKinds, kind, {"zero", "mean", "value", "blur", "gaussian", "file", "data"}));
}

void check_finite(const Tensor& rows, const std::string& text) {
  for (const double value : rows.data<double>()) {
    if (!std::isfinite(value))
      fail(ErrorKind::numeric, kWhere, "'{}' has the value {}; expected finite numbers", text, number_in_words(value));
  }
}

}  // namespace

Tensor make_baselines(const BaselineRequest& request) {
  const size_t colon = request.text.find(':');
  const std::string kind = request.text.substr(0, colon);
  const std::string rest = colon == std::string::npos ? "" : request.text.substr(colon + 1);
  Tensor rows;
  if (baseline_file(request.text)) {
    rows = rows_of_file(request, kind == "file");
  } else {
    Shape shape = request.row;
    shape.insert(shape.begin(), 1);
    rows = Tensor::of<double>(shape, computed_row(request, kind, rest));
  }
  check_finite(rows, request.text);
  return rows;
}

std::optional<std::string> baseline_file(const std::string& text) {
  if (text.size() > 5 && (text.starts_with("file:") || text.starts_with("data:"))) return text.substr(5);
  return std::nullopt;
}

Tensor thinned_rows(const Tensor& rows, int64_t most) {
  const int64_t count = rows.shape()[0];
  if (count <= most) return rows;
  std::vector<int64_t> chosen;
  for (int64_t i = 0; i < most; ++i) chosen.push_back(most == 1 ? 0 : i * (count - 1) / (most - 1));
  return take_rows(rows, chosen);
}

}  // namespace ascribe::core
