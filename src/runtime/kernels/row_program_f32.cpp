// Row programs in float32: some rows at a time go through all instructions while they are in the first cache.
#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "runtime/kernels/kernel.h"
#include "runtime/kernels/row_loops.h"
#include "runtime/row_program.h"

namespace ascribe::core::kernel_row_program_f32 {
namespace {

constexpr int64_t kTile = 1024;             // elements of a value that are computed at a time, if rows are not longer
constexpr int64_t kWorkPerChunk = 1 << 16;  // elements times instructions

// How a value lies while a tile is computed.
enum class Form {
  whole,   // all elements of the tile, row after row
  vector,  // a row for each row, somewhere
  each,    // one number for each row
  number,  // one for all
};

// An input that is not whole: where its rows begin.
struct Rows {
  bool contiguous = false;     // one number for each row, in order
  std::vector<int64_t> steps;  // along the leading axes; empty: all begin at 0
};

struct Source {
  RowOperand operand;
  Form form = Form::whole;
};

struct Instruction {
  RowOp op = RowOp::copy;
  Source a, b;
  Form form = Form::whole;
  int slot = -1;  // of its result, among those of its form
};

class RowProgramKernel : public Kernel {
 public:
  RowProgramKernel(const KernelRequest& request) : loops_(row_loops()) {
    const RowProgram program = row_program_of(request.attributes);
    for (const Dim dim : program.shape) shape_.push_back(dim.fixed);
    for (const double number : program.numbers) numbers_.push_back(static_cast<float>(number));
    lay_out(request, program.row_axes);
    for (const Operand& input : request.inputs) add_input(input);
    for (const RowInstruction& instruction : program.code) add_instruction(instruction);
    if (request.output.size() == rows_ * width_ && code_.back().form != Form::whole) spread_result();
    assign_slots();
    rows_per_tile_ = std::clamp<int64_t>(kTile / std::max<int64_t>(width_, 1), 1, std::max<int64_t>(rows_, 1));
  }

  void bind(std::span<void* const> inputs, void* output, void*) override {
    inputs_.clear();
    for (const void* input : inputs) inputs_.push_back(static_cast<const float*>(input));
    output_ = static_cast<float*>(output);
  }

  void run() override {
    if (rows_ * width_ == 0) return;
    const int64_t work = width_ * static_cast<int64_t>(code_.size());
    const int64_t tiles = std::max<int64_t>(1, kWorkPerChunk / std::max<int64_t>(1, work * rows_per_tile_));
    parallel_for(rows_, tiles * rows_per_tile_, [this](int64_t begin, int64_t end) {
      static thread_local std::vector<float> memory;
      const int64_t tile = rows_per_tile_ * width_;
      memory.resize(static_cast<size_t>(whole_slots_ * tile + (each_slots_ + 2) * rows_per_tile_ + 16));
      for (int64_t row = begin; row < end; row += rows_per_tile_) {
        Tile t{row, std::min(rows_per_tile_, end - row), memory.data(), memory.data() + whole_slots_ * tile};
        for (size_t i = 0; i < code_.size(); ++i) compute(t, i);
      }
    });
  }

 private:
  struct Tile {
    int64_t first, rows;
    float *whole, *each;
  };

  void lay_out(const KernelRequest& request, int64_t row_axes) {
    const int64_t count = element_count(shape_);
    for (int64_t k = 0; k < row_axes; ++k) width_ *= shape_[shape_.size() - 1 - static_cast<size_t>(k)];
    rows_ = width_ == 0 ? 0 : count / width_;
    leading_.assign(shape_.begin(), shape_.end() - row_axes);
    if (row_axes > 0) return;
    // Elements are all alike: any order will do that all operands share and that has no gaps.
    for (const Operand& input : request.inputs) {
      const bool whole = input.shape == shape_ && bytes_in(input.layout, input.plain_bytes()) == input.plain_bytes();
      if (input.layout && whole && !output_layout) output_layout = input.layout;
    }
    if (request.output.shape != shape_) output_layout = nullptr;
  }

  void add_input(const Operand& input) {
    const bool whole = input.shape == shape_;
    input_layouts.push_back(whole ? output_layout : nullptr);
    held.push_back(false);
    if (whole && in_place < 0) in_place = static_cast<int>(input_layouts.size()) - 1;
    input_forms_.push_back(whole ? Form::whole : form_of(input));
    input_rows_.push_back(whole ? Rows{} : rows_of(input));
  }

