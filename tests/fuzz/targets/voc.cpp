// Boxes in the XML of Pascal VOC.
#include <cmath>

#include "data/voc_boxes.h"
#include "fuzz/target.h"

namespace ascribe::core::fuzz::target_voc {
namespace {

void feed(Bytes bytes) {
  for (const VocObject& object : parse_voc(text_of(bytes), "fuzz.xml")) {
    const Box& box = object.box;
    hold(std::isfinite(box.area()) && box.x0 < box.x1 && box.y0 < box.y1, "boxes have an area");
  }
}

const RegisterTarget registered({"voc", "boxes in the XML of Pascal VOC", Form::bytes, 4096, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_voc
