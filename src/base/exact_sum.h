// A sum of doubles that is exact until it is read and rounded once, so that it has the same bits in whatever order its
// terms come. It is kept as a few doubles whose bits do not overlap (Shewchuk, "Adaptive precision floating-point
// arithmetic and fast robust geometric predicates", 1997).
#pragma once

#include <vector>

namespace ascribe::core {

class ExactSum {
 public:
  void add(double term);
  void add(const ExactSum& other) {
    for (const double part : other.parts_) add(part);
  }
  double value() const;  // the double nearest to the sum, of two the even one

 private:
  std::vector<double> parts_;  // ascending in magnitude, none of them 0
};

}  // namespace ascribe::core
