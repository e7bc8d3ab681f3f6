// Preprocessing as a JSON object, and what it makes of small images.
#include <cmath>

#include "data/preprocess.h"
#include "fuzz/target.h"

namespace ascribe::core::fuzz::target_preprocess {
namespace {

// What is no object would be the path of a file.
bool is_object(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{';
}

void feed(Bytes bytes) {
  const std::string text = text_of(bytes);
  if (!is_object(text)) return;
  const Preprocess preprocess = parse_preprocess(text);
  describe(preprocess);
  Image image{5, 4, 3, std::vector<float>(60), false};
  for (size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i] = static_cast<float>(i * 37 % 256);
  const ImageSize size = preprocessed_size({image.height, image.width}, preprocess);
  for (const Shape& row : {Shape{3, 5, 4}, Shape{5, 4, 3}, Shape{1, size.height, size.width}, Shape{20}, Shape{4, 5}}) {
    try {
      image_shape(row, preprocess);
      const Tensor tensor = preprocess_image(image, preprocess, row, DType::f32, "fuzz.png");
      hold(tensor.size() == element_count(row), "a row is as large as the input");
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
    }
  }
}

const RegisterTarget registered({"preprocess", "preprocessing as JSON", Form::json, 1024, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_preprocess
