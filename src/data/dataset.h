// Data sets as streams of samples: one is read when it is asked for, and the whole set is never in memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/inputs.h"

namespace ascribe::core {

// Part of an image, in pixels from its upper left corner: x0 <= x < x1, y0 <= y < y1.
struct Box {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;

  double area() const { return (x1 - x0) * (y1 - y0); }
};

struct Sample {
  std::string name;        // "val_7.jpeg", "t10k-images-idx3-ubyte.gz row 12"
  Source source;           // one row, not yet fitted to a model (fit of data/inputs.h)
  int64_t label = -1;      // its class; -1: not known
  std::vector<Box> boxes;  // of the object, in the image as it is stored
};

class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual int64_t size() const = 0;
  // Quickest in rising order: compressed files are read from the beginning when the order falls.
  virtual Sample read(int64_t index) = 0;

  std::string description;          // "idx: 10000 images of 28 x 28, with labels"
  std::vector<std::string> labels;  // names of the classes, if the data bring them
  bool labelled = false;            // samples know their class
  bool boxed = false;               // samples know, at least some of them, where the object is
  std::vector<std::string> files;   // that samples and their facts are read from; none: they are in memory
};

}  // namespace ascribe::core