  Form form_of(const Operand& input) const {
    const size_t missing = shape_.size() - input.shape.size();
    for (size_t axis = leading_.size(); axis < shape_.size(); ++axis) {
      if (axis >= missing && input.shape[axis - missing] != 1) return Form::vector;
    }
    return Form::each;
  }

  Rows rows_of(const Operand& input) const {
    Rows result;
    const auto own = strides_of(input.shape);
    const size_t missing = shape_.size() - input.shape.size();
    std::vector<int64_t> steps(leading_.size(), 0);
    bool moves = false;
    for (size_t axis = missing; axis < leading_.size(); ++axis) {
      if (input.shape[axis - missing] == 1) continue;
      steps[axis] = own[axis - missing];
      moves = true;
    }
    if (!moves) return result;
    result.steps = std::move(steps);
    result.contiguous = input.size() == rows_;
    int64_t next = 1;
    for (size_t axis = leading_.size(); axis-- > 0 && result.contiguous; next *= leading_[axis]) {
      result.contiguous = leading_[axis] == 1 || result.steps[axis] == next;
    }
    return result;
  }

  // No table: it would be as large as a value of short rows.
  int64_t offset_of(const Rows& rows, int64_t row) const {
    int64_t offset = 0;
    for (size_t axis = rows.steps.size(); axis-- > 0; row /= leading_[axis]) {
      offset += row % leading_[axis] * rows.steps[axis];
    }
    return offset;
  }

  Source source_of(const RowOperand& operand) const {
    switch (operand.from) {
      case RowOperand::From::number: return {operand, Form::number};
      case RowOperand::From::input: return {operand, input_forms_[operand.index]};
      default: break;
    }
    const int index = renamed_[operand.index].operand.index;
    if (renamed_[operand.index].operand.from != RowOperand::From::instruction) return renamed_[operand.index];
    return {{RowOperand::From::instruction, index}, code_[index].form};
  }

  // `renamed_`: a copy is another name for what it copies.
  void add_instruction(const RowInstruction& given) {
    Instruction instruction{given.op, source_of(given.a), source_of(given.b), Form::whole, -1};
    if (given.op == RowOp::copy) {
      renamed_.push_back(instruction.a);
      return;
    }
    if (given.op >= RowOp::sum) {
      if (instruction.a.form != Form::whole) instruction.a = spread(instruction.a);
      instruction.form = given.op <= RowOp::mean ? Form::each : Form::whole;
    } else {
      const auto small = [](Form form) { return form == Form::each || form == Form::number; };
      if (small(instruction.a.form) && small(instruction.b.form)) instruction.form = Form::each;
    }
    renamed_.push_back(push(instruction));
  }

  Source push(const Instruction& instruction) {
    code_.push_back(instruction);
    return {{RowOperand::From::instruction, static_cast<int>(code_.size()) - 1}, instruction.form};
  }

  Source spread(const Source& source) { return push({RowOp::copy, source, source, Form::whole, -1}); }
  void spread_result() { spread(renamed_.back()); }

  void assign_slots() {
    std::vector<size_t> last(code_.size());
    for (size_t i = 0; i < code_.size(); ++i) {
      last[i] = i;
      for (const Source& source : {code_[i].a, code_[i].b}) {
        if (source.operand.from == RowOperand::From::instruction) last[source.operand.index] = i;
      }
    }
    std::array<std::vector<int>, 2> free;
    std::array<int, 2> count{};
    const auto kind_of = [&](size_t i) { return code_[i].form == Form::whole ? 0 : 1; };
    for (size_t i = 0; i + 1 < code_.size(); ++i) {
      // A result may take the place of an operand that is read for the last time: the loops allow it.
      for (size_t j = 0; j < i; ++j) {
        if (last[j] == i) free[kind_of(j)].push_back(code_[j].slot);
      }
      auto& places = free[kind_of(i)];
      if (places.empty()) places.push_back(count[kind_of(i)]++);
      code_[i].slot = places.back();
      places.pop_back();
    }
    whole_slots_ = count[0];
    each_slots_ = count[1];
  }

  float* result_of(const Tile& t, size_t i) const {
    const Instruction& instruction = code_[i];
    const bool whole = instruction.form == Form::whole;
    if (i + 1 == code_.size()) return output_ + t.first * (whole ? width_ : 1);
    return whole ? t.whole + instruction.slot * rows_per_tile_ * width_ : t.each + instruction.slot * rows_per_tile_;
  }

