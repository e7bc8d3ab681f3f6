// The target of a question: what is explained of an output. One grammar for all verbs (docs/howto/targets.md):
//
//   top | 9 | LABEL | 2,38,15                                   one number of the output
//   class=2,sum | mean | mask=FILE | box=x0:y0:x1:y1 | weights=FILE.npy     a linear functional of it
//   rank=0,class=2 | box=17,class=2 [,objectness=no]            the score of a box
//   position=-1,token=318 | tokens=12,55,9 [,position=4]        of a sequence; the log-probability of several tokens
//
// It is parsed once (TargetText) and resolved against the shape of the output and, where it asks for that, against
// what the model says of a row (Pick). A choice that is made from x is held fixed while x is masked.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "methods/readout.h"
#include "study/output_form.h"

namespace ascribe::core::study {

struct TargetText {
  std::string text;  // as it was written
  bool top = false;
  std::vector<int64_t> place;  // numbers without a name
  std::string of_class;        // a number or a label; empty: not named
  bool sum = false, mean = false;
  std::string mask, weights;                     // files
  Tensor given_weights = {};                     // or the weights themselves
  std::optional<std::array<int64_t, 4>> region;  // x0, y0, x1, y1: columns x0 to x1 - 1, rows y0 to y1 - 1
  std::optional<int64_t> box, rank, position, token;
  std::vector<int64_t> tokens;
  bool objectness = true;

  bool names_classes() const { return !of_class.empty() || token || !tokens.empty() || rank || box; }
  bool weighs() const { return !weights.empty() || !given_weights.empty(); }
  bool over_places() const { return sum || mean || region || !mask.empty(); }
};

// `words`: the other things that a target can be, for the complaint: "top, label".
TargetText parse_target(const std::string& text, const std::vector<std::string>& labels, std::string_view words);

// Weights that are numbers already: one target for all rows, or, with an axis of rows in front, one for each.
std::vector<TargetText> weights_per_row(const Tensor& weights, const OutputForm& form);

// What is known of the row that is asked about.
struct AskedRow {
  OutputRow values;
  int64_t last_position = -1;  // of a sequence; -1: its end
};

// What is read of one row of the output.
struct Pick {
  std::optional<int64_t> element;  // one number; otherwise:
  Readout::Kind kind = Readout::Kind::linear;
  Tensor weights = {};                      // of linear ones, in double
  std::vector<int64_t> elements = {};       // of the others
  std::optional<int64_t> class_index = {};  // that it is about; nothing: no single one
  std::string explains = {};                // score, log-probability; empty: what the numbers of the output are
  std::string text = {};                    // "class 2 at row 38, column 15"
  std::string note = {};                    // what was chosen; empty: it was said

  std::string key() const;  // equal for what reads the same
};

class TargetResolver {
 public:
  // `form` as the target's words make it: whoever says class or token knows that there are some.
  TargetResolver(TargetText text, OutputForm form, std::vector<std::string> labels);

  const OutputForm& form() const { return form_; }
  bool is_top() const { return text_.top; }
  bool depends_on_row() const;
  // Fails, kind argument, listing the axes, if the target does not fit the output, or needs a row and there is none.
  Pick pick(const AskedRow* row) const;

 private:
  Pick element(int64_t index) const;
  Pick number(int64_t index) const;
  Pick at_place(const std::vector<int64_t>& place) const;
  Pick top(const AskedRow& row) const;
  Pick covering(const AskedRow& row) const;
  Pick of_sequence(const AskedRow* row) const;
  Pick log_probability(const AskedRow* row) const;
  Pick of_box(const AskedRow* row) const;
  Pick scored(int64_t box, int64_t class_index, const std::string& how) const;
  Pick over_places() const;
  Pick weighted() const;
  Pick summed(std::vector<int64_t> places, const std::string& where) const;
  std::vector<int64_t> masked_places(const Shape& shape) const;

  int64_t class_named() const;
  int64_t position_of(int64_t position, const AskedRow* row, int64_t count = 1) const;
  std::string class_text(int64_t index) const;
  const AskedRow& needed(const AskedRow* row) const;
  [[noreturn]] void refuse(const std::string& why) const;

  TargetText text_;
  OutputForm form_;
  std::vector<std::string> labels_;
};

// What all picks read, as one readout whose parts they are; null if they are single numbers. `targets`: of each pick
// the number of the output, or of the readout. Single numbers beside weighted sums are weighted sums too.
ReadoutRef readout_of(const std::vector<Pick>& picks, const OutputForm& form, std::vector<int64_t>& targets);

}  // namespace ascribe::core::study
