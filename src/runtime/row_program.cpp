#include "runtime/row_program.h"

namespace ascribe::core {

Attributes to_attributes(const RowProgram& program) {
  std::vector<int64_t> code;
  for (const RowInstruction& instruction : program.code) {
    code.push_back(static_cast<int64_t>(instruction.op));
    for (const RowOperand& operand : {instruction.a, instruction.b}) {
      code.push_back(static_cast<int64_t>(operand.from));
      code.push_back(operand.index);
    }
  }
  Attributes attributes{{"code", ints(code)}, {"row_axes", ints({program.row_axes})}};
  attributes.set("numbers", program.numbers);
  attributes.set("shape", program.shape);
  return attributes;
}

RowProgram row_program_of(const Attributes& attributes) {
  RowProgram program;
  program.shape = attributes.dims("shape");
  program.row_axes = attributes.integer("row_axes");
  program.numbers = attributes.reals("numbers");
  const auto code = attributes.integers("code");
  const auto operand = [&](size_t at) {
    return RowOperand{static_cast<RowOperand::From>(code[at]), static_cast<int>(code[at + 1])};
  };
  for (size_t i = 0; i < code.size(); i += 5) {
    program.code.push_back({static_cast<RowOp>(code[i]), operand(i + 1), operand(i + 3)});
  }
  return program;
}

const Op& row_program_op() {
  static const Op op{
      .name = "row_program",
      .op_class = OpClass::composite,
      .formula = "operations on rows, one after the other",
      .apply = [](const Evaluation&) { fail(ErrorKind::internal, "row_program", "there is a kernel for float only"); }};
  return op;
}

}  // namespace ascribe::core