  // Whole values and numbers of each row, contiguous.
  const float* tile_of(const Tile& t, const Source& source, int spare) const {
    if (source.operand.from == RowOperand::From::number) return &numbers_[source.operand.index];
    if (source.operand.from == RowOperand::From::instruction) return result_of(t, source.operand.index);
    const float* input = inputs_[source.operand.index];
    if (source.form == Form::whole) return input + t.first * width_;
    const Rows& rows = input_rows_[source.operand.index];
    if (rows.contiguous) return input + t.first;
    float* numbers = t.each + (each_slots_ + spare) * rows_per_tile_;
    for (int64_t r = 0; r < t.rows; ++r) numbers[r] = input[offset_of(rows, t.first + r)];
    return numbers;
  }

  // A row of an operand; `tile`: what tile_of gave.
  const float* row_of(const Tile& t, const Source& source, const float* tile, int64_t r) const {
    switch (source.form) {
      case Form::whole: return tile + r * width_;
      case Form::each: return tile + r;
      case Form::number: return tile;
      case Form::vector: break;
    }
    const Rows& rows = input_rows_[source.operand.index];
    return inputs_[source.operand.index] + offset_of(rows, t.first + r);
  }

  void compute(const Tile& t, size_t i) const {
    const Instruction& instruction = code_[i];
    float* y = result_of(t, i);
    const auto lookup = [&](const Source& s, int spare) {
      return s.form == Form::vector ? nullptr : tile_of(t, s, spare);
    };
    const float *a = lookup(instruction.a, 0), *b = lookup(instruction.b, 1);
    switch (instruction.op) {
      case RowOp::sum:
      case RowOp::mean: loops_.reduce(instruction.op, y, a, t.rows, width_); return;
      case RowOp::normalize: loops_.normalize(y, a, t.rows, width_, *b); return;
      case RowOp::softmax: loops_.softmax(y, a, t.rows, width_); return;
      default: break;
    }
    const bool unary = instruction.op >= RowOp::neg;
    const auto flat = [&](const Source& s) { return s.form == instruction.form || s.form == Form::number; };
    if (flat(instruction.a) && flat(instruction.b)) {
      const int64_t count = t.rows * (instruction.form == Form::whole ? width_ : 1);
      const auto step = [&](const Source& s) { return s.form == Form::number ? 0 : 1; };
      if (!unary) loops_.binary(instruction.op, y, a, step(instruction.a), b, step(instruction.b), count);
      else if (step(instruction.a) != 0) loops_.unary(instruction.op, y, a, count);
      else of_number(instruction.op, y, a, count);
      return;
    }
    const auto step = [&](const Source& s) { return s.form == Form::whole || s.form == Form::vector ? 1 : 0; };
    for (int64_t r = 0; r < t.rows; ++r) {
      const float *row_a = row_of(t, instruction.a, a, r), *row_b = row_of(t, instruction.b, b, r);
      float* row_y = y + r * width_;
      if (!unary) loops_.binary(instruction.op, row_y, row_a, step(instruction.a), row_b, step(instruction.b), width_);
      else if (step(instruction.a) != 0) loops_.unary(instruction.op, row_y, row_a, width_);
      else of_number(instruction.op, row_y, row_a, width_);
    }
  }

  void of_number(RowOp op, float* y, const float* x, int64_t count) const {
    float value = 0;
    loops_.unary(op, &value, x, 1);
    std::fill_n(y, count, value);
  }

  const RowLoops& loops_;
  Shape shape_, leading_;
  int64_t rows_ = 0, width_ = 1, rows_per_tile_ = 1;
  int64_t whole_slots_ = 0, each_slots_ = 0;
  std::vector<float> numbers_;
  std::vector<Form> input_forms_;
  std::vector<Rows> input_rows_;
  std::vector<Instruction> code_;
  std::vector<Source> renamed_;
  std::vector<const float*> inputs_;
  float* output_ = nullptr;
};

std::unique_ptr<Kernel> make_row_program(const KernelRequest& request) {
  return std::make_unique<RowProgramKernel>(request);
}

const RegisterKernel kernel("row_program", DType::f32, make_row_program);

}  // namespace
}  // namespace ascribe::core::kernel_row_program_f32
