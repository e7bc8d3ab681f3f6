// Targets of questions, resolved against outputs of every form. Files that they may name are not looked for.
#include <cmath>

#include "fuzz/target.h"
#include "study/target.h"

namespace ascribe::core::fuzz::target_ask {
namespace {

using namespace study;

std::vector<OutputForm> forms() {
  return {{.name = "y", .row = {3}, .kind = OutputKind::vector, .classes = true, .logits = true},
          {.name = "y", .row = {3, 2, 5}, .kind = OutputKind::map, .class_axis = 0},
          {.name = "y", .row = {4, 6}, .kind = OutputKind::sequence, .has_tokens = true},
          {.name = "y", .row = {7, 8}, .kind = OutputKind::boxes, .box_axis = 0, .first_class = 5},
          {.name = "y", .row = {2, 3, 2}}};
}

void resolve(const TargetText& text, const OutputForm& form, const std::vector<std::string>& labels) {
  Tensor values(DType::f64, form.row);
  auto numbers = values.mutable_data<double>();
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = 0.5 + 0.4 * std::sin(static_cast<double>(i));
  const AskedRow row{{values, 0}, 2};
  const TargetResolver resolver(text, form, labels);
  const Pick pick = resolver.pick(&row);
  hold(!pick.element || (*pick.element >= 0 && *pick.element < resolver.form().size()), "the number is of the output");
  for (const int64_t element : pick.elements) {
    hold(element >= 0 && element < resolver.form().size(), "the numbers are of the output");
  }
  pick.key();
}

void feed(Bytes bytes) {
  const std::vector<std::string> labels = {"boot", "bag", "top"};
  const TargetText target = parse_target(text_of(bytes), labels, "top, label");
  if (!target.mask.empty() || !target.weights.empty()) return;
  for (const OutputForm& form : forms()) {
    try {
      resolve(target, form, labels);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
    }
  }
}

const RegisterTarget registered({"ask", "targets of questions", Form::bytes, 256, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_ask
