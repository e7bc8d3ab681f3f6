// Runs a model at rows that differ from a known row in a box, by the cone of influence (passes/cone.h): segment by
// segment, rows with boxes of the same size together, and what lies behind the cone on the whole. Segments stay on
// boxes as long as that is less work.
//
// No sum is corrected and none is left out: every number in a box is computed from its operands as the whole model
// computes it. Results differ from those of whole rows by rounding only, also after many steps.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "base/progress.h"
#include "passes/cone.h"
#include "runtime/session.h"

namespace ascribe::core {

class ConeRunner {
 public:
  // The session of a graph made from the model, kept under a key.
  using Sessions = std::function<std::shared_ptr<Session>(const std::string& key, const std::function<Graph()>& make)>;

  // `options`: of sessions that run boxes.
  ConeRunner(Cone cone, SessionOptions options, Sessions sessions);

  const Cone& cone() const { return cone_; }

  // How rows with changes in these boxes are run, `at_once` of them together (0: all).
  struct Schedule {
    size_t segments = 0;                    // that are run on boxes
    std::vector<std::vector<Shape>> sizes;  // [segment][axis]: to which boxes are enlarged, rising
    double work = 0;                        // of a mean row, as a share of a whole one
  };
  Schedule schedule(std::span<const ConeBox> changes, int64_t at_once = 0) const;
  // The work of one row by the cheapest schedule for it, as a share of a whole one.
  double share(const ConeBox& change) const;

  // What is known of one row.
  struct Known {
    std::vector<Tensor> values;  // in the order of Cone::known_values
    Tensor answer;               // the model's
    size_t bytes() const;
  };
  // `point`: a tensor for each input, of one row.
  Known know(const Schedule& schedule, std::span<const Tensor> point);
  size_t known_bytes(const Schedule& schedule) const;

  struct Row {
    Known* known = nullptr;
    ConeBox change;
  };
  // Writes the input of a row in this box, row-major, in the precision of the options.
  using Fill = std::function<void(int64_t row, const ConeBox& box, void* to)>;
  // The model's answers, a row for each. `keep`: what is known of each row becomes what was computed, so that the next
  // change is one to this row; no two rows may know the same then.
  Tensor run(const Schedule& schedule, std::span<const Row> rows, std::span<const Tensor> point, const Fill& fill,
             bool keep, const Progress& progress = {});

 private:
  struct Crop {
    Tensor values;  // of several rows
    int64_t row = 0;
    ConeBox box;
  };
  class Block;

  std::shared_ptr<Session> segment_session(size_t segment, const Shape& size);
  int64_t rows_per_block(const Schedule& schedule) const;
  Tensor scratch(size_t slot, const Shape& shape);
  size_t element_bytes() const { return size_of(options_.real); }
  std::vector<double> shares(std::span<const std::vector<ConeBox>> boxes) const;

  Cone cone_;
  SessionOptions options_;
  Sessions sessions_;
  std::map<std::pair<size_t, Shape>, std::shared_ptr<Session>> segment_sessions_;
  std::vector<Tensor> scratch_;  // what segments read, written anew for each chunk
};

}  // namespace ascribe::core
